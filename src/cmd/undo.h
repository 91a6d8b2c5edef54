/* Undo of session changes: a changed mapping, an added machine with its selection, an edited
 * kernel. Steps have references to the previous objects, not copies. One thread. */
#ifndef PORTOLAN_CMD_UNDO_H
#define PORTOLAN_CMD_UNDO_H

#include "analysis/kernel.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "model/machine.h"

#define UNDO_MOST 64          /* maximum number of steps; a further step replaces the oldest step */
/* maximum number of forms of all machines in the steps, to limit memory */
#define UNDO_FORMS 1000000

struct session;
struct result;
/* machines selected for an instruction set, and the displayed set */
struct undo_choice {
    VEC(char *) ids;
    enum isa shown;
};
struct undo_step {
    char *what;                            /* name of the change: "mapping set ADD (R64, R64)" */
    /* machine that undo restores (counted reference); NULL: the step changes a kernel, or adds
     * machine @id in place of none */
    struct machine *machine;
    const struct kernel *kernel, *now;     /* counted references; undo replaces @now with @kernel;
                                            * NULL: the step changes no kernel */
    size_t loop;
    /* id of an added machine, in place of @machine (NULL: none); id NULL: the step adds no
     * machine */
    char *id;
    enum isa isa;                          /* instruction set of the machine */
    /* selections before and after the addition; undo keeps a selection that was changed since */
    struct undo_choice before, after;
    unsigned group;                        /* steps of one group are undone together; 0: alone */
};
struct undo_steps { VEC(struct undo_step) list; };
struct undo {
    struct undo_steps done, undone;        /* steps, newest last */
    unsigned groups;                       /* number of groups so far */
};

void undo_done(struct undo *u);
/* Records that a modified copy will replace @m. @what: name of the change. Clears the redo
 * steps. */
void undo_note_machine(struct undo *u, struct machine *m, const char *what);
/* Records that @m will be added to @s, may replace a machine, and will be selected. @what: name of
 * the change. @with_last: undo it together with the previous change. Ignores a machine of an
 * unknown instruction set, which cannot be selected. */
void undo_note_result(struct session *s, const struct machine *m, const char *what, bool with_last);
/* Records that machine @id, named in the last undo_note_result, has been added and selected. Does
 * nothing if the last step concerns another machine. */
void undo_note_arrived(struct session *s, const char *id);
/* Records that @now replaced @before with its loop @loop. */
void undo_note_kernel(struct undo *u, const struct kernel *before, size_t loop,
                      const struct kernel *now);
/* Adds to the title of @m that it is a modified copy. Does nothing if the title already has the
 * mark. */
void undo_mark_edited(struct machine *m);

/* Appends @step, which is moved. Frees the oldest steps beyond the limits. */
void undo_push(struct undo_steps *steps, struct undo_step step);
/* Frees the members of @step. */
void undo_step_done(struct undo_step *step);
void undo_steps_done(struct undo_steps *steps);

/* Undoes the last change with its group or, if @again, redoes the last undone group. Reports the
 * change. Returns false with err if there is none, or on failure. */
bool undo_run(struct session *s, bool again, struct result *result, struct err *err);

#endif
