/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a thread's clock and the share of the core that other tasks leave. Both vary within
 * milliseconds, so short measurements are made many times, between other work. */
#ifndef PORTOLAN_PROGRAM_NATIVE_CORE_H
#define PORTOLAN_PROGRAM_NATIVE_CORE_H

#include "base/vec.h"
#include "model/machine.h"
#include "program/sharing.h"

/* Returns the CPU time of this thread in seconds. It excludes other threads on the same CPU. */
double native_seconds(void);
/* Returns the seconds between two consecutive native_seconds calls, which are system calls. Callers
 * subtract them from short loops. */
double native_empty(void);
/* Returns the number of involuntary context switches of this thread. */
double native_taken_over(void);

/* Clock in Hz; seconds per iteration of the loops of loads and of nops */
struct core_reading { double clock_hz, loads, nops; };
struct core_readings { VEC(struct core_reading) list; };

/* Adds a measurement, which executes about 100,000 instructions. */
void core_readings_add(struct core_readings *r);
/* Returns the mean of @values without the lowest and highest tenth. Sorts @values. A shared core
 * changes between states every few milliseconds. A program runs at the mean of these states. A
 * median would be the value of one state. */
double core_mean_of_most(double *values, size_t count);
/* Computes the clock in Hz, and the slots and ports of @share. @r must have at least one reading of
 * the core of @m. Stores the clock in *@clock_hz. */
void core_readings_judge(const struct core_readings *r, const struct machine *m, double *clock_hz,
                         struct core_share *share);
void core_readings_done(struct core_readings *r);

/* Returns the current clock of this thread in Hz, measured by a dependence chain of 10,000
 * multiplications. */
double native_clock(void);
/* Measures the clock and the share of the core, but no memory. Makes 24 measurements at intervals
 * of a millisecond. @m: this CPU's machine. One thread. Stores the results in *@clock_hz and
 * @share. */
void native_core(const struct machine *m, double *clock_hz, struct core_share *share);

/* Measurements while a program runs on the calling thread's CPU. The thread and its children may
 * use only that CPU until native_watch_end. */
#define NATIVE_WATCH_PERIOD 1e-3 /* seconds between measurements */
struct native_watch;
/* Starts measurements. Returns NULL if the thread cannot be bound to one CPU. */
struct native_watch *native_watch_start(void);
/* Adds a measurement. Call it every NATIVE_WATCH_PERIOD seconds, while the program waits for this
 * CPU. */
void native_watch_read(struct native_watch *watch);
/* Ends the measurements. Sets the clock, and slots and ports of @share. Returns the number of
 * measurements, or 0, with nothing set, if there are too few: the program was short or had
 * real-time priority. Frees @watch (may be NULL) and unbinds the thread. */
size_t native_watch_end(struct native_watch *watch, const struct machine *m, double *clock_hz,
                        struct core_share *share);

#endif
