# What users found: texts that steer a terminal, disks that are full, links that are replaced, settings that are not in the
# file, maps along beams of order two.
. "$(dirname "$0")/common.bash"

cat >point.yaml <<'END'
title: point
points: {mass: {mass: 1, position: [0, 0]}}
loads: [{on: mass, force: [1, 0], name: push}]
simulate: {step: 0.1, steps: 30}
END

# control characters: refused in problem files, shown as ? from result files that others wrote
printf 'title: "a\\e[31mred"\npoints: {m: {mass: 1, position: [0, 0]}}\nsimulate: {step: 0.1, steps: 3}\n' >red.yaml
expect 2 "$ACTIO" run red.yaml
contains err 'red.yaml:1:8: a control character (\x1B) is not allowed in a text'
expect 0 "$ACTIO" run point.yaml -o point.h5
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON'
data = open("point.h5", "rb").read()
at = data.find(b"point\0") if b"point\0" in data else data.find(b"point")
while at >= 0:
    data = data[:at] + b"po\x1bnt" + data[at + 5:]
    at = data.find(b"point\0", at + 5)
open("steer.h5", "wb").write(data)
PYTHON
    "$ACTIO" info steer.h5 >out 2>err
    grep -q "$(printf '\033')" out err && fail "info prints control characters"
fi

# full disks are called so, everywhere; a limit of the file size kills nothing
for what in "export point.h5 -o /dev/full" "export point.h5 -f gltf -o /dev/full"; do
    [ -c /dev/full ] || break
    "$ACTIO" $what >out 2>err && fail "written to a full disk: $what"
    contains err 'No space left on device'
    [ -c /dev/full ] || fail "the device was replaced: $what"
done
for what in "export point.h5 -o big.csv" "report point.h5 -o big.html" "plot point.h5 energy/kinetic -o big.png" \
    "export point.h5 -o big.glb" "run point.yaml -o big.h5"; do
    (ulimit -f 1 && exec "$ACTIO" $what) >out 2>err
    status=$?
    case "$what" in *.csv | *.png) ;; *) [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "exit status $status: $what" ;; esac
    [ "$status" -lt 128 ] || fail "killed: $what"
    [ "$status" -eq 0 ] || contains err 'File too large'
done
rm -f big.*
# what could not be written is not named as the place of a result
cat >rest.yaml <<'END'
points: {mass: {mass: 1, position: [0, 0]}}
springs: [{between: [ground, mass], at: {ground: [0, 1]}, stiffness: 10, length: 1}]
gravity: [0, -1]
equilibrium: {}
END
for blocks in 1 2 4 8 16; do
    (ulimit -f $blocks && exec "$ACTIO" run rest.yaml -o big.h5) >out 2>err && break
    contains err 'File too large'
    grep -q 'what was reached' err && fail "a result of $blocks kB is said to be there"
    [ ! -e big.h5 ] || fail "a result of $blocks kB is there"
done
rm -f big.*
mkdir scene
(ulimit -f 1 && exec "$ACTIO" export "$PWD/point.h5" -f vtk -o scene/big.pvd) >out 2>err
[ -z "$(find scene -name '*part*')" ] || fail "parts are left"
rm -rf scene

# too little memory has a message; the sanitizers need an address space without limit
for kilobytes in 70000 100000 150000; do
    [ "$ACTIO_SANITIZE" = 0 ] || break
    (ulimit -v $kilobytes && exec "$ACTIO" run "$ACTIO_SOURCE/examples/pendulum/chain.yaml" --set parameters.n=20000 \
        --set simulate.duration=0.001 --no-output) >out 2>err
    status=$?
    [ "$status" -eq 1 ] && contains err 'out of memory'
    [ "$status" -lt 126 ] || [ "$status" -eq 127 ] || fail "exit status $status with $kilobytes kB" # 127: not even loaded
done

# links stay links
mkdir real
for name in point.csv point.h5; do
    : >real/$name
    rm -f $name.link
done
ln -s real/point.csv link.csv
expect 0 "$ACTIO" export point.h5 -o link.csv
[ -L link.csv ] && [ -s real/point.csv ] || fail "the link to CSV was replaced"
ln -s real/other.h5 link.h5
: >real/other.h5
expect 0 "$ACTIO" run point.yaml -o link.h5
[ -L link.h5 ] && [ -s real/other.h5 ] || fail "the link to the result was replaced"
: >real/plot.svg
ln -s real/plot.svg link.svg
expect 0 "$ACTIO" plot point.h5 energy/kinetic -o link.svg
[ -L link.svg ] && [ -s real/plot.svg ] || fail "the link to the plot was replaced"

# --set makes the keys of a path and removes keys and elements with null
expect 2 "$ACTIO" check point.yaml --set simulate.formulaton.x=1
contains err 'unknown key'
expect 0 "$ACTIO" check point.yaml --set bodies.block.mass=2 --set bodies.block.inertia=[1,1,1] --json
json out 'd["results"]["nodes"] == 2'
expect 0 "$ACTIO" run point.yaml --set loads=null --json -o free.h5
json out 'd["results"]["momentum_linear_x_range"] == 0'
expect 0 "$ACTIO" run point.yaml --set loads.push=null --json -o free.h5
json out 'd["results"]["momentum_linear_x_range"] == 0'
expect 2 "$ACTIO" check point.yaml --set loads.pull=null
contains err "is not in the list"
expect 2 "$ACTIO" check point.yaml --set simulate.stpe=null
contains err "did you mean 'step'?"

# inside elements of order 2 the twisting moment about each section's own axis is constant
cat >rod.yaml <<'END'
title: rod
beams:
  rod:
    spline: {from: {position: [0, 0, 0], rotation: [0, 0, 0]}, to: {position: [0.15, 0.05, 0.85], rotation: [0.2, 0.5, 1]}}
    rest_length: 1
    elements: 8
    order: 2
    stiffness: {shear: [300, 300], axial: 600, bending: [1, 1], torsion: 0.7}
    inertia: {mass: 1, rotary: [1e-4, 1e-4]}
joints:
  - {fixed: [ground, rod.start]}
  - {fixed: [ground, rod.end]}
equilibrium: {}
END
expect 0 "$ACTIO" run rod.yaml -o rod.h5
expect 0 "$ACTIO" export rod.h5 -c 'beam/rod/isotropy' -o iso.csv
awk -F, 'END {for (i = 3; i <= NF; ++i) if (($i - $2) ^ 2 > 1e-24 || $2 < 0.5) exit 1}' iso.csv || fail "isotropy varies"

# coordinates far from the origin: remarked where rounding is a part of the motion, not solved where it is all of it; a
# spinning top there keeps its digits, and what rests near the origin has no energy to speak of
cat >far.yaml <<'END'
title: far
gravity: [0, 0, -9.81]
parameters: {x: 1e14}
bodies: {a: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{revolute: [ground, a], at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, 0], angle: 0}]
simulate: {step: 1 ms, steps: 1000}
END
for x in 1e13 1e14 1e17; do
    expect 1 "$ACTIO" run far.yaml --json -o far.h5 -s parameters.x=$x
    json out 'd["status"] == "not_solved" and "rounding destroys the motion" in d["message"]'
