# A page of 100 000 steps and 20 bodies: thinned, says so, and is ready in the browser in less than 3 s.
. "$(dirname "$0")/../app/common.bash"
cat >chain.yaml <<'YAML'
title: Chain of twenty links
gravity: [0, 0, -9.81]
bodies:
  link: {repeat: 20, solid: {box: {size: [0.9, 0.12, 0.12], density: 500}}, points: {left: [-0.5, 0, 0], right: [0.5, 0, 0]}}
joints:
  - {revolute: [ground, link(1)], at: {link(1): left}, axis: [0, 1, 0], name: first}
  - {revolute: [link(i), link(i+1)], at: {link(i): right, link(i+1): left}, axis: [0, 1, 0], repeat: 19}
simulate: {step: 1 ms, steps: 100000}
YAML
expect 0 "$ACTIO" run --quiet chain.yaml
expect 0 "$ACTIO" report chain.h5
rm -f chain.h5
size=$(stat -c %s chain.html)
[ "$size" -lt 20000000 ] || fail "the page has $size bytes"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -n "$chromium" ] && command -v node >/dev/null; then
    status=0
    CHROMIUM=$chromium LOAD_LIMIT=3 node "$ACTIO_SOURCE/tests/viewer/page.mjs" chain.html >browser.log 2>&1 || status=$?
    cat browser.log
    [ $status -eq 0 ] || fail "the page in the browser"
fi

finish
