/* What charts keep between commands. */
#ifndef PORTOLAN_CMD_CHART_PATHS_H
#define PORTOLAN_CMD_CHART_PATHS_H

#include "cmd/session.h"

#define CHART_SIMULATED_NOISE 0.005   /* relative, of a time of a simulated CPU that is charted */

/* Where experiments are kept: those of this CPU with all others of it, those of a simulated one (@simulated not NULL) with the chart @name. The caller frees; NULL with err. */
char *chart_journal_path(const char *name, const char *simulated, struct err *err);
/* Where the doubts of the chart @name are kept (chart/doubts.h). The caller frees; NULL without a home. */
char *chart_doubts_path(const char *name);
/* Has @s use the charted machine @name as it is on disk: what is used from now on is what was saved. A fault goes to the log. UI thread. */
void chart_adopt(struct session *s, const char *directory, const char *name);

#endif
