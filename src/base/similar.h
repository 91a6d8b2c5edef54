/* "Did you mean": the candidate that is closest to a word. */
#ifndef PORTOLAN_BASE_SIMILAR_H
#define PORTOLAN_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#define SIMILAR_TODO 192

/* Start with {.word = ...}. */
struct similar {
    const char *word;
    const char *best;      /* NULL: none is close */
    /* letters added, dropped, changed or swapped with a neighbour, case ignored */
    size_t distance;
};

/* Takes @candidate, borrowed, when it is closer than those before, and then returns true: by at
 * most a third of the word's letters. Any thread. */
bool similar_try(struct similar *s, const char *candidate);
/* "did you mean NAME?" into @out when one was close, else @otherwise (may be NULL); returns @out,
 * or NULL. */
const char *similar_todo(const struct similar *s, const char *otherwise, char out[SIMILAR_TODO]);

#endif
