# Beams of unit dual quaternions: a run, its stability limit, and what is refused, each with its reason.
. "$(dirname "$0")/common.bash"

cat >strip.yaml <<'END'
title: A soft strip
gravity: [-9.81, 0, 0]
beams:
  strip:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [0, 0, 1]}
    elements: 4
    section: {rectangle: {width: 5 cm, height: 5 cm}}
    material: {young: 1 MPa, poisson: 0.35, density: 1000, shear_viscosity: 10 Pa s, bulk_viscosity: 1 Pa s}
joints:
  - {name: root, revolute: [ground, strip.start], axis: [0, 1, 0]}
simulate: {step: 0.2 ms, steps: 50}
END
expect 0 "$ACTIO" run --json --no-output strip.yaml
json out 'd["results"]["residual_constraints_max"] < 1e-13'
expect 0 "$ACTIO" check strip.yaml
contains out 'the file is valid'

expect 2 "$ACTIO" run --no-output strip.yaml --set simulate.step=0.01
contains err 'the trapezoidal scheme is stable up to'
expect 2 "$ACTIO" run --no-output strip.yaml --set simulate.scheme=midpoint
contains err 'trapezoidal scheme only'
expect 2 "$ACTIO" run --no-output strip.yaml --set simulate.formulation=multipliers
contains err 'reduced formulation only'
expect 2 "$ACTIO" check strip.yaml --set beams.strip.order=2
contains err 'have order 1'
expect 0 "$ACTIO" check strip.yaml --set beams.strip.model=director # viscosities are for every model
expect 2 "$ACTIO" check strip.yaml --set beams.strip.model=director --set 'beams.strip.ambient_stiffness=[0, 1]'
contains err 'for the model dual_quaternion only'

cat >two.yaml <<'END'
title: Two kinds of beams
beams:
  a: {model: dual_quaternion, straight: {from: [0, 0, 0], to: [0, 0, 1]}, section: {circle: {radius: 1 cm}}, material: {young: 1 MPa, density: 1000}}
  b: {straight: {from: [1, 0, 0], to: [1, 0, 1]}, section: {circle: {radius: 1 cm}}, material: {young: 1 MPa, density: 1000}}
simulate: {step: 1 us, steps: 1}
END
expect 2 "$ACTIO" check two.yaml
contains err 'cannot be in one system'

cat >swing.yaml <<'END'
title: Swing
gravity: [-9.81, 0, 0]
bodies: {block: {solid: {box: {size: [0.1, 0.1, 0.1], mass: 1}}, position: [0, 0, 1.05]}}
beams:
  strip:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [0, 0, 1]}
    elements: 2
    section: {rectangle: {width: 5 cm, height: 5 cm}}
    material: {young: 1 MPa, poisson: 0.35, density: 1000}
joints:
  - {name: root, revolute: [ground, strip.start], axis: [0, 1, 0]}
  - {fixed: [strip.end, block]}
optimize:
  method: shooting
  scheme: trapezoidal
  duration: 0.02 s
  intervals: 100
  max_iterations: 3
  first_step: 0.1
  controls: [{name: torque, joint: root, guess: 1}]
  quantities:
    far: {pose: {position: [0, 0, 1], rotation: [0, 0, 0]}, of: strip.end}
  objective: [{effort: 1e-3}, {end: far}]
END
expect 0 "$ACTIO" gradient swing.yaml --check # a body hangs on the beam
contains out 'error against differences'

cat >arm.yaml <<'END'
title: Soft arm
beams:
  rod:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 1, 0]
    elements: 2
    stiffness: {shear: [20, 20], axial: 40, bending: [2, 2], torsion: 1.5}
    damping: 0.02
    inertia: {mass: 0.3, rotary: [1e-2, 1e-2]}
    masses: [{at: end, mass: 0.1}]
joints:
  - {revolute: [ground, rod.start], axis: [0, 0, 1], name: hub}
optimize:
  intervals: 40
  duration: 1 s
  controls: [{joint: hub, name: torque}]
  quantities:
    hub_angle: {joint: hub}
    across: {of: rod.end, point: [0, 0, 0], along: [=-sin(pi/3), =cos(pi/3), 0]}
  objective:
    - {effort: 1}
    - {end: "10*((hub_angle - pi/3)^2 + across^2 + 0.1*hub_angle_rate^2 + 0.1*across_rate^2)"}
END
expect 0 "$ACTIO" run --json --no-output arm.yaml # transcription and shooting find the same optimum
json out 'd["results"]["optimality"] < 1e-7 and d["results"]["second_order"] == 1 and d["results"]["resimulation_error"] < 1e-9'
cp out transcribed
expect 0 "$ACTIO" run --json --no-output arm.yaml --set optimize.method=shooting --set optimize.tolerance=1e-6
json out 'abs(d["results"]["objective"] - json.load(open("transcribed"))["results"]["objective"]) < 1e-9'
expect 2 "$ACTIO" run --no-output arm.yaml --set optimize.intervals=20
contains err 'use at least'
expect 2 "$ACTIO" check arm.yaml --set optimize.scheme=midpoint
contains err 'trapezoidal scheme only'
sed 's/revolute: \[ground, rod.start\], axis: \[0, 0, 1\]/distance: [ground, rod.start], at: {ground: [0, 0.5, 0]}/
  s/{joint: hub, name/{force: rod.end, component: y, name/; /hub_angle: {joint/d; s/(hub_angle - pi.3)^2 + //; s/ + 0.1.hub_angle_rate^2//' arm.yaml >hung.yaml
expect 2 "$ACTIO" run --no-output hung.yaml
contains err 'that hang on a distance joint'

sed 's/of: strip.end}/of: block}/' swing.yaml >block.yaml
expect 2 "$ACTIO" check block.yaml
contains err 'dual_quaternion only'
finish

# energies by part: kinetic energy of places and turns, potential of gravity and of strains
rows() { tail -n +2 "$1" | tr ',' ' '; } # without the names
expect 0 "$ACTIO" run --quiet strip.yaml --set simulate.energies=true --set simulate.steps=500 -o parts.h5
expect 0 "$ACTIO" export parts.h5 -c 'energy/translation,energy/rotation,energy/kinetic,energy/gravity,energy/elastic,energy/potential' -o parts.csv
rows parts.csv | awk '
    function off(a, b) { return a - b > 1e-12 || b - a > 1e-12 }
    off($2 + $3, $4) || off($5 + $6, $7) || $3 < 0 || $6 < 0 { exit 1 }
    { turn = $3; strain = $6; move = $2 }
    END { exit !(turn > 0 && strain > 1e-6 && move > 100 * turn) }' || fail "the parts of the energy are not its parts"

# a body that flies and spins about a principal axis, on a spring: m v^2 / 2, J w^2 / 2, m g z, c x^2 / 2
cat >flight.yaml <<'END'
gravity: [0, 0, -10]
bodies:
  top: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 3], velocity: [1, 2, 0], angular_velocity: [0, 0, 5]}
springs: [{between: [ground, top], stiffness: 8, rest: 2}]
simulate: {step: 1 ms, steps: 1, energies: true}
END
expect 0 "$ACTIO" run --quiet flight.yaml -o flight.h5
expect 0 "$ACTIO" export flight.h5 -c 'energy/translation,energy/rotation,energy/gravity,energy/elastic' -o flight.csv
rows flight.csv | head -1 | awk '
    function off(a, b) { return a - b > 1e-12 || b - a > 1e-12 }
    { exit off($2, 5) || off($3, 3.75) || off($4, 60) || off($5, 4) }' || fail "energies by part of a body"
