#!/bin/sh
# Several kernels: their list, switching between them, two next to each other.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"

printf '.L1:\n imulq %%rax, %%rbx\n addq $8, %%rcx\n cmpq %%rcx, %%rdx\n jne .L1\n' >"$work/mul.s"
printf '.L1:\n addq %%rax, %%rbx\n addq $8, %%rcx\n nop\n cmpq %%rcx, %%rdx\n jne .L1\n' >"$work/add.s"

test_list_of_kernels() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; kernel load $work/add.s; kernel opened; kernel switch 1; kernel show"
    grep -qE '^\* +2 ' "$work/out" || fail 'add.s is not the current one'
    holds out 'imulq'
    expect 0 "$portolan" --format json --machine skylake -e "kernel load $work/mul.s; kernel load $work/add.s; kernel switch previous; kernel opened"
    holds out '"current":1,"kernels"'
    # A kernel that is read again is the same kernel.
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; kernel reload; kernel opened"
    lacks out ' 2 '
    expect 1 "$portolan" -e "kernel load $work/mul.s; kernel switch next"
    holds err 'no other kernel'
    expect 1 "$portolan" -e "kernel load $work/mul.s; kernel switch 2"
    holds err 'no kernel 2'
}

test_two_side_by_side() {
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; kernel load $work/add.s; kernel diff"
    holds out 'A  mul.s: innermost loop .L1, on skylake'
    holds out 'B  add.s: innermost loop .L1, on skylake'
    holds out 'B takes 1.00 cycles per iteration, A 3.00: -2.00 (-67 %)'
    grep -qE '^- +imulq %rax, %rbx' "$work/out" || fail "imulq is not A's alone"
    grep -qE '^\+ .*nop' "$work/out" || fail "nop is not B's alone"
    grep -qE '^ +cmpq %rcx, %rdx .*cmpq %rcx, %rdx' "$work/out" || fail "what is the same is not aligned"
    grep -qE 'dependencies +3.00 +1.00 +-2.00' "$work/out" || fail "no difference of bounds"
    expect 0 "$portolan" -e "kernel load $work/mul.s; kernel diff --machine skylake --machine znver4"
    holds out 'on znver4'
    lacks out 'port 0'
    expect 1 "$portolan" -e "kernel load $work/mul.s; kernel diff"
    holds err 'no other kernel'
}

# Changes of a mapping, and of a kernel that was read again, are marked, undone and redone.
test_undo() {
    set_it="mapping set 'IMUL (R64, R64)' 2*p0"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; $set_it; kernel analyze; mapping show 'IMUL (R64, R64)'"
    holds out 'Intel Skylake (client), edited'
    holds out '2*p0'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; $set_it; mapping set 'IMUL (R64, R64)' 3*p0; undo; mapping show 'IMUL (R64, R64)'; undo; kernel analyze; mapping show 'IMUL (R64, R64)'"
    holds out '2*p0'
    holds out '1*p1'
    lacks out '3*p0'
    lacks out ', edited'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/mul.s; $set_it; undo; redo; kernel analyze; mapping show 'IMUL (R64, R64)'"
    holds out '2*p0'
    holds out 'Intel Skylake (client), edited'
    # A change after an undo discards the undone changes.
    expect 1 "$portolan" --machine skylake -e "$set_it; undo; mapping set 'ADD (R64, R64)' 1*p5; redo"
    holds err 'nothing to redo'
    expect 1 "$portolan" -e 'undo'
    holds err 'nothing to undo'
    # The first kernel's file is overwritten and read again.
    cp "$work/mul.s" "$work/edit.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/edit.s; kernel load $work/add.s; kernel save $work/edit.s; kernel switch 1; kernel reload; kernel show; undo; kernel show; redo; kernel show"
    [ "$(grep -c imulq "$work/out")" = 1 ] || fail "the kernel before did not come back: $(cat "$work/out")"
}

test_keys() {
    open_screen 100 30 "env HOME=$home '$portolan' --machine skylake $work/mul.s $work/add.s; read -r x"
    see '1 Loop: mul.s'
    see 'kernel 1/2'
    t send-keys ']'
    see '1 Loop: add.s'
    see 'kernel 2/2'
    t send-keys '['
    see '1 Loop: mul.s'
    t send-keys ']'
    see 'kernel 2/2'
    t send-keys d
    see 'B takes 1.00 cycles per iteration, A 3.00'
    t send-keys q
    t set-buffer "$(printf '.L9:\n imulq %%rax, %%rbx\n jmp .L9\n')"
    t paste-buffer -p
    see 'kernel 3/3'
    t send-keys Q
}

run_tests
