# Rods of the edge model from file to result: numbers are those of vertices and edges everywhere.
. "$(dirname "$0")/common.bash"

cat >rod.yaml <<'EOF'
title: Two rods of edges and a body
gravity: [0, 0, -9.81]
beams:
  rod:
    model: edge
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 1, 0]
    elements: 8
    section: {tube: {radius: 20 mm, inner_radius: 15 mm}}
    material: {young: 200 MPa, poisson: 0.25, density: 1000}
  strip:
    model: edge
    straight: {from: [1, 0, 0], to: [1, 0, 0.2]}
    elements: 2
    section: {tube: {radius: 20 mm, inner_radius: 15 mm}}
    material: {young: 200 MPa, poisson: 0.25, density: 1000}
bodies:
  weight: {solid: {sphere: {radius: 0.05, mass: 0.2}}, position: [0.5, 0.3, 0]}
joints:
  - {fixed: [ground, rod.start]}
  - {fixed: [rod.end, strip.start], name: tip}
  - {distance: [ground, weight], at: {ground: [0.5, 0.3, 1], weight: centre}, name: cord}
springs:
  - {between: ["rod[3]", weight], stiffness: 20, length: 0.2, name: link}
loads:
  - {torque: [0, 0.1, 0], on: "rod[3]", name: twist}
simulate: {step: 1 ms, steps: 20}
EOF

expect 0 "$ACTIO" check rod.yaml
contains out 'beam rod: 8 edges of order 1, 9 nodes, length 1 m'
expect 0 "$ACTIO" check --json rod.yaml
json out 'd["beams"][0]["elements"] == 8 and d["beams"][0]["nodes"] == 9'
expect 2 "$ACTIO" check rod.yaml --set beams.rod.elements=1
contains err "beam 'rod' needs at least 2 elements"
sed 's/on: "rod.3."/on: "rod[9]"/' rod.yaml >beyond.yaml
expect 2 "$ACTIO" check beyond.yaml
contains err 'the numbers 0 to 8'

expect 0 "$ACTIO" run -q rod.yaml
expect 0 "$ACTIO" info rod.h5
for line in 'position +m +27' 'rotation +1 +81' 'edge_rotation +1 +72' 'velocity +m/s +27' 'strain +1 +24' 'curvature +1/m +27' 'force +N +24' \
    'moment +N m +27'; do
    grep -Eq "beam/rod/$line" out || fail "the width of $line"
done

# a place of the rod is where its load and its spring are
expect 0 "$ACTIO" export rod.h5 -c 'beam/rod/position.3.?,load/twist/place,load/twist/torque,beam/rod/position.8.x,beam/rod/force.0.3,beam/rod/force.7.3'
cp out rod.csv
expect 0 "$ACTIO" export rod.h5 -o rod.glb
expect 0 "$ACTIO" export rod.h5 -o rod.pvd
expect 0 "$ACTIO" report rod.h5 -o rod.html
for name in force moment strain curvature; do
    grep -qF "Name=\"$name\"" rod/000000.vtp || fail "the $name of the rod in VTK"
done
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "numbers of the rod"
import csv, glob, xml.etree.ElementTree as tree
rows = list(csv.reader(open("rod.csv")))
first, last = [float(x) for x in rows[1]], [float(x) for x in rows[-1]]
assert first[1] == 0.375 and first[10] == 1.0, first
assert last[1:4] == last[4:7], last
assert abs(last[8] - 0.1) < 1e-9 and max(abs(last[7]), abs(last[9])) < 1e-9, last
assert last[11] != 0 and last[12] != 0, last  # every edge carries something
PYTHON
fi

# the scene counts as the results do: the rod has 9 places behind the body, and the strip begins behind them
sed 's/\\"/"/g' rod.html >scene
grep -aqF '"name": "rod", "first_node": 1, "elements": 8' scene || fail 'the rod of the scene'
grep -aqF '"name": "strip", "first_node": 10, "elements": 2' scene || fail 'the strip of the scene'
grep -aqF '"name": "link", "nodes": [4, 0]' scene || fail 'the spring of the scene'
grep -aqF '"name": "tip", "kind": "fixed", "motions": [], "nodes": [9, 10]' scene || fail 'the joint of the scene'

finish
