/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for processors whose code cannot be copied, which only return errors */
#if !defined(__x86_64__)
#include "insitu/insitu.h"

#include <math.h>

bool insitu_run(const struct insitu_options *o, struct insitu *out, struct err *err)
{
    (void)o;
    *out = (struct insitu){.ticks_per_cycle = NAN};
    return err_set(
        err, ERR_MISSING,
        "program profile samples the program; kernel measure measures the loop outside its program",
        "program explain runs on x86-64 only");
}

void insitu_done(struct insitu *x)
{
    (void)x;
}

double insitu_cycles(const struct insitu *x, double q, bool *alone)
{
    (void)x;
    (void)q;
    *alone = false;
    return NAN;
}

double insitu_cycles_whole(const struct insitu *x)
{
    (void)x;
    return NAN;
}

bool insitu_original(const struct insitu *x)
{
    (void)x;
    return false;
}

bool replay_sum(const struct replayed_all *r, struct split_replays *out, bool *leaves,
                const char **why)
{
    (void)r;
    (void)out;
    *leaves = false;
    *why = NULL;
    return false;
}

double insitu_between(const struct insitu *x)
{
    (void)x;
    return NAN;
}

double insitu_patch(const struct insitu *x)
{
    (void)x;
    return NAN;
}

double insitu_trip(const struct insitu *x)
{
    (void)x;
    return NAN;
}

uint64_t placed_iterations(const struct placed *x)
{
    return x->iterations;
}
#endif
