#!/bin/sh
# Tests three things. The README's two commands work in order on a machine without the tests'
# libraries. A build without GLPK or cmocka reports what benches and tests lack. Checks in bare
# systems clean up after an interruption.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

build=$(dirname "$portolan")

# Makes a tree of four tests with the real bootstrap. Packages are files in $work/installed.
# Stand-ins for configure, make and the program record which packages exist during their run.
make_tree() {
    tree=$work/tree
    rm -rf "$tree" "$work/installed" "$work/bin"
    mkdir -p "$tree/tests/unit" "$tree/tests/tty" "$tree/tests/tree" "$work/installed" "$work/bin"
    cp "$source/bootstrap" "$tree/"
    printf 'cmocka_unit_test(test_a), cmocka_unit_test_setup_teardown(test_b, x, y)\n' >"$tree/tests/unit/test_one.c"
    printf 'test_c() { :; }\n' >"$tree/tests/tty/test_two.sh"
    printf 'test_d() { :; }\n' >"$tree/tests/tree/test_three.sh"
    : >"$tree/configure.ac"
    : >"$tree/Makefile.am"
    cat >"$tree/configure" <<TEXT
#!/bin/sh
# Records in config.status whether the libraries of the tests are installed.
there() { for p in "\$@"; do [ -e "$work/installed/\$p" ] || { printf '#'; return; }; done; }
{
    printf '#!/bin/sh\n'
    printf 'case "\$*" in *--recheck*) exec ./configure ;; esac\n: >Makefile\nexit 0\n'
    printf 'S["HAVE_CMOCKA_TRUE"]="%s"\nS["HAVE_LLVM_TRUE"]="%s"\n' "\$(there libcmocka-dev libglpk-dev)" "\$(there llvm-19-dev)"
} >config.status
chmod +x config.status
: >Makefile
TEXT
    cat >"$work/bin/dpkg-query" <<TEXT
#!/bin/sh
for package; do :; done
[ -e "$work/installed/\$package" ] && printf 'install ok installed'
TEXT
    cat >"$work/bin/apt-get" <<TEXT
#!/bin/sh
[ "\$1" = install ] || exit 0
for package; do case \$package in install | -*) ;; *) : >"$work/installed/\$package" ;; esac; done
TEXT
    cat >"$work/bin/sudo" <<'TEXT'
#!/bin/sh
exec "$@"
TEXT
    # `make check` runs the unit tests only if configure found their libraries. $work/broken makes
    # their build fail.
    cat >"$work/bin/make" <<TEXT
#!/bin/sh
case "\$*" in *check*) ;; *) exit 0 ;; esac
units=\$(grep -c '^S\["HAVE_CMOCKA_TRUE"\]=""' config.status)
[ ! -e "$work/broken" ] || units=0
printf '# PASS:  %s\n# FAIL:  0\n# SKIP:  0\n# ERROR: 0\n' \$((2 + units * UNIT_TESTS)) >test-suite.log
TEXT
    printf '#!/bin/sh\nexit 0\n' >"$tree/portolan"
    chmod +x "$work"/bin/* "$tree/configure" "$tree/portolan"
    # If tests are counted by file, as on hosts other than x86-64, the unit tests count as one.
    UNIT_TESTS=2
    [ "$(uname -m)" = x86_64 ] || UNIT_TESTS=1
    export UNIT_TESTS
}
in_tree() { env PATH="$work/bin:$PATH" sh "$tree/bootstrap" "$1"; }

test_check_after_run_runs_all_tests() {
    make_tree
    expect 0 in_tree run
    [ -e "$work/installed/gcc" ] && [ ! -e "$work/installed/libcmocka-dev" ] || fail 'run installs other packages than it needs'
    expect 0 in_tree check
    [ "$(tail -n 1 "$work/out")" = "$((2 + UNIT_TESTS)) passed, 0 failed" ] || fail "the last line is $(tail -n 1 "$work/out")"
}

test_fewer_tests_than_there_are_is_a_failure() {
    make_tree
    : >"$work/broken"
    expect 1 in_tree check
    rm "$work/broken"
    holds out "only 2 of the $((2 + UNIT_TESTS)) tests in the tree were run"
    [ "$(tail -n 1 "$work/out")" = "2 passed, $UNIT_TESTS failed" ] || fail "the last line is $(tail -n 1 "$work/out")"
}

# For users who build by hand, prints the packages that bootstrap would install, one per line, and
# installs nothing.
test_packages_are_listed() {
    make_tree
    expect 0 env PATH="$work/bin:$PATH" sh "$tree/bootstrap" packages
    holds out 'libncurses-dev'
    lacks out 'libcmocka-dev'
    expect 0 env PATH="$work/bin:$PATH" sh "$tree/bootstrap" packages check
    holds out 'libcmocka-dev'
    [ -z "$(ls "$work/installed")" ] || fail 'a list installed something'
}

# configured_without LIBRARY: makes bench.mk, the Makefile that configure would write without the
# library (GLPK, CMOCKA), without the included dependency files.
configured_without() {
    mkdir -p "$work/build"
    sed 's/^S\["HAVE_'"$1"'_TRUE"\]=.*/S["HAVE_'"$1"'_TRUE"]="#"/; s/^S\["HAVE_'"$1"'_FALSE"\]=.*/S["HAVE_'"$1"'_FALSE"]=""/' "$build/config.status" >"$work/build/config.status"
    grep -v 'am--include-marker' "$source/Makefile.in" >"$work/build/Makefile.in"
    cd "$work/build" || exit 1
    expect 0 sh ./config.status -q --file=bench.mk:Makefile.in
}

