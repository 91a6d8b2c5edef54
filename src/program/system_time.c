/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/pages.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/compare.h"
#include "program/heap.h"
#include "program/native_core.h"
#include "program/runs.h"

/* Smallest and largest number of pages per measurement. With an area larger than the second level,
 * a page takes longer, because the system fills it with zeros. */
#define PAGES_LEAST 64.0
#define PAGES_MOST 2048.0
#define READINGS 5

/* Returns the seconds per page for @count pages. Each page is written for the first time and then
 * returned to the system. Returns NaN if out of memory. */
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

double system_seconds(const struct run_pages *pages, struct err *err)
{
    const size_t count = (size_t)fmin(PAGES_MOST, fmax(PAGES_LEAST, pages->used));
    const double start = program_start_seconds(err);
    double seen[READINGS];

    for (int i = 0; i < READINGS; i++)
        seen[i] = page_seconds(count);
    if (isnan(seen[0])) /* Without memory the program could not allocate these pages either. */
        return start;
    qsort(seen, READINGS, sizeof *seen, compare_doubles);
    return start + pages->faults * seen[READINGS / 2];
}
