#!/bin/sh
# Measuring survives its own death: the program and its sandbox children are killed at random times, then everything is there, measured, and nothing is left
# behind. STRESS=N: so many experiments (make stress: 10,000); in `make check` a few hundred. Whatever else the machine does, this holds; only how many
# experiments get a value depends on it.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

count=${STRESS:-300}
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# Multisets of a few plain forms, all different.
awk -v n="$count" 'BEGIN {
    print "experiment"
    split("ADD (R64, R64);IMUL (R64, R64);MOV (R64, M64);XOR (R32, R32);SHL (R64, I8);POPCNT (R64, R64);MOV (M64, R64);CMP (R64, R64)", form, ";")
    for (i = 0; i < n; i++) {
        k = i % 7 + 1
        m = int(i / 7)
        printf "\"%d*%s + %d*%s + %d*%s\"\n", m % 25 + 1, form[k], int(m / 25) % 25 + 1, form[k % 7 + 1 == k ? 8 : k % 7 + 1], int(m / 625) + 1, form[8]
    }
}' >"$work/table.csv"

run() { exec "$portolan" --format json -e "experiments load $work/table.csv; experiments measure --journal $work/journal.csv --budget ${STRESS:-40}s; experiments save $work/out.csv"; }
lines() { if [ -f "$work/journal.csv" ]; then wc -l <"$work/journal.csv"; else echo 0; fi; }
# number KEY FILE: of a JSON result.
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$2" | tail -n 1; }
# Process ids by what /proc says: nothing else need be installed.
child_of() { grep -ls "^PPid:	$1\$" /proc/[0-9]*/status 2>/dev/null | head -n 1 | cut -d / -f 3; }
processes_with() { for p in /proc/[0-9]*; do tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -qF -e "$1" && echo "${p#/proc/}"; done; }

# One run that is killed when it has written a sixth; before, some of its children are.
killed_run() {
    (run >"$work/out" 2>&1) &
    program=$!
    # A child's death must cost nothing, the program's only what it had not written.
    before=$(lines)
    tries=0
    while kill -0 "$program" 2>/dev/null && [ "$tries" -lt 200 ]; do
        tries=$((tries + 1))
        child=$(child_of "$program")
        [ -z "$child" ] || [ $((tries % 20)) -ne 7 ] || kill -KILL "$child" 2>/dev/null
        [ "$(lines)" -le "$((before + count / 6))" ] || break
    done
    kill -KILL "$program" 2>/dev/null
    wait "$program" 2>/dev/null
}

test_killed_runs_lose_nothing() {
    "$portolan" --format json -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    for round in 1 2 3 4 5 6; do killed_run; done
    kept=$(lines)
    (run >"$work/out" 2>"$work/err") || { fail "the last run: $(cat "$work/err")"; return; }
    # The time is limited, since there are hosts that are hardly ever quiet: what they leave is told, and all else holds.
    left=$(number left "$work/out")
    [ "$left" = 0 ] || [ "${STRESS:-}" = "" ] || fail "some are left: $(cat "$work/out")"
    # Of a CPU that was never seen idle the values are doubtful, and measured again next time.
    measured=$(grep -cE ',(ok|doubtful)(,|$)' "$work/out.csv")
    rows=$(($(wc -l <"$work/out.csv") - 1))
    [ "$rows" -eq "$count" ] || fail "$rows rows of $count"
    # Only a machine that was never quiet leaves rows without cycles, and it says so.
    others=$(grep -cE ',(core is contended|clock unstable|unsteady|not confirmed|process killed)' "$work/out.csv")
    [ $((measured + others)) -ge $((count - left)) ] || fail "$measured measured, $others given up, of $count"
    # The first line is the header; what else there was is settled experiments or passes of others.
    [ "$kept" -le 1 ] || [ $(($(number reused "$work/out") + $(number taken_over "$work/out"))) -gt 0 ] ||
        fail "nothing of the killed runs was kept: $(cat "$work/out"; head -n 5 "$work/journal.csv"; wc -l "$work/journal.csv" "$work/out.csv")"
    echo "# $measured of $count measured after $round deaths, $others given up and $left left on a busy machine"

    # Everything settled is known and of today; only where a short body never told anything, or where the machine was never quiet, is it asked again.
    (run >"$work/again" 2>&1) || fail "again: $(cat "$work/again")"
    open=$(grep -cE ',(doubtful|core is contended|clock unstable|not confirmed|process killed)' "$work/out.csv")
    [ $(($(number reused "$work/again") + open)) -ge $((count - left)) ] || fail "not all was known: $(cat "$work/again")"
    [ "$(number reused "$work/again")" = 0 ] || grep -q "\"reused_until\":\"$(date +%Y)" "$work/again" || fail "no day of the reused ones: $(cat "$work/again")"
    [ "$(number passes "$work/again")" = 0 ] || [ $((open + left)) -gt 0 ] || [ "$(grep -c ',ok,same' "$work/out.csv")" -lt "$measured" ] || fail "known results were measured again: $(cat "$work/again")"
    [ -z "$(ls "$TMPDIR")" ] || fail "temporary files are left: $(ls "$TMPDIR")"
    processes_with "--journal $work/journal.csv" >"$work/left"
    [ ! -s "$work/left" ] || fail "processes are left: $(cat "$work/left")"
}

# Why a loop is not measured: with the instruction, and its line where it has one. What is refused, and what only running it shows.
test_reasons_name_the_line() {
    [ "$(uname -m)" = x86_64 ] || skip "for x86-64"
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    while IFS='|' read -r line reason; do
        printf '.L1: addq %%rax, %%rbx\n\n # a remark\n %s\n1: decq %%rcx\n jne .L1\n' "$line" >"$work/refused.s"
        expect 1 "$portolan" -e "kernel load $work/refused.s; kernel measure"
        holds err "not measured: $reason (line 4: $line)"
    done <<TEXT
call foo|a function call
je 1f|a branch inside the loop depends on data
ud2|a system instruction
TEXT
    printf '.L1: movl $1, %%eax\n xorl %%edx, %%edx\n xorl %%esi, %%esi\n divl %%esi\n jmp .L1\n' >"$work/divides.s"
    expect 1 "$portolan" -e "kernel load $work/divides.s; kernel measure"
    holds err 'not measured: SIGFPE: division fault (line 4: divl %esi)'
    expect 1 "$portolan" -e 'kernel hex 31f6f7f6; kernel measure'
    holds err 'not measured: SIGFPE: division fault (instruction 2: div esi)'
    # Compiled: the line of the C file too.
    if command -v gcc >/dev/null; then
        printf '%s\n' 'double f(const double *a, const int *b, long n) {' ' double s = 0;' ' for (long i = 0; i < n; i++)' '  if (b[i] > 3)' '   s += a[i] * 3;' ' return s;' '}' >"$work/branch.c"
        expect 1 "$portolan" -e "kernel load $work/branch.c -O1; kernel measure"
        grep -Eq 'not measured: a branch inside the loop depends on data \(source line [34]; assembly line [0-9]+: j' "$work/err" || fail "$(cat "$work/err")"
    fi
    # Reasons of a file are counted without their instructions.
    printf 'hex\n31f6f7f6\n4831f648f7f6\n' >"$work/divide.csv"
    expect 0 "$portolan" --format json -e "kernel measure --file $work/divide.csv --out $work/divided.csv"
    holds out '"reasons":{"SIGFPE":2}'
    grep -q 'instruction 2' "$work/divided.csv" || fail "$(cat "$work/divided.csv")"
}

run_tests
