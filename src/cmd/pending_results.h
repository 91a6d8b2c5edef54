/* Queue of measured results that are not yet in the session's experiments. */
#ifndef PORTOLAN_CMD_PENDING_RESULTS_H
#define PORTOLAN_CMD_PENDING_RESULTS_H

#include "base/vec.h"
#include "cmd/session.h"
#include "measure/source.h"

/* Maximum number of results that the UI thread adds to the table per poll. At the end, a job adds
 * more results than this, or copies a table with more rows. */
#define PENDING_RESULTS_AT_ONCE 2000

struct pending_result { size_t index; struct measured measured; };

struct pending_results {
    VEC(struct pending_result) list;
    size_t put;   /* number of results that have been added to the table */
};

void pending_results_add(struct pending_results *a, size_t index, const struct measured *m);
void pending_results_done(struct pending_results *a);
/* Adds up to @most results if the session's experiments are still table @serial; otherwise drops
 * the results. Copies the table first if it has other references. UI thread. */
void pending_results_put(struct session *s, uint64_t serial, struct pending_results *a,
                         size_t most);
/* Adds all remaining results and empties @a. In the workbench a long addition is a job, until whose
 * end nothing else may change the session. UI thread. */
void pending_results_finish(struct session *s, uint64_t serial, struct pending_results *a);

#endif
