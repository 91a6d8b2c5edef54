/* Constructs the command line of a program at given inputs, and its input file if the program needs
 * one. */
#ifndef PORTOLAN_PROGRAM_WORDS_H
#define PORTOLAN_PROGRAM_WORDS_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Command line of a program, as specified in the command program load */
struct invocation {
    /* words of the command line, with {NAME} for inputs; NULL: the words are the inputs in
     * order */
    char *arguments;
    /* Template of an input file with {NAME} for inputs. Each run has the file in its own directory,
     * {directory}. NULL: none. */
    char *template;
    char *input;                   /* template of standard input; NULL: it is empty */
    /* inputs that are macros in the source, such as "N=ROWS N=COLUMNS T=STEPS"; NULL: none */
    char *defines;
    bool any_status;               /* whether a run may end with any exit status */
};

/* Returns a copy, which invocation_done frees. */
struct invocation invocation_copy(const struct invocation *from);
void invocation_done(struct invocation *how);

/* Returns whether @how->defines has a macro of input @name (NULL: of any input). Appends
 * "-DMACRO=VALUE " for each such macro to @out (may be NULL). */
bool invocation_macros(const struct invocation *how, const char *name, double value,
                       struct str *out);

struct words {
    VEC(char *) list;
    char *input;   /* path of the file of standard input; NULL: it is empty */
};

/* Expands @how->arguments: {NAME} becomes an input's value, {directory} becomes @directory. Without
 * arguments, uses all inputs that are not macros, in order. Writes the templates of input file and
 * standard input to the directory under their own names. In them, {NAME} is expanded, and other
 * braces are unchanged. Returns false with err on failure. words_done frees @out in either case. */
bool words_make(char *const *names, const double *inputs, size_t count,
                const struct invocation *how, const char *directory, struct words *out,
                struct err *err);
void words_done(struct words *words);

#endif
