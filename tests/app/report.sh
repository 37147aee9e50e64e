# actio report, plot, compare and export to other programs: what is written, and what is refused.
. "$(dirname "$0")/common.bash"

# python FILE... <<script: skipped without Python.
python() {
    command -v python3 >/dev/null || { cat >/dev/null; return 0; }
    python3 - "$@" || fail "python check of $*"
}

pendulum >pendulum.yaml
cat >arm.yaml <<'YAML'
title: 'Arm </script><script>alert(1)</script> & "more"'
gravity: [0, 0, -9.81]
bodies:
  arm: {solid: {rod: {length: 1, mass: 1}}}
  block: {solid: {box: {size: [0.3, 0.2, 0.1], mass: 1}}}
  drum: {solid: {cylinder: {radius: 0.2, inner_radius: 0.1, length: 0.3, mass: 1}}, position: [2, 0, 0]}
points:
  bob: {mass: 1, position: [2, 1, 0]}
joints:
  - {revolute: [ground, arm], at: {arm: start}, axis: [0, 1, 0], name: hinge}
  - {revolute: [arm, block], at: {arm: end, block: x-}, axis: [0, 1, 0], angle: 0.3, name: elbow}
  - {spherical: [ground, drum], at: [2, 0, 0], name: ball}
  - {distance: [ground, bob], at: {ground: [2, 1, 1]}, name: rod}
springs:
  - {between: [block, bob], stiffness: 10, name: spring}
simulate: {step: 1 ms, duration: 5 s}
YAML
for name in pendulum arm; do expect 0 "$ACTIO" run --quiet $name.yaml; done
expect 0 "$ACTIO" run --quiet pendulum.yaml -o fine.h5 --set simulate.step=0.005

# ---- the page ----
expect 0 "$ACTIO" report pendulum.h5
contains out 'page in pendulum.html'
expect 0 "$ACTIO" report arm.h5 -o page.html --from 1 --to 2 --frames 100
python page.html <<'PYTHON'
import base64, html.parser, json, struct, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.blocks, self.scripts, self.title, self.place = {}, 0, "", None
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.place = tag if tag != "script" else attributes.get("id", "code")
        self.scripts += tag == "script"
    def handle_endtag(self, tag):
        self.place = None
    def handle_data(self, data):
        if self.place == "title":
            self.title += data
        elif self.place:
            self.blocks[self.place] = self.blocks.get(self.place, "") + data

page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert page.title == 'Arm </script><script>alert(1)</script> & "more"', page.title
assert page.scripts == 3, page.scripts
data = json.loads(page.blocks["actio-data"])
numbers = base64.b64decode(page.blocks["actio-numbers"], validate=True)
result = data["results"][0]
assert result["texts"]["title"] == page.title
assert json.loads(result["scene"])["nodes"][0]["name"] == "arm"
motion = result["motions"][0]
assert motion["frames"] <= 100 and motion["stride"] > 1 and motion["shown_rows"] == 1001
times = struct.unpack_from("<%dd" % motion["frames"], numbers, motion["time"])
assert abs(times[0] - 1) < 1e-9 and abs(times[-1] - 2) < 1e-9, times
table = result["tables"][0]
assert table["points"] == 1001 and table["bucket"] == 1
energy = next(c for c in table["channels"] if c["name"] == "energy/hamiltonian")
values = struct.unpack_from("<%dd" % table["points"], numbers, energy["place"])
assert max(values) - min(values) < 1e-2 * max(map(abs, values))
assert "http" not in page.blocks.get("link", "")
PYTHON

