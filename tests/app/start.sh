# The start of a motion: what is given holds, what is not given follows, and what assembly changed is said.
. "$(dirname "$0")/common.bash"

# only one of velocity and angular velocity: the other follows from the joint
cat >pendulum.yaml <<'EOF'
title: Pendulum that is given its angular velocity
planar_bodies:
  bob: {mass: 1, inertia: 0.1, position: [0, -1], angular_velocity: 2, points: {pivot: [0, 1]}}
joints:
  - {name: hinge, revolute: [ground, bob], at: {bob: pivot}}
simulate: {step: 1 ms, steps: 10}
EOF
expect 0 "$ACTIO" run --json pendulum.yaml
json out 'abs(d["results"]["energy_hamiltonian_max"] - 2.2) < 1e-9 and d["assembly"]["velocity_change"] < 1e-12'
sed 's/angular_velocity: 2/velocity: [2, 0]/' pendulum.yaml >velocity.yaml
expect 0 "$ACTIO" run --json velocity.yaml
json out 'abs(d["results"]["energy_hamiltonian_max"] - 2.2) < 1e-9'
# the velocity is that of the origin, and the spin follows: 1 m from the pivot, centre of mass at 0.5 m
sed 's/mass: 1,/mass: 1, centre: [0, 0.5],/; s/angular_velocity: 2/velocity: [2, 0]/' pendulum.yaml >origin.yaml
expect 0 "$ACTIO" run --json origin.yaml
json out 'abs(d["results"]["energy_hamiltonian_max"] - 0.5 * 4 * (0.1 + 0.25)) < 1e-9'

# given coordinates are exact: a contradiction is an error with both values, a hint is not
cat >fourbar.yaml <<'EOF'
title: Four-bar with two given angles
gravity: [0, -9.81]
planar_bodies:
  crank:   {solid: {rod: {length: 1, mass: 1}}}
  coupler: {solid: {rod: {length: 3, mass: 3}}}
  rocker:  {solid: {rod: {length: 2.5, mass: 2.5}}}
joints:
  - {name: motor, revolute: [ground, crank],   at: {ground: [0, 0], crank: start}, angle: 0.3}
  - {name: pivot, revolute: [ground, rocker],  at: {ground: [3, 0], rocker: start}, angle: 1.6}
  - {name: elbow, revolute: [crank, coupler],  at: {crank: end, coupler: start}}
  - {name: wrist, revolute: [coupler, rocker], at: {coupler: end, rocker: end}}
simulate: {step: 1 ms, steps: 10}
EOF
expect 2 "$ACTIO" run fourbar.yaml
contains err "joint 'motor' is given angle 0.3, with the others it is angle 0.2223"
contains err "joint 'pivot' is given angle 1.6, with the others it is angle 1.5747"
sed 's/angle: 1.6}/angle: 1.6, hint: true}/' fourbar.yaml >hint.yaml
expect 0 "$ACTIO" run --json hint.yaml
json out 'abs(d["assembly"]["coordinate_change"]) > 0.02 and any("hint" in c for c in d["assembly"]["changes"])'
expect 0 "$ACTIO" export hint.h5 -c joint/motor/angle
sed -n 2p out | grep -Eq ',0\.(3|29999999999999)' || fail "the crank starts at $(sed -n 2p out)"
sed 's/coupler: start}}/coupler: start}, hint: true}/' hint.yaml >nothing.yaml
expect 2 "$ACTIO" check nothing.yaml
contains err 'hint: true needs an initial coordinate'
expect 0 "$ACTIO" report hint.h5 -o hint.html
grep -q 'assembly changed the given coordinate' hint.html || fail 'the page says nothing about the assembly'

