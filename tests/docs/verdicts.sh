# Every status of the sources stands on the page of verdicts, and every test that the page names exists.
. "$(dirname "$0")/../app/common.bash"
cd "$ACTIO_SOURCE" || exit 1
page=docs/verdicts.md

tests=$(grep -o '`tests/[a-z_/-]*\.[a-z]*`' $page | tr -d '`' | sort -u)
[ "$(echo "$tests" | wc -l)" -ge 30 ] || fail "$page names too few tests"
for file in $tests; do
    [ -f "$file" ] || fail "$page names $file, which is not there"
done

# words of outcomes: what stands in the table of the solver, and what is assigned
{
    grep -ohE 'words = "[^"]+"' src/optimize/solve/*.c src/optimize/nlp/*.c | sed 's/^words = "//; s/"$//'
    sed -n '/^static const outcome_row OUTCOMES/,/^};/p' src/optimize/nlp/ipopt.c | grep -oE '"[^"]+"' | tr -d '"'
    grep -ohE 'ac_summary_verdict\([^;]*;' -r src | grep -oE '"[a-z_]+"' | tr -d '"'
    sed -n '/static const char open\[\]/p' src/task/summary.c | grep -oE '"[^"]+"' | tr -d '"'
    echo 'the gradient vanishes'
} | sort -u >"$work/words"
[ "$(wc -l <"$work/words")" -ge 20 ] || fail "too few words of outcomes were found"
while read -r words; do
    grep -qF "$words" $page || fail "$page does not explain: $words"
done <"$work/words"

# sources point to it
for file in src/task/summary.c src/optimize/solve/conclude.c src/optimize/nlp/ipopt.c src/adjoint/shoot.c; do
    grep -qF 'docs/verdicts.md' $file || fail "$file does not point to $page"
done
finish
