# What the end-to-end tests of the command share: a folder of their own, and checks that go on after a failure.
set -u
: "${ACTIO:?the command}" "${ACTIO_SOURCE:?the source folder}"
export ACTIO_DATA="$ACTIO_SOURCE"
command -v python3 >/dev/null || { echo "skipped: needs python3"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs the command, keeps its output in the files out and err, compares its exit status.
expect() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>err </dev/null || status=$?
    if [ "$status" -ne "$wanted" ]; then
        fail "exit status $status instead of $wanted: $*"
        sed 's/^/    /' out err
    fi
}

# wait_for COMMAND...: waits until the command succeeds, at most five minutes: how long it takes belongs to the machine.
wait_for() {
    local end=$((SECONDS + 300))
    until "$@"; do
        [ $SECONDS -lt $end ] || { fail "did not come: $*"; return 1; }
        sleep 0.05
    done
}

# larger FILE BYTES: the file is there, with more bytes than that.
larger() {
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ]
}

# ends PROCESS: the process has ended.
ends() {
    ! kill -0 "$1" 2>/dev/null
}

# contains FILE TEXT: the file has the text.
contains() {
    grep -qF -- "$2" "$1" || { fail "$1 has no \"$2\":"; sed 's/^/    /' "$1"; }
}

# lacks FILE TEXT: the file does not have the text.
lacks() {
    if grep -qF -- "$2" "$1"; then fail "$1 has \"$2\":"; sed 's/^/    /' "$1"; fi
}

empty() {
    [ ! -s "$1" ] || { fail "$1 is not empty:"; sed 's/^/    /' "$1"; }
}

# json FILE EXPRESSION: the file is one JSON object d for which the Python expression is true.
json() {
    python3 - "$1" "$2" <<'PYTHON' || { fail "$1: not $2"; sed 's/^/    /' "$1"; }
import json, sys
def no_constant(name):
    raise ValueError(name)
d = json.load(open(sys.argv[1]), parse_constant=no_constant)
sys.exit(0 if isinstance(d, dict) and eval(sys.argv[2]) else 1)
PYTHON
}

# draws FILE EXPRESSION: the Python expression is true for the list t of the texts in a plot, which is a PDF file of cairo; in SVG
# files letters are outlines.
draws() {
    PYTHONPATH=$ACTIO_SOURCE/tests/app python3 -B - "$1" "$2" <<'PYTHON' || fail "$1: not $2"
import sys
from drawn import texts
t = texts(sys.argv[1])
if not eval(sys.argv[2]):
    sys.exit("drawn: %s" % t)
PYTHON
}

# Only the named files are in the folder (besides out and err).
only_files() {
    local seen
    seen=$(find . -type f ! -name out ! -name err -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')
    [ "$seen" = "$*${*:+ }" ] || fail "the folder has: $seen"
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
    echo "all passed"
}

pendulum() {
    cat <<'YAML'
title: Pendulum "test"
gravity: [0, -9.81]
points:
  bob: {mass: 1, position: [1, 0]}
joints:
  - {distance: [ground, bob], name: rod}
simulate: {step: 0.01, duration: 1}
YAML
}
