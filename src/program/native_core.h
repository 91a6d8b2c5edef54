/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of a thread: its clock, and the share that other users leave. Both change within
 * milliseconds, so many short readings are taken during other work. */
#ifndef PORTOLAN_PROGRAM_NATIVE_CORE_H
#define PORTOLAN_PROGRAM_NATIVE_CORE_H

#include "base/vec.h"
#include "model/machine.h"
#include "program/sharing.h"

/* CPU time of this thread, in seconds, without others' on the same CPU. */
double native_seconds(void);
/* Overhead of two looks at it: a system call, which a short loop must not be charged with. */
double native_empty(void);
/* Times that others got the CPU from this thread while it could have gone on. */
double native_taken_over(void);

struct core_reading { double clock_hz, loads, nops; };   /* seconds of one turn of each loop */
struct core_readings { VEC(struct core_reading) list; };

/* Adds one reading, 25 microseconds. */
void core_readings_add(struct core_readings *r);
/* The mean of all except the lowest and the highest tenth of @values, which are then sorted. A
 * shared core alternates between states for some milliseconds each: a program gets the mean of
 * both, a median is one or the other. */
double core_mean_of_most(double *values, size_t count);
/* Clock, and slots and ports of @share, from the readings, at least one, of @m's core. */
void core_readings_judge(const struct core_readings *r, const struct machine *m, double *clock_hz,
                         struct core_share *share);
void core_readings_done(struct core_readings *r);

/* Cycles per second that this thread has now, by a chain of 17 microseconds. */
double native_clock(void);
/* Clock and share of the core without the memory, from 25 milliseconds; of a thread that keeps its
 * CPU. @m: the machine that this CPU is. One thread. */
void native_core(const struct machine *m, double *clock_hz, struct core_share *share);

/* Readings while a program runs, on the CPU of the calling thread, which stays there until the end,
 * as do its children. */
#define NATIVE_WATCH_PERIOD 1e-3 /* seconds from one to the next */
struct native_watch;
/* NULL where the thread cannot be kept on one CPU. */
struct native_watch *native_watch_start(void);
/* One more: to be called once in NATIVE_WATCH_PERIOD, while the program waits for this CPU. */
void native_watch_read(struct native_watch *watch);
/* How many readings there were; 0, with nothing set, where there were too few: the program was too
 * short, or had the CPU to itself by a real-time priority. @watch (may be NULL) is gone then, and
 * the thread free again. @share: slots and ports only. */
size_t native_watch_end(struct native_watch *watch, const struct machine *m, double *clock_hz,
                        struct core_share *share);

#endif
