/* Functions that run where nothing but this program's own code is left: in the sandbox child, after
 * it gave up libc, its stack and its data. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_BARE_H
#define PORTOLAN_MEASURE_BARE_H

/* Neither sanitizers' bookkeeping nor the stack protector's guard is there any more. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define BARE_STACK , no_stack_protector
#endif
#endif
#ifndef BARE_STACK
#define BARE_STACK
#endif
/* Nor is the C library: a loop that copies is not to become a call of memcpy. */
#if defined(__has_attribute)
#if __has_attribute(no_builtin)
#define BARE_LOOPS , no_builtin("memcpy", "memmove", "memset")
#endif
#endif
#ifndef BARE_LOOPS
#define BARE_LOOPS
#endif
#define BARE_PLAIN no_sanitize("address", "undefined", "thread")
#define BARE __attribute__((BARE_PLAIN, noinline BARE_STACK BARE_LOOPS))
/* Also for functions that others use: a compiler keeps it out of line if either it or its caller,
 * but not both, is instrumented by a sanitizer. */
#define BARE_INLINE static inline __attribute__((BARE_PLAIN))

#endif
