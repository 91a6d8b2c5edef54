/* Time per part of the uninstrumented program; its functions are matched with those of the traced
 * program. */
#ifndef PORTOLAN_PROGRAM_LOCATED_H
#define PORTOLAN_PROGRAM_LOCATED_H

#include "profile/sampling.h"
#include "program/code.h"

struct located {
    size_t *samples;           /* samples per part */
    size_t part_count;
    /* all samples; those outside parts: libraries, and functions whose code differs too much */
    size_t all, elsewhere;
    char *different;           /* one of these functions; NULL: none */
};

/* Adds the samples of @s in the executable @path, the uninstrumented program of @c, to @out, zeroed
 * at first and freed by located_done. False with err when it cannot be read. */
bool located_add(struct located *out, const struct program_code *c, const struct code_parts *parts,
                 const char *path, const struct samples *s, struct err *err);
void located_done(struct located *l);

#endif
