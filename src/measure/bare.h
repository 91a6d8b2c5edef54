/* Attributes for functions of the sandbox child that run after it has unmapped libc, its former
 * stack and its data. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_BARE_H
#define PORTOLAN_MEASURE_BARE_H

/* The child has neither sanitizer state nor a guard value for the stack protector. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define BARE_STACK , no_stack_protector
#endif
#endif
#ifndef BARE_STACK
#define BARE_STACK
#endif
/* libc is unmapped, so the compiler must not replace a copying loop with a call of memcpy. */
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
/* Inline functions that other code also calls need the same attributes, because compilers do not
 * inline between instrumented and uninstrumented code. */
#define BARE_INLINE static inline __attribute__((BARE_PLAIN))

#endif
