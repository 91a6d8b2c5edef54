#!/bin/sh
# libportolan in other programs: the examples are compiled with the installed files and run. Python
# uses ctypes. Needs `make shared`, or ./configure --enable-shared.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

build=$(cd "$(dirname "$portolan")" && pwd)
[ -e "$build/libportolan.so" ] || without='libportolan.so is not built: make shared'
LD_LIBRARY_PATH=$build
export LD_LIBRARY_PATH

# example NAME ARGUMENTS...: compiles the example with only the public header, and runs it.
example() {
    name=$1; shift
    [ -x "$work/$name" ] || ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$source/src/api" -o "$work/$name" "$source/examples/$name.c" -L"$build" -lportolan 2>"$work/cc" ||
        fail "$name.c: $(head -c 300 "$work/cc")"
    "$work/$name" "$@"
}

test_throughput() {
    [ -z "${without-}" ] || skip "$without"
    expect 0 example throughput skylake '2*ADD (R64, R64) + IMUL (R64, R64)'
    holds out 'Intel Skylake (client): 1.00 cycles'
    expect 1 example throughput skylake 'NOSUCH (R64)'
    holds err 'skylake has no form NOSUCH (R64)'
    # The error equals that of the command.
    expect 1 example throughput skylake 'IMULL (R64, R64)'
    cut -d: -f2- "$work/err" | cut -d\; -f1 >"$work/library"
    expect 1 "$portolan" --machine skylake -e 'throughput IMULL (R64, R64)'
    grep -qF "$(sed 's/^ *//' "$work/library")" "$work/err" || fail "$(cat "$work/library" "$work/err")"
    holds err 'IMUL (R64, R64)'
    expect 1 example throughput nosuch 'ADD (R64, R64)'
    holds err 'nosuch'
    expect 1 example throughput skylake '2*'
}

# The results equal those of the program.
test_analysis() {
    [ -z "${without-}" ] || skip "$without"
    for hex in 4801d8480fafc3 488b38488b114883c0084883c1084c21f24821f74809fa488950f84839c375e0; do
        for machine in skylake znver4; do
            expect 0 example analyze $machine $hex
            cp "$work/out" "$work/library"
            expect 0 "$portolan" -e "kernel hex $hex; kernel analyze --machine $machine; kernel simulate --machine $machine"
            cycles=$(sed -n 's/^.*: \([0-9.]*\) cycles per iteration, bound by \(.*\)$/\1 cycles per iteration, bound by \2;/p' "$work/out" | head -1)
            grep -qF "$cycles" "$work/library" || fail "$machine, $hex: $cycles, but $(head -1 "$work/library")"
            simulated=$(sed -n 's/^.*: \([0-9.]*\) cycles per iteration simulated.*/simulated \1/p' "$work/out" | head -1)
            grep -qF "$simulated" "$work/library" || fail "$machine, $hex: $simulated, but $(head -1 "$work/library")"
        done
    done
    expect 1 example analyze skylake 06
    expect 1 example analyze skylake ''
}

test_evaluation() {
    [ -z "${without-}" ] || skip "$without"
    printf 'experiment,cycles\n"ADD (R64, R64)",0.25\n"IMUL (R64, R64)",1\n"2*IMUL (R64, R64)",2.2\n"NOSUCH (R64)",1\n' >"$work/e.csv"
    expect 0 example evaluate skylake "$work/e.csv"
    holds out '3 experiments, 1 not known, mean error 3.0 %'
    printf 'nothing\n' >"$work/bad.csv"
    expect 1 example evaluate skylake "$work/bad.csv"
    holds err 'bad.csv:1'
}

# The mapping inferred from a simulated machine explains the measurements. The callback ends the run
# long before the time limit.
test_inference() {
    [ -z "${without-}" ] || skip "$without"
    expect 0 "$portolan" --machine skylake -e "forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)'; experiments generate; experiments measure --simulate skylake; experiments generate; experiments measure --simulate skylake; experiments save $work/e.csv"
    expect 0 example infer "$work/e.csv" 60 4
    holds out 'watched: yes'
    # Several mappings explain all measurements. The one returned depends on when the callback is
    # called.
    grep -qE '^mean error: 0\.[0-9]+ % of (1[0-9]|[2-9][0-9]) experiments$' "$work/out" || fail "$(cat "$work/out")"
    [ "$(grep -cE '^(ADD|IMUL|SHL|VADDPD) \(' "$work/out")" -eq 4 ] || fail "$(cat "$work/out")"
    expect 1 example infer "$work/e.csv" 0 4
    holds err 'neither a time limit nor a number of generations'
    cat >"$work/threads.c" <<'CODE'
#include <portolan.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    portolan_error error;
    portolan_inference how = {.size = sizeof how, .seconds = 1, .threads = 100000};
    (void)argc;
    if (!portolan_infer(argv[1], &how, NULL, NULL, &error))
        puts(error.text);
    return 0;
}
CODE
    ${CC:-cc} -std=c11 -I"$source/src/api" -o "$work/threads" "$work/threads.c" -L"$build" -lportolan || fail 'threads.c'
    expect 0 "$work/threads" "$work/e.csv"
    holds out 'the number of threads exceeds 1024'
}

