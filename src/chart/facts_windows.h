/* Copies of instructions of every length, which tell a µop cache that delivers by windows (analysis/windows.h) from one that delivers as many as rename takes. */
#ifndef PORTOLAN_CHART_FACTS_WINDOWS_H
#define PORTOLAN_CHART_FACTS_WINDOWS_H

#include "chart/probes.h"

/* Runs them and tells what they say, before any fact that counts slots. False with err. */
bool window_probes(struct probes *p, struct err *err);

#endif
