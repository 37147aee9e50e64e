# Equilibria of long chains and of many loops: sparse, with the solutions and the stability of the dense ones.
. "$(dirname "$0")/common.bash"

# parallelograms, some upright: each of these can leave its state in one direction; without weight nothing holds any of them
cat >parallelograms.yaml <<'EOF'
title: parallelograms, some upright
parameters: {n: 60, up: 25}
gravity: [0, -9.81]
planar_bodies:
  a: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=3*i", 0], angle: "=pi/2*(2*step(up+0.5-i)-1)"}
  b: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=3*i+1", 0], angle: "=pi/2*(2*step(up+0.5-i)-1)"}
  c: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=3*i", "=2*step(up+0.5-i)-1"]}
joints:
  - {revolute: [ground, a(i)], at: {ground: ["=3*i", 0], a(i): start}, repeat: =n}
  - {revolute: [ground, b(i)], at: {ground: ["=3*i+1", 0], b(i): start}, repeat: =n}
  - {revolute: [a(i), c(i)], at: {a(i): end, c(i): start}, repeat: =n}
  - {revolute: [b(i), c(i)], at: {b(i): end, c(i): end}, repeat: =n}
equilibrium: {}
EOF
for n in 30 60; do # dense, sparse
    expect 0 "$ACTIO" run parallelograms.yaml --set parameters.n=$n --json -o parallelograms.h5
    json out 'd["results"]["negative_eigenvalues"] == 25 and d["results"]["neutral_eigenvalues"] == 0'
done
expect 0 "$ACTIO" run parallelograms.yaml --set gravity='[0,0]' --json -o parallelograms.h5
json out 'd["results"]["negative_eigenvalues"] == 0 and d["results"]["neutral_eigenvalues"] == 60'

# a chain of links between two points tends to the catenary, whose energy is -3.568035041 J, with the square of their number
cat >chain.yaml <<'EOF'
title: hanging chain
parameters: {n: 400}
gravity: [0, -9.81]
planar_bodies:
  k:
    repeat: =n
    solid: {rod: {length: =2/n, mass: =1/n}}
    position: ["=0.75*(1-cos(pi*(i-1)/n))", "=-0.5*sin(pi*(i-1)/n)"]
    angle: "=atan2(-cos(pi*(i-0.5)/n),1.2*sin(pi*(i-0.5)/n))"
joints:
  - {revolute: [ground, k(1)], at: {k(1): start}}
  - {revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: =n-1}
  - {revolute: [ground, k(400)], at: {ground: [1.5, 0], k(400): end}}
equilibrium: {}
EOF
expect 0 "$ACTIO" run chain.yaml --json -o chain.h5
json out 'abs(d["results"]["energy_potential"] + 3.568035041 - 1.43 / 400**2) < 2e-8 and d["results"]["negative_eigenvalues"] == 0'
json out 'd["results"]["neutral_eigenvalues"] == 0'

# a chain that hangs up in zigzag falls far: the sparse way takes a second for any number of links, where the dense one took
# half a minute for 130; both find the same
cat >zigzag.yaml <<'EOF'
title: chain in zigzag
parameters: {n: 28}
gravity: [0, -9.81]
planar_bodies:
  k:
    repeat: =n
    solid: {rod: {length: =2/n, mass: =1/n}}
    position: ["=2/n*cos(1.2)*(i-1)", "=2/n*sin(1.2)*(0.5-0.5*cos(pi*(i-1)))"]
    angle: "=1.2*cos(pi*(i-1))"
joints:
  - {revolute: [ground, k(1)], at: {k(1): start}}
  - {revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: =n-1}
  - {revolute: [ground, k(28)], at: {ground: ["=2*cos(1.2)", 0], k(28): end}}
equilibrium: {}
EOF
for n in 28 40 130; do # dense, sparse, sparse; the catenary has -4.71096958 J
    sed "s/28/$n/g" zigzag.yaml >zigzag-$n.yaml
    expect 0 "$ACTIO" run zigzag-$n.yaml --json -o zigzag.h5
    json out "abs(d['results']['energy_potential'] + 4.71096958 - 1.62 / $n**2) < 4e-6 and d['results']['negative_eigenvalues'] == 0"
    json out 'd["results"]["descent_steps"] > 100' # the way down is counted
    [ "$ACTIO_SANITIZE" = 1 ] || json out 'd["results"]["cpu_time"] < 4'
done

# a ladder on springs: the formulation with multipliers finds the same, and the cost is nearly linear
cat >ladder.yaml <<'EOF'
title: ladder at rest
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
springs:
  - {between: [r(i), r(i+1)], at: {r(i): start, r(i+1): end}, stiffness: 20000, repeat: =n}
  - {between: [ground, r(i)], at: {ground: ["=i-1", -1], r(i): start}, stiffness: 2000, repeat: =n+1}
equilibrium: {}
EOF
expect 0 "$ACTIO" run ladder.yaml --json -o ladder.h5
cp out reduced.json
expect 0 "$ACTIO" run ladder.yaml --set equilibrium.formulation=multipliers --json -o ladder.h5
json out 'abs(d["results"]["energy_potential"] / json.load(open("reduced.json"))["results"]["energy_potential"] - 1) < 1e-9'
expect 0 "$ACTIO" run ladder.yaml --set parameters.n=300 --json -o ladder.h5
json out 'd["results"]["negative_eigenvalues"] == 0 and d["results"]["neutral_eigenvalues"] == 0'
json out 'd["results"]["cpu_time"] < 40 * json.load(open("reduced.json"))["results"]["cpu_time"] + 1' # five times the rungs, dense: 90 times

