# Every command in README.md and docs/*.md, those that take minutes included.
. "$(dirname "$0")/../app/common.bash"
. "$ACTIO_SOURCE/tests/docs/pages.bash"
DOCS_LONG=1
run_pages
finish
