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

finish
