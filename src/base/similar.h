/* "Did you mean": the candidate that is closest to a word. */
#ifndef PORTOLAN_BASE_SIMILAR_H
#define PORTOLAN_BASE_SIMILAR_H

#include <stddef.h>

/* Start with {.word = ...}. */
struct similar {
    const char *word;
    const char *best;      /* NULL: none is close */
    size_t distance;       /* letters added, dropped, changed or swapped with a neighbour, case ignored */
};

/* Takes @candidate, borrowed, when it is closer than those before: by at most a third of the word's letters. Any thread. */
void similar_try(struct similar *s, const char *candidate);

#endif
