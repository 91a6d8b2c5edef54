/* Output file of a program that a command runs: temporary or the user's. UI thread; the worker may
 * drop it. */
#ifndef PORTOLAN_CMD_PROGRAM_OUTPUT_H
#define PORTOLAN_CMD_PROGRAM_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"

/* Zero-initialised: no file. */
struct program_output {
    char *path;   /* NULL: none */
    bool own;     /* temporary and not named in a result yet: it will be removed */
};

/* Uses a copy of @given; NULL: creates a file in TMPDIR. False with err on failure. */
bool program_output_choose(struct program_output *o, const char *given, struct err *err);
/* Returns whether the program printed anything. */
bool program_output_any(const struct program_output *o);
/* Removes the file if it is temporary. */
void program_output_drop(struct program_output *o);
/* Removes as program_output_drop, and frees the path. */
void program_output_done(struct program_output *o);

#endif
