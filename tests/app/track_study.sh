# The task track: a study of weights, suggested weights, the gradient, and what is refused.
. "$(dirname "$0")/common.bash"

cat >hand.yaml <<'END'
title: A ball follows a hand
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [0, 0, 1]}
track:
  step: 1 ms
  duration: 0.5 s
  targets:
    - {on: ball, position: [=0.3*sin(2*t), 0, 1], course: held, every: 20 ms}
  study: {rho0: [1e-5, 1e-6, 1e-7], velocity_weight: [0, 1e-4]}
END
expect 0 "$ACTIO" run hand.yaml --json -o hand.h5
json out 'd["results"]["study_rho0"] in (1e-5, 1e-6, 1e-7) and d["results"]["study_least_error_rms"] > 0'
json out 'abs(d["results"]["suggested_frequency"] - 0.1*2*3.141592653589793/0.02) < 1e-9'
expect 0 "$ACTIO" export hand.h5 --table study -o study.csv
[ "$(wc -l <study.csv)" = 7 ] || fail "not one row for each of six combinations: $(cat study.csv)"
# the row with the settings of the run has the error of the run
expect 0 "$ACTIO" run hand.yaml --set track.rho0=1e-6 --json -o one.h5
python3 - study.csv "$(cat out)" <<'END' || fail "the study and the run differ"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
run = json.loads(sys.argv[2])["results"]
def value(row, name):
    return float(next(v for k, v in row.items() if k.split(" ")[0].split("[")[0] == name))
found = [r for r in rows if value(r, "rho0") == 1e-6 and value(r, "velocity_weight") == 0]
assert len(found) == 1 and abs(value(found[0], "error_max") / run["error_max"] - 1) < 1e-12
END

refuse() { # SETTING MESSAGE
    expect 2 "$ACTIO" run hand.yaml --set "$1" --no-output
    contains err "$2"
}
refuse 'track.study={rho0: [1e-5, -1]}' 'must be positive'
refuse 'track.study={joint_stabilisation: [2]}' 'a share between 0 and 1'
refuse 'track.study={}' 'a study needs values'
refuse 'track.gradient={force: [1, 2]}' 'a list of 3 is needed'
refuse 'track.gradient={steps: 3}' 'must be even'

# bodies that wait outside do not move and weigh nothing until they are put in; then their joints hold
cp "$ACTIO_SOURCE/examples/track/growing-chain.yaml" chain.yaml
expect 0 "$ACTIO" run chain.yaml --json -o chain.h5
json out 'd["results"]["residual_constraints_max"] < 0.2'
expect 0 "$ACTIO" export chain.h5 -o chain.csv
python3 - chain.csv <<'END' || fail "a body that waits outside does something"
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
names = [n.split(" ")[0].split("[")[0] for n in rows[0]]
column = lambda name: [float(r[names.index(name)]) for r in rows[1:]]
four, time, joints = column("body/four/position.z"), column("time"), column("residual/constraints")
assert all(z == four[0] for z, t in zip(four, time) if t <= 0.4)
assert any(abs(z - four[0]) > 1e-3 for z in four)
assert joints[-1] < 1e-3
END
refuse2() { expect 2 "$ACTIO" run chain.yaml --set "$1" --no-output; contains err "$2"; }
refuse2 'track.reserve=[five]' "five"
refuse2 'track.reserve=[ground]' 'the ground cannot wait outside'
# orientations in the gradient: by torques, against differences; components that a body does not have are refused
cat >turned.yaml <<'YAML'
title: A rod on a ball joint, led by a force and two torques
bodies:
  rod: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0, 0]}
  end: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.6, 0, 0]}
joints:
  - {spherical: [ground, rod], at: {ground: [0, 0, 0]}}
  - {revolute: [rod, end], at: {rod: [0.1, 0, 0]}, axis: [0, 1, 0]}
track:
  step: 1 ms
  duration: 0.2 s
  rho0: 1e-2
  targets:
    - {on: end, components: [x, rx, rz], position: [0.5, 0, 0], rotation: [=0.5*t, 0, 0.4]}
  gradient:
    force: [=1.5*sin(7*t), 0.2 N m, 0]
    direction: [=cos(3*t), =sin(t), 1]
    steps: 200
YAML
expect 0 "$ACTIO" run turned.yaml --json
json out 'abs(d["results"]["gradient_along_direction"] / d["results"]["gradient_by_differences"] - 1) < 1e-6 and d["results"]["gradient_hidden_constraint"] < 1e-10'
json out 'd["results"]["topological_index_max"] == 1 and d["results"]["loops"] == 0 and any("open system; topological index: rod 0, end 1" in n["text"] for n in d["notes"])'
expect 0 "$ACTIO" info turned.h5
contains out 'gradient/torque'
cat >plane.yaml <<'YAML'
title: No such component
points: {bob: {mass: 1, position: [0, 0]}}
track:
  step: 1 ms
  duration: 0.1 s
  targets: [{on: bob, components: [x, z], position: [0.5, 0]}]
  gradient: {force: [1, 1]}
YAML
expect 2 "$ACTIO" run plane.yaml
contains err 'bob has no z'
finish
