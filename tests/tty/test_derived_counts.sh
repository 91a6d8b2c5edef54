#!/bin/sh
# Counts of complete programs that follow from their code. Skipped if Portolan was built without
# LLVM.
. "${PORTOLAN_SRC:-.}/tests/helpers.sh"

# Counts that follow from the code are correct for any input, even for cases that no run executes:
# limits, remainders, thresholds. Counts that depend on data are not labelled exact.
test_counts_follow_from_code() {
    needs_llvm
    cat >"$work/limits.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
static double sum(const double *a, int from, int to) { double s = 0; for (int i = from; i < to; i++) s += a[i]; return s; }
static int limit = 300;
int main(int c, char **v)
{
    int n = c > 1 ? atoi(v[1]) : 10, m = n < 100 ? n : 100;
    double *a = malloc(((size_t)n + 1) * sizeof *a), s = 0;
    if (!a)
        return 1;
    for (int i = 0; i < n; i++)
        a[i] = i % 7;
    for (int i = 0; i < m; i++)
        s += sum(a, i, n);
    if (n > limit)
        for (int i = 0; i < n; i += 3)
            s += a[i];
    for (int i = 0; i < n; i++)
        if (a[i] > 3)
            s -= 1;
    for (int k = n; k > n / 2 && n % 2; k--)
        s += k;
    printf("%g\n", s);
    free(a);
    return 0;
}
END
    for level in -O0 -O1 -O3; do
        expect 0 "$portolan" --format csv -e "program load $work/limits.c $level; program run N=8,16,24,33,40,47,60 --mode counts; program blocks N=1001 --top 1000"
        awk -F, '$1 == "block" { on = 1; next } on && /,(code|run)$/ { print $1 "," $3 }' "$work/out" | sort >"$work/predicted"
        [ "$(wc -l <"$work/predicted")" -ge 8 ] || fail "$level: too few follow from the code"
        expect 0 "$portolan" --format csv -e "program load $work/limits.c $level; program run N=1001 --mode counts; program blocks --top 1000"
        awk -F, '$1 == "block" { on = 1; next } on { print $1 "," $3 }' "$work/out" | sort >"$work/counted"
        comm -23 "$work/predicted" "$work/counted" >"$work/differs"
        [ ! -s "$work/differs" ] || fail "$level: $(head -5 "$work/differs")"
    done
}

run_tests
