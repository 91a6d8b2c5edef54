#!/bin/sh
# Shows the output of program profile for programs that this test makes, and for programs that it
# rejects.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Makes a program with two loops. The second does three times the work of the first.
make_program() {
    compiler=${CC:-cc}
    needs "${compiler%% *}"
    cat >"$work/two.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static unsigned little(unsigned n) { unsigned x = 1; for (unsigned i = 0; i < n; i++) { x = x * 1664525u + 1013904223u; __asm__ volatile("" : "+r"(x)); } return x; }
__attribute__((noinline)) static unsigned much(unsigned n) { unsigned x = 1; for (unsigned i = 0; i < n; i++) { x = x * 22695477u + 1u; __asm__ volatile("" : "+r"(x)); } return x; }
int main(int c, char **v)
{
    unsigned sum = 0;
    for (int i = c > 1 ? atoi(v[1]) : 0; i > 0; i--)
        sum += little(200000) + much(600000);
    printf("sum %u\n", sum);
    return 0;
}
EOF
    # The compiler of the build may be several words.
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 "$work/two.c" -o "$work/two" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
}
# profile WORDS: runs program profile. If the system does not permit tracing, the test ends.
profile() {
    got=0
    "$portolan" --format "${format:-csv}" -e "program profile --measure 0 $*" >"$work/out" 2>"$work/err" </dev/null || got=$?
    grep -q 'the system forbids' "$work/err" && [ "$got" -ne 0 ] && skip "$(cat "$work/err")"
    [ "$got" -eq 0 ] || fail "status $got: $*: $(cat "$work/err")"
}
# Prints the samples of the rows that contain $1.
samples_of() { awk -F, -v of="$1" '$0 ~ of { for (i = 1; i <= NF; i++) if ($i == of) { print $1; exit } }' "$work/out"; }

test_functions_and_loops() {
    make_program
    profile "$work/two" 600
    little=$(samples_of little) much=$(samples_of much)
    awk -v a="${little:-0}" -v b="${much:-0}" 'BEGIN { exit !(a >= 30 && b > 1.5 * a && b < 6 * a) }' || fail "samples $little and $much: $(cat "$work/out")"
    grep -q ',much+0x' "$work/out" || fail "no loop of much: $(cat "$work/out")"
    format=json profile "$work/two" 200
    printed=$(sed -n 's/.*"output": *"\([^"]*\)".*/\1/p' "$work/out")
    grep -q '^sum ' "${printed:-/dev/null}" || fail "its output is not in \"$printed\""
    case $printed in "$TMPDIR"/*) ;; *) fail "$printed is not in $TMPDIR" ;; esac
    # Files of earlier runs are removed after a day.
    touch -d '2 days ago' "$printed" "$TMPDIR/portolan-outputs"
    touch -d '2 hours ago' "$TMPDIR/portolan-output-other"
    format=json profile "$work/two" 200
    [ ! -e "$printed" ] || fail "an output file of two days ago is still there"
    { [ -e "$TMPDIR/portolan-outputs" ] && [ -e "$TMPDIR/portolan-output-other" ]; } || fail "other files are gone: $(ls "$TMPDIR")"
}

# Stubs are named after the library functions that they call, and C++ functions by their names in
# the source.
test_names() {
    compiler=${CC:-cc}
    needs "${compiler%% *}"
    printf 'int one(int x);\nint one(int x) { return x + 1; }\n' >"$work/one.c"
    printf 'int one(int x);\nint far(int x) __asm__("_ZN4shop5TableIdE5totalEi");\n__attribute__((noinline)) int far(int x) { for (int i = 0; i < 1000; i++) { x = one(x) * 3; __asm__("" : "+r"(x)); x *= 5; __asm__("" : "+r"(x)); x *= 7; } return x; }\nint main(void) { int x = 0; for (int i = 0; i < 300000; i++) x = far(x); return x == 0; }\n' >"$work/calls.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -shared -fPIC "$work/one.c" -o "$work/libone.so" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -fplt "$work/calls.c" "$work/libone.so" -Wl,-rpath,"$work" -o "$work/calls" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    # The stub of the call is a single jump, which a run's samples may all miss.
    for _ in 1 2 3 4 5 6; do
        profile "$work/calls"
        if grep -q 'one@plt' "$work/out"; then break; fi
    done
    holds out 'shop::Table<double>::total'
    holds out 'one@plt'
}

# A loop over a large array is not reported to be as fast as one whose data is in the first-level
# cache.
test_over_memory() {
    printf '%s\n' '#include <stdlib.h>' 'int main(void) { long n = 1 << 23, s = 0; long *a = calloc(n, 8);' \
        'for (long i = 0; i < n; i++) a[i] = i; for (int r = 0; r < 40; r++) for (long i = 0; i < n; i++) s += a[i]; return s == 1; }' >"$work/large.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 "$work/large.c" -o "$work/large" 2>"$work/err" || skip "no compiler: $(head -n 1 "$work/err")"
    format=json profile "$work/large"
    grep -q '"machine":null' "$work/out" && skip 'no machine stands for this CPU'
    memory=$(sed -n 's/.*"memory_bytes":\([0-9]*\).*/\1/p' "$work/out")
    [ "${memory:-0}" -gt 60000000 ] || fail "memory: $memory"
    # A sample outside of main may add a loop of the dynamic linker, which is not over the array.
    tr '{' '\n' <"$work/out" | sed -n '/"loop":"main/s/.*"predicted":\([0-9.]*\),"over_memory":\([0-9.][0-9.]*\).*/\1 \2/p' |
        awk '{ n++; if (!($2 > $1 && $2 > 1.5)) wrong = 1 } END { exit !n || wrong }' || fail "$(cat "$work/out")"
    format=text profile "$work/large"
    holds out 'with arrays of that size'
}

