#!/bin/sh
# `make packaging-check`, or with PARTS="deb" some of it. Long, and no part of `make check`.
#   deb   dpkg-buildpackage twice in directories of different lengths: the packages are byte for byte the same, and lintian finds no error
#   cross tools/check-aarch64.sh: compiled for AArch64 with the libraries of Debian 12 for arm64, unit tests under qemu-aarch64
#   next  ./bootstrap check in a bare Debian of the release NEXT (trixie)
#   bare  .ci/run: ./bootstrap run and check in a bare Debian of the host's release (debootstrap)
# A part whose tools are missing is named and counted as skipped. Status 1 when one failed.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/portolan-packaging-XXXXXX") || exit 1
passed=0 failed=0 skipped=0
trap 'rm -rf "$work"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)
short=$work/a
long=$work/another/directory/with/a/longer/name
log=$work/log

# Every command of the list is there; else the first that is not is the last line of the log.
has() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || { echo "no $tool" >>"$log"; return 1; }
    done
}
tree() {
    mkdir -p "$1" && git -C "$source" -c safe.directory="$source" archive HEAD | tar -x -C "$1"
}

part_deb() {
    has git dpkg-buildpackage dh lintian || return 77
    (cd "$source" && dpkg-checkbuilddeps) >>"$log" 2>&1 || return 77
    for place in "$short/d" "$long/d"; do
        tree "$place/portolan" || return 1
        (cd "$place/portolan" && DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -us -uc -b) >>"$log" 2>&1 || return 1
    done
    for package in "$short"/d/*.deb; do
        cmp "$package" "$long/d/${package##*/}" >>"$log" 2>&1 || return 1
    done
    lintian --fail-on error "$short"/d/*.changes >>"$log" 2>&1
}

part_cross() {
    has git autoreconf aarch64-linux-gnu-gcc || return 77
    command -v qemu-aarch64 >>"$log" || command -v qemu-aarch64-static >>"$log" || { echo 'no qemu-aarch64'; return 77; } >>"$log"
    tree "$work/cross/src" && (cd "$work/cross/src" && autoreconf -fi) >>"$log" 2>&1 || return 1
    sh "$work/cross/src/tools/check-aarch64.sh" "$work/cross" fetch >>"$log" 2>&1 && grep -q ' 0 failed$' "$log"
}

# In a mount namespace of its own: what is mounted is gone with it.
part_next() {
    has git debootstrap unshare || return 77
    [ "$(id -u)" -eq 0 ] || { echo 'this is not root' >>"$log"; return 77; }
    root=$work/next
    debootstrap --variant=minbase "${NEXT:-trixie}" "$root" "${MIRROR:-$(sh "$source/tools/mirror.sh")}" >>"$log" 2>&1 || return 1
    for path in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
        [ ! -r "$path" ] || { mkdir -p "$root${path%/*}" && cp -L "$path" "$root$path"; }
    done
    apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' | grep -v Auto-Detect >"$root/etc/apt/apt.conf.d/00host"
    tree "$root/root/portolan" || return 1
    # shellcheck disable=SC2016 # the inner shell's
    unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" && mkdir -p "$1/dev/pts" "$1/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts" && ln -sf pts/ptmx "$1/dev/ptmx" && mount -t tmpfs tmpfs "$1/dev/shm" &&
        chroot "$1" env -i HOME=/root TERM=xterm PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /root/portolan && ./bootstrap check"' sh "$root" >>"$log" 2>&1
}

# .ci/run runs in place where no bare system can be made; that is not what is asked here.
part_bare() {
    has git debootstrap unshare || return 77
    [ "$(id -u)" -eq 0 ] || { echo 'this is not root' >>"$log"; return 77; }
    tree "$work/ci" && (cd "$work/ci" && sh .ci/run) >>"$log" 2>&1 || return 1
    ! grep -q 'running in place' "$log"
}

for part in ${PARTS:-deb cross next bare}; do
    : >"$log"
    (part_"$part")
    status=$?
    case $status in
    0) passed=$((passed + 1)); echo "ok: $part" ;;
    77) skipped=$((skipped + 1)); echo "skipped: $part: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); echo "FAILED: $part"; tail -n 20 "$log" | sed 's/^/  /' ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
