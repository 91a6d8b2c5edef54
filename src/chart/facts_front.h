/* Small loops that tell what of the front end shows: predecoder, decoders and length-changing prefixes. What of it the µop cache shows is in facts_uop_cache.h. */
#ifndef PORTOLAN_CHART_FACTS_FRONT_H
#define PORTOLAN_CHART_FACTS_FRONT_H

#include "chart/probes.h"

/* What the loops told of the way from bytes to decoded instructions; 0: unknown, or nothing that limits. */
struct front_found {
    unsigned bytes, width;   /* per cycle, of the predecoder */
    unsigned decoders;       /* instructions per cycle, where that is less than rename takes */
    unsigned penalty;        /* cycles of a length-changing prefix */
};

struct front_probes;

/* Adds the loops to @p; front_probes_free frees. */
struct front_probes *front_probes_ask(struct probes *p);
/* Tells what they say. */
struct front_found front_probes_conclude(struct probes *p, const struct front_probes *f);
void front_probes_free(struct front_probes *f);

/* Adds @count instructions of @bytes bytes altogether, none shorter than @shortest, each of which takes a slot and is decoded alone. */
void front_code(unsigned count, unsigned bytes, unsigned shortest, struct str *out);
/* Cycles that the decoders of a machine of nothing but @found take for such instructions, over and over. */
double front_decoded(const struct probes *p, const struct insn *insns, size_t count, const struct front_found *found);

#endif
