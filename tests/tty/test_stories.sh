#!/bin/sh
# Typical tasks of users at three screen sizes, with the necessary keys counted.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"
# Sends keys and counts them.
keys() {
    pressed=$((pressed + $#))
    t send-keys "$@"
}
at_most() { [ "$pressed" -le "$1" ] || fail "$pressed keys instead of $1"; }
# each_size FUNCTION: calls the function on a new screen of each size.
each_size() {
    for size in '80 24' '120 40' '200 60'; do
        socket=$socket-${size% *}
        pressed=0
        # shellcheck disable=SC2086 # $size is two words
        "$1" $size
    done
}

# Searches and compares versions of a loop, and returns to the loop.
to_faster() {
    open_screen "$1" "$2" "env HOME=$home TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see '1/8'
    keys t
    see 'version  '
    see 'results'
    see 'the unchanged loop'
    at_most 6
    t send-keys q
    see 'VMOVAPD (YMM'
}
test_from_a_loop_to_a_faster_one() { each_size to_faster; }

# Opens a loop from the list of hot loops, shows its samples, and returns.
to_hot_loop() {
    open_screen "$1" "$2" "env HOME=$home TERM=screen-256color '$portolan' '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see '1/8'
    t send-keys 2 p
    t send-keys -l -- "--measure 0 --output $work/printed '$work/hot'"
    t send-keys Enter
    see 'samples by'
    see '1/1'
    keys Enter
    see 'innermost loop main'
    see 'samples'
    keys BSpace
    see 'samples by'
    at_most 3
}
test_from_a_profile_to_its_hot_loop_and_back() {
    needs cc
    printf 'int main(void) { unsigned x = 1; for (long i = 0; i < 400000000; i++) x = x * 1103515245 + 12345; return x == 7; }\n' >"$work/hot.c"
    cc -O1 -o "$work/hot" "$work/hot.c" || skip 'cc builds nothing'
    each_size to_hot_loop
}

# Makes a mapping from nothing and uses it: experiments, times (from a table instead of this CPU), a
# search that is watched and stopped.
to_mapping() {
    open_screen "$1" "$2" "env HOME=$home XDG_CONFIG_HOME=$home TERM=screen-256color '$portolan' --machine skylake '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see '1/8'
    keys 3
    see '1 forms (E)'
    keys E
    see '(M)'
    keys M
    see '3 measured ✓'
    keys I
    see 'run 1: running'
    see '■'
    keys s
    see 'run 1: stopped'
    see '(a)'
    keys a
    see '5 adopt ✓'
    at_most 8
    t send-keys 1
    see 'evolved  '
    gone '? vmovapd' || fail 'the loop is unknown to the machine that was made'
}
gone() { ! screen_holds "$1"; }
test_from_nothing_to_a_mapping() {
    mkdir -p "$home/portolan"
    printf 'bind experiments M experiments measure --simulate skylake\n' >"$home/portolan/rc"
    each_size to_mapping
    rm "$home/portolan/rc"
}

# Charts a simulated CPU and checks tables on one. LAB shows the mapping and the rows from the start
# of these runs, without a key, and still shows them at the end.
to_chart() {
    open_screen "$1" "$2" "env HOME=$home XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home XDG_STATE_HOME=$home TERM=screen-256color '$portolan' --machine skylake '$source/data/kernels/triad-skl-O3.s'; echo left with \$?; read -r x"
    see '1/8'
    t send-keys -l -- ":machine chart trial$1 --simulate skylake --top 20"
    t send-keys Enter
    see "chart of trial$1"
    see "trial$1: 20 forms of skylake charted"
    t send-keys q
    see '1 Inferred'
    see '■'
    t send-keys -l -- ":machine check --simulate haswell 'ADD (R64*'"
    t send-keys Enter
    see 'skylake compared with simulated haswell'
    t send-keys BSpace
    see '1 Inferred'
}
test_from_nothing_to_a_chart() { each_size to_chart; }

run_tests
