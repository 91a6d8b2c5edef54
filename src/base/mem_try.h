/* Allocation that may fail; base/mem.h has what does not fail. Any thread. */
#ifndef PORTOLAN_BASE_MEM_TRY_H
#define PORTOLAN_BASE_MEM_TRY_H

#include <stdbool.h>
#include <stddef.h>

/* Each returns storage the caller frees with free(), NULL when memory runs out; of mem_try_resize
 * @block is as it was then. */
void *mem_try_alloc(size_t size);
void *mem_try_zero(size_t count, size_t size);
void *mem_try_resize(void *block, size_t size);
void *mem_try_aligned(size_t alignment, size_t size);
char *mem_try_strndup(const char *text, size_t length);

/* Tests: called before each allocation, by any thread; true: it fails. NULL otherwise. */
typedef bool mem_fault_of(size_t size);
extern mem_fault_of *_Atomic mem_fault;
/* Whether it logs a request for @size bytes. */
bool mem_refused(size_t size);

#endif
