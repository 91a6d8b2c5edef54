#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares predictions and measurements of kernel memory, for the loops of bench/kernels/memory.s
# with
# arrays of five sizes. Prints the differences in per cent.
#   PORTOLAN=./portolan PORTOLAN_DATA=data sh bench/memory.sh [PASSES [FILE]]
# FILE gets a row for each loop, size and pass: pass,loop,bytes,predicted,measured,spread.
set -u
portolan=${PORTOLAN:-./portolan}
source=$(dirname "$0")/kernels/memory.s
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
rows=${2:-$work/rows}
: >"$rows"

# Prints the fields of a row by their names in the table's header.
take() {
    awk -F, -v pass="$1" -v loop="$2" -v sizes=' 32768 524288 4194304 33554432 268435456 ' '
        $1 == "size" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        at["size"] && index(sizes, " " $1 " ") && $at["measured"] > 0 && $at["predicted"] > 0 {
            print pass "," loop "," $1 "," $at["predicted"] "," $at["measured"] "," $at["spread"]
        }'
}

# Prints median and mean of the numbers on standard input.
summary() {
    sort -n | awk -v what="$1" '{ v[NR] = $1; sum += $1 }
        END { if (NR) printf "  %-22s %4d values, median %5.1f %%, mean %5.1f %%\n", what, NR,
                             (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, sum / NR }'
}
off() { awk -F, -v pass="$pass" "\$1 == pass && $1"' { d = 100 * ($4 / $5 - 1); print d < 0 ? -d : d }' "$rows"; }

for pass in $(seq "${1:-1}"); do
    "$portolan" -e 'machine calibrate --memory' >"$work/costs" 2>&1 || { cat "$work/costs"; exit 1; }
    awk '/^[a-z].*:/ { loop = $1; from = NR } /\tj/ { print substr(loop, 1, length(loop) - 1), from "-" NR }' "$source" |
        while read -r loop lines; do
            "$portolan" --format csv -e "kernel load $source:$lines; kernel memory --measure --size 32K..256M" 2>"$work/err" |
                take "$pass" "$loop" >>"$rows"
        done
    echo "pass $pass, load $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) CPUs"
    off 1 | summary 'all'
    off '$2 ~ /^stream/' | summary 'streams'
    for bytes in 32768 524288 4194304 33554432 268435456; do
        off "\$3 == $bytes" | summary "$((bytes / 1024)) KiB"
    done
done
# Compares the measurements of two passes by size.
[ "${1:-1}" -lt 2 ] || for bytes in 32768 524288 4194304 33554432 268435456; do
    awk -F, -v bytes="$bytes" '$3 == bytes { if ($1 == 1) first[$2] = $5
        else if ($1 == 2 && first[$2]) { d = 100 * ($5 / first[$2] - 1); print d < 0 ? -d : d } }' "$rows" |
        summary "two passes, $((bytes / 1024)) KiB"
done
