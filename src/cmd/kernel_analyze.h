/* Analyses of the session's kernel for the commands that show them. UI thread. */
#ifndef PORTOLAN_CMD_KERNEL_ANALYZE_H
#define PORTOLAN_CMD_KERNEL_ANALYZE_H

#include "analysis/analysis.h"
#include "cmd/parameter.h"
#include "cmd/session.h"

/* One analysis for each of @machines, or of the selected ones if it is empty; they point into the
 * kernel and the machines. kernel_analyses_free frees them. NULL with err. */
struct analysis **kernel_analyze(struct session *s, const struct word_list *machines, size_t *count,
                                 struct err *err);
void kernel_analyses_free(struct analysis **analyses, size_t count);

#endif
