/* Parses and prints durations. */
#ifndef PORTOLAN_BASE_DURATION_H
#define PORTOLAN_BASE_DURATION_H

#include "base/err.h"
#include "base/str.h"

/* Parses 250ms, 90s, 15m (or min), 2h, or a number of seconds. Returns false with err and leaves
 * *@seconds unchanged if @text is not a duration, is negative, or is 1e9 seconds or more. */
bool duration_parse(const char *text, double *seconds, struct err *err);
/* Appends a duration in a suitable unit: "250 ms", "42 s", "3 min", "2.5 h". */
void duration_print(double seconds, struct str *out);

#endif
