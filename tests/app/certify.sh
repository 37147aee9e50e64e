# The task certify: results, workers, shards, ranks, journals, errors.
. "$(dirname "$0")/common.bash"
command -v mpirun >/dev/null || { echo "skipped: needs mpirun"; exit 77; }

cat >spring.yaml <<'END'
title: A mass on a spring
parameters: {stiffness: 40, push: 0.5}
points: {mass: {mass: 1, position: [1, 0], velocity: [=push, 0]}}
springs: [{between: [ground, mass], stiffness: =stiffness, length: 1}]
loads: [{name: wind, on: mass, force: [0, 0]}]
certify:
  simulate: {step: 0.02, steps: 40}
  inputs:
    stiffness: {relative: 0.1}
    push: {from: 0.4, to: 0.6}
    gust: {load: wind, along: x, within: 0.1}
  quantities: {x: {point: centre, of: mass, along: x}}
  measure: x - 1
  take: largest
  at_most: 0.2
  tolerance: 0.3
  bound: mcdiarmid
  samples: 200
  trajectories: 3
END

# The amplitude is push/frequency + gust/stiffness: at most 0.6/6 + 0.1/36, at least 0.4/sqrt(44) - 0.1/44.
# Diameter of push: 0.2/6 plus little; of gust 0.2/36.
expect 0 "$ACTIO" run spring.yaml --json -j 1
json out 'd["status"] == "certified" and d["results"]["certified"] == 1 and d["results"]["failures"] == 0'
json out 'abs(d["results"]["diameter/push"] - 0.2/6) < 4e-4'
json out 'abs(d["results"]["diameter/gust"] - 0.2/36) < 5e-4'
json out 'd["results"]["inputs"] == 3 and d["results"]["samples"] == 200'
json out 'd["results"]["highest"] <= 0.6/6 + 0.1/36 + 2e-3'
expect 0 "$ACTIO" info spring.h5
contains out 'table samples: 200 rows'
contains out 'table fan: 123 rows'
contains out 'table inputs: 3 rows'
[ ! -e spring.journal ] || fail "the journal of a complete run is still there"

# What is not certified says so: first line, status, exit status 1 also when quiet; it is complete and replaces what was there.
expect 1 "$ACTIO" run spring.yaml -j 1 -o no.h5 -s certify.at_most=0.08
contains out 'A mass on a spring: not certified'
contains err 'not certified at a tolerance of 0.3: the probability of a failure is only bounded by 1'
if grep -q solved out err; then fail "solved beside not certified"; fi
[ ! -e no.journal ] || fail "the journal of a complete run is still there"
expect 0 "$ACTIO" run spring.yaml -j 1 -o no.h5 -s certify.tolerance=0.05 -s certify.bound=best -s certify.at_most=0.104 # none of 200 fails
contains out 'certified at a tolerance of 0.05 by the bound of Clopper and Pearson'
contains out 'from the number of failures alone'
# every sample fails: a verdict like any other, with its interval; nothing that blocks the next run
expect 1 "$ACTIO" run spring.yaml -j 1 -o no.h5 -s certify.at_most=0.001 --json
json out 'd["results"]["failure_rate"] == 1 and d["results"]["failure_rate_low"] > 0.97 and d["output"] == "no.h5"'
json out 'any("no sample meets the threshold" in n["text"] for n in d["notes"])'
expect 2 "$ACTIO" run spring.yaml -j 1 -o no.h5 -s 'certify.measure=log(x - 9)'
expect 0 "$ACTIO" run spring.yaml -j 1 -o no.h5
cp spring.h5 yes.h5
expect 1 "$ACTIO" run spring.yaml -j 1 --json -o yes.h5 -s certify.at_most=0.08
json out 'd["status"] == "not_certified" and d["results"]["certified"] == 0 and d["output"] == "yes.h5"'
expect 0 "$ACTIO" info yes.h5
contains out 'not_certified'
expect 1 "$ACTIO" run spring.yaml -j 1 -q --no-output -s certify.at_most=0.08
contains err 'not certified'

numbers() { # all results but the time they took
    "$ACTIO" export "$1" --table samples -o - | md5sum
    "$ACTIO" export "$1" --table inputs -o - | md5sum
}
numbers spring.h5 >one

# the same bits with 2 and 4 threads, 2 and 4 ranks, 3 shards
for jobs in 2 4; do
    expect 0 "$ACTIO" run spring.yaml -q -j $jobs -o jobs.h5
    numbers jobs.h5 | cmp -s - one || fail "other results with $jobs threads"
