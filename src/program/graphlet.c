/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/graphlet.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const class_names[OP_CLASSES] = {"iadd",  "imul",    "idiv",   "logic",
                                                    "fadd",  "fmul",    "fdiv",   "load",
                                                    "store", "convert", "branch", "call"};

const char *op_class_name(enum op_class class)
{
    return class_names[class];
}

bool op_class_find(const char *name, size_t length, enum op_class *out)
{
    for (unsigned i = 0; i < OP_CLASSES; i++)
        if (strlen(class_names[i]) == length && memcmp(class_names[i], name, length) == 0) {
            *out = (enum op_class)i;
            return true;
        }
    return false;
}

/* Returns the time at which the first free pipe of @kind starts an instruction whose inputs are
 * ready at @ready. Marks the pipe as used in @free_at. */
static double take_pipe(const struct pipe_kind *kind, double *free_at, double ready)
{
    unsigned first = 0;
    for (unsigned i = 1; i < kind->count; i++)
        if (free_at[i] < free_at[first])
            first = i;
    double start = free_at[first] > ready ? free_at[first] : ready;
    free_at[first] = start + kind->interval;
    return start;
}

double graphlet_cycles(const struct graphlet_op *ops, size_t count,
                       const struct pipe_kind kinds[OP_CLASSES], double *busy)
{
    double(*free_at)[GRAPHLET_PIPES_MOST] = mem_zero(OP_CLASSES, sizeof *free_at),
    *done = mem_zero(count + 1, sizeof *done), last = 0;

    for (unsigned i = 0; busy && i < OP_CLASSES; i++)
        busy[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pipe_kind *kind = &kinds[ops[i].class];
        double ready = 0;
        for (unsigned k = 0; k < ops[i].read_count; k++)
            ready = done[ops[i].reads[k]] > ready ? done[ops[i].reads[k]] : ready;
        done[i] = take_pipe(kind, free_at[ops[i].class], ready) + kind->latency;
        last = done[i] > last ? done[i] : last;
        if (busy)
            busy[ops[i].class] += kind->interval;
    }
    free(free_at);
    free(done);
    return last;
}
