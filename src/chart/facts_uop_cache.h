/* Small and long loops that tell what the µop cache holds, where the decoders are slower. */
#ifndef PORTOLAN_CHART_FACTS_UOP_CACHE_H
#define PORTOLAN_CHART_FACTS_UOP_CACHE_H

#include "chart/facts_front.h"

struct uop_cache_probes;

/* Adds the loops to @p; uop_cache_probes_free frees. */
struct uop_cache_probes *uop_cache_probes_ask(struct probes *p);
/* Tells what they say of a CPU whose decoders are @found, and runs further loops to be more precise. False with err. */
bool uop_cache_probes_conclude(struct probes *p, struct uop_cache_probes *u, const struct front_found *found, struct err *err);
void uop_cache_probes_free(struct uop_cache_probes *u);

#endif
