/* Output of a program that a command runs, in a file of its own or the user's. UI thread; the
 * worker may drop it. */
#ifndef PORTOLAN_CMD_PROGRAM_OUTPUT_H
#define PORTOLAN_CMD_PROGRAM_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"

/* Zero: no file. */
struct program_output {
    char *path;   /* NULL: none */
    bool own;     /* made here, and no result has named it yet: it is removed unless one does */
};

/* @given, copied; NULL: a new file in TMPDIR. False with err when none can be made. */
bool program_output_choose(struct program_output *o, const char *given, struct err *err);
/* Whether the program printed anything. */
bool program_output_any(const struct program_output *o);
/* Removes the file if it was made here. */
void program_output_drop(struct program_output *o);
/* The same, and frees the path. */
void program_output_done(struct program_output *o);

#endif
