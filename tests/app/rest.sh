# Equilibria at the command: what is unstable, neutral, without support or not reached is said.
. "$(dirname "$0")/common.bash"

cat >pendulum.yaml <<'YAML'
title: Upright
gravity: [0, -9.81]
planar_bodies:
  rod: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {revolute: [ground, rod], at: {rod: start}, angle: 90 deg}
equilibrium: {}
YAML
expect 0 "$ACTIO" run --no-output pendulum.yaml
contains out 'unstable at the end: the system would leave this state in 1 direction'
expect 0 "$ACTIO" run --no-output --set joints.0.angle="-90 deg" pendulum.yaml
if grep -q unstable out; then fail "a pendulum that hangs down is called unstable"; fi
expect 0 "$ACTIO" check pendulum.yaml
contains out 'Upright: a problem to bring to equilibrium'

sed '/^gravity/d' pendulum.yaml >free.yaml
expect 0 "$ACTIO" run --no-output free.yaml
contains out 'neutral at the end: the system can leave this state in 1 direction without resistance'

cat >beam.yaml <<'YAML'
title: Beam
gravity: [0, 0, -9.81]
beams:
  b:
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    section: {circle: {radius: 1 cm}}
    material: {young: 10 MPa, poisson: 0.5, density: 1100}
equilibrium: {}
YAML
expect 1 "$ACTIO" run --no-output beam.yaml
contains err 'nothing holds the system'

sed 's/^equilibrium.*/joints: [{fixed: [ground, b.start]}]\nequilibrium: {path: {step: 0.02, points: 4, branch: 7}}/' \
    beam.yaml >branch.yaml
expect 1 "$ACTIO" run branch.yaml
contains err 'bifurcation 7 was not reached'
contains out 'results in branch.h5'

sed 's/^equilibrium.*/joints: [{fixed: [ground, b.start]}]\nloads: [{force: [-1, 0, 0.01], on: b.end}]\nequilibrium: {path: {step: 0.1, points: 60}}/
    s/^gravity.*//; s/^    section/    elements: 4\n    section/' beam.yaml >fold.yaml
expect 1 "$ACTIO" run fold.yaml
contains err 'the path ends at load factor'
contains out 'results in fold.h5'
contains out 'largest bend'
contains out 'beyond 45 its elements resist less than the material: use more of them'

# what of a path does not show in its numbers
cat >column.yaml <<'YAML'
title: Column
beams:
  b:
    straight: {from: [0, 0, 0], to: [0, 0, 1]}
    d1: [1, 0, 0]
    elements: 20
    section: {rectangle: {width: 2 cm, height: 1 cm}}
    material: {young: 10 MPa, poisson: 0.5, density: 1100}
joints:
  - {fixed: [ground, b.start]}
loads: [{force: [0, 0, -1], on: b.end}]
equilibrium: {path: {step: 0.05, points: 4}}
YAML
expect 0 "$ACTIO" run --no-output column.yaml
contains out 'bifurcation 8 factor'
contains out 'the first 8 of 24 bifurcations are shown; all are in the results'
lacks out 'unstable at the start'
expect 0 "$ACTIO" run --no-output column.yaml --set equilibrium.path.step=1e-5
lacks out 'are told'
lacks out 'in the mean'
expect 0 "$ACTIO" run --no-output column.yaml \
    --set 'loads=[{force: [0, 0, -0.1], on: b.end, constant: true}, {force: [0, 0.01, 0], on: b.end}]'
contains out 'unstable at the start: the system would leave it in 1 direction'

finish
