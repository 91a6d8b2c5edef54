#!/bin/sh
# Measuring survives its own death: the program and its sandbox children are killed at random times, then everything is there, measured, and nothing is left
# behind. STRESS=N: so many experiments (make stress: 10,000); in `make check` a few hundred.
set -u
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
count=${STRESS:-300}
fail() { echo "FAIL: $*"; exit 1; }

[ -r /proc/self/status ] || { echo "no /proc here"; exit 77; }
"$portolan" --format json -e 'machine calibrate' >"$work/calibration" 2>&1 || { echo "no sandbox here: $(cat "$work/calibration")"; exit 77; }

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

TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
run() { exec "$portolan" --format json -e "experiments load $work/table.csv; experiments measure --journal $work/journal.csv; experiments save $work/out.csv"; }
lines() { if [ -f "$work/journal.csv" ]; then wc -l <"$work/journal.csv"; else echo 0; fi; }
# Process ids by what /proc says: nothing else need be installed.
child_of() { grep -ls "^PPid:	$1\$" /proc/[0-9]*/status 2>/dev/null | head -n 1 | cut -d / -f 3; }
processes_with() { for p in /proc/[0-9]*; do tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -qF -e "$1" && echo "${p#/proc/}"; done; }
rounds=0
while [ "$rounds" -lt 6 ]; do
    rounds=$((rounds + 1))
    (run >"$work/out" 2>&1) &
    program=$!
    # A child's death must cost nothing, the program's only what it had not written.
    before=$(lines)
    tries=0
    while kill -0 "$program" 2>/dev/null && [ "$tries" -lt 400 ]; do
        tries=$((tries + 1))
        child=$(child_of "$program")
        [ -z "$child" ] || [ $((tries % 20)) -ne 7 ] || kill -KILL $child 2>/dev/null
        [ "$(lines)" -le "$((before + count / 6))" ] || break
    done
    kill -KILL "$program" 2>/dev/null
    wait "$program" 2>/dev/null
done
(run >"$work/out" 2>"$work/err") || fail "the last run: $(cat "$work/err")"
grep -q '"left":0' "$work/out" || fail "some are left: $(cat "$work/out")"
measured=$(grep -cE ',ok(,|$)' "$work/out.csv")
rows=$(($(wc -l <"$work/out.csv") - 1))
[ "$rows" -eq "$count" ] || fail "$rows rows of $count"
# Only a machine that was never quiet leaves rows without cycles, and it says so.
others=$(grep -cE ',(the core is shared|the clock does not|unsteady|not confirmed|its process was killed)' "$work/out.csv")
[ $((measured + others)) -eq "$count" ] || fail "$measured measured, $others given up, of $count"
[ "$measured" -gt $((count / 2)) ] || { echo "this machine is too busy: $measured of $count"; exit 77; }
grep -q "\"reused\":0," "$work/out" && [ "$count" -gt 200 ] && fail "nothing of the killed runs was kept: $(cat "$work/out"; head -5 "$work/journal.csv"; wc -l "$work/journal.csv" "$work/out.csv")"
(run >"$work/again" 2>&1) || fail "again: $(cat "$work/again")"
grep -q '"passes":0' "$work/again" || [ "$others" -gt 0 ] || fail "known results were measured again: $(cat "$work/again")"
[ -z "$(ls "$TMPDIR")" ] || fail "temporary files are left: $(ls "$TMPDIR")"
processes_with "--journal $work/journal.csv" >"$work/left"
[ ! -s "$work/left" ] || fail "processes are left: $(cat "$work/left")"
echo "$measured of $count measured after $rounds deaths, $others given up on a busy machine"