# the residual is that of rounding, which grows with the cube of the length; where the tolerance ends the search, a remark says so
json out '1e-4 < d["results"]["residual_rounding"] < 1e-2 and d["results"]["residual"] < 30 * d["results"]["residual_rounding"]'
json out 'not any("what rounding leaves" in n["text"] for n in d["notes"])'
expect 0 "$ACTIO" run "$ACTIO_SOURCE/examples/rods/line-load.yaml" --set equilibrium.tolerance=1e-3 --set parameters.w=400 --json -o line.h5
json out 'd["results"]["residual"] > 1e3 * d["results"]["residual_rounding"] and any("what rounding leaves" in n["text"] for n in d["notes"])'

# x = 100 is rounded to 2.2e-14, with 1e6 N/m to 2.2e-8 N; slide and coordinate count both
cat >far.yaml <<'EOF'
title: weight on a stiff spring, far from the origin
gravity: [0, -9.81]
points: {mass: {mass: 1, position: [100, 0]}}
springs: [{between: [ground, mass], at: {ground: [101, 0]}, stiffness: 1e6, length: 1}]
equilibrium: {}
EOF
expect 0 "$ACTIO" run far.yaml --json -o far.h5
json out '2.2e-8 < d["results"]["residual_rounding"] < 4.5e-8'
json out 'not any("last digit" in n["text"] for n in d["notes"])'
# ... and with 1e15 N/m to more than the weight: corrections are none, but nothing is known of the forces. In any direction
expect 1 "$ACTIO" run far.yaml --set springs.0.stiffness=1e15 --json -o far.h5
json out '"a force of 9.81 N of loads of 9.81 N remains" in d["message"] and "better a rigid joint" in d["message"]'
for place in '[1, 1]' '[0.6, 0.8]' '[-0.28, 0.96]' '[1, 0.01]' '[3e3, -3e3]'; do
    for k in 1e16 1e18 1e20; do
        expect 1 "$ACTIO" run far.yaml --set "points.mass.position=$place" --set springs.0.at.ground='[0,0]' --set springs.0.length=null \
            --set springs.0.stiffness=$k --json -o far.h5
        json out '"of loads of 9.81 N remains" in d["message"] or "nothing holds" in d["message"]'
    done
done

# a column of 100 links buckles at 2 k/l (1 - cos(pi/(2 n))), with a foot of twice the stiffness: the matrix by the freedoms of
# a chain is full, and the path took half a minute with it
cat >links.yaml <<'END'
title: links
parameters: {n: 100}
planar_bodies: {k: {repeat: =n, solid: {rod: {length: =1/n, mass: =1/n}}}}
joints:
  - {name: foot, revolute: [ground, k(1)], at: {k(1): start}, angle: 90 deg}
  - {name: j, revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: =n-1}
springs:
  - {joint: foot, stiffness: =2*n, rest: 90 deg}
  - {joint: j(i), stiffness: =n, repeat: =n-1}
loads: [{force: [0, -1], on: k(100), at: end}]
equilibrium: {path: {step: 1e-5, points: 4}}
END
expect 0 "$ACTIO" run links.yaml --json --no-output
json out 'abs(d["results"]["bifurcation_1_factor"] - 2e4 * (1 - __import__("math").cos(__import__("math").pi / 200))) < 1e-6'
[ "$ACTIO_SANITIZE" = 1 ] || json out 'd["results"]["cpu_time"] < 5'
# what is not found between two points of a path is said
sed 's/force: \[0, -1\]/force: [0.01, -1]/; s/k(100)/k(8)/; s/step: 1e-5, points: 4/step: 0.05, points: 40/' links.yaml >folded.yaml
"$ACTIO" run folded.yaml --no-output -s parameters.n=8 >out 2>err || contains err 'was not found: points between those of a step are missing'
# a ladder that falls from the horizontal passes singular states, where no motion without resistance is found that could be left
# alone: no crash, however long the search takes
cat >falling.yaml <<'END'
title: Ladder of 48 rungs
parameters: {n: 48}
gravity: [0, -9.81]
planar_bodies:
  left: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=i-1", 0], angle: 0}
  right: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=i-1", 1], angle: 0}
  rung: {repeat: =n, solid: {rod: {length: 1, mass: 1}}, position: ["=i", 0], angle: 90 deg}
joints:
  - {revolute: [ground, left(1)], at: {left(1): start}}
  - {revolute: [ground, right(1)], at: {ground: [0, 1], right(1): start}}
  - {revolute: [left(i), left(i+1)], at: {left(i): end, left(i+1): start}, repeat: =n-1}
  - {revolute: [right(i), right(i+1)], at: {right(i): end, right(i+1): start}, repeat: =n-1}
  - {revolute: [left(i), rung(i)], at: {left(i): end, rung(i): start}, repeat: =n}
  - {revolute: [right(i), rung(i)], at: {right(i): end, rung(i): end}, repeat: =n}
equilibrium: {}
END
timeout 4 "$ACTIO" run falling.yaml --no-output >out 2>err
status=$?
[ "$status" -lt 3 ] || [ "$status" -eq 124 ] || fail "exit status $status of a falling ladder"
if grep -q Sanitizer err; then fail "$(grep Sanitizer err)"; fi
finish
