# The manual as a site: every page is made and every link leads somewhere.
# Not instrumented: nothing of the build runs.
. "$(dirname "$0")/../app/common.bash"
if ! command -v lowdown >/dev/null; then
    echo "skipped: needs lowdown"
    exit 77
fi
expect 0 "$ACTIO_SOURCE/scripts/make-docs" "$work/site"
for page in "$ACTIO_SOURCE"/docs/*.md; do
    html=site/$(basename "$page" .md).html
    [ -s "$html" ] || { fail "$html is missing"; continue; }
    contains "$html" '<h1 id='
    # every page can be reached
    grep -q "href=\"$(basename "$html")\"" site/index.html || fail "$html is not in the navigation"
done
finish
