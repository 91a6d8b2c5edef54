#!/bin/sh
# Source code as a kernel: default compilation, other levels and compilers, messages of the
# compiler, the user's editor.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

home=$work/home
mkdir "$home"

# Writes a short function with a loop to file $1.
put_loop() { printf 'void f(double *a, long n)\n{\n    for (long i = 0; i < n; i++)\n        a[i] *= 2.5;\n}\n' >"$1"; }

test_defaults_of_source() {
    needs cc
    put_loop "$work/f.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/f.c; kernel analyze"
    holds out 'f.c -O2 -march=skylake: innermost loop'
    holds out '1.00 cycles per iteration'
    expect 0 "$portolan" --machine skylake -e "kernel load $work/f.c -O0 -march=haswell"
    holds out 'f.c -O0 -march=haswell: '
    expect 0 "$portolan" --machine lunarlake-p --machine skylake -e "kernel load $work/f.c"
    grep -qE -- '-march=(lunarlake|x86-64-v3):' "$work/out" || fail "not compiled for Lunar Lake: $(cat "$work/out")"
}

test_levels_and_flags() {
    needs cc
    put_loop "$work/f.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/f.c; kernel compile --next level; kernel compile --next level; kernel compile -O1 -D X=1 -march=haswell"
    holds out 'f.c -O3 -march=skylake:'
    holds out 'f.c -O0 -march=skylake:'
    holds out 'f.c -O1 -DX=1 -march=haswell:'
    expect 1 "$portolan" --machine skylake -e "kernel load $work/f.c; kernel compile -o $work/x"
    holds err 'is not allowed'
    expect 1 "$portolan" -e "kernel load $source/data/kernels/triad-skl-O3.s; kernel compile -O3"
    holds err 'was not compiled by kernel load'
}

test_fortran() {
    needs gfortran
    printf 'subroutine daxpy(n, a, x, y)\n  integer :: n, i\n  real(8) :: a, x(n), y(n)\n  do i = 1, n\n    y(i) = y(i) + a * x(i)\n  end do\nend\n' >"$work/d.f90"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/d.f90 --symbol daxpy; kernel show"
    holds out 'd.f90 -O2 -march=skylake: innermost loop'
    holds out '5: y(i) = y(i) + a * x(i)'
}

test_another_instruction_set() {
    needs aarch64-linux-gnu-gcc
    put_loop "$work/f.c"
    expect 0 "$portolan" --machine cortex-a72 -e "kernel load $work/f.c; kernel show"
    holds out 'f.c -O2 -mcpu=cortex-a72:'
    holds out 'fmul'
}

test_the_compilers_own_words() {
    needs cc
    printf 'int f(void)\n{\n    int left;\n    return first_unknown + second_unknown;\n}\n' >"$work/bad.c"
    expect 1 "$portolan" --machine skylake -e "kernel load $work/bad.c"
    holds out 'first_unknown'
    holds out 'second_unknown'
    holds out '^'
    holds err "bad.c:4"
    sed -i 's/first_unknown + second_unknown/1/' "$work/bad.c"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/bad.c -Wall; kernel diagnostics"
    holds out 'see kernel diagnostics'
    holds out "unused variable"
}

# Makes an editor that replaces $1 by $2 in the file and ends.
put_editor() {
    printf '#!/bin/sh\nsed -i "s/%s/%s/" "$1"\n' "$1" "$2" >"$work/replace"
    chmod +x "$work/replace"
}

test_editor_and_keys() {
    needs cc
    put_loop "$work/f.c"
    put_editor '\*= 2.5' '\/= 2.5'
    open_screen 100 30 "env HOME=$home EDITOR=$work/replace '$portolan' --machine skylake $work/f.c; read -r x"
    see 'f.c -O2 -march=skylake'
    see 'vmulsd'
    t send-keys e
    see 'vdivsd'
    t send-keys o
    see 'f.c -O3 -march=skylake'
    see 'vdivpd'
    # The file is saved by another program, like by an editor in its own window, and then with
    # source that does not compile.
    sed -i 's/a\[i\] .*/a[i] += 1.5;/' "$work/f.c"
    see 'vaddpd'
    sed -i 's/1.5/no_such_name/' "$work/f.c"
    see 'no_such_name'
    t send-keys Q
}

test_editor_of_pasted_text() {
    put_editor imulq addq
    open_screen 100 30 "env HOME=$home EDITOR=$work/replace '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
    t paste-buffer -p
    see '3.00 cycles'
    t send-keys e
    see 'addq'
    see '1.00 cycles'
    t send-keys Q
}

