# actio run and check: exit status, JSON, what is written and what is not.
. "$(dirname "$0")/common.bash"

pendulum >pendulum.yaml

# a run leaves one file and a table
expect 0 "$ACTIO" run pendulum.yaml
contains out 'Pendulum "test": solved'
contains out 'results in pendulum.h5'
contains out 'steps'
empty err
only_files pendulum.h5 pendulum.yaml

# --json: one object and nothing else
expect 0 "$ACTIO" run pendulum.yaml -o named.h5 --json
empty err
json out 'd["task"] == "simulate" and d["status"] == "solved" and d["output"] == "named.h5"'
json out 'd["results"]["steps"] == 100 and abs(d["results"]["time"] - 1) < 1e-12 and "message" not in d'
only_files named.h5 pendulum.h5 pendulum.yaml
rm named.h5 pendulum.h5

# --quiet, --no-output
expect 0 "$ACTIO" run --quiet --no-output pendulum.yaml
empty out
empty err
expect 0 "$ACTIO" run --no-output --json pendulum.yaml
json out 'd["output"] is None and d["status"] == "solved"'
only_files pendulum.yaml

# overrides
expect 0 "$ACTIO" run --no-output --json --set simulate.step=0.1 -s simulate.duration=2 pendulum.yaml
json out 'd["results"]["steps"] == 20'
expect 2 "$ACTIO" run --no-output --set simulate.stepp=0.1 pendulum.yaml
contains err 'stepp'
# a parameter can be replaced, not added: a slip would run the unchanged problem
{ echo 'parameters: {start: 1}'; pendulum | sed 's/position: .1, 0./position: [=start, 0]/'; } >given.yaml
expect 0 "$ACTIO" run --no-output --json --set parameters.start=2 given.yaml
expect 2 "$ACTIO" run --no-output --set parameters.strat=2 given.yaml
contains err "'strat' is not in the file; did you mean 'start'?"
expect 2 "$ACTIO" run --no-output --set parameters.start=2 pendulum.yaml
rm given.yaml

# bad input: exit status 2, the place, nothing written; with --json still one object
sed 's/mass: 1/mass: -1/' pendulum.yaml >bad.yaml
expect 2 "$ACTIO" run bad.yaml
contains err 'bad.yaml:4:'
empty out
expect 2 "$ACTIO" run --json bad.yaml
json out 'd["status"] == "not_solved" and d["output"] is None and d["message"].startswith("bad.yaml:4:")'
expect 2 "$ACTIO" run nowhere.yaml
expect 2 "$ACTIO" run
expect 2 "$ACTIO" run pendulum.yaml --unknown
expect 2 "$ACTIO" run pendulum.yaml --output
expect 2 "$ACTIO" frobnicate
expect 2 "$ACTIO" check bad.yaml
expect 2 "$ACTIO" check --json bad.yaml
json out 'd["message"].startswith("bad.yaml:4:")'
rm bad.yaml
expect 2 "$ACTIO" run pendulum.yaml -o ./pendulum.yaml
contains err 'is the problem file'
only_files pendulum.yaml

# a place that cannot be written: exit status 1, nothing left behind
expect 1 "$ACTIO" run pendulum.yaml -o nowhere/out.h5
contains err 'nowhere/out.h5: the result could not be written'
mkdir folder.h5
expect 1 "$ACTIO" run pendulum.yaml -o folder.h5
rmdir folder.h5
(ulimit -f 8; trap '' XFSZ; expect 1 "$ACTIO" run pendulum.yaml -o full.h5; [ "$failures" -eq 0 ]) || fail "full disk"
only_files pendulum.yaml

# a run that fails keeps what was reached
expect 1 "$ACTIO" run pendulum.yaml --json --set simulate.max_iterations=1 --set simulate.tolerance=1e-300
json out 'd["status"] == "not_solved" and d["output"] == "pendulum.h5" and d["message"] != ""'
contains err 'not solved'
contains err 'what was reached is in pendulum.h5'
expect 0 "$ACTIO" info pendulum.h5
contains out 'not_solved'
rm pendulum.h5

# ctrl-C: the same
"$ACTIO" run pendulum.yaml --json --set simulate.step=1e-5 --set simulate.duration=10000 \
    --set simulate.record_every=1000 >out 2>err &
process=$!
wait_for larger pendulum.h5.rows 0 # its first steps
kill -INT $process 2>/dev/null
wait $process
status=$?
[ "$status" -eq 1 ] || fail "exit status $status after ctrl-C"
json out 'd["status"] == "not_solved" and "interrupted" in d["message"] and d["results"]["steps"] > 0'
expect 0 "$ACTIO" info pendulum.h5
contains out 'interrupted'
only_files pendulum.h5 pendulum.yaml

# check
expect 0 "$ACTIO" check pendulum.yaml
contains out 'the file is valid'
expect 0 "$ACTIO" check --json pendulum.yaml
json out 'd["results"]["coordinates"] == 2 and d["results"]["constraints"] == 1 and d["results"]["freedoms"] == 1'

# weights multiply; check and run agree on what is refused late
cat >swing.yaml <<'END'
title: swing
planar_bodies: {rod: {mass: 1, inertia: 0.1, points: {pivot: [0, 1]}}}
joints: [{revolute: [ground, rod], at: {ground: [0, 0], rod: pivot}, angle: 0, name: hinge}]
optimize:
  intervals: 6
  duration: 1
  controls: [{joint: hinge, name: u, limit: 30}]
  quantities:
    p: {momentum: rod, along: x}
    turning: {angular_momentum: system, along: z}
  conditions: [{at: end, joint: hinge, equals: 0.4}, {at: end, expression: p, at_least: 0.1}]
  objective: [{effort: 1}, {duration: 1}, {work: 1}]
END
expect 0 "$ACTIO" check swing.yaml
contains out 'the file is valid'
expect 0 "$ACTIO" run swing.yaml --json -o one.h5
cp out first
sed 's/effort: 1/effort: 0.5, weight: 2/; s/duration: 1}/duration: 4, weight: 0.25}/; s/work: 1/work: 0.25, weight: 4/' swing.yaml >twice.yaml
expect 0 "$ACTIO" run twice.yaml --json -o two.h5
json out 'abs(d["results"]["objective"] - json.load(open("first"))["results"]["objective"]) < 1e-9'
expect 0 "$ACTIO" info one.h5
grep -q 'quantity/p  *kg m/s' out || fail "unit of a momentum"
grep -q 'quantity/turning  *kg m^2/s' out || fail "unit of an angular momentum"
grep -q 'control/u  *N m' out || fail "unit of a control"
for verb in check run; do
    expect 2 "$ACTIO" $verb swing.yaml --set optimize.formulation=minimal --set optimize.periodic=true
    contains err 'periodicity needs the formulation'
    if grep -q 'is valid$' out || grep -q derivative err; then fail "$verb says more than it knows"; fi
done
expect 2 "$ACTIO" check --json swing.yaml --set optimize.formulation=minimal --set optimize.periodic=true
json out 'd["status"] == "not_valid" and "periodicity" in d["message"]'
sed 's/{work: 1}/{end: log(p - 9)}/' swing.yaml >log.yaml
for verb in check run; do
    expect 1 "$ACTIO" $verb log.yaml
    contains err 'the expression "log(p - 9)" is not a number at node 6'
    if grep -q nan out err; then fail "$verb prints what is not a number"; fi
done

finish
