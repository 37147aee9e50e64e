# actio live: who is served, what is refused, many clients, slow readers, floods; recorded sessions replay to the same bits.
. "$(dirname "$0")/common.bash"
command -v curl >/dev/null || { echo "skipped: needs curl"; exit 77; }
example=$ACTIO_SOURCE/examples/track/arm.yaml
if "$ACTIO" live --seconds 0.1 "$example" 2>&1 | grep -q 'without libmicrohttpd'; then
    echo "skipped: needs libmicrohttpd"
    exit 77
fi

# refused before anything is served
expect 2 "$ACTIO" live
expect 2 "$ACTIO" live nothing.yaml
expect 2 "$ACTIO" live "$example" --port 80
expect 2 "$ACTIO" live "$example" --seconds never
expect 2 "$ACTIO" live "$ACTIO_SOURCE/examples/rods/clamped.yaml"
contains err 'track or simulate'
expect 2 "$ACTIO" live "$example" --folder nowhere
contains err 'nowhere: sessions cannot be recorded there'
expect 2 "$ACTIO" live "$example" --folder "$ACTIO"

begin() { # FILE OPTIONS...
    rm -f address # of the server before
    "$ACTIO" live "$@" --folder "$work" --seconds 3000 --json >address 2>err &
    server=$!
    trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
    wait_for test -s address
    url=$(python3 -c 'import json; print(json.load(open("address"))["address"])')
    host=${url#http://}; host=${host%%/*}
}
end() {
    kill $server
    wait $server || fail "the server ended with $?"
}
# status URL OPTIONS...: the HTTP status of a request
status() { curl -s -m 300 -o body -w '%{http_code}' "$@"; }
answers() { # WANTED WORDS... : a request is answered so
    local wanted=$1 got
    shift
    got=$(status "$@")
    [ "$got" = "$wanted" ] || fail "$got instead of $wanted: $*: $(head -c 200 body)"
}
does() { # WANTED COMMANDS
    printf "client tester\n$2" >message
    answers "$1" --data-binary @message "${url}do"
}
state() { curl -s -m 300 -N "${url}stream" 2>/dev/null | sed -n '1{s/^data: //p;q}'; }
value() { state | python3 -c "import json, sys; print(json.loads(sys.stdin.readline())$1)"; }
# what a command did shows in the stream a moment after its answer: these wait for it
becomes() { # PATH TEST...: a number or word of the state, as "$(value PATH)" TEST...
    local path=$1
    shift
    wait_for is "$path" "$@" || fail "$path is $(value "$path"), not $*"
}
is() { [ "$(value "$1")" "${@:2}" ] 2>/dev/null; }
stands() { becomes '["step"]' = "$1"; } # STEP: the model has taken so many steps

begin "$example" --paused
answers 200 "$url"
grep -q '<script>' body || fail "the page has no script"
answers 200 "${url}scene"
json body 'len(d["nodes"]) == 4'

# the token, the host, the origin, the path, the method
answers 404 "http://$host/"
answers 404 "http://$host/0123456789abcdef0123456789abcdef/"
answers 404 "${url}nothing"
answers 404 --path-as-is "${url}../../../../etc/passwd"
answers 404 --path-as-is "${url}%2e%2e/scene"
answers 403 -H 'Host: evil.example' "$url"
answers 403 -H 'Origin: http://evil.example' "${url}scene"
answers 403 -H 'Origin: null' --data-binary 'client a' "${url}do"
answers 200 -H "Origin: http://$host" "${url}scene"
answers 405 -X DELETE "$url"
answers 405 -X PUT --data-binary x "${url}scene"

# malformed messages
for bad in '' 'run' 'client' 'client ../x\nrun' 'client a b\nrun'; do
    printf "$bad" >message
    answers 400 --data-binary @message "${url}do"
done
does 400 'fly away'
does 400 'grab 0 0 0 0 1 1'
does 400 'grab 99 0 0 0 1 1 1'
does 400 'grab 0.5 0 0 0 1 1 1'
does 400 'grab 0 0 0 0 nan 1 1'
does 400 'move inf 0 0'
does 400 'move 1e999 0 0'
does 400 'grab 0 0 0 0 1e308 1 1'
does 400 'grab 0 1e308 0 0 1 1 1'
does 400 'move 0 -1e9 0'
does 400 'turn 1e308 0 0'
does 400 'settings 1 -1 1e-13 1 0 0 0 0 0.2 0.2'
contains body 'weights are positive'
does 400 'settings 1 1e-7 1e-13 1 0 0 0 0 2 0.2'
does 400 'step -1'
does 400 'step 1e9'
does 400 'joint 17 1'
does 400 'node 0 2'
does 400 'settings 1 2 3'
does 400 'record ../../escape'
does 400 'record a/b'
does 400 'run now'
printf 'client a\nru\0n' >message
answers 400 --data-binary @message "${url}do"
head -c 100000 /dev/zero | tr '\0' 'x' >message
answers 413 --data-binary @message "${url}do"
becomes '["counts"]["refused"]' -ge 25

# one writer at a time; one that is silent for seconds loses this right, so that a slow machine may need several trials
keeps_others_out() {
    does 200 'take\npause'
    printf 'client other\npause\n' >message
    [ "$(status --data-binary @message "${url}do")" = 409 ]
}
wait_for keeps_others_out
takes_it() {
    printf 'client other\ntake\npause\n' >message
    answers 200 --data-binary @message "${url}do"
    printf 'client tester\npause\n' >message
    [ "$(status --data-binary @message "${url}do")" = 409 ]
}
wait_for takes_it
does 200 'take'

# a session by single steps, recorded and replayed
does 200 'reset\nstep 200'
stands 200
does 200 'grab 1 0.01 0 0.2 0.5 0.1 0.8\nstep 300'
stands 500
does 200 'move 0.4 0.3 0.9\nsettings 1 1e-7 1e-13 1 0 0 0 0 0.2 0.2\njoint 3 0\nstep 300'
stands 800
does 200 'release\njoint 3 1\nnode 3 0\nstep 100'
stands 900
does 200 'record first'
does 409 'record first'
wanted=$(value '["checksum"]')
expect 0 "$ACTIO" run first.yaml -o first.h5
expect 0 "$ACTIO" info first.h5 --json
json out "'%08x%08x' % (d['results']['checksum_high'], d['results']['checksum_low']) == '$wanted' and d['results']['steps'] == 900"

# targets: of the problem let go and followed again; taken, turned, pinned and dropped; limits; replayed
does 200 'reset\nlimits 50 5 0\nfollow 0 0\nstep 50'
replays() { # NAME STEPS: the recording ends in the state that the page shows
    does 200 "record $1"
    local wanted=$(value '["checksum"]')
    expect 0 "$ACTIO" run "$1.yaml" -o "$1.h5"
    expect 0 "$ACTIO" info "$1.h5" --json
    json out "'%08x%08x' % (d['results']['checksum_high'], d['results']['checksum_low']) == '$wanted' and d['results']['steps'] == $2"
}
stands 50
becomes '["targets"][0]["followed"]' = False
does 200 'hold 3\nturn 0 0 0.5\nstep 100'
stands 150
does 200 'pin\ngrab 1 0 0 0.2 0.5 0.1 0.8\nstep 100'
stands 250
becomes '["targets"].__len__()' = 3 # a pin and a grip are listed
does 200 'unpin 1\nfollow 0 1\nstep 100'
stands 350
[ "$(value '["force"]')" != 0 ] || fail "no force"
python3 -c 'import sys; sys.exit(not float(sys.argv[1]) <= 400.001)' "$(value '["force"]')" || fail "the limit of a force"
does 200 'release\nstep 50'
stands 400
replays targets 400
does 400 'follow 1 1'
does 400 'unpin 0'
does 400 'unpin 99'
does 400 'limits -1 0 0'
does 400 'turn 1 2'
does 400 'hold 99'
does 400 'place leader 0 0 1'
contains body 'no live course'
does 400 'place nobody 0 0 1'
does 400 'place leader 0 0'
does 200 'hold 0\npin\nhold 1\npin\nhold 2\npin\nhold 3\npin\ngrab 0 0 0 0 0 0 1\npin\nhold 1\npin\nhold 2\npin\nhold 3\npin'
does 409 'hold 0'
contains body 'too many targets'

# many clients, slow ones, a flood of commands: all bounded, and the model goes on
does 200 'reset\nrun'
python3 - "$url" <<'PYTHON' || fail "many clients"
import http.client, socket, sys, threading, time
from urllib.parse import urlparse
url = urlparse(sys.argv[1])
def connect(timeout=300):
    return http.client.HTTPConnection(url.hostname, url.port, timeout=timeout)
# slow readers: ask for the stream and never read it
slow = []
for _ in range(20):
    s = socket.create_connection((url.hostname, url.port), timeout=300)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.sendall(f"GET {url.path}stream HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
    slow.append(s)
# clients that never finish their request
half = [socket.create_connection((url.hostname, url.port), timeout=300) for _ in range(10)]
for s in half: s.sendall(b"GET / HTTP/1.1\r\nHost: ")
good = []
def read():
    c = connect()
    c.request("GET", url.path + "stream")
    r = c.getresponse()
    got = r.status == 200 and sum(r.fp.readline().startswith(b"data: {") for _ in range(20))
    good.append(bool(got))
    c.close()
threads = [threading.Thread(target=read) for _ in range(80)]
for t in threads: t.start()
# a flood on one connection while they read
c, kinds = connect(), {}
for k in range(2000):
    c.request("POST", url.path + "do", body=f"client flood{k % 3}\ntake\nmove 1 {k} 1\nnonsense" if k % 5 == 0 else "client tester\nmove 0 0 0")
    r = c.getresponse(); r.read()
    kinds[r.status] = kinds.get(r.status, 0) + 1
for t in threads: t.join(300)
print("answers", kinds, "readers", sum(good), "of", len(threads))
assert sum(good) == len(threads), good
assert kinds.get(400, 0) == 400, kinds
for s in slow + half: s.close()
PYTHON
becomes '["step"]' -gt "$(value '["step"]')" # the model goes on after the flood
end

# a live course: samples by a pipe and by commands; bad ones are counted; replayed
cat >tracker.yaml <<'YAML'
title: A body that follows a tracker
gravity: [0, 0, -9.81]
bodies:
  tool: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, 1]}
