#!/bin/sh
# Complete programs: loaded, run, predicted. Skipped if Portolan was built without LLVM.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

programs=$source/data/programs
# built SOURCE FLAGS: compiles the source with and without counters, once; $loads loads it.
built() {
    with=$work/$(basename "$1" .c)$(echo "$2" | tr -d ' =')
    # shellcheck disable=SC2086 # $2 is a list of flags
    [ -x "$with.untraced" ] || { expect 0 "$cc" "$1" $2 -o "$with"; expect 0 "$cc" --untraced "$1" $2 -o "$with.untraced"; }
    loads="program load $with --untraced $with.untraced"
}

# A count whose growth the runs do not determine has a range, labelled as such, and the run that
# would narrow it is named. A count from a single run is not exact.
test_ranges() {
    needs_llvm
    printf '#include <stdlib.h>\n#include <stdio.h>\nint main(int c, char **v) { int n = atoi(v[1]); double *a = malloc(n * sizeof *a), s = 0; long at = 0; for (int i = 0; i < n; i++) a[i] = i;\n%s\n%s\n' \
        'for (int i = 0; i < n; i++) { int low = 0, high = n; while (high - low > 1) { int m = (low + high) / 2; if (a[m] > i) high = m; else low = m; } at += low; s += a[low]; }' \
        'printf("%g %ld\\n", s, at); }' >"$work/search.c"
    expect 0 "$portolan" --machine skylake --format json -e "program load $work/search.c -O2; program run N=16,32,64,100,128,200; program predict N=100000"
    tail -n 1 "$work/out" | awk '{ match($0, /"seconds":[^,]*/); s = substr($0, RSTART + 10, RLENGTH - 10)
        match($0, /"seconds_least":[^,]*/); l = substr($0, RSTART + 16, RLENGTH - 16); match($0, /"seconds_most":[^,}]*/); m = substr($0, RSTART + 15, RLENGTH - 15)
        match($0, /"counts_least":[^,]*/); cl = substr($0, RSTART + 15, RLENGTH - 15); match($0, /"counts_most":[^,}]*/); cm = substr($0, RSTART + 14, RLENGTH - 14)
        exit !(l > 0 && l <= s && s <= m && cl > 0 && cm < 2 * cl) }' || fail "$(tail -n 1 "$work/out" | cut -c 1-600)"
    printf '#include <stdlib.h>\n#include <stdio.h>\nint main(int c, char **v) { int n = atoi(v[1]), m = n * 0.6247; volatile long s = 0; for (int i = 0; i < m * m * m; i++) s += i; printf("%%ld\\n", s); }\n' >"$work/cells.c"
    expect 0 "$portolan" --machine skylake -e "program load $work/cells.c -O2; program run N=6,7,8,9; program predict N=2000"
    holds out 'these runs do not determine the time'
    holds out 'program run N=18 would reduce the range most'
}

# Counts are exact formulas, also at four times the largest size that was run.
test_counts_are_exact_far_outside() {
    needs_llvm
    for level in -O0 -O3; do
        for name in matmul jacobi laplace2d; do
            built "$programs/$name.c" $level
            expect 0 "$portolan" --format csv -e "$loads; program run N=17,20,22,27,32,44 --mode counts; program blocks N=179 --top 1000"
            awk -F, '$1 == "block" { on = 1; next } on { print $1 "," $3 }' "$work/out" | sort >"$work/predicted"
            expect 0 "$portolan" --format csv -e "$loads; program run N=179 --mode counts; program blocks --top 1000"
            awk -F, '$1 == "block" { on = 1; next } on { print $1 "," $3 }' "$work/out" | sort >"$work/counted"
            diff "$work/predicted" "$work/counted" >"$work/differs" || fail "$name $level: $(head -5 "$work/differs")"
            [ "$(wc -l <"$work/counted")" -ge 8 ] || fail "$name $level: too few blocks"
        done
    done
}

# Six nested loops. Some of 972 combinations of inputs suffice for a formula of degree six that is
# correct far outside of them. Too few are rejected.
test_many_inputs() {
    needs_llvm
    cat >"$work/nest.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n[6];
    volatile long sum = 0;
    for (int i = 0; i < 6 && i + 1 < argc; i++)
        n[i] = atoi(argv[i + 1]);
    for (int a = 0; a < n[0]; a++)
        for (int b = 0; b < n[1]; b++)
            for (int c = 0; c < n[2] / n[3]; c++)
                for (int d = 0; d <= n[4]; d++)
                    for (int e = 0; e < n[5]; e++)
                        sum += e;
}
END
    cd "$work" || return 1
    given='A=2,3,4 B=3,4,5 C=12,24,36,48 D=2,1,4 E=2,3,5 F=3,5,7'
    built nest.c -O1
    expect 0 "$portolan" -e "$loads; program run $given --most 40 --mode counts; program blocks A=16 B=20 C=192 D=16 E=20 F=28"
    [ "$(grep -c '^ *[0-9]* .* [0-9.]*$' "$work/out")" -ge 40 ] || fail 'not 40 runs'
    holds out 'A*B*C*E*F/D + A*B*C*F/D'
    holds out " $((16 * 20 * 12 * 21 * 28)) "
    expect 1 "$portolan" -e "$loads; program run $given --most 5 --mode counts"
    holds err 'varying each input separately needs 14 runs'
}

# Calls of library functions were timed in the runs. None is omitted, and their time is part of the
# total.
test_calls_of_libraries() {
    needs_llvm
    cat >"$work/calls.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 1000 * n; i++) {
        void *p = malloc(100 + (unsigned)i % 50);
        __asm__("" : "+r"(p) : : "memory");
        free(p);
    }
    return 0;
}
END
    cd "$work" || return 1
    built calls.c -O1
    expect 0 "$portolan" -e "$loads; program run N=10,20,30 --mode counts; program predict N=300 --machine sapphirerapids"
    holds out 'not included: '
    holds out 'library functions of unknown cost'
    expect 0 "$portolan" -e "$loads; program run N=10,20,30; program predict N=300 --machine sapphirerapids"
    lacks out 'not included: '
    awk '$1 ~ /^main:/ && $NF == "calls" { found = 1 } END { exit !found }' "$work/out" || fail "no part is bound by calls: $(cat "$work/out")"
}

