/* Functions with loops of an object or program, and these loops, for selection in the functions
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
    char *name;                   /* demangled */
    /* archive member: lib.a(member.o); NULL: the list's file */
    char *path;
    /* for --symbol: an address, which is unique except in a relocatable file, where each section
     * begins at 0 */
    char *symbol;
    uint64_t address, size;       /* size: bytes */
    uint32_t loops, depth, vectors;
    /* percentage of the program's samples; NAN: no profile */
    double percent;
};

struct listed_loop {
    const char *function, *path;  /* strings of the listed_function */
    char *symbol;                 /* for --symbol */
    /* of its head in the function and the program; bytes to the end of the back edge */
    uint64_t offset, address, size;
    uint32_t depth, vectors;      /* depth 1: outermost */
    bool innermost;
    double percent;               /* as of functions, without samples in inner loops */
};

struct function_list {
    char *path;
    /* perf file that ranks them; NULL: ranked by estimated heat */
    char *profile;
    /* most samples first, then hottest-looking */
    VEC(struct listed_function) rows;
    VEC(struct listed_loop) loops;      /* the same, of all functions */
    bool by_loops;                /* loops were requested */
    unsigned long serial;         /* unique in this process */
    _Atomic unsigned holders;     /* besides the creator; the list is immutable */
};

/* Lists the file @path, or all members of an archive, ranked by the perf file @profile (NULL: none;
 * must be NULL for an archive). NULL with err. Polls watch_steps. */
struct function_list *function_list_new(const char *path, const char *profile, struct err *err);
/* Frees the list when its last holder calls it. */
void function_list_free(struct function_list *list);

#endif
