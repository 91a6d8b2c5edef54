/* Threads in the background: one frees large objects, one helps with faults, and writers write one
 * item at a time. */
#ifndef PORTOLAN_WORK_BACKGROUND_H
#define PORTOLAN_WORK_BACKGROUND_H

#include <stdbool.h>

#include "base/err.h"

/* Starts the thread that restores the terminal and saves the session after a fault (base/fault.h).
 * The faulting thread may have exhausted its stack, or may hold a lock. If the thread cannot be
 * started, the faulting thread does the same work. UI thread. */
void rescuer_begin(void);
void rescuer_end(void);

/* Starts the thread that frees large objects (base/free.h). If it is not started, objects are freed
 * at once. UI thread. */
void background_free_begin(void);
/* Ends the thread after it has freed all objects. All other threads that call discard must have
 * ended. UI thread. */
void background_free_end(void);

/* Writes one item at a time on its own thread, then returns it to its owner. The owner uses the
 * writer on one thread only. */
struct background_writer;

/* Creates a writer. Its thread starts with the first item, and calls @write for each item. */
struct background_writer *background_writer_new(bool (*write)(void *item, struct err *err));
/* Returns whether the writer is idle and the next item can be written. */
bool background_writer_idle(struct background_writer *k);
/* Starts to write @item, which must not be used until background_writer_take returns it. Returns
 * false with err, and does nothing, if no thread can be started. */
bool background_writer_give(struct background_writer *k, void *item, struct err *err);
/* Returns the written item, with its error in @err; NULL: none. If @wait is true, blocks until the
 * item is written. */
void *background_writer_take(struct background_writer *k, bool wait, struct err *err);
/* Frees the writer, which may be NULL. All items must have been taken back. */
void background_writer_free(struct background_writer *k);

#endif
