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
limit=$(sed -n 's/.*stable up to \([^ ]*\) s.*/\1/p' err) # the step that is named is one, in the table of check, too
expect 0 "$ACTIO" run --no-output strip.yaml --set simulate.step="$limit"
expect 2 "$ACTIO" run --no-output strip.yaml --set simulate.step="$(awk -v h="$limit" 'BEGIN { printf "%.9g", 1.00001 * h }')"
expect 2 "$ACTIO" check --json strip.yaml --set simulate.step=0.01
json out "d['results']['longest_stable_step'] == $limit and 'error_of_step_derivative' not in d['results']"
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

# deflections of a clamped beam: exact at the nodes for a uniform load and an end moment; for a force at the tip the part of bending is
# low by 1 / (4 A^2)
cat >clamped.yaml <<'END'
parameters: {A: 2, g: 0, force: 0, moment: 0}
gravity: [0, 0, =-g]
beams:
  strip:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 0, 1]
    elements: =A
    section: {rectangle: {width: 0.1, height: 0.1, shear_factors: [1, 1]}}
    material: {young: 2.1e5, poisson: 0.3, density: 7.85}
joints: [{fixed: [ground, strip.start]}]
loads: [{on: strip.end, force: [0, 0, =-force]}, {on: strip.end, torque: [0, =moment, 0]}]
equilibrium: {}
END
tip() { # elements, further settings: height of the tip
    local elements=$1
    shift
    "$ACTIO" run --quiet clamped.yaml --set parameters.A=$elements "$@" -o tip.h5 || fail "no deflection with $elements elements, $*"
    "$ACTIO" export tip.h5 -c "beam/strip/position.$elements.z" | tail -1 | cut -d, -f2
}
near() { awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { off = (a - b) / b; exit !(off < part && off > -part) }' || fail "$1 is not $2: $4"; }
for elements in 2 5; do
    near "$(tip $elements --set parameters.g=9.81e-3)" -5.54827907e-5 1e-8 "uniform load, $elements elements" # w/8EI + w/2GA
    near "$(tip $elements --set parameters.moment=1e-4)" -2.857142857e-5 1e-9 "end moment, $elements elements" # M/2EI
    expected=$(awk -v n=$elements 'BEGIN { printf "%.12g", -(1e-4 / 5.25 * (1 - 1 / (4 * n * n)) + 1e-4 / (2.1e5 / 2.6 * 0.01)) }')
    near "$(tip $elements --set parameters.force=1e-4)" "$expected" 1e-8 "force at the tip, $elements elements"
done

# a curved beam is free of stress with every choice of the free numbers; gradients know what its shape without stress depends on
cat >curved.yaml <<'END'
parameters: {radius: 1, bend: 0.4, alpha: 0.3, k: 0.3}
gravity: [0, 0, -9.81]
beams:
  arc:
    model: dual_quaternion
    arc: {centre: [0, 0, 0], from: [=radius, 0, 0], axis: [0, 0, 1], angle: 90 deg}
    elements: 4
    section: {circle: {radius: 3 cm}}
    material: {young: 0.5 MPa, poisson: 0.35, density: 1000, shear_viscosity: 20 Pa s}
    ambient_stiffness: [=alpha, 100]
    precurvature: [=bend, 0, =bend/2]
    potential: "k*x^2 + 0.1*z*s + 0.2*y^3"
joints: [{fixed: [ground, arc.start]}]
simulate:
  step: 0.2 ms
  steps: 200
  quantities:
    height: {of: arc.end, point: [0, 0, 0], along: [0, 0, 1]}
    energy: {potential_energy: arc}
  functional: [{end: height^2 + 0.1*energy}]
END
expect 0 "$ACTIO" run --json --no-output curved.yaml --set simulate=null --set equilibrium.steps=1 --set gravity=null \
    --set beams.arc.potential=null --set parameters.bend=0
json out 'abs(d["results"]["energy_potential"]) < 1e-25'
expect 0 "$ACTIO" gradient curved.yaml --check --json
json out 'all(abs(x - d["differences"][k]) < 1e-6 * abs(x) for k, x in d["gradient"].items())'

# a field along the beam: the whole of it oscillates as a mass on a spring
cat >field.yaml <<'END'
parameters: {k: 3}
beams:
  rod:
    model: dual_quaternion
    straight: {from: [0.2, 0, 0], to: [0.2, 0, 1]}
    elements: 10
    section: {rectangle: {width: 0.05, height: 0.05}}
    material: {young: 0.5 MPa, density: 1000}
    potential: "k/2*x^2"
simulate: {step: 0.4 ms, duration: 1 s}
END
expect 0 "$ACTIO" run --quiet field.yaml -o field.h5
near "$("$ACTIO" export field.h5 -c beam/rod/position.5.x | tail -1 | cut -d, -f2)" 0.09153014981000243 1e-7 "a rod in a field" # 0.2 cos(sqrt(k / mass per length))
expect 2 "$ACTIO" check field.yaml --set 'beams.rod.energy="u1^2"'
contains err 'have a quadratic energy of strains'

# a falling cantilever: order 2 in the length of an element, towards the motion of director beams
cat >falling.yaml <<'END'
parameters: {A: 5}
gravity: [0, 0, -9.81]
beams:
  strip:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [1, 0, 0]}
    d1: [0, 0, 1]
    elements: =A
    section: {rectangle: {width: 0.05, height: 0.05, shear_factors: [1, 1]}}
    material: {young: 5 MPa, poisson: 0.35, density: 1000}
joints: [{fixed: [ground, strip.start]}]
simulate: {step: 0.1 ms, duration: 0.2 s, record_every: 2000}
END
fallen() { # number of the last node, further settings: height of the tip at the end
    local last=$1
    shift
    "$ACTIO" run --quiet falling.yaml "$@" -o falling.h5 || fail "no motion: $*"
    "$ACTIO" export falling.h5 -c "beam/strip/position.$last.z" | tail -1 | cut -d, -f2
}
limit=$(fallen 20 --set parameters.A=10 --set beams.strip.model=director --set beams.strip.order=2 --set simulate.scheme=energy-momentum \
    --set simulate.step=0.0005 --set simulate.record_every=400)
for elements in 5 10 20; do fallen $elements --set parameters.A=$elements; done |
    awk -v limit="$limit" '{ error[NR] = $1 - limit }
        END { first = log(error[1] / error[2]) / log(2); second = log(error[2] / error[3]) / log(2)
              exit !(error[3] < 4e-4 && first > 1.9 && first < 2.1 && second > 1.85 && second < 2.15) }' ||
    fail "the order in space, or the limit $limit, is not that of director beams"
