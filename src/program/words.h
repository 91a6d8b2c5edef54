/* The words of a program's command line at given inputs, and its input file where it reads one. */
#ifndef PORTOLAN_PROGRAM_WORDS_H
#define PORTOLAN_PROGRAM_WORDS_H

#include "base/err.h"
#include "base/vec.h"
#include "program/runs.h"

struct words {
    VEC(char *) list;
    char *input;   /* path of what is to be its standard input; NULL: nothing */
};

/* By options->arguments: {NAME} is an input's value, {directory} the run's own @directory; without it the inputs in their order. Templates, of an input file and of standard input, are written
 * into the directory under their own names, {NAME} put in, other braces as they are. False with err; words_done frees in either case. Any thread. */
bool words_make(char *const *names, const double *inputs, size_t count, const struct run_options *options, const char *directory, struct words *out, struct err *err);
void words_done(struct words *words);

#endif
