#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kernel load PROGRAM --profile perf.data: the kernel is selected by the output of the installed
# perf.
# A script replaces perf and prints output of perf 6.1.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Makes a stand-in for perf in $work/bin that prints recorded output and stores its arguments.
fake_perf() {
    mkdir -p "$work/bin"
    cat >"$work/bin/perf" <<END
#!/bin/sh
printf '%s ' "\$@" >>'$work/calls'
echo >>'$work/calls'
case "\$1" in
report) cat '$source/tests/data/perf/report.txt' ;;
annotate) while [ "\$1" != -s ]; do shift; done
    cat "$source/tests/data/perf/\$2.txt" 2>/dev/null || echo 'Error:' ;;
esac
END
    chmod +x "$work/bin/perf"
    : >"$work/calls"
    PATH=$work/bin:$PATH
}

test_the_hottest_function() {
    fake_perf
    expect 0 "$portolan" -e "kernel load some/hot --profile '$work/perf data'; kernel show; kernel analyze --machine skylake"
    holds out 'innermost loop'
    holds out 'addsd'
    lacks out 'mulsd  %xmm2'
    # Each instruction is shown with its percentage of the samples.
    expect 0 "$portolan" -e "kernel load some/hot --profile '$work/perf data'; view kernel"
    holds out '56.49%'
    grep -q -- "-i $work/perf data -d hot --sort=symbol" "$work/calls" || fail "perf report was called so: $(cat "$work/calls")"
    grep -q -- '-d hot -s daxpy' "$work/calls" || fail "perf annotate was called so: $(cat "$work/calls")"
}

test_a_function_that_is_named() {
    fake_perf
    expect 0 "$portolan" -e 'kernel load some/hot --profile perf.data --symbol horner; kernel show'
    holds out 'mulsd'
    grep -q '^report' "$work/calls" && fail 'the profile was asked for the hottest function'
    expect 1 "$portolan" -e 'kernel load some/hot --profile perf.data --symbol nosuch'
    holds err 'no samples of nosuch in this profile'
}

# The outer loop is selected if most samples are in it, but not in its inner loop.
test_a_hot_outer_loop() {
    fake_perf
    expect 0 "$portolan" -e "kernel load some/hot --profile perf.data --symbol nested; kernel list; kernel show"
    holds out 'imul'
    expect 0 "$portolan" -e "kernel load some/hot --profile perf.data --symbol nested --loop 2; kernel show"
    holds out 'addsd'
    lacks out 'imul'
}

test_no_samples() {
    fake_perf
    printf '#!/bin/sh\necho "# Samples: 0"\n' >"$work/bin/perf"
    expect 1 "$portolan" -e 'kernel load some/hot --profile perf.data'
    holds err 'no samples in functions of hot in this profile'
    printf 'PERFILE2' >"$work/real.data"   # a file of perf's own is what was asked for
    expect 1 "$portolan" -e "kernel load some/hot --profile '$work/real.data'"
    holds err 'no samples in functions of hot in this profile'
    expect 1 "$portolan" -e "kernel load '$work/real.data'"
    holds err 'this is a perf profile (perf.data)'
    printf '#!/bin/sh\necho "failed to open nosuch.data: No such file or directory" >&2; exit 255\n' >"$work/bin/perf"
    expect 1 "$portolan" -e 'kernel load some/hot --profile nosuch.data'
    holds err 'perf report failed: failed to open nosuch.data'
}

test_no_perf() {
    mkdir -p "$work/none"
    ln -sf "$(command -v as)" "$work/none/as"
    without_perf() { PATH=$work/none "$portolan" "$@"; }
    expect 1 without_perf -e 'kernel load some/hot --profile perf.data'
    holds err 'perf, which is not installed'
    holds err 'linux-perf'
    expect 1 "$portolan" -e "kernel load '$source/tests/data/loops.c' --profile perf.data"
    holds err 'needs a program, and cannot be combined with a source file'
}

