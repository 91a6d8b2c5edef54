/* The kernel's file in the user's own editor: what is saved there becomes the kernel. No curses. UI
 * thread. */
#ifndef PORTOLAN_VIEW_EDITING_H
#define PORTOLAN_VIEW_EDITING_H

#include <stdbool.h>
#include <time.h>

#include "cmd/session.h"

struct editing {
    /* the session's request has been given to an editor, and its file is watched */
    bool open;
    struct timespec changed;    /* of the file, when it was last looked at */
    long long size;
    /* of text without a file: its last saved version, and the kernel's source before; NULL:
     * nothing */
    char *text, *before;
};
void editing_done(struct editing *e);

/* The next request for an editor, now taken; NULL: none. */
const struct edit_request *editing_take(struct editing *e, struct session *s);
/* Whether the file was saved since it was last looked at. Ends the watch once another kernel is
 * loaded. */
bool editing_saved(struct editing *e, struct session *s);
/* Loads the @length bytes of @text, saved in the editor, as the kernel, which is the edited one
 * from now on. */
void editing_take_text(struct editing *e, const struct session *s, const char *text, size_t length);

#endif
