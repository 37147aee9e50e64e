# The impulse of a load over a step is exact, also of pulses that are shorter than the step, in every scheme.
. "$(dirname "$0")/common.bash"

cat >table.yaml <<'EOF'
title: A pulse of 0.1 N s, shorter than the step
points: {p: {mass: 1, position: [0, 0]}}
loads: [{force: [{table: [[0, 0], [0.01021, 0], [0.01026, 2000], [0.01031, 0]]}, 0], on: p}]
simulate: {step: 1 ms, steps: 20}
EOF
sed 's/{table: .*\]\]}/"=1000*(step(t-0.01021)-step(t-0.01031))"/' table.yaml >jumps.yaml
for file in table jumps; do
    for scheme in midpoint trapezoidal energy-momentum; do
        expect 0 "$ACTIO" run --json --no-output "$file.yaml" --set "simulate.scheme=$scheme"
        json out 'abs(d["results"]["momentum_linear_x_range"] - 0.1) < 1e-12'
    done
done

# smooth loads keep order 2: m x'' = sin(5 t), x(1) = 1/5 - sin(5)/25
cat >smooth.yaml <<'EOF'
title: A smooth load
points: {p: {mass: 1, position: [0, 0]}}
loads: [{force: ["=sin(5*t)", 0], on: p}]
simulate: {step: 20 ms, duration: 1 s}
EOF
for step in 0.02 0.01; do
    expect 0 "$ACTIO" run -q smooth.yaml --set simulate.step=$step
    expect 0 "$ACTIO" export smooth.h5 -c point/p/position.x -o "$step.csv"
done
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail 'the order is not 2'
import math
exact = 0.2 - math.sin(5) / 25
error = [abs(float(open(f'{h}.csv').read().split()[-1].split(',')[1]) - exact) for h in ('0.02', '0.01')]
assert error[0] < 1e-3 and 3.6 < error[0] / error[1] < 4.4, error
PYTHON
fi

# the optimiser takes the same impulse: what it finds and the re-simulation agree
cat >control.yaml <<'EOF'
title: A pulse and a control
points: {p: {mass: 1, position: [0, 0]}}
loads: [{force: [{table: [[0, 0], [0.5021, 0], [0.5026, 200], [0.5031, 0]]}, 0], on: p}]
optimize:
  intervals: 20
  duration: 1
  controls: [{force: p, name: u}]
  objective: [{effort: 1}]
  conditions: [{point: centre, of: p, place: [0, 0], at: end}]
  end_velocity: rest
EOF
expect 0 "$ACTIO" run --json control.yaml
json out 'd["results"]["objective"] > 0'
expect 0 "$ACTIO" export control.h5 -t intervals -c 'control/u*' -o control.csv
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail 'the control does not take the impulse of the pulse back'
rows = [[float(x) for x in line.split(',')] for line in open('control.csv').read().splitlines()[1:]]
assert abs(sum(r[1] for r in rows) / 20 + 0.1) < 1e-9, rows
PYTHON
fi
finish
