/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/simulation.h"

#include <stdlib.h>

void simulation_done(struct simulation *sim)
{
    free(sim->steps);
    sim->steps = NULL;
}

enum stage stage_at(const struct simulated_step *step, int32_t cycle)
{
    if (cycle < step->fetch || cycle > step->retire)
        return STAGE_NONE;
    if (cycle == step->retire)
        return STAGE_RETIRED;
    if (cycle == step->dispatch)
        return STAGE_DISPATCHED;
    if (cycle <= step->issue)
        return cycle == step->issue   ? STAGE_RENAMED
               : cycle == step->fetch ? STAGE_FETCHED
                                      : STAGE_QUEUED;
    return cycle < step->dispatch ? STAGE_WAITS : cycle < step->done ? STAGE_EXECUTES : STAGE_DONE;
}

char stage_glyph(enum stage stage)
{
    return "F.I-D=_R "[stage];
}
