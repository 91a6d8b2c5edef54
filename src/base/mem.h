/* Allocation. mem_* is for small blocks and does not fail: when memory runs out it uses the reserve
 * (base/shortage.h), and the job or command is cancelled. The program ends when the reserve is used
 * up. mem_try_* is for blocks over MEM_SMALL bytes that grow with the input: it may fail, and the
 * caller reports that (err_memory). */
#ifndef PORTOLAN_BASE_MEM_H
#define PORTOLAN_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem_try.h"

#define MEM_SMALL ((size_t)64 << 10)

/* Returns storage that the caller frees with free(). Ends the program through die() when memory
 * runs out. Any thread. */
void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *block, size_t size);
/* Storage at a multiple of @alignment, a power of two; not zeroed. */
void *mem_aligned(size_t alignment, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);

/* Doubles the @capacity of @items, which have @size bytes each. A list too large for the reserve is
 * unchanged, and this thread's work is cancelled (base/shortage.h). */
void *mem_grow(void *items, size_t *capacity, size_t size);
/* Returns whether @bytes are available for @what, which takes them in many pieces; false with
 * err. */
bool mem_room(size_t bytes, const char *what, struct err *err);
/* Allocator for libraries that handle NULL: uses the reserve, and cancels this thread's work when
 * that is used up. */
void *mem_lend(size_t size);
void *mem_lend_resize(void *block, size_t size);
/* Reacts to a failed request for @size bytes: releases the reserve, so that this thread's work
 * polls for its cancellation. True: try again. Any thread. */
bool mem_yield(size_t size);
/* For callers of mem_try_* that cannot fail: call it after each failure with @tries counted from 0,
 * and try again. Ends the program when no memory is left. */
void mem_again(size_t size, unsigned tries);

/* Prints "portolan: ..." on stderr after the terminal hook, runs the save hook, and aborts. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Runs the hooks of die() without ending the program. */
void die_prepare(void);
void die_set_hook(void (*restore)(void));
void die_set_save(void (*save)(void));
#define BUG(...) die("bug: " __VA_ARGS__)

#endif
