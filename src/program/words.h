/* Builds the command line of a program at given inputs, and its input file if it reads one. */
#ifndef PORTOLAN_PROGRAM_WORDS_H
#define PORTOLAN_PROGRAM_WORDS_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Command line of a program, as specified by program load. */
struct invocation {
    /* words of the command line with {NAME} for inputs; NULL: the inputs in order */
    char *arguments;
    /* template of an input file with {NAME}, written for each run to its own directory,
     * {directory}; NULL: none */
    char *template;
    char *input;                   /* template of standard input; NULL: empty */
    /* inputs that are macros of the source, "N=SIZE M=LENGTH"; NULL: none */
    char *defines;
    bool any_status;               /* any exit status is allowed */
};

/* A copy, which invocation_done frees. */
struct invocation invocation_copy(const struct invocation *from);
void invocation_done(struct invocation *how);

/* Appends the macro of input @name to @out (may be NULL); false when it is not a macro. */
bool invocation_macro(const struct invocation *how, const char *name, struct str *out);

struct words {
    VEC(char *) list;
    char *input;   /* file for standard input; NULL: empty */
};

/* Expands @how->arguments: {NAME} to an input's value, {directory} to @directory; without arguments
 * the inputs in order, without macros. Writes the templates of input file and standard input to the
 * directory under their own names, with {NAME} expanded and other braces unchanged. False with err;
 * words_done frees in either case. */
bool words_make(char *const *names, const double *inputs, size_t count,
                const struct invocation *how, const char *directory, struct words *out,
                struct err *err);
void words_done(struct words *words);

#endif
