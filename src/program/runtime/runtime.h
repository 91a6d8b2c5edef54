/* SPDX-License-Identifier: 0BSD */
/* Interface of the code that portolan-cc adds and the runtime that it links. Layouts are those that
 * compiler/instrument.c writes. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_RUNTIME_H
#define PORTOLAN_PROGRAM_RUNTIME_RUNTIME_H

#include <stdint.h>

#include "program/runtime/steps.h"

#define PORTOLAN_UNIT_SECTION "portolan_units" /* pointers to units; the linker names its ends */
#define PORTOLAN_ABOUT_SECTION ".portolan"     /* descriptions of units, in sequence */
/* "portolan-unit LENGTH\n", then LENGTH bytes of JSON and a \n */
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
#define PORTOLAN_RUNTIME_VERSION 5u

struct portolan_bin_ {
    uint64_t count, sum; /* references, and their distances added up */
    uint64_t regular;    /* of them, those at a steady step of the same instruction */
    uint64_t steps;      /* those steps added up, in bytes */
};

/* A load or store instruction. Words, zero at first. */
struct portolan_access_ {
    uint64_t references;
    struct portolan_bin_ *bins;
    struct steps steps;
    /* Of a load, the store that most of its values come from, and how often that store was executed
     * since: Boyer and Moore's majority vote. */
    struct portolan_access_ *from;
    uint64_t from_age, from_votes;
};

/* Calls from a block into code that is not compiled here, such as libraries. */
struct portolan_calls_ {
    uint64_t count, kept; /* all, and those whose time counts */
    uint64_t ticks;       /* of those kept */
};

/* A compiled file. */
struct portolan_unit_ {
    uint64_t version, blocks, accesses;
    const char *key; /* its name also in the description */
    /* two per block: executions, and how many of them left by the branch's first way */
    uint64_t *counts;
    struct portolan_access_ *access;
    struct portolan_calls_ *calls; /* per block */
};

void portolan_touch_(struct portolan_access_ *access, const void *address, uint64_t size);
/* The same of stores to, or loads from, one address. */
void portolan_store_(struct portolan_access_ *access, const void *address, uint64_t size);
void portolan_load_(struct portolan_access_ *access, const void *address, uint64_t size);
void portolan_touch_range_(struct portolan_access_ *access, const void *address, uint64_t size);
/* Before each such call: allocations from now on are those of @calls, its block. */
void portolan_call_at_(const struct portolan_calls_ *calls);
/* Around each such call that returns; the result of the first goes into the second. */
uint64_t portolan_call_begin_(void);
void portolan_call_end_(struct portolan_calls_ *calls, uint64_t begun);
/* At both ends of functions that such a call may call back: their own blocks count their time. */
void portolan_enter_(void);
void portolan_leave_(void);
/* Before each longjmp: it may leave a handler. */
void portolan_jump_(void);

#endif
