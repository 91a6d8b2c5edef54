/* Facts that a table of probes (chart/probe_table.h) cannot express, because they need a search.
 * Each file adds loops to the probes, and infers facts from the measured times. One thread. */
#ifndef PORTOLAN_CHART_FACTS_PARTS_H
#define PORTOLAN_CHART_FACTS_PARTS_H

#include "chart/probes.h"


/* Measures loops with an increasing number of instructions between two chains of square roots,
 * until the chains no longer overlap. Concludes the capacities. Returns false with err on failure
 * or when cancelled. */
bool buffer_probes(struct probes *p, struct err *err);


/* Limits of fetch and decode; 0: unknown or not limiting. */
struct front_found {
    /* largest number of bytes and of instructions that the predecoder delivers per cycle */
    unsigned bytes, width;
    unsigned decoders;       /* number of instructions that the decoders deliver per cycle, if
                              * fewer than at rename */
    unsigned penalty;        /* cycles that a length-changing prefix adds */
};

struct front_probes;

/* Adds the loops of fetch and decode to @p. front_probes_free frees the result. */
struct front_probes *front_probes_ask(struct probes *p);
/* Infers facts from the measured loops. Returns the limits of fetch and decode. */
struct front_found front_probes_conclude(struct probes *p, const struct front_probes *f);
void front_probes_free(struct front_probes *f);

/* Appends @count instructions of @bytes bytes in total, none shorter than @shortest. Each
 * instruction uses one slot and is not fused. */
void front_code(unsigned count, unsigned bytes, unsigned shortest, struct str *out);
/* Returns the cycles per iteration of the loop @insns if it is delivered by decoders with the
 * properties @found. */
double front_decoded(const struct probes *p, const struct insn *insns, size_t count,
                     const struct front_found *found);


struct uop_cache_probes;

/* Adds the loops of the µop cache to @p. uop_cache_probes_free frees the result. */
struct uop_cache_probes *uop_cache_probes_ask(struct probes *p);
/* Infers the facts of the µop cache. @found: the CPU's decoders. Measures more loops to make the
 * values precise. Returns false with err on failure. */
bool uop_cache_probes_conclude(struct probes *p, struct uop_cache_probes *u,
                               const struct front_found *found, struct err *err);
void uop_cache_probes_free(struct uop_cache_probes *u);


/* Measures whether the µop cache delivers windows (analysis/windows.h) or instructions at the
 * width of rename, with loops of instructions of every length. Concludes the facts. Call it before
 * all facts that count slots. Returns false with err. */
bool window_probes(struct probes *p, struct err *err);

#endif