# Without symbols, loops are named by address. Child processes of a script count.
test_stripped_in_a_script() {
    needs strip
    make_program
    strip "$work/two"
    printf '#!/bin/sh\nfor i in 1 2; do "%s" 300; done\n' "$work/two" >"$work/script.sh"
    chmod +x "$work/script.sh"
    profile "--output $work/printed $work/script.sh"
    [ "$(grep -c '^sum ' "$work/printed")" -eq 2 ] || fail "printed: $(cat "$work/printed")"
    grep -q ',two+0x[0-9a-f]*,' "$work/out" || fail "no loop by address: $(cat "$work/out")"
    # The hottest loop has 1.5 to 6 times the samples of the second one.
    awk -F, '/,two[+]0x[0-9a-f]*,/ { n[++k] = $2 } END { exit !(k >= 2 && n[1] > 1.5 * n[2] && n[1] < 6 * n[2]) }' "$work/out" || fail "loops: $(cat "$work/out")"
}

test_loop_opens() {
    make_program
    format=text profile "--output $work/printed $work/two 300"
    holds out 'hottest loop: much+0x'
    expect 0 "$portolan" --machine skylake -e "program profile --measure 0 --machine skylake --output $work/printed $work/two 300; program open 1; kernel analyze" 
    holds out 'innermost loop much+0x'
    expect 1 "$portolan" -e "program profile --measure 0 --output $work/printed $work/two 300; program open 99"
    holds err 'no loop 99'
    expect 1 "$portolan" -e 'program open 1'
    holds err 'no program has been profiled'
}

# Two branches lead back to the head, and one pass of 256 executes the entire body. The short path
# is the hottest loop, and each of its instructions has samples.
test_hot_part_of_a_loop() {
    [ "$(uname -m)" = x86_64 ] || skip 'the program is of x86-64'
    make_program
    cat >"$work/part.c" <<'EOF'
int main(void)
{
    unsigned long n = 400000000, x = 1;
    __asm__ volatile("1: imul $3, %1, %1\n add $1, %1\n dec %0\n test $255, %0\n jnz 1b\n"
                     "imul $5, %1, %1\n imul $7, %1, %1\n imul $9, %1, %1\n imul $11, %1, %1\n test %0, %0\n jnz 1b" : "+r"(n), "+r"(x));
    return x == 42;
}
EOF
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 "$work/part.c" -o "$work/part" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    profile "$work/part"
    awk -F, '/,main[+]0x[0-9a-f]* to 0x/ { found = $2 > 100 && $6 == 5 } END { exit !found }' "$work/out" || fail "the short way round is not the hottest: $(cat "$work/out")"
    expect 0 "$portolan" --format json -e "program profile --measure 0 --output $work/printed $work/part; program open 1; kernel show"
    # The percentages of the five instructions add up to most of the run.
    tail -n 1 "$work/out" | tr ',' '\n' | awk -F: '/"percent"/ { n++; if ($2 > 0) sum += $2 } END { exit !(n == 5 && sum > 80 && sum <= 100.01) }' || fail "samples of instructions: $(tail -n 1 "$work/out")"
}

