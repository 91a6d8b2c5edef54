#!/bin/sh
# The packaging matrix: `make packaging-check`, or with PARTS="reproducible deb" some of it. Takes an hour on two processors, and is no part of `make check`.
#   reproducible  two builds of the committed tree in directories of different lengths: programs and library byte for byte the same
#   deb           dpkg-buildpackage twice in different directories, the packages compared; lintian finds no error
#   cross         a build for AArch64 with Debian's cross compiler and its unit tests under qemu-user
#   bookworm      .ci/run: ./bootstrap run and check in a bare Debian 12 (debootstrap)
#   trixie        the same commands in a bare Debian 13
# A part whose tools are missing is named and counted as skipped. Status 1 when one failed.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/portolan-packaging-XXXXXX") || exit 1
passed=0 failed=0 skipped=0
trap 'rm -rf "$work"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)

has() { command -v "$1" >/dev/null 2>&1; }
tree() {
    mkdir -p "$1"
    git -C "$source" -c safe.directory="$source" archive HEAD | tar -x -C "$1"
}
short=$work/a
long=$work/another/directory/with/a/longer/name
log=$work/log

part_reproducible() {
    for place in "$short/r" "$long/r"; do
        tree "$place" || return 1
        (cd "$place" && autoreconf -fi && ./configure -q --prefix=/usr --enable-shared && make -s -j"$jobs") >"$log" 2>&1 || return 1
        make -s -C "$place" install DESTDIR="$place/root" >>"$log" 2>&1 || return 1
    done
    diff -rq "$short/r/root" "$long/r/root" >>"$log" 2>&1
}

part_deb() {
    has dpkg-buildpackage && has lintian && has dh || return 77
    for place in "$short/d" "$long/d"; do
        tree "$place/portolan" || return 1
        (cd "$place/portolan" && DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -us -uc -b) >"$log" 2>&1 || return 1
    done
    for package in "$short"/d/*.deb; do
        cmp "$package" "$long/d/${package##*/}" >>"$log" 2>&1 || return 1
    done
    lintian --fail-on error "$short"/d/*.changes >>"$log" 2>&1
}

# Libraries of the other processor come from Debian's multiarch packages: dpkg --add-architecture arm64; apt-get install libjansson-dev:arm64 ...
part_cross() {
    has aarch64-linux-gnu-gcc && has qemu-aarch64 || has qemu-aarch64-static || return 77
    tree "$work/cross" || return 1
    cd "$work/cross" && autoreconf -fi >"$log" 2>&1 || return 1
    PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig ./configure -q --host=aarch64-linux-gnu --with-llvm=no >>"$log" 2>&1 || { grep -q 'packages:' "$log" && return 77; return 1; }
    make -s -j"$jobs" check TESTS= >>"$log" 2>&1 || return 1
    runner=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
    make -s check TESTS="tests/unit/test_base tests/unit/test_machines tests/unit/test_osaca tests/unit/test_metrics tests/unit/test_experiments" \
        LOG_COMPILER="timeout 900 $runner -L /usr/aarch64-linux-gnu" >>"$log" 2>&1
}

part_bookworm() {
    has debootstrap && [ "$(id -u)" -eq 0 ] || return 77
    tree "$work/ci" && (cd "$work/ci" && timeout 1800 sh .ci/run) >"$log" 2>&1
}

part_trixie() {
    has debootstrap && [ "$(id -u)" -eq 0 ] || return 77
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -1)
    debootstrap --variant=minbase trixie "$work/trixie" ${mirror:+"$mirror"} >"$log" 2>&1 || return 77
    tree "$work/trixie/portolan" || return 1
    cp /etc/resolv.conf "$work/trixie/etc/" 2>/dev/null
    timeout 3000 unshare -m sh -c "mount -t proc proc '$work/trixie/proc' && chroot '$work/trixie' sh -c 'cd /portolan && ./bootstrap build && ./bootstrap check'" >>"$log" 2>&1
}

for part in ${PARTS:-reproducible deb cross bookworm trixie}; do
    : >"$log"
    (part_"$part")
    status=$?
    case $status in
    0) passed=$((passed + 1)); echo "ok: $part" ;;
    77) skipped=$((skipped + 1)); echo "skipped: $part: a tool or package is missing: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); echo "FAILED: $part"; tail -n 20 "$log" | sed 's/^/  /' ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
