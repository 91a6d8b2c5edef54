#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs program explain on the hottest loop of ten programs from start to end: CPU seconds alone and
# with explain (least of three and of two runs), cycles per iteration, cause or the reason why
# there is none, and whether the output is the same. Each program runs for a few seconds.
#   PORTOLAN=./portolan PORTOLAN_DATA=data bash bench/explain_programs.sh
set -u
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'

# least FILE: prints the least sum of user and system time of the lines.
least() { awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { printf "%.2f", least }' "$1"; }
# member KEY: prints that member of the last answer.
member() { grep -o "\"$1\": *\"\{0,1\}[^,}\"]*" "$work/answer" | tail -n 1 | sed 's/.*: *"\{0,1\}//'; }

# program NAME INPUT WORDS
program() {
    name=$1 input=$2; shift 2
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return; }
    rm -f "$work/times"
    for _ in 1 2 3; do
        { time "$@" <"$input" >"$work/alone" 2>/dev/null; } 2>>"$work/times"
    done
    for number in 1 2 3; do   # a loop may be refused
        rm -f "$work"/out?
        explain="program explain $number --measure 0 --output $work/out"
        "$portolan" --format json -e "program profile --measure 0 --output $work/profiled --input $input -- $*; ${explain}1; ${explain}2" >"$work/answer" 2>"$work/err" </dev/null && break
        number=
    done
    [ -n "$number" ] || { echo "$name: $(head -n 1 "$work/err")"; return; }
    same=same; cmp -s "$work/alone" "$work/out1" && cmp -s "$work/alone" "$work/out2" || same=differs
    grep -o '"cpu_seconds": *[0-9.]*' "$work/answer" | sed 's/.*: *//' >"$work/explained"
    alone=$(least "$work/times") counted=$(least "$work/explained")
    echo "$name: loop $number, $alone s alone, $counted s with explain ($(awk -v a="$alone" -v b="$counted" 'BEGIN { printf "%+.0f", 100 * (b / a - 1) }') %), $(member iterations) iterations, cycles $(sed -n "s/.*\"cycles\": *\([0-9.]*\),.*\"cycles_low.*/\1/p" "$work/answer" | tail -n 1), cause $(member cause), reason $(member reason), output $same"
}

echo 'load:' "$(cut -d' ' -f1-3 /proc/loadavg)"
seq 1 "${NUMBERS:-5000000}" >"$work/numbers"
printf 'my $s=0; my %%h; for (my $i=0;$i<12000000;$i++) { $s+=$i%%7; $h{$i&255}=$s; } print "$s\n";\n' >"$work/p.pl"
printf 'def f(n):\n    s = 0\n    for i in range(n):\n        if i %% 3: s += i * 2\n        else: s ^= i\n    return s\nprint(f(20000000))\n' >"$work/p.py"
printf 'create table t(a integer, b text); with recursive c(x) as (select 1 union all select x+1 from c where x<2000000) insert into t select x, hex(x*7919) from c; select sum(a), max(b) from t where b like "%%3%%" or b like "%%77%%"; select count(*), b from t group by substr(b,1,2) order by 1 limit 3;\n' >"$work/q.sql"
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
cc1=$(gcc -print-prog-name=cc1)
gcc -E "$(dirname "$0")/../tests/support/loops_running.c" -o "$work/loops.i"
program gzip "$work/numbers" gzip -c -n -6
program xz "$work/numbers" xz -c -2
program bzip2 "$work/numbers" bzip2 -c
program zstd "$work/numbers" zstd -q -c -T1 -13
program sort "$work/numbers" sort -S 50M -k1.3
program openssl "$work/numbers" openssl enc -aes-256-cbc -pbkdf2 -iter 6000000 -k a -S 0011223344556677
program perl /dev/null perl "$work/p.pl"
program python3 /dev/null "${python:-python3}" -S -I "$work/p.py"
program sqlite3 "$work/q.sql" sqlite3
program cc1 /dev/null "$cc1" -quiet -O3 -fpreprocessed "$work/loops.i" -o -
echo 'load:' "$(cut -d' ' -f1-3 /proc/loadavg)"
