/* Cache lines that a loop's loads come to, by their recorded addresses: how many were not touched
 * in the recording before, and are not where the last step leads again, so that no prefetcher knows
 * them. Any thread. */
#ifndef PORTOLAN_INSITU_LINES_H
#define PORTOLAN_INSITU_LINES_H

#include "insitu/placed.h"

struct load_lines {
    uint32_t at;               /* in the region's list */
    size_t executed;
    /* of lines that were not touched before in the recording, by an irregular step */
    size_t fresh;
    size_t streamed;           /* the same by the same step as the time before */
};

struct loop_lines {
    VEC(struct load_lines) list;   /* the most fresh lines first */
    size_t iterations;         /* that were judged: half of each recording fills the caches first */
    double fresh, streamed;    /* per iteration; NaN: too little was recorded */
};

/* @bytes: of a line. lines_done frees @out. */
void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out);
void lines_done(struct loop_lines *l);

#endif
