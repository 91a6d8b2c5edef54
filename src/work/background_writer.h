/* Writes one item at a time on its own thread, then returns it to the owner. One owner, which uses
 * it on one thread. */
#ifndef PORTOLAN_WORK_BACKGROUND_WRITER_H
#define PORTOLAN_WORK_BACKGROUND_WRITER_H

#include <stdbool.h>

#include "base/err.h"

struct background_writer;

/* Creates a writer. Its thread starts with the first item and calls @write. */
struct background_writer *background_writer_new(bool (*write)(void *item, struct err *err));
/* Returns whether the writer has no item, so that the next one can be written. */
bool background_writer_idle(struct background_writer *k);
/* Starts to write @item, which must not be used until background_writer_take returns it. Returns
 * false with err, and does nothing, if no thread can be started. */
bool background_writer_give(struct background_writer *k, void *item, struct err *err);
/* Returns the written item, with its error in @err; NULL if there is none. @wait: blocks until the
 * item is written. */
void *background_writer_take(struct background_writer *k, bool wait, struct err *err);
/* Frees the writer; NULL is allowed. All items must have been taken back. */
void background_writer_free(struct background_writer *k);

#endif
