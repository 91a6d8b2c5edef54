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

static void *checked(void *block, size_t size)
{
    if (!block)
        die("out of memory (%zu bytes)", size);
    return block;
}

void *mem_alloc(size_t size)
{
    return checked(malloc(size ? size : 1), size);
}

void *mem_zero(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *mem_resize(void *block, size_t size)
{
    return checked(realloc(block, size ? size : 1), size);
}

void *mem_aligned(size_t alignment, size_t size)
{
    return checked(aligned_alloc(alignment, (size / alignment + 1) * alignment), size);
}

char *mem_strndup(const char *text, size_t length)
{
    if (length == SIZE_MAX)
        die("out of memory (%zu bytes)", length);
    char *copy = mem_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *mem_strdup(const char *text)
{
    return mem_strndup(text, strlen(text));
}
