# actio help, version, examples, reproduce: the catalogue and what becomes of broken experiments.
. "$(dirname "$0")/common.bash"

expect 0 "$ACTIO" help
contains out 'actio run FILE'
expect 0 "$ACTIO" --help
expect 0 "$ACTIO" help run
contains out '--set KEY=VALUE'
expect 0 "$ACTIO" export --help
contains out '--channels'
expect 2 "$ACTIO" help nothing
expect 0 "$ACTIO" version
contains out 'actio '
expect 2 "$ACTIO"

expect 0 "$ACTIO" examples
contains out 'pendulum/gravity'
contains out 'Pendulum under gravity'
if grep -q reproduce out; then fail "the catalogue lists experiments"; fi
expect 0 "$ACTIO" examples pendulum/gravity
[ "$(cat out)" = "$ACTIO_SOURCE/examples/pendulum/gravity.yaml" ] || fail "path: $(cat out)"
expect 0 "$ACTIO" examples gravity --copy
cmp -s gravity.yaml "$ACTIO_SOURCE/examples/pendulum/gravity.yaml" || fail "the copy differs"
expect 1 "$ACTIO" examples gravity --copy
expect 2 "$ACTIO" examples nothing
ACTIO_DATA="$work/empty" expect 2 "$ACTIO" examples

expect 0 "$ACTIO" reproduce
contains out 'pendulum-circle'
expect 0 "$ACTIO" reproduce --json
json out '"pendulum-circle" in [e["id"] for e in d["experiments"]]'
expect 2 "$ACTIO" reproduce nothing
expect 0 "$ACTIO" reproduce pendulum-circle --json
json out '[e["id"] for e in d["experiments"]] == ["pendulum-circle"]'
json out 'all(set(c) >= {"name", "reported", "verified", "obtained", "tolerance", "pass"} for c in d["experiments"][0]["checks"])'
json out 'all(c["pass"] is True for c in d["experiments"][0]["checks"])'

# experiments of our own
export ACTIO_DATA="$work/data"
mkdir -p data/examples/reproduce
pendulum >data/examples/pendulum.yaml
cat >data/examples/reproduce/own.yaml <<'YAML'
title: Own
verified_by: the test itself
runs:
  coarse: {problem: ../pendulum.yaml, set: {simulate.step: 0.1}}
  fine: {problem: ../pendulum.yaml, set: {simulate.step: 0.05}}
  broken: {problem: ../pendulum.yaml, set: {simulate.max_iterations: 1, simulate.tolerance: 1e-300}}
  absent: {problem: ../nothing.yaml}
measures:
  wide: {run: coarse, channel: energy/discrete, take: range}
  narrow: {run: fine, channel: energy/discrete, take: range}
checks:
  - {name: order, value: =log(wide/narrow)/log(2), between: [1.8, 2.4]}
  - {name: fails, measure: {run: broken, take: failed}, verified: 1, tolerance: 0}
  - {name: energy of a failed run, measure: {run: broken, channel: energy/discrete, take: max}, at_most: 1}
  - {name: no such problem, measure: {run: absent, channel: energy/discrete, take: max}, at_most: 1}
  - {name: no such channel, measure: {run: fine, channel: energy/magnetic, take: max}, at_most: 1}
  - {name: wrong, value: =wide, reported: 5, tolerance: 1e-3, relative: true}
YAML
expect 1 "$ACTIO" reproduce own
contains out '4 of 6 checks FAILED'
contains out 'the run broken failed: '
contains out 'the run fine has no channel energy/magnetic'
expect 1 "$ACTIO" reproduce --all --json
json out '[c["pass"] for c in d["experiments"][0]["checks"]] == [True, True, False, False, False, False]'
json out 'd["experiments"][0]["verified_by"] == "the test itself"'
json out 'd["experiments"][0]["checks"][2]["obtained"] is None and "failed" in d["experiments"][0]["checks"][2]["message"]'
json out 'd["experiments"][0]["checks"][5]["reported"] == 5 and d["experiments"][0]["checks"][5]["verified"] is None'

# reasons of failures, marks, series against their mirror image and against finer ones
cat >data/examples/reproduce/own.yaml <<'YAML'
title: Own
verified_by: the test itself
runs:
  coarse: {problem: ../pendulum.yaml, set: {simulate.step: 0.1}}
  fine: {problem: ../pendulum.yaml, set: {simulate.step: 0.05}}
  broken: {problem: ../pendulum.yaml, set: {simulate.max_iterations: 1, simulate.tolerance: 1e-300}}
checks:
  - {name: right reason, measure: {run: broken, take: failed, reason: step}, verified: 1, tolerance: 0}
  - {name: other reason, measure: {run: broken, take: failed, reason: out of paper}, verified: 1, tolerance: 0}
  - {name: odd, measure: {run: fine, channel: time, take: mirror_difference}, at_least: 0.1}
  - {name: between times, measure: {run: coarse, channel: energy/potential, take: max_difference, other_run: fine, interpolated: true}, at_least: 1e-12}
  - {name: fitted, measure: {run: fine, channel: time, take: last}, reported: 1, fitted: true, report_only: true, not_reproduced: it is another}
YAML
expect 1 "$ACTIO" reproduce own --json
json out '[c["pass"] for c in d["experiments"][0]["checks"]] == [True, False, True, True, True]'
json out '"another reason" in d["experiments"][0]["checks"][1]["message"]'
json out 'd["experiments"][0]["checks"][4]["fitted"] is True and d["experiments"][0]["checks"][4]["not_reproduced"] == "it is another"'

# broken experiment files: place, reason, exit status 2
broken() {
    echo "$1" >data/examples/reproduce/own.yaml
    expect 2 "$ACTIO" reproduce own
    contains err "$2"
}
broken 'title: x' 'own.yaml:1:1: an experiment needs runs'
broken '{title: x, run: {}}' 'own.yaml:1:12: an experiment has no key "run"; did you mean "runs"?'
runs='title: x, runs: {a: {problem: ../pendulum.yaml}}'
broken "{$runs}" 'an experiment needs a list of checks'
broken "{$runs, checks: [{name: c, measure: {take: max, channel: time}}]}" 'a check has one of tolerance'
broken "{$runs, checks: [{name: c, at_most: 1, measure: {take: most, channel: time}}]}" 'take must be max, min'
broken "{$runs, checks: [{name: c, at_most: 1, measure: {run: b, take: max, channel: time}}]}" 'there is no run "b"'
broken "{$runs, checks: [{name: c, at_most: 1, measure: {take: max}}]}" 'a measure is taken from a channel'
broken "{$runs, checks: [{name: c, at_most: 1, measures: {a: {take: max, channel: time}}, value: =a+z}]}" 'z'
broken "{$runs, checks: [{name: c, at_most: one, measure: {take: max, channel: time}}]}" 'at_most'
broken "{$runs, checks: [{name: c, tolerance: 1, measure: {take: max, channel: time}}]}" 'needs a reported or a verified value'
broken "{$runs, checks: [{name: c, verified: 1, tolerance: 0, measure: {take: max, channel: time}}]}" 'own.yaml:1:1: an experiment with verified values needs verified_by'
broken "{$runs, checks: [{name: c, reported: 5, between: [0, 2], not_reproduced: why, measure: {take: max, channel: time}}]}" 'compared with a verified one, or with none'

finish
