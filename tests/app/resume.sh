# actio run --resume: a run that is killed goes on from its last checkpoint and ends with the same rows.
. "$(dirname "$0")/common.bash"

cp "$ACTIO_SOURCE/examples/linkages/four-bar.yaml" bars.yaml
run="$ACTIO run --quiet bars.yaml --set simulate.step=0.0005 --set simulate.duration=150 --set simulate.record_every=50"

expect 0 $run -o whole.h5
$run -o parts.h5 &
process=$!
kept_or_ended() { [ -e parts.h5.checkpoint ] || ends $process; }
wait_for kept_or_ended
kill -9 $process 2>/dev/null
wait $process 2>/dev/null
if [ -e parts.h5.checkpoint ]; then
    [ -e parts.h5 ] && fail "the killed run left a result"
    expect 0 $run -o parts.h5 --resume --json
    json out 'any("resumed after step" in n["text"] for n in d["notes"]) and d["status"] == "solved"'
    expect 0 "$ACTIO" export whole.h5 -o whole.csv
    expect 0 "$ACTIO" export parts.h5 -o parts.csv
    cmp -s whole.csv parts.csv || fail "the rows differ"
    expect 0 "$ACTIO" export whole.h5 --table intervals -o whole.csv
    expect 0 "$ACTIO" export parts.h5 --table intervals -o parts.csv
    cmp -s whole.csv parts.csv || fail "the intervals differ"
    only_files bars.yaml parts.csv parts.h5 whole.csv whole.h5 # nothing unreadable is left
else
    echo "the run ended before its first checkpoint: not compared"
fi

# contacts that are closed, and the events so far, are part of a checkpoint
cat >door.yaml <<'YAML'
gravity: [0, -9.81]
planar_bodies:
  upper: {solid: {rod: {length: 1, mass: 1}}}
  lower: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {revolute: [ground, upper], at: {upper: start}, angle: 30 deg, name: hip}
  - {revolute: [upper, lower], at: {upper: end, lower: start}, angle: 60 deg, name: knee}
contacts:
  - {joint: knee, lower: 0}
  - {joint: knee, upper: 2}
  - {joint: hip, upper: 1}
simulate: {step: 1 ms, duration: 400 s, record_every: 100}
YAML
expect 0 "$ACTIO" run --quiet door.yaml -o whole.h5
"$ACTIO" run --quiet door.yaml -o parts.h5 &
process=$!
begun_or_ended() { larger parts.h5.rows 0 || ends $process; }
wait_for begun_or_ended
kill -INT $process 2>/dev/null
wait $process 2>/dev/null
if [ -e parts.h5.checkpoint ]; then
    expect 0 "$ACTIO" run door.yaml -o parts.h5 --resume --json
    json out 'any("resumed after step" in n["text"] for n in d["notes"]) and d["status"] == "solved"'
    for table in nodes events; do
        expect 0 "$ACTIO" export whole.h5 --table $table -o whole.csv
        expect 0 "$ACTIO" export parts.h5 --table $table -o parts.csv
        cmp -s whole.csv parts.csv || fail "with contacts the $table differ"
    done
    for number in contact_events impact_loss; do
        "$ACTIO" info whole.h5 | grep "$(echo $number | tr _ ' ')" >whole.txt
        "$ACTIO" info parts.h5 | grep "$(echo $number | tr _ ' ')" >parts.txt
        [ -s whole.txt ] && cmp -s whole.txt parts.txt || fail "with contacts $number differs"
    done
else
    echo "the run with contacts ended before it was interrupted: not compared"
fi

# phases: the motion of all of them, with velocities, lengths and free parameters, is the guess of the run that goes on
cp "$ACTIO_SOURCE/examples/walking/spring-hip.yaml" hip.yaml
gait="$ACTIO run hip.yaml --set optimize.intervals=120 --json"
expect 0 $gait -o whole.h5
cp out whole.json
for signal in INT KILL; do
    $gait --quiet -o parts.h5 >first.json 2>&1 &
    process=$!
    wait_for kept_or_ended
    kill -$signal $process 2>/dev/null
    wait $process 2>/dev/null
    if [ -e parts.h5.checkpoint ]; then
        expect 0 $gait -o parts.h5 --resume
        json out 'd["status"] == "solved" and any("motion of the checkpoint" in n["text"] for n in d["notes"])'
        cp out parts.json
        python3 - <<'PYTHON' || fail "after $signal the gait that is resumed is another one"
import json
a, b = (json.load(open(f))["results"] for f in ("whole.json", "parts.json"))
for name in ("objective", "parameter_stiffness", "parameter_L1", "duration"):
    assert abs(a[name] - b[name]) <= 1e-5 * abs(a[name]), (name, a[name], b[name])
PYTHON
    else
        echo "the gait ended before it was stopped: not compared"
    fi
done

# without a checkpoint it starts at the beginning
expect 0 "$ACTIO" run bars.yaml --set simulate.duration=0.1 -o fresh.h5 --resume
contains out 'there is no checkpoint'

# an earlier solution is not replaced by a run that fails
expect 0 "$ACTIO" run --quiet bars.yaml --set simulate.duration=0.1 -o kept.h5
before=$(cksum <kept.h5)
expect 1 "$ACTIO" run bars.yaml --set simulate.max_iterations=1 --set simulate.step=0.2 --set simulate.duration=40 -o kept.h5
contains err 'what was reached is in kept.unsolved.h5'
contains out 'kept.h5 holds an earlier solution'
[ "$(cksum <kept.h5)" = "$before" ] || fail "the solution was replaced"
expect 0 "$ACTIO" info kept.unsolved.h5
finish
