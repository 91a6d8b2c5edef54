#!/bin/sh
# `make packaging-check`, or with PARTS="deb" some of it. Long, and no part of `make check`.
#   deb   dpkg-buildpackage twice in directories of different lengths: the packages are byte for byte the same, and lintian finds no error
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

# .ci/run runs in place where no bare system can be made; that is not what is asked here.
part_bare() {
    has git debootstrap unshare || return 77
    [ "$(id -u)" -eq 0 ] || { echo 'this is not root' >>"$log"; return 77; }
    tree "$work/ci" && (cd "$work/ci" && sh .ci/run) >>"$log" 2>&1 || return 1
    ! grep -q 'running in place' "$log"
}

for part in ${PARTS:-deb bare}; do
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
