# A path whose steps stay far below the wanted ones says so: a fine rod that spins about itself while it buckles.
. "$(dirname "$0")/../app/common.bash"

cat >spin.yaml <<'YAML'
title: Rod that spins freely
beams:
  f:
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 0, 1]
    elements: 80
    order: 2
    section: {rectangle: {width: 5 cm, height: 2 mm}}
    material: {young: 200 GPa, poisson: 0.3, density: 7800}
joints:
  - {spherical: [ground, f.start]}
  - {cylindrical: [ground, f.end], axis: [1, 0, 0]}
loads: [{force: [-1, 0, 0], on: f.end}]
equilibrium: {path: {step: 0.02, points: 16, branch: 1}}
YAML
expect 0 "$ACTIO" run --no-output spin.yaml
contains out 'far below the 0.02 m that were wanted'

finish
