#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Costs and accuracy for whole programs: time and memory of tracing, CPU time of predictions and
# sweeps, and cache misses compared with cachegrind's.
#   make bench-program, or PORTOLAN=./portolan PORTOLAN_DATA=data sh bench/programs.sh
#   [costs] [misses] [runtime] [kernels]
set -u
portolan=${PORTOLAN:-./portolan}
cc=$(dirname "$portolan")/portolan-cc
programs=$PORTOLAN_DATA/programs
[ -x "$cc" ] || { echo 'built without LLVM'; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
clang=$("$cc" --version | sed -n 's/.*clang version \([0-9]*\).*/clang-\1/p')

# cpu_seconds COMMAND...: prints user and system CPU time including children, the smallest of three
# runs.
cpu_seconds() {
    for _ in 1 2 3; do
        { LC_ALL=C bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' - "$@"; } 2>&1 | tail -1
    done | awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { printf "%.3f", least }'
}

costs() {
    echo 'tracing at -O0: CPU seconds of the plain program, traced, ratio (bar: 100)'
    for case in 'matmul 160' 'jacobi 700' 'laplace2d 500'; do
        # shellcheck disable=SC2086 # $case is a list of words
        set -- $case
        "$clang" -O0 "$programs/$1.c" -o "$work/plain" && "$cc" -O0 "$programs/$1.c" -o "$work/traced" || exit 1
        plain=$(cpu_seconds "$work/plain" "$2")
        traced=$(PORTOLAN_TRACE=$work/trace PORTOLAN_TRACE_MODE=exact cpu_seconds "$work/traced" "$2")
        echo "$1 $2 $plain $traced" | awk '{ printf "  %-10s N=%-5d %8.3f %8.3f %6.0f\n", $1, $2, $3, $4, $4 / $3 }'
    done
    echo 'memory while tracing: 100,000 lines used once, ten and a hundred times, then a million lines'
    printf '#include <stdlib.h>\nint main(int c, char **v) { size_t lines = strtoul(v[1], 0, 10), times = strtoul(v[2], 0, 10); volatile char *a = malloc(lines * 64); for (size_t k = 0; k < times; k++) for (size_t i = 0; i < lines; i++) a[i * 64] = (char)k; return c != 3; }\n' >"$work/walk.c"
    "$cc" -O1 "$work/walk.c" -o "$work/walk"
    [ -x /usr/bin/time ] && for case in '100000 1' '100000 10' '100000 100' '1000000 1'; do
        # shellcheck disable=SC2086 # $case is a list of words
        PORTOLAN_TRACE=$work/trace PORTOLAN_TRACE_MODE=exact /usr/bin/time -f "  %M KiB: $case" "$work/walk" $case
    done
    machines=$("$portolan" --format csv -e 'machine list' 2>/dev/null | awk -F, 'NR > 1 && $1 != "" { print $1 }' | while read -r m; do
        "$portolan" -e "machine show $m" 2>/dev/null | grep -q x86-64 && printf ' --machine %s' "$m"
    done)
    load="program load $programs/jacobi.c -O3; program run N=32,48,61,64,96,128"
    echo 'CPU seconds beyond building and running jacobi.c -O3'
    base=$(cpu_seconds "$portolan" -e "$load")
    beyond() { label=$1; shift; t=$(cpu_seconds "$portolan" -e "$load; $1"); echo "$t $base ${2:-1}" | awk -v l="$label" '{ printf "  %-52s %6.3f\n", l, ($1 - $2) / $3 }'; }
    ten=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf 'program predict N=200%s --machine skylake;' "$n"; done)
    beyond 'one prediction, of ten (bar: 0.1)' "$ten" 10
    beyond '16 sizes of the second level (bar: 2)' 'program sweep l2_bytes=64k,96k,128k,192k,256k,384k,512k,768k,1M,1536k,2M,3M,4M,6M,8M,16M N=2000 --machine skylake'
    beyond 'every machine of data/machines (bar: 2)' "program predict N=2000 $machines"
    beyond 'sensitivity to every property' 'program sensitivity N=2000 --machine skylake'
}

# Prints the cache misses of the plain program minus those of its start (N = 1).
simulated() {
    for n in "$1" 1; do
        valgrind --tool=cachegrind --cache-sim=yes "--I1=$2,64" "--D1=$2,64" "--LL=$3,64" --cachegrind-out-file=/dev/null "$work/plain" "$n" 2>&1 |
            awk '/D1  misses/ { gsub(",", ""); a = $4 } /LLd misses/ { gsub(",", ""); print a, $4 }'
    done | awk 'NR == 1 { a = $1; b = $2 } NR == 2 { print a - $1, b - $2 }'
}

misses() {
    command -v valgrind >/dev/null || { echo 'valgrind is missing: no misses are compared'; return; }
    echo 'misses of the first and second level against cachegrind (its LL set to the second), runs up to 128 (bar: 10 %)'
    for level in -O0 -O3; do
        for case in 'matmul 150 skylake-avx512 32768,8 1048576,16' 'matmul 200 sapphirerapids 49152,12 2097152,16' 'jacobi 300 skylake 32768,8 262144,4' 'jacobi 600 sapphirerapids 49152,12 2097152,16' \
            'laplace2d 250 skylake 32768,8 262144,4' 'laplace2d 600 sapphirerapids 49152,12 2097152,16'; do
            # shellcheck disable=SC2086 # $case is a list of words
            set -- $case
            "$clang" $level "$programs/$1.c" -o "$work/plain" || exit 1
            theirs=$(simulated "$2" "$4" "$5")
            ours=$("$portolan" --format csv --machine "$3" -e "program load $programs/$1.c $level; program run N=32,48,61,64,96,128; program predict N=$2 --machine $3" |
                awk -F, -v machine="$3" '$1 == machine { print $6, $7 }')
            echo "$theirs $ours" | awk -v name="$1 $level N=$2, $3" '{ printf "  %-40s %10.0f %10.0f %+6.1f %%  %10.0f %10.0f %+6.1f %%\n", name, $1, $3, 100 * ($3 / $1 - 1), $2, $4, 100 * ($4 / $2 - 1) }'
        done
    done
}

# validated SOURCE OPTIONS RUNS HELD-OUT: prints a line for each held-out input.
validated() {
    "$portolan" --format csv -e "program load $1 $2; program run N=$3; program validate N=$4 --times ${TIMES:-4}" |
        awk -F, -v name="$(basename "$1" .c) $2" '/^[0-9]+,/ && NF > 8 { printf "  %-22s N=%-6d %10.6f s, measured %10.6f s %+6.1f %%, %3.0f %% of the slots left\n", name, $1, $2, $3, $4, $7 }'
}
mean_error() { awk '{ print } match($0, /[-+][0-9.]+ %,/) { e = substr($0, RSTART + 1); sum += e + 0; n++ } END { if (n) printf "  mean of %d: %.1f %%\n", n, sum / n }'; }

runtime() {
    echo 'predicted beyond the runs, against measured (bar: 12 % on average); TIMES runs of each (4)'
    for level in -O3 -O0; do
        validated "$programs/jacobi.c" $level 32,48,61,64,96 512,1000
        validated "$programs/laplace2d.c" $level 32,48,61,64,96 512,1000
        validated "$programs/blackscholes.c" "$level -lm" 512,1024,1536,2048,4096 8192,20000
        validated "$programs/matmul.c" $level 32,48,61,64,96 512,700
    done | mean_error
}

kernels() {
    echo 'kernels against the program, runs up to 128'
    for level in -O3 -O0; do
        for file in "$(dirname "$0")"/kernels/*.c; do
            case $(basename "$file" .c) in atax | bicg | mvt | trisolv | durbin | gemver) held=1000,2000 ;; *) held=512,700 ;; esac
            validated "$file" "$level -lm" 24,32,48,61,64,96,128 $held
        done
    done | mean_error
}

for part in ${*:-costs misses}; do "$part"; done
