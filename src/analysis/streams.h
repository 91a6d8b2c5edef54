/* Memory accesses of a loop, grouped as streams: the step of each, the lines it touches, and the
 * source of its address. */
#ifndef PORTOLAN_ANALYSIS_STREAMS_H
#define PORTOLAN_ANALYSIS_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "isa/insn.h"

#define STREAM_LINE 64       /* bytes */
#define STREAM_TERMS 4
#define STREAM_ALONE UINT32_MAX

enum stream_kind {
    STREAM_FIXED,    /* the same place in every iteration */
    STREAM_WALK,     /* moves on by a known step */
    STREAM_GATHER,   /* at an index that was loaded: anywhere in its array */
    STREAM_CHASE,    /* at an address that its own loads give */
};

/* An address is the sum of registers as they are before the loop, each times a factor. */
struct stream_term {
    uint8_t reg;
    int64_t factor;
};

struct stream {
    enum stream_kind kind;
    uint32_t insn;           /* the first that reaches it */
    uint32_t loads, stores;  /* per iteration */
    bool non_temporal;       /* its stores pass the caches by */
    bool loaded;             /* its base is loaded from a fixed place in every iteration */
    bool vector;             /* a gather or scatter of one instruction */
    int64_t step;            /* bytes per iteration; 0 if unknown */
    /* of the symbol that is one of its terms (analysis/kernel_names.h); 0: none is */
    int64_t place;
    int64_t low, high;       /* bytes that one iteration reaches, from the sum of its terms on */
    double lines;            /* distinct ones per iteration that it did not come to before */
    struct stream_term terms[STREAM_TERMS];
    unsigned term_count;
    uint32_t follows;        /* the stream whose lines it comes to again, STREAM_ALONE: none */
    uint64_t distance;       /* bytes from that one */
    uint32_t fed_by;         /* of a gather: the stream of its indices */
    uint32_t index_bytes;    /* of one of those */
    uint32_t scale;          /* scale of the index */
    uint32_t hops;           /* of a chase: loads that wait for each other, per iteration */
    int64_t link;            /* and where from a place the next one's address stands */
    uint32_t symbol;         /* as in analysis/addresses.h: distinguishes streams */
};

struct streams {
    VEC(struct stream) items;
    /* instructions that wait for a value that a moving stream gives, and take room in the scheduler
     * until then */
    uint32_t waiting;
    uint32_t unknown;        /* instruction whose address is not understood, 1-based; 0: all are */
    char why[160];           /* then: why */
};

/* Streams of the loop body @insns. Accesses that are not understood are counted in unknown, with
 * the reason in why. Any thread. */
void streams_find(const struct insn *insns, size_t count, struct streams *out);
void streams_done(struct streams *s);
/* Has stream @at lie @distance bytes on in the array of stream @other, both counted from 1: two
 * pointers into one array. False with err when they have no step in common. */
bool streams_join(struct streams *s, size_t at, size_t other, int64_t distance, struct err *err);
/* "load", "store", "update", "non-temporal", "gather", "scatter", "chase", "fixed". */
const char *stream_word(const struct stream *s);
/* "rsi + rax*8": where it begins. */
void stream_base(const struct stream *s, enum isa isa, struct str *out);
/* Whether it brings new lines in every iteration. */
static inline bool stream_moves(const struct stream *s)
{
    return s->kind != STREAM_FIXED;
}
/* New lines of all streams per iteration. */
double streams_lines(const struct streams *s);

#endif