done
expect 0 "$ACTIO" run far.yaml --json -o far.h5 -s parameters.x=1e12
json out '"are rounded to 0.00022 m, which is" in d["remark"]'
expect 0 "$ACTIO" run far.yaml --json -o far.h5 -s parameters.x=1e8
json out '"remark" not in d'
cat >top.yaml <<'END'
title: top
bodies: {a: {mass: 1, inertia: [1, 2, 3], position: [1e9, 0, 0], angular_velocity: [0.1, 3, 0.1]}}
simulate: {step: 1 ms, steps: 1000}
END
expect 0 "$ACTIO" run top.yaml --json -o top.h5
json out '"remark" not in d and d["results"]["energy_hamiltonian_max"] - d["results"]["energy_hamiltonian_min"] < 1e-4'

# a given angle that the lengths do not allow is named with its change
cat >rssr.yaml <<'END'
title: rssr
bodies:
  crank: {solid: {rod: {length: 0.2, mass: 1}}}
  coupler: {solid: {rod: {length: 0.75, mass: 1}}}
  rocker: {solid: {rod: {length: 0.4, mass: 1}}}
joints:
  - {name: pivot, revolute: [ground, crank], at: {crank: start}, axis: [0, 0, 1], angle: 20 deg}
  - {revolute: [ground, rocker], at: {ground: [0.5, 0.2, 0], rocker: start}, axis: [1, 0.2, 0], angle: 0}
  - {spherical: [crank, coupler], at: {crank: end, coupler: start}}
  - {spherical: [coupler, rocker], at: {coupler: end, rocker: end}}
simulate: {step: 1 ms, steps: 5}
END
expect 0 "$ACTIO" run rssr.yaml --json -o rssr.h5
json out 'd["warnings"] == ["joint '"'pivot'"' is given the coordinate 0.349066, which the lengths do not allow: it starts at 0.696359"]'
json out 'abs(d["assembly"]["coordinate_change"]) > 0.3'
expect 0 "$ACTIO" check rssr.yaml
contains out "warning: joint 'pivot' is given the coordinate 0.349066"
expect 0 "$ACTIO" report rssr.h5 -o rssr.html
grep -q 'which the lengths do not allow' rssr.html || fail 'the page does not say that a given angle is not met'
# there the crank cannot turn: the rod and the crank are in the plane that the rocker leaves; its given rate is named
sed 's/angle: 20 deg/angle: 20 deg, angle_rate: 10/' rssr.yaml >rate.yaml
expect 0 "$ACTIO" run rate.yaml -o rate.h5
if grep -q 'energy rises' out; then fail "rounding of a mechanism at rest counts as energy from nowhere"; fi
grep -Eq "^warning: joint 'pivot' is given the rate 10, which the joints do not allow: it starts with -?[0-9.]+e-1[0-9]|starts with 0$" out || fail "rate: $(cat out)"

