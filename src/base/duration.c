/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_LIMIT 1e9

bool duration_parse(const char *text, double *seconds, struct err *err)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    double value = strtod(text, &end);

    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && value >= 0 &&
            value * units[i].seconds < SECONDS_LIMIT) {
            *seconds = value * units[i].seconds;
            return true;
        }
    return err_set(err, ERR_USAGE, "write 250ms, 90s, 15m or 2h; a bare number is seconds",
                   "invalid duration \"%s\"", text);
}

void duration_print(double seconds, struct str *out)
{
    if (seconds > 0 && seconds < 1)
        str_addf(out, "%.0f ms", 1e3 * seconds);
    else if (seconds < 100)
        str_addf(out, "%.0f s", seconds);
    else if (seconds < 6000)
        str_addf(out, "%.0f min", seconds / 60);
    else
        str_addf(out, "%.1f h", seconds / 3600);
}
