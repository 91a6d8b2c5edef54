/* What was changed in a session and can be taken back: a machine before a change of its mapping, the machines that were selected before one was read, imported or inferred, a
 * kernel before its text was edited. Steps hold what was there; nothing is copied for them. One thread. */
#ifndef PORTOLAN_CMD_UNDO_H
#define PORTOLAN_CMD_UNDO_H

#include "analysis/kernel.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "model/machine.h"

#define UNDO_MOST 64          /* steps; the oldest goes for one more */
#define UNDO_FORMS 1000000    /* of all machines that steps hold, together */

struct session;
struct result;
struct undo_step {
    char *what;                            /* "mapping set ADD (R64, R64)" */
    struct machine *machine;               /* held: to be put back in place of the one of its id; NULL: a kernel */
    const struct kernel *kernel, *now;     /* held: to be put back in place of @now */
    size_t loop;
    /* Of a machine that came: its id, NULL: the step is another one; @machine is then the one of that id before it, NULL: there was none. */
    char *id;
    enum isa isa, shown;                   /* of the machine; that was shown */
    VEC(char *) selected;                  /* machines of @isa that were selected */
};
struct undo_steps { VEC(struct undo_step) list; };
/* Zero-initialised is empty and valid. */
struct undo {
    struct undo_steps done, undone;        /* newest last */
};

void undo_done(struct undo *u);
/* @m is about to be replaced by a changed copy of it; @what says by what. What was undone cannot be done again any more. */
void undo_note_machine(struct undo *u, struct machine *m, const char *what);
/* @m is about to be added to @s, perhaps in the place of another, and selected; @what says by what. One of an unknown instruction set is not noted: it cannot be selected. */
void undo_note_arrival(struct session *s, const struct machine *m, const char *what);
/* @before, with its loop @loop, was replaced by @now. */
void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop, const struct kernel *now);
/* The title of a changed copy says so. */
void undo_mark_edited(struct machine *m);

/* Takes the last change back, or does the last that was taken back again (@again), and tells what it was. False with err when there is none. */
bool undo_run(struct session *s, bool again, struct result *result, struct err *err);

#endif
