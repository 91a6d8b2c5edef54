/* The sentence that says what binds and what would help. */
#ifndef PORTOLAN_ANALYSIS_ADVICE_H
#define PORTOLAN_ANALYSIS_ADVICE_H

#include "analysis/analysis.h"

/* Appends why @repeated (analysis_repeated) makes a result a lower bound. */
void advice_repeated(const struct insn *repeated, struct str *out);
/* For an analysis of loop @loop of @k, filled but for its sentence. The caller frees. */
char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop);

#endif
