/* Output file of a program that a command runs: a temporary file or the user's. UI thread; while
 * the command's job runs, its worker instead. */
#ifndef PORTOLAN_CMD_PROGRAM_OUTPUT_H
#define PORTOLAN_CMD_PROGRAM_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"

/* Output file of a program */
struct program_output {
    char *path;   /* path; NULL: no file */
    bool own;     /* whether the file is temporary and no result names it yet, so
                   * program_output_drop removes it */
};

/* Uses a copy of path @given. NULL: creates a file in TMPDIR, and removes the user's output files
 * there that were last written more than a day ago. Returns false with err. */
bool program_output_choose(struct program_output *o, const char *given, struct err *err);
/* Returns whether the file has any output. */
bool program_output_any(const struct program_output *o);
/* Removes the file if it is temporary. */
void program_output_drop(struct program_output *o);
/* Calls program_output_drop and frees the path. */
void program_output_done(struct program_output *o);

#endif
