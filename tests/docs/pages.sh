# Every command and every problem file in README.md and docs/*.md.
# Not instrumented: too slow.
. "$(dirname "$0")/../app/common.bash"
. "$ACTIO_SOURCE/tests/docs/pages.bash"
run_pages
finish
