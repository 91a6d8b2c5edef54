/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/shortage.h"

#include <sys/mman.h>

#include "base/mem_try.h"

static _Thread_local struct shortage *current;
static _Thread_local struct { void *block; size_t bytes; unsigned depth; } needed;
static _Atomic(void *) kept, last;
static atomic_bool unclaimed;

/* Maps address space that is never touched. Such space uses no memory, but counts towards limits of
 * address space. Returns NULL on failure. */
static void *map(size_t size)
{
    if (mem_refused(size))
        return NULL;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

static bool keep(_Atomic(void *) *place, size_t size)
{
    void *nothing = NULL, *block = atomic_load(place) ? NULL : map(size);

    if (block && !atomic_compare_exchange_strong(place, &nothing, block))
        munmap(block, size);
    return atomic_load(place) != NULL;
}

static bool yield(_Atomic(void *) *place, size_t size)
{
    void *block = atomic_exchange(place, NULL);
    if (block)
        munmap(block, size);
    return block != NULL;
}

bool shortage_keep(void)
{
    /* Requests both reserves, even if the first request fails. */
    bool saved = keep(&last, SHORTAGE_LAST);

    return keep(&kept, SHORTAGE_KEPT) && saved;
}

struct shortage *shortage_begin(struct shortage *of)
{
    struct shortage *before = current;
    current = of;
    if (of)
        shortage_keep();
    return before;
}

void shortage_restore(struct shortage *before)
{
    current = before;
    shortage_keep();
}

struct shortage *shortage_current(void)
{
    return current;
}

bool shortage_met(void)
{
    if (!current || !atomic_load_explicit(&current->needed, memory_order_relaxed))
        return false;
    atomic_store(&current->cut, true);
    return true;
}

bool shortage_lose(size_t bytes)
{
    size_t none = 0;

    if (!current)
        return false;
    atomic_compare_exchange_strong(&current->needed, &none, bytes);
    atomic_store(&current->cut, true);
    atomic_store(&current->lost, true);
    return true;
}

void *shortage_alloc(size_t size)
{
    void *block = mem_try_alloc(size);
    if (!block)
        shortage_lose(size);
    return block;
}

void *shortage_zero(size_t count, size_t size)
{
    void *block = mem_try_zero(count, size);
    if (!block)
        shortage_lose(count * size);
    return block;
}

bool shortage_need(size_t bytes)
{
    /* Smaller requests need no test, because they fit into the reserve. */
    if (!needed.depth && bytes > SHORTAGE_KEPT / 2) {
        needed.block = map(bytes);
        needed.bytes = bytes;
        if (!needed.block) {
            shortage_lose(bytes);
            return false;
        }
    }
    needed.depth++;
    return true;
}

static bool yield_needed(void)
{
    void *block = needed.block;

    needed.block = NULL;
    if (block)
        munmap(block, needed.bytes);
    return block != NULL;
}

void shortage_reserve(void)
{
    if (--needed.depth == 0)
        yield_needed();
}

bool shortage_lost(void)
{
    return current && atomic_load_explicit(&current->lost, memory_order_relaxed);
}

bool shortage_end(const struct shortage *of, bool ok, const char *what, struct err *err)
{
    size_t least = atomic_load(&of->needed);

    if (!least || (ok && !atomic_load(&of->cut)))
        return ok;
    if (ok || !err || err->code != ERR_MEMORY)
        err_memory_for(err, what, least);
    return false;
}

bool shortage_yield(size_t bytes)
{
    size_t none = 0;
    bool given = yield_needed() || yield(&kept, SHORTAGE_KEPT);

    if (current)
        atomic_compare_exchange_strong(&current->needed, &none, bytes ? bytes : 1);
    else
        atomic_store(&unclaimed, true);
    return given;
}

void shortage_yield_last(void)
{
    yield(&kept, SHORTAGE_KEPT);
    yield(&last, SHORTAGE_LAST);
}

bool shortage_unclaimed(void)
{
    return atomic_exchange(&unclaimed, false);
}
