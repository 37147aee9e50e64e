# The adviser of resolution: oscillations and features of loads that a step does not resolve, and the step that would.
. "$(dirname "$0")/common.bash"

# omega = sqrt(k / m) = 100 rad/s, a period of 62.8 ms
cat >spring.yaml <<'END'
title: spring
points: {mass: {mass: 2, position: [0.1, 0]}}
springs: [{between: [ground, mass], stiffness: 20000, length: 0}]
simulate: {step: 10 ms, duration: 0.5}
END
expect 0 "$ACTIO" run spring.yaml --json -o spring.h5
json out 'abs(d["results"]["steps_per_oscillation"] - 6.2832) < 0.02'
json out 'any(n["kind"] == "remark" and "a spring" in n["text"] and "a step of 0.0031 s makes 20" in n["text"] for n in d["notes"])'
expect 0 "$ACTIO" run spring.yaml -o spring.h5
contains out 'the fastest oscillation, by a spring'
expect 0 "$ACTIO" run spring.yaml --json --set simulate.step=0.003 --set simulate.duration=0.3 -o spring.h5
json out '"steps_per_oscillation" not in d["results"] and not any("oscillation" in n["text"] for n in d["notes"])'

# a pendulum: sqrt(g / l) by the force of its joint
cat >pendulum.yaml <<'END'
title: pendulum
gravity: [0, -9.81]
points: {bob: {mass: 1, position: [0.01, -0.1]}}
joints: [{distance: [ground, bob], name: string}]
simulate: {step: 50 ms, duration: 1}
END
expect 0 "$ACTIO" run pendulum.yaml --json -o pendulum.h5
json out 'abs(d["results"]["steps_per_oscillation"] - 6.2832 / (0.05 * (9.81 / 0.1005) ** 0.5)) < 0.1'
json out 'any("the forces of the joints" in n["text"] for n in d["notes"])'

# pulses inside of a step, as a table and as an expression
cat >pulse.yaml <<'END'
title: pulse
points: {mass: {mass: 1, position: [0, 0]}}
loads: [{on: mass, force: [{table: [[0, 0], [0.0521, 0], [0.0525, 10], [0.0529, 0], [1, 0]]}, 0], name: kick}]
simulate: {step: 10 ms, duration: 0.2}
END
expect 0 "$ACTIO" run pulse.yaml --json -o pulse.h5
json out 'any(n["kind"] == "remark" and "kick" in n["text"] and "rises and falls within one step at t = 0.05" in n["text"] for n in d["notes"])'
expect 0 "$ACTIO" run pulse.yaml --json --set simulate.step=0.0001 -o pulse.h5
json out 'not any("rises and falls" in n["text"] for n in d["notes"])'

# a wheel at h w = 0.93 turns by asin(0.93) = 1.194 rad in a step, 28.4 % too far; beyond h w = 1 no angle has the momentum
cat >wheel.yaml <<'END'
title: wheel
planar_bodies: {wheel: {mass: 1, inertia: 1, angular_velocity: 93}}
loads: [{on: wheel, force: [{table: [[0, 0], [0.0521, 0], [0.0525, 10], [0.0529, 0], [1, 0]]}, 0]}]
simulate: {step: 10 ms, duration: 0.2}
END
expect 0 "$ACTIO" run wheel.yaml --json -o wheel.h5
json out 'any("turns by 1.2 rad in one step" in n["text"] and "too fast by about 28 %" in n["text"] for n in d["notes"])'
json out 'any("load number 1 rises and falls within one step at t = 0.05" in n["text"] for n in d["notes"])'

# a motor and a damper that hold one another: momenta of nodes have what both leave to the joints in them
cat >motor.yaml <<'END'
title: motor
planar_bodies:
  crank: {solid: {rod: {length: 0.1, mass: 1}}}
  rod: {solid: {rod: {length: 0.3, mass: 1}}}
  piston: {mass: 1, inertia: 1e-3}
joints:
  - {name: shaft, revolute: [ground, crank], at: {crank: start}, angle: 0, angle_rate: 20}
  - {name: pin, revolute: [crank, rod], at: {crank: end, rod: start}}
  - {name: wrist, revolute: [rod, piston], at: {rod: end, piston: centre}}
  - {name: bore, prismatic: [ground, piston], at: {ground: [0, 0], piston: centre}, axis: [1, 0], slide: 0.4}
dampers: [{joint: shaft, damping: 1000}]
loads: [{joint: shaft, value: 20000}]
simulate: {step: 1 ms, duration: 0.3}
END
expect 0 "$ACTIO" run motor.yaml --json -o motor.h5
json out 'any("up to 6.01 J, with a kinetic energy of the motion of at most 4.97 J" in n["text"] for n in d["notes"])'
json out '"energy_hamiltonian_max" not in d["results"] and d["results"]["energy_hamiltonian_projected_max"] < 5.04'
expect 0 "$ACTIO" run motor.yaml --json --set simulate.step=0.1ms -o motor.h5
json out 'd["results"]["energy_hamiltonian_max"] < 5.04 and not any("act on the joints alone" in n["text"] for n in d["notes"])'
# a crank that a motor holds at the rate w: J w^2 / 2 +- m g l / 2, whatever the damper
for c in 1e3 3e4 7e5 2e7; do
    for w in 4 10; do
        cat >crank.yaml <<END
title: crank
gravity: [0, -9.81]
planar_bodies: {crank: {solid: {rod: {length: 0.2, mass: 0.4}}}}
joints: [{revolute: [ground, crank], at: {crank: start}, angle: 0, angle_rate: $w, name: pin}]
dampers: [{joint: pin, damping: $c}]
loads: [{joint: pin, value: =$c*$w}]
simulate: {step: 1 ms, duration: 2 s}
END
        expect 0 "$ACTIO" run crank.yaml --json -o crank.h5
        json out "sorted(round(v - 0.5 * 0.016 / 3 * $w ** 2, 3) for k, v in d['results'].items() if k.startswith('energy_hamiltonian')) == [-0.392, 0.392]"
    done
done
finish