track:
  step: 1 ms
  duration: 1 s
  targets:
    - {name: hand, on: tool, course: live, components: [x, y, z, rx, ry, rz]}
YAML
expect 0 "$ACTIO" run tracker.yaml -o alone.h5
sed 's/course: live/course: live, position: [0, 0, 1]/' tracker.yaml >wrong.yaml
expect 2 "$ACTIO" check wrong.yaml
contains err 'comes from outside'
mkfifo signal
begin tracker.yaml --paused --samples signal
exec 3>signal
echo 'hand 0.1 0 1 0 0 0.3' >&3
steps=0
comes() { # one more step, and the line has come
    does 200 'step 1'
    stands $((steps += 1))
    is '["targets"].__len__()' = 1
}
wait_for comes
printf 'hand nan 0 1\nnobody 1 2 3\nhand 1 2\nhand 1 2 3 4 5 6 7\n\n# a remark\nhand x y z\n' >&3
head -c 5000 /dev/zero | tr '\0' 'x' >&3
printf '\nhand 0.2 0.1 1.1 0 0 0.4\n' >&3
becomes '["counts"]["refused"]' -ge 5
follows() { # one more step, and the last line has come
    does 200 'step 1'
    stands $((steps += 1))
    is '["targets"][0]["at"][2]' = 1.1
}
wait_for follows
does 200 "step 200"
stands $((steps + 200))
does 200 'place hand 0.2 0.1 1.2 0 0 0.5\nstep 1200'
stands $((steps + 1400))
python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < 1e-2)' "$(value '["error"]')" || fail "the body does not follow: $(value '["error"]')"
replays tracked $((steps + 1400))
exec 3>&-
end
expect 2 "$ACTIO" live tracker.yaml --samples nowhere/pipe
contains err 'nowhere/pipe'

