/* The words of a program's command line at given inputs, and its input file where it reads one. */
#ifndef PORTOLAN_PROGRAM_WORDS_H
#define PORTOLAN_PROGRAM_WORDS_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* How a program is started, as program load has it. */
struct invocation {
    /* words of the command line, {NAME} for an input; NULL: the inputs in their order */
    char *arguments;
    /* an input file with {NAME} in it, for each run in a directory of its own, {directory}; NULL:
     * none */
    char *template;
    char *input;                   /* the same, for standard input; NULL: that is empty */
    /* inputs that are macros of the source, "N=SIZE M=LENGTH"; NULL: none */
    char *defines;
    bool any_status;               /* it may exit with another status than 0 */
};

/* A copy, which invocation_done frees. */
struct invocation invocation_copy(const struct invocation *from);
void invocation_done(struct invocation *how);

/* Appends the macro that input @name is to @out (may be NULL); false when it is none. */
bool invocation_macro(const struct invocation *how, const char *name, struct str *out);

struct words {
    VEC(char *) list;
    char *input;   /* path of its standard input; NULL: nothing */
};

/* By @how->arguments: {NAME} is an input's value, {directory} the run's own @directory; without it
 * the inputs in their order, macros left out. Templates, of an input file and of standard input,
 * are written into the directory under their own names, {NAME} put in, other braces as they are.
 * False with err; words_done frees in either case. Any thread. */
bool words_make(char *const *names, const double *inputs, size_t count,
                const struct invocation *how, const char *directory, struct words *out,
                struct err *err);
void words_done(struct words *words);

#endif