# A library calls back into the program. Time in the program's function counts for its blocks, and
# not again for the call.
test_calls_back() {
    needs_llvm
    cat >"$work/back.c" <<'END'
#include <stdlib.h>
static long looks;
static int compare(const void *a, const void *b)
{
    for (volatile int i = 0; i < 2000; i++)
        looks += i & 1;
    return *(const int *)a - *(const int *)b;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1, *values = malloc((size_t)n * sizeof *values);
    for (int i = 0; i < n; i++)
        values[i] = (int)((unsigned)i * 7919u % 1009u);
    qsort(values, (size_t)n, sizeof *values, compare);
    return looks < 0;
}
END
    cd "$work" || return 1
    expect 0 "$portolan" --format csv -e 'program load back.c -O1; program run N=16,32,64; program predict N=64 --machine sapphirerapids'
    awk -F, '$1 == "part" { for (i = 1; i <= NF; i++) if ($i ~ /^calls/) calls = i } calls && $1 ~ /^main:/ { sum += $calls } $1 == "sapphirerapids" { all = $4 } END { exit !(calls && all > 0 && sum < 0.1 * all) }' "$work/out" ||
        fail "qsort costs what its comparisons cost: $(cat "$work/out")"
}

# Four references of an unrolled loop advance in steps of 6,400 bytes with interleaved addresses,
# and use all sets. cachegrind counts 1.02 million misses.
test_unrolled_steps() {
    needs_llvm
    built "$programs/matmul.c" -O3
    expect 0 "$portolan" --format csv -e "$loads; program run N=32,48,61,64,96; program predict N=200 --machine sapphirerapids"
    awk -F, '$1 == "sapphirerapids" && $6 > 0.9e6 && $6 < 1.15e6 { ok = 1 } END { exit !ok }' "$work/out" || fail "misses of the first level: $(cat "$work/out")"
}

# Columns of three arrays with one page between elements use one set of the first level, although
# three references advance in equal steps. In the simulation, all of them miss.
test_columns_of_three_arrays() {
    needs_llvm
    cat >"$work/three.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    double *a = aligned_alloc(4096, n * 4096 * 3), *b = a + n * 512, *c = b + n * 512, sum = 0;
    for (size_t i = 0; i < n * 3; i++)
        a[i * 512] = 1;
    for (int t = 0; t < 200; t++)
        for (size_t k = 0; k < n; k++)
            sum += a[k * 512] * b[k * 512] + c[k * 512];
    return sum < 0;
}
END
    cd "$work" || return 1
    expect 0 "$portolan" --format csv -e 'program load three.c -O1; program run N=20,40,60,80,100,150; program predict N=150 --machine sapphirerapids; program misses --sets N=150 --machine sapphirerapids'
    awk -F, '$1 == "sapphirerapids" { ours = $6 } $1 == "level" { for (i = 1; i <= NF; i++) column[$i] = i } $1 == "L1" { sets = $(column["sets"]) }
        END { exit !(sets > 85000 && ours > 0.9 * sets && ours < 1.1 * sets) }' "$work/out" || fail "misses of the first level: $(cat "$work/out")"
}

# A libm function executes in slots that the loop's divisions leave free. The total is less than the
# sum of both times.
test_calls_with_divisions() {
    needs_llvm
    cat >"$work/divisions.c" <<'END'
#include <math.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    double *x = calloc((size_t)n, sizeof *x), sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(x[i]) / sqrt(x[i] + 2) / sqrt(x[i] + 3) / sqrt(x[i] + 5);
    return sum < 0;
}
END
    cd "$work" || return 1
    expect 0 "$portolan" --format csv -e 'program load divisions.c -O1 -lm; program run N=1000,2000,3000; program predict N=100000 --machine sapphirerapids'
    awk -F, '$1 == "part" { for (i = 1; i <= NF; i++) column[$i] = i } $1 == "sapphirerapids" { all = $4 }
        column["calls"] && $(column["executions"]) == 100000 { core += $(column["core"]) * 100000; calls += $(column["calls"]) }
        END { exit !(calls > 0 && core > 0 && all < core + calls - 0.2 * (core < calls ? core : calls)) }' "$work/out" || fail "exp adds to the divisions: $(cat "$work/out")"
}

# Without optimisation, each access recomputes its address. Only the run reveals that a[i] is the
# value just stored. Neither time depends on the host.
test_chains_through_memory() {
    needs_llvm
    cd "$work" || return 1
    for body in 'a[i] += b[k]' 'a[k] = a[k - 1] + b[k]' 'a[k] += b[i]'; do
        cat >through.c <<C
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = atoi(argv[argc - 1]);
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    for (int r = 0; r < 10; r++)
        for (int i = 0; i < n; i++)
            for (int k = 1; k < n; k++)
                $body;
    printf("%g\\n", a[n / 2]);
    return 0;
}
C
        rm -f through-O0 through-O0.untraced
        built through.c -O0
        expect 0 "$portolan" --format json -e "$loads; program run N=24,32,48,61,64; program predict N=200 --machine sapphirerapids"
        sed -n 's/.*"seconds":\([0-9.e-]*\).*/\1/p' "$work/out" | tail -n 1
    done >"$work/seconds"
    awk '{ t[NR] = $1 } END { exit !(t[1] > 1.5 * t[3] && t[2] > 1.5 * t[3]) }' "$work/seconds" || fail "chains take no longer: $(tr '\n' ' ' <"$work/seconds")"
}

