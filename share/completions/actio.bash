# Completion of actio for bash. Made by scripts/docs/completions.
# The tables of the first result file among the words.
_actio_tables()
{
    local each
    for each; do
        case $each in *.h5) actio info "$each" 2>/dev/null | sed -n "s/^table \(.*\): .*/\1/p"; return ;; esac
    done
}

_actio()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= valued= kind=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run check info export examples reproduce report plot compare merge live gradient help version" -- "$word"))
        return
    fi
    case ${COMP_WORDS[1]} in
    run) kind=problem options="--output -o --set -s --no-output --jobs -j --shard --resume --json --quiet -q" valued="--output|-o|--set|-s|--jobs|-j|--shard" ;;
    check) kind=problem options="--set -s --json" valued="--set|-s" ;;
    info) kind=result options="--json --text -t" valued="--text|-t" ;;
    export) kind=result options="--output -o --channels -c --table -t --every -e --format -f --from --to --frames --json" valued="--output|-o|--channels|-c|--table|-t|--every|-e|--format|-f|--from|--to|--frames" ;;
    examples) kind=example options="--copy --json" valued="" ;;
    reproduce) kind=experiment options="--all -a --json --verbose -v" valued="" ;;
    report) kind=result options="--output -o --from --to --frames --json" valued="--output|-o|--from|--to|--frames" ;;
    plot) kind=result options="--output -o --against -x --from --to --log --change --dots --title --width --height --with -w --json" valued="--output|-o|--against|-x|--from|--to|--title|--width|--height|--with|-w" ;;
    compare) kind=result options="--output -o --all -a --json --from --to --frames" valued="--output|-o|--from|--to|--frames" ;;
    merge) kind=problem options="--output -o --set -s --json --quiet -q" valued="--output|-o|--set|-s" ;;
    live) kind=problem options="--port -p --folder --seconds --samples --paused --json" valued="--port|-p|--folder|--seconds|--samples" ;;
    gradient) kind=problem options="--output -o --set -s --parameter -p --memory -m --second --along --hessian --check --json" valued="--output|-o|--set|-s|--parameter|-p|--memory|-m|--along" ;;
    help) kind=verb options="" valued="" ;;
    version) kind=none options="" valued="" ;;
    *) return ;;
    esac
    case ${COMP_WORDS[1]}$before in
    export--format | export-f) COMPREPLY=($(compgen -W "csv gltf glb vtk" -- "$word")); return ;;
    export--table | export-t)
        COMPREPLY=($(compgen -W "$(_actio_tables "${COMP_WORDS[@]:2}")" -- "$word"))
        return ;;
    esac
    # the value of another option is a file, if anything
    case "|$valued|" in
    *"|$before|"*) compopt -o default; return ;;
    esac
    if [ "${word#-}" != "$word" ]; then
        COMPREPLY=($(compgen -W "$options --help" -- "$word"))
        return
    fi
    case $kind in
    problem) compopt -o filenames; COMPREPLY=($(compgen -f -X "!*.@(yaml|yml|json)" -- "$word") $(compgen -d -- "$word")) ;;
    result) compopt -o filenames; COMPREPLY=($(compgen -f -X "!*.h5" -- "$word") $(compgen -d -- "$word")) ;;
    example) COMPREPLY=($(compgen -W "$(actio examples 2>/dev/null | sed "s/^ *//; s/ .*//")" -- "$word")) ;;
    experiment) COMPREPLY=($(compgen -W "$(actio reproduce 2>/dev/null | sed "s/^ *//; s/ .*//")" -- "$word")) ;;
    verb) COMPREPLY=($(compgen -W "run check info export examples reproduce report plot compare merge live gradient help version" -- "$word")) ;;
    esac
}
shopt -s extglob
complete -F _actio actio
