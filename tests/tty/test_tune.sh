#!/bin/sh
# kernel tune: the answer, the code that it writes, the comparison with the loop, by the model alone and on this CPU.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

printf '.L3:\n\taddl (%%rdi,%%rax), %%ecx\n\timull $8, %%esi, %%esi\n\taddq $4, %%rax\n\tcmpq %%r8, %%rax\n\tjne .L3\n' >"$work/loop.s"
printf '.L3:\n\timul %%rbx, %%rax\n\tcmp %%rcx, %%rdx\n\tjne .L3\n' >"$work/chain.s"

# printed PATTERN: what the last command printed has a line like it.
printed() { grep -qE -- "$1" "$work/out" || fail "not printed: $1: $(head -c 1500 "$work/out")"; }

test_answer_and_code() {
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel tune --machine skylake --unroll 1 --model-only --export $work/fast.s; kernel diff --machine skylake; kernel opened"
    printed 'Yes: 1\.[0-9]+ instead of 3\.00 cycles per iteration by the model .*imul by a power of two as a shift'
    holds out 'by its dependences'
    printed 'B takes 1\.[0-9]+ cycles per iteration, A 3\.00'
    holds out 'loop.s (tuned)'
    holds fast.s 'shl'
    lacks fast.s 'imul	'
    expect 0 "$portolan" -e "kernel load $work/fast.s; kernel analyze --machine skylake"
    printed '1\.[0-9]+ cycles per iteration'
}

test_several_at_once() {
    expect 0 "$portolan" --format json -e "kernel load $work/loop.s; kernel tune --machine skylake --model-only"
    holds out '"at_once":2'
    holds out 'trip count must be a multiple of'
    holds out 'registers that must be free'
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel tune --machine skylake --model-only; kernel diff --machine skylake"
    holds out 'iterations at once; all values are per one'
}

# Four iterations are more than 127 bytes: the jump back is encoded otherwise than in the loop.
test_a_longer_jump() {
    expect 0 "$portolan" -e "kernel load ${PORTOLAN_SRC:-.}/data/kernels/triad-skl-O3.s; kernel tune --machine sapphirerapids --model-only"
    printed 'Yes: 1\.[0-9]+ instead of 1\.50 cycles .*iterations at once'
}

# What is shown as compared has agreed; where nothing can be run it says so.
test_on_this_cpu() {
    expect 0 bounded "$portolan" -e "kernel load $work/loop.s; kernel tune --machine skylake --tries 50 --inputs 16"
    printed 'inputs agree|not (run|compared|measured)'
    lacks out 'differs'
}

test_no_is_an_answer() {
    expect 0 "$portolan" -e "kernel load $work/chain.s; kernel tune --machine skylake --model-only --tries 20"
    holds out 'No: nothing faster than 3.00 cycles'
    expect 1 "$portolan" -e 'kernel tune'
    holds err 'no kernel is loaded'
}

# Escape ends the search; the loop stays.
test_cancelled() {
    open_screen 100 30 "env HOME=$work '$portolan' --machine skylake $work/loop.s; read -r x"
    see 'imull'
    t send-keys ':kernel tune --model-only --tries 1000000' Enter
    see 'searches faster versions'
    # Leaving now would cancel it: that is asked once.
    t send-keys Q
    see 'kernel tune is running'
    see 'quit again'
    t send-keys Escape
    see 'cancelled'
    t send-keys 1
    see 'imull'
}

run_tests
