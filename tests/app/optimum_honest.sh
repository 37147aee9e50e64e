# What an optimisation says beyond "solved": numbers that mean nothing are not printed, what cannot be trusted is named.
. "$(dirname "$0")/common.bash"

# the work of a motion is compared with its loss where nothing else feeds it
hopper=$("$ACTIO" examples walking/hopper)
expect 0 "$ACTIO" run "$hopper" --no-output
contains out 'work less loss'
expect 0 "$ACTIO" run "$hopper" --no-output -s 'dampers=[{joint: leg, damping: 1}]'
lacks out 'work less loss'
contains out 'impact loss'
expect 0 "$ACTIO" run "$("$ACTIO" examples control/ball-off-the-floor)" --no-output
lacks out 'work less loss'
contains out 'impact loss'

# what a phase holds twice: forces are not unique, and a motion that is not found for it names it
cat >rail.yaml <<'END'
title: block that slides along a rail, held twice
gravity: [0, -9.81]
planar_bodies:
  a: {solid: {box: {size: [0.2, 0.1, 0.1], mass: 1}}, points: {low: [0, -0.05]}, position: [0, 0.05]}
optimize:
  intervals: 10
  duration: 1
  controls: [{force: a, component: x, name: push}]
  quantities:
    x: {of: a, point: low, along: x}
    y: {of: a, point: low, along: y}
    y2: {of: a, point: low, along: [0, 2]}
    turn: {of: a, axis: x, along: y}
  objective: [{effort: 1}]
  phases:
    - name: one
      duration: 0.5
      hold: [y, turn, y2]
    - name: two
      duration: 0.5
      hold: [y, turn]
      conditions:
        - {expression: x, equals: 1, at: end}
  end_velocity: rest
END
expect 0 "$ACTIO" run rail.yaml --no-output --json
contains out "hybrid replay: phase 'one' holds 'y2', which follows from 'y'"
contains out 'the forces of what is held are not unique'
expect 0 "$ACTIO" run rail.yaml --no-output -s 'optimize.phases.0.hold=[y, turn]'
lacks out 'follows from'
sed 's/    foot_y: {of: shin/    foot_d: {of: shin, point: foot, along: [1, 1]}\n&/; s/hold: \[foot_x, foot_y\]/hold: [foot_x, foot_y, foot_d]/' "$hopper" >twice.yaml
expect 1 "$ACTIO" run twice.yaml --no-output -s optimize.max_iterations=40
contains err "phase 'stance' holds 'foot_d', which follows from 'foot_x', 'foot_y'"

# distances that are kept at the nodes and change sides between them: of a condition, of a joint, in a simulation
cat >pass.yaml <<'END'
title: two points kept a metre apart
points:
  a: {mass: 1, position: [0, 0, 0]}
  b: {mass: 1, position: [1, 0, 0]}
optimize:
  intervals: 5
  duration: 1
  controls: [{force: a, component: x, name: fa}, {force: b, component: x, name: fb}]
  quantities:
    d: {distance: [a, b]}
    xa: {of: a, point: centre, along: x}
    xb: {of: b, point: centre, along: x}
  objective: [{effort: 1}]
  conditions:
    - {expression: d, at_least: 0.2}
    - {expression: xa, equals: 1, at: end}
    - {expression: xb, equals: 0, at: end}
  end_velocity: rest
  guess: {positions: {a: [[0, 0,0,0],[0.4, 0.2, 0, 0],[0.6, 0.8, 0, 0],[1, 1, 0, 0]], b: [[0, 1,0,0],[0.4, 0.8, 0, 0],[0.6, 0.2, 0, 0],[1, 0, 0, 0]]}}
END
expect 1 "$ACTIO" run pass.yaml --no-output
contains err "the condition 'd' changes sides within interval 3:"
# beside one another they may: what is bounded keeps its bound on the way
expect 0 "$ACTIO" run pass.yaml --no-output -s 'points.b.position=[1, 0.3, 0]'
cat >rod.yaml <<'END'
title: a point on a rod turns by 120 degrees within an interval
points: {bob: {mass: 1, position: [1, 0, 0]}}
joints: [{distance: [ground, bob], name: rod}]
optimize:
  intervals: 2
  duration: 1
  controls: [{force: bob, component: x, name: fx}, {force: bob, component: y, name: fy}, {force: bob, component: z, name: fz}]
  quantities: {x: {of: bob, point: centre, along: x}, y: {of: bob, point: centre, along: y}}
  objective: [{effort: 1}]
  conditions: [{expression: x, equals: -0.5, at: inside}, {expression: y, at_least: 0.1, at: inside}, {expression: x, equals: -0.5, at: end}, {expression: y, at_least: 0.1, at: end}]
  end_velocity: rest
  guess: {positions: {bob: [[0, 1,0,0],[0.5, -0.5, 0.8, 0], [1, -0.5, 0.8, 0]]}}