# ---- plots ----
expect 0 "$ACTIO" plot pendulum.h5 energy/kinetic energy/potential
contains out 'energy/potential'
contains out '●'
expect 0 "$ACTIO" plot arm.h5 momentum/angular.y 'joint/*/angle' -o plot.svg
# few lines: the marks of the axis keep their distance
expect 0 "$ACTIO" plot arm.h5 momentum/angular.y --width 60 --height 8
[ "$(grep -c '┤' out)" -ge 2 ] || fail "an axis with fewer than two marks"
expect 0 "$ACTIO" plot arm.h5 momentum/angular.y 'joint/*/angle'
contains out '[rad]'
[ "$(grep -c '└' out)" -eq 2 ] || fail "not two panels for two units"
expect 2 "$ACTIO" plot arm.h5 '*'
contains err 'too many for one plot'
expect 0 "$ACTIO" plot arm.h5 residual/constraints --log -o plot.png
expect 0 "$ACTIO" plot arm.h5 point/bob/position.z --against point/bob/position.x -o path.svg
expect 0 "$ACTIO" plot arm.h5 energy/hamiltonian --change --width 640 --height 400 -o small.png
expect 0 "$ACTIO" plot pendulum.h5 energy/hamiltonian --with fine.h5 -o two.svg
# the same plots as PDF, which keeps its letters
expect 0 "$ACTIO" plot arm.h5 momentum/angular.y 'joint/*/angle' -o plot.pdf
expect 0 "$ACTIO" plot arm.h5 point/bob/position.z --against point/bob/position.x -o path.pdf
expect 0 "$ACTIO" plot pendulum.h5 energy/hamiltonian --with fine.h5 -o two.pdf
draws two.pdf '"energy/hamiltonian (fine.h5)" in t'
draws plot.pdf '"momentum/angular.y" in t and "joint/hinge/angle" in t'
# a panel for each unit, and one axis of time below them
draws plot.pdf '[w for w in t if w.startswith("[")] == ["[kg m²/s]", "[rad]"] and t.count("time [s]") == 1'
contains two.svg 'stroke-dasharray'
grep -q 'stroke-dasharray' plot.svg && fail "dashes in the plot of one result"
PYTHONPATH=$ACTIO_SOURCE/tests/app PYTHONDONTWRITEBYTECODE=1 python plot path two <<'PYTHON'
import sys, xml.etree.ElementTree as tree
from drawn import SVG, same_words, texts
for name in sys.argv[1:]:
    root, drawn = tree.parse(name + ".svg").getroot(), texts(name + ".pdf")
    assert len(list(root.iter(SVG + "path"))) > 10 and len(drawn) > 10, name
    assert same_words(root, drawn), (name, drawn)
    assert not same_words(root, drawn[1:]) and not same_words(root, drawn[::-1]), name
    assert root[0].tag == SVG + "title" and root[0].text == drawn[0], (name, root[0].text)
    assert not list(root.iter(SVG + "image")), name
root = tree.parse("plot.svg").getroot()
assert root[0].text == 'Arm </script><script>alert(1)</script> & "more"', root[0].text
assert root.get("width") in ("960", "960px") and root.get("viewBox").split()[2] == "960", root.attrib
# cairo cuts each curve by itself, by the part of the panel that it may reach: two panels are two stacks of such parts
clips = list(root.iter(SVG + "clipPath"))
assert len(clips) == 3 and len({c.get("id") for c in clips}) == 3, clips
spans = []
for clip in clips:
    numbers = [float(w) for w in clip[0].get("d").split() if w not in "MLHVZ"]
    spans.append((min(numbers[1::2]), max(numbers[1::2])))
