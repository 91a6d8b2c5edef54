#!/bin/sh
# Compiles the program for AArch64 on another computer and runs in an emulator what it can run:
# make check-aarch64. By default it runs the unit tests that depend on the processor; with ALL=1
# nearly all unit tests, which takes long. The last line counts programs and their tests.
#   check-aarch64.sh DIRECTORY                 all steps; src/ in DIRECTORY has the sources
#   check-aarch64.sh DIRECTORY only NAME...    runs these test programs, already compiled
#   check-aarch64.sh DIRECTORY fetch           downloads the arm64 libraries to DIRECTORY/root with
#                                              apt-get, and a static qemu if there is none, without
#                                              installing anything
# Needs aarch64-linux-gnu-gcc, qemu-aarch64 (or qemu-aarch64-static), and the libraries in
# DIRECTORY/root.
set -eu
SECONDS_EACH=${SECONDS_EACH:-1800}   # time limit of a test program; ends a hang
directory=$(cd "$1" && pwd)
root=$directory/root
libraries="libncursesw6 libncurses-dev libtinfo6 libreadline-dev libreadline8 libcsv-dev libcsv3 libzydis-dev libzydis4.0 libzycore-dev libzycore1.4 libelf-dev libelf1
    libjansson-dev libjansson4 libexpat1-dev libexpat1 libyaml-dev libyaml-0-2 libcapstone-dev libcapstone4 zlib1g zlib1g-dev libzstd1 libdw-dev libdw1 liblzma5 libbz2-1.0
    libcmocka-dev libcmocka0 libglpk-dev libglpk40 libamd2 libcolamd2 libsuitesparseconfig5 libgmp10 libltdl7 libgomp1"

say() { printf 'check-aarch64: %s\n' "$*"; }

fetch() {
    apt=$directory/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/debs" "$root"
    : >"$apt/status"
    echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(sh "$directory/src/tools/mirror.sh") bookworm main" >"$apt/sources.list"
    options="-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State=$apt -o Dir::State::status=$apt/status -o Dir::Cache=$apt
        -o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=/nonexistent -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086 # lists of options and of packages
    (cd "$apt/debs" && apt-get $options -qq update && apt-get $options -qq download $libraries)
    for package in "$apt"/debs/*.deb; do dpkg -x "$package" "$root"; done
    if ! emulator >/dev/null; then
        mkdir -p "$apt/qemu"
        (cd "$apt/qemu" && apt-get -qq -o APT::Sandbox::User=root download qemu-user-static)
        dpkg -x "$apt"/qemu/qemu-user-static_*.deb "$directory/qemu"
    fi
}

emulator() {
    for program in "$directory/qemu/usr/bin/qemu-aarch64-static" qemu-aarch64-static qemu-aarch64; do
        if command -v "$program"; then return 0; fi
    done
    return 1
}

lib=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
build() {
    mkdir -p "$directory/build"
    cd "$directory/build"
    [ -f Makefile ] || PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        "$directory/src/configure" -q --host=aarch64-linux-gnu --enable-werror CPPFLAGS="-idirafter $root/usr/include -idirafter $root/usr/include/aarch64-linux-gnu" \
        LDFLAGS="-L$root/lib/aarch64-linux-gnu -L$root/usr/lib/aarch64-linux-gnu -Wl,-rpath-link,$lib" >configure.log 2>&1 || { tail -n 5 configure.log; exit 1; }
    make -s -j"$(nproc)" >make.log 2>&1 || { grep -E 'error|warning' make.log | head -n 20; exit 1; }
    say "compiled without warnings"
}

# Runs a program in the emulator, with libraries, data and the Makefile's variables for tests. The
# program may run code without a filter of system calls, which emulators do not have.
run() {
    timeout -k 10 "$SECONDS_EACH" "$(emulator)" -cpu "${CPU:-max}" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$lib" -E PORTOLAN_DATA="$directory/src/data" -E PORTOLAN_SRC="$directory/src" \
        -E PORTOLAN_EMULATED=1 -E PORTOLAN_CPU=none -E XDG_STATE_HOME="$directory/state" -E LC_ALL=C.UTF-8 -E CMOCKA_MESSAGE_OUTPUT=stdout "$@"
}

# Prints the names of test programs. ALL=1: all except those that need the linear program, that
# assume x86-64's defaults, or that start the program itself, which only an emulator can.
chosen() {
    if [ -z "${ALL-}" ]; then
        printf '%s\n' a64 a64_analysis a64_body a64_chart a64_run chain check kernel_code regalloc sandbox scan window
        return
    fi
    for source in "$directory"/src/tests/unit/test_*.c; do
        name=$(basename "$source" .c)
        case $name in test_compile | test_frame | test_program_view | test_session_file | test_monkey | test_schema | test_timing) continue ;; esac
        grep -q 'glpk.h\|oracle' "$source" || echo "${name#test_}"
    done
}

# Runs test program $1. Writes its result (passed, failed, given up or not compiled) to .status, and
# its output to .out.
one() {
    program=tests/unit/test_$1 status=0
    echo 'not compiled' >"$program.status"
    [ -x "$program" ] || return 0
    run "./$program" >"$program.out" 2>&1 || status=$?
    case $status in
    0) echo passed ;;
    124 | 137) echo "given up after $SECONDS_EACH s" ;;
    *) echo failed ;;
    esac >"$program.status"
}

# Prints the errors in output $1.
faults() { grep -E 'ERROR|error|fail' "tests/unit/$1.out" 2>/dev/null | head -n 5 || :; }

# Prints the sum of the test counts with the given cmocka label, such as PASSED, in the programs'
# output.
count() {
    printf '%s\n' "$names" | sed 's,.*,tests/unit/test_&.out,' | xargs cat 2>/dev/null | sed -n "s/^\[  $1 *\] \([0-9]*\) test(s).*/\1/p" | awk '{ n += $1 } END { print n + 0 }'
}