# A stripped program has a function per entry of its unwind table. A call of a function that never
# returns ends one, so a jump back to that call is no loop.
test_functions_of_a_stripped_program() {
    [ "$(uname -m)" = x86_64 ] || skip 'the program is of x86-64'
    needs strip
    make_program
    cat >"$work/ends.c" <<'EOF'
#include <stdlib.h>
__attribute__((noinline, noreturn)) static void ends(void) { abort(); }
__attribute__((noinline)) static unsigned long loops(unsigned long n)
{
    unsigned long x = 1;
    __asm__ volatile("1: imul $3, %1, %1\n dec %0\n jnz 1b" : "+r"(n), "+r"(x));
    return x;
}
int main(int count, char **words)
{
    unsigned long n = count > 3 ? 0 : 300000000;
    if (loops(n) == 42)
        ends();
    return words[0] == 0;
}
EOF
    # shellcheck disable=SC2086
    ${CC:-cc} -O2 -fasynchronous-unwind-tables "$work/ends.c" -o "$work/ends" 2>"$work/cc" || skip "no compiler: $(head -n 1 "$work/cc")"
    at=$(nm "$work/ends" | awk '$3 == "loops" { sub(/^0*/, "0x", $1); print $1 }')
    strip "$work/ends"
    profile "--output $work/printed $work/ends"
    grep -q "^[0-9]*,[0-9.]*,[0-9.]*,$at,ends," "$work/out" || fail "no function $at: $(cat "$work/out")"
    awk -F, '$1 == 1 && $6 == 3 && /,ends[+]0x/ { found = 1 } END { exit !found }' "$work/out" || fail "not the loop of 3 instructions: $(cat "$work/out")"
    loop=$(grep -o 'ends[+]0x[0-9a-f]*' "$work/out" | head -n 1)
    expect 0 "$portolan" -e "kernel load $work/ends --symbol $loop"
}

# A process that ends during the profile is not called idle.
test_process_that_ends() {
    mkfifo "$work/input"
    cat "$work/input" &
    pid=$!
    exec 9>"$work/input"
    "$portolan" -e "program profile --measure 0 --pid $pid --seconds 600s" >"$work/out" 2>"$work/err" </dev/null 9>&- &
    started=$!
    attached() { ls -l "/proc/$started/fd" 2>/dev/null | grep -q pidfd || ! kill -0 "$started" 2>/dev/null; }
    wait_until attached || fail "not attached: $(cat "$work/err")"
    exec 9>&-
    got=0; wait "$started" || got=$?
    grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"
    [ "$got" -eq 1 ] || fail "status $got: $(cat "$work/err")"
    holds err "process $pid ended after "
    holds err 'profile the program from its start'
}

