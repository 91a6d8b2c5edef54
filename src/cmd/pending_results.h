/* Queue of measured results that are not yet in the session's experiments. */
#ifndef PORTOLAN_CMD_PENDING_RESULTS_H
#define PORTOLAN_CMD_PENDING_RESULTS_H

#include "base/vec.h"
#include "cmd/session.h"
#include "measure/source.h"

/* that the screen's thread puts into the table in one look: some milliseconds */
#define PENDING_RESULTS_AT_ONCE 10000

struct pending_result { size_t index; struct measured measured; };

/* Zero-initialised is empty. */
struct pending_results {
    VEC(struct pending_result) list;
    size_t put;   /* of them are in the table */
};

void pending_results_add(struct pending_results *a, size_t index, const struct measured *m);
void pending_results_done(struct pending_results *a);
/* Puts up to @most of them into the session's experiments, if these still are the table of @serial;
 * the others are dropped if not. A table that someone reads is copied first. UI thread. */
void pending_results_put(struct session *s, uint64_t serial, struct pending_results *a,
                         size_t most);
/* Adds all remaining ones to that session, for the last time: on the screen, if it takes long, by a
 * job, during which nothing else can change the session. Takes the members of @a. UI thread. */
void pending_results_finish(struct session *s, uint64_t serial, struct pending_results *a);

#endif
