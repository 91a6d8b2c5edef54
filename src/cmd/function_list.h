/* Functions with loops of an object or program, and the loops, for selection in the functions
 * view. */
#ifndef PORTOLAN_CMD_FUNCTION_LIST_H
#define PORTOLAN_CMD_FUNCTION_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct listed_function {
    char *name;                   /* demangled name */
    /* archive member such as lib.a(member.o); NULL: the list's file */
    char *path;
    /* value for --symbol: an address, or in a relocatable file a name, because each section begins
     * at address 0 */
    char *symbol;
    uint64_t address, size;       /* size: bytes */
    uint32_t loops, depth, vectors;
    /* percentage of the program's samples; NaN: no profile */
    double percent;
};

struct listed_loop {
    const char *function, *path;  /* borrowed from the listed_function */
    char *symbol;                 /* value for --symbol */
    /* position of the loop's head in the function and in the program, and bytes to the end of the
     * back edge */
    uint64_t offset, address, size;
    uint32_t depth, vectors;      /* depth 1: outermost */
    bool innermost;
    /* percentage of the program's samples in the loop without its inner loops; NaN: no profile */
    double percent;
};

struct function_list {
    char *path;
    /* perf file whose samples rank the functions; NULL: the functions are ranked by estimated
     * heat */
    char *profile;
    /* functions, those with most samples or highest estimated heat first */
    VEC(struct listed_function) rows;
    VEC(struct listed_loop) loops;      /* loops of all functions, in the same order */
    bool by_loops;                /* whether the user requested loops */
    unsigned long serial;
    /* number of references in addition to the creator's; the list is immutable */
    _Atomic unsigned holders;
};

/* Lists the functions of file @path, or of all members of an archive, ranked by the perf file
 * @profile. @profile NULL: none, as for an archive. Returns NULL with err. Polls watch_steps. */
struct function_list *function_list_new(const char *path, const char *profile, struct err *err);
/* Releases a reference. The last release frees the list. */
void function_list_free(struct function_list *list);

#endif