# Caches are modelled by sets. Lines one page apart are in one set of the first level, but
# contiguous arrays are spread evenly over the second.
test_sets() {
    needs_llvm
    cat >"$work/pages.c" <<'END'
#include <stdlib.h>
static volatile char pages[16][4096];
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            pages[k][0]++;
    return 0;
}
END
    cd "$work" || return 1
    level() { awk -F, -v level="$1" '$1 == "level" { for (i = 1; i <= NF; i++) column[$i] = i } $1 == level && column["sets"] { print $column["full"], $column["misses"], $column["sets"] }' "$work/out"; }
    expect 0 "$portolan" --format csv -e 'program load pages.c -O1; program run N=100,200,300; program misses N=300 --machine skylake --sets'
    # 16 loads miss 300 times, and the stores do not. In a fully associative cache of 512 lines,
    # none would miss.
    level L1 | awk '$1 < 40 && $3 >= 4800 && $3 < 4840 { ok = 1 } END { exit !ok }' || fail "first level: $(cat "$work/out")"
    level L2 | awk '$1 < 40 && $3 < 40 { ok = 1 } END { exit !ok }' || fail "second level: $(cat "$work/out")"
    built "$programs/matmul.c" -O1
    expect 0 "$portolan" --format csv -e "$loads; program run N=32,48,64,80; program misses N=100 --machine skylake --sets"
    level L2 | awk '$2 > 1.5 * $1 && $3 < 1.1 * $1 { ok = 1 } END { exit !ok }' || fail "matmul: $(cat "$work/out")"
    expect 0 "$portolan" -e "$loads; program run N=32,48,64,80; program misses N=100 --machine skylake"
    holds out 'misses are conflicts, if lines are spread over the sets at random'
    lacks out 'with the addresses'
    expect 1 "$portolan" -e "$loads; program run N=32,48,64,80; program misses N=3000 --machine skylake --sets --limit 0.2"
    holds err 'did not end within 0.2 s'
}

test_inputs() {
    needs_llvm
    built "$programs/matmul.c" -O1
    load=$loads
    expect 0 "$portolan" -e "$load; program run N=8,16,24,32; program reuse N=64; program blocks N=64"
    holds out 'reuse distances in cache lines of 64 bytes at N=64'
    expect 1 "$portolan" -e "$load; program run N=8,5.5"
    holds err 'N=5.5: the program reads this input as a whole number, but the value is not a whole number; use whole numbers'
    expect 1 "$portolan" -e "$load; program run N=8,-5"
    holds err 'N=-5: the program reads this input as a whole number, and a size cannot be negative'
    expect 1 "$portolan" -e "$load; program run N=8,x"
    holds err '"x" in N=8,x is not a number; use numbers, as in N=16,32,64'
    expect 1 "$portolan" --machine skylake -e "$load; program run N=8,16,24,32; program predict N=-5"
    holds err 'N=-5 is negative, but all runs had values of at least 0'
    expect 1 "$portolan" --machine skylake -e "$load; program run N=8,16,24,32; program predict N=20.5"
    holds err 'N=20.5 is not a whole number'
    expect 1 "$portolan" -e "$load; program run 8"
    holds err 'invalid input "8"; write NAME=VALUES'
    expect 1 "$portolan" -e "$load; program run N=8,16 N=4"
    holds err 'input N is given twice'
    expect 1 "$portolan" -e "$load; program run N=8,16; program blocks M=3"
    holds err 'program run had no input M'
    expect 1 "$portolan" -e "$load; program blocks"
    holds err 'the program has not been run; use program run, as in program run N='
    expect 1 "$portolan" -e 'program run N=8'
    holds err 'no program is loaded; use program load FILE'
    expect 1 "$portolan" -e "$load --arguments '{M}'; program run N=8"
    holds err '{M} in --arguments is not an input'
    expect 0 "$portolan" -e "$load; program run N=8,16 M=1,2 --mode counts"
    holds out 'input M has no effect'
    expect 1 "$portolan" -e "$load --arguments '8 {N}'; program run N=8,16"
    holds err 'the inputs have no effect'
    expect 1 "$portolan" -e "$load; program run N=8,16 --mode counts; program reuse"
    holds err 'the runs have no reuse distances'
}

# Prints the times of several machines in one table, with notes about unknown parts.
test_predict() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    built "$programs/matmul.c" -O3
    load="$loads; program run N=16,24,32,48"
    expect 0 "$portolan" --format json -e "$load; program predict N=2000 --machine skylake --machine znver4 --clock 4"
    holds out '"machine":"skylake","clock":4.0'
    holds out '"machine":"znver4"'
    lacks out nan
    # With twice the clock frequency and equal cache latencies in cycles, the program is faster, but
    # at most by a factor of two. All predictions use one set of runs, because each set measures its
    # own costs of calls.
    built "$programs/laplace2d.c" -O0
    "$portolan" --format csv --machine skylake -e "$loads; program run N=12,16,24,32; program predict N=300 --clock 2; program predict N=300 --clock 4" \
        2>/dev/null | awk -F, '$1 == "skylake" { print $3 }' >"$work/seconds"
    awk 'NR == 1 { slow = $1 } NR == 2 { exit !($1 < slow && 2.001 * $1 > slow) }' "$work/seconds" || fail "$(cat "$work/seconds")"
    expect 1 "$portolan" -e "$load; program predict N=100 --machine golden-cove-inferred --fact l1_ways=8 --fact load_latency=5"
    holds err 'facts of golden-cove-inferred are missing: clock, l1_bytes, memory_latency, memory_bandwidth; set these facts with program predict --fact KEY=VALUE'
    facts='--fact l1_bytes=32k --fact l1_ways=8 --fact load_latency=5 --fact memory_latency=90 --fact memory_bandwidth=15'
    expect 0 "$portolan" --format csv -e "$load; program predict N=100 --machine golden-cove-inferred --clock 3 $facts"
    holds out 'golden-cove-inferred,3,0.'
    expect 1 "$portolan" -e "$load; program predict N=100 --machine skylake --fact l1_size=32k"
    holds err 'invalid fact "l1_size=32k"'
    expect 1 "$portolan" -e "$load; program predict N=100 --machine a64fx"
    holds err 'compiled for x86-64'
    expect 0 "$portolan" --machine skylake -e "$load --mode counts; program predict N=100"
    holds out 'without misses, because the runs were not traced'
    holds out 'library functions of unknown cost, such as'
}

