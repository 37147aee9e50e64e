# Files that actio makes beside a result are its own: a link in their place is not followed. The result itself may be a link.
. "$(dirname "$0")/common.bash"

cat >rod.yaml <<'YAML'
gravity: [0, -9.81]
planar_bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{revolute: [ground, rod], at: {rod: start}, name: pin}]
simulate: {step: 1 ms, duration: 500 s, record_every: 100}
YAML
cat >chance.yaml <<'YAML'
parameters: {push: 0.5}
points: {mass: {mass: 1, position: [1, 0], velocity: [=push, 0]}}
certify:
  simulate: {step: 0.02, steps: 10}
  inputs: {push: {from: 0.4, to: 0.6}}
  quantities: {x: {point: centre, of: mass, along: x}}
  measure: x - 1
  take: largest
  at_most: 0.2
  samples: 100
YAML
short="--quiet rod.yaml --set simulate.duration=0.1"

# untouched STATUS NAME COMMAND...: the command, with a link of that name to another file; PROCESS in it is its process
untouched() {
    local wanted=$1 name=$2
    shift 2
    echo precious >victim
    bash -c 'ln -s victim "${0//PROCESS/$$}"; exec "$@"' "$name" "$@" >out 2>err
    local got=$?
    [ $got = "$wanted" ] || fail "$got instead of $wanted: $* with a link $name: $(cat err)"
    [ "$(cat victim)" = precious ] || fail "$* follows the link $name"
    find . -maxdepth 1 -type l -name "${name//PROCESS/*}" -delete
}
untouched 0 a.h5.rows "$ACTIO" run $short -o a.h5
untouched 2 a.h5.rows "$ACTIO" run $short -o a.h5 --resume
contains err 'a.h5.rows: this is a link'
untouched 0 a.h5.part-PROCESS "$ACTIO" run $short -o a.h5
untouched 0 a.csv.part-PROCESS "$ACTIO" export a.h5 -o a.csv
untouched 0 a.html.part-PROCESS "$ACTIO" report a.h5 -o a.html
untouched 0 a.svg.part-PROCESS "$ACTIO" plot a.h5 energy/hamiltonian -o a.svg
untouched 0 b.journal "$ACTIO" run chance.yaml --quiet -o b.h5

# a run that is interrupted
echo precious >victim
ln -s victim c.h5.checkpoint.part
"$ACTIO" run --quiet rod.yaml --set simulate.duration=5000 -o c.h5 2>err &
process=$!
wait_for larger c.h5.rows 200000
kill -INT $process
wait $process
[ -f c.h5.checkpoint ] && [ ! -L c.h5.checkpoint ] || fail "there is no checkpoint"
[ "$(cat victim)" = precious ] || fail "the link c.h5.checkpoint.part is followed"

# a dangling one makes no file elsewhere
ln -s nowhere d.h5.rows
expect 0 "$ACTIO" run $short -o d.h5
[ -e nowhere ] && fail "a file was made where the link points to"

# the result may be a link
mkdir far
ln -s far/e.h5 e.h5
expect 0 "$ACTIO" run $short -o e.h5
[ -L e.h5 ] && [ -f far/e.h5 ] || fail "the link is replaced by the result"
finish
