/* Edits the kernel's file in the user's editor; each save reloads the kernel. No curses. UI
 * thread. */
#ifndef PORTOLAN_VIEW_EDITING_H
#define PORTOLAN_VIEW_EDITING_H

#include <stdbool.h>
#include <time.h>

#include "cmd/session.h"

struct editing {
    /* whether an editor runs, whose file is watched */
    bool open;
    struct timespec changed;    /* modification time of the file at the last check */
    long long size;
    /* for a kernel without a file: @text is the last saved text, @before the text saved before it;
     * NULL: none */
    char *text, *before;
};
void editing_done(struct editing *e);

/* Returns the next request for an editor and marks it as started; NULL: none. The session owns
 * it. */
const struct edit_request *editing_take(struct editing *e, struct session *s);
/* Returns whether the file was saved since the last check. Stops watching after another kernel is
 * loaded. */
bool editing_saved(struct editing *e, struct session *s);
/* Stores @length bytes of @text, which the editor saved, as the text of the edited kernel. */
void editing_take_text(struct editing *e, const struct session *s, const char *text, size_t length);

#endif
