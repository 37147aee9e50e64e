# actio gradient: the sensitivity over time is stored, plotted and shown in the page; actio check compares the gradient with differences.
. "$(dirname "$0")/common.bash"

cat >hit.yaml <<'END'
title: what a push on a pendulum is worth
parameters: {torque: 0.3}
gravity: [0, -9.81]
planar_bodies: {rod: {solid: {rod: {length: 1, mass: 3}}}}
joints: [{revolute: [ground, rod], at: {rod: start}, angle: 0.4, name: hinge}]
loads: [{joint: hinge, value: =torque, name: drive}]
simulate: {step: 10 ms, steps: 50, quantities: {swing: {joint: hinge}}, functional: [{running: swing^2}, {end: swing}]}
END

expect 0 "$ACTIO" gradient hit.yaml -o hit.h5
expect 0 "$ACTIO" info hit.h5
contains out 'table intervals: 50 rows'
contains out 'table adjoint: 51 rows'
expect 0 "$ACTIO" plot hit.h5 gradient/torque -o torque.svg
expect 0 "$ACTIO" plot hit.h5 adjoint/joint/hinge/angle -o push.svg
larger push.svg 1000 || fail 'push.svg is empty'
expect 0 "$ACTIO" report hit.h5 -o hit.html
contains hit.html 'adjoint/joint/hinge/angle'
contains hit.html 'gradient/torque'

# A torque that is constant on an interval acts by its impulse: its derivative is that of the mean of the adjoint variable.
for table in adjoint intervals; do
    expect 0 "$ACTIO" export hit.h5 --table "$table" -o "$table.csv"
done
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail 'the derivative by the torque is not the mean of the adjoint variable'
import csv
def column(name, table):
    rows = list(csv.reader(open(table + ".csv")))
    at = next(k for k, head in enumerate(rows[0]) if head.split()[0] == name)
    return [float(row[at]) for row in rows[1:]]
impulse, torque = column("adjoint/joint/hinge/angle", "adjoint"), column("gradient/torque", "intervals")
assert len(torque) == 50 and min(map(abs, torque)) > 0
for n, slope in enumerate(torque):
    assert abs(slope - (impulse[n] + impulse[n + 1]) / 2) < 1e-9 * abs(slope), (n, slope)
PYTHON
fi

# check compares the gradient with differences: all steps of a short motion, the first of a long one
expect 0 "$ACTIO" check hit.yaml --json
json out 'd["status"] == "valid" and d["results"]["error_of_functional_gradient"] < 1e-6'
json out 'd["results"]["derivatives_compared"] == 1 and d["results"]["steps_compared"] == 50 and d["worst_derivative"] == "torque"'
expect 0 "$ACTIO" check hit.yaml --set simulate.steps=10000000
contains out 'error of functional gradient'
contains out 'of 10000000 steps; gradient --check takes all'

# shooting, gradient and check begin with the controls of an earlier result, on any mesh
cat >lift.yaml <<'END'
gravity: [0, -9.81]
planar_bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}
joints: [{revolute: [ground, rod], at: {rod: start}, angle: =-pi/2, name: j}]
optimize:
  intervals: 20
  duration: 1
  method: shooting
  controls: [{joint: j, name: u, guess: 0.5}]
  quantities: {y: {of: rod, point: end, along: y}}
  objective: [{effort: 0.001}, {end: (y-0.3)^2}]
END
sed -e 's/, guess: 0.5//' -e 's/  method: shooting/  method: shooting\n  guess: {file: lift.h5}/' lift.yaml >again.yaml
expect 0 "$ACTIO" run lift.yaml -o lift.h5
expect 0 "$ACTIO" run again.yaml --no-output --json
json out 'abs(d["results"]["objective"] - 0.0047956784) < 1e-8 and d["results"]["iterations"] == 0'
expect 0 "$ACTIO" run again.yaml --no-output --json --set optimize.intervals=40
json out 'd["results"]["objective"] < 0.0049'
expect 0 "$ACTIO" gradient again.yaml --json
json out 'abs(d["objective"] - 0.0047956784) < 1e-8'
expect 0 "$ACTIO" check again.yaml
sed 's/{file: lift.h5}/{inverse_dynamics: true}/' again.yaml >motion.yaml
expect 2 "$ACTIO" check motion.yaml
contains err 'motion.yaml:8:11: guess: inverse_dynamics is of the motion'

