# The installed library is usable: by pkg-config (shared and static), from C and C++, by the CMake package, and
# the installed command runs. Only names that start with ac_ are exported.
# Not instrumented: programs outside of the build are not.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage

# --prefix on the command line, since the configured one belongs to the user.
cmake --install "$ACTIO_BUILD" --prefix "$stage" >"$work/install.log"
library=$(dirname "$(find "$stage" -name libactio.a)")

# The pkg-config file names the configured prefix; the staged one takes its place.
sed -i "s|^prefix=.*|prefix=$stage|" "$library/pkgconfig/actio.pc"
export PKG_CONFIG_PATH=$library/pkgconfig

cat >"$work/use.c" <<'END'
#include <actio/actio.h>
#include <stdio.h>

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    if (!ctx) return 1;
    puts(ac_version());
    ac_context_free(ctx);
    return 0;
}
END
cp "$work/use.c" "$work/use.cpp"
version=$(pkg-config --modversion actio)

check()
{
    local said
    said=$("$1")
    [ "$said" = "$version" ] || { echo "$1 says '$said', expected '$version'"; exit 1; }
}

echo 'shared library, C and C++'
# shellcheck disable=SC2046 # words are wanted
cc -std=c11 -Wall -Werror "$work/use.c" -o "$work/use-c" $(pkg-config --cflags --libs actio) -Wl,-rpath,"$library"
check "$work/use-c"
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Werror "$work/use.cpp" -o "$work/use-cpp" $(pkg-config --cflags --libs actio) \
        -Wl,-rpath,"$library"
    check "$work/use-cpp"
fi

echo 'static library'
# shellcheck disable=SC2046
cc "$work/use.c" -o "$work/use-static" $(pkg-config --cflags actio) "$library/libactio.a" \
    $(pkg-config --static --libs actio | sed 's/-lactio//')
check "$work/use-static"

echo 'CMake package'
mkdir "$work/consumer"
cat >"$work/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(actio 0.1 REQUIRED)
add_executable(shared ../use.c)
target_link_libraries(shared PRIVATE actio::actio)
add_executable(static ../use.c)
target_link_libraries(static PRIVATE actio::actio_static)
END
cmake -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$stage" >"$work/consumer.log"
cmake --build "$work/consumer/build" >>"$work/consumer.log" || { cat "$work/consumer.log"; exit 1; }
check "$work/consumer/build/shared"
check "$work/consumer/build/static"

echo 'exported names'
foreign=$(nm -D --defined-only "$library/libactio.so" | awk '$3 !~ /^ac_/ && $3 !~ /^(_init|_fini|__gcov|mangle_path)/ {print $3}')
[ -z "$foreign" ] || { echo "exported, but not ac_: $foreign"; exit 1; }

echo 'the manual'
. "$(dirname "$0")/../docs/links.bash"
documents=$stage/share/doc/actio
for file in README.md docs/start.md docs/images/four-bar.png examples/linkages/four-bar.yaml examples/c/four_bar.c; do
    [ -e "$documents/$file" ] || { echo "not installed: $file"; exit 1; }
done
for folder in actio/examples doc/actio/docs; do
    grep -qF ".I $stage/share/$folder/" "$stage/share/man/man1/actio.1" || { echo "the man page has no $stage/share/$folder/"; exit 1; }
done
[ "$(grep -c '](' "$documents/docs/gallery.md")" -gt 20 ] || { echo 'the gallery has no links'; exit 1; }
broken=$(cd "$documents" && broken_links)
[ -z "$broken" ] || { echo "$broken"; exit 1; }

echo 'the command'
"$stage/bin/actio" --version | grep -qF "$version" || { "$stage/bin/actio" --version; exit 1; }
if ldd "$stage/bin/actio" | grep -E 'libactio|libhdf5_openmpi|libmpi'; then
    echo 'the command carries the library inside and uses the serial HDF5'
    exit 1
fi