done
for k in 2 3; do expect 0 "$ACTIO" run spring.yaml -q --shard $k/3 -o shard.h5; done
expect 0 "$ACTIO" run spring.yaml --json --shard 1/3 -o shard.h5
json out 'd["status"] == "shard_done"'
[ ! -e shard.h5 ] || fail "a shard wrote a result"
expect 2 "$ACTIO" merge spring.yaml shard.1-of-3.part shard.3-of-3.part -o merged.h5
contains err 'pieces of other shards are missing'
expect 0 "$ACTIO" merge spring.yaml shard.*-of-3.part -o merged.h5 --json
json out 'd["results"]["certified"] == 1'
numbers merged.h5 | cmp -s - one || fail "other results with shards"
expect 2 "$ACTIO" merge spring.yaml shard.*-of-3.part -s certify.samples=300 -o merged.h5
contains err 'belongs to another problem'
# the same with lanes, whose groups of four runs differ: 103 samples in blocks of two
arm=$ACTIO_SOURCE/examples/certify/robot-arm-geometry.yaml
few=(-q -s certify.mean_samples=0 -s certify.samples=103 -s 'certify.search={starts: 1, line_points: 3}')
expect 1 "$ACTIO" run "$arm" "${few[@]}" -j 1 -o arm.h5 # not certified
numbers arm.h5 >arm
expect 1 "$ACTIO" run "$arm" "${few[@]}" -j 3 -o arm3.h5
numbers arm3.h5 | cmp -s - arm || fail "other results of the arm with 3 threads"
for k in 1 2; do expect 0 "$ACTIO" run "$arm" "${few[@]}" --shard $k/2 -o half.h5; done
expect 1 "$ACTIO" merge "$arm" "${few[@]}" half.*-of-2.part -o halves.h5
numbers halves.h5 | cmp -s - arm || fail "other results of the arm with shards"
# Open MPI is opened with its own names bound first (src/app/ranks.c), which the sanitizers do not allow.
if [ "$ACTIO_SANITIZE" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    for n in 2 4; do
        expect 0 mpirun -n $n "$ACTIO" run spring.yaml -o ranks.h5
        contains out 'A mass on a spring: certified'
        [ "$(grep -c 'spring: certified' out)" = 1 ] || fail "more than one rank prints"
        numbers ranks.h5 | cmp -s - one || fail "other results with $n ranks"
        rm -f ranks.h5
    done
fi

# proven slopes: rigorous when every input has one; one that runs disprove is refused
sed 's/relative: 0.1}/relative: 0.1, slope: 0.02}/; s/to: 0.6}/to: 0.6, slope: 0.2}/; s/within: 0.1}/within: 0.1, slope: 0.05}/' spring.yaml >proven.yaml
expect 1 "$ACTIO" run proven.yaml --json # rigorous diameters are too large for a certificate
json out 'abs(d["results"]["diameter/push"] - 0.04) < 1e-12 and any("the diameter is rigorous" in n["text"] for n in d["notes"])'
expect 2 "$ACTIO" run proven.yaml --no-output -s certify.inputs.push.slope=0.1
contains err "the slope 0.1 of the input 'push' is no bound"
expect 0 "$ACTIO" export spring.h5 --table inputs -o inputs.csv
contains inputs.csv by_gradients

# robust controls: those along gradients and those of annealing beat those of the file within the limits; less effort costs confidence
cat >pushed.yaml <<'END'
title: A mass that is pushed
parameters: {mass: 1}
points: {mass: {mass: =mass, position: [0, 0]}}
loads: [{name: push, on: mass, force: [1, 0]}]
certify:
  simulate: {step: 0.1, steps: 6}
  inputs: {mass: {relative: 0.05}}
  quantities: {x: {point: centre, of: mass, along: x}}
  measure: abs(x - 0.3)
  at_most: 0.13
  samples: 50
  robust:
    controls: [{load: push, along: x, limit: 3}]
    samples: 20
    report_samples: 100
    efforts: [0, 3, 10]
END
expect 0 "$ACTIO" run pushed.yaml --json
json out 'd["results"]["start_confidence_factor"] < d["results"]["confidence_factor"] and d["results"]["certified"] == 1'
expect 0 "$ACTIO" export pushed.h5 --table pareto -o pareto.csv
python3 - <<'END' || fail "the curve of effort against confidence"
import csv
rows = [{k.split(" ")[0]: float(v) for k, v in row.items()} for row in csv.DictReader(open("pareto.csv"))]
assert [row["pareto/weight"] for row in rows] == [0, 3, 10], rows
for a, b in zip(rows, rows[1:]):
    assert b["pareto/effort"] < a["pareto/effort"] and b["pareto/confidence_factor"] <= a["pareto/confidence_factor"] + 1e-9, rows
END
expect 0 "$ACTIO" run pushed.yaml --json -o annealed.h5 -s certify.robust.method=annealing -s certify.robust.iterations=300 -s certify.robust.width=0.1 -s certify.robust.boltzmann=0.05
json out 'd["results"]["confidence_factor"] > d["results"]["start_confidence_factor"]'
expect 0 "$ACTIO" export annealed.h5 --table controls -o controls.csv
python3 -c '
import csv
rows = list(csv.reader(open("controls.csv")))[1:]
assert rows and all(abs(float(row[-1])) <= 3 for row in rows), rows' || fail "a control is beyond its limit"

# a killed run goes on where it stopped, to the same bits; its journal serves no other problem
many=(-q -s certify.samples=20000)
expect 0 "$ACTIO" run spring.yaml "${many[@]}" -o whole.h5
"$ACTIO" run spring.yaml "${many[@]}" -o killed.h5 >out 2>&1 &
process=$!
half_or_ended() { larger killed.journal 200000 || ends $process; }
wait_for half_or_ended
kill -KILL $process
wait $process 2>/dev/null
[ -s killed.journal ] || fail "a killed run left no journal"
expect 2 "$ACTIO" run spring.yaml -q -o killed.h5
contains err 'belongs to another problem'
expect 0 "$ACTIO" run spring.yaml "${many[@]:1}" -o killed.h5
contains out 'the run goes on: '
[ ! -e killed.journal ] || fail "the journal of a complete run is still there"
numbers whole.h5 >whole
numbers killed.h5 | cmp -s - whole || fail "other results after a run was killed"

# a killed search for robust controls, too; more blocks are known the second time
seek=(-q -s certify.robust.method=annealing -s certify.robust.iterations=3000 -s certify.robust.width=0.1 -s certify.robust.boltzmann=0.05)
expect 0 "$ACTIO" run pushed.yaml "${seek[@]}" -o whole.h5
"$ACTIO" run pushed.yaml "${seek[@]}" -o killed.h5 >out 2>&1 &
process=$!
searched_or_ended() { larger killed.journal 60000 || ends $process; }
wait_for searched_or_ended
kill -KILL $process
wait $process 2>/dev/null
expect 0 "$ACTIO" run pushed.yaml "${seek[@]:1}" -o killed.h5
contains out 'the run goes on: '
for table in history controls samples inputs pareto; do
    "$ACTIO" export whole.h5 --table $table -o whole.csv
    "$ACTIO" export killed.h5 --table $table -o killed.csv
    cmp -s whole.csv killed.csv || fail "other $table after a search was killed"
done

# a run that ends without a result leaves no journal that blocks the next one
expect 2 "$ACTIO" run spring.yaml -q -o ended.h5 -s 'certify.measure=sqrt(-1 - x^2)'
[ ! -e ended.journal ] || fail "the journal of an ended run is still there"
expect 2 "$ACTIO" run pushed.yaml -q -o ended.h5 -s certify.robust.efforts='[1]' -s 'certify.measure=sqrt(-1 - x^2)'
expect 0 "$ACTIO" run pushed.yaml -q -o ended.h5

# steps that are too long for what is certified are remarked
closer=(--no-output -s certify.tolerance=0.99 -s certify.take=last -s certify.at_most=0.1)
expect 0 "$ACTIO" run spring.yaml "${closer[@]}"
! grep -q 'the certificate is that of steps of' out || fail "a remark on short steps"
expect 0 "$ACTIO" run spring.yaml "${closer[@]}" -s certify.simulate='{step: 0.8, steps: 1}'
contains out 'the certificate is that of steps of 0.8 s: with half of it the measure of the medians of all inputs is -0.0355 instead of 0.05405'

# errors with their place
refuse() { # CHANGE MESSAGE
    sed "$1" spring.yaml >wrong.yaml
    expect 2 "$ACTIO" run wrong.yaml --no-output
    contains err "$2"
}
refuse 's/from: 0.4, to: 0.6/from: 0.6, to: 0.4/' 'the range of the input '"'push'"' is empty'
refuse 's/    push: {from/    pull: {from/' "there is no parameter 'pull'"
refuse 's/load: wind/load: winds/' "there is no load called 'winds'"
refuse 's/push: 0.5}/push: =stiffness\/80}/' "the parameter 'push' follows from 'stiffness'"
refuse 's/  tolerance: 0.3/  correlation: 0.5/' 'inputs must be independent'
refuse 's/  at_most: 0.2//' 'give the threshold'
refuse 's/measure: x - 1/measure: y - 1/' 'wrong.yaml:13:12'
refuse 's/measure: x - 1/measure: log(x - 9)/' 'the measure was never evaluated'
refuse 's/tolerance: 0.3/tolerance: 3/' 'is a probability'
pendulum >pendulum.yaml
expect 2 "$ACTIO" run pendulum.yaml --shard 1/2
contains err 'belongs to the task certify'
expect 2 "$ACTIO" run spring.yaml --shard 3/2
contains err 'K/N'
finish
