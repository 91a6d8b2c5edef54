#!/bin/sh
# Each result is for the machine and the file that the user named, and for the measuring method that
# the data imply.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

cat >"$work/loop.s" <<'TEXT'
1:	addq $1, %rax
	imulq %rbx, %rcx
	decl %edx
	jnz 1b
TEXT

# A machine of another instruction set is an error, wherever it was named. No other machine replaces
# it.
test_machines_are_not_replaced() {
    for way in "$portolan --machine neoverse-v2 -e" "$portolan -e 'set machine neoverse-v2' -e"; do
        for command in 'kernel analyze' 'kernel simulate' 'kernel analyze --all' 'kernel whatif issue_width=8' 'kernel trace t.html'; do
            expect 1 sh -c "$way 'kernel load $work/loop.s; $command'"
            holds err 'the selected machine neoverse-v2 is for aarch64, but the kernel is x86-64'
            lacks out 'cycles per iteration'
        done
    done
    for command in analyze simulate; do
        expect 1 "$portolan" -e "kernel load $work/loop.s; kernel $command --machine neoverse-v2"
        holds err 'neoverse-v2 is a machine for aarch64, but the kernel is x86-64'
    done
    expect 0 "$portolan" --machine neoverse-v2 -e "kernel load $work/loop.s; kernel analyze --machine skylake"
    holds out 'the selected machine neoverse-v2 is for aarch64'
    holds out 'Intel Skylake (client): 3.00'
}

# The machine named for an analysis is used for the following simulation until another is set.
test_the_machine_stays() {
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel analyze --machine haswell; kernel simulate"
    holds out 'Intel Haswell: 3.00 cycles per iteration simulated'
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel analyze --machine haswell; set machine znver4; kernel simulate"
    holds out 'AMD Zen 4: 3.00 cycles per iteration simulated'
}

# After -- any word is a name, even if it begins with a dash.
test_a_name_like_an_option() {
    cp "$work/loop.s" "$work/-x.s"
    cd "$work" || return
    expect 0 "$portolan" -e 'kernel list' -- -x.s
    holds out 'innermost loop'
    expect 0 "$portolan" -- -x.s
    holds out 'bound by'
    rm -- -x.s
}

test_names_of_other_tools() {
    while read -r name id; do
        expect 0 "$portolan" -e "machine show $name"
        holds out "$id: "
    done <<'NAMES'
SNB sandybridge
IVB ivybridge
HSW haswell
BDW broadwell
SKL skylake
SKX skylake-avx512
CSX cascadelake
CLX cascadelake
ICL icelake-client
ICX icelake-server
SPR sapphirerapids
TGL tigerlake
RKL rocketlake
ADL-P alderlake-p
ZEN1 znver1
ZEN+ zenplus
ZEN2 znver2
ZEN3 znver3
ZEN4 znver4
zen4 znver4
znver5 graniteridge
A72 cortex-a72
N1 neoverse-n1
V2 neoverse-v2
A64FX a64fx
M1 apple-m1
NAMES
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel analyze --machine ICX --machine znver5"
    holds out icelake-server
}

test_files_before_commands() {
    expect 0 "$portolan" "$work/loop.s" -e 'kernel analyze --machine skylake'
    holds out 'Intel Skylake (client): 3.00'
    expect 0 "$portolan" -e 'kernel analyze --machine skylake' "$work/loop.s"
    holds out 'Intel Skylake (client): 3.00'
    expect 1 "$portolan" "$work/none.s" -e 'kernel analyze'
    holds err none.s
}

# LLVM's tables of in-order cores, and those copied from another core, are labelled next to their
# results.
test_tables_say_what_they_are() {
    needs llvm-mca-22
    expect 0 "$portolan" -e "mapping import llvm gracemont; kernel load $work/loop.s; kernel analyze --machine gracemont"
    [ "$(grep -c 'LLVM uses the model of Golden Cove' "$work/out")" -eq 2 ] || fail "$(cat "$work/out")"
    expect 0 "$portolan" -e 'mapping import llvm cortex-a53'
    holds out 'an in-order core'
    expect 0 "$portolan" -e 'mapping import llvm skylake'
    lacks out 'lends'
}

# A result that depends on an estimated value of the machine is marked as an estimate.
test_estimates_are_marked() {
    printf '1:\tpause\n\tdecl %%ecx\n\tjnz 1b\n' >"$work/pause.s"
    expect 0 "$portolan" -e "kernel load $work/pause.s; kernel tune --machine icelake-client"
    holds out 'faster than about 138'
    expect 0 "$portolan" -e "kernel load $work/pause.s; kernel tune --machine skylake"
    holds out 'faster than 140.00'
    needs clang
    printf '#include <stdlib.h>\n#include <immintrin.h>\nint main(int c, char **v) { for (long n = c > 1 ? atol(v[1]) : 9; n > 0; n--) _mm_pause(); return 0; }\n' >"$work/pause.c"
    expect 0 "$portolan" -e "program load $work/pause.c; program run N=100000,200000,300000,400000; program predict N=600000 --machine icelake-client"
    holds out 'icelake-client: estimate, because 100 % of the cycles'
}

# The predictions of the machine distinguish cycles of loops from cycles of unrolled copies.
test_the_method_is_found() {
    cut -d, -f1,2 "$source/tests/data/zen4-loops.csv" >"$work/loops.csv"
    expect 0 "$portolan" -e "kernel evaluate $work/loops.csv --machine znver4"
    holds out "measurement method: kernel measure's loops (detected"
    expect 0 "$portolan" -e "kernel evaluate $work/loops.csv --machine znver4 --measured-by bhive"
    holds out "measurement method: BHive's unrolled copies (set by --measured-by)"
    printf '4883c2014883fa40,103\n480fafc0,301\n4801c8,100\n4809c8,100\n90,25\n' >"$work/five.csv"
    expect 0 "$portolan" -e "kernel evaluate $work/five.csv --machine skylake"
    holds out 'cycles are totals of 100 iterations'
    holds out '5 blocks'
    holds out 'measurement method: '
}

# A .S file is preprocessed first. Its own lines are shown.
test_preprocessed() {
    needs cc
    expect 0 "$portolan" -e "kernel load $source/tests/data/macros.S; kernel show"
    holds out 'innermost loop copy, 8 instructions'
    holds out '11: vmovupd	(SRC), %ymm0'
    expect 0 "$portolan" -e "kernel load $source/tests/data/macros.S -DNEVER --skip-bad"
    holds out garbage
    printf '#include "none.h"\n\tincl %%eax\n' >"$work/none.S"
    expect 1 "$portolan" -e "kernel load $work/none.S"
    holds err 'none.h'
    holds err 'none.S:1'
}

run_tests
