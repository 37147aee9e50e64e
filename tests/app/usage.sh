# Calls that are wrong, help, and standard output as a file: the same for all verbs.
. "$(dirname "$0")/common.bash"
pendulum >pendulum.yaml
expect 0 "$ACTIO" run -q pendulum.yaml
verbs=$("$ACTIO" help | sed -n 's/^  actio \([a-z]*\) .*/\1/p' | grep -vE '^(help|version)$')
[ "$(echo "$verbs" | wc -w)" -ge 9 ] || fail "actio help lists: $verbs"

# Every verb explains itself in three ways, with the same words.
for verb in $verbs; do
    expect 0 "$ACTIO" help "$verb"
    cp out first
    expect 0 "$ACTIO" "$verb" --help
    cmp -s out first || fail "actio $verb --help differs from actio help $verb"
    expect 0 "$ACTIO" "$verb" -h
    contains first "actio $verb"
done

# A wrong call: exit status 2 and one line; with --json one object, too, and nothing else on standard output.
for verb in $verbs nothing; do
    for words in "$verb --nonsense" "$verb a b c d --width" "$verb --json=1 --"; do
        # shellcheck disable=SC2086
        expect 2 "$ACTIO" $words
        empty out
        [ "$(wc -l <err)" -eq 1 ] || { fail "$words complains in several lines"; cat err; }
    done
    expect 2 "$ACTIO" "$verb" --nonsense --json
    json out 'd["status"] == "bad_input" and d["message"] != ""'
done
expect 2 "$ACTIO" run --json
json out '"actio run FILE" in d["message"]'
expect 2 "$ACTIO" help nothing --json
json out '"nothing" in d["message"]'
# behind -- it is a word
expect 2 "$ACTIO" run a b -- --json
empty out

# Other refusals, each as one object.
refuse() {
    local wanted=$1
    shift
    expect 2 "$ACTIO" "$@" --json
    json out "d['status'] == 'bad_input' and '$wanted' in d['message']"
    contains err "$wanted"
}
: >foreign.h5
for call in 'report never.html' 'export never.csv' 'export never.glb'; do
    refuse 'foreign.h5' "${call% *}" foreign.h5 -o "${call#* }"
    refuse 'nowhere.h5' "${call% *}" nowhere.h5 -o "${call#* }"
done
refuse 'this is not a result file' compare pendulum.h5 foreign.h5
refuse 'this is not a result file' plot foreign.h5 energy/kinetic -o never.svg
refuse 'the ending of' plot pendulum.h5 energy/kinetic -o never.eps
refuse 'nothing' plot pendulum.h5 nothing -o never.svg
refuse 'nothing' compare pendulum.h5 pendulum.h5 nothing
refuse 'nothing' export pendulum.h5 -c nothing -o never.csv
refuse 'no table' export pendulum.h5 -t nothing -o never.csv
refuse 'the format is' export pendulum.h5 -f step -o never.csv
refuse 'whole number' export pendulum.h5 --every 0 -o never.csv
refuse 'takes a number' report pendulum.h5 --from x
refuse 'is later than' report pendulum.h5 --from 2 --to 1
refuse 'there is no example' examples nothing
refuse 'is the problem file' run pendulum.yaml -o pendulum.yaml
refuse 'holds no text' info pendulum.h5 --text nothing
expect 2 "$ACTIO" reproduce nothing --json
json out '"nothing" in d["message"] and d["experiments"] == []'

# What worked, as one object.
expect 0 "$ACTIO" report pendulum.h5 --json
json out 'd == {"status": "done", "output": "pendulum.html"}'
expect 0 "$ACTIO" plot pendulum.h5 energy/kinetic -o energy.svg --json
json out 'd == {"status": "done", "output": "energy.svg"}'
expect 0 "$ACTIO" export pendulum.h5 -o table.csv --json
json out 'd == {"status": "done", "output": "table.csv"}'
expect 0 "$ACTIO" export pendulum.h5 -o motion.glb --json
json out 'd["output"] == "motion.glb"'
expect 0 "$ACTIO" examples --json
json out '"linkages/four-bar" in [e["name"] for e in d["examples"]]'
expect 0 "$ACTIO" examples linkages/four-bar --json
json out 'd["output"].endswith("four-bar.yaml")'

# -o - is standard output: the same bytes as in a file, and nothing else; what cannot go there is refused.
same_output() {
    local file=$1
    shift
    expect 0 "$ACTIO" "$@" -o -
    cmp -s out "$file" || fail "actio $* -o - differs from $file"
    empty err
}
export TMPDIR=$work/temporary
mkdir "$TMPDIR"
same_output pendulum.html report pendulum.h5
same_output energy.svg plot pendulum.h5 energy/kinetic
same_output table.csv export pendulum.h5
same_output motion.glb export pendulum.h5 --format glb
expect 2 "$ACTIO" export pendulum.h5 --format vtk -o -
contains err 'cannot go to standard output'
expect 2 "$ACTIO" run pendulum.yaml -o -
contains err 'cannot go to standard output'
expect 2 "$ACTIO" compare pendulum.h5 pendulum.h5 -o -
contains err 'name a file'
refuse 'name a file' report pendulum.h5 -o -
[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(ls -A "$TMPDIR")"
rmdir "$TMPDIR"
expect 2 "$ACTIO" report pendulum.h5 -o -
contains err 'TMPDIR'
unset TMPDIR
[ ! -e ./- ] || fail "a file called - was made"
[ -z "$(find . -name 'never*')" ] || fail "something was written after a refusal"

# Curves of a text plot have marks of their own, which the legend tells.
expect 0 "$ACTIO" plot pendulum.h5 energy/kinetic energy/potential energy/hamiltonian
for mark in ● ▲ ■; do
    [ "$(grep -o "$mark" out | wc -l)" -ge 4 ] || fail "the mark $mark is not on its curve"
done
contains out '● energy/kinetic'
contains out '■ energy/hamiltonian'
expect 0 "$ACTIO" plot pendulum.h5 energy/kinetic
! grep -q '●' out || fail "one curve needs no mark"

finish
