/* Writes one item at a time on a thread of its own. The owner gets an item back once it is
 * written. One owner, on one thread. */
#ifndef PORTOLAN_WORK_BACKGROUND_WRITER_H
#define PORTOLAN_WORK_BACKGROUND_WRITER_H

#include <stdbool.h>

#include "base/err.h"

struct background_writer;

/* @write is called on the thread, which begins with the first item. */
struct background_writer *background_writer_new(bool (*write)(void *item, struct err *err));
/* Whether the next item can be given: there is none, or the one before was written and taken
 * back. */
bool background_writer_idle(struct background_writer *k);
/* Has @item written; it is not to be touched until keeper_take gives it back. False with err, and
 * nothing happens, when the system refuses a thread. */
bool background_writer_give(struct background_writer *k, void *item, struct err *err);
/* The item that was written, NULL while there is none; @err has its error. @wait: blocks until it
 * was written. */
void *background_writer_take(struct background_writer *k, bool wait, struct err *err);
/* No item may be left with it. NULL is fine. */
void background_writer_free(struct background_writer *k);

#endif
