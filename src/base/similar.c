/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/similar.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LETTERS 96

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the optimal string alignment distance. The computation stores the current row and the two
 * rows above it. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LETTERS + 1];

    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] =
                least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

bool similar_try(struct similar *s, const char *candidate)
{
    size_t n = strlen(s->word), m = strlen(candidate), most = n / 3 ? n / 3 : 1;

    if (n > LETTERS || m > LETTERS || n < 2 || (n > m ? n - m : m - n) > most)
        return false;
    size_t d = distance(s->word, n, candidate, m);
    if (d > most || (s->best && d >= s->distance))
        return false;
    s->best = candidate;
    s->distance = d;
    return true;
}

const char *similar_todo(const struct similar *s, const char *fallback, char out[SIMILAR_TODO])
{
    if (!s->best)
        return fallback;
    snprintf(out, SIMILAR_TODO, "did you mean %s?", s->best);
    return out;
}
