# The page of actio report in headless Chromium.
# Not instrumented: the page is the same, and tests/app/report.sh runs its writer.
. "$(dirname "$0")/../app/common.bash"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -z "$chromium" ] || ! command -v node >/dev/null; then
    echo "skipped: needs node and chromium"
    exit 77
fi
export CHROMIUM=$chromium

cat >hostile.yaml <<'YAML'
title: '</title></script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'
description: '<!-- <script> --><b>bold</b>'
gravity: [0, 0, -9.81]
bodies:
  arm: {solid: {rod: {length: 1, mass: 1}}}
  block: {solid: {box: {size: [0.3, 0.2, 0.1], mass: 1}}}
points:
  bob: {mass: 1, position: [2, 0, 0]}
joints:
  - {revolute: [ground, arm], at: {arm: start}, axis: [0, 1, 0], name: hinge}
  - {revolute: [arm, block], at: {arm: end, block: x-}, axis: [0, 1, 0], angle: 0.3, name: elbow}
  - {distance: [ground, bob], at: {ground: [2, 0, 1]}, name: rod}
springs:
  - {between: [block, bob], stiffness: 10, name: spring}
simulate: {step: 2 ms, duration: 3 s}
YAML
cat >plane.yaml <<'YAML'
title: Double pendulum in the plane
gravity: [0, -9.81]
planar_bodies:
  upper: {solid: {rod: {length: 1, mass: 1}}}
  lower: {mass: 1, inertia: 0.1, points: {top: [0, 0.5], foot: [0.2, -0.5]}}
joints:
  - {revolute: [ground, upper], at: {upper: start}, angle: -30 deg}
  - {revolute: [upper, lower], at: {upper: end, lower: top}, angle: 60 deg}
simulate: {step: 1 ms, duration: 9 s}
YAML
cat >beams.yaml <<'YAML'
title: An I-beam and a tube
gravity: [0, 0, -9.81]
beams:
  girder:
    section: {i_section: {width: 0.12, height: 0.2, web: 0.02, flange: 0.03}}
    material: {density: 1000, young: 2e8, poisson: 0.3}
    straight: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 8
  pipe:
    section: {tube: {radius: 0.08, inner_radius: 0.06}}
    material: {density: 1000, young: 2e8, poisson: 0.3}
    straight: {from: [0, 0.6, 0], to: [2, 0.6, 0]}
    elements: 8
joints:
  - {fixed: [ground, girder.start], at: [0, 0, 0], name: wall}
  - {fixed: [ground, pipe.start], at: [0, 0.6, 0], name: other wall}
loads:
  - {force: [30, 20, -200], on: girder.end, name: tip}
  - {torque: [40, 0, 0], on: pipe.end, name: twist}
simulate: {step: 5 ms, duration: 1 s, reactions: true}
YAML
cat >control.yaml <<'YAML'
title: Swing-up
gravity: [0, -9.81]
planar_bodies:
  bob: {solid: {rod: {length: 1, mass: 1}}}
joints:
  - {revolute: [ground, bob], at: {bob: start}, angle: -90 deg, name: hinge}
optimize:
  intervals: 20
  duration: 2 s
  controls: [{joint: hinge, name: motor}]
  objective: [{effort: 1}]
  conditions: [{joint: hinge, equals: 90 deg, at: end}]
  end_velocity: rest
YAML
cat >rest.yaml <<'YAML'
title: A clamped rod at rest
beams:
  rod:
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    elements: 20
    section: {circle: {radius: 1 cm}}
    stiffness: {shear: [1e6, 1e6], axial: 1e6, bending: [1000, 1000], torsion: 1000}
    inertia: {mass: 1, rotary: [1e-4, 1e-4]}
joints:
  - {fixed: [ground, rod.start]}
loads:
  - {force: [0, 0, -2], on: rod.end}
equilibrium: {}
YAML
cat >remark.yaml <<'YAML'
title: A step that does not resolve the vibrations
beams:
  bar:
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 1, 0]
    section: {rectangle: {width: 2 cm, height: 1 cm}}
    material: {young: 210 GPa, poisson: 0.3, density: 7850}
joints:
  - {fixed: [ground, bar.start]}
loads:
  - {force: [0, 1, 1], on: bar.end}
simulate: {step: 10 ms, duration: 4 s, scheme: midpoint}
YAML
cat >bounce.yaml <<'YAML'
title: A ball that bounces
gravity: [0, 0, -9.81]
bodies:
  ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 1]}
contacts:
  - {body: ball, restitution: 0.5, name: floor}
simulate: {step: 2 ms, duration: 2 s}
YAML
for name in hostile plane beams control rest remark bounce; do
    expect 0 "$ACTIO" run --quiet $name.yaml
    expect 0 "$ACTIO" report $name.h5
    contains out "page in $name.html"
done
expect 0 "$ACTIO" run --quiet "$ACTIO_SOURCE/examples/rods/hinged-frame.yaml" -o path.h5
expect 0 "$ACTIO" report path.h5
cat >chance.yaml <<'YAML'
title: A mass on a spring
parameters: {stiffness: 40, push: 0.5}
points: {mass: {mass: 1, position: [1, 0], velocity: [=push, 0]}}
springs: [{between: [ground, mass], stiffness: =stiffness, length: 1}]
certify:
  simulate: {step: 0.02, steps: 40}
  inputs: {stiffness: {relative: 0.1}, push: {from: 0.4, to: 0.6}}
  quantities: {x: {point: centre, of: mass, along: x}}
  measure: x - 1
  take: largest
  at_most: 0.2
  samples: 200
  trajectories: 5
YAML
cp "$ACTIO_SOURCE/examples/design/strawman.yaml" study.yaml
cp "$ACTIO_SOURCE/examples/walking/compass-gait.yaml" gait.yaml
for name in chance study gait; do
    expect 0 "$ACTIO" run --quiet $name.yaml
    expect 0 "$ACTIO" report $name.h5
done
status=0
export ARROWS='bounce.html:contact hostile.html:spring beams.html:load,reaction control.html:actuator remark.html:load'
node "$ACTIO_SOURCE/tests/viewer/page.mjs" hostile.html plane.html beams.html control.html rest.html path.html remark.html chance.html study.html bounce.html gait.html >browser.log 2>&1 || status=$?
cat browser.log
[ $status -eq 0 ] || fail "the page in the browser"

finish
