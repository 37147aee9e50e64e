# No library comes from the current folder: the search paths of programs and libraries have no empty and no relative entry.
set -uo pipefail
cd "$ACTIO_BUILD" || exit 1
wrong=$(find . -path ./CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print0 | xargs -0 readelf -d 2>/dev/null |
    awk '/^File: / { file = $2 }
         /^Dynamic section/ { ++seen }
         /R(UN)?PATH/ { path = $0; sub(/^[^[]*\[/, "", path); sub(/\][^]]*$/, "", path); count = split(path, entry, ":")
             for (k = 1; k <= count; ++k) if (entry[k] !~ /^(\/|\$ORIGIN)/) { print file ": " path; break } }
         END { if (!seen) print "there is no program" }')
[ -z "$wrong" ] && exit
echo "$wrong"
exit 1
