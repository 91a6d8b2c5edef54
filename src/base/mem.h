/* Allocation that cannot fail: out of memory ends the program in one place. */
#ifndef PORTOLAN_BASE_MEM_H
#define PORTOLAN_BASE_MEM_H

#include <stddef.h>

/* Each returns storage the caller frees with free(); aborts through die() when memory runs out. Any thread. */
void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *block, size_t size);
/* Storage at a multiple of @alignment, a power of two; not zeroed. */
void *mem_aligned(size_t alignment, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);

/* Prints "portolan: ..." on stderr after running the hook (the screen restores the terminal there) and aborts. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die_set_hook(void (*restore)(void));
#define BUG(...) die("bug: " __VA_ARGS__)

#endif