# a simulation: what nobody touches is what `actio run` computes; parameters, inputs, drags
cat >swing.yaml <<'YAML'
title: A pendulum
parameters: {g: 9.81, mass: 1}
gravity: [0, 0, =-g]
bodies:
  rod: {solid: {rod: {length: 1, mass: =mass}}}
joints:
  - {revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0], angle: 0.3, name: pin}
simulate: {step: 2 ms, duration: 0.8 s}
YAML
begin swing.yaml --paused
answers 200 "${url}controls"
json body '[p["name"] for p in d["parameters"]] == ["g", "mass"] and [i["name"] for i in d["inputs"]] == ["pin"]'
does 200 'step 400'
stands 400
expect 0 "$ACTIO" run swing.yaml -q -o swing.h5
state | python3 -c '
import json, subprocess, sys
pose = json.loads(sys.stdin.readline())["poses"][0]
last = subprocess.run([sys.argv[1], "export", "swing.h5", "--table", "nodes", "-o", "-"], capture_output=True, text=True).stdout.strip().split("\n")
head, row = last[0].split(","), last[-1].split(",")
wanted = [float(row[head.index(f"body/rod/position.{c} [m]")]) for c in "xyz"]
assert all(abs(a - b) < 1e-5 for a, b in zip(pose, wanted)), (pose, wanted)' "$ACTIO" || fail "the live motion is another one"
does 200 'set 0 3.5\ninput 0 1\nstep 10'
stands 410
becomes '["parameters"][0]' = 3.5
does 400 'set 1 -1'
contains body 'mass'
does 400 'set 7 1'
does 400 'settings 1 1e-7 1e-13 1 0 0 0 0 0.2 0.2'
contains body 'belongs to the task track'
does 200 'grab 0 0 0 0 0.5 0 0.8\nstep 10\nrelease\nreset'
# recorded and replayed to the same bits: parameters before and while it moves, one that is refused, forces, a pull
does 200 'set 0 5.25\nset 1 2\nstep 100'
stands 100
does 200 'set 0 9.5\ninput 0 1.5\ngrab 0 0.1 0 0.2 0.5 0.1 0.8\nstep 150'
stands 250
does 400 'set 1 -1'
does 200 'move 0.4 0 0.9\nmove 0.3 0 0.7\nstep 50'
stands 300
does 200 'release\ninput 0 -0.5\nstep 50'
stands 350
replays pulled 350
contains pulled.yaml 'set, "g", 5.25'
contains pulled.yaml 'release'
does 409 'record pulled'
# the start follows the parameters, and a recording begins where the motion begins
does 200 'reset\nstep 20'
stands 20
replays again 20
contains again.yaml 'set, "g", 9.5'
end
# events that do not fit are refused with their number; other tasks have none
sed 's/"pin"/"nothing"/' pulled.yaml >wrong.yaml
expect 2 "$ACTIO" run wrong.yaml -q -o wrong.h5
contains err 'there is no such input: nothing'
sed 's/release/fly/' pulled.yaml >wrong.yaml
expect 2 "$ACTIO" check wrong.yaml
contains err 'set, input, grab, move, release'
grep -v replay_steps pulled.yaml >wrong.yaml
expect 2 "$ACTIO" check wrong.yaml
contains err 'both replay_steps and events'
begin pulled.yaml --paused
does 500 'record twice'
contains body 'recorded session itself'
end

