/* Memory allocation. mem_* is for small blocks and does not fail. If memory is exhausted, these
 * functions use the reserve (base/shortage.h), and the job or command is cancelled. If the reserve
 * is also exhausted, the program ends. mem_try_* is for blocks of more than MEM_SMALL bytes whose
 * size depends on the input. These functions may fail, and the caller must report that
 * (err_memory). */
#ifndef PORTOLAN_BASE_MEM_H
#define PORTOLAN_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem_try.h"

#define MEM_SMALL ((size_t)64 << 10)

/* Return memory that the caller frees with free(). If memory is exhausted, these functions end the
 * program through die(). Any thread. */
void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *block, size_t size);
/* Returns uninitialised memory at a multiple of @alignment, a power of two. */
void *mem_aligned(size_t alignment, size_t size);
char *mem_strdup(const char *text);   /* NULL if @text is NULL */
char *mem_strndup(const char *text, size_t length);
/* Frees the texts and their array, which may be NULL if @count is 0. */
void mem_free_texts(char **take_texts, size_t count);

/* Doubles *@capacity of the array @items, whose elements have @size bytes. If the new array is too
 * large for the reserve, the array remains unchanged, and this thread's work is cancelled
 * (base/shortage.h). Returns the array. */
void *mem_grow(void *items, size_t *capacity, size_t size);
/* Returns whether @bytes bytes of memory are available for @what, which allocates them in many
 * pieces. Sets err if they are not. */
bool mem_room(size_t bytes, const char *what, struct err *err);
/* Allocate memory for libraries that handle NULL. If memory is exhausted, these functions use the
 * reserve. If the reserve is also exhausted, they return NULL and cancel this thread's work. */
void *mem_lend(size_t size);
void *mem_lend_resize(void *block, size_t size);
/* Handles a failed request for @size bytes: releases the reserve, and makes this thread's work poll
 * for cancellation soon. Returns whether the caller should try again. Any thread. */
bool mem_yield(size_t size);
/* Frees a reserve after a failure of mem_try_*, for callers that cannot fail. Call it after each
 * failure, with @tries counted from 0, and try again. Ends the program if no memory is left. */
void mem_again(size_t size, unsigned tries);

/* Runs the terminal hook, prints "portolan: ..." on stderr, runs the save hook, and aborts. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Runs the hooks of die() without ending the program. */
void die_prepare(void);
void die_set_hook(void (*restore)(void));
void die_set_save(void (*save)(void));
#define BUG(...) die("bug: " __VA_ARGS__)

#endif