# The addresses of arrays and stack change no prediction. Tests twenty addresses and sizes far
# outside of the runs. Each step fetches every line of both grids.
test_addresses_change_nothing() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    cat >shifted.c <<'C'
#include <alloca.h>
#include <stdlib.h>
static void step(int n, const double *u, double *v)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), base = atoi(argv[2]);
    volatile char *stack = alloca(base + 1);
    char *p = calloc((size_t)n * n * 8 + 4096, 1), *q = calloc((size_t)n * n * 8 + 4096, 1);
    double *u = (double *)(p + base), *v = (double *)(q + base * 3);
    stack[0] = (char)argc;
    for (int k = 0; k < 20; k++) {
        double *before = u;
        step(n, u, v);
        u = v;
        v = before;
    }
    return 0;
}
C
    expect 0 "$cc" -O0 shifted.c -o shifted
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        "$portolan" --format csv --machine skylake -e "program load ./shifted --arguments '{N} $((16 * i))'; program run N=12,16,24,32; program predict N=300 --clock 2" | awk -F, '$1 == "skylake" { print $3, $6 }'
    done >predictions
    awk '{ if (!n++) { s = $1; m = $2 }
           if ($1 < 0.95 * s || $1 > 1.05 * s || $2 < 0.95 * m || $2 > 1.05 * m || $2 < 0.95 * 450000 || $2 > 1.05 * 450000) bad = 1 }
         END { exit bad || n != 20 }' predictions || fail "$(cat predictions)"
}

# Two files have static functions of one name. Their blocks are distinguished, and a command without
# the file's name is rejected.
test_open_static_functions() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    for file in a b; do
        cat >$file.c <<C
__attribute__((noinline)) static unsigned work(unsigned n) { unsigned s = 1; for (unsigned i = 0; i < n; i++) s = s * 3 + i; return s; }
unsigned $file(unsigned n) { return work(n); }
C
    done
    printf '#include <stdlib.h>\nunsigned a(unsigned n), b(unsigned n);\nint main(int argc, char **argv) { return argc > 9 || a(atoi(argv[1])) + b(2 * atoi(argv[1])) == 77; }\n' >main.c
    expect 0 "$cc" -O1 main.c a.c b.c -o both
    predicted="program load ./both --arguments '{N}'; program run N=100,200,300,400; program show N=1000"
    expect 0 "$portolan" --format csv --machine skylake -e "$predicted"
    block=$(grep -o '^a\.c:work:[0-9]*' "$work/out" | head -1)
    [ -n "$block" ] && grep -q '^b\.c:work:' "$work/out" || fail "$(cat "$work/out")"
    expect 1 "$portolan" --machine skylake -e "$predicted; program open ${block#a.c:}"
    holds err "several files have a function \"${block#a.c:}\""
    holds err "$block (line 1)"
    holds err "b.c:${block#a.c:}"
    expect 0 "$portolan" --machine skylake -e "$predicted; program open $block; kernel show"
}

# Half the clock frequency doubles the time if nothing waits for memory. Twice the memory latency
# increases it if something does. The published model is labelled.
test_sensitivity() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    built "$programs/matmul.c" -O1
    load="$loads; program run N=16,24,32,48"
    expect 0 "$portolan" --machine skylake --format csv -e "$load; program sweep clock=2,4 N=40"
    awk -F, '$1 == "2" || $1 == "2.0" { slow = $2 } $1 == "4" || $1 == "4.0" { fast = $2 } END { r = slow / fast; exit !(r > 1.95 && r < 2.05) }' "$work/out" || fail "$(cat "$work/out")"
    expect 0 "$portolan" --machine skylake --format json -e "$load; program sensitivity N=500"
    holds out '"property":"clock"'
    lacks out nan
    expect 0 "$portolan" --machine skylake -e "$load; program sensitivity N=40 --model ammp; program predict N=40 --model ammp"
    holds out 'iadd.latency'
    holds out "model ammp of the PPT-AMMP paper"
    expect 1 "$portolan" --machine skylake -e "$load; program sweep l2_bytes=x"
    holds err '"x" is not a number'
    expect 1 "$portolan" --machine skylake -e "$load; program sweep l2_byte=4"
    holds err 'invalid property "l2_byte=4"'
    expect 0 "$portolan" --machine skylake -e "$load; program misses N=500"
    holds out 'misses by cache size'
}

# Instructions by class, counted by hand: one store in each of 1,000 iterations. The time of n^2
# iterations is quadratic in n. A block's share is of all executions.
test_mix_and_formula() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#include <stdlib.h>\nvolatile int x;\nint main(int c, char **v) { int n = c > 1 ? atoi(v[1]) : 0; for (int i = 0; i < n * n; i++) x = i; return 0; }\n' >square.c
    built square.c '-O2 -fno-unroll-loops'
    load="$loads; program run N=40,64,80,100,128"
    expect 0 "$portolan" --format csv --machine skylake -e "$load; program mix N=1000"
    awk -F, '$1 == "store" { n = $2; pipes = $4; usage = $7 } END { exit !(n == 1000000 && pipes >= 1 && usage > 1 && usage <= 100) }' out || fail "$(cat out)"
    expect 0 "$portolan" --format csv --machine skylake -e "$load; program blocks N=1000 --top 1"
    awk -F, '$1 ~ /^main/ { exit !($3 == 1000000 && $9 > 99.9 && $9 <= 100) }' out || fail "$(cat out)"
    expect 0 "$portolan" --machine skylake -e "$load; program formula"
    holds out '*N^2'
    holds out 'each prediction is estimated from the other predictions'
    expect 1 "$portolan" -e 'program formula'
    holds err 'no program is loaded'
    # Hits of a level are relative to the accesses that reach it.
    expect 0 "$portolan" --format csv --machine skylake -e "program load $programs/laplace2d.c -O1; program run N=16,24,32,48; program misses N=500"
    awk -F, '$1 == "L1" { m = $4 } $1 == "L2" { d = 100 * (1 - $4 / m) - $6; exit !(d < 0.01 && d > -0.01) }' out || fail "$(cat out)"
}

