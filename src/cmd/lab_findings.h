/* Progress and findings of charts, checks and hunts, for the panes of LAB (chart/stage_log.h) */
#ifndef PORTOLAN_CMD_LAB_FINDINGS_H
#define PORTOLAN_CMD_LAB_FINDINGS_H

#include "chart/stage_log.h"
#include "cmd/session.h"
#include "model/experiments.h"

/* Starts the log that LAB shows, as stage_log_new does. The caller frees it. UI thread. */
struct stage_log *lab_log_begin(struct session *s, const char *title, const char *curve);
/* Returns whether LAB shows the last chart, check or hunt, because no inference started later. */
bool lab_log_is_newest(const struct session *s);
/* Lists the measured experiments of @t by their errors under @m, largest first, titled "FROM: mean
 * error 1.2 % of 40 experiments". Any thread. */
void lab_list_errors(struct stage_log *l, enum stage_list list, const char *from,
                     const struct machine *m, const struct experiments *t);

#endif