test_bench_without_glpk_says_why() {
    configured_without GLPK
    expect 2 make -s -f bench.mk bench
    holds err 'make bench: the linear program that the engine is compared with is missing; install libglpk-dev, then run ./configure again'
}

# `make check` reports missing libraries after it has built everything else. This build must not
# need the libraries.
test_no_bench_is_compiled_without_the_libraries_of_tests() {
    configured_without CMOCKA
    expect 0 make -s -f bench.mk --eval='linked: ; @echo "($(strip $(CHECKED_BENCHES)))"' linked
    holds out '()'
    expect 0 make -s -f bench.mk --eval='linked: ; @echo "$(EXTRA_PROGRAMS)"' linked
    holds out 'bench/bench_screen'
    expect 2 make -s -f bench.mk missing_for_tests=libcmocka-dev check-local
    holds err 'make check: no unit test was built; install libcmocka-dev, then run ./configure again'
}

# If interrupted during a part, packaging-check must remove the part and its directory.
test_packaging_check_cleans_up() {
    needs setsid
    mkdir -p "$work/bin" "$work/scratch"
    for tool in dh lintian dpkg-checkbuilddeps; do printf '#!/bin/sh\n' >"$work/bin/$tool"; done
    printf '#!/bin/sh\nexec tar -c -f - -T /dev/null\n' >"$work/bin/git"
    printf '#!/bin/sh\necho $$ >"%s/part"\nexec sleep 9999\n' "$work" >"$work/bin/dpkg-buildpackage"
    chmod +x "$work"/bin/*
    TMPDIR=$work/scratch PARTS=deb PATH=$work/bin:$PATH sh "$source/tools/packaging-check.sh" >"$work/said" 2>&1 &
    matrix=$!
    wait_until [ -s "$work/part" ] || fail "the part did not begin: $(cat "$work/said")"
    kill "$matrix"
    status=0
    wait "$matrix" || status=$?
    [ "$status" -eq 143 ] || fail "status $status"
    [ -z "$(ls "$work/scratch")" ] || fail "left: $(ls "$work/scratch")"
    ! kill "$(cat "$work/part")" 2>/dev/null || fail 'the part went on'
}

# If interrupted while it makes its bare system, the CI script must end its processes and remove its
# directory.
test_ci_cleans_up() {
    [ "$(id -u)" -eq 0 ] && unshare --mount --pid --fork --kill-child true 2>/dev/null || skip 'namespaces are not allowed here'
    mkdir -p "$work/bin"
    printf '#!/bin/sh\n[ "$1" != indextargets ] || echo "Packages http://nowhere/ %s main -"\n' "$(. /etc/os-release && echo "$VERSION_CODENAME")" >"$work/bin/apt-get"
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/system"\nexec sleep 9999\n' "$work" >"$work/bin/debootstrap"
    chmod +x "$work"/bin/*
    PATH=$work/bin:$PATH sh "$source/.ci/run" >"$work/said" 2>&1 &
    ci=$!
    wait_until [ -s "$work/system" ] || fail "no system was begun: $(cat "$work/said")"
    scratch=$(sed -n 's,\(/var/tmp/portolan-ci.*\)/root$,\1,p' "$work/system")
    [ -d "$scratch" ] || fail "no directory: $(cat "$work/system")"
    kill "$ci"
    ended() { ! kill -0 "$ci" 2>/dev/null; }
    wait_until ended || fail 'it went on'
    [ ! -e "$scratch" ] || fail "left: $scratch"
}

run_tests
