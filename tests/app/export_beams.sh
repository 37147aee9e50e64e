# Beams in other programs: the skin of glTF and the polygons of VTK are the same surface at every moment, with the stress
# resultants of the result; forces, torques and a re-simulated motion in the result of an optimal control problem.
. "$(dirname "$0")/common.bash"
cat >beams.yaml <<'YAML'
title: An I-beam and a tube
gravity: [0, 0, -9.81]
beams:
  girder:
    section: {i_section: {width: 0.12, height: 0.2, web: 0.02, flange: 0.03}}
    material: {density: 1000, young: 2e8, poisson: 0.3}
    straight: {from: [0, 0, 0], to: [2, 0, 0]}
    elements: 6
  pipe:
    section: {tube: {radius: 0.08, inner_radius: 0.06}}
    material: {density: 1000, young: 2e8, poisson: 0.3}
    straight: {from: [0, 0.6, 0], to: [2, 0.6, 0]}
    elements: 4
bodies:
  weight: {solid: {sphere: {radius: 0.1, mass: 5}}, position: [2, 0, 0]}
joints:
  - {fixed: [ground, girder.start], at: [0, 0, 0], name: wall}
  - {fixed: [ground, pipe.start], at: [0, 0.6, 0], name: other wall}
  - {fixed: [girder.end, weight], at: {weight: centre}, name: tip}
loads:
  - {torque: [40, 0, 0], on: pipe.end, name: twist}
simulate: {step: 10 ms, duration: 0.4 s}
YAML
expect 0 "$ACTIO" run -q beams.yaml
expect 0 "$ACTIO" export beams.h5 -o beams.glb
expect 0 "$ACTIO" export beams.h5 -o beams.pvd
expect 0 "$ACTIO" export beams.h5 -o beams.csv
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "the surfaces of the beams"
import base64, csv, json, struct, xml.etree.ElementTree as tree

binary = open("beams.glb", "rb").read()
size = struct.unpack_from("<I", binary, 12)[0]
scene = json.loads(binary[20 : 20 + size])
buffer = binary[28 + size :]
kinds = {5126: "f", 5125: "I", 5123: "H"}
widths = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}

def array(number):
    a = scene["accessors"][number]
    view, width, kind = scene["bufferViews"][a["bufferView"]], widths[a["type"]], kinds[a["componentType"]]
    assert view["byteLength"] == a["count"] * width * struct.calcsize(kind)
    flat = struct.unpack_from("<%d%s" % (a["count"] * width, kind), buffer, view["byteOffset"])
    return [flat[width * i : width * (i + 1)] for i in range(a["count"])]

def turn(q, x):
    x0, y0, z0, w = q
    def cross(a, b):
        return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    first = cross((x0, y0, z0), x)
    second = cross((x0, y0, z0), first)
    return [x[k] + 2 * (w * first[k] + second[k]) for k in range(3)]

animation = scene["animations"][0]
moving = {}
for channel in animation["channels"]:
    sampler = animation["samplers"][channel["sampler"]]
    moving.setdefault(channel["target"]["node"], {})[channel["target"]["path"]] = array(sampler["output"])
times = array(animation["samplers"][0]["input"])
assert len(times) == 41 and len(scene["skins"]) == 2

# points of the beams in the world, frame by frame, by the rule of glTF: joint times inverse bind matrix times point
def skinned(node, frame):
    mesh, skin = scene["meshes"][node["mesh"]], scene["skins"][node["skin"]]
    attributes = mesh["primitives"][0]["attributes"]
    inverse = array(skin["inverseBindMatrices"])
    for x, rings, weights in zip(array(attributes["POSITION"]), array(attributes["JOINTS_0"]), array(attributes["WEIGHTS_0"])):
        assert weights == (1, 0, 0, 0)
        m = inverse[rings[0]]
        local = [m[k] * x[0] + m[4 + k] * x[1] + m[8 + k] * x[2] + m[12 + k] for k in range(3)]
        joint = moving[skin["joints"][rings[0]]]
        turned = turn(joint["rotation"][frame], local)
        yield [turned[k] + joint["translation"][frame][k] for k in range(3)]