# where the functional has no derivative the file is not valid
sed -e 's/torque: 0.3/torque: 0/' -e 's/functional: .*/functional: [{end: "max(swing - 0.4, 0)"}]}/' -e '/^gravity/d' hit.yaml >kink.yaml
sed -e 's/functional: .*/functional: [{end: "log(swing - 9)"}]}/' -e '/^gravity/d' hit.yaml >log.yaml
expect 1 "$ACTIO" gradient log.yaml
contains err 'the expression "log(swing - 9)" is not a number at t = '
expect 1 "$ACTIO" check kink.yaml
contains out 'the derivative by torque differs most'
contains err 'a derivative differs from the differences of its function'
expect 1 "$ACTIO" check kink.yaml --json
json out 'd["status"] == "not_valid" and d["results"]["error_of_functional_gradient"] > 0.4'

# impacts are differentiated; where something else happens at contacts there is no gradient, and the file is valid all the same
sed 's/^loads:/contacts: [{joint: hinge, lower: 0.2, restitution: 0.9}]\n&/' hit.yaml >bounce.yaml
expect 0 "$ACTIO" check bounce.yaml --json
json out 'd["results"]["error_of_functional_gradient"] < 1e-6 and d["results"]["derivatives_compared"] == 1'
expect 0 "$ACTIO" gradient bounce.yaml --check -o bounce.h5
expect 0 "$ACTIO" info bounce.h5
contains out 'table intervals: 50 rows'
contains out 'table adjoint: 51 rows'
expect 2 "$ACTIO" gradient bounce.yaml --second
contains err 'second derivatives of a motion with contacts'
sed 's/^loads:/contacts: [{joint: hinge, lower: 0.4}]\n&/' hit.yaml >stop.yaml
expect 0 "$ACTIO" check stop.yaml --json
json out 'd["status"] == "valid" and "contacts" in d["gradient_not_compared"]'
expect 0 "$ACTIO" check stop.yaml
contains out 'the gradient was not compared with differences: there is no gradient'

# shooting, by its controls
expect 0 "$ACTIO" examples control/adjoint-upswing --copy
expect 0 "$ACTIO" check adjoint-upswing.yaml --json
json out 'd["results"]["error_of_shooting_gradient"] < 1e-5 and d["results"]["steps_compared"] == 100'

# second derivatives by parameters: along a direction, all of them, with little memory, against differences of gradients
expect 0 "$ACTIO" examples linkages/rocker-sensitivity --copy
expect 0 "$ACTIO" gradient rocker-sensitivity.yaml --along crank=1,coupler=-2 --set simulate.duration=0.1 --json
cp out all
expect 0 "$ACTIO" gradient rocker-sensitivity.yaml --along crank=1,coupler=-2 --set simulate.duration=0.1 --json --memory 0.001
json out 'abs(d["second"]["crank"] - json.load(open("all"))["second"]["crank"]) < 1e-10 * abs(d["second"]["crank"])'
expect 0 "$ACTIO" gradient rocker-sensitivity.yaml --hessian --check -p crank -p coupler --set simulate.duration=0.1 --json -o hessian.h5
json out 'd["hessian_error_against_differences"] < 1e-6'
json out 'abs(d["hessian"]["crank"]["coupler"] - d["hessian"]["coupler"]["crank"]) < 1e-9 * abs(d["hessian"]["crank"]["crank"])'
json out 'abs(d["hessian"]["crank"]["crank"] - 2 * d["hessian"]["crank"]["coupler"] - json.load(open("all"))["second"]["crank"]) < 1e-8'
expect 0 "$ACTIO" info hessian.h5
contains out 'hessian crank coupler'
expect 0 "$ACTIO" gradient rocker-sensitivity.yaml --second --set simulate.duration=0.1
contains out 'second derivative along the gradient'
expect 2 "$ACTIO" gradient rocker-sensitivity.yaml --along crank=1,rod=2
contains err "no gradient by a parameter 'rod'"
expect 2 "$ACTIO" gradient rocker-sensitivity.yaml --along crank
contains err 'NAME=NUMBER'
expect 2 "$ACTIO" gradient adjoint-upswing.yaml --hessian
contains err 'name them with -p'

# a maximised objective keeps its sign
sed -e 's/- {effort: =weight}/- {end: y, maximise: true}/' -e '/500/d' adjoint-upswing.yaml >highest.yaml
expect 0 "$ACTIO" gradient highest.yaml --json
cp out written
sed 's/, maximise: true//' highest.yaml >lowest.yaml
expect 0 "$ACTIO" gradient lowest.yaml --json
json out 'd["objective"] == json.load(open("written"))["objective"] and d["gradient"] == json.load(open("written"))["gradient"]'

