# Completion in bash: verbs, options, files and names.
. "$(dirname "$0")/../app/common.bash"
PATH="$(dirname "$ACTIO"):$PATH"
touch arm.yaml arm.h5 notes.txt
mkdir folder

# complete WORD...: what is offered for the last word, sorted, on one line.
complete_words() {
    bash --noprofile --norc -c '
        compopt() { :; }
        . "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _actio
        [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$ACTIO_SOURCE/share/completions/actio.bash" "$@" | LC_ALL=C sort | tr '\n' ' '
}
offers() {
    local wanted=$1 seen
    shift
    seen=$(complete_words "$@")
    [ "$seen" = "$wanted" ] || fail "$*: \"$seen\" instead of \"$wanted\""
}

offers 'report reproduce ' actio rep
offers 'arm.yaml folder ' actio run ''
offers 'arm.h5 folder ' actio report ''
offers '--no-output ' actio run --no
offers '' actio run -o ''
offers 'pendulum-circle ' actio reproduce pendulum-c
offers 'linkages/four-bar ' actio examples linkages/f
offers 'check ' actio help che
offers 'glb gltf ' actio export arm.h5 --format g
"$ACTIO" run "$("$ACTIO" examples pendulum/circle)" -q -o pendulum.h5 || fail "the run for the completion of tables"
offers 'nodes ' actio export pendulum.h5 --table n

if command -v zsh >/dev/null; then
    zsh -n "$ACTIO_SOURCE/share/completions/_actio" || fail "the completion for zsh"
fi
finish
