/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/sharing.h"

#include <math.h>

double sharing_own(const struct sharing *s, double distance)
{
    if (s->threads <= 1 || isinf(distance))
        return distance;
    return fmin(distance, s->footprint * (s->common + (1 - s->common) / s->threads));
}

double sharing_between(const struct sharing *s, double distance)
{
    if (s->threads <= 1 || isinf(distance))
        return distance;
    return fmin(s->footprint,
                sharing_own(s, distance) * (s->common + s->threads * (1 - s->common)));
}

double sharing_common(const struct sharing *s, double distance)
{
    return sharing_own(s, distance);
}
