/* What blame's measurements say, in a sentence. */
#ifndef PORTOLAN_REPORT_BLAME_VERDICT_H
#define PORTOLAN_REPORT_BLAME_VERDICT_H

#include "report/blame.h"

/* Fills sentence and worst of @b from all else in it. */
void blame_judge(struct blame *b, const struct insn *insns, const struct machine *m);

#endif
