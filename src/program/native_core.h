/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a thread's clock and the share of the core that other tasks leave. Both vary within
 * milliseconds, so many short measurements are interleaved with other work. */
#ifndef PORTOLAN_PROGRAM_NATIVE_CORE_H
#define PORTOLAN_PROGRAM_NATIVE_CORE_H

#include "base/vec.h"
#include "model/machine.h"
#include "program/sharing.h"

/* Returns the CPU time of this thread in seconds. Excludes other threads on the same CPU. */
double native_seconds(void);
/* Returns the seconds between two clock readings, a system call. Callers subtract it from short
 * loops. */
double native_empty(void);
/* Returns the number of involuntary context switches of this thread. */
double native_taken_over(void);

/* clock in Hz; seconds of one iteration of each loop */
struct core_reading { double clock_hz, loads, nops; };
struct core_readings { VEC(struct core_reading) list; };

/* Adds a measurement; takes 25 microseconds. */
void core_readings_add(struct core_readings *r);
/* Returns the mean of @values without the lowest and highest tenth. Sorts @values. A shared core
 * alternates between states for milliseconds: a program experiences their mean, but a median is one
 * of them. */
double core_mean_of_most(double *values, size_t count);
/* Computes the clock, and slots and ports of @share. Needs at least one measurement of @m's
 * core. */
void core_readings_judge(const struct core_readings *r, const struct machine *m, double *clock_hz,
                         struct core_share *share);
void core_readings_done(struct core_readings *r);

/* Returns the present clock of this thread in Hz, measured by a chain of 17 microseconds. */
double native_clock(void);
/* Measures clock and share of the core, but no memory, for 25 milliseconds on a fixed CPU. @m is
 * this CPU's machine. One thread. */
void native_core(const struct machine *m, double *clock_hz, struct core_share *share);

/* Measurements while a program runs on the calling thread's CPU. The thread and its children are
 * bound to that CPU until native_watch_end. */
#define NATIVE_WATCH_PERIOD 1e-3 /* seconds between measurements */
struct native_watch;
/* Returns NULL if the thread cannot be bound to one CPU. */
struct native_watch *native_watch_start(void);
/* Measures once. Call it every NATIVE_WATCH_PERIOD seconds, while the program waits for this
 * CPU. */
void native_watch_read(struct native_watch *watch);
/* Returns the number of measurements. Returns 0 and sets nothing if there are too few: the program
 * was short or had real-time priority. Sets slots and ports of @share. Frees @watch (may be NULL)
 * and unbinds the thread. */
size_t native_watch_end(struct native_watch *watch, const struct machine *m, double *clock_hz,
                        struct core_share *share);

#endif