def arrays(frame):
    piece = next(tree.parse("beams/%06d.vtp" % frame).getroot().iter("Piece"))
    result = {"points": int(piece.get("NumberOfPoints")), "cells": int(piece.get("NumberOfPolys"))}
    for entry in piece.iter("DataArray"):
        raw = base64.b64decode(entry.text, validate=True)
        kind = {"Float32": "f", "Int64": "q", "Int32": "i"}[entry.get("type")]
        width = int(entry.get("NumberOfComponents") or 1)
        assert struct.unpack_from("<Q", raw)[0] == len(raw) - 8
        flat = struct.unpack("<%d%s" % ((len(raw) - 8) // struct.calcsize(kind), kind), raw[8:])
        result[str(entry.get("Name"))] = [flat[width * i : width * (i + 1)] for i in range(len(flat) // width)]
    return result

rows = list(csv.DictReader(open("beams.csv")))
parts = [node["name"] for node in scene["nodes"][1:4]]
assert parts == ["weight", "girder", "pipe"], parts
for frame in (0, 17, 40):
    vtk = arrays(frame)
    assert len(vtk["None"]) == vtk["points"] and len(vtk["part"]) == vtk["cells"]
    first = len(array(scene["meshes"][0]["primitives"][0]["attributes"]["POSITION"]))
    beams = [x for node in scene["nodes"] if "skin" in node for x in skinned(node, frame)]
    assert first + len(beams) == vtk["points"]
    gap = max(abs(a - b) for x, y in zip(beams, vtk["None"][first:]) for a, b in zip(x, y))
    assert gap < 2e-6, gap
    # stress resultants: those of the elements, zero on the sphere
    for name, unit in (("force", "N"), ("moment", "N m"), ("strain", "1"), ("curvature", "1/m")):
        for beam, number, elements in (("girder", 1, 6), ("pipe", 2, 4)):
            seen = {value for value, part in zip(vtk[name], vtk["part"]) if part == (number,)}
            wanted = [tuple(float(rows[frame]["beam/%s/%s.%d.%d [%s]" % (beam, name, e, c + 1, unit)]) for c in range(3)) for e in range(elements)]
            scale = max(1e-3, max(abs(v) for row in wanted for v in row))
            assert len(seen) == len(set(wanted)) or frame == 0, (name, len(seen))
            assert all(min(max(abs(a - b) for a, b in zip(v, w)) for w in wanted) < 1e-6 * scale for v in seen)
        assert all(v == (0, 0, 0) for v, part in zip(vtk[name], vtk["part"]) if part == (0,))
assert max(abs(v) for row in arrays(40)["moment"] for v in row) > 1
PYTHON
fi

# ---- optimal control: forces of the controls, the re-simulated motion, the history of the solver ----
cat >swing.yaml <<'YAML'
title: Two links and a push
gravity: [0, 0, -9.81]
bodies:
  upper: {solid: {rod: {length: 1, mass: 1, along: x}}}
  lower: {solid: {rod: {length: 1, mass: 1, along: x}}}
joints:
  - {revolute: [ground, upper], at: {upper: start}, axis: [0, 1, 0], angle: 90 deg, name: shoulder}
  - {revolute: [upper, lower], at: {upper: end, lower: start}, axis: [0, 1, 0], angle: 0, name: elbow}
optimize:
  intervals: 16
  duration: 1 s
  controls:
    - {joint: shoulder, name: motor}
    - {force: lower, at: end, component: x, name: push}
  objective: [{effort: 1}]
  conditions: [{joint: shoulder, equals: 60 deg, at: end}]
  end_velocity: rest
YAML
expect 0 "$ACTIO" run -q swing.yaml
expect 0 "$ACTIO" info swing.h5 --json
json out '[t["name"] for t in d["tables"]] == ["nodes", "intervals", "resimulated", "iterations"]'
json out '{t["name"]: t["rows"] for t in d["tables"]}["resimulated"] == 17'
expect 0 "$ACTIO" export swing.h5 -o nodes.csv
expect 0 "$ACTIO" export swing.h5 -t intervals -o intervals.csv
expect 0 "$ACTIO" export swing.h5 -t resimulated -o again.csv
expect 0 "$ACTIO" export swing.h5 -t iterations -o history.csv
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "the forces of the controls"
import csv, math
nodes, intervals, again, history = (list(csv.DictReader(open(n + ".csv"))) for n in ("nodes", "intervals", "again", "history"))
assert len(nodes) == len(again) == 17 and len(intervals) == 16 and len(history) > 2
for n, row in enumerate(nodes):
    u = intervals[min(n, 15)]
    torque = [float(row["actuator/motor/torque.%s [N m]" % c]) for c in "xyz"]
    assert abs(torque[1] - float(u["control/motor [N m]"])) < 1e-9 * (1 + abs(torque[1])) and torque[0] == torque[2] == 0
    force = [float(row["actuator/push/force.%s [N]" % c]) for c in "xyz"]
    assert abs(force[0] - float(u["control/push [N]"])) < 1e-9 * (1 + abs(force[0])) and force[1] == force[2] == 0
    for c in "xyz": # the end of the second link
        centre = float(row["body/lower/position.%s [m]" % c])
        assert abs(float(row["actuator/push/place.%s [m]" % c]) - centre - 0.5 * float(row["body/lower/rotation.%sx [1]" % c])) < 1e-9
    for name in row:
        if name.startswith(("body/", "joint/")) and "position" in name:
            assert abs(float(row[name]) - float(again[n][name])) < 1e-8, name
assert max(abs(float(row["actuator/motor/torque.y [N m]"])) for row in nodes) > 0.1
assert float(history[-1]["history/violation [1]"]) < 1e-6 <= float(history[0]["history/violation [1]"])
PYTHON
fi
expect 0 "$ACTIO" run -q swing.yaml --set optimize.forces=false --set optimize.resimulated=false --set optimize.reactions=true
expect 0 "$ACTIO" info swing.h5
! grep -qE 'actuator|resimulated' out || fail "forces and the second motion cannot be switched off"
contains out 'reaction/elbow/torque'

# ---- simulation and rest: what is recorded, and the words that switch it ----
cat >held.yaml <<'YAML'
title: Held by a spring
gravity: [0, 0, -9.81]
points:
  bob: {mass: 2, position: [0, 0, -1]}
springs:
  - {between: [ground, bob], at: {ground: [0, 0, 0]}, stiffness: 100, length: 0.5, name: spring}
loads:
  - {force: [0, 0, -3], on: bob, name: pull}
simulate: {step: 1 ms, duration: 20 ms}
YAML
expect 0 "$ACTIO" run -q held.yaml
expect 0 "$ACTIO" export held.h5 -c 'spring/spring/*,load/pull/*' --every 20
contains out 'spring/spring/place.x [m]'
contains out 'load/pull/force.z [N]'
expect 0 "$ACTIO" run -q held.yaml --set simulate.forces=false
expect 0 "$ACTIO" info held.h5
! grep -qE 'spring/|load/' out || fail "forces cannot be switched off"
sed 's/^simulate:.*/equilibrium: {}/' held.yaml >rest.yaml
expect 0 "$ACTIO" run -q rest.yaml
expect 0 "$ACTIO" export rest.h5 -c 'spring/spring/force' -o rest.csv
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "the spring does not carry weight and load"
import csv
last = list(csv.DictReader(open("rest.csv")))[-1]
assert abs(float(last["spring/spring/force.z [N]"]) - (2 * 9.81 + 3)) < 1e-6, last
PYTHON
fi
finish
