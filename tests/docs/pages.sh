# Every command and every problem file in README.md and docs/*.md.
. "$(dirname "$0")/../app/common.bash"
if [ "${ACTIO_INSTRUMENTED:-0}" = 1 ]; then
    echo "skipped: too slow with instruments"
    exit 77
fi
. "$ACTIO_SOURCE/tests/docs/pages.bash"
run_pages
finish