# Measures a loop on this CPU. Two dependent instructions take four cycles on all known CPUs, and
# about four on a contended one.
test_measuring() {
    [ -z "${without-}" ] || skip "$without"
    [ "$(uname -m)" = x86_64 ] || skip 'for x86-64'
    "$portolan" -e 'machine calibrate' >"$work/calibration" 2>&1 || skip "no sandbox here: $(cat "$work/calibration")"
    example measure 4801d8480fafc3 20 >"$work/out" 2>"$work/err" || [ $? -eq 2 ] || fail "$(cat "$work/err")"
    [ -s "$work/out" ] || skip "$(cat "$work/err")"
    grep -qE '^[0-9.]+ cycles per iteration at [0-9.]+ GHz' "$work/out" || fail "$(cat "$work/out")"
    grep -q unconfirmed "$work/out" || awk '{ exit !($1 >= 3.8 && $1 <= 4.2) }' "$work/out" || fail "$(cat "$work/out")"
    # Code that cannot be measured is rejected with the command's reason.
    expect 1 example measure 0f05
    holds err 'a system instruction'
    expect 1 example measure ''
    holds err "the code is NULL, the structure's size"
}

# Charts a simulated CPU with known ports. Each form must have the number of ports in its mapping,
# and share them with the same forms. (An ADD uses as many ports as there are slots.)
test_charting() {
    [ -z "${without-}" ] || skip "$without"
    expect 0 example chart --simulate skylake 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'LEA_B_I_D8 (R64)' 'BSWAP (R32)'
    holds out ' stages'
    [ ! -e "$work/state/portolan" ] || [ -z "$(find "$work/state/portolan" -name 'chart*')" ] || fail 'something was kept'
    ports() { sed -n "s/^$1: 1\*p\([0-9A-Z]*\)$/\1/p" "$work/out"; }
    shl=$(ports 'SHL (R64, I8)'); imul=$(ports 'IMUL (R64, R64)'); bswap=$(ports 'BSWAP (R32)')
    [ ${#shl} -eq 2 ] && [ ${#imul} -eq 1 ] && [ ${#bswap} -eq 2 ] && [ "$(ports 'LEA_B_I_D8 (R64)')" = "$imul" ] || fail "$(cat "$work/out")"
    case $shl in *"$imul"*) fail "SHL has IMUL's port: $(cat "$work/out")" ;; esac
    case $bswap in *"$imul"*) ;; *) fail "BSWAP lacks IMUL's port: $(cat "$work/out")" ;; esac
    expect 1 example chart --simulate skylake 'NOSUCH*'
    holds err 'no measurable form matches'
}

# The library exports only the names that the public header declares, each with its version.
test_names_of_the_library() {
    [ -z "${without-}" ] || skip "$without"
    needs nm
    nm -D --defined-only "$build/libportolan.so" | awk '$3 != "PORTOLAN_0" { print $3 }' | sort >"$work/names"
    sed -n 's/^ *\(portolan_[a-z_]*\);$/\1@@PORTOLAN_0/p' "$source/src/api/libportolan.map" | sort >"$work/expected"
    cmp -s "$work/names" "$work/expected" || fail "$(diff "$work/names" "$work/expected")"
    grep -oE '^[a-z_ *]*[ *](portolan_[a-z_]+)\(' "$source/src/api/portolan.h" | sed 's/.*[ *]//; s/(//' | sort >"$work/declared"
    sed 's/@@.*//' "$work/expected" | cmp -s - "$work/declared" || fail "the header and the map differ"
}

test_python() {
    [ -z "${without-}" ] || skip "$without"
    needs python3
    expect 0 env LIBPORTOLAN="$build/libportolan.so" python3 "$source/examples/portolan.py" skylake 'IMUL (R64, R64)' 4801d8480fafc3
    holds out 'Intel Skylake (client): 1.00 cycles'
    holds out 'bound by'
    expect 0 env LIBPORTOLAN="$build/libportolan.so" python3 "$source/examples/measure.py" 4801d8480fafc3 --simulate skylake 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)'
    grep -qE '^[0-9.]+ cycles per iteration|^not measured: ' "$work/out" || fail "$(cat "$work/out")"
    holds out 'IMUL (R64, R64): 1*p'
    holds out '7 stages'
}

run_tests
