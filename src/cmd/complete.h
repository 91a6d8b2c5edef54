/* Completion of command lines from the command table. */
#ifndef PORTOLAN_CMD_COMPLETE_H
#define PORTOLAN_CMD_COMPLETE_H

#include "base/vec.h"
#include "cmd/session.h"

struct completions {
    VEC(char *) items;    /* completions of the word under the cursor, sorted, without repeats */
    bool files;           /* names of files fit as well */
};

/* Candidates for the word that starts at byte @start of @line and ends at @end. */
void complete_line(struct session *s, const char *line, size_t start, size_t end,
                   struct completions *out);
void completions_done(struct completions *c);

#endif
