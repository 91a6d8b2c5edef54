/* Caches shared by the threads of a program, from the profile of its serial run: an extension of
 * the stack distance model, not of the paper's. Each of p threads does 1/p of the work on its own
 * part of the lines, and all go forward at one pace; a share of the lines may be used by all. Then
 * a thread reuses lines as the serial run does, but never farther away than its lines; and in a
 * cache that they share, lines of the others come between. Pure; any thread. */
#ifndef PORTOLAN_PROGRAM_SHARING_H
#define PORTOLAN_PROGRAM_SHARING_H

/* Share of the core that other users leave: of the slots in which µops are issued, and of the
 * ports' work; 1: all. Also how often per second of its CPU time a thread is preempted, and for how
 * many seconds in all: meanwhile the others fill the core's caches. */
struct core_share { double slots, ports, taken_over, away; };

struct sharing {
    double threads;          /* 0 and 1: a serial run */
    double footprint;        /* distinct lines of the whole program */
    double common;           /* share of the lines that all threads use, 0 to 1 */
};

/* In a cache of one core, of references at @distance in the serial run. */
double sharing_own(const struct sharing *s, double distance);
/* In a cache that the threads share: of references to lines that are one thread's. */
double sharing_between(const struct sharing *s, double distance);
/* The same of references to common lines: one of the p threads, evenly spaced, has used them 1/p as
 * long ago, and p threads have advanced since: the same distance as in a thread of its own. Threads
 * in step find them nearer. */
double sharing_common(const struct sharing *s, double distance);

#endif
