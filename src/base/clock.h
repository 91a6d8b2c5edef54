/* Monotonic time; a test may hold the hands. */
#ifndef PORTOLAN_BASE_CLOCK_H
#define PORTOLAN_BASE_CLOCK_H
/* Seconds since the first call. Any thread. */
double clock_seconds(void);
/* Real time, independent of a test's clock: for real waits, such as for a quiet core. Any
 * thread. */
double clock_wall(void);
/* Tests: from now on clock_seconds() returns @source(). NULL restores the real one. */
void clock_set_source(double (*source)(void));
#endif
