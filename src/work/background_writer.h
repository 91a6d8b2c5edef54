/* Writes one item at a time on its own thread, and returns it to the owner afterwards. One owner,
 * on one thread. */
#ifndef PORTOLAN_WORK_BACKGROUND_WRITER_H
#define PORTOLAN_WORK_BACKGROUND_WRITER_H

#include <stdbool.h>

#include "base/err.h"

struct background_writer;

/* @write is called on the thread, which starts with the first item. */
struct background_writer *background_writer_new(bool (*write)(void *item, struct err *err));
/* Returns whether the next item can be given: none was, or the previous one was written and taken
 * back. */
bool background_writer_idle(struct background_writer *k);
/* Starts writing @item, which must not be used until background_writer_take returns it. False with
 * err, with no effect, when no thread can be started. */
bool background_writer_give(struct background_writer *k, void *item, struct err *err);
/* Returns the written item, NULL while there is none; @err has its error. @wait: blocks until it is
 * written. */
void *background_writer_take(struct background_writer *k, bool wait, struct err *err);
/* All items must have been taken back. NULL is fine. */
void background_writer_free(struct background_writer *k);

#endif
