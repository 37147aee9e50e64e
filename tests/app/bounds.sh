# Bounds that the user may not have thought of are reported, and what is maximised is printed as it is.
. "$(dirname "$0")/common.bash"

slider() { # the end of the section optimize
    cat <<YAML
title: slider
planar_bodies:
  b: {mass: 2, inertia: 1, points: {p: [0, 0.5]}}
joints:
  - {revolute: [ground, b], at: {b: p}, angle: 0, name: s}
optimize:
  intervals: 10
  duration: 1
  quantities: {phi: {joint: s}}
$1
YAML
}

# nothing but the least duration holds it back
slider '  free_duration: true
  controls: [{joint: s, name: u}]
  objective: [{duration: 1}]
  conditions: [{joint: s, equals: 1, at: end}]
  end_velocity: rest' >fast.yaml
expect 0 "$ACTIO" run --no-output fast.yaml
contains out 'the duration is the least that is allowed'
expect 0 "$ACTIO" run --no-output --json fast.yaml
json out 'd["results"]["duration_is_least"] == 1 and abs(d["results"]["duration"] - 0.1) < 1e-6'

# with limits it is not
expect 0 "$ACTIO" run --no-output fast.yaml --set 'optimize.controls=[{joint: s, name: u, limit: 5}]'
grep -q 'the least that is allowed' out && fail 'a duration at its bound is reported where it is not'

# each of several phases has bounds of its own
slider '  free_duration: true
  controls: [{joint: s, name: u}]
  objective: [{effort: 1}]
  phases:
    - {name: go, most_duration: 3, conditions: [{joint: s, equals: 1, at: end}]}
    - {name: back, conditions: [{joint: s, equals: 0, at: end}]}
  end_velocity: rest' >phases.yaml
expect 0 "$ACTIO" run --no-output phases.yaml
contains out "the duration of phase 'go' is the most that is allowed"
contains out "the duration of phase 'back' is the most that is allowed"
expect 0 "$ACTIO" run --no-output phases.yaml --set 'optimize.objective=[{effort: 1}, {duration: 1}]'
grep -q 'that is allowed' out && fail 'a duration of a phase is reported where it is not at its bound'

# bounds in the wrong order are refused where they stand
expect 2 "$ACTIO" run --no-output fast.yaml --set optimize.least_duration=3 --set optimize.most_duration=1
contains err 'least_duration, 3 s, must be below most_duration, 1 s'

# the limit of turns
slider '  turn_limit: 0.2
  controls: [{joint: s, name: u}]
  objective: [{effort: 1}]
  conditions: [{joint: s, equals: 1.7, at: end}]
  end_velocity: rest' >turns.yaml
expect 0 "$ACTIO" run --no-output turns.yaml
contains out 'the limit of turns is reached in'
expect 0 "$ACTIO" run --no-output turns.yaml --set optimize.intervals=40
grep -q 'the limit of turns' out && fail 'a limit of turns is reported where it is not reached'

# turns that the simulator does not make by itself: reported in words, in the object and in the file
slider '  turn_limit: 2
  controls: [{joint: s, name: u}]
  objective: [{effort: 1}]
  conditions: [{joint: s, equals: 4, at: end}]
  end_velocity: rest' >wide.yaml
expect 0 "$ACTIO" run wide.yaml --set optimize.intervals=4
contains out 'the simulator alone does not find this motion'
expect 0 "$ACTIO" info wide.h5
contains out 'the simulator alone does not find this motion'
expect 0 "$ACTIO" run --no-output --json wide.yaml --set optimize.intervals=4
json out '"the simulator alone does not find this motion" in d["remark"]'
expect 0 "$ACTIO" run --no-output --json wide.yaml --set optimize.intervals=20
json out '"remark" not in d'

# what is to be large: the same number on the page of numbers and in the file
slider '  controls: [{joint: s, name: u, limit: 2}]
  objective: [{end: phi, maximise: true}]' >far.yaml
expect 0 "$ACTIO" run --json far.yaml
json out 'd["results"]["objective"] > 0.1'
cp out far.json
expect 0 "$ACTIO" export far.h5 --table iterations -o far.csv
command -v python3 >/dev/null && { python3 - <<'PYTHON' || fail 'the history does not end with the objective'
import csv, json
rows = list(csv.reader(open("far.csv")))
column = [i for i, name in enumerate(rows[0]) if name.startswith("history/objective")][0]
told = json.load(open("far.json"))["results"]["objective"]
assert abs(float(rows[-1][column]) - told) < 1e-6 * told
PYTHON
}
finish
