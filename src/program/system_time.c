/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/pages.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/compare.h"
#include "program/heap.h"
#include "program/native_core.h"
#include "program/runs.h"

/* Limits of the number of pages per measurement. Between the limits, it is the number of pages that
 * the program uses. In an area larger than the second-level cache, a page takes longer, because the
 * system fills each page with zeros. */
#define PAGES_LEAST 64.0
#define PAGES_MOST 2048.0
#define READINGS 5
/* Duration of the measurement of the share of user time. The system counts clock ticks:
 * measurements over 20 ticks (0.2 s) gave shares of 0.41 to 0.64 on a virtual Turin. */
#define SHARE_SECONDS 1.0

/* Returns the seconds per page of writing @count new pages and returning them to the system.
 * Returns NaN if out of memory. */
static double page_seconds(size_t count)
{
    const size_t page = (size_t)HEAP_PAGE;
    double start = native_seconds();
    char *at = mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        return NAN;
    for (size_t i = 0; i < count; i++)
        *(volatile char *)(at + i * page) = 1;
    munmap(at, count * page);
    return (native_seconds() - start) / (double)count;
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

double page_fault_user_share(void)
{
    const double start = native_seconds();
    struct rusage before = {.ru_nivcsw = 0}, after = before;

    getrusage(RUSAGE_THREAD, &before);
    while (native_seconds() - start < SHARE_SECONDS && !isnan(page_seconds((size_t)PAGES_MOST)))
        continue;
    getrusage(RUSAGE_THREAD, &after);
    const double user = seconds_of(&after.ru_utime) - seconds_of(&before.ru_utime),
                 system = seconds_of(&after.ru_stime) - seconds_of(&before.ru_stime);
    return user > 0 ? user / (user + system) : 0;
}

bool system_cost_of(const struct run_pages *pages, double user_share, struct system_cost *out,
                    struct err *err)
{
    const size_t count = (size_t)fmin(PAGES_MOST, fmax(PAGES_LEAST, pages->used));
    double seconds[READINGS];

    *out = (struct system_cost){0, program_start_seconds(err)};
    if (isnan(out->system))
        return false;
    for (int i = 0; i < READINGS; i++) {
        seconds[i] = page_seconds(count);
        if (isnan(seconds[i])) /* The measurement fails if memory is lacking. The program could not
                                * allocate these pages either. */
            return true;
    }
    /* Uses the median. Pages whose memory the host provided just before take the least time.
     * Measured with 256 pages on a virtual Turin: the least time was 13 µs. The mean, and the time
     * of a program's first uses, was 18 µs. */
    qsort(seconds, READINGS, sizeof *seconds, compare_doubles);
    const double faults = pages->faults * seconds[READINGS / 2];
    out->user = isnan(user_share) ? 0 : user_share * faults;
    out->system += faults - out->user;
    return true;
}
