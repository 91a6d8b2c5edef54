/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem_try.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

mem_fault_of *_Atomic mem_fault;

bool mem_refused(size_t size)
{
    mem_fault_of *fault = atomic_load_explicit(&mem_fault, memory_order_relaxed);
    return fault && fault(size);
}

void *mem_try_alloc(size_t size)
{
    return mem_refused(size) ? NULL : malloc(size ? size : 1);
}

void *mem_try_zero(size_t count, size_t size)
{
    return mem_refused(count * size) ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *mem_try_resize(void *block, size_t size)
{
    return mem_refused(size) ? NULL : realloc(block, size ? size : 1);
}

void *mem_try_aligned(size_t alignment, size_t size)
{
    return mem_refused(size) ? NULL : aligned_alloc(alignment, (size / alignment + 1) * alignment);
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
