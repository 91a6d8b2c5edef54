#!/bin/sh
# Lists the functions and loops of a program, and opens one of them.
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

# The list can be searched. Enter opens the function under the cursor.
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

# The list of all loops can be searched. Enter opens the loop under the cursor, the outer of two.
test_pick_a_loop() {
    needs cc
    cat >"$work/nest.c" <<'C'
void nest(double *a, long n) { for (long i = 0; i < n; i++) for (long k = 0; k < n; k++) a[k] += a[i] * 2; }
long add_up(const long *a, long n) { long s = 0; for (long i = 0; i < n; i++) s += a[i] * 3; return s; }
C
    cc -O1 -c -o "$work/nest.o" "$work/nest.c" || skip 'the C compiler does not work'
    open_screen 100 30 "env HOME=$home '$portolan' --machine skylake '$work/nest.o'; read -r x"
    see 'nest.o'
    t send-keys f
    see '2 functions with a loop'
    t send-keys o
    see ' loops  '
    see 'nest+0x'
    prompt 'filter innermost~no'
    see '1/1'
    t send-keys g Enter
    see 'outer loop nest'
    see 'runs here (nest'
    t send-keys f   # listed in the background: a key sent with it would reach the former view
    see '2 functions with a loop'
    t send-keys o
    see ' loops  '
    prompt 'filter function~add_up & bytes > 15'
    see '1/1'
    t send-keys g Enter
    see 'rdx+rdx*2'
    t send-keys f
    see '2 functions with a loop'
    t send-keys Q
}

# The list as text begins with the most deeply nested innermost loops, each with the argument for
# --symbol.
test_loops_as_text() {
    make_object
    expect 0 "$portolan" -e "kernel functions $work/two.o --loops"
    holds out 'scale_all+0x'
    place=$(grep -o 'add_up+0x[0-9a-f]*' "$work/out" | head -1)
    expect 0 "$portolan" -e "kernel load $work/two.o --symbol $place" -e 'kernel show'
    holds out LEA_B_IS
}

# In a stripped program, addresses serve as names.
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
    # The screen is so wide that one line of the message contains the complete path of the example.
    open_screen 240 24 "env HOME=$home '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    prompt view functions
    see 'Functions with loops'
    t send-keys q f
    see 'is not an object or program'
    t send-keys Q
}

run_tests
