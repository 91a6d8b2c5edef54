/* Monotonic time; a test may hold the hands. */
#ifndef PORTOLAN_BASE_CLOCK_H
#define PORTOLAN_BASE_CLOCK_H
/* Seconds since the first call. Any thread. */
double clock_seconds(void);
/* The same whatever a test does with the hands: for what waits for something real, such as a quiet
 * core. Any thread. */
double clock_wall(void);
/* Tests: from now on clock_seconds() returns @source(). NULL restores the real one. */
void clock_set_source(double (*source)(void));
#endif
