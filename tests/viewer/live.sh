# The live page in headless Chromium: load, drag, see the body follow, record, replay.
# Not instrumented: the page is the same, and tests/app/live.sh runs the server.
. "$(dirname "$0")/../app/common.bash"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -z "$chromium" ] || ! command -v node >/dev/null; then
    echo "skipped: needs node and chromium"
    exit 77
fi
export CHROMIUM=$chromium
if "$ACTIO" live --seconds 0.1 "$ACTIO_SOURCE/examples/track/arm.yaml" 2>&1 | grep -q 'without libmicrohttpd'; then
    echo "skipped: needs libmicrohttpd"
    exit 77
fi
"$ACTIO" live "$ACTIO_SOURCE/examples/track/arm.yaml" --folder "$work" --seconds 3000 >address 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
wait_for test -s address
node "$ACTIO_SOURCE/tests/viewer/live.mjs" "$(head -n 1 address)" "$work" || fail "the page"
kill $server 2>/dev/null
wait $server 2>/dev/null
replays() { # NAME: the run of a recording ends in the state that its first line names
    expect 0 "$ACTIO" run "$1.yaml" -o "$1.h5" --json
    local wanted=$(sed -n '1s/.*final state \([0-9a-f]*\).*/\1/p' "$1.yaml") state
    state=$("$ACTIO" info "$1.h5" --json | python3 -c '
import json, sys
numbers = json.load(sys.stdin)["results"]
print("%08x%08x" % (int(numbers["checksum_high"]), int(numbers["checksum_low"])))')
    [ "$state" = "$wanted" ] || fail "the replay of $1 ends in $state, not in $wanted"
}
replays dragged

# a simulation: parameters and forces on sliders, a link is pulled
rm address
"$ACTIO" live "$ACTIO_SOURCE/examples/pendulum/on-a-rope.yaml" --folder "$work" --seconds 3000 >address 2>&1 &
server=$!
wait_for test -s address
node "$ACTIO_SOURCE/tests/viewer/live_simulation.mjs" "$(head -n 1 address)" "$work" || fail "the page of a simulation"
kill $server 2>/dev/null
wait $server 2>/dev/null
replays pulled

# beams are drawn where they are; bodies that a parameter shapes are drawn anew
cat >drawn.yaml <<'YAML'
parameters: {length: 0.5}
gravity: [0, 0, -9.81]
bodies: {rod: {solid: {rod: {length: =length, mass: 1}}}}
beams:
  girder:
    section: {i_section: {width: 0.12, height: 0.2, web: 0.02, flange: 0.03}}
    material: {density: 1000, young: 2e6, poisson: 0.3}
    straight: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 6
joints:
  - {fixed: [ground, girder.start], at: [0, 0, 0], name: wall}
  - {revolute: [ground, rod], at: {ground: [0, 1, 0], rod: start}, axis: [0, 1, 0], name: pin}
simulate: {step: 5 ms, duration: 1 s}
YAML
rm address
"$ACTIO" live drawn.yaml --folder "$work" --seconds 3000 >address 2>&1 &
server=$!
wait_for test -s address
node "$ACTIO_SOURCE/tests/viewer/live_drawn.mjs" "$(head -n 1 address)" || fail "the page of a beam"
kill $server 2>/dev/null
wait $server 2>/dev/null

finish
