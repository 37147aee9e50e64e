# The page of actio report in headless Chromium.
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
  lower: {mass: 1, inertia: 0.1, points: {top: [0, 0.5]}}
joints:
  - {revolute: [ground, upper], at: {upper: start}, angle: -30 deg}
  - {revolute: [upper, lower], at: {upper: end, lower: top}, angle: 60 deg}
simulate: {step: 1 ms, duration: 9 s}
YAML
for name in hostile plane; do
    expect 0 "$ACTIO" run --quiet $name.yaml
    expect 0 "$ACTIO" report $name.h5
    contains out "page in $name.html"
done
status=0
node "$ACTIO_SOURCE/tests/viewer/page.mjs" hostile.html plane.html >browser.log 2>&1 || status=$?
cat browser.log
[ $status -eq 0 ] || fail "the page in the browser"

finish
