# What check and run say of beams that are in trouble from the start: too long elements under tension, gaps in the initial state.
. "$(dirname "$0")/common.bash"

cat >string.yaml <<'END'
title: String
beams:
  string:
    straight: {from: [0, 0, 0], to: [0.65, 0, 0]}
    rest_length: 0.6475
    elements: 40
    section: {circle: {radius: 0.25 mm}}
    material: {young: 200 GPa, density: 7850}
joints:
  - {spherical: [ground, string.start]}
  - {spherical: [ground, string.end]}
equilibrium: {}
END
kink="beam 'string' is pulled with 151.6 N: its elements are too long and kink, which the material would not; take at least 162 elements, or model: edge"

expect 0 "$ACTIO" check string.yaml
contains out "warning: $kink"
contains out 'the file is valid'
expect 0 "$ACTIO" check --json string.yaml
json out 'len(d["warnings"]) == 1 and d["warnings"][0].startswith("beam '"'string'"' is pulled with 151.6 N")'

# beside the verdict, once
expect 0 "$ACTIO" run string.yaml
contains out 'unstable at the end'
contains out "$kink"
[ "$(grep -c 'is pulled with' out)" = 1 ] || fail 'reported once'
expect 0 "$ACTIO" run --json string.yaml
json out '"162 elements" in d["remark"] and len(d["warnings"]) == 1'
expect 0 "$ACTIO" info string.h5
contains out "$kink"

for way in beams.string.model=edge beams.string.elements=162; do
    expect 0 "$ACTIO" run string.yaml --set "$way"
    lacks out unstable
    lacks out 'is pulled with'
done
expect 0 "$ACTIO" check --json string.yaml --set beams.string.model=edge
json out '"warnings" not in d'

# along a path: the string is pulled at its end
cat >pull.yaml <<'END'
title: Pull
beams:
  wire: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 10, section: {circle: {radius: 1 mm}}, material: {young: 200 GPa, density: 7850}}
joints:
  - {fixed: [ground, wire.start]}
loads:
  - {force: [400, 0, 0], on: wire.end}
equilibrium: {steps: 4}
END
expect 0 "$ACTIO" check pull.yaml
lacks out 'warning'
expect 0 "$ACTIO" run pull.yaml
contains out "beam 'wire' is pulled with 400 N: its elements are too long and kink"
expect 0 "$ACTIO" run pull.yaml --set loads.0.force='[100,0,0]' --set beams.wire.elements=25
lacks out 'is pulled with'

# a gap that assembly closes
cat >gap.yaml <<'END'
title: Gap
beams:
  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, section: {circle: {radius: 4 mm}}, material: {young: 200 GPa, density: 7800}}
  b: {straight: {from: [1.1, 0, 0], to: [2, 0, 0]}, section: {circle: {radius: 4 mm}}, material: {young: 200 GPa, density: 7800}}
joints:
  - {fixed: [ground, a.start]}
  - {fixed: [ground, b.end]}
  - {revolute: [a.end, b.start], axis: [0, 1, 0]}
simulate: {step: 1 ms, steps: 2}
END
strained="warning: to close the joints, assembly strained beam 'b' by 222 % between its nodes 'b[0]' and 'b[1]': draw it closed"
expect 0 "$ACTIO" check gap.yaml
contains out "$strained"
expect 0 "$ACTIO" run gap.yaml
contains out "$strained"
lacks out 'is pulled with'
expect 0 "$ACTIO" check gap.yaml --set 'beams.b.straight.from=[1,0,0]'
lacks out 'warning'

finish
