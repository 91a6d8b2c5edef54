#!/bin/sh
# For hours, or as long as is wanted: the program is killed at random while it saves a session and measures; afterwards the session and the journal open. KILLS=N.
set -u
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
kills=${KILLS:-40}
fail() { echo "FAIL: $*"; exit 1; }

printf 'experiment\n"ADD (R64, R64)"\n"IMUL (R64, R64)"\n"ADD (R64, R64) + IMUL (R64, R64)"\n' >"$work/table.csv"
saves=''
i=0
while [ $i -lt 30 ]; do
    saves="$saves; mapping new 4 m$((i % 3)); session save $work/session"
    i=$((i + 1))
done
old=0
i=0
while [ $i -lt "$kills" ]; do
    "$portolan" -e "experiments load $work/table.csv; kernel hex 4801d84829c375f8$saves; experiments measure --retry --journal $work/journal.csv" >/dev/null 2>&1 &
    victim=$!
    sleep "$(awk -v s=$i 'BEGIN { srand(s + 1); print rand() * 1.5 }')"
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    if [ -d "$work/session" ] && { [ -e "$work/session/session.csv" ] || [ -e "$work/session/.portolan-change" ]; }; then
        "$portolan" -e "session load $work/session; kernel show; session save $work/session" >"$work/out" 2>&1 || fail "kill $i: $(cat "$work/out")"
        old=$((old + 1))
    fi
    if [ -e "$work/journal.csv" ]; then
        "$portolan" -e "experiments load $work/table.csv; experiments measure --simulate skylake --journal $work/journal.csv" >"$work/out" 2>&1 || fail "kill $i: $(cat "$work/out")"
    fi
    [ -z "$(find "$work/session" -name '.portolan-*' 2>/dev/null)" ] || fail "kill $i: something is left in the session"
    [ ! -e "$work/journal.csv.damaged" ] || fail "kill $i: the journal was damaged"
    i=$((i + 1))
done
[ "$old" -gt 0 ] || fail "no session was ever there"
echo "killed $kills times: $old sessions opened, nothing was lost"
