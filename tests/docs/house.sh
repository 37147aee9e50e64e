# The folders of src/ use only what their READMEs say, each has its README or is named in that of
# its parent, READMEs name files that are there, and no struct has more than forty members.
# Not instrumented: nothing of the build runs.
set -euo pipefail
cd "$ACTIO_SOURCE"
failed=0
complain() {
    echo "$1" >&2
    failed=1
}

for folder in src/*; do
    name=$(basename "$folder")
    readme=$folder/README.md
    [ -f "$readme" ] || { complain "$folder has no README.md"; continue; }
    may=$(sed -n 's/^May use: \(.*\)\.$/\1/p' "$readme" | tr -d ',')
    [ -n "$may" ] || complain "$readme has no line 'May use: ...'"
    grep -qF "| \`src/$name/\` |" docs/architecture.md || complain "docs/architecture.md does not name src/$name/"
    while IFS=: read -r file include; do
        header=${include#*\"}
        used=${header%%/*}
        [ "$used" = "$name" ] || [ "$used" = actio ] && continue
        case " $may " in *" $used "*) continue ;; esac
        [ "$name" = app ] && [ "$used" = app.h\" ] && continue
        complain "$file includes ${header%\"*}, but $readme does not allow $used"
    done < <(grep -rHo --include='*.[ch]' '#include "[^"]*"' "$folder")
done

# What defines a term is read where terms are evaluated (action), and where systems are built and compared.
while read -r line; do
    complain "evaluates a term outside of src/action: $line"
done < <(grep -rnE 'gravity_force|inertia\.entries|law->|ac_force_map_(value|slopes|curvature)|ac_parts_' --include='*.c' src |
    grep -vE '^src/(action|model|assembly|problem)/')

# Masses and stiffnesses of the model are multiplied in action; other folders may compare them (which number differs, is the body
# symmetric) and take them as a scale of a gain.
while read -r line; do
    complain "takes a number of a term outside of src/action: $line"
done < <(grep -rnE '(node|nodes\[.*\]|pair)(->|\.)(mass|euler)\b|(->|\.)stiffness\[|springs\[.*\]\.stiffness' --include='*.c' src |
    grep -vE '^src/((base|action|model|assembly|problem)/|(optimize/judge/spins|task/track/(track|verdict)|live/simulation|live/controls)\.c)')

# Who acts on a node is asked of the action (action/describe/actor.h), not of springs or loads alone; whether any load acts, too
# (action/load.h). Channels, what trackers know of dampers, and rest lengths of the start are those of springs.
while read -r line; do
    complain "asks for springs or loads; does it mean: does anything act? $line"
done < <(grep -rnE 'system->spring_count|system->load_count *[=!<>]=? *0' --include='*.[ch]' src |
    grep -vE '^src/((action|model|problem|show)/|(observe/monitor|equilibrium/observe|track/tracker)\.c|assembly/(assemble|start_slopes|start_bends)\.c)')

for folder in src/*/*/; do
    inner=$(basename "$folder")
    grep -qF "\`$inner/" "$(dirname "$folder")/README.md" || complain "$(dirname "$folder")/README.md does not name $inner/"
done

while read -r folder; do
    count=$(find "$folder" -maxdepth 1 -name '*.[ch]' | wc -l)
    [ "$count" -lt 8 ] || [ -f "$folder/README.md" ] || complain "$folder holds $count files and has no README.md"
done < <(find src -type d)

# Names of files in READMEs are those of the folder, or are written as in an include or from the top.
while IFS=: read -r readme name; do
    name=${name//\`/}
    [ -f "$(dirname "$readme")/$name" ] || [ -f "src/$name" ] || [ -f "include/$name" ] || [ -f "$name" ] ||
        complain "$readme names $name, which is not there"
done < <(grep -rHoE --include=README.md '`[a-z_0-9/]+\.[ch]`' src)

large=$(find src include -name '*.[ch]' -exec awk -v most=40 -f tests/docs/structs.awk {} +)
[ -z "$large" ] || complain "$large; split it by what it holds"
exit $failed