# all bars in one line: the motion from there is not unique; an angle beside it: it is
cat >line.yaml <<'EOF'
title: Parallelogram in one line
planar_bodies:
  a: {solid: {rod: {length: 1, mass: 1}}}
  b: {solid: {rod: {length: 2, mass: 1}}}
  c: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {name: first, revolute: [ground, a], at: {ground: [0, 0], a: start}, angle: 0, angle_rate: 1}
  - {revolute: [a, b], at: {a: end, b: start}}
  - {revolute: [ground, c], at: {ground: [2, 0], c: start}}
  - {revolute: [b, c], at: {b: end, c: end}}
simulate: {step: 1 ms, steps: 2}
EOF
expect 0 "$ACTIO" check line.yaml
contains out 'the motion from here is not unique'
sed 's/angle: 0,/angle: 0.5,/' line.yaml >beside.yaml
expect 0 "$ACTIO" check --json beside.yaml
json out 'd["assembly"]["extra_motions"] == 0 and d["assembly"]["alone"] is False'
# bars of 1, 2 and 1 m over 4 m close there alone: nothing moves, and the note says why no step is found
cat >stretched.yaml <<'EOF'
title: Stretched out
gravity: [0, -9.81]
planar_bodies:
  a: {solid: {rod: {length: 1, mass: 1}}}
  b: {solid: {rod: {length: 2, mass: 1}}}
  c: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {revolute: [ground, a], at: {a: start}}
  - {revolute: [a, b], at: {a: end, b: start}}
  - {revolute: [b, c], at: {b: end, c: start}}
  - {revolute: [ground, c], at: {ground: [4, 0], c: end}}
simulate: {step: 1 ms, steps: 2}
EOF
expect 0 "$ACTIO" check --json stretched.yaml
json out 'd["assembly"]["alone"] is True'
expect 1 "$ACTIO" run stretched.yaml
contains out 'bars that are stretched out cannot move'

# a thin rod between two ball joints spins freely, without inertia: the spin is held and named, and the motion is the one
# of a cylinder, whose spin does not show either
cat >rods.yaml <<'EOF'
title: Thin rods in a loop
gravity: [0, 0, -9.81]
bodies:
  crank: {solid: {rod: {length: 0.2, mass: 1}}}
  coupler: {solid: {rod: {length: 0.75, mass: 1}}}
  rocker: {solid: {rod: {length: 0.4, mass: 1}}}
joints:
  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 0, 1], angle: 60 deg, angle_rate: 3}
  - {revolute: [ground, rocker], at: {ground: [0.5, 0.2, 0], rocker: start}, axis: [0, 1, 0]}
  - {spherical: [crank, coupler], at: {crank: end, coupler: start}}
  - {spherical: [coupler, rocker], at: {coupler: end, rocker: end}}
simulate: {step: 1 ms, steps: 300}
EOF
for how in reduced null-space multipliers; do
    expect 0 "$ACTIO" run --json rods.yaml -o "$how.h5" --set "simulate.formulation=$how"
    json out 'd["assembly"]["held_spins"] == 1 and any("coupler" in c for c in d["assembly"]["changes"])'
    expect 0 "$ACTIO" export "$how.h5" -c body/rocker/position -o "$how.csv"
done
expect 0 "$ACTIO" run -q rods.yaml -o energy.h5 --set simulate.scheme=energy-momentum
expect 0 "$ACTIO" run -q rods.yaml -o round.h5 --set 'bodies.coupler.solid={cylinder: {length: 0.75, radius: 1e-3, along: x, mass: 1}}'
expect 0 "$ACTIO" export round.h5 -c body/rocker/position -o round.csv
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail 'the formulations differ, or the cylinder does'
def last(name):
    return [float(x) for x in open(name).read().split()[-1].split(',')]
a = last('reduced.csv')
for other, most in (('null-space.csv', 1e-8), ('multipliers.csv', 1e-8), ('round.csv', 1e-5)):
    assert max(abs(x - y) for x, y in zip(a, last(other))) < most, (other, a, last(other))
PYTHON
fi
expect 0 "$ACTIO" check rods.yaml
contains out "body 'coupler' is free to spin about its own axis"