# Makes a stripped program with two hot loops, and a perf whose script prints samples in them by
# address. File offset 0x1000 is mapped at 0x7f0000401000.
make_stripped() {
    needs gcc
    needs nm
    cat >"$work/two.c" <<'C'
double a[512], b[512];
__attribute__((noinline)) void scale(double *x, long n) { for (long i = 0; i < n; i++) x[i] *= 2.5; }
__attribute__((noinline)) void nest(double *x, long n) { for (long k = 0; k < n; k++) { x[k] += 1; for (long i = 0; i < n; i++) x[i] -= x[k]; } }
int main(void) { nest(a, 512); scale(b, 512); return a[3] > b[3]; }
C
    gcc -O1 -no-pie -fcf-protection=none -o "$work/two" "$work/two.c" || skip 'gcc makes no program here'
    at_scale=$(nm "$work/two" | awk '$3 == "scale" { print $1 }')
    at_nest=$(nm "$work/two" | awk '$3 == "nest" { print $1 }')
    strip "$work/two"
    expect 0 "$portolan" -e "kernel functions '$work/two' --loops"
    cp "$work/out" "$work/loops"
    mkdir -p "$work/bin"
    # Samples in another process of the same name, and in a library, do not count. Those in a fork
    # of the process that mapped the program do.
    {
        echo '  41 PERF_RECORD_MMAP2 41/41: [0x7f0000401000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /some/where/two'
        echo '  41 PERF_RECORD_MMAP2 41/41: [0x7f0000900000(0x1000) @ 0x1000 fe:00 1 3]: r-xp /some/where/not-two'
        echo '  41 PERF_RECORD_MMAP2 41/41: [0x7f0000902000(0x100'
        for n in 1 2 3 4 5 6 7 8; do printf '  41      7f0000900%03x (/some/where/not-two)\n' $n; done
        # shellcheck disable=SC2046 # prints a list of words
        set -- $(samples_at "$at_nest")
        for n in 1 2 3 4 5 6; do printf '%5d      %x (/some/where/two)\n' 41 "$1"; done
        # shellcheck disable=SC2046 # prints a list of words
        set -- $(samples_at "$at_scale")
        for n in 1 2; do printf '%5d      %x (/some/where/two)\n' 57 "$1"; done
    } >"$work/script"
    printf '#!/bin/sh\nprintf "%%s " "$@" >>"%s/calls"\necho >>"%s/calls"\n[ "$1" != script ] || cat "%s/script"\n' "$work" "$work" "$work" >"$work/bin/perf"
    chmod +x "$work/bin/perf"
    : >"$work/calls"
    PATH=$work/bin:$PATH
}

# Prints the run-time address of the head of the innermost loop in the function at $1.
samples_at() {
    head=$(awk '$4 == "yes" && $0 ~ first { print $1; exit }' first="0x$(printf '%x' "0x$1")+" "$work/loops")
    echo "$((0x7f0000401000 + head - 0x401000))"
}

# Functions and loops are sorted by their samples, with percentages. An outer loop excludes the
# samples of inner ones.
test_loops_by_samples() {
    make_stripped
    expect 0 "$portolan" -e "kernel functions '$work/two' --loops --profile '$work/perf data'"
    holds out 'samples [%]'
    grep -q -- "^script --show-mmap-events -G -i $work/perf data -F pid,ip,dso" "$work/calls" || fail "perf was called so: $(cat "$work/calls")"
    sed -n '2,4p' "$work/out" | awk '{ print $1, $5 }' >"$work/shares"
    printf '75.00 yes\n25.00 yes\n0.00 no\n' | cmp - "$work/shares" || fail "shares: $(cat "$work/out")"
    expect 0 "$portolan" -e "kernel functions '$work/two' --profile '$work/perf data' --top 1"
    holds out '75.00'
    expect 1 "$portolan" -e "kernel functions '$work/loops' --profile '$work/perf data'"
    # If perf finds no name, the program's loop with the most samples is selected, with each
    # instruction's percentage.
    expect 0 "$portolan" -e "kernel load '$work/two' --profile '$work/perf data'; kernel show; view kernel"
    holds out subsd
    holds out '75.00%'
    # If a kernel was loaded with a profile, its loops are listed by samples.
    expect 0 "$portolan" -e "kernel load '$work/two' --profile '$work/perf data'; kernel functions --loops"
    holds out 'samples [%]'
    echo >"$work/script"
    expect 1 "$portolan" -e "kernel functions '$work/two' --profile '$work/perf data'"
    holds err 'no samples in functions of two in this profile'
}

# In the picker, the loop with the most samples is first, and Enter opens it with its samples.
test_pick_by_samples() {
    make_stripped
    open_screen 100 30 "env HOME=$work PATH=$PATH '$portolan' --machine skylake; read -r x"
    see 'triad-skl-O3.s'
    t send-keys :
    t send-keys -l "kernel functions $work/two --loops --profile $work/p.data"
    t send-keys Enter
    see ' loops  '
    see '75.00%'
    t send-keys g Enter
    see 'subsd'
    see 'samples'
    t send-keys Q
}

# Records a profile here, if the system permits it.
test_a_profile_of_now() {
    needs perf
    needs gcc
    printf '%s\n' 'double x[4096]; int main(void) { for (int k = 0; k < 30000; k++) for (int i = 0; i < 4096; i++) x[i] = x[i] * .5 + 1; return x[7] > 5; }' >"$work/spin.c"
    gcc -O1 -g -o "$work/spin" "$work/spin.c" || skip 'gcc makes no program here'
    bounded perf record -q -e cpu-clock -o "$work/perf.data" "$work/spin" >/dev/null 2>&1 || skip 'perf records nothing here'
    bounded perf report --stdio -i "$work/perf.data" 2>/dev/null | grep -q 'main' || skip 'perf found no sample'
    expect 0 "$portolan" -e "kernel load '$work/spin' --profile '$work/perf.data'; kernel show"
    holds out 'innermost loop'
    holds out 'mulsd'
    expect 0 "$portolan" -e "kernel functions '$work/spin' --profile '$work/perf.data' --loops --top 1"
    grep -qE '^ +(9[0-9]|100)\.[0-9]+ .* main\+0x' "$work/out" || fail "the loop of main has few samples: $(cat "$work/out")"
}

run_tests
