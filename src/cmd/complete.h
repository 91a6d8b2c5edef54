/* Completes command lines from the table of commands. */
#ifndef PORTOLAN_CMD_COMPLETE_H
#define PORTOLAN_CMD_COMPLETE_H

#include "base/vec.h"
#include "cmd/session.h"

struct completions {
    VEC(char *) items;    /* completions of the word at the cursor, sorted, without duplicates */
    bool files;           /* whether file names are also possible */
};

/* Completes the word between bytes @start and @end of @line. */
void complete_line(struct session *s, const char *line, size_t start, size_t end,
                   struct completions *out);

#endif
