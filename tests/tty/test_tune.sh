#!/bin/sh
# kernel tune: the result, the written code, and the predicted comparison with the loop
# and on this CPU.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

printf '.L3:\n\taddl (%%rdi,%%rax), %%ecx\n\timull $8, %%esi, %%esi\n\taddq $4, %%rax\n\tcmpq %%r8, %%rax\n\tjne .L3\n' >"$work/loop.s"
printf '.L3:\n\timul %%rbx, %%rax\n\tcmp %%rcx, %%rdx\n\tjne .L3\n' >"$work/chain.s"

# printed PATTERN: checks that the last command printed a line that matches.
printed() { grep -qE -- "$1" "$work/out" || fail "not printed: $1: $(head -c 1500 "$work/out")"; }

test_answer_and_code() {
    expect 0 "$portolan" -e "kernel load $work/loop.s; kernel tune --machine skylake --unroll 1 --model-only --export $work/fast.s; kernel diff --machine skylake; kernel opened"
    printed 'Yes: 1\.[0-9]+ instead of 3\.00 cycles per iteration, predicted .*imul by a power of two as a shift'
    holds out 'dependences only'
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
    holds out 'iterations; all values are per source iteration'
}

# Four iterations exceed 127 bytes, so the jump back has another encoding than in the loop.
test_a_longer_jump() {
    expect 0 "$portolan" -e "kernel load ${PORTOLAN_SRC:-.}/data/kernels/triad-skl-O3.s; kernel tune --machine sapphirerapids --model-only"
    printed 'Yes: 1\.[0-9]+ instead of 1\.50 cycles .*iterations at once'
}

# Code that was compared with the loop has the same results. If nothing can be run, the output
# reports this.
test_on_this_cpu() {
    expect 0 bounded "$portolan" -e "kernel load $work/loop.s; kernel tune --machine skylake --tries 50 --inputs 16"
    printed 'inputs agree|not (run|compared|measured)'
    lacks out 'differs'
}

# For source code, builds by the compiler come first. Different rounding requires an option.
test_builds() {
    command -v gcc >/dev/null || skip 'needs gcc'
    printf 'void axpy(long n, double a, const double *restrict x, double *restrict y)\n{\n    for (long i = 0; i < n; i++)\n        y[i] += a * x[i];\n}\n' >"$work/axpy.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/axpy.c -O2 --compiler gcc; kernel tune --model-only --tries 20; kernel opened"
    printed 'Yes: 0\.[0-9]+ instead of 1\.[0-9]+ cycles per iteration, predicted \(-[0-9]+ %\): compiled with .*-O3'
    printed 'axpy.c.* -O3'
    printf 'double dot(const double *a, const double *b, long n)\n{\n    double s = 0;\n    for (long i = 0; i < n; i++)\n        s += a[i] * b[i];\n    return s;\n}\n' >"$work/dot.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/dot.c -O2 --compiler gcc; kernel tune --model-only --tries 20"
    printed 'No version is faster than 4.00 cycles per iteration; tried: other orders, [0-9]+ versions and [0-9]+ builds'
    printed 'changes results *.*-ffast-math'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/dot.c -O2 --compiler gcc; kernel tune --model-only --tries 20 --reassociate"
    printed 'Yes: [01]\.[0-9]+ instead of 4\.00 cycles'
}

# Four multiply-adds into one sum, like in clang's unrolled dot product. With separate sums they
# take a quarter of the time.
test_chained_sums() {
    for at in 0 8 16 24; do printf 'vmovsd %s(%%rdi,%%rax,8), %%xmm1\nvfmadd231sd %s(%%rsi,%%rax,8), %%xmm1, %%xmm0\n' $at $at; done >"$work/body"
    { echo '1:'; cat "$work/body"; printf 'addq $4, %%rax\ncmpq %%rax, %%rdx\njne 1b\n'; } >"$work/chained.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/chained.s; kernel tune --model-only --reassociate --tries 20"
    printed 'Yes: 4\.[0-9]+ instead of 16\.00 cycles .*separate accumulators'
    # This is the same sum through registers, in the form that clang 14 writes.
    {
        echo '1:'
        for at in 0 16; do
            printf 'vmovsd %s(%%rdi,%%rcx,8), %%xmm1\nvfmadd132sd %s(%%rsi,%%rcx,8), %%xmm0, %%xmm1\n' $at $at
            printf 'vmovsd %s(%%rdi,%%rcx,8), %%xmm0\nvfmadd132sd %s(%%rsi,%%rcx,8), %%xmm1, %%xmm0\n' $((at + 8)) $((at + 8))
        done
        printf 'addq $4, %%rcx\ncmpq %%rcx, %%rdx\njne 1b\n'
    } >"$work/through.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/through.s; kernel tune --model-only --reassociate --tries 20"
    printed 'Yes: 4\.[0-9]+ instead of 16\.00 cycles .*separate accumulators'
    holds out 'vmovq %xmm0, %xmm0'
    expect 0 bounded "$portolan" -e "kernel load $work/through.s; kernel tune --machine sapphirerapids --reassociate --tries 20"
    lacks out 'differs'
}

test_no_is_an_answer() {
    expect 0 "$portolan" -e "kernel load $work/chain.s; kernel tune --machine skylake --model-only --tries 20"
    holds out 'No version is faster than 3.00 cycles'
    lacks out '0 builds'
    printf '1:\nvaddsd (%%rdi,%%rax,8), %%xmm0, %%xmm0\naddq $1, %%rax\ncmpq %%rax, %%rdx\njne 1b\n' >"$work/sum.s"
    expect 0 "$portolan" -e "kernel load $work/sum.s; kernel tune --machine skylake --model-only --tries 20"
    printed 'No version is faster than 4\.00 cycles .*kernel tune --reassociate also tries'
    expect 1 "$portolan" -e 'kernel tune'
    holds err 'no kernel is loaded'
}

# Escape ends the search. The loop remains.
test_cancelled() {
    open_screen 100 30 "env HOME=$work '$portolan' --machine skylake $work/loop.s; read -r x"
    see 'imull'
    t send-keys ':kernel tune --model-only --tries 1000000' Enter
    see 'searches for faster versions of the loop'
    # Leaving now would cancel the search, so the program asks for confirmation once.
    t send-keys Q
    see 'kernel tune is running'
    see 'quit again'
    t send-keys Escape
    see 'cancelled'
    t send-keys 1
    see 'imull'
}

run_tests
