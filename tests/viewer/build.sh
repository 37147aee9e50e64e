# The page in the repository is what its sources give: built again from the lock file it has the same bytes.
# Not instrumented: nothing of the build runs.
. "$(dirname "$0")/../app/common.bash"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "skipped: needs node and npm"
    exit 77
fi
cp -r "$ACTIO_SOURCE/viewer/package.json" "$ACTIO_SOURCE/viewer/package-lock.json" "$ACTIO_SOURCE/viewer/build.mjs" \
    "$ACTIO_SOURCE/viewer/src" .
if ! timeout 100 npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1; then
    tail -n 3 npm.log
    echo "skipped: npm cannot get the packages"
    exit 77
fi
expect 0 node build.mjs --output again.html
cmp again.html "$ACTIO_SOURCE/viewer/dist/report.html" || fail "viewer/dist/report.html is not built from its sources: npm ci && npm run build"
expect 0 node build.mjs --live --output live.html
cmp live.html "$ACTIO_SOURCE/viewer/dist/live.html" || fail "viewer/dist/live.html is not built from its sources: npm ci && npm run build"
for name in 'three 0.' 'uplot 1.' 'The MIT License' 'Permission is hereby granted'; do
    contains again.html "$name"
done

finish
