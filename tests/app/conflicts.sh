# Conditions that depend on each other or contradict each other: names, exit status, and what is written.
. "$(dirname "$0")/common.bash"

slider() { # the end of the section optimize
    cat <<YAML
title: slider
parameters: {goal: 1}
planar_bodies:
  b: {mass: 2, inertia: 1}
joints:
  - {prismatic: [ground, b], at: {b: [0, 0]}, axis: [1, 0], name: s}
optimize:
  intervals: 20
  duration: 1
  quantities: {x: {joint: s}}
  objective: [{effort: 1}]
$1
YAML
}

# redundant conditions: named by check, no matter for run
slider '  controls: [{joint: s, name: u}]
  conditions:
    - {expression: x, equals: 1, at: end, name: e1}
    - {expression: 2*x, equals: 2, at: end, name: e2}' >twice.yaml
expect 0 "$ACTIO" check twice.yaml
contains out '1 of the conditions depends on the others at the guess:'
contains out "  condition 'e"
expect 0 "$ACTIO" check --json twice.yaml
json out 'd["results"]["dependent_conditions"] == 1 and d["dependent"][0].startswith("condition ")'
expect 0 "$ACTIO" run --no-output --json twice.yaml
json out 'abs(d["results"]["objective"] - 6.00375235) < 1e-7'

# contradictory conditions: both are named, the point reached is there
sed 's/equals: 2/equals: 4/' twice.yaml >contrary.yaml
expect 1 "$ACTIO" run contrary.yaml
contains err "condition 'e1' at the end"
contains err "condition 'e2' at the end"
contains err 'what was reached is in contrary.h5'
expect 0 "$ACTIO" info contrary.h5
contains out 'table nodes: 21 rows'

# a contradiction that is seen before the solve: exit status 1, nothing is written and nothing is promised
cat >spin.yaml <<'YAML'
title: spin
bodies:
  a: {solid: {box: {size: [0.3, 0.4, 0.5], mass: 2}}, angular_velocity: [0, 0, 1]}
  b: {solid: {box: {size: [0.2, 0.3, 0.6], mass: 1}}}
joints:
  - {revolute: [a, b], at: {a: [0, 0, 0], b: [0, 0, 0]}, axis: [0, 0, 1], name: j}
optimize:
  intervals: 20
  duration: 1
  controls: [{joint: j, name: u}]
  objective: [{effort: 1}]
  end_velocity: rest
YAML
expect 1 "$ACTIO" run spin.yaml
contains err "nothing acts from outside on 'a'"
contains err 'at the end is given as rest'
! grep -q 'what was reached' err || fail 'a result is promised'
[ ! -e spin.h5 ] || fail 'a result without anything in it'
expect 1 "$ACTIO" check spin.yaml
contains err "nothing acts from outside on 'a'"
! grep -q 'derivative differs' err || fail 'a wrong diagnosis'

# a continuation that ends on the way: said, and the last solution is in the file
slider '  controls: [{joint: s, name: u, limit: 2}]
  conditions: [{expression: x, equals: =goal, at: end, name: e}]
  end_velocity: rest
  continuation: {parameter: goal, values: [0.1, 0.2, 0.9]}' >way.yaml
expect 1 "$ACTIO" run way.yaml
contains err 'for goal = 0.9, on the way: '
contains err 'what is kept is the solution for goal = 0.2'
expect 0 "$ACTIO" export way.h5 -c quantity/x -o way.csv
awk -F, 'END { if ($2 < 0.1999 || $2 > 0.2001) { print "it ends at", $2; exit 1 } }' way.csv ||
    fail 'another motion is in the file'
# the first step fails already
expect 1 "$ACTIO" run --set optimize.continuation.values=[0.9] way.yaml
contains err 'for goal = 0.9, on the way: '
contains err 'what is kept is the point reached for goal = 0.9'
expect 0 "$ACTIO" info way.h5
contains out 'table nodes: 21 rows'

# check names a control that cannot act at the start: a slider crank in one line, pushed at its slider
cat >dead.yaml <<'END'
planar_bodies:
  crank: {solid: {rod: {length: 0.2, mass: 1}}}
  rod: {solid: {rod: {length: 0.6, mass: 1}}}
  piston: {mass: 2, inertia: 0.01}
joints:
  - {name: shaft, revolute: [ground, crank], at: {crank: start}, angle: 0}
  - {name: pin, revolute: [crank, rod], at: {crank: end, rod: start}}
  - {name: wrist, revolute: [rod, piston], at: {rod: end, piston: centre}}
  - {name: bore, prismatic: [ground, piston], at: {ground: [0, 0], piston: centre}, axis: [1, 0]}
optimize:
  intervals: 10
  duration: 1
  controls: [{joint: bore, name: push}]
  objective: [{effort: 1}]
  conditions: [{joint: shaft, equals: 90 deg, at: end}]
END
expect 0 "$ACTIO" check dead.yaml
contains out "the start is a dead point: no motion from there changes the coordinate of joint 'bore', so control 'push' has no leverage"
expect 0 "$ACTIO" check dead.yaml --json
json out '"bore" in d["dead_point"]'
expect 0 "$ACTIO" check dead.yaml --set 'joints.0.angle=0.1' --json
json out '"dead_point" not in d'
finish
