/* "Did you mean": the candidate that is closest to a word. */
#ifndef PORTOLAN_BASE_SIMILAR_H
#define PORTOLAN_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#define SIMILAR_TODO 192

/* Start with {.word = ...}. */
struct similar {
    const char *word;
    const char *best;      /* NULL: none is similar */
    /* edit distance: letters added, dropped, changed or swapped with a neighbour, case ignored */
    size_t distance;
};

/* Takes @candidate, borrowed, if it is closer than the previous ones and differs in at most a third
 * of the word's letters. Then returns true. Any thread. */
bool similar_try(struct similar *s, const char *candidate);
/* Writes "did you mean NAME?" to @out if one is similar, else @otherwise (may be NULL). Returns
 * @out, or NULL. */
const char *similar_todo(const struct similar *s, const char *otherwise, char out[SIMILAR_TODO]);

#endif
