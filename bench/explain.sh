#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares program explain with loops that time themselves (bench/explained.c): iterations, cycles
# per iteration, and the terms of branches and caches.
#   PORTOLAN=./portolan PORTOLAN_DATA=data sh bench/explain.sh
set -u
portolan=${PORTOLAN:-./portolan}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 "$(dirname "$0")/explained.c" -o "$work/explained" || exit 1

# member KEY: prints the number of that member of the answer.
member() { grep -o "\"$1\":[^,}]*" "$work/answer" | head -n 1 | cut -d: -f2; }

echo 'load:' "$(cut -d' ' -f1-3 /proc/loadavg)"
echo 'loop bytes pages: own cycles before and under program explain; its cycles, branches, caches, neither; iterations missed'
for case in 'chain2' 'chain3' 'chain4' 'partition 4194304' 'partition-sorted 4194304' \
    'hash 16384' 'hash 67108864' 'hash 67108864 huge' 'list 16384' 'list 1048576' 'list 16777216' \
    'list 16777216 huge'; do
    # shellcheck disable=SC2086 # $case is a list of words
    set -- $case
    "$work/explained" "$@" 2>"$work/alone"
    rm -f "$work/out"
    "$portolan" --format json -e "program explain --output $work/out loop_${1%%-*} $work/explained $case" >"$work/answer" 2>"$work/err"
    echo "$case: $(sed 's/.*iterations, \(.*\) cycles.*/\1/' "$work/alone")" \
        "$(sed 's/.*iterations, \(.*\) cycles.*/\1/' "$work/out"); $(member cycles)" \
        "$(member branch_cycles) $(member cache_cycles) $(member rest_cycles);" \
        "$(($(sed 's/ iterations.*//' "$work/out") - $(member iterations)))"
done