tests() {
    names=$(chosen)
    # shellcheck disable=SC2046 # prints a list of targets
    make -s -k -j"$(nproc)" $(printf '%s\n' "$names" | sed 's,^,tests/unit/test_,') >>make.log 2>&1 || :
    printf '%s\n' "$names" | xargs -n 1 -P "$(nproc)" sh "$directory/src/tools/check-aarch64.sh" "$directory" only
    failed=0 passed=0
    for name in $names; do
        how=$(cat "tests/unit/test_$name.status")
        [ "$how" != passed ] || { passed=$((passed + 1)); continue; }
        failed=$((failed + 1))
        say "tests/unit/test_$name: $how"
        faults "test_$name"
    done
    for cpu in cortex-a72 neoverse-n1 a64fx max,sve-max-vq=16,sve-default-vector-length=256; do
        CPU=$cpu run ./tests/unit/test_a64_run >"tests/unit/$cpu.out" 2>&1 || { failed=$((failed + 1)); say "test_a64_run failed on $cpu"; faults "$cpu"; }
        say "$cpu: $(grep 'forms ran' "tests/unit/$cpu.out")"
    done
    say "max: $(grep 'forms ran' tests/unit/test_a64_run.out)"
    say "$passed of $(printf '%s\n' "$names" | wc -l) test programs passed, with $(count PASSED) tests passed and $(count SKIPPED) skipped, $failed failed"
    [ "$failed" -eq 0 ]
}

if [ "${2-}" = only ]; then
    cd "$directory/build"
    shift 2
    for name; do one "$name"; done
    exit
fi
if [ "${2-}" = fetch ]; then
    fetch
fi
# The compiler can link programs only with its C library, which its package recommends but does not
# require.
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -x c -o /dev/null - 2>/dev/null || ! emulator >/dev/null ||
    ! [ -d "$root/usr/lib/aarch64-linux-gnu" ]; then
    say "not done: it needs aarch64-linux-gnu-gcc with its C library (packages gcc-aarch64-linux-gnu and libc6-dev-arm64-cross), qemu-aarch64, and the libraries in $root (docs/aarch64.md)"
    exit 0
fi
build
tests
