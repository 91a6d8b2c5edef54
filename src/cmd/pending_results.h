/* Queue of measured results not yet in the session's experiments. */
#ifndef PORTOLAN_CMD_PENDING_RESULTS_H
#define PORTOLAN_CMD_PENDING_RESULTS_H

#include "base/vec.h"
#include "cmd/session.h"
#include "measure/source.h"

/* results that the UI thread adds to the table per call: some milliseconds */
#define PENDING_RESULTS_AT_ONCE 10000

struct pending_result { size_t index; struct measured measured; };

/* Zero-initialised is empty. */
struct pending_results {
    VEC(struct pending_result) list;
    size_t put;   /* number already in the table */
};

void pending_results_add(struct pending_results *a, size_t index, const struct measured *m);
void pending_results_done(struct pending_results *a);
/* Adds up to @most results to the session's experiments if they are still table @serial; if not,
 * drops them. A table with other holders is copied first. UI thread. */
void pending_results_put(struct session *s, uint64_t serial, struct pending_results *a,
                         size_t most);
/* Adds all remaining results, finally. In the workbench a long addition is a job, during which the
 * session cannot change otherwise. Takes the members of @a. UI thread. */
void pending_results_finish(struct session *s, uint64_t serial, struct pending_results *a);

#endif
