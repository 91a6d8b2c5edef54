/* SPDX-License-Identifier: 0BSD */
/* Writes the trace as buffered text to a file. Linked into traced programs, but does not use their
 * streams. One thread. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_OUTPUT_H
#define PORTOLAN_PROGRAM_RUNTIME_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "program/runtime/bins.h"
#include "program/runtime/layout.h"

extern struct portolan_unit_ *__start_portolan_units[] __attribute__((weak)),
    *__stop_portolan_units[] __attribute__((weak));

struct output {
    int file;
    int failed;
    size_t length;
    char text[1 << 16];
};

/* Writes the buffered text to the file. Sets o->failed if a write fails. */
static inline void flush(struct output *o)
{
    for (size_t done = 0; done < o->length && !o->failed;) {
        ssize_t n = write(o->file, o->text + done, o->length - done);
        if (n < 0 && errno != EINTR)
            o->failed = 1;
        done += n > 0 ? (size_t)n : 0;
    }
    o->length = 0;
}

/* Appends formatted text of up to 511 bytes */
#define PUT(o, ...)                                                                                \
    do {                                                                                           \
        if (sizeof(o)->text - (o)->length < 512)                                                   \
            flush(o);                                                                              \
        (o)->length +=                                                                             \
            (size_t)snprintf((o)->text + (o)->length, sizeof(o)->text - (o)->length, __VA_ARGS__); \
    } while (0)

static inline void put_access(struct output *o, uint64_t index,
                              const struct portolan_access_ *access)
{
    PUT(o, "access %llu %llu", (unsigned long long)index, (unsigned long long)access->references);
    for (unsigned i = 0; access->bins && i < REUSE_BINS; i++)
        if (access->bins[i].count)
            PUT(o, " %u:%llu:%llu:%llu:%llu", i, (unsigned long long)access->bins[i].count,
                (unsigned long long)access->bins[i].sum,
                (unsigned long long)access->bins[i].regular,
                (unsigned long long)(access->bins[i].regular * access->bins[i].step));
    PUT(o, "\nplace %llu %llu %llu\n", (unsigned long long)index,
        (unsigned long long)access->steps.last,
        (unsigned long long)(access->sum - access->references * access->steps.last));
}

static inline void put_unit(struct output *o, const struct portolan_unit_ *unit)
{
    PUT(o, "unit %.200s %llu %llu\n", unit->key, (unsigned long long)unit->blocks,
        (unsigned long long)unit->accesses);
    for (uint64_t i = 0; i < unit->blocks; i++)
        if (unit->counts[2 * i])
            PUT(o, "block %llu %llu %llu\n", (unsigned long long)i,
                (unsigned long long)unit->counts[2 * i],
                (unsigned long long)unit->counts[2 * i + 1]);
    for (uint64_t i = 0; i < unit->blocks; i++)
        if (unit->mispredicted[i])
            PUT(o, "mispredicted %llu %llu\n", (unsigned long long)i,
                (unsigned long long)unit->mispredicted[i]);
    for (uint64_t i = 0; i < unit->blocks; i++)
        if (unit->calls[i].count)
            PUT(o, "calls %llu %llu %llu %llu %llu\n", (unsigned long long)i,
                (unsigned long long)unit->calls[i].count, (unsigned long long)unit->calls[i].kept,
                (unsigned long long)unit->calls[i].ticks,
                (unsigned long long)unit->calls[i].callbacks);
    for (uint64_t i = 0; i < unit->accesses; i++)
        if (unit->access[i].references)
            put_access(o, i, &unit->access[i]);
    for (uint64_t i = 0; i < unit->accesses; i++) {
        const struct portolan_access_ *access = &unit->access[i];
        if (access->from_votes && access->from >= unit->access &&
            access->from < unit->access + unit->accesses)
            PUT(o, "forward %llu %llu %llu %llu\n", (unsigned long long)i,
                (unsigned long long)(access->from - unit->access),
                (unsigned long long)access->from_age, (unsigned long long)access->from_votes);
    }
}

/* Writes an allocation with its block, @calls, whose unit is an index among the written units. The
 * index of an unknown unit is invalid. */
static inline void put_allocation(struct output *o, const struct portolan_calls_ *calls,
                                  uint64_t size, unsigned of)
{
    uint64_t unit = 0, block = 0;

    for (struct portolan_unit_ **at = __start_portolan_units; at < __stop_portolan_units; at++) {
        if (!*at || (*at)->version != PORTOLAN_RUNTIME_VERSION)
            continue;
        if (calls >= (*at)->calls && calls < (*at)->calls + (*at)->blocks) {
            block = (uint64_t)(calls - (*at)->calls);
            break;
        }
        unit++;
    }
    PUT(o, "allocation %llu %llu %llu %u\n", (unsigned long long)unit, (unsigned long long)block,
        (unsigned long long)size, of);
}

#endif
