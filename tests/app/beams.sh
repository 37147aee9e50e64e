# actio check and run with beams: what is shown of sections, and what results hold.
. "$(dirname "$0")/common.bash"

cat >blade.yaml <<'EOF'
title: Blade
beams:
  blade:
    polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 1]]
    elements: 4
    order: 2
    section:
      - {at: 0, rectangle: {width: 20 mm, height: 3 mm}}
      - {at: 1, rectangle: {width: 10 mm, height: 3 mm}}
    material: {young: 200 GPa, poisson: 0.25, density: 8000}
joints:
  - {fixed: [ground, blade.start]}
simulate: {step: 1 ms, steps: 3}
EOF

# the section, its stiffness and its inertia at both stations
expect 0 "$ACTIO" check blade.yaml
contains out 'beam blade: 4 elements of order 2, 10 nodes, length 2 m, mass 0.72 kg'
contains out 'rectangle: area 6e-05 m^2, second moments 4.5e-11, 2e-09 m^4, torsion constant 1.6'
contains out 'shear factors 0.833333, 0.833333'
contains out 'at 1 of its length'
contains out 'EA 6e+06 N'
contains out 'mass 0.24 kg/m'

expect 0 "$ACTIO" check --json blade.yaml
json out 'd["beams"][0]["name"] == "blade" and d["beams"][0]["nodes"] == 10 and len(d["beams"][0]["stations"]) == 2'
json out 'abs(d["beams"][0]["stations"][0]["area"] - 6e-5) < 1e-18 and d["beams"][0]["stations"][1]["at"] == 1'
json out 'abs(d["beams"][0]["stations"][0]["stiffness"][3] - 9) < 1e-12 and d["beams"][0]["stations"][0]["shape"] == "rectangle"'

# results: a row for each node, resultants at each strain point; which scheme was taken, and why
expect 0 "$ACTIO" run blade.yaml
contains out 'scheme energy-momentum: there are beams'
expect 0 "$ACTIO" info --json blade.h5
contains out '"beam/blade/position"'
json out 'd["scheme"] == "energy-momentum" and d["scheme_reason"] == "there are beams"'
expect 0 "$ACTIO" run blade.yaml --set simulate.scheme=midpoint -o midpoint.h5
contains out 'scheme midpoint: as asked'
expect 0 "$ACTIO" info midpoint.h5
contains out 'scheme   midpoint: as asked'
expect 0 "$ACTIO" info blade.h5
grep -Eq 'beam/blade/position +m +30' out || fail 'ten places'
grep -Eq 'beam/blade/force +N +24' out || fail 'eight strain points'
contains out '30: 0.x to 9.z'
contains out '24: 0.1 to 7.3'
expect 0 "$ACTIO" report blade.h5 -o blade.html

# components along a beam: the number of the node or strain point, then the axis
expect 0 "$ACTIO" export blade.h5 -c beam/blade/position.9.z,beam/blade/force.7.3,beam/blade/position.30
[ "$(head -1 out)" = 'time [s],beam/blade/position.9.z [m],beam/blade/force.7.3 [N]' ] || fail "header: $(head -1 out)"
[ "$(sed -n 2p out | cut -d, -f2)" = 1 ] || fail "the end of the blade is at z = 1: $(sed -n 2p out)"
expect 0 "$ACTIO" export blade.h5 -c 'beam/*/velocity.9.x'
contains out 'beam/blade/velocity.9.x [m/s]'
header()
{
    [ "$(head -1 out)" = "time [s],$1" ] || fail "header: $(head -1 out)"
}
expect 0 "$ACTIO" export blade.h5 -c 'beam/blade/position.8.?'
header 'beam/blade/position.8.x [m],beam/blade/position.8.y [m],beam/blade/position.8.z [m]'
expect 0 "$ACTIO" export blade.h5 -c 'beam/*/position.[08].z,beam/blade/position.8.[xz]'
header 'beam/blade/position.0.z [m],beam/blade/position.8.z [m],beam/blade/position.8.x [m]'
expect 0 "$ACTIO" export blade.h5 -c 'beam/blade/position.*'
cp out all.csv
expect 0 "$ACTIO" export blade.h5 -c beam/blade/position
cmp -s out all.csv || fail 'all components are the channel'
expect 0 "$ACTIO" export blade.h5 -c 'beam/blade/force.7.?'
contains out 'beam/blade/force.7.3 [N]'
expect 2 "$ACTIO" export blade.h5 -c 'beam/blade/position.10.?'
contains err 'has no channel "beam/blade/position.10.?"'
expect 2 "$ACTIO" export blade.h5 -c beam/blade/position.10.z
expect 0 "$ACTIO" plot blade.h5 beam/blade/position.9.z --against beam/blade/position.9.x -o path.pdf
draws path.pdf '"beam/blade/position.9.z" in t'
expect 2 "$ACTIO" plot blade.h5 energy/kinetic --against beam/blade/position
contains err '"beam/blade/position" has 30 components'
contains err 'beam/blade/position.0.x to beam/blade/position.9.z'
expect 2 "$ACTIO" plot blade.h5 energy/kinetic --against 'energy/*'
contains err 'means several quantities'
expect 2 "$ACTIO" plot blade.h5 beam/blade/position.10.z
mkdir -p examples/reproduce
cat >examples/reproduce/measure.yaml <<'EOF'
title: A place of a beam
verified_by: its length
runs: {blade: {problem: ../../blade.yaml}}
checks:
  - {name: node 9, measure: {run: blade, channel: beam/blade/position.9.z, take: first}, verified: 1, tolerance: 1e-12}
  - {name: by its number, measure: {run: blade, channel: beam/blade/position, component: "30", take: first}, verified: 1, tolerance: 1e-12}
EOF
ACTIO_DATA=$work expect 0 "$ACTIO" reproduce measure

finish
