/* Monotonic time, which a test can replace. */
#ifndef PORTOLAN_BASE_CLOCK_H
#define PORTOLAN_BASE_CLOCK_H
/* Seconds since the first call. Any thread. */
double clock_seconds(void);
/* Real seconds, never replaced by a test: for real waits, such as for an idle core. Any thread. */
double clock_wall(void);
/* For tests: clock_seconds() returns @source() from now on. NULL restores the real clock. */
void clock_set_source(double (*source)(void));
#endif
