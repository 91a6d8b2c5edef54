#!/bin/sh
# Shows that program diff matches loops of two builds by function, line and shape, and compares
# their cycles.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

make_source() {
    compiler=${CC:-cc}
    needs "${compiler%% *}"
    [ "$(uname -m)" = x86_64 ] || skip 'the expected cycles are of x86-64'
    cat >"$work/k.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) float dot(const float *a, const float *b, long n)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
__attribute__((noinline)) void add(float *restrict a, const float *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] += b[i];
}
__attribute__((noinline)) unsigned hash(const unsigned char *p)
{
    unsigned h = 0;
    while (*p)
        h = h * 31 + *p++;
    return h;
}
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100;
    float *a = calloc(n, 4), *b = calloc(n, 4), s = 0;
    for (long k = 0; k < 40000; k++) {
        add(a, b, n);
        s += dot(a, b, n);
    }
    printf("%g %u\n", s, hash((const unsigned char *)argv[0]));
    return 0;
}
EOF
}
# build NAME WORDS: compiles the source with the compiler of the build, which may be several words.
build() {
    name=$1; shift
    # shellcheck disable=SC2086
    ${CC:-cc} "$work/${from:-k.c}" -o "$work/$name" "$@" 2>"$work/cc" || skip "the compiler refuses $*: $(head -n 1 "$work/cc")"
}
# diff_of WORDS: runs program diff and prints its rows as CSV: machine, matched, per_iteration,
# percent_change, share, effect, then ten columns each for A and B.
diff_of() { expect "${status:-0}" "$portolan" --format csv -e "program diff $*"; }
# of COLUMN FUNCTION: prints the column's value in the row whose function in A has this name.
of() { awk -F, -v c="$1" -v f="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["function_a"] == f { print $at[c]; exit }' "$work/out"; }

test_levels() {
    make_source
    build two -O2 -g -fno-tree-vectorize -fno-unroll-loops
    build three -O2 -g -ftree-vectorize -mavx2
    diff_of "$work/two" "$work/three" --machine skylake
    [ "$(of times_b add)" = 8 ] || fail "add does $(of times_b add) at once: $(cat "$work/out")"
    awk -v c="$(of percent_change add)" 'BEGIN { exit !(c < -80 && c > -95) }' || fail "add changes by $(of percent_change add) %"
    awk -v c="$(of percent_change dot)" 'BEGIN { exit !(c > -5 && c < 5) }' || fail "dot, bound by its chain, changes by $(of percent_change dot) %"
    awk -v c="$(of percent_change hash)" 'BEGIN { exit !(c > -5 && c < 5) }' || fail "hash changes by $(of percent_change hash) %"
    # kernel analyze must return the same cycles for the loop.
    address=$(of address_b add)
    diff_cycles=$(of cycles_b add)
    expect 0 "$portolan" --format json -e "kernel load $work/three --symbol $address; kernel analyze --machine skylake"
    awk -v c="$diff_cycles" 'match($0, /"cycles": *[0-9.]+/) { v = substr($0, RSTART, RLENGTH); sub(/.*: */, "", v); d = v - c; exit !(d < 1e-6 && d > -1e-6) }' "$work/out" || fail "kernel analyze has not $diff_cycles: $(head -c 300 "$work/out")"
}

test_limit() {
    make_source
    build two -O2 -g -fno-tree-vectorize -fno-unroll-loops
    build three -O2 -g -ftree-vectorize -mavx2
    # In the second build, main stores its sum in memory across the calls: 9 cycles instead of 4.
    diff_of "$work/two" "$work/three" --machine skylake --fail-above 150
    status=1 diff_of "$work/two" "$work/three" --machine skylake --fail-above 50
    status=1 diff_of "$work/three" "$work/two" --machine skylake --fail-above 5
    holds err '1 loop takes more than 5 % longer'
    [ "$(of matched add)" = function ] || fail "the result is not shown: $(cat "$work/out")"
    diff_of "$work/two" "$work/two" --machine skylake --machine znver4 --fail-above 0
    awk -F, 'NR > 1 && ($2 != "function" || $4 != 0) { exit 1 }' "$work/out" || fail "a build differs from itself: $(cat "$work/out")"
}

test_clang_and_gcc() {
    make_source
    for clang in clang-19 clang clang-18 clang-14; do command -v "$clang" >/dev/null && break; done
    needs "$clang"
    needs gcc
    CC=gcc build gcc -O2 -g -fno-tree-vectorize
    CC=$clang build clang -O2 -g
    diff_of "$work/gcc" "$work/clang" --machine skylake
    [ "$(of matched add)" = function ] && [ "$(of times_b add)" != 1 ] || fail "add: $(of matched add), $(of times_b add) at once"
    grep -q '^skylake,only B,.*remainder of another' "$work/out" || fail "clang's remainder loop is not reported: $(cat "$work/out")"
}

# A loop that one build lacks is not matched with another loop of the function that has other lines
# and does other work.
test_unlike_loops() {
    make_source
    cat >"$work/k.c" <<'EOF'
__attribute__((noinline)) unsigned mix(unsigned *p, long n)
{
    unsigned h = 1;
#ifdef FIRST
    for (long i = 0; i < n; i++)
        h = (h ^ p[i]) * 31;
#endif
    for (long i = 0; i < n; i++)
        h += p[i] >> 3;
#ifdef SECOND
    for (long i = 0; i < n; i++) {
        p[i] = p[i] / (h | 1) + (h << (i & 7));
        p[i] ^= p[i] / ((h >> 2) | 1);
    }
#endif
    return h;
}
int main(int count, char **words)
{
    unsigned values[64] = {(unsigned)count};
    return mix(values, 64) == 1 && words[0] == 0;
}
EOF
    build first -O1 -g -DFIRST
    build second -O1 -g -DSECOND
    diff_of "$work/first" "$work/second" --machine skylake
    [ "$(grep -c '^skylake,only A,' "$work/out")" -eq 1 ] && [ "$(grep -c '^skylake,only B,' "$work/out")" -eq 1 ] || fail "loops matched: $(cat "$work/out")"
    [ "$(grep -c '^skylake,function,' "$work/out")" -eq 1 ] || fail "the common loop is not matched: $(cat "$work/out")"
}

# Strides of 2 to 1 or 3 to 2 are not the work of as many iterations if the loops access the same
# bytes, or eight times as many.
test_larger_elements() {
    make_source
    while read -r name register stride; do
        printf '.globl f\n.type f, @function\nf:\n1: add (%%rdi), %%%s\nadd $%d, %%rdi\ncmp %%rsi, %%rdi\njne 1b\nret\n.size f, .-f\n' "$register" "$stride" >"$work/$name.s"
        from=$name.s build "$name.o" -c
    done <<'EOF'
8 rax 8
12 rax 12
16 rax 16
byte al 8
EOF
    for pair in '16 8' '12 8' '16 byte'; do
        diff_of "$work/${pair% *}.o" "$work/${pair#* }.o" --machine skylake
        [ "$(of per_iteration f) $(of percent_change f)" = 'assumed 0' ] || fail "$pair: not compared as one iteration each: $(cat "$work/out")"
    done
}

test_without_names() {
    make_source
    needs strip
    build two -O2 -g -fno-tree-vectorize
    cp "$work/two" "$work/bare"
    strip "$work/bare"
    diff_of "$work/two" "$work/bare" --machine skylake
    [ "$(of matched dot)" = shape ] && [ "$(of matched hash)" = shape ] || fail "stripped: $(cat "$work/out")"
    awk -F, 'NR > 1 && $4 != 0 { exit 1 }' "$work/out" || fail "the same code differs: $(cat "$work/out")"
    sed 's/\bdot(/inner_product(/; s/\bhash(/number(/' "$work/k.c" >"$work/renamed.c"
    from=renamed.c build renamed -O2 -fno-tree-vectorize
    diff_of "$work/two" "$work/renamed" --machine skylake
    [ "$(of matched dot)" = shape ] && [ "$(of function_b dot)" = inner_product ] && [ "$(of function_b hash)" = number ] || fail "renamed: $(cat "$work/out")"
    sed 's/\bdot(/inner_product(/' "$work/k.c" >"$work/moved.c"
    mkdir -p "$work/new" && mv "$work/moved.c" "$work/new/k.c"
    from=new/k.c build moved -O1 -g
    diff_of "$work/two" "$work/moved" --machine skylake
    [ "$(of matched dot)" = lines ] && [ "$(of function_b dot)" = inner_product ] || fail "of the same lines: $(cat "$work/out")"
}

test_objects_and_archives() {
    make_source
    needs ar
    build two.o -c -O2 -g -fno-tree-vectorize
    build three.o -c -O2 -g -ftree-vectorize -mavx2
    ar rcs "$work/two.a" "$work/two.o" && ar rcs "$work/three.a" "$work/three.o" || fail 'ar'
    diff_of "$work/two.o" "$work/three.o" --machine skylake
    change=$(of percent_change add)
    diff_of "$work/two.a" "$work/three.a" --machine skylake
    [ "$(of percent_change add)" = "$change" ] && [ "$(of member_a add)" = two.o ] || fail "archive: $(cat "$work/out")"
    [ "$(of line_a add)" -ge 12 ] || fail "no line of add: $(cat "$work/out")"
}

test_cpp() {
    make_source
    needs g++
    printf 'template<class T> __attribute__((noinline)) T total(const T *v, long n) { T s{}; for (long i = 0; i < n; i++) s += v[i]; return s; }\nint f(const int *v, long n) { return total(v, n); }\ndouble g(const double *v, long n) { return total(v, n); }\n' >"$work/t.cc"
    CC=g++ from=t.cc build one.o -c -O1
    CC=g++ from=t.cc build two.o -c -O2 -fno-tree-vectorize
    status=0 expect 0 "$portolan" --format json -e "program diff $work/one.o $work/two.o --machine skylake"
    holds out '"double total<double>(double const*, long)"'
    holds out '"int total<int>(int const*, long)"'
    lacks out '"only A"'
}

test_refused() {
    make_source
    build two -O2
    : >"$work/empty"
    status=1 diff_of "$work/empty" "$work/two"
    holds err 'not an ELF file'
    status=1 diff_of "$work/two" "$work/none"
    holds err 'No such file'
    status=1 diff_of "$work/two" "$work/two" --input x
    holds err 'add --run'
    needs aarch64-linux-gnu-as
    printf '.text\n.globl f\n.type f,%%function\nf: nop\n1: subs x0, x0, 1\nb.ne 1b\nret\n.size f, .-f\n' | aarch64-linux-gnu-as -o "$work/arm.o" - || fail 'as'
    status=1 diff_of "$work/two" "$work/arm.o"
    holds err 'arm.o has aarch64 code'
    diff_of "$work/arm.o" "$work/arm.o" --machine neoverse-n1
    [ "$(awk 'END { print NR }' "$work/out")" -eq 2 ] || fail "loops of AArch64: $(cat "$work/out")"
}

# Runs both programs. If the system does not permit tracing, the test ends.
test_weighted() {
    make_source
    build two -O2 -g -fno-tree-vectorize
    build three -O2 -g -ftree-vectorize -mavx2
    "$portolan" --format csv -e "program diff $work/two $work/three --machine skylake -- 4000" >"$work/out" 2>"$work/err" </dev/null || { grep -q 'the system forbids' "$work/err" && skip "$(cat "$work/err")"; fail "$(cat "$work/err")"; }
    awk -v d="$(of share dot)" -v h="$(of share hash)" 'BEGIN { exit !(d > 20 && h < 5) }' || fail "shares of dot and hash: $(of share dot), $(of share hash)"
    awk -v e="$(of effect add)" -v s="$(of share add)" -v c="$(of percent_change add)" 'BEGIN { x = s * c / 100 - e; exit !(x < 1e-6 && x > -1e-6) }' || fail "effect of add: $(of effect add)"
}

run_tests
