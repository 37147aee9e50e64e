# The result of a problem with free parameters is seen with the parameters found, not with those of the file.
. "$(dirname "$0")/common.bash"

expect 0 "$ACTIO" run "$("$ACTIO" examples control/balanced-arm)" -o arm.h5
# the torque acts where the arm is held, whatever its length has become
expect 0 "$ACTIO" export arm.h5 -c actuator/torque/place -o place.csv
awk -F, 'NR > 1 && ($2 ^ 2 + $3 ^ 2 > 1e-20) { print "the torque acts at", $2, $3; exit 1 }' place.csv
# both motions are there, and they are one
expect 0 "$ACTIO" info arm.h5
contains out 'table resimulated: 61 rows'
# times of the nodes go on to the end
expect 0 "$ACTIO" export arm.h5 -c energy/kinetic -o times.csv
awk -F, 'NR > 2 && $1 <= before { print "time", $1, "after", before; exit 1 } { before = $1 }' times.csv
# a limit along the motion that is at its bound where an equation holds: the multiplier of the equation is the one without the
# limit, and that of the limit is none; a limit that contradicts the equation is found
cat >limit.yaml <<'END'
title: pendulum raised to the horizontal
gravity: [0, -9.81]
planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{name: hinge, revolute: [ground, arm], at: {arm: start}, angle: -90 deg}]
optimize:
  intervals: 20
  duration: 1
  controls: [{joint: hinge, name: u}]
  objective: [{effort: 1}]
  conditions:
    - {joint: hinge, equals: 0, at: end}
    - {joint: hinge, at_most: 0}
  end_velocity: rest
END
expect 0 "$ACTIO" run limit.yaml --no-output --json -s 'optimize.conditions=[{joint: hinge, equals: 0, at: end}]'
cp out without
expect 0 "$ACTIO" run limit.yaml --no-output --json
cat without >>out
python3 - <<'END' || fail "multipliers of an equation and a limit at the end"
import json
limit, without = [json.loads(line)["results"] for line in open("out") if line.strip()]
assert abs(limit["multiplier of hinge"] - without["multiplier of hinge"]) < 1e-6, (limit, without)
assert abs(limit["multiplier of hinge (2)"]) < 1e-6, limit
END
for bound in -0.01 -0.5; do
    expect 1 "$ACTIO" run limit.yaml --no-output -s "optimize.conditions=[{joint: hinge, equals: 0, at: end}, {joint: hinge, at_most: $bound}]"
    contains err 'the conditions may contradict each other'
done

# a mechanism at its dead point does not move, however its slider is pushed: the message names the control; beside it, and with
# the control at the crank, it is solved
cat >dead.yaml <<'END'
title: slider crank from its dead point
planar_bodies:
  crank: {solid: {rod: {length: 0.1, mass: 1}}}
  rod: {solid: {rod: {length: 0.3, mass: 1}}}
  piston: {mass: 1, inertia: 1e-3}
joints:
  - {name: shaft, revolute: [ground, crank], at: {crank: start}}
  - {name: pin, revolute: [crank, rod], at: {crank: end, rod: start}}
  - {name: wrist, revolute: [rod, piston], at: {rod: end, piston: centre}}
  - {name: bore, prismatic: [ground, piston], at: {ground: [0,0], piston: centre}, axis: [1,0], slide: 0.4}
optimize:
  intervals: 20
  max_iterations: 40
  duration: 1
  controls: [{joint: bore, name: u}]
  objective: [{effort: 1}]
  conditions: [{joint: shaft, equals: 1, at: end}]
  end_velocity: rest
END
expect 1 "$ACTIO" run dead.yaml --no-output
contains err "the start is a dead point: no motion from there changes the coordinate of joint 'bore', so control 'u' has no leverage"
expect 0 "$ACTIO" run dead.yaml --no-output -s 'optimize.controls=[{joint: shaft, name: u}]'
sed 's/crank: start}}/crank: start}, angle: 0.2}/; s/, slide: 0.4//' dead.yaml >beside.yaml
expect 0 "$ACTIO" run beside.yaml --no-output
# a mass at the end of a spring of length zero, where the direction of the spring is not defined: x'' = 1 - 4 x + u from rest to
# x(2) = 0 costs c^2 / (2 s) with c = (1 - cos 4) / 4, s = (1 - sin(8) / 8) / 4; order 2 is extrapolated
cat >zero.yaml <<'END'
title: zero
gravity: [1, 0, 0]
points: {bob: {mass: 1, position: [0, 0, 0]}}
springs: [{between: [ground, bob], at: {ground: [0, 0, 0]}, stiffness: 4, length: 0}]
optimize:
  intervals: 40
  duration: 2 s
  controls: [{force: bob, component: x, name: fx}, {force: bob, component: y, name: fy}, {force: bob, component: z, name: fz}]
  objective: [{effort: 1}]
  conditions: [{point: centre, of: bob, place: [0, 0, 0], at: end}]
END
expect 0 "$ACTIO" run zero.yaml --no-output --json
cp out coarse
expect 0 "$ACTIO" run zero.yaml --no-output --json -s optimize.intervals=80
cat out >>coarse
python3 - <<'END' || fail "the effort against a spring of length zero"
import json, math
a, b = [json.loads(line)["results"]["objective"] for line in open("coarse") if line.strip()]
c = (1 - math.cos(4)) / 4
assert abs((4 * b - a) / 3 - 0.5 * c * c / (0.25 * (1 - math.sin(8) / 8))) < 2e-6, (a, b)
END
finish
