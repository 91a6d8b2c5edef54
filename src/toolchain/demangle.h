/* Names as programmers write them, from those in object files: C++, Rust and other languages. */
#ifndef PORTOLAN_TOOLCHAIN_DEMANGLE_H
#define PORTOLAN_TOOLCHAIN_DEMANGLE_H

#include <stdbool.h>

/* "daxpy(int, double)" of "_Z5daxpyid", NULL when the name is plain, or this build cannot demangle.
 * The caller frees. Any thread. */
char *demangle(const char *name);
/* The name as programmers write it, without parameters; @qualified or its last part alone. A plain
 * one as it is. The caller frees. Any thread. */
char *demangle_name(const char *name, bool qualified);
/* Whether @wanted means the function @name: letter by letter, or, of a mangled one, with or without
 * its parameters, or its last part alone. */
bool demangle_matches(const char *name, const char *wanted);

#endif
