# The task design: studies with known answers, processes, resuming, errors.
. "$(dirname "$0")/common.bash"
examples=$ACTIO_SOURCE/examples

# The published algorithm on a function: 10 evaluations.
expect 0 "$ACTIO" run "$examples/design/strawman.yaml" --json -o strawman.h5
json out 'd["results"]["evaluations"] == 10 and abs(d["results"]["best_x"] - 0.757248) < 2e-6'
json out 'abs(d["results"]["cost"] - 0.979260) < 1e-6'
expect 0 "$ACTIO" info strawman.h5
contains out 'table samples: 10 rows'
contains out 'table surrogate_x: 201 rows'
expect 0 "$ACTIO" plot strawman.h5 surrogate/x/cost surrogate/x/low surrogate/x/high -x surrogate/x/value -o surrogate.svg
expect 0 "$ACTIO" run "$examples/design/strawman.yaml" --json -s 'design.cost=-((6*x - 2)^2*sin(12*x - 4) + 7)' -s design.maximise=true --no-output
json out 'abs(d["results"]["cost"] + 0.979260) < 1e-6'

# Simulation, two parameters: frequency ratio and damping of an absorber are known in closed form.
expect 0 "$ACTIO" run "$examples/design/absorber.yaml" --json -o absorber.h5
json out 'abs(d["results"]["best_frequency"] - 1.05**0.5/1.1) < 2e-3'
json out 'abs(d["results"]["best_ratio"] - (0.1*1.075/(4*1.1*1.05))**0.5) < 2e-3'
expect 0 "$ACTIO" info absorber.h5
contains out 'table nodes' # the motion of the best design

# Optimisation: the place of the elbow as a free parameter of one optimisation is the same optimum.
expect 0 "$ACTIO" run "$examples/design/elbow-placement.yaml" --json -j 1 -o one.h5
cp out elbow.json
json out 'd["results"]["failed"] == 0 and d["results"]["cost"] < d["results"]["cost_first"]'
python3 - "$examples/design/elbow-placement.yaml" >free.yaml <<'END'
import sys
text = open(sys.argv[1]).read()
head, inner = text.split("design:\n")[0], text.split("  optimize:\n")[1]
print(head + "optimize:\n  parameters: {upper: {from: 0.5, to: 1.5}}\n" + "\n".join(line[2:] for line in inner.split("\n")))
END
expect 0 "$ACTIO" run free.yaml --json --no-output
python3 - elbow.json out <<'END' || fail "the free parameter has another optimum"
import json, sys
a, b = (json.load(open(name))["results"] for name in sys.argv[1:])
sys.exit(abs(a["cost"] - b["objective"]) > 1e-4 * b["objective"] or abs(a["best_upper"] - b["parameter_upper"]) > 2e-3)
END

samples() { "$ACTIO" export "$1" --table samples -o - | cut -d, -f1-8,10-; }
samples one.h5 >one
expect 0 "$ACTIO" run "$examples/design/elbow-placement.yaml" -q -j 3 -o three.h5
samples three.h5 | cmp -s - one || fail "other results with three processes"

# A study that is killed goes on where it stopped, with the same samples.
"$ACTIO" run "$examples/design/elbow-placement.yaml" -q -j 1 -o killed.h5 &
study=$!
half_or_ended() { larger killed.h5.checkpoint 60000 || ends $study; }
wait_for half_or_ended
kill -KILL $study 2>/dev/null || true
wait $study 2>/dev/null || true
[ ! -e killed.h5 ] || fail "the study ended before it could be killed"
expect 0 "$ACTIO" run "$examples/design/elbow-placement.yaml" -j 2 -o killed.h5 --resume
contains out 'the study goes on: '
samples killed.h5 | cmp -s - one || fail "other results after resuming"
[ ! -e killed.h5.checkpoint ] || fail "the checkpoint of a complete study is still there"

# A design that cannot be built is a sample that failed.
cat >loop.yaml <<'END'
title: A triangle of rods
parameters: {base: 2}
gravity: [0, -9.81]
planar_bodies:
  a: {solid: {rod: {length: 1, mass: 1}}}
  b: {solid: {rod: {length: 1.5, mass: 1}}}
joints:
  - {revolute: [ground, a], at: {ground: [0, 0], a: start}, name: left}
  - {revolute: [ground, b], at: {ground: [=base, 0], b: start}, name: right}
  - {distance: [a, b], at: {a: end, b: end}, length: 0.5}
design:
  parameters: {base: {from: 1, to: 5, first: [2, 4.5]}}
  simulate: {step: 10 ms, duration: 0.1 s}
  quantities: {angle: {joint: left}}
  cost: angle^2
  evaluations: 5
END
expect 0 "$ACTIO" run loop.yaml --json
json out 'd["results"]["failed"] >= 1 and "failed" in d["remark"]'

refused() { # SETTING WORDS: of strawman
    expect 2 "$ACTIO" check "$examples/design/strawman.yaml" -s "$1"
    contains err "$2"
}
refused 'design.parameters.x.to=0.3' 'the bounds are empty'
refused 'design.parameters.x.first=[0.6, 2]' 'outside the bounds'
refused 'design.parameters.y={from: 0, to: 1}' "no parameter 'y'"
refused 'design.cost=6*z' "z"
refused 'design.starts=3' "belongs to optimize"
refused 'design.take=mean' "belongs to simulate"
expect 2 "$ACTIO" check "$examples/design/elbow-placement.yaml" -s design.cost=speed
contains err "unknown name 'speed'"
expect 2 "$ACTIO" check "$examples/design/elbow-placement.yaml" -s design.optimize.controls=3
contains err 'design.optimize.controls'
expect 2 "$ACTIO" check "$examples/design/elbow-placement.yaml" -s design.optimize.method=shooting
contains err 'not method: shooting'
expect 2 "$ACTIO" check "$examples/design/absorber.yaml" -s design.surrogate=spline
contains err 'surrogate of one parameter'
expect 2 "$ACTIO" run "$examples/design/strawman.yaml" --shard 1/2 -o x.h5
contains err '--shard belongs to the task certify'

finish
