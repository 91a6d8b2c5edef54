/* Code of an experiment or of a row of machine check as text, for a view. A job of the workbench
 * makes the text, because this may load the table of forms and run the assembler. UI thread. */
#ifndef PORTOLAN_CMD_CODE_LISTING_H
#define PORTOLAN_CMD_CODE_LISTING_H

#include "cmd/check.h"
#include "cmd/session.h"

struct code_listing {
    char *name;            /* text that identifies the experiment or row */
    /* whether the following members are valid; if not, a job computes them or has failed */
    bool made;
    /* code, one instruction per line, or the reason why the row has no code; empty if the CPU
     * cannot execute the form */
    struct str text;
    unsigned executions;   /* number of times that the code executes the experiment */
    size_t bytes;
};

/* Returns @code if its name is @name. Otherwise frees @code (may be NULL), and makes the code of
 * the session's experiment @row on this CPU. The caller frees the result. */
struct code_listing *code_listing_of_experiment(struct session *s, struct code_listing *code,
                                                const char *name, size_t row);
/* Returns the code of @row of a check of instruction set @isa, like code_listing_of_experiment
 * (@code may be NULL). */
struct code_listing *code_listing_of_check(struct session *s, struct code_listing *code,
                                           enum isa isa, const struct check_row *row);
/* Frees the listing, and cancels its job if it is not complete. @code may be NULL. */
void code_listing_free(struct code_listing *code);

#endif
