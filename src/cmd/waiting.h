/* Commands that wait for a job: on the screen, what follows a command whose work goes on in the background. */
#ifndef PORTOLAN_CMD_WAITING_H
#define PORTOLAN_CMD_WAITING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define AWAIT_ALL UINT_MAX

/* The remainder of a command line or a script. */
struct waiting_commands {
    char *script;      /* its name; NULL: typed */
    size_t line;       /* the number of the first line of @text */
    char *text;
    bool lines;        /* lines of a script; otherwise the remainder of one line */
};

struct waiting {
    unsigned job;      /* 0: none, AWAIT_ALL: every one */
    bool now;          /* the command line in hand asked for it: its remainder is to be kept */
    bool own;          /* the job does the command's own work: who does not wait for it does not want it */
    struct waiting_commands *commands;   /* the first first */
    size_t count;
    struct told_jobs { unsigned *items; size_t count, capacity; } told;   /* failed jobs whose failure some command has reported */
};

/* Whether the failure of job @number is news; it is none from then on. */
bool waiting_tell(struct waiting *w, unsigned number);
/* Job @number is one of which nothing is known. */
void waiting_forget(struct waiting *w, unsigned number);
void waiting_done(struct waiting *w);
/* Keeps @text, if there is any, behind what waits already; @script may be NULL. */
void waiting_add(struct waiting *w, const char *script, size_t line, const char *text, bool lines);
/* Drops all that waits, and the wait. */
void waiting_drop(struct waiting *w);

#endif
