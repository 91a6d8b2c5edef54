/* Demangles symbol names of object files: C++, Rust and other languages. */
#ifndef PORTOLAN_TOOLCHAIN_DEMANGLE_H
#define PORTOLAN_TOOLCHAIN_DEMANGLE_H

#include <stdbool.h>

/* Returns "daxpy(int, double)" for "_Z5daxpyid". Returns NULL if the name is not mangled or
 * demangling is unavailable. The caller frees the text. */
char *demangle(const char *name);
/* Returns the demangled name without parameters: the qualified name if @qualified is true,
 * otherwise only its last component. Returns a name that is not mangled unchanged. The caller frees
 * the text. */
char *demangle_name(const char *name, bool qualified);
/* Returns whether @sought denotes function @name. @sought may be the mangled name, the demangled
 * name with or without parameters, or its last component. */
bool demangle_matches(const char *name, const char *sought);

#endif
