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
finish
