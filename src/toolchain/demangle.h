/* Demangles names of object files: C++, Rust and other languages. */
#ifndef PORTOLAN_TOOLCHAIN_DEMANGLE_H
#define PORTOLAN_TOOLCHAIN_DEMANGLE_H

#include <stdbool.h>

/* "daxpy(int, double)" from "_Z5daxpyid"; NULL when the name is plain or demangling is unavailable.
 * The caller frees. */
char *demangle(const char *name);
/* Demangles without parameters; @qualified, or its last part only. A plain name is unchanged. The
 * caller frees. */
char *demangle_name(const char *name, bool qualified);
/* Returns whether @wanted denotes function @name: exactly, or demangled with or without parameters,
 * or its last part. */
bool demangle_matches(const char *name, const char *wanted);

#endif