# When the user ends the run, the samples so far are shown.
test_stopped_by_the_user() {
    make_program
    "$portolan" --format text -e "program profile --measure 0 --output $work/printed $work/two 2000000" >"$work/out" 2>"$work/err" </dev/null &
    started=$!
    busy() { child=$(cat /proc/$started/task/*/children 2>/dev/null | tr ' ' '\n' | head -n 1); [ -n "$child" ] && [ "$(awk '{ print $14 }' "/proc/$child/stat" 2>/dev/null || echo 0)" -ge 40 ] || ! kill -0 $started 2>/dev/null; }
    wait_until busy
    kill -INT $started 2>/dev/null
    got=0; wait $started || got=$?
    grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"
    [ "$got" -eq 130 ] || fail "status $got: $(cat "$work/err")"
    holds out 'stopped: the program was stopped after'
    holds out 'much+0x'
}

# After a cancellation the list so far remains and no longer states that the program runs. explain
# can run the program again.
test_cancelled() {
    make_program
    format=text profile "--output $work/printed $work/two 20"
    mkdir -p "$work/cancelled"
    open_screen 120 40 "env HOME=$work/cancelled TERM=screen-256color '$portolan'; read -r x"
    see 'triad-skl-O3.s'
    t send-keys :
    t send-keys -l "program profile --output $work/printed '$work/two' 2000000"
    t send-keys Enter
    see 'The program is still running'
    t send-keys C-c
    see 'was cancelled or failed before the program ended'
    screen_holds 'still running' && fail 'a cancelled profile says that its program runs'
    t send-keys :
    t send-keys -l 'program explain 1 --seconds 0.2'
    t send-keys Enter
    see 'program explain: '
    screen_holds 'was not started by Portolan' && fail 'the program is not known any more'
    t send-keys Q
}

# The workbench lists loops in the PROGRAM view and opens the hottest in LOOP, at two sizes.
test_program_view() {
    make_program
    format=text profile "--output $work/printed $work/two 20"
    mkdir -p "$work/home"
    open_screen 120 40 "env HOME=$work/home TERM=screen-256color '$portolan'; echo left with \$?; read -r x"
    see 'triad-skl-O3.s'
    t send-keys 2
    see 'profiles a program'
    t send-keys :
    t send-keys -l "program profile --measure 0 --output $work/printed '$work/two' 400"
    t send-keys Enter
    see 'hottest loop much+0x'
    see 'functions'
    t resize-window -x 80 -y 24
    see 'PROGRAM 2'
    see 'little+0x'
    t send-keys g Enter
    see 'innermost loop much'
    t resize-window -x 120 -y 40
    t send-keys 2
    see 'samples by'
    t send-keys Q
    see 'is not saved'
    t send-keys Q
    see 'left with 0'
}

# The list grows while the program runs. s stops it and keeps the samples; the opened loop shows
# them per instruction. Backspace returns to the list.
test_stop_keeps_the_samples() {
    make_program
    mkdir -p "$work/home"
    open_screen 120 40 "env HOME=$work/home TERM=screen-256color '$portolan'; echo left with \$?; read -r x"
    see 'triad-skl-O3.s'
    t send-keys 2
    see 'profiles a program'
    t send-keys p
    t send-keys -l -- "--measure 0 --output $work/printed '$work/two' 100000000"
    t send-keys Enter
    see 'The program is still running'
    see 'much+0x'
    t send-keys s
    see 'dependencies'   # the bound is shown after the run
    t send-keys g Enter
    see 'innermost loop much'
    see 'samples    instruction'
    t send-keys BSpace
    see 'samples by'
    t send-keys Q
    see 'is not saved'
    t send-keys Q
    see 'left with 0'
}

# The end of a run leaves the loop that the user opened meanwhile on the screen.
test_the_end_leaves_the_opened_loop() {
    make_program
    mkdir -p "$work/home"
    open_screen 120 40 "env HOME=$work/home TERM=screen-256color '$portolan'; echo left with \$?; read -r x"
    see 'triad-skl-O3.s'
    t send-keys 2
    see 'profiles a program'
    t send-keys p
    t send-keys -l -- "--measure 0 --output $work/printed '$work/two' 3000"
    t send-keys Enter
    see 'much+0x'
    t send-keys g Enter
    see 'innermost loop'
    see 'samples; hottest loop'
    see 'innermost loop'
    t send-keys BSpace
    see 'samples by'
    t send-keys Q
    see 'is not saved'
    t send-keys Q
    see 'left with 0'
}

# Makes a copy of the program in which the byte at offset $1 is octal $2.
with_byte() {
    cp "$work/two" "$work/changed"
    printf "\\$2" | dd of="$work/changed" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
test_what_cannot_be_profiled() {
    make_program
    cd "$work" || return 1
    refuse() { expect 1 "$portolan" -e "program profile --measure 0 $1"; holds err "$2"; }
    refuse ./nowhere 'no such program: ./nowhere'
    refuse nowhere-at-all 'no such program: nowhere-at-all'
    # A program in the current directory must be named with ./, like in a shell.
    cp two only-here
    refuse only-here 'no such program: only-here'
    PATH=":$PATH:" refuse only-here 'no such program: only-here'
    refuse "$work" 'is a directory'
    echo text >text
    [ "$(id -u)" = 0 ] || chmod 600 text
    refuse ./text './text is not executable'
    chmod +x text
    format=text
    expect 1 "$portolan" -e 'program profile --measure 0 ./text'
    grep -q 'the system forbids' "$work/err" || holds err './text cannot be run: Exec format error'
    with_byte 4 001
    refuse ./changed 'is a 32-bit program'
    case $(uname -m) in x86_64) machine=267 name=aarch64 ;; *) machine=076 name=x86-64 ;; esac
    with_byte 18 "$machine"
    refuse ./changed "is a program for $name"
    expect 1 "$portolan" -e 'program profile --measure 0 /bin/true'
    grep -q 'the system forbids' "$work/err" || holds err 'used too little CPU time'
    refuse '--pid 4194303' 'process 4194303 does not exist'
    refuse '--pid 4194303 --output printed' '--pid cannot be combined with --output'
    refuse '--pid 4194303 --input text' '--pid cannot be combined with --input'
    mkfifo pipe
    refuse '--input pipe /bin/true' 'cannot read pipe'
    refuse '--output pipe /bin/true' 'cannot write to pipe'
    expect 1 "$portolan" -e 'program profile'
    holds err 'no program given'
}

run_tests
