# Large systems: loops of many bodies cost little more than their number, and ctrl-C acts within a second everywhere.
. "$(dirname "$0")/common.bash"

cat >ring.yaml <<'END'
title: ring
parameters: {n: 400, R: =1/(2*sin(pi/n))}
planar_bodies:
  k:
    repeat: =n
    solid: {rod: {length: 1, mass: 1}}
    position: ["=R*cos(2*pi*(i-0.5)/n)", "=R*sin(2*pi*(i-0.5)/n)"]
    angle: "=2*pi*i/n+pi/2"
    velocity: ["=0.1*cos(4*pi*(i-0.5)/n)*cos(2*pi*(i-0.5)/n)", 0]
joints:
  - {revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: =n-1}
  - {revolute: [k(=n), k(1)], at: {k(=n): end, k(1): start}}
simulate: {step: 1 ms, steps: 10, record_every: 5}
END
sed 's/k(=n)/k(400)/g' ring.yaml >ring400.yaml
sed 's/k(=n)/k(20)/g; s/n: 400/n: 20/' ring.yaml >ring20.yaml

# velocities of bodies whose origin is their hinge: their spins follow from the neighbours, not from rounding
expect 0 "$ACTIO" run ring20.yaml --json -o ring20.h5
json out 'abs(d["results"]["energy_hamiltonian_max"] - 0.0882373599) < 1e-9'

# the energy is that of the links' velocities in small (dense) and large (sparse) systems, and is kept
expect 0 "$ACTIO" run ring400.yaml --json -o ring400.h5
json out '1.9 < d["results"]["energy_hamiltonian_max"] < 2.1'
json out 'd["results"]["energy_hamiltonian_max"] - d["results"]["energy_hamiltonian_min"] < 1e-6'
json out 'd["results"]["residual_velocity_max"] < 1e-9 and d["results"]["residual_constraints_max"] < 1e-11'
json out 'd["results"]["time_per_step"] < 0.2'

# many loops: motion and momenta of a ladder with 60 rungs are those of the dense formulation
cat >ladder.yaml <<'END'
title: ladder
parameters: {n: 60}
gravity: [0, -9.81]
planar_bodies:
  r: {repeat: =n+1, solid: {rod: {length: 1, mass: 1}}, position: ["=i-1", 0], angle: 1.5707963267948966}
  a: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=i-1", 1]}
  b: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=i-1", 0]}
joints:
  - {revolute: [ground, r(1)], at: {r(1): start}}
  - {revolute: [r(i), a(i)], at: {r(i): end, a(i): start}, repeat: =n}
  - {revolute: [a(i), r(i+1)], at: {a(i): end, r(i+1): end}, repeat: =n}
  - {revolute: [r(i), b(i)], at: {r(i): start, b(i): start}, repeat: =n}
  - {revolute: [b(i), r(i+1)], at: {b(i): end, r(i+1): start}, repeat: =n}
simulate: {step: 1 ms, steps: 10, record_every: 10}
END
expect 0 "$ACTIO" run ladder.yaml --json -o sparse.h5
cp out sparse.json
expect 0 "$ACTIO" run ladder.yaml --json --set simulate.formulation=reduced -o dense.h5
json out 'all(abs(d["results"][k] - json.load(open("sparse.json"))["results"][k]) < 1e-7 * (1 + abs(d["results"][k]))
    for k in ("energy_hamiltonian_max", "energy_hamiltonian_min", "momentum_linear_y_range", "momentum_angular_z_range"))'
json out 'd["results"]["unknowns"] < json.load(open("sparse.json"))["results"]["unknowns"]'

# ... and in larger ones, drawn with gaps that assembly has to close, the loops are closed, and given rates are kept
sed 's/position: \["=i-1", 0\], angle: 1.5707963267948966/position: ["=i-1+0.02*sin(3*i)", "=0.02*cos(5*i)"], angle: "=1.5707963267948966+0.05*sin(i)"/
    s/at: {r(1): start}}/at: {r(1): start}, angle_rate: 2}/' ladder.yaml >drawn.yaml
expect 0 "$ACTIO" run drawn.yaml --json --set parameters.n=150 -o drawn.h5
json out 'd["assembly"]["residual"] < 1e-12 and d["assembly"]["velocity_change"] < 1e-9 and d["assembly"]["moved"] > 1'
json out 'd["results"]["residual_velocity_max"] < 1e-9 and d["results"]["energy_hamiltonian_min"] > 1e6'
expect 0 "$ACTIO" check drawn.yaml --json --set parameters.n=150
json out 'd["results"]["freedoms"] == 151 and d["results"]["redundant_constraints"] == 0'

# a long chain: the forces of its joints swing faster than midpoint can follow at this step; auto takes energy-momentum
chain="$ACTIO_SOURCE/examples/pendulum/chain.yaml --set parameters.n=10000 --set simulate.duration=0.005"
expect 0 "$ACTIO" run $chain --json -o chain.h5
json out 'd["results"]["steps"] == 5 and any("scheme energy-momentum: forces of the joints" in n["text"] for n in d["notes"])'
json out 'abs(d["results"]["energy_hamiltonian_max"] / d["results"]["energy_hamiltonian_min"] - 1) < 1e-10'
json out 'abs(d["results"]["steps_per_oscillation"] - 6.2832 / 3.193) < 0.1' # sqrt(12 n g sin 60 / l) = 3193 rad/s
expect 1 "$ACTIO" run $chain --set simulate.scheme=midpoint -o unstable.h5

# ctrl-C inside a step of many seconds, or while the file is read where that takes longer (without -m the shell would have the
# run ignore it until then)
set -m
"$ACTIO" run ladder.yaml --set parameters.n=500 --set simulate.formulation=reduced -o long.h5 >out 2>err &
process=$!
set +m
used() { # PROCESS: its processor time in hundredths of a second
    awk '{print $14 + $15}' "/proc/$1/stat" 2>/dev/null || echo 0
}
works() { [ "$(used $process)" -gt 200 ] || ends $process; } # reading is over, or takes longer than a moment itself
wait_for works
if kill -INT $process 2>/dev/null; then
    after=$(used $process)
    while ! ends $process; do # processor time, which other programs do not change
        now=$(used $process)
        [ "$now" -lt $((after + 300)) ] || break
        sleep 0.05
    done
    ends $process || { fail "ctrl-C takes longer than three seconds of work"; kill -KILL $process; }
    wait $process
    status=$?
    [ "$status" -eq 1 ] || [ "$status" -eq 130 ] || fail "exit status $status after ctrl-C"
    [ "$status" -eq 130 ] || contains err interrupted
    [ ! -e long.h5 ] || [ "$status" -eq 1 ] || fail "an unfinished result"
else
    fail "the run is not long enough"
fi
finish