END
expect 1 "$ACTIO" run rod.yaml --no-output
contains err "the distance joint 'rod' changes sides within interval 1:"
cat >swing.yaml <<'END'
title: point on a rod
gravity: [0, 0, -9.81]
points: {bob: {mass: 1, position: [1, 0, 0], velocity: [0, 0, 30]}}
joints: [{distance: [ground, bob]}]
simulate: {step: 0.2, duration: 2}
END
expect 1 "$ACTIO" run swing.yaml --no-output -s simulate.scheme=energy-momentum
contains err "joint 'ground-bob' turns by 2.48 rad in one step"
expect 0 "$ACTIO" run swing.yaml --no-output -s simulate.scheme=energy-momentum -s simulate.step=0.02
# nothing to choose: as many equations as unknowns, in a time that goes with their number (before: hours)
cat >square.yaml <<'END'
title: square system
gravity: [0, -9.81]
planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{name: hinge, revolute: [ground, arm], at: {arm: start}, angle: -90 deg}]
optimize:
  intervals: 1000
  duration: 1
  controls: [{joint: hinge, name: u, low: 0.5, high: 0.5}]
  objective: [{effort: 1}]
END
expect 0 timeout 60 "$ACTIO" run square.yaml --no-output -s optimize.intervals=2000
contains out '0.125'
# energies and momenta of nodes are those that a simulation records (before: with the constraint forces of half a step in them)
cat >fall.yaml <<'END'
title: pendulum that falls
gravity: [0, -9.81]
planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{name: hinge, revolute: [ground, arm], at: {arm: start}, angle: 0 deg, angle_rate: 10}]
optimize:
  intervals: 20
  duration: 1
  controls: [{joint: hinge, name: u, low: 0, high: 0}]
  objective: [{effort: 1}]
END
sed '/^optimize/,$d' fall.yaml >fall-simulated.yaml
echo 'simulate: {step: 50 ms, duration: 1, scheme: midpoint}' >>fall-simulated.yaml
for f in fall fall-simulated; do
    expect 0 "$ACTIO" run $f.yaml -o $f.h5
    expect 0 "$ACTIO" export $f.h5 -c energy/hamiltonian,energy/kinetic,momentum/linear -o $f.csv
done
paste -d, fall.csv fall-simulated.csv | awk -F, 'NR > 1 { ++rows; for (i = 1; i <= 6; ++i) { d = $i - $(i + 6); if (d * d > 1e-16) { print $1, $i, $(i + 6); bad = 1 } } }
    END { exit bad || rows != 21 }' || fail "energies of an optimisation and of a simulation differ"

# a motor and a damper that hold one another: the remark of simulations
cat >motor.yaml <<'END'
title: motor
planar_bodies:
  crank: {solid: {rod: {length: 0.1, mass: 1}}}
  rod: {solid: {rod: {length: 0.3, mass: 1}}}
  piston: {mass: 1, inertia: 1e-3}
joints:
  - {name: shaft, revolute: [ground, crank], at: {crank: start}, angle: 0, angle_rate: 20}
  - {name: pin, revolute: [crank, rod], at: {crank: end, rod: start}}
  - {name: wrist, revolute: [rod, piston], at: {rod: end, piston: centre}}
  - {name: bore, prismatic: [ground, piston], at: {ground: [0, 0], piston: centre}, axis: [1, 0], slide: 0.4}
dampers: [{joint: shaft, damping: 1000}]
optimize:
  intervals: 40
  duration: 40 ms
  controls: [{joint: shaft, name: u, low: 20000, high: 20000}]
  objective: [{effort: 1}]
END
expect 0 "$ACTIO" run motor.yaml --json --no-output
json out 'any("have forces in them that act on the joints alone: up to 6 J, with a kinetic energy of the motion of at most 3.86 J" in n["text"] for n in d["notes"])'
finish
