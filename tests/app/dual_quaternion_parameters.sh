# Free parameters of a beam of dual quaternions: derivatives, an interior optimum, and optima with fixed values that are worse on all sides.
. "$(dirname "$0")/common.bash"

cat >free.yaml <<'END'
title: A soft arm whose stiffness and length are chosen
parameters: {N: 60, T: 1, elements: 3, bending: 2, reach: 1}
beams:
  arm:
    model: dual_quaternion
    straight: {from: [0, 0, 0], to: [=reach, 0, 0]}
    d1: [0, 1, 0]
    elements: =elements
    stiffness: {shear: [20, 20], axial: 40, bending: [=bending, =bending], torsion: 1.5}
    damping: 0.02
    inertia: {mass: =0.3*sqrt(bending/2), rotary: [1e-2, 1e-2]}
    masses: [{at: end, mass: 0.1}]
joints:
  - {revolute: [ground, arm.start], axis: [0, 0, 1], name: hub}
optimize:
  intervals: =N
  duration: =T
  parameters:
    bending: {from: 1, to: 6}
    reach: {from: 0.8, to: 1.2}
  controls:
    - {joint: hub, name: torque}
  objective:
    - {effort: 1}
    - {end: 2*(1.2 - reach)^2 + 0.3/bending}
  quantities:
    hub_angle: {joint: hub}
    across: {of: arm.end, point: [0, 0, 0], along: [=-sin(pi/3), =cos(pi/3), 0]}
  conditions:
    - {joint: hub, equals: 60 deg, at: end}
    - {expression: across, equals: 0, at: end}
    - {expression: hub_angle_rate, equals: 0, at: end}
    - {expression: across_rate, equals: 0, at: end}
END
sed '/^  parameters:$/,/^    reach:/d' free.yaml >fixed.yaml

"$ACTIO" check free.yaml >check.txt 2>&1 || fail "derivatives: $(cat check.txt)"
"$ACTIO" run free.yaml --json -o free.h5 >free.json || fail "no optimum"
# the same of a beam that is bent without stress, with the scalar parts of its strains; the guess needs the torques that keep it bent
sed 's/^    damping: 0.02/    damping: 0.02\n    precurvature: [0.8, 0.3, 0.6]\n    ambient_stiffness: [5, 8]/
     s/^  duration: =T/  duration: =T\n  guess: {inverse_dynamics: true}/' free.yaml >bent.yaml
"$ACTIO" check bent.yaml >check.txt 2>&1 || fail "derivatives: $(cat check.txt)"
"$ACTIO" run bent.yaml --json --no-output >bent.json || fail "no optimum of the bent arm"
json bent.json 'd["results"]["resimulation_error"] < 1e-8 and d["results"]["parameter_reach"] > 1.05'
number() { # key, file
    sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p" "$2" | head -1
}
objective=$(number objective free.json)
bending=$("$ACTIO" run free.yaml -o free.h5 | awk '$1 == "parameter" && $2 == "bending" { print $3 }')
reach=$("$ACTIO" run free.yaml -o free.h5 | awk '$1 == "parameter" && $2 == "reach" { print $3 }')
awk -v b="$bending" -v r="$reach" 'BEGIN { exit !(b > 1.5 && b < 5 && r > 0.85 && r < 1.15) }' ||
    fail "bending $bending, reach $reach: not inside their bounds"

fixed() { # bending, reach: the objective
    "$ACTIO" run fixed.yaml --set parameters.bending="$1" --set parameters.reach="$2" -o fixed.h5 |
        awk '$1 == "objective" { print $2 }'
}
at=$(fixed "$bending" "$reach")
awk -v a="$at" -v o="$objective" 'BEGIN { d = a - o; exit !(d < 1e-8 && d > -1e-8) }' || fail "at the optimum $at, not $objective"
# along each parameter a parabola through three points has its vertex at the optimum
vertex() { # values below and above the optimum, its place, the objectives there
    awk -v x="$1" -v y="$2" -v at="$3" -v f="$4" -v g="$5" -v o="$objective" 'BEGIN {
        s = (f - o) / (x - at); t = (g - o) / (y - at); bend = (t - s) / (y - x); slope = s - bend * (x - at)
        off = -slope / (2 * bend); exit !(f > o && g > o && bend > 0 && off < 0.1 * (y - at) && off > -0.1 * (y - at)) }'
}
low=$(awk -v b="$bending" 'BEGIN { print b - 0.1 }') high=$(awk -v b="$bending" 'BEGIN { print b + 0.1 }')
vertex "$low" "$high" "$bending" "$(fixed "$low" "$reach")" "$(fixed "$high" "$reach")" || fail "no minimum along bending"
low=$(awk -v r="$reach" 'BEGIN { print r - 0.02 }') high=$(awk -v r="$reach" 'BEGIN { print r + 0.02 }')
vertex "$low" "$high" "$reach" "$(fixed "$bending" "$low")" "$(fixed "$bending" "$high")" || fail "no minimum along reach"
finish
