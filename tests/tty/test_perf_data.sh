#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kernel load PROGRAM --profile perf.data: what the installed perf says of a program becomes its kernel. Here a script stands for perf and prints what perf 6.1 printed.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# perf as a script in $work/bin that prints recorded texts, and notes how it was called.
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
    # Each instruction's share of the samples stands beside it.
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

test_no_samples() {
    fake_perf
    printf '#!/bin/sh\necho "# Samples: 0"\n' >"$work/bin/perf"
    expect 1 "$portolan" -e 'kernel load some/hot --profile perf.data'
    holds err 'no samples in functions of hot in this profile'
    printf '#!/bin/sh\necho "failed to open nosuch.data: No such file or directory" >&2; exit 255\n' >"$work/bin/perf"
    expect 1 "$portolan" -e 'kernel load some/hot --profile nosuch.data'
    holds err 'perf report failed: failed to open nosuch.data'
}

test_no_perf() {
    mkdir -p "$work/none"
    ln -sf "$(command -v as)" "$work/none/as"
    without_perf() { PATH=$work/none "$portolan" "$@"; }
    expect 1 without_perf -e 'kernel load some/hot --profile perf.data'
    holds err 'perf is not installed'
    holds err 'linux-perf'
    expect 1 "$portolan" -e "kernel load '$source/tests/data/loops.c' --profile perf.data"
    holds err 'takes no source'
}

# Recorded here, where the system lets it be.
test_a_profile_of_now() {
    needs perf
    needs gcc
    printf '%s\n' 'double x[4096]; int main(void) { for (int k = 0; k < 30000; k++) for (int i = 0; i < 4096; i++) x[i] = x[i] * .5 + 1; return x[7] > 5; }' >"$work/spin.c"
    gcc -O1 -g -o "$work/spin" "$work/spin.c" || skip 'gcc makes no program here'
    timeout 60 perf record -q -e cpu-clock -o "$work/perf.data" "$work/spin" >/dev/null 2>&1 || skip 'perf records nothing here'
    timeout 60 perf report --stdio -i "$work/perf.data" 2>/dev/null | grep -q 'main' || skip 'perf found no sample'
    expect 0 "$portolan" -e "kernel load '$work/spin' --profile '$work/perf.data'; kernel show"
    holds out 'innermost loop'
    holds out 'mulsd'
}

run_tests