# joint coordinates: the same table, check, memory; second derivatives are refused
cat >twist.yaml <<'END'
title: two cylinders on a ball joint, in joint coordinates
parameters: {length: 0.8, mass: 1.2, stiffness: 20, rest: 0.4, g: 9.81, angle: 0.7, lean: 0.2, rate: 2}
gravity: [0, 0, =-g]
bodies:
  upper: {solid: {cylinder: {length: =length, radius: 0.05, mass: =mass, along: z}}}
  lower: {solid: {cylinder: {length: 0.6, radius: 0.04, mass: 0.5}}}
joints:
  - {name: hinge, revolute: [ground, upper], at: {upper: start}, axis: [0, 1, =lean], angle: =angle}
  - {name: ball, spherical: [upper, lower], at: {upper: end, lower: start}, rates: [0.3, =rate, 1]}
springs: [{between: [ground, lower], at: {ground: [1, 0, 0], lower: end}, stiffness: =stiffness, length: =rest}]
simulate:
  step: 5 ms
  steps: 80
  scheme: trapezoidal
  formulation: minimal
  quantities: {tip: {point: end, of: lower, along: x}, swing: {joint: hinge}}
  functional: [{running: swing^2}, {end: tip + 0.1*tip_rate}]
END
expect 0 "$ACTIO" gradient twist.yaml --check --json -o twist.h5
cp out all
json out 'len(d["gradient"]) == 8 and all(abs(d["gradient"][k] - v) < 1e-6 * abs(v) for k, v in d["differences"].items())'
expect 0 "$ACTIO" info twist.h5
contains out 'table adjoint: 81 rows'
contains out 'gradient/lean'
expect 0 "$ACTIO" gradient twist.yaml --memory 0.02 --json
json out 'all(abs(d["gradient"][k] - v) < 1e-12 * abs(v) for k, v in json.load(open("all"))["gradient"].items())'
expect 0 "$ACTIO" check twist.yaml --json
json out 'd["status"] == "valid" and d["results"]["error_of_functional_gradient"] < 1e-6 and d["results"]["derivatives_compared"] == 8'
for second in --second --hessian; do
    expect 2 "$ACTIO" gradient twist.yaml $second -p mass
    contains err "the formulation 'minimal' has first derivatives alone"
done
# steps that are unknowns: differences are taken where the same steps keep the energy
sed -e '/formulation/d' -e 's/scheme: trapezoidal/free_step: true/' twist.yaml >free.yaml
expect 0 "$ACTIO" gradient free.yaml --check --json
json out 'all(abs(d["gradient"][k] - v) < 1e-6 * abs(v) for k, v in d["differences"].items()) and len(d["differences"]) == 8'

# with a latch: angles that are integrated, velocities while it is closed; the same value as that of the run
"$ACTIO" examples contact/knee-lock --copy >/dev/null
sed -e '/^simulate/d' -e 's/angle: -1.2/angle: =bend/' knee-lock.yaml >latched.yaml
cat >>latched.yaml <<'END'
parameters: {bend: -1.2}
simulate:
  step: 20 ms
  duration: 0.8 s
  quantities: {hip: {joint: hip}}
  functional: [{running: hip^2 + hip_rate^2}, {end: hip_rate}]
END
expect 0 "$ACTIO" run latched.yaml --json
cp out all
expect 0 "$ACTIO" gradient latched.yaml --check --json
json out 'abs(d["functional"] - json.load(open("all"))["results"]["functional"]) < 1e-10 * d["functional"]'
json out 'abs(d["gradient"]["bend"] - d["differences"]["bend"]) < 1e-8 * abs(d["gradient"]["bend"])'

# a contact that closes and opens again at one instant
"$ACTIO" examples contact/falling-rod --copy >/dev/null
sed -e '/^simulate/d' -e 's/behaviour: sticking/behaviour: sliding/' falling-rod.yaml >sliding.yaml
cat >>sliding.yaml <<'END'
simulate: {step: 20 ms, duration: 0.42 s, quantities: {y: {point: centre, of: rod, along: y}}, functional: [{end: y}]}
END
expect 2 "$ACTIO" gradient sliding.yaml
contains err "contact 'rod-ground' closes and opens at one instant, at t = 0.319"
finish
