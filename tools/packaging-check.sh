#!/bin/sh
# `make packaging-check`: checks of packages and of bootstrap, which take long and are no part of
# `make check`. PARTS="deb" selects parts; the default is all parts, of which eight for bookworm and
# two for trixie.
#   deb     runs dpkg-buildpackage twice in directories whose names differ in length: the packages
#           must be identical, and lintian must find no error
#   cross   tools/check-aarch64.sh: compiles for AArch64 with the arm64 libraries of Debian 12 and
#           runs unit tests under qemu-aarch64
#   bookworm-root-pty-run and so on: ./bootstrap in a bare Debian of that release (debootstrap), as
#           root or as a user with sudo (user), in a terminal (pty) or without one (no): run and
# then
#           check (run), or check alone (check)
# LOGS=DIRECTORY stores the output of each part there. A part whose tools are missing is named and
# counted as skipped. The exit status is 1 if a part failed.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)

# Returns whether every command of the list is installed. If not, the last line of the log names the
# first missing one.
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

# Runs COMMANDS in a bare system of .ci/run: cell RELEASE WHO TERMINAL COMMANDS. If no bare system
# can be made, .ci/run would run in place, which this check must not.
cell() {
    has git debootstrap unshare || return 77
    [ "$(id -u)" -eq 0 ] || { echo 'this is not root' >>"$log"; return 77; }
    user=
    [ "$2" = root ] || user=newcomer
    rm -rf "$work/ci"
    tree "$work/ci" && (cd "$work/ci" && BARE_RELEASE=$1 BARE_USER=$user BARE_TERMINAL=$3 BARE_COMMANDS=$4 BARE_SECONDS=3600 sh .ci/run) >>"$log" 2>&1 || return 1
    ! grep -q 'running in place' "$log"
}

# Lists the parts: release-who-terminal-commands.
cells() {
    for who in root user; do
        for terminal in pty no; do
            for commands in run check; do
                echo "bookworm-$who-$terminal-$commands"
            done
        done
    done
    echo trixie-root-no-check trixie-user-pty-run
}

run_part() {
    case $1 in
    # shellcheck disable=SC2046 # prints a list of words
    *-*-*-check) cell $(echo "$1" | tr - ' ') ;;
    # shellcheck disable=SC2046 # prints a list of words
    *-*-*-run) cell $(echo "${1%-run}" | tr - ' ') 'run check' ;;
    *) "part_$1" ;;
    esac
}

# seconds NUMBER COMMAND...: repeats the command until it succeeds, at most NUMBER seconds.
seconds() {
    left=$1
    shift
    until "$@" || [ "$left" -eq 0 ]; do
        left=$((left - 1))
        sleep 1
    done
}
gone() { ! kill -0 "-$child" 2>/dev/null; }

# An interruption also ends the running part and all processes that it started. .ci/run unmounts a
# bare system's file systems before it ends.
clean_up() {
    if [ -n "$child" ]; then
        kill -TERM "-$child" 2>/dev/null
        seconds 60 gone   # a bare system has many files
    fi
    seconds 10 rm -rf "$work" 2>/dev/null
}

child=
if [ "${1-}" = --part ]; then
    work=$3
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/portolan-packaging-XXXXXX") || exit 1
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP
fi
short=$work/a
long=$work/another/directory/with/a/longer/name
log=$work/log
if [ "${1-}" = --part ]; then
    run_part "$2"
    exit
fi

passed=0 failed=0 skipped=0
for part in ${PARTS:-deb cross $(cells)}; do
    : >"$log"
    # The part runs in its own process group and is waited for in the background: a trap then runs
    # at once, not when the part is done.
    setsid sh "$0" --part "$part" "$work" &
    child=$!
    wait "$child"
    status=$?
    child=
    [ -z "${LOGS-}" ] || { mkdir -p "$LOGS" && cp "$log" "$LOGS/$part.log"; }
    case $status in
    0) passed=$((passed + 1)); echo "ok: $part: $(tail -n 1 "$log")" ;;
    77) skipped=$((skipped + 1)); echo "skipped: $part: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); echo "FAILED: $part"; tail -n 20 "$log" | sed 's/^/  /' ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
