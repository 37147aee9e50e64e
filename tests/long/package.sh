# make deb: the package holds a command that runs from where it is unpacked, its manual page and its examples.
. "$(dirname "$0")/../app/common.bash"
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo "skipped: needs dpkg-deb and dpkg-shlibdeps"
    exit 77
fi
mkdir source
(cd "$ACTIO_SOURCE" && tar --exclude=./build --exclude='./build-*' --exclude=./.git --exclude=node_modules -cf - .) | tar -xf - -C source
expect 0 source/scripts/make-deb build-deb
package=$(echo source/build-deb/actio_*.deb)
[ -f "$package" ] || { fail "no package"; finish; }
dpkg-deb -x "$package" unpacked
dpkg-deb -f "$package" Depends >out
for library in libhdf5 libklu libyaml; do contains out "$library"; done
export ACTIO_DATA=$work/unpacked/usr/share/actio
expect 0 unpacked/usr/bin/actio examples linkages/four-bar --copy
expect 0 unpacked/usr/bin/actio run four-bar.yaml --set simulate.duration=1
expect 0 unpacked/usr/bin/actio report four-bar.h5
for file in share/man/man1/actio.1.gz share/bash-completion/completions/actio share/zsh/site-functions/_actio share/doc/actio/docs/start.md; do
    [ -s "unpacked/usr/$file" ] || fail "$file is missing"
done
finish