# Threads divide the work and share the last-level cache, which is labelled as an extension. Without
# sharing the time is half. If lines of other threads interleave, there are more misses.
test_threads() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    built "$programs/jacobi_openmp.c" -O1
    load="$loads; program run N=16,24,32,48,61"
    # All predictions use one set of runs, in which the costs of calls are measured.
    expect 0 "$portolan" --format csv --machine skylake -e "$load; program predict N=40 --threads 1 --clock 3; program predict N=40 --threads 2 --clock 3"
    awk -F, '$1 == "skylake" { print $3 }' "$work/out" >"$work/seconds"
    awk 'NR == 1 { one = $1 } NR == 2 { exit !(one > 1.99 * $1 && one < 2.01 * $1) }' "$work/seconds" || fail "$(cat "$work/seconds")"
    expect 0 "$portolan" --machine skylake -e "$load; program misses N=40 --threads 2 --common 30; program predict N=40 --threads 2"
    holds out 'assumed: 2 threads on as many cores divide all work and share the last-level cache; 30 % of the lines are used by all threads'
    expect 0 "$cc" --version
    clang=$(sed -n 's/.*clang version \([0-9]*\).*/clang-\1/p' "$work/out")
    "$clang" -O1 -fopenmp "$programs/jacobi_openmp.c" -o "$work/parallel" 2>/dev/null || skip 'clang has no OpenMP here'
    expect 0 "$portolan" --format json -e "program load $with --untraced $work/parallel; program run N=16,24,32,48,61; program validate N=300 --threads 2 --times 1 --machine skylake"
    holds out '"threads":2'
    lacks out '"error":null'   # a run may be too short for user and system time
    lacks out '"measured":null'
}

# Misses of the first and second level are within 10 % of cachegrind's at sizes that were not run,
# unless a loop just fills a cache.
test_misses_against_cachegrind() {
    needs_llvm
    needs valgrind
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    for level in -O0 -O3; do
        for case in 'matmul 150 skylake-avx512 1048576,16' 'laplace2d 250 skylake 262144,4'; do
            # shellcheck disable=SC2086 # $case is a list of words
            set -- $case
            name=$1 n=$2 machine=$3
            built "$programs/$name.c" $level
            valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=$4,64 --cachegrind-out-file=/dev/null "$with.untraced" $n 2>&1 |
                awk '/D1  misses/ { gsub(",", ""); print $4 } /LLd misses/ { gsub(",", ""); print $4 }' >"$work/simulated"
            expect 0 "$portolan" --format csv --machine $machine -e "$loads; program run N=32,40,48,64,80,96; program predict N=$n"
            awk -F, -v machine="$machine" '$1 == machine { print $6; print $7 }' "$work/out" | paste "$work/simulated" - >"$work/both"
            # Starting the program causes some 3,000 misses in addition to its own.
            awk '{ d = $2 - $1; if (d < 0) d = -d; if (d > 0.1 * $1 + 3000) bad = 1 } END { exit bad || NR != 2 }' "$work/both" || fail "$name $level: $(cat "$work/both")"
        done
    done
}

# Standard input contains the value of N in each run. Exit statuses other than 0 are accepted if
# the user permits them.
test_standard_input() {
    needs_llvm
    cd "$work" || return 1
    printf '#include <stdio.h>\nint main(void) { long n = 0, s = 0; if (scanf("size %%ld", &n) != 1) return 9; for (long i = 0; i < n; i++) s += i ^ s; printf("%%ld\\n", s); return 3; }\n' >reads.c
    printf 'size {N}\n{other} braces\n' >case.txt
    built reads.c -O1
    expect 1 "$portolan" -e "$loads --stdin case.txt --arguments ''; program run N=100,200,300"
    holds err 'the program exited with status 3 for N=100'
    holds err '--allow-exit accepts any exit status'
    expect 0 "$portolan" --format csv -e "$loads --stdin case.txt --arguments '' --allow-exit; program run N=100,200,300,500; program blocks N=1000"
    grep -q '^main:[0-9]*,2,1000,N,' out || fail "no block runs as often as the input says: $(cat out)"
    expect 1 "$portolan" -e "$loads --stdin nowhere.txt --allow-exit; program run N=100"
    holds err 'nowhere.txt'
}

# Files that are not programs, and programs that fail, are rejected with the reason.
test_bad_programs() {
    needs_llvm
    cd "$work" || return 1
    echo 'int main(void) { return nothing; }' >undeclared.c
    expect 1 "$portolan" -e 'program load undeclared.c'
    holds err "undeclared.c:1:25: use of undeclared identifier 'nothing'"
    echo 'int f(void) { return 1; }' >nomain.c
    expect 1 "$portolan" -e 'program load nomain.c'
    holds err 'nomain.c: no function main'
    echo 'int foo(int); double bar(double); int foo_bar(int); int main(int c, char **v) { return foo(c) + (int)bar(c) + foo(c + 1) + foo_bar(!v); }' >missing.c
    expect 1 "$portolan" -e 'program load missing.c'
    holds err 'missing.c: the linker does not find foo, bar, foo_bar; add the source files or libraries (-lNAME) that define these names'
    echo 'int main(void) { return 0; }' >plain.c
    expect 1 "$portolan" -e 'program load plain.c -lno_such_library'
    holds err '-lno_such_library'
    lacks err 'linker command failed'
    printf '#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n#include <sys/syscall.h>\nint main(int c, char **v) { int n = atoi(v[1]); for (;n == 1;); if (n == 2) raise(SIGSEGV); if (n == 4) syscall(SYS_exit_group, 0); return n == 3 ? c : 0; }\n' >goes.c
    built goes.c -O0
    expect 1 "$portolan" -e "$loads; program run N=1 --limit 300ms"
    holds err 'the program did not end within 0.3 s for N=1; use smaller inputs, or a longer time limit (--limit)'
    expect 1 "$portolan" -e "$loads; program run N=2"
    holds err 'the program crashed for N=2: Segmentation fault'
    expect 1 "$portolan" -e "$loads; program run N=3"
    holds err 'the program exited with status 2 for N=3'
    expect 1 "$portolan" -e "$loads; program run N=4"
    holds err 'the program wrote no trace'
    expect 1 "$portolan" -e "program load $programs/matmul.c -fplugin=x.so"
    holds err 'the compiler option "-fplugin=x.so" is not allowed'
    cp /bin/true true.c
    expect 1 "$portolan" -e 'program load true.c'
}

