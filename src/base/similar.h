/* Finds the candidate most similar to a word, for "did you mean". */
#ifndef PORTOLAN_BASE_SIMILAR_H
#define PORTOLAN_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#define SIMILAR_TODO 192

/* Search for the candidate; initialise it with {.word = ...}. */
struct similar {
    const char *word;
    const char *best;      /* most similar candidate so far, borrowed; NULL: none */
    /* edit distance of @best: number of letters inserted, deleted, replaced or exchanged with a
     * neighbour, ignoring case */
    size_t distance;
};

/* Stores @candidate, borrowed, if it is more similar than all previous candidates. Its edit
 * distance must be at most a third of the word's length, or 1 for a short word. Words of one letter
 * and texts of more than 96 bytes are never similar. Returns whether @candidate was stored. Any
 * thread. */
bool similar_try(struct similar *s, const char *candidate);
/* Returns @out with the text "did you mean NAME?" if there is a similar candidate, otherwise
 * @fallback (may be NULL). */
const char *similar_todo(const struct similar *s, const char *fallback, char out[SIMILAR_TODO]);

#endif
