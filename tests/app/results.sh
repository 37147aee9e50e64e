# actio info and export: what a result file holds, and its rows as text.
. "$(dirname "$0")/common.bash"

pendulum >pendulum.yaml
expect 0 "$ACTIO" run --quiet pendulum.yaml

expect 0 "$ACTIO" info pendulum.h5
contains out 'Pendulum "test"'
contains out 'table nodes: 101 rows'
contains out 'table intervals: 100 rows'
contains out 'energy/hamiltonian'
expect 0 "$ACTIO" info --json pendulum.h5
json out 'd["title"] == "Pendulum \"test\"" and d["status"] == "solved" and d["tables"][0]["rows"] == 101'
json out 'd["results"]["steps"] == 100 and d["units"]["time"] == "s"'
expect 0 "$ACTIO" info --text problem pendulum.h5
cmp -s out pendulum.yaml || fail "the problem file inside differs"
expect 2 "$ACTIO" info --text nothing pendulum.h5

expect 0 "$ACTIO" export pendulum.h5
[ "$(wc -l <out)" -eq 102 ] || fail "export has $(wc -l <out) lines"
contains out 'time [s],'
expect 0 "$ACTIO" export pendulum.h5 --channels energy/hamiltonian --every 50
[ "$(head -1 out)" = 'time [s],energy/hamiltonian [J]' ] || fail "header: $(head -1 out)"
[ "$(wc -l <out)" -eq 4 ] || fail "every 50th row gives $(wc -l <out) lines"
expect 0 "$ACTIO" export pendulum.h5 --channels energy/discrete
[ "$(wc -l <out)" -eq 101 ] || fail "intervals: $(wc -l <out) lines"
expect 0 "$ACTIO" export pendulum.h5 --table intervals -o intervals.csv
empty out
[ "$(wc -l <intervals.csv)" -eq 101 ] || fail "intervals.csv"
expect 0 "$ACTIO" export pendulum.h5 --channels 'energy/*'
contains out 'energy/potential [J]'
expect 2 "$ACTIO" export pendulum.h5 --channels nothing
expect 2 "$ACTIO" export pendulum.h5 --table nothing
expect 2 "$ACTIO" export pendulum.h5 --every 0
expect 1 "$ACTIO" export pendulum.h5 -o nowhere/x.csv
rm intervals.csv

# every k-th row, the first and the last always
expect 0 "$ACTIO" run --quiet pendulum.yaml -o thin.h5 --set simulate.record_every=30
expect 0 "$ACTIO" export thin.h5 --channels time
[ "$(wc -l <out)" -eq 6 ] || fail "thin: $(wc -l <out) lines"
expect 0 "$ACTIO" export thin.h5 --table intervals --channels time
[ "$(wc -l <out)" -eq 6 ] || fail "thin intervals: $(wc -l <out) lines"
expect 0 "$ACTIO" info --json thin.h5
json out 'd["results"]["steps"] == 100'
rm thin.h5

# values survive the text: E_d of the table is the smallest in the column
expect 0 "$ACTIO" run --no-output --json pendulum.yaml
cp out summary.json
expect 0 "$ACTIO" export pendulum.h5 --channels energy/discrete
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "the exported energies differ from the summary"
import json
rows = [float(line.split(",")[1]) for line in open("out").read().split("\n")[1:] if line]
results = json.load(open("summary.json"))["results"]
assert min(rows) == results["energy_discrete_min"] and max(rows) == results["energy_discrete_max"]
PYTHON
fi
rm summary.json

# a range of times
expect 0 "$ACTIO" export pendulum.h5 --channels energy/kinetic --from 0.5 --to 0.6 --every 5
[ "$(wc -l <out)" -eq 4 ] || fail "from 0.5 to 0.6: $(wc -l <out) lines"
[ "$(sed -n 2p out | cut -c1-3)" = 0.5 ] || fail "from 0.5: $(sed -n 2p out)"
expect 2 "$ACTIO" export pendulum.h5 --from 7
contains err 'pendulum.h5: there are no rows in this range of time'
expect 2 "$ACTIO" export pendulum.h5 --from 2 --to 1

# components
expect 0 "$ACTIO" export pendulum.h5 --channels point/bob/position.y,momentum/angular
[ "$(head -1 out | cut -d, -f2)" = 'point/bob/position.y [m]' ] || fail "header: $(head -1 out)"
expect 2 "$ACTIO" export pendulum.h5 --channels point/bob/position.w
expect 0 "$ACTIO" export pendulum.h5 --channels 'point/bob/position.*'
[ "$(head -1 out)" = 'time [s],point/bob/position.x [m],point/bob/position.y [m]' ] || fail "header: $(head -1 out)"
expect 0 "$ACTIO" export pendulum.h5 --channels 'point/*/position.?,*/bob/position.x'
[ "$(head -1 out)" = 'time [s],point/bob/position.x [m],point/bob/position.y [m]' ] || fail "header: $(head -1 out)"
expect 2 "$ACTIO" export pendulum.h5 --channels 'point/bob/position.??'
expect 0 "$ACTIO" export pendulum.h5 --channels 'energy/disc*' # only the table of intervals has one
[ "$(wc -l <out)" -eq 101 ] || fail "intervals by a pattern: $(wc -l <out) lines"

# an ending that says no format, and an output that is the input
expect 2 "$ACTIO" export pendulum.h5 -o table.xyz
contains err 'the ending of "table.xyz" says no format'
expect 0 "$ACTIO" export pendulum.h5 -o table.xyz --format csv
ln -s pendulum.h5 link.csv
cp pendulum.h5 kept.h5
for output in pendulum.h5 link.csv ./pendulum.h5; do
    expect 2 "$ACTIO" export pendulum.h5 -o $output --format csv
    contains err 'would overwrite pendulum.h5'
done
cmp -s pendulum.h5 kept.h5 || fail "the result file was overwritten"
rm table.xyz link.csv kept.h5

# foreign and damaged files
expect 2 "$ACTIO" info pendulum.yaml
contains err 'not HDF5'
expect 2 "$ACTIO" info nowhere.h5
expect 2 "$ACTIO" export pendulum.yaml
head -c 3000 pendulum.h5 >cut.h5
expect 2 "$ACTIO" info cut.h5
contains err 'cut.h5: the result file is damaged'
expect 2 "$ACTIO" info --json cut.h5
json out '"damaged" in d["message"]'

# bytes changed all over the file: one line of complaint at the most, never a word of HDF5 or a signal; HDF5 itself leaks
# what it had read of a dataset that it refuses, so leaks are not looked for here
if command -v python3 >/dev/null; then
    python3 - "$ACTIO" <<'PYTHON' || fail "damaged bytes"
import os, random, subprocess, sys
environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
whole = open("pendulum.h5", "rb").read()
random.seed(5)
refused = 0
for trial in range(60):
    data = bytearray(whole)
    for change in range(random.choice([1, 3, 20])):
        data[random.choice([random.randrange(len(data)), random.randrange(12000), len(data) - 1 - random.randrange(20000)])] = random.randrange(256)
    open("changed.h5", "wb").write(data)
    run = subprocess.run([sys.argv[1], "report", "changed.h5"], capture_output=True, timeout=60, env=environment)
    assert run.returncode in (0, 1, 2), run
    lines = run.stderr.decode(errors="replace").splitlines()
    assert len(lines) == (run.returncode != 0) and "infinite loop" not in "".join(lines), lines
    refused += run.returncode != 0
assert refused > 10, refused
PYTHON
fi

finish
