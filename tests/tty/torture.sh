#!/bin/sh
# The program is killed at random times while it saves, measures, searches and exports. Afterwards
# the session, the journal, the population and the machine can be opened. The next program removes
# all files of the killed one from the disk. KILLS=N: number of kills of each kind.
set -u
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
kills=${KILLS:-40}
export TMPDIR=$work/tmp XDG_STATE_HOME=$work/state
mkdir "$TMPDIR"
fail() { echo "FAIL: $*"; exit 1; }
# Runs the commands $1, and kills the program at a random time of at most $2 seconds. $3 is the
# seed.
kill_while() {
    "$portolan" -e "$1" >/dev/null 2>&1 &
    victim=$!
    sleep "$(awk -v s="$3" -v most="$2" 'BEGIN { srand(s + 1); rand(); print rand() * most }')"
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
}
must() {
    "$portolan" -e "$1" >"$work/out" 2>&1 || fail "kill $i: $1: $(tail -3 "$work/out")"
}
nothing_left() {
    [ -z "$(find "$work" -path "$work/state" -prune -o -name '.portolan-*' -print)" ] || fail "kill $i: left behind: $(find "$work" -name '.portolan-*')"
    [ -z "$(find "$TMPDIR" -mindepth 1)" ] || fail "kill $i: left behind: $(find "$TMPDIR" -mindepth 1)"
}

printf 'experiment\n"ADD (R64, R64)"\n"IMUL (R64, R64)"\n"ADD (R64, R64) + IMUL (R64, R64)"\n' >"$work/table.csv"
printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n"IMUL (R64, R64)",1\n"ADD (R64, R64) + IMUL (R64, R64)",1\n"SHL (R64, I8)",0.5\n"SHL (R64, I8) + IMUL (R64, R64)",1\n' >"$work/measured.csv"
printf 'hex\n4801d84829c3\n4801d8480fafc3\n' >"$work/blocks.csv"
saves=''
i=0
while [ $i -lt 30 ]; do
    saves="$saves; mapping new 4 m$((i % 3)); session save $work/session"
    i=$((i + 1))
done

sessions=0 journals=0 populations=0
i=0
while [ $i -lt "$kills" ]; do
    measure="experiments load $work/table.csv; experiments measure --retry --journal $work/journal.csv; job wait"
    [ $((i % 2)) = 0 ] || measure="$measure; $measure"
    [ $((i % 2)) = 0 ] && measure="kernel hex 4801d84829c375f8$saves; $measure"
    kill_while "$measure; kernel hex 4801d84829c375f8$saves" 1.5 $i
    if [ -d "$work/session" ] && { [ -e "$work/session/session.csv" ] || [ -e "$work/session/.portolan-change" ]; }; then
        must "session load $work/session; kernel show; session save $work/session"
        sessions=$((sessions + 1))
    elif [ -d "$work/session" ]; then   # killed before the first was complete: the next replaces it
        must "kernel hex 4801d84829c375f8; session save $work/session"
    fi
    if [ -e "$work/journal.csv" ]; then
        must "experiments load $work/table.csv; experiments measure --simulate skylake --journal $work/journal.csv"
        journals=$((journals + 1))
    fi
    [ ! -e "$work/journal.csv.damaged" ] || fail "kill $i: the journal was damaged"
    printf 'addq %%rax, %%rbx\n' >"$work/short.s"
    must "kernel load $work/short.s"
    nothing_left
    i=$((i + 1))
done
[ "$sessions" -gt 0 ] || fail "no session was ever there"

i=0
while [ $i -lt "$kills" ]; do
    kill_while "experiments load $work/measured.csv; evolve start --ports 4 --threads 2 --seconds 1 --checkpoint $work/evolve.json; evolve wait; evolve resume; evolve wait" 2 $((i + 1000))
    if [ -e "$work/evolve.json" ]; then
        must "experiments load $work/measured.csv; evolve resume $work/evolve.json; evolve stop; evolve adopt; mapping save $work/machine"
        populations=$((populations + 1))
    fi
    must "experiments load $work/measured.csv; experiments save $work/measured.csv; kernel load $work/short.s"
    nothing_left
    i=$((i + 1))
done

must "mapping use skylake; mapping save $work/machine"
i=0
while [ $i -lt "$kills" ]; do
    kill_while "mapping use skylake; mapping save $work/machine; mapping use haswell; mapping save $work/machine; mapping export osaca $work/machine.yml; kernel hex 4801d84829c375f8; \
kernel analyze; export $work/analysis.html; kernel load $work/short.s; kernel measure --file $work/blocks.csv --out $work/rows.csv" 1.5 $((i + 2000))
    must "mapping load $work/machine; mapping save $work/machine; kernel load $work/short.s; kernel analyze; export $work/analysis.html; mapping export osaca $work/machine.yml; mapping import osaca $work/machine.yml"
    nothing_left
    i=$((i + 1))
done
echo "killed $((3 * kills)) times: $sessions sessions, $journals journals and $populations populations opened, nothing was lost, nothing was left behind"