# a ring whose given angles contradict each other: one of them alone could be let go (the middle one, by symmetry), but
# none of them is out of reach by itself
cat >ring.yaml <<'END'
title: ring
planar_bodies: {k: {repeat: 20, solid: {rod: {length: 1, mass: 1}}}}
joints:
  - {revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: 19, angle: 0.4}
  - {revolute: [k(20), k(1)], at: {k(20): end, k(1): start}}
simulate: {step: 1 ms, steps: 5}
END
expect 2 "$ACTIO" run ring.yaml -o ring.h5
contains err "contradict each other: joint 'k(10)-k(11)' is given angle 0.4, with the others it is angle"

# gradients say in --json what assembly moved, and why there is none
cat >drawn.yaml <<'END'
title: gradient of a start that assembly moves
parameters: {L: 1}
gravity: [0, -9.81]
planar_bodies:
  a: {solid: {rod: {length: =L, mass: 1}}}
  b: {solid: {rod: {length: 1, mass: 1}}, position: [1.2, 0.5]}
  c: {solid: {rod: {length: 1, mass: 1}}, position: [2, 0]}
joints:
  - {revolute: [ground, a], at: {a: start}, angle: 0.5, hint: true, name: h}
  - {revolute: [a, b], at: {a: end, b: start}}
  - {revolute: [b, c], at: {b: end, c: end}}
  - {revolute: [ground, c], at: {ground: [1.2, 0], c: start}}
simulate: {step: 1 ms, steps: 20, quantities: {x: {joint: h}}, functional: [{end: x}]}
END
expect 0 "$ACTIO" gradient drawn.yaml --json -o drawn.h5
json out 'd["task"] == "simulate" and d["assembly"]["moved"] > 0.1 and len(d["assembly"]["changes"]) > 0'
expect 0 "$ACTIO" gradient drawn.yaml -o drawn.h5
contains out 'assembly moved'
expect 2 "$ACTIO" gradient drawn.yaml --json --set joints.3.at.ground='[9, 0]' -o drawn.h5
json out 'd["status"] == "not_solved" and "closed" in d["message"]'
# a damper without a name has none in the remark
printf 'title: d\nplanar_bodies: {a: {solid: {rod: {length: 1, mass: 1}}}}\njoints: [{revolute: [ground, a], at: {a: start}, angle_rate: 1, name: h}]\ndampers: [{joint: h, damping: 1e15}]\nsimulate: {step: 1 ms, steps: 50}\n' >damped.yaml
expect 0 "$ACTIO" run damped.yaml -o damped.h5
contains out "a damper at body 'a' stops its motion"

# an impact of phases that adds energy, because several rates are prescribed: the amount is said
cat >rod.yaml <<'FILE'
title: rod
gravity: [0, -9.81]
planar_bodies:
  rod: {mass: 1, inertia: =1/12, points: {low: [-0.5, 0]}, position: [=0.25*sqrt(2), =0.5+0.25*sqrt(2)], angle: =pi/4, velocity: [2, 0]}
optimize:
  intervals: 5
  duration: 0.3
  controls: [{torque: rod, name: m, limit: 0}]
  quantities: {x: {of: rod, point: low, along: x}, y: {of: rod, point: low, along: y}}
  objective: [{effort: 1}]
  phases:
    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}
    - {name: rise, duration: 0.1, impact: {y: 1, x: 0}}
FILE
expect 0 "$ACTIO" run rod.yaml -o rod.h5
contains out "between phases 'fall' and 'rise' adds 1.09907 J"
sed 's/velocity: \[2, 0\]/velocity: [-2, 0]/' rod.yaml >loss.yaml
expect 0 "$ACTIO" run loss.yaml -o loss.h5
grep -q "which no contact does" out && fail "an impact that takes energy is reported as one that adds it"
# the law of contacts never adds any
sed 's/impact: .*/impact: {y: {restitution: 1, tangential: 1, along: [x]}}}/' rod.yaml >contact.yaml
expect 0 "$ACTIO" run contact.yaml -o contact.h5
grep -q "which no contact does" out && fail "tangential loss adds energy"
contains out '0.0045560355 J'

# a bound at inner nodes that the motion violates at its ends: there is no limit of fine meshes
cat >hop.yaml <<'FILE'
title: hop
points: {ball: {mass: 1, position: [0, 0]}}
optimize:
  intervals: 8
  duration: 1
  controls: [{force: ball, name: f}]
  quantities: {x: {of: ball, point: centre, along: x}, y: {of: ball, point: centre, along: y}}
  objective: [{effort: 1}]
  phases:
    - name: hop
      conditions:
        - {expression: x, equals: 1, at: end}
        - {expression: y, equals: 0, at: end}
        - {expression: y, at_least: 0.1, at: inside, name: height}
FILE
expect 0 "$ACTIO" run hop.yaml -o hop.h5
contains out "condition 'height' holds at inner nodes, but at the start of phase 'hop' it is 0 instead of 0.1"
contains out "at the end of phase 'hop'"
sed 's/expression: y, at_least: 0.1/expression: "y-0.1*sin(pi*t\/T)", at_least: 0/' hop.yaml >curve.yaml
expect 0 "$ACTIO" run curve.yaml -o curve.h5
grep -q "holds at inner nodes" out && fail "a bound that begins and ends with the motion is reported"
finish
