/* Memory accesses of a loop, grouped into streams by address and stride */
#ifndef PORTOLAN_ANALYSIS_STREAMS_H
#define PORTOLAN_ANALYSIS_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "isa/insn.h"

#define STREAM_LINE 64       /* size in bytes of a line */
#define STREAM_TERMS 4
#define STREAM_ALONE UINT32_MAX

enum stream_kind {
    STREAM_FIXED,    /* the address is the same in every iteration */
    STREAM_WALK,     /* the address advances by a known stride */
    /* the address is an index in an array, loaded or computed from a loaded value */
    STREAM_GATHER,
    STREAM_CHASE,    /* the address is a value that the previous access loaded */
};

/* Term of an address: the initial value of a register times a factor */
struct stream_term {
    uint8_t reg;
    int64_t factor;
};

struct stream {
    enum stream_kind kind;
    uint32_t insn;           /* index of the first instruction that accesses the stream */
    uint32_t loads, stores;  /* number of accesses per iteration */
    bool non_temporal;       /* whether the stores bypass the caches */
    /* whether the address contains one loaded value, as a base or an index */
    bool loaded;
    bool vector;             /* whether the accesses are a gather or scatter of one instruction */
    /* stride in bytes per iteration; 0: fixed address, or unknown stride */
    int64_t step;
    /* assumed address (symbol_place) of the unresolved symbol in the stream's address; 0: none */
    int64_t place;
    /* range of bytes accessed per iteration, relative to the sum of the terms */
    int64_t low, high;
    /* number of lines per iteration that the stream has not accessed before */
    double lines;
    struct stream_term terms[STREAM_TERMS];
    unsigned term_count;
    uint32_t follows;        /* index of the stream that accessed the same lines before;
                              * STREAM_ALONE: none */
    uint64_t distance;       /* distance in bytes from the stream that it follows */
    uint32_t fed_by;         /* gather: index of the stream that loads its indices; STREAM_ALONE:
                              * unknown */
    uint32_t index_bytes;    /* size in bytes of each index that the stream loads; 0: it loads no
                              * indices */
    uint32_t scale;          /* scale of the index */
    double values;           /* gather: number of non-negative values of the index; 0: unknown */
    bool computed;           /* gather: whether the index is computed from the loaded value */
    uint32_t hops;           /* chase: number of dependent loads per iteration */
    int64_t link;            /* chase: offset of the next element's address in an element */
    /* chase: whether an access to other bytes of the element precedes the load of the link, and so
     * delays it */
    bool delayed;
    uint32_t symbol;         /* symbol of the address (analysis/addresses.h) */
};

struct streams {
    VEC(struct stream) items;
    /* number of instructions per iteration that wait in the scheduler for a load of a moving
     * stream */
    uint32_t waiting;
    /* 1 + index of the instruction with an unsupported address; 0: none */
    uint32_t unknown;
    char why[200];           /* reason why the address of @unknown is unsupported */
};

/* Finds the streams of the loop body @insns. Sets @unknown and @why for the first unsupported
 * access. Any thread. */
void streams_find(const struct insn *insns, size_t count, struct streams *out);
void streams_done(struct streams *s);
/* Places stream @at into the array of stream @other, @distance bytes after that stream. @at and
 * @other are numbered from 1. Returns false with err if a number is invalid, or if the streams are
 * not walks with equal strides. */
bool streams_join(struct streams *s, size_t at, size_t other, int64_t distance, struct err *err);
/* Returns "load", "store", "update", "non-temporal", "gather", "scatter", "gather, scatter",
 * "chase" or "fixed". */
const char *stream_word(const struct stream *s);
/* Appends the stream's start address, such as "rsi + rax*8", or "constant" or "loaded"; for a
 * gather also its index, such as " + index*8". */
void stream_base(const struct stream *s, enum isa isa, struct str *out);
/* Returns whether the stream's address changes in every iteration. */
static inline bool stream_moves(const struct stream *s)
{
    return s->kind != STREAM_FIXED;
}
/* Returns whether the streams access one array: they have one kind and one stride, and their
 * addresses have the same registers and symbol. Gathers may have different indices. */
bool stream_shares_array(const struct stream *a, const struct stream *b);
/* Returns the number of bytes that a gather or scatter can access with the range of its indices;
 * INFINITY for an unknown range and for other streams. */
double stream_range(const struct stream *one);
/* Returns the sum of @lines over all streams. */
double streams_lines(const struct streams *s);

#endif
