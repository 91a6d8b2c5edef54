/* The files of chart/facts.c: each adds its loops to the probes, and concludes facts from their
 * times. One thread. */
#ifndef PORTOLAN_CHART_FACTS_PARTS_H
#define PORTOLAN_CHART_FACTS_PARTS_H

#include "chart/probes.h"

/* facts_buffers.c: facts of the buffers between rename and retirement: reorder buffer, scheduler,
 * loads and stores. Parts of chart/facts.h. */

/* Times loops with more and more instructions between two chains of square roots, until the second
 * chain no longer starts before the first one ends. Returns that number. False with err when that
 * is impossible or was cancelled. */
bool buffer_probes(struct probes *p, struct err *err);

/* facts_forward.c: facts of stores that are loaded again: time of forwarding, and which stores
 * rename finds, through which registers, by which loads and widths. Parts of chart/facts.h. */

struct forward_probes;
/* Adds the loops to @p. */
struct forward_probes *forward_probes_ask(struct probes *p);
/* Concludes facts from their times; stores_per_cycle must be known. */
void forward_probes_conclude(struct probes *p, const struct forward_probes *f);
void forward_probes_free(struct forward_probes *f);

/* facts_front.c: small loops that measure the predecoder, the decoders and length-changing
 * prefixes. facts_uop_cache.h has the µop cache. */

/* Facts from bytes to decoded instructions; 0: unknown, or not limiting. */
struct front_found {
    unsigned bytes, width;   /* per cycle, of the predecoder */
    unsigned decoders;       /* instructions per cycle, if less than rename's */
    unsigned penalty;        /* cycles of a length-changing prefix */
};

struct front_probes;

/* Adds the loops to @p; front_probes_free frees. */
struct front_probes *front_probes_ask(struct probes *p);
/* Concludes facts from their times. */
struct front_found front_probes_conclude(struct probes *p, const struct front_probes *f);
void front_probes_free(struct front_probes *f);

/* Adds @count instructions of @bytes bytes altogether, none shorter than @shortest. Each takes a
 * slot and is decoded alone. */
void front_code(unsigned count, unsigned bytes, unsigned shortest, struct str *out);
/* Cycles that the decoders of a machine of nothing but @found take for such instructions, over and
 * over. */
double front_decoded(const struct probes *p, const struct insn *insns, size_t count,
                     const struct front_found *found);

/* facts_groups.c: facts of the groups that rename allocates: which instructions never take the last
 * slot, and whether those of several slots are split. Parts of chart/facts.h. */

struct group_probes;
/* Adds the loops to @p. */
struct group_probes *group_probes_ask(struct probes *p);
/* Concludes facts from their times. */
void group_probes_conclude(struct probes *p, const struct group_probes *g);
void group_probes_free(struct group_probes *g);

/* facts_loads.c: facts of loads: latency by form of the address, and loads that are replayed, which
 * take further slots of the loads per cycle (load_replays, forward_replays). One thread. */

struct load_probes;

/* Adds the loops. Free with load_probes_free. */
struct load_probes *load_probes_ask(struct probes *p);
/* Concludes facts from their times. Call it after memory_probes_conclude (loads per cycle) and
 * forward_probes_conclude (memory renaming). */
void load_probes_conclude(struct probes *p, const struct load_probes *l);
void load_probes_free(struct load_probes *l);

/* facts_memory.c: facts of memory that hits the first level: loads and stores a cycle, banks,
 * lines, the stack pointer. Parts of chart/facts.h. */

struct memory_probes;
/* Adds the loops to @p. */
struct memory_probes *memory_probes_ask(struct probes *p);
/* Concludes facts from their times. */
void memory_probes_conclude(struct probes *p, const struct memory_probes *m);
void memory_probes_free(struct memory_probes *m);

/* facts_plain.c: facts of a set whose operations do not access memory, by the few loops that are
 * known for it. */

/* Concludes each fact that a loop determines, and names the others as unknown. False with err. */
bool plain_facts_find(struct probes *p, struct err *err);

/* facts_rename.c: facts of rename: indexed addresses, and flags that are read at once. Parts of
 * chart/facts.h. */

struct rename_probes;
/* Adds the loops to @p. */
struct rename_probes *rename_probes_ask(struct probes *p);
/* Concludes the facts of rename from the probes' times. */
void rename_probes_conclude(struct probes *p, const struct rename_probes *r);
void rename_probes_free(struct rename_probes *r);

/* facts_uop_cache.c: small and long loops that measure the µop cache, where the decoders are
 * slower. */

struct uop_cache_probes;

/* Adds the loops to @p; uop_cache_probes_free frees. */
struct uop_cache_probes *uop_cache_probes_ask(struct probes *p);
/* Concludes facts of a CPU with the decoders @found, and runs further loops for more precision.
 * False with err. */
bool uop_cache_probes_conclude(struct probes *p, struct uop_cache_probes *u,
                               const struct front_found *found, struct err *err);
void uop_cache_probes_free(struct uop_cache_probes *u);

/* facts_windows.c: copies of instructions of every length, which show whether a µop cache delivers
 * by windows (analysis/windows.h) or as many as rename takes. */

/* Runs them and concludes facts, before any fact that counts slots. False with err. */
bool window_probes(struct probes *p, struct err *err);

#endif
