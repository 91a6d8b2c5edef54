/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(void (*)(void)) restore_hook;

void die_set_hook(void (*restore)(void))
{
    atomic_store(&restore_hook, restore);
}

void die(const char *format, ...)
{
    /* Taken out first: a hook that dies itself must not come here again. */
    void (*restore)(void) = atomic_exchange(&restore_hook, NULL);
    va_list args;

    if (restore)
        restore();
    fputs("portolan: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

bool (*mem_fault)(size_t size);

static bool refused(size_t size)
{
    return mem_fault && mem_fault(size);
}

static void *checked(void *block, size_t size)
{
    if (!block)
        die("out of memory (%zu bytes)", size);
    return block;
}

void *mem_try_alloc(size_t size)
{
    return refused(size) ? NULL : malloc(size ? size : 1);
}

void *mem_try_zero(size_t count, size_t size)
{
    return refused(count * size) ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *mem_try_resize(void *block, size_t size)
{
    return refused(size) ? NULL : realloc(block, size ? size : 1);
}

char *mem_try_strndup(const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : mem_try_alloc(length + 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void *mem_alloc(size_t size)
{
    return checked(mem_try_alloc(size), size);
}

void *mem_zero(size_t count, size_t size)
{
    return checked(mem_try_zero(count, size), count * size);
}

void *mem_resize(void *block, size_t size)
{
    return checked(mem_try_resize(block, size), size);
}

void *mem_aligned(size_t alignment, size_t size)
{
    return checked(refused(size) ? NULL : aligned_alloc(alignment, (size / alignment + 1) * alignment), size);
}

char *mem_strndup(const char *text, size_t length)
{
    return checked(mem_try_strndup(text, length), length);
}

char *mem_strdup(const char *text)
{
    return mem_strndup(text, strlen(text));
}