# points without constraints have no reactions
cat >points.yaml <<'EOF'
title: A free point
points: {p: {mass: 1, position: [1, 0]}}
simulate: {step: 1 ms, steps: 2, scheme: energy-momentum}
EOF
expect 0 "$ACTIO" run -q points.yaml

# a step that does not resolve the motion is remarked, with the step that would; a wrong cause is not named
cat >spin.yaml <<'EOF'
title: A fast spin
bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular_velocity: [0, 0, 930]}}
simulate: {step: 1 ms, steps: 100}
EOF
expect 0 "$ACTIO" run --json --no-output spin.yaml
json out '"steps for a turn" in d["remark"] and "0.0002" in d["remark"]'
expect 0 "$ACTIO" run --json --no-output spin.yaml --set simulate.step=0.0002
json out '"remark" not in d'
cat >damper.yaml <<'EOF'
title: A huge damper
gravity: [0, 0, -9.81]
bodies: {a: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: 0, angle_rate: 1, name: h}]
dampers: [{joint: h, damping: 1e15}]
simulate: {step: 1 ms, steps: 1000}
EOF
expect 0 "$ACTIO" run --json --no-output damper.yaml
json out '"damper" in d["remark"] and "vibrations" not in d["remark"]'
expect 2 "$ACTIO" check damper.yaml --set simulate.tolerance=1e300
contains err 'tolerance must be at most'

# a body that is drawn far away, whose square overflows: how far it was moved is still a number
sed 's/crank:   {/crank:   {position: [1e300, 0], /' hint.yaml >away.yaml
expect 0 "$ACTIO" check --json away.yaml
json out 'd["assembly"]["moved"] > 9e299'

# axes of a planar loop in space that differ by 1e-8 hold it, but only by their last digits; bars that hold each other say so
cat >axes.yaml <<'EOF'
title: four bar with an axis off by 1e-8
bodies:
  a: {solid: {rod: {length: 1, mass: 1}}}
  b: {solid: {rod: {length: 2, mass: 1}}}
  c: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {revolute: [ground, a], at: {a: start}, axis: [0,0,1], angle: 0.5}
  - {revolute: [a, b], at: {a: end, b: start}, axis: [0,0,1]}
  - {revolute: [b, c], at: {b: end, c: end}, axis: [0, 1e-8, 1]}
  - {revolute: [ground, c], at: {ground: [2,0,0], c: start}, axis: [0,0,1]}
simulate: {step: 1 ms, steps: 5}
EOF
expect 2 "$ACTIO" check axes.yaml
contains err 'only because axes or lengths of a loop that must agree differ in their last digits'
sed 's/, 1e-8, 1/, 0, 1/' axes.yaml >parallel.yaml
expect 0 "$ACTIO" check parallel.yaml
cat >truss.yaml <<'EOF'
title: truss
planar_bodies: {a: {solid: {rod: {length: 1, mass: 1}}}, b: {solid: {rod: {length: 1, mass: 1}}}}
joints:
  - {revolute: [ground, a], at: {a: start}}
  - {revolute: [a, b], at: {a: end, b: end}}
  - {revolute: [ground, b], at: {ground: [1, 0], b: start}}
simulate: {step: 1 ms, steps: 5}
EOF
expect 2 "$ACTIO" check truss.yaml
contains err 'the supports hold the whole system'

# commas end values inside { } and [ ]: an expression that has some needs quotes, and the message says so where it stands
for text in 'position: [=max(1, 2), 0]' 'position: [1, 0], velocity: [0, =min(1, 2)]'; do
    printf 'title: c\npoints: {m: {mass: 1, %s}}\nsimulate: {step: 1 ms, steps: 2}\n' "$text" >comma.yaml
    expect 2 "$ACTIO" check comma.yaml
    contains err 'put an expression with commas into quotes'
    contains err 'comma.yaml:2:'
done
finish