# contacts: impacts divide steps, and each part counts
begin "$ACTIO_SOURCE/examples/contact/ball.yaml" --paused
does 200 'step 40\ngrab 0 0 0 0 0 0 1'
stands 40
does 200 'step 60\nrelease'
stands 100
does 200 'step 2900'
stands 3000
replays bounced 3000
json out 'd["results"]["contact_events"] > 3'
end

# events of the file come while it is shown; a recording has them once, however they are written
cat >chain.yaml <<'YAML'
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
  two: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1]}
joints: [{spherical: [one, two], at: {one: [0, 0, -0.5], two: [0, 0, 0.5]}}]
YAML
keys='step: 1 ms, duration: 1 s, reserve: [two], targets: [{name: "a", on: one, position: [=0.1*sin(3*t), 0, 0]}]'
in_lines() { printf 'track:\n    step: 1 ms\n    duration: 1 s\n%s    reserve: [two]\n    targets: [{on: one, position: [=0.1*sin(3*t), 0, 0]}]\n%s' "$1" "$2"; }
rest='    # events: none\n'
shapes=("track: {\n  events : [[100, node, 1, 1], # one\n    [120, follow, 0, 0]], $keys}\ntitle: \"events: [\"\n"
    "$(in_lines '    events:\n    - [100, node, 1, 1]\n\n    # then\n    - [120, follow, 0, 0]\n' '')\ntitle: it\n"
    "$(in_lines '' "    events:\n      - [100, node, 1, 1]\n      - [120, follow, 0,\n 0]\n$rest")")
