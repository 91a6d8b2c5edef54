/* SPDX-License-Identifier: 0BSD */
/* Interface between the code that portolan-cc adds and its runtime. Layouts must match
 * compiler/instrument.c. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_RUNTIME_H
#define PORTOLAN_PROGRAM_RUNTIME_RUNTIME_H

#include <stdint.h>

#include "program/runtime/steps.h"

/* pointers to units; the linker defines symbols for its ends */
#define PORTOLAN_UNIT_SECTION "portolan_units"
#define PORTOLAN_ABOUT_SECTION ".portolan"     /* consecutive descriptions of units */
/* "portolan-unit LENGTH
 * ", LENGTH bytes of JSON, "
 * " */
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
#define PORTOLAN_RUNTIME_VERSION 6u

struct portolan_bin_ {
    uint64_t count, sum; /* references, and the sum of their distances */
    uint64_t regular;    /* references at a steady step of the same instruction */
    uint64_t steps;      /* sum of those steps, bytes */
};

/* A load or store instruction. Only words, zero-initialised. */
struct portolan_access_ {
    uint64_t references;
    struct portolan_bin_ *bins;
    struct steps steps;
    /* Load: the store of most of its values, and executions of that store since, by Boyer and
     * Moore's majority vote. */
    struct portolan_access_ *from;
    uint64_t from_age, from_votes;
};

/* Calls from a block into external code, such as libraries. */
struct portolan_calls_ {
    uint64_t count, kept; /* all calls, and those whose time counts */
    uint64_t ticks;       /* of the kept calls */
};

/* A compiled file. */
struct portolan_unit_ {
    uint64_t version, blocks, accesses;
    const char *key; /* also its name in the description */
    /* two per block: executions, and those that left by the branch's first direction */
    uint64_t *counts;
    struct portolan_access_ *access;
    struct portolan_calls_ *calls; /* per block */
    uint64_t *mispredicted;        /* per block: its branch, by the model of branch_predictor.h */
};

void portolan_touch_(struct portolan_access_ *access, const void *address, uint64_t size);
/* As portolan_access_ for several references to one address. */
void portolan_store_(struct portolan_access_ *access, const void *address, uint64_t size);
void portolan_load_(struct portolan_access_ *access, const void *address, uint64_t size);
/* Before each conditional branch: its block's counter, and whether it takes the first way. */
void portolan_branch_(uint64_t *mispredicted, uint64_t taken);
void portolan_touch_range_(struct portolan_access_ *access, const void *address, uint64_t size);
/* Called before each external call: allocations belong to @calls, its block, from now on. */
void portolan_call_at_(const struct portolan_calls_ *calls);
/* Called around each external call that returns; the first's result is passed to the second. */
uint64_t portolan_call_begin_(void);
void portolan_call_end_(struct portolan_calls_ *calls, uint64_t begun);
/* Called at both ends of functions that external code may call back: their time belongs to their
 * own blocks. */
void portolan_enter_(void);
void portolan_leave_(void);
/* Before each longjmp: it may leave a handler. */
void portolan_jump_(void);

#endif
