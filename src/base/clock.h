/* Monotonic time, which tests can replace. */
#ifndef PORTOLAN_BASE_CLOCK_H
#define PORTOLAN_BASE_CLOCK_H
/* Returns the seconds since the first call. Any thread. */
double clock_seconds(void);
/* Returns the real seconds since the first call, for real waits, such as the wait for an idle core.
 * Tests do not replace this clock. Any thread. */
double clock_wall(void);
/* For tests: makes clock_seconds() return @source(). NULL restores the real clock. */
void clock_set_source(double (*source)(void));
#endif
