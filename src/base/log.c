/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8_text.h"

#define LINES_KEPT 10000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_line ring[LINES_KEPT];
/* @first: index of the oldest line. @count: number of stored lines. @added: number of lines since
 * the program started. */
static size_t first, count, added;
static atomic_bool mirror;

void log_add(enum log_level level, const char *format, ...)
{
    struct str text = {0};
    va_list args;

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    if (level != LOG_INFO && atomic_load(&mirror))
        utf8_say(stderr, "portolan: %s\n", str_text(&text));

    lock_take(&lock);
    size_t slot = (first + count) % LINES_KEPT;
    if (count == LINES_KEPT) {
        free(ring[slot].text);
        first = (first + 1) % LINES_KEPT;
    } else {
        count++;
    }
    ring[slot] = (struct log_line){level, clock_seconds(), str_take(&text)};
    added++;
    lock_give(&lock);
}

size_t log_count(void)
{
    lock_take(&lock);
    size_t n = count;
    lock_give(&lock);
    return n;
}

/* Copies a stored line. Returns false beyond the last line. The caller must own the lock. */
static bool copy_line(size_t index, struct log_line *out_copy)
{
    if (index >= count)
        return false;
    *out_copy = ring[(first + index) % LINES_KEPT];
    out_copy->text = mem_strdup(out_copy->text);
    return true;
}

bool log_get(size_t index, struct log_line *out_copy)
{
    lock_take(&lock);
    const bool found = copy_line(index, out_copy);
    lock_give(&lock);
    return found;
}

bool log_next(size_t *number, struct log_line *out_copy)
{
    lock_take(&lock);
    const size_t oldest = added - count, at = *number > oldest ? *number : oldest;
    const bool found = copy_line(at - oldest, out_copy);
    lock_give(&lock);
    *number = found ? at + 1 : *number;
    return found;
}

void log_to_stderr(bool on)
{
    atomic_store(&mirror, on);
}
