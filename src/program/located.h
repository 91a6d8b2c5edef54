/* Locates samples of the uninstrumented program in the parts of the traced program's code. */
#ifndef PORTOLAN_PROGRAM_LOCATED_H
#define PORTOLAN_PROGRAM_LOCATED_H

#include "profile/sampling.h"
#include "program/code.h"

struct located {
    size_t *samples;           /* number of samples in each part */
    size_t part_count;
    /* @all: number of samples. @elsewhere: number of samples outside all parts: in libraries, and
     * in functions whose code differs too much. */
    size_t all, elsewhere;
    char *different;           /* name of a function whose code differs too much; NULL: none */
};

/* Adds the samples of @s in the executable @path, the uninstrumented program of @c, to @out. The
 * caller initialises @out to zero; located_done frees it. Returns false with err if the executable
 * cannot be read. */
bool located_add(struct located *out, const struct program_code *c, const struct code_parts *parts,
                 const char *path, const struct samples *s, struct err *err);
void located_done(struct located *l);

#endif
