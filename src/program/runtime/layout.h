/* SPDX-License-Identifier: 0BSD */
/* Interface between the code that portolan-cc adds and its runtime. Layouts must match
 * compiler/instrument.c. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_LAYOUT_H
#define PORTOLAN_PROGRAM_RUNTIME_LAYOUT_H

#include <stdint.h>

#include "program/runtime/steps.h"

/* section with pointers to units, for whose start and end the linker defines symbols */
#define PORTOLAN_UNIT_SECTION "portolan_units"
#define PORTOLAN_ABOUT_SECTION ".portolan"     /* consecutive descriptions of units */
/* A description is a line with this word and a length, then JSON of that length in bytes, then a
 * newline. */
#define PORTOLAN_ABOUT_MAGIC "portolan-unit"
#define PORTOLAN_TOUCH "portolan_touch_"
#define PORTOLAN_STORE "portolan_store_"
#define PORTOLAN_LOAD "portolan_load_"
#define PORTOLAN_TOUCH_RANGE "portolan_touch_range_"
#define PORTOLAN_CALL_BEGIN "portolan_call_begin_"
#define PORTOLAN_CALL_END "portolan_call_end_"
#define PORTOLAN_CALL_AT "portolan_call_at_"
#define PORTOLAN_ENTER "portolan_enter_"
#define PORTOLAN_LEAVE "portolan_leave_"
#define PORTOLAN_JUMP "portolan_jump_"
#define PORTOLAN_BRANCH "portolan_branch_"
#define PORTOLAN_RUNTIME_VERSION 7u

struct portolan_bin_ {
    uint64_t count, sum; /* number of references, and sum of their distances */
    uint64_t regular;    /* number of references with a steady stride of the instruction */
    /* Majority of the steady strides in bytes (Boyer and Moore's vote); meaningless if there is no
     * majority. A mean would change with a few other strides, but some caches need the exact power
     * of two. */
    uint64_t step, votes;
};

/* Counters of a load or store instruction. All members are zero-initialised words. */
struct portolan_access_ {
    uint64_t references, sum; /* number of references, and sum of their addresses */
    struct portolan_bin_ *bins;
    struct steps steps;
    /* For a load: the store that wrote most of its values, and the number of executions of that
     * store since then. Both are from Boyer and Moore's majority vote. */
    struct portolan_access_ *from;
    uint64_t from_age, from_votes;
};

/* Calls from a block to external code, such as libraries */
struct portolan_calls_ {
    uint64_t count, kept; /* number of calls, and number of calls with a valid time */
    uint64_t ticks;       /* ticks of the calls with a valid time */
    uint64_t callbacks;   /* number of times that the calls called functions of the program */
};

/* A compiled file */
struct portolan_unit_ {
    uint64_t version, blocks, accesses;
    const char *key; /* key of the unit, as in its description */
    /* two counts per block: executions, and executions whose branch went to its first successor */
    uint64_t *counts;
    struct portolan_access_ *access;
    struct portolan_calls_ *calls; /* external calls of each block */
    /* per block: number of mispredicted executions of its branch, according to the model of
     * branch_predictor.h */
    uint64_t *mispredicted;
};

void portolan_touch_(struct portolan_access_ *access, const void *address, uint64_t size);
/* portolan_store_ and portolan_load_ record an access to one address. They record nothing without a
 * trace, for address NULL, or within the runtime. */
void portolan_store_(struct portolan_access_ *access, const void *address, uint64_t size);
void portolan_load_(struct portolan_access_ *access, const void *address, uint64_t size);
/* Called before each conditional branch, with the counter of its block. @taken: twice the branch's
 * number in its block, plus 1 if the condition is true. */
void portolan_branch_(uint64_t *mispredicted, uint64_t taken);
void portolan_touch_range_(struct portolan_access_ *access, const void *address, uint64_t size);
/* Called before each external call. Allocations until the next call belong to the block of
 * @calls. */
void portolan_call_at_(const struct portolan_calls_ *calls);
/* Called before and after each external call that can return. The first function's result is an
 * argument of the second. */
uint64_t portolan_call_begin_(void);
void portolan_call_end_(struct portolan_calls_ *calls, uint64_t begun);
/* Called at the start and end of functions that external code may call. Their time is not part of
 * the external call. */
void portolan_enter_(void);
void portolan_leave_(void);
/* Called before each longjmp, which may leave a signal handler. */
void portolan_jump_(void);

#endif