# Compares the program's time with its prediction. The error itself requires a quiet machine and is
# not checked.
test_validate() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    built "$programs/laplace2d.c" -O2
    load="$loads; program run N=16,24,32,48"
    expect 0 "$portolan" --format json -e "$load; program validate N=100,200 --machine skylake --times 2"
    holds out '"mean_error"'
    lacks out '"error":null'   # a run may be too short for user and system time
    lacks out '"measured":null'
    expect 0 "$portolan" -e "$load; program validate N=200 --machine skylake --times 2"
    tr '\n' ' ' <"$work/out" >"$work/line"
    grep -q 'with the machine skylake. Measured: CPU time, lower quartile of 2 to 4 runs (minimum of up to 3 runs), repeated until two agree\.' "$work/line" || fail "$(cat "$work/out")"
    expect 0 "$portolan" -e "$load; program validate N=200 --machine skylake --times 1 --threads 2"
    tr '\n' ' ' <"$work/out" >"$work/line"
    holds line 'Measured: CPU time divided by the 2 threads of one run. Clock, available share of the core and memory speed were measured before and after each run'
    expect 1 "$portolan" -e "$load; program validate M=100 --machine skylake"
    holds err 'input M was called N in program run'
    expect 1 "$portolan" -e "$load; program validate N=100 M=5 --machine skylake"
    holds err 'inputs given: 2; inputs of program run: 1'
    expect 1 "$portolan" -e "program load $with; program run N=16,24,32; program validate N=64 --machine skylake"
    holds err 'no version without counters to measure'
}

# Predicts page faults of temporary arrays. Small runs allocate them from the heap, and large runs
# from the system in every step: in C, in C++ by an invoke, and in a growing array.
test_page_faults() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    cat >again.c <<'END'
#include <stdlib.h>
int main(int c, char **v) { int n = atoi(v[1]); double s = 0; for (int t = 0; t < n / 100 + 5; t++) { double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b); for (int i = 0; i < n; i++) { a[i] = t; b[i] = a[i] * i; } for (int i = 0; i < n; i++) s += b[i] * a[n - 1 - i]; free(b); free(a); } return s == 1; }
END
    cat >again.cpp <<'END'
#include <cstdlib>
#include <vector>
struct deep { std::vector<double> of; deep(int n) : of(n) {} ~deep() {} };
int main(int c, char **v) { int n = atoi(v[1]); double s = 0; for (int t = 0; t < 30; t++) { deep a(n), b(2 * n); for (int i = 0; i < n; i++) a.of[i] = b.of[2 * i] + t; for (double x : a.of) s += x; } return s == 1; }
END
    cat >grows.c <<'END'
#include <stdlib.h>
int main(int c, char **v) { int n = atoi(v[1]); for (int t = 0; t < 10; t++) { long room = 16, *a = malloc(room * sizeof *a), s = 0; for (int i = 0; i < n; i++) { if (i == room) a = realloc(a, (room *= 2) * sizeof *a); a[i] = i; } for (int i = 0; i < n; i++) s += a[i]; free(a); if (s == 1) return 1; } return 0; }
END
    for file in again.c again.cpp grows.c; do
        expect 0 "$portolan" --format csv -e "program load $file -O1; program run N=100,200,401,800,1600; program validate N=50000 --times 1 --machine skylake"
        awk -F, '$1 == 50000 { seen = 1; far = $11 < 0.85 * $12 || $11 > 1.15 * $12; few = $12 < 200 } END { exit !(seen && !far && !few) }' "$work/out" || fail "$file: $(tail -4 "$work/out")"
    done
    # Arrays of three dimensions, from runs so near to each other that a parabola fits their pages.
    cat >cubes.c <<'END'
int atoi(const char *); void *malloc(unsigned long); int main(int c, char **v) { int n = atoi(v[1]); double s = 0, (*a)[n][n] = malloc(sizeof(double) * n * n * n), (*b)[n][n] = malloc(sizeof(double) * n * n * n); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) a[i][j][k] = b[i][j][k] = i + j - k; for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) s += a[i - 1][j][k] * b[i][j][k]; return s == 1; }
END
    expect 0 "$portolan" --format csv -e "program load cubes.c -O1; program run N=6,8,9,11,12; program validate N=96 --times 1 --machine skylake"
    awk -F, '$1 == 96 { seen = 1; far = $11 < 0.85 * $12 || $11 > 1.15 * $12; few = $12 < 3000 } END { exit !(seen && !far && !few) }' "$work/out" || fail "$(tail -4 "$work/out")"
    # Their cost is known only for this CPU.
    expect 0 "$portolan" -e "program load again.c -O1; program run N=100,200,401,800,1600; program predict N=50000 --machine skylake"
    grep -q "other than this CPU exclude the program's [0-9]* page faults" "$work/out" || fail "$(cat "$work/out")"
    # Times on this CPU include the share of page faults that the system counts as user time: all of
    # it with a share of 1, half with one of 0.5.
    export PORTOLAN_CPU='AuthenticAMD 25 17 1'
    expect 0 "$portolan" --format csv -e "program load again.c -O1; program run N=100,200,401,800,1600; program sweep page_fault_user=0,0.5,1 N=500000"
    awk -F, '$1 == "0" { none = $2 } $1 == "0.5" { half = $2 } $1 == "1" { all = $2 } END { m = (none + all) / 2; exit !(all > 1.2 * none && half > 0.999 * m && half < 1.001 * m) }' out || fail "$(cat out)"
    expect 0 "$portolan" --format json -e "program load again.c -O1; program run N=100,200,401,800,1600; program sensitivity N=500000; program show N=500000"
    [ "$(grep -c '"faults_user":' out)" = 2 ] || fail "$(cut -c 1-300 out)"
    export PORTOLAN_CPU=none
}

