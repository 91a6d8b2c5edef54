/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/heat.h"

#include <math.h>

unsigned heat_terminal(double share)
{
    static const unsigned grounds[] = {236, 237, 58, 94, 130, 166, 202, 196};
    unsigned level = share > 0 ? (unsigned)(fmin(1, share) * 7.999) : 0;

    return grounds[level];
}

void heat_html(double share, struct str *out)
{
    double heat = fmin(1, share);
    int green = (int)lround(heat < 0.5 ? 250 - 50 * heat : 225 - 185 * (2 * heat - 1)), blue = (int)lround(heat < 0.5 ? 225 - 290 * heat : 80 - 50 * (2 * heat - 1));

    str_addf(out, " style=\"background:#%02x%02x%02x%s\"", heat < 0.5 ? 255 : (int)lround(255 - 60 * (2 * heat - 1)), green, blue, heat > 0.75 ? ";color:#fff" : "");
}
