#!/bin/sh
# CPU time (user + system, children included) of a whole cold process that analyses one kernel, beside the assembler
# alone and llvm-mca when it is installed. Every program runs in turn, RUNS times; the figures are means per run.
set -eu
portolan=${PORTOLAN:-./portolan}
kernel=${PORTOLAN_DATA:-data}/kernels/triad-skl-O3.s
runs=${RUNS:-40}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Milliseconds of CPU per run of "$@", by the shell's own accounting of its children.
milliseconds() {
    (
        i=0
        while [ "$i" -lt "$runs" ]; do
            "$@" >/dev/null 2>&1 || exit 1
            i=$((i + 1))
        done
        times
    ) | awk -v runs="$runs" 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
        printf "%.2f", 1000 * (u[1] * 60 + u[2] + s[1] * 60 + s[2]) / runs }'
}

printf 'whole cold process, one kernel, CPU milliseconds (mean of %s runs)\n' "$runs"
ours=$(milliseconds "$portolan" -e "kernel load $kernel; kernel analyze --machine skylake")
printf '  %-28s %8s\n' 'portolan, with as' "$ours"
printf '  %-28s %8s\n' 'as alone' "$(milliseconds as -o "$work/kernel.o" "$kernel")"
mca=$(command -v llvm-mca-22 || command -v llvm-mca || true)
if [ -n "$mca" ]; then
    theirs=$(milliseconds "$mca" -mcpu=skylake "$kernel")
    printf '  %-28s %8s   %s\n' "${mca##*/}" "$theirs" \
        "$(awk -v a="$theirs" -v b="$ours" 'BEGIN { if (b > 0) printf "%.2f times portolan", a / b }')"
fi
