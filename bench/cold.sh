#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# CPU time of cold processes that analyse one kernel: portolan with its assembler, the assembler
# alone, and llvm-mca if installed, alternating in one run. PORTOLAN, PORTOLAN_DATA, KERNEL and RUNS
# can be set.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
portolan=${PORTOLAN:-./portolan}
PORTOLAN_DATA=${PORTOLAN_DATA:-$here/data}
export PORTOLAN_DATA
kernel=${KERNEL:-$here/data/kernels/triad-skl-O3.s}
runs=${RUNS:-80}
rounds=4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Uses a separate TMPDIR, because programs search it for directories of killed programs, which takes
# long in a full /tmp.
TMPDIR=$work
export TMPDIR

# Appends the CPU seconds of "$@" per round, as the shell accounts for its children, to the file
# $name for each of runs / rounds measurements.
measure() {
    (
        i=0
        while [ "$i" -lt "$runs" ]; do
            "$@" >/dev/null 2>&1 || exit 1
            i=$((i + rounds))
        done
        times
    ) | awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }' >> "$work/$name"
}

# Prints the mean milliseconds per run of the times in file $1.
mean() {
    awk -v each="$(((runs + rounds - 1) / rounds))" '{ sum += $1 } END { printf "%.2f", 1000 * sum / (NR * each) }' "$work/$1"
}

mca=$(command -v llvm-mca-22 || command -v llvm-mca || true)
round=0
while [ "$round" -lt "$rounds" ]; do
    for machine in skylake sapphirerapids; do
        name=$machine measure "$portolan" -e "kernel load $kernel; kernel analyze --machine $machine"
    done
    name=as measure as -o "$work/kernel.o" "$kernel"
    [ -z "$mca" ] || name=mca measure "$mca" -mcpu=skylake "$kernel"
    round=$((round + 1))
done

printf 'whole cold process, one kernel, CPU milliseconds (mean of %s runs, by turns)\n' "$runs"
ours=$(mean skylake)
printf '  %-30s %8s\n' 'portolan, skylake, with as' "$ours"
printf '  %-30s %8s\n' 'portolan, sapphirerapids' "$(mean sapphirerapids)"
printf '  %-30s %8s\n' 'as alone' "$(mean as)"
if [ -n "$mca" ]; then
    theirs=$(mean mca)
    printf '  %-30s %8s   %s\n' "${mca##*/}, skylake" "$theirs" \
        "$(awk -v a="$theirs" -v b="$ours" 'BEGIN { if (b > 0) printf "%.2f times portolan", a / b }')"
fi
