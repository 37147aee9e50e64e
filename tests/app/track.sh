# The task track: joints hold whatever the target does; what cannot hold is not solved; targets out of reach are named.
. "$(dirname "$0")/common.bash"

cat >bob.yaml <<'EOF'
title: A pendulum whose target is out of reach
gravity: [0, 0, -9.81]
bodies:
  bob: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [0, 0, -1]}
joints:
  - {spherical: [ground, bob], name: pivot, at: {ground: [0, 0, 0], bob: [0, 0, 1]}}
track:
  step: 1 ms
  duration: 0.5 s
  targets:
    - {on: bob, name: hand, position: [3, 0, 0]}
EOF
for method in discrete exact servo l2 h1-neumann; do
    expect 0 "$ACTIO" run bob.yaml --set track.method=$method --json -o bob.h5
    # the pivot holds to 1e-4 of the typical length, 1 m; the nearest place is 2 m away
    json out 'd["results"]["residual_constraints_max"] <= 1.0001e-4 and d["results"]["steps_apart"] == 0'
    json out 'abs(d["results"]["error_nearest"] - 2) < 0.02'
    json out 'any("target '"'hand'"' was not reached: it was never nearer than " in n["text"] for n in d["notes"])'
done
expect 0 "$ACTIO" run bob.yaml --set track.joint_tolerance=1e-8 --json -o bob.h5
json out 'd["results"]["residual_constraints_max"] <= 1.0001e-8'
expect 2 "$ACTIO" run bob.yaml --set track.joint_tolerance=2
contains err 'joint_tolerance is a share of the typical length, at most 1'

# closed loops hold as well
sed 's/^simulate.*/track: {step: 1 ms, duration: 0.2 s, targets: [{on: rocker, position: [9, 0, 5], components: [x, z]}]}/' \
    "$ACTIO_SOURCE/examples/linkages/four-bar.yaml" >loop.yaml
expect 0 "$ACTIO" run loop.yaml --json -o loop.h5
json out 'd["results"]["loops"] == 1 and d["results"]["residual_constraints_max"] < 2e-4 and d["results"]["error_nearest"] > 8'

# a joint that is opened, and closed when its body is a kilometre away, is not closed at once
cat >away.yaml <<'EOF'
title: A joint closed from far away
bodies:
  bob: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [0, 0, -1], velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}
joints:
  - {spherical: [ground, bob], name: pivot, at: {ground: [0, 0, 0], bob: [0, 0, 1]}}
track:
  step: 1 ms
  steps: 60
  move_limit: 1 km
  events:
    - [0, joint, 0, 0]
    - [0, push, 0, 0, 0, 0, 1e9, 0, 0]
    - [20, joint, 0, 1]
EOF
expect 1 "$ACTIO" run away.yaml --json -o away.h5
json out 'd["status"] == "not_solved" and d["results"]["steps_apart"] > 0'
json out 'd["message"].startswith("joint '"'pivot'"' could not be closed: it is open by ") and "joint_tolerance permits 0.0001" in d["message"]'

# perpendicular rows hold after half a turn, too: joints that are opened, and closed after the body (and what it carries)
# has turned by 171 degrees, come back to the state that was described
cat >weld.yaml <<'EOF'
title: Joints closed after half a turn
bodies:
  base: {mass: 1000, inertia: [400, 400, 400], position: [0, 0, 0]}
  bob: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [0, 0, 0]}
  tail: {mass: 1e-6, inertia: [1e-6, 1e-6, 1e-6], position: [0.5, 0, 0]}
joints:
  - {prismatic: [ground, base], name: rail, at: {base: origin}, axis: [1, 0, 0]}
  - {fixed: [base, bob], name: weld, at: {base: origin, bob: origin}}
  - {revolute: [bob, tail], name: pin, at: {bob: [0.5, 0, 0], tail: origin}, axis: [0, 1, 0]}
track:
  step: 1 ms
  steps: 140
  turn_limit: 3
  events:
    - [0, joint, 1, 0]
    - [1, push, 1, 0.4, 0, 0, 0, 39269.9, 0]
    - [1, push, 1, -0.4, 0, 0, 0, -39269.9, 0]
    - [120, joint, 1, 1]
EOF
for joint in fixed revolute; do
    sed "s/fixed: \[base, bob\]/$joint: [base, bob]/; s/name: weld,/name: weld, axis: [1, 0, 0],/" weld.yaml >turned.yaml
    [ "$joint" = revolute ] || cp weld.yaml turned.yaml
    expect 0 "$ACTIO" run turned.yaml --json -o turned.h5
    json out 'd["results"]["steps_apart"] == 0 and d["results"]["residual_constraints_max"] < 1e-4'
    expect 0 "$ACTIO" export turned.h5 --channels 'body/*/rotation.xx' -o turned.csv
    awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k ~ /bob/) c = k }
        NR == 100 { away = $c } { last = $c }
        END { exit !(c && away < 0.9 && last > 0.999) }' turned.csv || fail "the $joint joint is closed turned over"
    expect 0 "$ACTIO" export turned.h5 --channels 'body/tail/position.x' -o tail.csv
    awk -F, '{ last = $NF } END { exit !(last > 0.499) }' tail.csv || fail "the tail does not follow at the $joint joint"
done

finish
