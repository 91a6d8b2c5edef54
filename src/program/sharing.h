/* Caches shared by the threads of a program, from the profile of its serial run. The paper lacks
 * this extension of the stack distance model. Each of p threads does 1/p of the work on its own
 * lines, at the same pace; a share of the lines may be common to all. A thread reuses lines as in
 * the serial run, but never at a distance above the number of its own lines. In a shared cache,
 * lines of other threads intervene. Pure; any thread. */
#ifndef PORTOLAN_PROGRAM_SHARING_H
#define PORTOLAN_PROGRAM_SHARING_H

/* Share of the core that other tasks leave: issue slots, and port work; 1: all. taken_over:
 * preemptions per CPU second. away: share of the time lost to them, in which other tasks fill the
 * core's caches. */
struct core_share { double slots, ports, taken_over, away; };

struct sharing {
    double threads;          /* number of threads; 0 and 1: serial run */
    double footprint;        /* distinct lines of the whole program */
    double common;           /* share of the lines that all threads use, 0 to 1 */
};

/* Returns the distance in a private cache, from @distance in the serial run. */
double sharing_own(const struct sharing *s, double distance);
/* Returns the distance in a shared cache, for lines of one thread. */
double sharing_between(const struct sharing *s, double distance);
/* Returns the distance in a shared cache, for common lines. One of p evenly spaced threads used
 * them after 1/p of the time, in which p threads advanced. Therefore the distance equals that of
 * one thread. Threads at the same position have a smaller distance. */
double sharing_common(const struct sharing *s, double distance);

#endif
