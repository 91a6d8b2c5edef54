/* Caches shared by the threads of a program, from the profile of its serial run: an extension of
 * the stack distance model that the paper lacks. Each of p threads does 1/p of the work on its own
 * lines, at the same pace; a share of the lines may be common to all. A thread then reuses lines as
 * in the serial run, but never farther than its own lines. In a shared cache lines of other threads
 * intervene. Pure; any thread. */
#ifndef PORTOLAN_PROGRAM_SHARING_H
#define PORTOLAN_PROGRAM_SHARING_H

/* Share of the core that other users leave: of issue slots, and of port work; 1: all. Also
 * preemptions per CPU second of a thread, and seconds of each second lost to them, in which others
 * fill the core's caches. */
struct core_share { double slots, ports, taken_over, away; };

struct sharing {
    double threads;          /* 0 and 1: a serial run */
    double footprint;        /* distinct lines of the whole program */
    double common;           /* share of the lines used by all threads, 0 to 1 */
};

/* Distance in a private cache, from @distance in the serial run. */
double sharing_own(const struct sharing *s, double distance);
/* Distance in a shared cache, for lines of one thread. */
double sharing_between(const struct sharing *s, double distance);
/* Distance in a shared cache, for common lines: one of p evenly spaced threads used them 1/p as
 * long ago, while p threads advanced, so the distance is that in the thread alone. Threads in step
 * find them nearer. */
double sharing_common(const struct sharing *s, double distance);

#endif
