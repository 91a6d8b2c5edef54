/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shortage.h"
#include "base/utf8.h"
#include "base/watch.h"

static _Atomic(void (*)(void)) restore_hook, save_hook;

void die_set_hook(void (*restore)(void))
{
    atomic_store(&restore_hook, restore);
}

void die_set_save(void (*save)(void))
{
    atomic_store(&save_hook, save);
}

void die(const char *format, ...)
{
    /* Removes both hooks before the calls, because a hook that calls die() must not run again. */
    void (*restore)(void) = atomic_exchange(&restore_hook, NULL),
         (*save)(void) = atomic_exchange(&save_hook, NULL);
    va_list args;

    if (restore)
        restore();
    fflush(stderr);
    utf8_say_now(STDERR_FILENO, "portolan: ");
    va_start(args, format);
    utf8_sayv_now(STDERR_FILENO, format, args);
    va_end(args);
    utf8_say_now(STDERR_FILENO, "\n");
    if (save)
        save();
    abort();
}

void die_prepare(void)
{
    void (*restore)(void) = atomic_exchange(&restore_hook, NULL),
         (*save)(void) = atomic_exchange(&save_hook, NULL);

    if (restore)
        restore();
    if (save)
        save();
}

bool mem_yield(size_t size)
{
    watch.steps = WATCH_STEPS;
    return shortage_yield(size);
}

void mem_again(size_t size, unsigned tries)
{
    /* Tries once more even without a reserve, because another thread may have released it. */
    if (mem_yield(size) || !tries)
        return;
    shortage_yield_last();
    die("out of memory (%zu bytes)", size);
}

void *mem_alloc(size_t size)
{
    void *block;
    for (unsigned tries = 0; !(block = mem_try_alloc(size)); tries++)
        mem_again(size, tries);
    return block;
}

void *mem_zero(size_t count, size_t size)
{
    void *block;
    for (unsigned tries = 0; !(block = mem_try_zero(count, size)); tries++)
        mem_again(count * size, tries);
    return block;
}

void *mem_resize(void *block, size_t size)
{
    void *resized;
    for (unsigned tries = 0; !(resized = mem_try_resize(block, size)); tries++)
        mem_again(size, tries);
    return resized;
}

void *mem_aligned(size_t alignment, size_t size)
{
    void *block;
    for (unsigned tries = 0; !(block = mem_try_aligned(alignment, size)); tries++)
        mem_again(size, tries);
    return block;
}

void *mem_grow(void *items, size_t *capacity, size_t size)
{
    size_t count = *capacity ? 2 * *capacity : 4;
    void *grown;

    for (unsigned tries = 0; !(grown = mem_try_resize(items, count * size)); tries++) {
        if ((tries || count * size > SHORTAGE_KEPT) && count * size > MEM_SMALL &&
            shortage_lose(count * size))
            return items;
        mem_again(count * size, tries);
    }
    *capacity = count;
    return grown;
}

bool mem_room(size_t bytes, const char *what, struct err *err)
{
    void *block = mem_try_alloc(bytes);

    free(block);
    return block || err_memory_for(err, what, bytes);
}

char *mem_strndup(const char *text, size_t length)
{
    char *copy = mem_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mem_free_texts(char **take_texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(take_texts[i]);
    free(take_texts);
}

char *mem_strdup(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

void *mem_lend_resize(void *block, size_t size)
{
    void *resized = mem_try_resize(block, size);

    if (!resized && mem_yield(size))
        resized = mem_try_resize(block, size);
    if (!resized)
        shortage_lose(size);
    return resized;
}

void *mem_lend(size_t size)
{
    return mem_lend_resize(NULL, size);
}
