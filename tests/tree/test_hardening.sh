#!/bin/sh
# The built programs have the protections against memory errors that configure selected.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

build=$(dirname "$portolan")
chosen() { sed -n "s/^$1 =//p" "$build/Makefile"; }
programs=$portolan
[ ! -x "$build/portolan-cc" ] || programs="$programs $build/portolan-cc"

test_default_is_hardened() {
    command -v readelf >/dev/null || skip 'no readelf'
    compiled=$(chosen HARDENING_CFLAGS) linked=$(chosen HARDENING_LDFLAGS)
    [ -n "$linked" ] || skip 'built with --disable-hardening'
    for program in $programs; do
        readelf -hW "$program" >"$work/header"; readelf -lW "$program" >"$work/parts"; readelf -dW "$program" >"$work/dynamic"; readelf -sW "$program" >"$work/names"
        case $linked in *-pie*) grep -q 'DYN (' "$work/header" || fail "$program is no PIE" ;; esac
        case $linked in *-z,relro*) grep -q GNU_RELRO "$work/parts" || fail "$program has no RELRO" ;; esac
        case $linked in *-z,now*) grep -q BIND_NOW "$work/dynamic" || fail "$program binds lazily" ;; esac
        case $linked in *noexecstack*) grep GNU_STACK "$work/parts" | grep -q 'RWE' && fail "$program has an executable stack" ;; esac
        case $compiled in *stack-protector*) grep -q __stack_chk_fail "$work/names" || fail "$program has no stack protector" ;; esac
        case $compiled in *_FORTIFY_SOURCE=3*-O0*) ;; *_FORTIFY_SOURCE=3*) grep -q '_chk@' "$work/names" || fail "$program checks no lengths" ;; esac
        ! grep -E 'LOAD.* RWE ' "$work/parts" || fail "$program has memory that is both written and run"
    done
}

# The library has the same protections, because tests and tools link its objects.
test_library_is_hardened() {
    command -v readelf >/dev/null && [ -r "$build/libportolan.a" ] || skip 'no readelf, or no library'
    case $(chosen HARDENING_CFLAGS) in *stack-protector*) ;; *) skip 'no stack protector chosen' ;; esac
    readelf -sW "$build/libportolan.a" >"$work/names" 2>/dev/null
    grep -q 'UND __stack_chk_fail' "$work/names" || fail 'the library has no stack protector'
}

# The child that measures cannot call the C library. Compilers may insert calls. For example, clang
# turned a loop into a call of memcpy. Only the child's start may call the functions in this list.
test_child_needs_no_library() {
    command -v nm >/dev/null && [ -r "$build/src/measure/sandbox_child.o" ] || skip 'no nm, or no objects'
    for part in sandbox_child window; do
        nm -u "$build/src/measure/$part.o" | awk '{ print $NF }' >"$work/names"
        ! grep -vE '^(arch|sandbox|window)_|^__(asan|ubsan|tsan|sancov|sanitizer)_|^(__errno_location|_exit|send|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' "$work/names" || fail "$part calls the C library"
    done
}

# make -n executes commands that contain $(MAKE). Therefore long targets call make by another name.
test_dry_runs_do_nothing() {
    grep -nE '^	.*\$[({]MAKE[)}]' "$source/Makefile.am" >"$work/found" && fail "$(cat "$work/found")"
    return 0
}

run_tests
