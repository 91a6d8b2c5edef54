/* Memory accesses of a loop grouped as streams: step, lines touched, and source of the address. */
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
    STREAM_FIXED,    /* the same address in every iteration */
    STREAM_WALK,     /* advances by a known step */
    STREAM_GATHER,   /* at a loaded index: anywhere in its array */
    STREAM_CHASE,    /* at an address from its own previous load */
};

/* A term of an address: a register's value before the loop times a factor. */
struct stream_term {
    uint8_t reg;
    int64_t factor;
};

struct stream {
    enum stream_kind kind;
    uint32_t insn;           /* first instruction that accesses it */
    uint32_t loads, stores;  /* per iteration */
    bool non_temporal;       /* its stores bypass the caches */
    bool loaded;             /* its base is loaded from a fixed address in every iteration */
    bool vector;             /* a gather or scatter of one instruction */
    int64_t step;            /* bytes per iteration; 0: unknown */
    /* number of the symbol among its terms (analysis/kernel_names.h); 0: none */
    int64_t place;
    int64_t low, high;       /* bytes accessed per iteration, relative to the sum of its terms */
    double lines;            /* distinct new lines per iteration */
    struct stream_term terms[STREAM_TERMS];
    unsigned term_count;
    uint32_t follows;        /* stream whose lines it touches again; STREAM_ALONE: none */
    uint64_t distance;       /* bytes from that stream */
    uint32_t fed_by;         /* gather: the stream of its indices */
    uint32_t index_bytes;    /* bytes of an index */
    uint32_t scale;          /* scale of the index */
    uint32_t hops;           /* chase: dependent loads per iteration */
    int64_t link;            /* and the offset in an element of the next element's address */
    bool late;               /* chase: the link is loaded after other bytes of its place */
    uint32_t symbol;         /* as in analysis/addresses.h; distinguishes streams */
};

struct streams {
    VEC(struct stream) items;
    /* instructions that wait in the scheduler for a value of a moving stream */
    uint32_t waiting;
    uint32_t unknown;        /* 1-based instruction whose address is not understood; 0: none */
    char why[160];           /* reason for @unknown */
};

/* Finds the streams of the loop body @insns. Accesses that are not understood are in @unknown with
 * the reason in @why. Any thread. */
void streams_find(const struct insn *insns, size_t count, struct streams *out);
void streams_done(struct streams *s);
/* Places stream @at @distance bytes on in the array of stream @other, both counted from 1: two
 * pointers into one array. False with err when their steps differ. */
bool streams_join(struct streams *s, size_t at, size_t other, int64_t distance, struct err *err);
/* "load", "store", "update", "non-temporal", "gather", "scatter", "chase", "fixed". */
const char *stream_word(const struct stream *s);
/* "rsi + rax*8": its start address. */
void stream_base(const struct stream *s, enum isa isa, struct str *out);
/* Returns whether it touches new lines in every iteration. */
static inline bool stream_moves(const struct stream *s)
{
    return s->kind != STREAM_FIXED;
}
/* New lines of all streams per iteration. */
double streams_lines(const struct streams *s);

#endif
