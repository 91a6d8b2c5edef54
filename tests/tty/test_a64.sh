#!/bin/sh
# AArch64 without a terminal: text, objects, hex, and machines of this instruction set.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

kernel=$source/data/kernels/triad-a64-gcc-O3.s

test_text_chooses_the_machines() {
    needs aarch64-linux-gnu-as
    expect 0 "$portolan" -e "kernel load $kernel; kernel analyze"
    holds out 'Arm Neoverse V2'
    holds out 'cortex-a72              3.00   3.00'
    holds out "LLVM's Cortex-A57 model"
    expect 0 "$portolan" --format json -e "kernel load $kernel; kernel analyze --machine a64fx"
    holds out '"machine":"a64fx"'
    holds out '"form":"FMLA (V.2D, V.2D, V.2D)"'
    holds out '"unknown":[]'
}

# The instruction set of the kernel selects the machines. A machine of the other set is rejected by
# name.
test_wrong_instruction_set_is_refused() {
    needs aarch64-linux-gnu-as
    expect 1 "$portolan" -e "kernel load $kernel; kernel analyze --machine skylake"
    holds err 'skylake is a machine for x86-64, but the kernel is aarch64'
    expect 1 "$portolan" -e "kernel load $source/data/kernels/pi-O2.s; kernel analyze --machine cortex-a72"
    holds err 'cortex-a72 is a machine for aarch64, but the kernel is x86-64'
    expect 1 "$portolan" -e 'set machine skylake,cortex-a72'
    holds err 'same instruction set'
    expect 0 "$portolan" -e "kernel load $kernel; kernel load $source/data/kernels/pi-O2.s; kernel analyze"
    holds out 'Skylake'
    expect 1 "$portolan" -e "kernel load $kernel --isa x86-64"
    holds err 'looks like AArch64'
    expect 1 "$portolan" -e "kernel load $kernel --isa sparc"
    holds err '--isa cannot be "sparc"; use x86-64 or aarch64'
}

# Objects are recognised by their ELF machine. Saved loops load unchanged.
test_objects_and_saved_loops() {
    needs aarch64-linux-gnu-as
    aarch64-linux-gnu-as -o "$work/loops.o" "$source/tests/data/a64-gcc.s" || fail 'the assembler fails'
    expect 0 "$portolan" -e "kernel load $work/loops.o --symbol dot; kernel show; kernel save $work/dot.s; kernel load $work/dot.s; kernel analyze --machine cortex-a72"
    holds out 'LDR (Q, [X, X])'
    holds out 'bound by dependencies'
    expect 0 "$portolan" -e "kernel load $source/data/kernels/daxpy-a64-gcc-sve.s; kernel save $work/sve.s; kernel load $work/sve.s; kernel show"
    holds out 'FMAD (Z.D, P/M, Z.D, Z.D)'
    expect 0 "$portolan" -e "forms scan $work/loops.o"
    holds out 'cortex-a72         covers 100.0000 %'
    expect 0 "$portolan" -e 'kernel hex 1f2003d5ffffffff --isa aarch64; kernel analyze --machine neoverse-n1'
    holds out 'UNDECODED (0xffffffff)'
    holds out 'lower bound'
    expect 0 "$portolan" -e 'forms list --isa aarch64 "FDIV (D*"'
    holds out 'fdiv {W:D}, {R:D}, {R:D}'
    expect 0 "$portolan" --machine cortex-a72 -e 'throughput 2*FMLA (V.2D, V.2D, V.2D) + LDR (X, [X], I)'
    holds out '2.0000 cycles on cortex-a72, bound by pWX'
}

run_tests
