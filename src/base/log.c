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
static size_t first, count;
static atomic_uint revision;
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
    lock_give(&lock);
    atomic_fetch_add(&revision, 1);
}

size_t log_count(void)
{
    lock_take(&lock);
    size_t n = count;
    lock_give(&lock);
    return n;
}

bool log_get(size_t index, struct log_line *out_copy)
{
    lock_take(&lock);
    bool found = index < count;
    if (found) {
        *out_copy = ring[(first + index) % LINES_KEPT];
        out_copy->text = mem_strdup(out_copy->text);
    }
    lock_give(&lock);
    return found;
}

unsigned log_revision(void)
{
    return atomic_load(&revision);
}

void log_to_stderr(bool on)
{
    atomic_store(&mirror, on);
}
