#!/bin/sh
# Compiles the program for AArch64 on another computer and runs there what an emulator can run: make check-aarch64.
# Usage: check-aarch64.sh DIRECTORY, in which src/ holds the sources. What is needed: aarch64-linux-gnu-gcc, qemu-aarch64 (or qemu-aarch64-static), and
# the libraries for arm64 in DIRECTORY/root; `check-aarch64.sh DIRECTORY fetch` puts them there with apt-get, and a static qemu with them if there is none,
# without installing anything.
set -eu
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
    # shellcheck disable=SC2086 # lists of words
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

build() {
    lib=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
    mkdir -p "$directory/build"
    cd "$directory/build"
    [ -f Makefile ] || PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        "$directory/src/configure" -q --host=aarch64-linux-gnu --enable-werror CPPFLAGS="-idirafter $root/usr/include -idirafter $root/usr/include/aarch64-linux-gnu" \
        LDFLAGS="-L$root/lib/aarch64-linux-gnu -L$root/usr/lib/aarch64-linux-gnu -Wl,-rpath-link,$lib" >configure.log 2>&1 || { tail -n 5 configure.log; exit 1; }
    make -s -j"$(nproc)" >make.log 2>&1 || { grep -E 'error|warning' make.log | head -n 20; exit 1; }
    say "compiled without warnings"
}

# The emulated program: libraries, data, what else the Makefile tells tests, and leave to run code without a filter of system calls, which emulators do not have.
run() {
    "$(emulator)" -cpu "${CPU:-max}" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$lib" -E PORTOLAN_DATA="$directory/src/data" -E PORTOLAN_SRC="$directory/src" \
        -E PORTOLAN_EMULATED=1 -E PORTOLAN_CPU=none -E XDG_STATE_HOME="$directory/state" -E LC_ALL=C.UTF-8 -E CMOCKA_MESSAGE_OUTPUT=stdout "$@"
}

# What depends on the processor. ALL=1: every test program, but for those that need the linear program and those written for x86-64's defaults.
chosen() {
    if [ -z "${ALL-}" ]; then
        echo a64 a64_analysis a64_body a64_chart a64_run chain check kernel_code regalloc sandbox scan window
        return
    fi
    for source in "$directory"/src/tests/unit/test_*.c; do
        name=$(basename "$source" .c)
        case $name in test_compile | test_frame | test_session_file) continue ;; esac
        grep -q 'glpk.h\|oracle' "$source" || echo "${name#test_}"
    done
}

tests() {
    failed=0 passed=0
    for test in $(chosen); do
        name=tests/unit/test_$test
        make -s "$name" >>make.log 2>&1 || { say "$name is not compiled"; failed=$((failed + 1)); continue; }
        if run "./$name" >"$name.out" 2>&1; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            say "$name failed"
            grep -E 'ERROR|error|fail' "$name.out" | head -n 5
        fi
    done
    for cpu in cortex-a72 neoverse-n1 a64fx max,sve-max-vq=16,sve-default-vector-length=256; do
        CPU=$cpu run ./tests/unit/test_a64_run >"tests/unit/$cpu.out" 2>&1 || { failed=$((failed + 1)); say "test_a64_run failed on $cpu"; }
        say "$cpu: $(grep 'forms ran' "tests/unit/$cpu.out")"
    done
    say "max: $(grep 'forms ran' tests/unit/test_a64_run.out)"
    say "$passed test programs passed, $failed failed"
    [ "$failed" -eq 0 ]
}

if [ "${2-}" = fetch ]; then
    fetch
fi
# The compiler links programs only with the C library for it, which its package recommends and does not need.
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! echo 'int main(void) { return 0; }' | aarch64-linux-gnu-gcc -x c -o /dev/null - 2>/dev/null || ! emulator >/dev/null ||
    ! [ -d "$root/usr/lib/aarch64-linux-gnu" ]; then
    say "not done: it needs aarch64-linux-gnu-gcc with its C library (packages gcc-aarch64-linux-gnu and libc6-dev-arm64-cross), qemu-aarch64, and the libraries in $root (docs/aarch64.md)"
    exit 0
fi
build
tests
