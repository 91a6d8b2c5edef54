#!/bin/sh
# Tests the program with exhausted memory, including requests of its libraries. Of each kind of
# command, RUNS runs fail at one allocation each, spread over the run (failing_malloc.c). Then the
# address space is limited (ulimit -v), from a size too small for the start to a sufficient one. No
# run may crash. A run that aborts must have saved its session.
set -u
portolan=${PORTOLAN:-./portolan}
source=${PORTOLAN_SRC:-.}
runs=${RUNS:-60}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
fail() { echo "FAIL: $*"; exit 1; }

${CC:-cc} -O2 -shared -fPIC -o "$work/failing.so" "$source/tests/torture/failing_malloc.c" || { echo "skipped: no compiler for failing_malloc.c"; exit 77; }
printf '.L3:\n\tvmovupd (%%rdi,%%rax), %%ymm0\n\tvaddpd (%%rsi,%%rax), %%ymm0, %%ymm1\n\taddq $32, %%rax\n\tcmpq %%rdx, %%rax\n\tjne .L3\n' >"$work/loop.s"
as --64 -o "$work/loop.o" "$work/loop.s" || exit 99
{
    echo 'experiment,cycles'
    for a in 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'LEA (R64, M64)'; do
        echo "\"$a\",0.5"
        for b in 'ADD (R64, R64)' 'IMUL (R64, R64)' 'PADDD (XMM, XMM)'; do echo "\"$a + $b\",1.25"; done
    done
} >"$work/table.csv"
"$portolan" -e "mapping export osaca $work/m.yml; mapping export pmevo $work/m.json; mapping export uops-info $work/u.csv; kernel load $work/loop.s; experiments load $work/table.csv; session save $work/session" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

crashed=0 misled=0
begin() { aborted=0 saved=0 failed=0 worked=0; : >"$work/aborts"; }
# count STATUS RUN: counts the run by its exit status.
count() {
    case $1 in
    0) worked=$((worked + 1)) ;;
    1|2)
        failed=$((failed + 1))
        grep -qiE 'memory|allocate' "$work/err" || { misled=$((misled + 1)); echo "another reason given: $2: $(tail -1 "$work/err")"; }
        ;;
    124) crashed=$((crashed + 1)); echo "it hung: $2" ;;
    134) aborted=$((aborted + 1)); grep -q 'session was saved' "$work/err" && saved=$((saved + 1)); tail -1 "$work/err" >>"$work/aborts" ;;
    *) crashed=$((crashed + 1)); echo "status $1: $2: $(tail -1 "$work/err")" ;;
    esac
}
report() {
    echo "$1: $worked runs worked all the same, $failed failed with a message, $aborted aborted, $saved of them with the session saved"
    sort "$work/aborts" | uniq -c | sort -rn | head -5
}
begin

while read -r line; do
    FAIL_COUNT=$work/count LD_PRELOAD=$work/failing.so "$portolan" -e "$line" >"$work/full" 2>/dev/null </dev/null || fail "$line"
    all=$(cat "$work/count")
    i=0
    while [ $i -lt "$runs" ]; do
        at=$(awk -v n="$all" -v i=$i -v r="$runs" 'BEGIN { srand(i * 7919 + 1); rand(); printf "%d\n", 1 + int((i + rand()) * n / r) }')
        timeout 600 env FAIL_AT="$at" LD_PRELOAD="$work/failing.so" "$portolan" -e "$line" >"$work/out" 2>"$work/err" </dev/null
        count $? "$line, allocation $at"
        i=$((i + 1))
    done
done <<END
kernel load $work/loop.s; kernel analyze; kernel simulate
kernel load $work/loop.o; set format json; kernel analyze; kernel report $work/report.html
mapping import osaca $work/m.yml; mapping export osaca $work/out.yml
mapping import pmevo $work/m.json; mapping export pmevo $work/out.json
mapping import uops-info $work/u.csv; mapping save $work/machine
session load $work/session; session save $work/session
experiments load $work/table.csv; evolve start --ports 4 --generations 1 --checkpoint none; evolve wait; evolve adopt
experiments load $work/table.csv; experiments measure --retry --simulate skylake; evaluate; congruence
kernel load $source/data/kernels/triad-a64-gcc-O3.s; kernel analyze
END
report "one allocation fails"

begin
# Tables of 40,000 rows need more memory than the reserve.
awk 'BEGIN { print "experiment,cycles"; for (i = 0; i < 40000; i++) printf "F%d + G%d + H%d,%d\n", i, i, i % 97, i % 7 + 1 }' >"$work/large.csv"
limit=20000
while [ $limit -lt 400000 ]; do
    (ulimit -c 0; ulimit -v $limit; exec timeout 600 "$portolan" -e "kernel hex 4801d84829c375f8; experiments load $work/large.csv; experiments list; kernel analyze") >"$work/out" 2>"$work/err" </dev/null
    status=$?
    # Below some limit, neither the program nor its libraries can be loaded.
    if [ $status = 127 ] || grep -q 'shared librar' "$work/err"; then :; else count $status "ulimit -v $limit"; fi
    limit=$((limit + 400000 / (2 * runs)))
done
report "address space limited"
[ $crashed = 0 ] && [ $misled = 0 ]
