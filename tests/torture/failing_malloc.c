/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A preloaded library in which allocation number FAIL_AT (from 1) fails, or with FAIL_FOR=N also
 * the next N - 1. Allocations by libraries count. FAIL_COUNT names a file for the total number of
 * allocations. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;
static unsigned long first, past;

static unsigned long number(const char *variable, unsigned long fallback)
{
    const char *text = getenv(variable);
    return text ? strtoul(text, NULL, 10) : fallback;
}

/* Child processes, such as the assembler, are exempt. */
static void __attribute__((constructor)) begin(void)
{
    first = number("FAIL_AT", 0);
    past = first + number("FAIL_FOR", 1);
    unsetenv("LD_PRELOAD");
}

static void __attribute__((destructor)) end(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", atomic_load(&calls));
        fclose(file);
    }
}

static int fails(void)
{
    unsigned long call = atomic_fetch_add(&calls, 1) + 1;
    if (!first || call < first || call >= past)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}
