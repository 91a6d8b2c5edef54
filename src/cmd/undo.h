/* Undo of session changes: a machine before a change of its mapping, the machines that were
 * selected before one was read, imported or inferred, a kernel before its text was edited. Steps
 * hold the previous objects; nothing is copied. One thread. */
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
/* Selection of an instruction set, and the shown set. */
struct undo_choice {
    VEC(char *) ids;
    enum isa shown;
};
struct undo_step {
    char *what;                            /* "mapping set ADD (R64, R64)" */
    /* held: replaces the one of its id; NULL: a kernel */
    struct machine *machine;
    const struct kernel *kernel, *now;     /* held: to be put back in place of @now */
    size_t loop;
    /* Id of an added machine, NULL: the step is another one; @machine is then its predecessor of
     * that id, NULL: there was none. */
    char *id;
    enum isa isa;                          /* of the machine */
    /* it was added; a later selection stays when it is removed */
    struct undo_choice before, after;
    unsigned group;                        /* steps of one are taken back together */
};
struct undo_steps { VEC(struct undo_step) list; };
/* Zero-initialised is empty and valid. */
struct undo {
    struct undo_steps done, undone;        /* newest last */
    unsigned groups;                       /* of arrivals, so far */
};

void undo_done(struct undo *u);
/* @m is about to be replaced by a changed copy of it; @what names the change. Undone changes can no
 * longer be redone. */
void undo_note_machine(struct undo *u, struct machine *m, const char *what);
/* @m is about to be added to @s, perhaps replacing another, and selected; @what names the change,
 * @with_last: it belongs to the one before it. One of an unknown instruction set is not recorded:
 * it cannot be selected. */
void undo_note_result(struct session *s, const struct machine *m, const char *what, bool with_last);
/* The machine @id, the last that was noted, has been added and selected. */
void undo_note_arrived(struct session *s, const char *id);
/* @before, with its loop @loop, was replaced by @now. */
void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop,
                      const struct kernel *now);
/* The title of a changed copy tells it apart. */
void undo_mark_edited(struct machine *m);

/* Undoes the last change (all machines that were added together), or redoes the last undone one
 * (@again), and reports it. False with err when there is none. */
bool undo_run(struct session *s, bool again, struct result *result, struct err *err);

#endif
