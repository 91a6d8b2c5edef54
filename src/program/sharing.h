/* Caches shared by the threads of a program, from the reuse distances of its serial run. The
 * PPT-AMMP paper lacks this extension of the stack distance model. Each of p threads does 1/p of
 * the work on its own lines, at the same pace. A share of the lines may be common to all threads. A
 * thread reuses lines as in the serial run, but never at a distance above the number of its own
 * lines. In a shared cache, other threads use lines between two uses of a line. Pure. Any
 * thread. */
#ifndef PORTOLAN_PROGRAM_SHARING_H
#define PORTOLAN_PROGRAM_SHARING_H

/* Effect of other tasks on the program's core. @slots, @ports: share of the issue slots and of the
 * ports that they leave, 0 to 1. @taken_over: preemptions per second of CPU time. @away: seconds
 * per second of CPU time in which other tasks, and no thread of the program, ran and filled the
 * core's caches. */
struct core_share { double slots, ports, taken_over, away; };

struct sharing {
    double threads;          /* number of threads; 0 or 1: serial run */
    double footprint;        /* number of distinct lines of the whole program */
    double common;           /* fraction of the lines that all threads use, 0 to 1 */
};

/* Returns a line's distance in a private cache. @distance: its distance in the serial run. */
double sharing_own(const struct sharing *s, double distance);
/* Returns the distance in a shared cache of a line that only one thread uses. */
double sharing_between(const struct sharing *s, double distance);
/* Returns the distance in a shared cache of a line that all threads use. With p evenly spaced
 * threads, another thread used the line 1/p of the time ago, during which p threads advanced. The
 * distance is therefore the same as in one thread. It is smaller if the threads are at the same
 * position. */
double sharing_common(const struct sharing *s, double distance);

#endif
