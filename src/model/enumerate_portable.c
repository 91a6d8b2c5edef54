/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any processor: the compiler lowers the 16-lane vectors to what the target has. */
#include "model/enumerate.h"

static inline lanes popcount(lanes v)
{
    v -= (v >> 1) & 0x55555555;
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    v += v >> 8;
    return (v + (v >> 16)) & 0x3f;
}

static inline flanes reciprocal(lanes v)
{
    /* 0 becomes 1: the empty subset has no mass. */
    return 1.0f / __builtin_convertvector(v - (v == 0), flanes);
}

static inline int first_set(lanes v)
{
    for (int i = 0; i < 16; i++)
        if (v[i])
            return i;
    return -1;
}

#define POPCOUNT popcount
#define RECIPROCAL reciprocal
#define FIRST_SET first_set
#include "model/enumerate_body.h"

const struct engine engine_portable = {"portable", subsets, zeta, recover, batch};
