#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Archives, object files and programs as they are: members, functions, places in them, and names that are nearly right.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
XDG_STATE_HOME=$home
export XDG_STATE_HOME

# two.o, nest.o in lib.a (with a second two.o), thin.a, and beside them.
make_archives() {
    needs gcc
    needs ar
    cd "$work" || exit 99
    cat >two.c <<'C'
void scale_all(double *a, long n) { for (long i = 0; i < n; i++) a[i] *= 2.5; }
long add_up(const long *a, long n) { long s = 0; for (long i = 0; i < n; i++) s += a[i] * 3; return s; }
C
    cat >nest.c <<'C'
void matmul(double *a, const double *b, const double *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += b[i * n + k] * c[k * n + j];
            a[i * n + j] = s;
        }
}
C
    mkdir -p sub
    gcc -O1 -c -o sub/two.o two.c && gcc -O1 -c nest.c || skip 'gcc does not work'
    cp sub/two.o two.o
    echo text >notes.txt
    ar rc lib.a two.o notes.txt nest.o && ar q lib.a two.o && ar rcT thin.a sub/two.o nest.o
}

test_archives() {
    make_archives
    # Of all members the loop that nests deepest.
    for archive in lib.a thin.a; do
        expect 0 "$portolan" -e "kernel load $archive; kernel show"
        holds out "$archive(nest.o): innermost loop matmul"
        holds out mulsd
    done
    expect 0 "$portolan" -e 'kernel load lib.a(two.o); kernel load lib.a(two.o:2) --symbol add_up; kernel load thin.a(two.o)'
    holds out 'lib.a(two.o): innermost loop scale_all'
    holds out 'lib.a(two.o:2): innermost loop add_up'
    holds out 'thin.a(two.o): innermost loop scale_all'
    expect 0 "$portolan" -e 'kernel load lib.a --symbol matmul'
    holds out 'lib.a(nest.o): innermost loop matmul'
    expect 1 "$portolan" -e 'kernel load lib.a --symbol add_up'
    holds err 'several members have a function add_up: lib.a(two.o), lib.a(two.o:2)'
    expect 1 "$portolan" -e 'kernel load lib.a(tow.o)'
    holds err 'no object file (tow.o) in this archive; did you mean (two.o)?'
    # All code of all members.
    expect 0 "$portolan" --format json -e 'forms scan lib.a; forms scan two.o nest.o two.o'
    [ "$(sed -n 's/.*"instructions":\([0-9]*\).*/\1/p' "$work/out" | uniq | wc -l)" = 1 ] || fail "lib.a: $(cut -c 1-200 "$work/out")"
    rm -f sub/two.o
    expect 1 "$portolan" -e 'kernel load thin.a(two.o)'
    holds err 'ar cannot list this thin archive'
    printf '!<arch>\n' >empty.a
    expect 1 "$portolan" -e 'kernel load empty.a'
    holds err 'no object files in this archive'
    head -c 400 lib.a >cut.a
    expect 1 "$portolan" -e 'kernel load cut.a'
}

# A place in a function takes the loop around it, the head's own place that loop.
test_places() {
    make_archives
    expect 0 "$portolan" -e 'kernel load nest.o; kernel list'
    outer=$(grep -o 'outer loop matmul+0x[0-9a-f]*' "$work/out" | head -n 1 | grep -o 'matmul.*')
    inner=$(grep -o 'innermost loop matmul+0x[0-9a-f]*' "$work/out" | head -n 1 | grep -o 'matmul.*')
    expect 0 "$portolan" -e "kernel load nest.o --symbol $outer"
    holds out "outer loop $outer"
    expect 0 "$portolan" -e "kernel load nest.o --symbol $inner"
    holds out "innermost loop $inner"
    expect 1 "$portolan" -e 'kernel load nest.o --symbol matmul+0x8000'
    holds err 'matmul has 0x'
}

test_near_names() {
    make_archives
    expect 1 "$portolan" -e 'kernel load two.o --symbol ad_up'
    holds err 'no function ad_up with code in this file; did you mean add_up?'
    expect 1 "$portolan" -e 'kernel load two.o --symbol scale'
    holds err 'did you mean scale_all?'
    expect 1 "$portolan" -e 'kernel load lib.a --symbol mutmal'
    holds err 'did you mean matmul?'
    expect 1 "$portolan" -e 'kernel load two.o --symbol qqqqqqqq'
    holds err 'kernel functions FILE lists'
}

# What every Debian has: stripped programs have functions and loops.
test_programs_of_the_system() {
    for program in /bin/bash /bin/ls /bin/grep; do
        [ -x "$program" ] || skip "no $program"
        expect 0 "$portolan" -e "kernel load $program"
        holds out 'innermost loop'
    done
}

run_tests