# Two threads do the work of one, with the same number of references, and the same number of misses
# in a core's caches. They take turns by waiting on memory. No count is lost.
test_references_of_threads() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    cat >walks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int n; static volatile int turn;
static void *walk(void *p) { double *a = aligned_alloc(4096, ((size_t)n * n * 8 + 4095) / 4096 * 4096), s = p != 0; for (long i = 0; i < (long)n * n; i++) a[i] = i; for (int r = 0; r < 4; r++) for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) s += a[(long)i * n + j]; a[0] = s; return a; }
static void *wait(void *p) { while (turn != 1) ; turn = 2; return p; }
int main(int c, char **v) { n = atoi(v[1]); void *a[2]; pthread_t t[2];
#ifdef THREADS
    for (int k = 0; k < 2; k++) pthread_create(t + k, 0, walk, 0);
    for (int k = 0; k < 2; k++) pthread_join(t[k], a + k);
    pthread_create(t, 0, wait, 0); turn = 1; while (turn != 2) ; pthread_join(t[0], 0);
#else
    for (int k = 0; k < 2; k++) a[k] = walk(0);
#endif
    return a[0] == a[1]; }
END
    for how in '' -DTHREADS; do
        expect 0 "$portolan" --format csv -e "program load walks.c -O1 $how -pthread; program run N=40,64,80,101; program misses N=101 --machine skylake; program blocks N=64 --top 100"
        awk -F, '$1 == "L1" || $1 == "L2" { print $4 }' "$work/out" >"misses$how"
        sum=$(awk -F, '/^walk:/ { n += $3 } END { print n }' "$work/out")
        [ -n "$how" ] && { [ "$sum" -ge $((2 * 4 * 64 * 64)) ] || fail "$sum executions: $(cat "$work/out")"; }
    done
    # Each thread accesses only its own lines, so the order of turns changes nothing.
    paste misses misses-DTHREADS | awk '{ n++; far += !($1 > 1000 && $2 / $1 > 0.99 && $2 / $1 < 1.01) } END { exit !(n == 2 && !far) }' || fail "misses: $(cat misses misses-DTHREADS)"
}

# A loop in inline assembly is not counted, and the prediction notes this. A started program is
# reported. A forked process is counted.
test_what_is_not_counted() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#include <stdlib.h>\nint main(int c, char **v) { long n = atol(v[1]), s = 1; for (long i = 0; i < n; i++) __asm__ volatile("imul $3, %%0" : "+r"(s)); return s == 2; }\n' >plain.c
    expect 0 "$portolan" --machine skylake -e 'program load plain.c -O1; program run N=10,20,30,50; program predict N=100000'
    lacks out 'not known'
    lacks out 'not included'
    printf '#include <stdlib.h>\nint main(int c, char **v) { long n = atol(v[1]), s = 1; __asm__ volatile("1: imul $3, %%0, %%0\\n\\tdec %%1\\n\\tjnz 1b" : "+r"(s), "+r"(n)); for (volatile long i = 0; i < atol(v[1]); i++) ; return s == 2; }\n' >loop.c
    expect 0 "$portolan" --machine skylake -e 'program load loop.c -O1; program run N=10,20,30,50; program predict N=100000'
    holds out 'has a loop only in its machine code'
    printf '#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\nint main(int c, char **v) { int n = atoi(v[1]), s; volatile int x = 0; pid_t p = fork(); for (int i = 0; i < (p ? n : n * n); i++) x += i; if (!p) _exit(0); waitpid(p, &s, 0); return system(":"); }\n' >forks.c
    forks='program load forks.c -O1; program run N=10,20,30,50'
    expect 0 "$portolan" -e "$forks"
    holds out 'system() starts other programs'
    expect 0 "$portolan" --format csv --machine skylake -e "$forks; program blocks N=100 --top 100; program predict N=100"
    # These are counts of both processes: 100 and 100 * 100.
    grep -q ',10100,' "$work/out" || fail "$(cat "$work/out")"
}

# A program reads its inputs from a file. Each run finds its own file with the inputs filled in.
test_template() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#include <stdio.h>\nint main(int c, char **v) { int n = 0; FILE *f = fopen(v[1], "r"); if (c != 3 || !f || fscanf(f, "size = %%d {x}", &n) != 1) return 3; f = fopen(v[2], "w"); if (!f) return 4; for (int i = 0; i < n * n; i++) fputc(i, f); return 0; }\n' >reads.c
    printf 'size = {N} {x}\n' >case.txt
    load="program load reads.c -O1 --template case.txt --arguments '{directory}/case.txt {directory}/out'"
    expect 0 "$portolan" --format json -e "$load; program run N=8,16,24,32 --mode counts; program blocks N=100; program validate N=100 --machine skylake --times 1"
    holds out '"count":10000.0,"formula":"N^2"'
    holds out '"measured"'
    expect 1 "$portolan" -e "program load reads.c --template none.txt; program run N=8"
    holds err 'none.txt'
    expect 1 "$portolan" -e "program load reads.c --untraced /bin/true"
    holds err '--untraced applies only to executables'
    expect 0 "$cc" -O1 reads.c -o built
    # shellcheck disable=SC2086 # the compiler of the build may be several words
    expect 0 ${CC:-cc} -O1 reads.c -o plain
    expect 0 "$portolan" -e "program load ./built --untraced ./plain --template case.txt --arguments '{directory}/case.txt {directory}/out'; program run N=8,16,24,32; program validate N=100 --machine skylake --times 1"
    mv case.txt trace
    expect 0 "$portolan" -e "program load ./built --untraced ./plain --template trace --arguments '{directory}/trace {directory}/out'; program run N=8,16,24,32"
    expect 1 "$portolan" -e 'program load ./built --untraced ./absent'
    holds err './absent cannot be run'
}