# If another kernel is pasted while an editor shows the previous one's text, saving this text does
# not replace the pasted kernel.
test_editor_of_another_kernel() {
    printf '#!/bin/sh\nprintf "%%s" "$1" >"%s/edited"\nwhile [ ! -e "%s/go" ]; do sleep 0.05; done\n' "$work" "$work" >"$work/remember"
    chmod +x "$work/remember"
    open_screen 100 30 "env HOME=$home EDITOR=$work/remember '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    t set-buffer "$(printf '.L1:\n imulq %%rax, %%rbx\n jmp .L1\n')"
    t paste-buffer -p
    see '3.00 cycles'
    t send-keys e
    remembered() { [ -s "$work/edited" ]; }
    wait_until remembered || fail 'no editor was started'
    # Pasted text would arrive as typed keys while the editor has the screen.
    workbench_has_screen() { [ "$(t display-message -p '#{alternate_on}')" = "$1" ]; }
    wait_until workbench_has_screen 0 || fail 'the editor did not get the screen'
    : >"$work/go"
    wait_until workbench_has_screen 1 || fail 'the workbench did not come back'
    t set-buffer "$(printf '.L1:\n subq %%rax, %%rbx\n jmp .L1\n')"
    t paste-buffer -p
    see 'subq %rax, %rbx'
    let_go() { [ ! -e "$(cat "$work/edited")" ]; }
    wait_until let_go || fail 'the text of the kernel before is still watched'
    t send-keys Q
}

test_machines_that_know_the_loop() {
    printf 'v:\n vaddpd (%%rsi,%%rax),%%zmm1,%%zmm2\n vmovupd %%zmm2,(%%rdi,%%rax)\n addq $64,%%rax\n cmpq %%rax,%%rdx\n jne v\n' >"$work/z.s"
    expect 0 "$portolan" --machine skylake -e "kernel load $work/z.s; kernel machines"
    holds out 'sapphirerapids'
    holds out 'znver4'
    lacks out 'haswell'
    lacks out 'cortex'
    PORTOLAN_CPU='AuthenticAMD 25 17 1' expect 0 "$portolan" --machine skylake --format csv -e "kernel load $work/z.s; kernel machines"
    sed -n 2p "$work/out" | grep -q '^genoa,' || fail 'this CPU is not the first'
    expect 0 "$portolan" --machine skylake --machine znver4 -e "kernel load $work/z.s; kernel machines --show; kernel analyze"
    holds out 'machines: znver4, sapphirerapids'
    lacks out 'not known'
    open_screen 80 24 "env HOME=$home '$portolan' --machine skylake $work/z.s; read -r x"
    see 'skylake lacks VADDPD (ZMM, ZMM, M512) and 1 more form; sapphirerapids,'
    see 'a shows them)'
    t send-keys a
    see 'issue width (5 '
    see '>sapphirerapids'
    t send-keys Q
}

# Programs of this system without symbols. Each has a function with a loop, named by its address or
# its exported name.
test_stripped_programs() {
    needs gzip
    for program in bash ls grep gzip; do
        file=$(readlink -f "$(command -v $program)")
        expect 0 "$portolan" -e "kernel load $file"
        grep -qE 'loop (0x[0-9a-f]+|[A-Za-z_.0-9]+\+0x[0-9a-f]+|[A-Za-z_.0-9]+)' "$work/out" || fail "no loop in $file: $(head -c 200 "$work/out")"
        lacks out '(no loop)'
    done
    expect 0 "$portolan" -e "kernel functions $file --top 3"
    holds out 'kernel load '
    address=$(sed -n 's/^ *\(0x[0-9a-f]*\) .*/\1/p' "$work/out" | head -n 1)
    expect 0 "$portolan" -e "kernel load $file --symbol $address"
    holds out "$address"
}

test_names_of_cplusplus() {
    needs c++
    "$portolan" --version >/dev/null
    printf 'namespace app { void scale(double *a, long n, double by) { for (long i = 0; i < n; i++) a[i] *= by; } }\n' >"$work/n.cpp"
    c++ -O2 -c -o "$work/n.o" "$work/n.cpp" || skip 'the C++ compiler does not work'
    expect 0 "$portolan" -e "kernel load $work/n.o --symbol app::scale"
    grep -q 'app::scale(double\*, long, double)' "$work/out" || skip 'built without libiberty'
    expect 0 "$portolan" -e "kernel load $work/n.o --symbol scale; kernel functions"
    holds out 'app::scale(double*, long, double)'
}

run_tests
