/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes as the trace of a program with two units. Expects consistent counts, or an error. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/runs.h"
#include "program/runtime/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BLOCK                                                                                      \
    "{\"line\":1,\"two_way\":true,\"ops\":[\"fadd\",\"fmul 0\"],\"next\":[0,1],\"calls\":[\"f\"]}"
#define UNIT(key)                                                                                  \
    "{\"key\":\"" key "\",\"source\":\"a.c\",\"language\":\"c\",\"level\":\"-O2\",\"assembly\":"   \
                      "\"\",\"functions\":[{\"name\":\"main\",\"blocks\":[" BLOCK "," BLOCK "]}]," \
    "\"references\":[{\"block\":0,\"bytes\":8,\"write\":false},{\"block\":1,\"bytes\":4,"          \
    "\"write\":true}]}"

static const struct program *two_units(void)
{
    static const char *const units[] = {UNIT("a"), UNIT("b")};
    static const struct program *p;
    struct str bytes = {0};
    struct err err = {0};

    for (size_t i = 0; !p && i < 2; i++)
        str_addf(&bytes, "%s %zu\n%s\n", PORTOLAN_ABOUT_MAGIC, strlen(units[i]), units[i]);
    if (!p && !(p = program_read("program", &bytes, &err)))
        abort();
    str_done(&bytes);
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct program *p = two_units();
    struct program_run run = {.mode = TRACE_EXACT};
    struct str bytes = {0};
    struct err err = {0};

    str_add_bytes(&bytes, data, size);
    bool ok = program_trace_parse(p, "trace", &bytes, &run, &err);
    if (!ok && !err.what[0])
        abort();
    for (size_t i = 0; ok && i < p->block_count; i++)
        if (!(run.counts[i] >= 0) || !(run.taken[i] <= run.counts[i]))
            abort();
    for (size_t i = 0; ok && i < p->reference_count; i++)
        for (size_t k = 0; k < run.references[i].bin_count; k++)
            if (!(run.references[i].bins[k].count >= 0) ||
                isnan(run.references[i].bins[k].distance))
                abort();
    double *faults = calloc(run.allocation_count + 1, sizeof *faults);
    heap_faults(run.allocations, run.allocation_count, true, faults);
    for (size_t i = 0; i < run.allocation_count; i++) {
        const struct heap_event *e = &run.allocations[i];
        if (!(faults[i] >= 0) || (e->of != HEAP_NONE && e->of >= i) ||
            (e->block != HEAP_NONE && e->block >= p->block_count))
            abort();
    }
    free(faults);
    program_run_done(p, &run);
    str_done(&bytes);
    return 0;
}