for shape in "${shapes[@]}"; do
    { cat chain.yaml; printf "$shape"; } >shape.yaml
    begin shape.yaml --paused
    does 200 'step 90'
    stands 90
    is '["absent"]' = '[1]' || fail "a body of the reserve is there"
    does 200 'step 20\ngrab 0 0 0 0 0.1 0.1 0.1'
    stands 110
    is '["absent"]' = '[]' || fail "the event of the file did not come"
    does 200 'step 40'
    stands 150
    rm -f grown.yaml
    replays grown 150
    [ "$(grep -c '100, node' grown.yaml)" = 1 ] || fail "the events of the file are there twice"
    does 200 'reset'
    becomes '["absent"]' = '[1]' # and the events begin again
    end
done
{ cat chain.yaml; printf "track: {$keys, events: [[120, remove, 0]]}\n"; } >wrong.yaml
expect 2 "$ACTIO" live wrong.yaml --seconds 1
contains err 'event 1 adds or removes a target'

# what is drawn follows the parameters: bodies and joints, not masses
cat >bar.yaml <<'YAML'
parameters: {length: 1, mass: 1}
gravity: [0, -9.81]
planar_bodies: {rod: {solid: {rod: {length: =length, mass: =mass}}}}
joints: [{revolute: [ground, rod], at: {rod: start}, name: pin}]
simulate: {step: 1 ms, duration: 1 s}
YAML
begin bar.yaml --paused
[ "$(value '["scene"]')" = 0 ] || fail "the scene changed before anything was set"
answers 200 "${url}scene"
cp body scene.json
does 200 'set 1 2'
becomes '["parameters"][1]' = 2
[ "$(value '["scene"]')" = 0 ] || fail "a mass changes the scene"
does 200 'set 0 1.5'
becomes '["scene"]' = 1
does 400 'set 0 -1'
does 200 'set 0 2'
becomes '["scene"]' = 2
answers 200 "${url}scene"
python3 - <<'PYTHON' || fail "the rod is drawn in its old length"
import json
a, b = (json.load(open(f))["nodes"][0]["solids"][0]["length"] for f in ("scene.json", "body"))
assert a == 1 and b == 2, (a, b)
PYTHON
# connections that send nothing, or a byte now and then, keep nobody out
python3 - "$url" <<'PYTHON' || fail "slow connections keep others out"
import socket, sys, time
from urllib.parse import urlparse
url = urlparse(sys.argv[1])
slow = []
for k in range(260):
    s = socket.create_connection((url.hostname, url.port), timeout=300)
    if k % 2: s.sendall(b"G")
    slow.append(s)
def answered():
    c = socket.create_connection((url.hostname, url.port), timeout=300)
    c.sendall(f"GET {url.path}controls HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
    return b" 200 " in c.recv(50)
assert all(answered() for _ in range(20))
# the whole head has a limit, whatever comes now and then
end = time.time() + 300
last = slow[-1]
last.settimeout(0.5)
while time.time() < end:
    try:
        last.sendall(b"a")
        if not last.recv(1): break
    except socket.timeout: continue
    except OSError: break
else: sys.exit("a request without an end stays")
PYTHON
end

finish