# The program is sampled by part. Its time is the sum of its parts and of samples in no part, and
# most of it is in loops.
test_blame_of_a_program() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    built "$programs/laplace2d.c" -O2
    load="$loads; program run N=16,24,32,48"
    got=0
    "$portolan" --format json -e "$load; program blame N=400 --machine skylake" >"$work/out" 2>"$work/err" </dev/null || got=$?
    grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"
    [ "$got" -eq 0 ] || fail "status $got: $(cat "$work/err")"
    holds out '"sentence"'
    tr ',{' '\n\n' <"$work/out" | awk -F: '/"measured"/ { if (!n++) all = $2; else { sum += $2; if ($2 + 0 > most) most = $2 } } END { exit !(n > 1 && all > 0 && sum < 1.01 * all && most > 0.3 * all) }' ||
        fail "parts: $(cat "$work/out")"
    expect 1 "$portolan" -e "program load $with; program run N=16,24,32; program blame"
    holds err 'no version without counters to measure'
}

# program blame accepts a program that reads its input from a file with the inputs filled in.
test_blame_with_a_template() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#include <stdio.h>\nvolatile int x;\nint main(int c, char **v) { int n = 0; FILE *f = fopen(v[1], "r"); if (c != 2 || !f || fscanf(f, "size = %%d", &n) != 1) return 3; for (int i = 0; i < n * n; i++) x += i; return 0; }\n' >reads.c
    echo 'size = {N}' >case.txt
    got=0
    "$portolan" --format json -e "program load reads.c -O1 --template case.txt --arguments {directory}/case.txt; program run N=8,16,24,32; program blame N=6000 --machine skylake" \
        >"$work/out" 2>"$work/err" </dev/null || got=$?
    grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"
    [ "$got" -eq 0 ] || fail "status $got: $(cat "$work/err")"
    holds out '"sentence"'
}

# Whatever the name of the program's file is, the time is attributed to its loop and not to a
# library.
test_blame_of_a_file_by_any_name() {
    needs_llvm
    [ "$(uname -m)" = x86_64 ] || skip 'machines of x86-64'
    cd "$work" || return 1
    printf '#include <stdlib.h>\nvolatile int x;\nint main(int c, char **v) { int n = c > 1 ? atoi(v[1]) : 0; for (int i = 0; i < n * n; i++) x += i; return 0; }\n' >adds.c
    expect 0 "$cc" --version
    expect 0 "$(sed -n 's/.*clang version \([0-9]*\).*/clang-\1/p' out)" -O1 adds.c -o plain
    expect 0 "$cc" -O1 adds.c -o built
    mkdir far
    ln -s far near
    for load in './built --untraced ./plain' './built --untraced plain' 'adds.c -O1'; do
        got=0
        TMPDIR=$PWD/near "$portolan" --format json -e "program load $load; program run N=8,16,24,32; program blame N=6000 --machine skylake" >"$work/out" 2>"$work/err" </dev/null || got=$?
        grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"
        [ "$got" -eq 0 ] || fail "$load: status $got: $(cat "$work/err")"
        tr ',{' '\n\n' <"$work/out" | awk -F: '/"measured"/ && !all { all = $2 } /"elsewhere"/ { lost = $2 } END { exit !(all > 0 && lost < 0.5 * all) }' || fail "$load: $(cat "$work/out")"
    done
}

# Chains of a hash table have random lengths around N/M, which no polynomial describes. Runs with at
# most a quarter of the buckets and an eighth of the keys predict them.
test_bred_counts() {
    needs_llvm
    cd "$work" || return 1
    cat >table.c <<'C'
#include <stdlib.h>
struct node { unsigned key; struct node *next; };
static volatile unsigned found;
int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    unsigned n = (unsigned)atoi(argv[1]), m = (unsigned)atoi(argv[2]), seed = 1;
    struct node **table = calloc(m, sizeof *table), *nodes = calloc(n, sizeof *nodes);
    for (unsigned i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned key = seed >> 4;
        struct node **first = &table[(key >> 8) % m], *at = *first;
        while (at && at->key != key)
            at = at->next;
        found += at != NULL;
        nodes[i] = (struct node){key, *first};
        *first = &nodes[i];
    }
    return 0;
}
C
    # The lesser of two inputs is no sum of products. volatile hides it from the code analysis.
    cat >lesser.c <<'C'
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    volatile unsigned n = (unsigned)atoi(argv[1]), m = (unsigned)atoi(argv[2]), sum = 0;
    for (unsigned i = 0; i < (n < m ? n : m); i++)
        for (unsigned k = 0; k < 7; k++)
            sum += k;
    return 0;
}
C
    most() { awk -F, '$1 == "block" { on = 1; next } on && $3 + 0 > most { most = $3 } END { print most + 0 }' "$work/out"; }
    near() { awk -v p="$1" -v c="$2" 'BEGIN { exit !(c > 1000 && p > 0.9 * c && p < 1.1 * c) }' || fail "$1 instead of $2"; }
    built table.c -O1
    load=$loads
    expect 0 "$portolan" --format csv -e "$load; program run N=200,400,800,1600 M=8,16,32,64 --mode counts; program blocks N=12800 M=256"
    predicted=$(most)
    expect 0 "$portolan" --format csv -e "$load; program run N=12800 M=256 --mode counts; program blocks"
    near "$predicted" "$(most)"
    built lesser.c -O1
    load="$loads; program run N=20,40,80,160,320 M=30,60,120,240 --mode counts"
    expect 0 "$portolan" -e "$load; program blocks N=5000 M=1000"
    lacks out 'genetic programming'
    expect 0 "$portolan" -e "$load --counts genetic; program blocks N=5000 M=1000"
    holds out 'that regression does not predict are modelled by expressions found by genetic programming'
    expect 0 "$portolan" --format csv -e "$load --counts genetic; program blocks N=5000 M=1000"
    near "$(most)" 7000
    # Counts by a network are labelled as such.
    expect 0 "$portolan" -e "$load --counts nalu; program blocks N=5000 M=1000"
    holds out 'are modelled by neural networks'
    holds out 'network(N, M)'
}

run_tests
