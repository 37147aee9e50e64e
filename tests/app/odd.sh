# Odd but allowed: every N-th row with N beyond all numbers, plots against another quantity, a shallow arch whose path passes a
# broken pitchfork, a cart-pole on a fine mesh.
. "$(dirname "$0")/common.bash"

cat >fall.yaml <<'END'
title: fall
gravity: [0, -9.81]
points: {bob: {mass: 1, position: [1, 0]}}
joints: [{distance: [ground, bob], name: rod}]
simulate: {step: 10 ms, duration: 1}
END
expect 0 "$ACTIO" run fall.yaml -o fall.h5

# 101 rows: 0, 40, 80; a number beyond all others leaves the first
expect 0 "$ACTIO" export fall.h5 -c energy/kinetic --every 40
[ "$(wc -l <out)" -eq 4 ] && [ "$(sed -n 3p out | cut -d, -f1)" = 0.40000000000000002 ] || fail "rows 0, 40, 80"
expect 0 "$ACTIO" export fall.h5 -c energy/kinetic --every 99999999999999999999
[ "$(wc -l <out)" -eq 2 ] || fail "the first row alone"
expect 2 "$ACTIO" export fall.h5 --every -3
expect 2 "$ACTIO" export fall.h5 --every 1.5

# the axis: time by default, another quantity with -x, which is named below it
expect 0 "$ACTIO" plot fall.h5 point/bob/position.y -o time.pdf
draws time.pdf '"time [s]" in t'
expect 0 "$ACTIO" plot fall.h5 point/bob/position.y -x point/bob/position.x -o path.pdf
draws path.pdf 'any("position.x" in w for w in t) and not any(w.startswith("time") for w in t)'
expect 2 "$ACTIO" plot fall.h5 point/bob/position.y -x point/bob/nothing -o path.pdf
contains err 'nothing'
expect 0 "$ACTIO" plot fall.h5 point/bob/position.x --log -o log.pdf
draws log.pdf 'any(w.startswith(("10", "1e", "0.1")) for w in t)'

# cart-pole on a fine mesh: no more iterations than on a coarse one
cat >cart.yaml <<'END'
title: cart-pole
parameters: {N: 100}
gravity: [0, -9.81]
planar_bodies:
  cart: {mass: 1, inertia: 1}
  pole: {mass: 0.3, inertia: 0.00625, points: {pivot: [0, 0.25]}}
joints:
  - {prismatic: [ground, cart], at: {ground: [0, 0], cart: [0, 0]}, axis: [1, 0], slide: 0, name: rail}
  - {revolute: [cart, pole], at: {cart: [0, 0], pole: pivot}, angle: 0, name: hinge}
optimize:
  intervals: =N
  duration: 2 s
  controls: [{joint: rail, name: u, limit: 20}]
  objective: [{effort: 1}]
  conditions:
    - {joint: hinge, equals: =pi, at: end}
    - {joint: rail, equals: 0, at: end}
  end_velocity: rest
END
for n in 100 400; do
    expect 0 "$ACTIO" run cart.yaml --set parameters.N=$n --json -o cart.h5
    json out 'd["results"]["iterations"] <= 30 and abs(d["results"]["objective"] - 26.7) < 0.1'
done

# with a weak motor it takes two swings: several starts on a coarse mesh, then finer ones
expect 0 "$ACTIO" run cart.yaml --set parameters.N=60 --set optimize.controls.u.limit=5 --set optimize.duration=3 \
    --set optimize.starts=8 --set optimize.refine=[120,400] --json -o cart.h5
json out 'd["results"]["objective"] < 12.7'

# the arch of 45.24 degrees: its load falls behind the branch of a broken pitchfork at 7298, far below the limit at 8353
cat >arch.yaml <<'END'
title: arch
beams:
  arch:
    arc: {from: [5, 0, 0], centre: [0, 0, -12], axis: [0, -1, 0], angle: 45.24 deg}
    elements: 40
    d1: [0, 1, 0]
    section: {rectangle: {width: 30 cm, height: 20 cm}}
    material: {young: 210 GPa, density: 7850}
joints:
  - {name: left, revolute: [ground, arch.start], axis: [0, 1, 0]}
  - {name: right, revolute: [ground, arch.end], axis: [0, 1, 0]}
loads:
  - {force: [0, 0, -1 kN], on: arch.middle}
equilibrium: {path: {step: 5 cm, points: 40}}
END
expect 0 "$ACTIO" run arch.yaml --json -o arch.h5
json out 'abs(d["results"]["limit_1_factor"] - 7298.13) < 0.1 and d["results"]["load_factor_max"] < 7299'
finish
