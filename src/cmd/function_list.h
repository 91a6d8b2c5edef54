/* The functions of an object or program that have loops, and these loops, as the view functions
 * lists them to be picked from. */
#ifndef PORTOLAN_CMD_FUNCTION_LIST_H
#define PORTOLAN_CMD_FUNCTION_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct listed_function {
    char *name;                   /* as people write it */
    /* of the member of an archive: lib.a(member.o); NULL: the list's own */
    char *path;
    /* as --symbol takes it: an address, which is unique, except in a relocatable file, where each
     * section begins at 0 */
    char *symbol;
    uint64_t address, size;       /* size: bytes */
    uint32_t loops, depth, vectors;
    /* of the samples in the program that a profile has; NAN: there is none */
    double percent;
};

struct listed_loop {
    const char *function, *path;  /* as listed_function has them, whose strings they are */
    char *symbol;                 /* as --symbol takes it */
    /* of its head in the function and the program; bytes to the end of the jump back */
    uint64_t offset, address, size;
    uint32_t depth, vectors;      /* depth 1: outermost */
    bool innermost;
    double percent;               /* as of functions, but without those in loops within it */
};

struct function_list {
    char *path;
    /* a file of perf's that ranks them; NULL: they are ranked by their looks */
    char *profile;
    /* those with most samples first, then the hottest-looking */
    VEC(struct listed_function) rows;
    VEC(struct listed_loop) loops;      /* the same, of all functions */
    bool by_loops;                /* loops were requested */
    unsigned long serial;         /* no other list of this process has it */
    _Atomic unsigned holders;     /* besides the creator; it never changes */
};

/* Of the file @path, or of all members of an archive; ranked by the perf file @profile, unless that
 * is NULL, which it must be for an archive. NULL with err. Polls watch_steps. Any thread. */
struct function_list *function_list_new(const char *path, const char *profile, struct err *err);
/* The last holder's call frees it. */
void function_list_free(struct function_list *list);

#endif
