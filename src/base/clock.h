/* Monotonic time, which tests can replace, and the text of durations. */
#ifndef PORTOLAN_BASE_CLOCK_H
#define PORTOLAN_BASE_CLOCK_H

#include "base/err.h"
#include "base/str.h"

/* Returns the seconds since the first call. Any thread. */
double clock_seconds(void);
/* Returns the real seconds since the first call, for real waits, such as the wait for an idle core.
 * Tests do not replace this clock. Any thread. */
double clock_wall(void);
/* Makes clock_seconds() return @source(), for tests. NULL restores the real clock. */
void clock_set_source(double (*source)(void));

/* Parses 250ms, 90s, 15m (or min), 2h, or a number of seconds. Returns false with err and leaves
 * *@seconds unchanged if @text is not a duration, is negative, or is 1e9 seconds or more. */
bool duration_parse(const char *text, double *seconds, struct err *err);
/* Appends a duration in a suitable unit: "250 ms", "42 s", "3 min", "2.5 h". */
void duration_print(double seconds, struct str *out);

#endif
