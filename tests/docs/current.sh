# Pages that are made from something else are up to date, and no link of the manual leads nowhere.
. "$(dirname "$0")/../app/common.bash"
cd "$ACTIO_SOURCE" || exit 1

# current FILE COMMAND...: the file is what the command prints.
current() {
    local file=$1
    shift
    "$@" >"$work/made" 2>"$work/err" || { fail "$*"; cat "$work/err"; return; }
    cmp -s "$file" "$work/made" || { fail "$file is out of date; run scripts/refresh-docs build"; diff "$file" "$work/made" | head -10; }
}
current docs/man/actio.1 scripts/docs/man-page "$ACTIO"
current share/completions/actio.bash scripts/docs/completions bash "$ACTIO"
current share/completions/_actio scripts/docs/completions zsh "$ACTIO"
current docs/c-api.md scripts/docs/c-api
current docs/gallery.md scripts/docs/gallery
if command -v perl >/dev/null; then current docs/messages.md scripts/docs/messages; fi

# The page of experiments lists exactly those that there are, all of them passed.
listed=$(sed -n 's/^## \([a-z0-9-]*\)$/\1/p' docs/published.md | LC_ALL=C sort | tr '\n' ' ')
there=$(basename -s .yaml examples/reproduce/*.yaml | LC_ALL=C sort | tr '\n' ' ')
[ "$listed" = "$there" ] || fail "docs/published.md lists: $listed; there are: $there; run scripts/refresh-docs build experiments"
! grep -nF '**differs**' docs/published.md || fail "docs/published.md has checks that did not pass"

# Every verb and option explains itself.
for verb in $("$ACTIO" help | sed -n 's/^  actio \([a-z]*\) .*/\1/p' | grep -vE '^(help|version)$'); do
    "$ACTIO" help "$verb" >"$work/help" || fail "actio help $verb"
    [ "$(grep -c . "$work/help")" -ge 4 ] || fail "actio help $verb says too little"
    ! grep -E '^ +(-., )?--[a-z-]+( [^ ]+)? *$' "$work/help" || fail "actio help $verb: an option without an explanation"
done

. tests/docs/links.bash
broken_links >"$work/links"
[ ! -s "$work/links" ] || { fail "links:"; cat "$work/links"; }

# Pictures stay small.
find docs/images -type f -size +60k ! -name four-bar.png ! -name live.png | grep . && fail "pictures above 60 kB"
find docs/images -type f -size +300k | grep . && fail "pictures above 300 kB"
finish
