#!/bin/sh
# The functions of a program to pick from.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
prompt() { t send-keys :; t send-keys -l "$*"; t send-keys Enter; }

make_object() {
    needs cc
    cat >"$work/two.c" <<'C'
void scale_all(double *a, long n) { for (long i = 0; i < n; i++) a[i] *= 2.5; }
long add_up(const long *a, long n) { long s = 0; for (long i = 0; i < n; i++) s += a[i] * 3; return s; }
int none(int a) { return a + 1; }
C
    cc -O1 -c -o "$work/two.o" "$work/two.c" || skip 'the C compiler does not work'
}

# A list with search; Enter opens the function under the cursor.
test_pick_a_function() {
    make_object
    open_screen 100 30 "env HOME=$home '$portolan' --machine skylake '$work/two.o'; read -r x"
    see 'two.o'
    t send-keys f
    see '2 functions with a loop'
    see 'add_up'
    see 'scale_all'
    screen_holds none && fail 'a function without a loop is listed'
    prompt 'find scale_all'
    t send-keys Enter
    see 'mulsd'
    t send-keys f
    see '2 functions with a loop'
    prompt 'filter function~add_up'
    see '1/1'
    t send-keys g Enter
    see 'imul'
    t send-keys Q
}

# A stripped program: addresses are names.
test_stripped_program() {
    needs gzip
    program=$(readlink -f "$(command -v gzip)")
    open_screen 80 24 "env HOME=$home '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    prompt "kernel functions $program"
    see 'functions with a loop'
    see '0x'
    t send-keys g Enter
    see 'gzip: '
    t send-keys Q
}

test_without_a_list() {
    open_screen 80 24 "env HOME=$home '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    prompt view functions
    see 'No functions are listed.'
    t send-keys q f
    see 'is no object or program'
    t send-keys Q
}

run_tests
