#!/bin/sh
# configure reports what it cannot do, and reports all missing packages at once.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Uses a copy, because a configured tree cannot be configured from another directory.
mkdir "$work/src"
cp "$source/configure" "$work/"
cp -R "$source/build-aux" "$work/"
: >"$work/src/main.c"
cd "$work" || exit 99

test_other_systems_are_refused() {
    expect 1 ./configure -q --host=x86_64-unknown-freebsd14
    holds err 'Portolan runs on Linux only, not on freebsd14'
    expect 1 ./configure -q --host=riscv64-linux-gnu
    holds err 'Portolan runs on x86-64 and AArch64 only, not on riscv64'
}

# Simulates a system without the libraries, where no module and no header is found.
test_missing_packages_are_named_at_once() {
    expect 1 ./configure -q PKG_CONFIG=false ac_cv_header_csv_h=no ac_cv_header_Zydis_Zydis_h=no ac_cv_header_capstone_capstone_h=no ac_cv_header_elfutils_libdwfl_h=no
    holds err 'libraries are missing; their Debian packages: pkg-config libncurses-dev libreadline-dev libjansson-dev libelf-dev libexpat1-dev libyaml-dev libcsv-dev libzydis-dev libcapstone-dev libdw-dev'
}

test_left_out_parts_are_not_missing() {
    expect 1 ./configure -q --without-capstone --without-libdw PKG_CONFIG=false ac_cv_header_capstone_capstone_h=no ac_cv_header_elfutils_libdwfl_h=no
    holds err 'libraries are missing'
    lacks err libcapstone-dev
    lacks err libdw-dev
}

# Simulates a cross build, in which configure finds an LLVM of this computer that cannot be linked.
test_foreign_llvm() {
    mkdir -p "$work/llvm/llvm-c"
    : >"$work/llvm/llvm-c/DebugInfo.h"
    printf '#!/bin/sh\ncase $1 in --includedir) echo "%s" ;; *) echo -lof-another-processor ;; esac\n' "$work/llvm" >"$work/llvm/llvm-config-19"
    printf '#!/bin/sh\n' >"$work/llvm/clang-19"
    chmod +x "$work/llvm/llvm-config-19" "$work/llvm/clang-19"
    expect 1 env PATH="$work/llvm:$PATH" ./configure -q --with-llvm=19
    holds err "LLVM 19 is there, but programs for $(uname -m) cannot be linked with it"
}

run_tests
