/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/recording.h"

#include <string.h>

void recording_done(struct recording *r)
{
    vec_done(&r->insns);
    vec_done(&r->events);
    vec_done(&r->iterations);
}

#define COPY(to, from)                                                                             \
    do {                                                                                           \
        vec_reserve((to), (from)->count);                                                          \
        if ((from)->count)                                                                         \
            memcpy((to)->items, (from)->items, (from)->count * sizeof *(from)->items);             \
        (to)->count = (from)->count;                                                               \
    } while (0)

void recording_copy(const struct recording *from, struct recording *to)
{
    *to = (struct recording){.first = from->first};
    COPY(&to->insns, &from->insns);
    COPY(&to->events, &from->events);
    COPY(&to->iterations, &from->iterations);
}

bool recorded_branch(const struct recorded_insn *in)
{
    return in->indirect || in->insn->traits & INSN_CONDITIONAL;
}

bool recorded_access(const struct recorded_insn *in)
{
    return !(in->insn->traits & INSN_BRANCH) && insn_memory(in->insn) &&
           in->insn->traits & (INSN_LOAD | INSN_STORE);
}