first, second, third = spans
assert first[1] < min(second[0], third[0]) and max(second[0], third[0]) < min(second[1], third[1]), spans
PYTHON
cp plot.svg first.svg
expect 0 "$ACTIO" plot arm.h5 momentum/angular.y 'joint/*/angle' -o plot.svg
cmp plot.svg first.svg || fail 'the same plot gives other bytes'
python plot.png small.png <<'PYTHON'
import struct, sys, zlib
for name, size in zip(sys.argv[1:], [(1440, 810), (640, 400)]):
    data = open(name, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body), kind
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (width, height, depth, colour) == (*size, 8, 2)
    raw = zlib.decompress(chunks[b"IDAT"])
    row = 1 + 3 * width
    assert len(raw) == row * height
    # filters of PNG: none, left, above, mean, Paeth
    def paeth(a, b, c):
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
    above, dark = bytearray(3 * width), 0
    for y in range(height):
        kind, line = raw[y * row], bytearray(raw[y * row + 1 : (y + 1) * row])
        for i in range(len(line)):
            left, corner = (line[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            line[i] = line[i] + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind] & 255
        dark += sum(1 for v in line if v < 128)
        above = line
    assert 2000 < dark < width * height, dark
PYTHON
expect 0 "$ACTIO" plot arm.h5 energy/hamiltonian --change -o plot.pdf
[ "$(head -c 5 plot.pdf)" = '%PDF-' ] || fail 'plot.pdf is no PDF'
cp plot.pdf first.pdf
expect 0 "$ACTIO" plot arm.h5 energy/hamiltonian --change -o plot.pdf
cmp plot.pdf first.pdf || fail 'the same plot gives other bytes'
expect 2 "$ACTIO" plot pendulum.h5 nothing
contains err 'pendulum.h5: there is no quantity "nothing"'
expect 2 "$ACTIO" plot pendulum.h5 energy/kinetic -o plot.eps
expect 2 "$ACTIO" plot pendulum.h5 energy/kinetic --from 2 --to 1
expect 2 "$ACTIO" plot pendulum.h5 energy/kinetic --from 7
contains err 'there are no rows to draw'
expect 2 "$ACTIO" plot pendulum.h5 energy/kinetic --width zero
expect 1 "$ACTIO" plot pendulum.h5 energy/kinetic -o nowhere/plot.svg

# ---- comparison ----
expect 0 "$ACTIO" compare pendulum.h5 pendulum.h5
contains out 'components are equal in all rows'
expect 0 "$ACTIO" compare pendulum.h5 fine.h5 'energy/*' --json -o both.html
json out 'd["differences"][0]["name"] == "energy/hamiltonian" and d["differences"][0]["interpolated"] is True'
json out '0 < d["differences"][0]["root_mean_square"] <= d["differences"][0]["largest"] < 0.1'
contains both.html '"differences"'
expect 0 "$ACTIO" compare pendulum.h5 arm.h5
contains out 'in one of the results only'
contains out 'different systems'
expect 2 "$ACTIO" compare pendulum.h5 fine.h5 nothing
expect 2 "$ACTIO" compare pendulum.h5 pendulum.yaml
contains err 'pendulum.yaml: this is not a result file'

# ---- other programs ----
expect 0 "$ACTIO" export arm.h5 -o arm.gltf
expect 0 "$ACTIO" export arm.h5 --format glb --frames 50
contains out 'motion in arm.glb'
expect 0 "$ACTIO" export arm.h5 -o arm.pvd --frames 5
python <<'PYTHON'
import base64, json, struct, xml.etree.ElementTree as tree

def check(scene, buffer):
    assert scene["asset"]["version"] == "2.0"
    assert [n["name"] for n in scene["nodes"]] == ["actio", "arm", "block", "drum", "bob", "rod", "spring"]
    sizes = {5126: 4, 5125: 4}
    count = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
    for a in scene["accessors"]:
        view = scene["bufferViews"][a["bufferView"]]
        assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(buffer)
        assert view["byteLength"] == a["count"] * count[a["type"]] * sizes[a["componentType"]]
    for mesh in scene["meshes"]:
        for p in mesh["primitives"]:
            a = scene["accessors"][p["indices"]]
            view = scene["bufferViews"][a["bufferView"]]
            indices = struct.unpack_from("<%dI" % a["count"], buffer, view["byteOffset"])
            assert max(indices) < scene["accessors"][p["attributes"]["POSITION"]]["count"] and a["count"] % 3 == 0
    animation = scene["animations"][0]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        assert scene["accessors"][sampler["input"]]["count"] == scene["accessors"][sampler["output"]]["count"]

text = json.load(open("arm.gltf"))
data = text["buffers"][0]["uri"].split("base64,")[1]
check(text, base64.b64decode(data, validate=True))
binary = open("arm.glb", "rb").read()
magic, version, length, size, kind = struct.unpack_from("<4sIII4s", binary)
assert (magic, version, length, kind) == (b"glTF", 2, len(binary), b"JSON")
scene = json.loads(binary[20 : 20 + size])
block, kind = struct.unpack_from("<I4s", binary, 20 + size)
assert kind == b"BIN\0" and 28 + size + block == length and scene["accessors"][0]["count"] <= 50
check(scene, binary[28 + size :])

files = [d.attrib for d in tree.parse("arm.pvd").getroot().iter("DataSet")]
assert len(files) == 5 and float(files[-1]["timestep"]) == 5
for entry in files:
    piece = next(tree.parse(entry["file"]).getroot().iter("Piece"))
    points, cells = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfPolys"))
    wanted = {"None": 12 * points, "normals": 12 * points, "connectivity": 24 * cells, "offsets": 8 * cells, "part": 4 * cells}
    for array in piece.iter("DataArray"):
        raw = base64.b64decode(array.text, validate=True)
        assert struct.unpack_from("<Q", raw)[0] == len(raw) - 8 == wanted[str(array.get("Name"))]
PYTHON
expect 2 "$ACTIO" export arm.h5 --format step
expect 1 "$ACTIO" export arm.h5 -o nowhere/arm.glb
expect 1 "$ACTIO" export arm.h5 -o nowhere/arm.pvd

# Springs without a name are numbered.
sed 's/stiffness: 10, name: spring}/stiffness: 10}/' arm.yaml >unnamed.yaml
expect 0 "$ACTIO" run -q unnamed.yaml
expect 0 "$ACTIO" export unnamed.h5 -o unnamed.gltf
contains unnamed.gltf '"name": "spring 1"'
! grep -q '"null"' unnamed.gltf || fail "a part is called null"

# What stands on the ground goes along.
expect 0 "$ACTIO" run -q "$ACTIO_SOURCE/examples/control/obstacle.yaml"
expect 0 "$ACTIO" export obstacle.h5 -o obstacle.gltf
contains obstacle.gltf '"name": "ground"'

# ---- broken, truncated and foreign files ----
head -c 3000 pendulum.h5 >cut.h5
head -c 60000 arm.h5 >cut2.h5
: >empty.h5
for file in cut.h5 cut2.h5 empty.h5 arm.yaml nowhere.h5; do
    expect 2 "$ACTIO" report $file -o never.html
    contains err "$file: "
    expect 2 "$ACTIO" plot $file energy/kinetic -o never.svg
    expect 2 "$ACTIO" export $file -o never.glb
    expect 2 "$ACTIO" compare $file pendulum.h5
done
[ -z "$(find . -name 'never*' -o -name '*.part-*')" ] || fail "something was left behind"
expect 1 "$ACTIO" report pendulum.h5 -o nowhere/page.html
expect 2 "$ACTIO" report pendulum.h5 --from 100
contains err 'pendulum.h5: there are no rows in this range of time'
expect 2 "$ACTIO" compare pendulum.h5 fine.h5 --from 100 -o never.html

# ---- an output that is an input, or no page ----
cp pendulum.h5 kept.h5
ln pendulum.h5 pendulum.htm
ln -s pendulum.h5 pendulum.svg
for call in 'report pendulum.h5 -o pendulum.htm' 'compare fine.h5 pendulum.h5 -o pendulum.htm' \
    'export pendulum.h5 -f glb -o pendulum.h5' 'plot pendulum.h5 energy/kinetic -o pendulum.svg' \
    'plot fine.h5 energy/kinetic --with pendulum.h5 -o pendulum.svg'; do
    expect 2 "$ACTIO" $call
    contains err 'would overwrite pendulum.h5, which is read'
done
for call in 'report pendulum.h5 -o never.yaml' 'report pendulum.h5 -o pendulum.h5' \
    'compare pendulum.h5 fine.h5 -o pendulum.h5' 'compare pendulum.h5 fine.h5 -o never'; do
    expect 2 "$ACTIO" $call
    contains err 'must be .html or .htm'
done
[ -z "$(find . -name 'never*')" ] || fail "something was written"
cmp -s pendulum.h5 kept.h5 || fail "the result file was overwritten"
expect 2 "$ACTIO" report pendulum.h5 --frames 0
expect 2 "$ACTIO" report

finish
