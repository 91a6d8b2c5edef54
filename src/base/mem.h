/* Allocation. mem_* is for small things and does not fail: when memory runs out it takes from the
 * reserve (base/shortage.h), and the job or command ends; when the reserve is used up the program
 * ends, in one place. mem_try_* is for blocks that grow with the input, anything above MEM_SMALL
 * bytes: it may fail, and the caller reports that (err_memory). */
#ifndef PORTOLAN_BASE_MEM_H
#define PORTOLAN_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem_try.h"

#define MEM_SMALL ((size_t)64 << 10)

/* Each returns storage the caller frees with free(); aborts through die() when memory runs out. Any
 * thread. */
void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *block, size_t size);
/* Storage at a multiple of @alignment, a power of two; not zeroed. */
void *mem_aligned(size_t alignment, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);

/* @items, of @size bytes each, with twice the @capacity. A list too large for the reserve stays as
 * it is, and this thread's work fails (base/shortage.h). */
void *mem_grow(void *items, size_t *capacity, size_t size);
/* Whether there is room for @bytes, which @what will take in many pieces; false with err. */
bool mem_room(size_t bytes, const char *what, struct err *err);
/* For libraries that handle NULL: they may use the reserve, and this thread's work is cancelled
 * when even that is not enough. */
void *mem_lend(size_t size);
void *mem_lend_resize(void *block, size_t size);
/* A request for @size bytes has failed: releases the reserve, and this thread's work checks at its
 * next step whether it is to end. True: try again. Any thread. */
bool mem_yield(size_t size);
/* For callers that cannot fail and are built on mem_try_*: call it after each failure, @tries
 * counting them from 0, and try again. Ends the program when nothing helps. */
void mem_again(size_t size, unsigned tries);

/* Prints "portolan: ..." on stderr after running the hook (the screen restores the terminal there),
 * runs the other (which saves the session) and aborts. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Cleanup of die() for another kind of end. */
void die_prepare(void);
void die_set_hook(void (*restore)(void));
void die_set_save(void (*save)(void));
#define BUG(...) die("bug: " __VA_ARGS__)

#endif
