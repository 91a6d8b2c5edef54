/* Memory allocation that may fail. base/mem.h has functions that do not fail. Any thread. */
#ifndef PORTOLAN_BASE_MEM_TRY_H
#define PORTOLAN_BASE_MEM_TRY_H

#include <stdbool.h>
#include <stddef.h>

/* Return memory that the caller frees with free(); NULL if memory is exhausted. After a failed
 * mem_try_resize @block is unchanged. */
void *mem_try_alloc(size_t size);
void *mem_try_zero(size_t count, size_t size);
void *mem_try_resize(void *block, size_t size);
void *mem_try_aligned(size_t alignment, size_t size);
char *mem_try_strndup(const char *text, size_t length);

/* For tests: called before each allocation, on any thread. If it returns true, the allocation
 * fails. NULL: not called. */
typedef bool mem_fault_of(size_t size);
extern mem_fault_of *_Atomic mem_fault;
/* Returns whether the hook for tests makes a request for @size bytes fail. */
bool mem_refused(size_t size);

#endif
