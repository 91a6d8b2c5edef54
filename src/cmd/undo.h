/* Undo of session changes: a mapping's change, an added machine with its selection, an edited
 * kernel. Steps hold the previous objects without copies. One thread. */
#ifndef PORTOLAN_CMD_UNDO_H
#define PORTOLAN_CMD_UNDO_H

#include "analysis/kernel.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "model/machine.h"

#define UNDO_MOST 64          /* steps; beyond that the oldest is dropped */
#define UNDO_FORMS 1000000    /* limit of forms of all machines that steps hold */

struct session;
struct result;
/* Selection of an instruction set, and the shown set. */
struct undo_choice {
    VEC(char *) ids;
    enum isa shown;
};
struct undo_step {
    char *what;                            /* "mapping set ADD (R64, R64)" */
    /* held: restored in place of its id; NULL: a kernel step */
    struct machine *machine;
    const struct kernel *kernel, *now;     /* held: restored in place of @now */
    size_t loop;
    /* id of an added machine, NULL: another kind of step; @machine is its predecessor of that id,
     * NULL: none */
    char *id;
    enum isa isa;                          /* of the machine */
    /* selection after the addition; a later selection is kept when it is removed */
    struct undo_choice before, after;
    unsigned group;                        /* steps of one group are undone together */
};
struct undo_steps { VEC(struct undo_step) list; };
/* Zero-initialised is empty and valid. */
struct undo {
    struct undo_steps done, undone;        /* newest last */
    unsigned groups;                       /* number of groups of additions */
};

void undo_done(struct undo *u);
/* Records that @m will be replaced by a modified copy; @what names the change. Clears the redo
 * steps. */
void undo_note_machine(struct undo *u, struct machine *m, const char *what);
/* Records that @m will be added to @s, perhaps replacing another, and selected; @what names the
 * change, @with_last: in the group of the previous one. Ignores an unknown instruction set, since
 * it cannot be selected. */
void undo_note_result(struct session *s, const struct machine *m, const char *what, bool with_last);
/* Records that machine @id, the last noted, was added and selected. */
void undo_note_arrived(struct session *s, const char *id);
/* Records that @before, with its loop @loop, was replaced by @now. */
void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop,
                      const struct kernel *now);
/* Marks a modified copy in its title. */
void undo_mark_edited(struct machine *m);

/* Undoes the last change (with its group), or redoes the last undone one (@again), and reports it.
 * False with err when there is none. */
bool undo_run(struct session *s, bool again, struct result *result, struct err *err);

#endif
