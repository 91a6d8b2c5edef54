/* The files of chart/facts.c: each adds its loops to the probes, and tells what their times say.
 * One thread. */
#ifndef PORTOLAN_CHART_FACTS_PARTS_H
#define PORTOLAN_CHART_FACTS_PARTS_H

#include "chart/probes.h"

/* facts_buffers.c: facts of what a CPU holds between rename and retirement: reorder buffer,
 * scheduler, loads and stores. Parts of chart/facts.h. */

/* Times loops in which more and more stands between two chains of square roots, until the second
 * chain begins no more before the first one ends, and tells how much that is. False with err when
 * that is impossible or was cancelled. */
bool buffer_probes(struct probes *p, struct err *err);

/* facts_forward.c: facts of stores that are loaded again: what forwarding takes, and which stores
 * rename finds, through which registers, by which loads and widths. Parts of chart/facts.h. */

struct forward_probes;
/* Adds the loops to @p. */
struct forward_probes *forward_probes_ask(struct probes *p);
/* Tells what their times say; stores_per_cycle must have been told. */
void forward_probes_conclude(struct probes *p, const struct forward_probes *f);
void forward_probes_free(struct forward_probes *f);

/* facts_front.c: small loops that tell what of the front end shows: predecoder, decoders and
 * length-changing prefixes. What of it the µop cache shows is in facts_uop_cache.h. */

/* What the loops told of the way from bytes to decoded instructions; 0: unknown, or nothing that
 * limits. */
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

/* Adds @count instructions of @bytes bytes altogether, none shorter than @shortest, each of which
 * takes a slot and is decoded alone. */
void front_code(unsigned count, unsigned bytes, unsigned shortest, struct str *out);
/* Cycles that the decoders of a machine of nothing but @found take for such instructions, over and
 * over. */
double front_decoded(const struct probes *p, const struct insn *insns, size_t count,
                     const struct front_found *found);

/* facts_groups.c: facts of the groups in which rename takes instructions: which take no last slot
 * of one, and whether those of several slots are parted. Parts of chart/facts.h. */

struct group_probes;
/* Adds the loops to @p. */
struct group_probes *group_probes_ask(struct probes *p);
/* Tells what their times say. */
void group_probes_conclude(struct probes *p, const struct group_probes *g);
void group_probes_free(struct group_probes *g);

/* facts_loads.c: facts of loads, by small loops: what takes an address to its value, by how the
 * address is written, and which loads are tried again, so that they take part of the loads per
 * cycle twice (load_replays, forward_replays). One thread. */

struct load_probes;

/* Adds the loops. Free with load_probes_free. */
struct load_probes *load_probes_ask(struct probes *p);
/* What they say, once they were timed; after what memory_probes_conclude says of loads per cycle,
 * and forward_probes_conclude of what rename finds. */
void load_probes_conclude(struct probes *p, const struct load_probes *l);
void load_probes_free(struct load_probes *l);

/* facts_memory.c: facts of memory that hits the first level: loads and stores a cycle, banks,
 * lines, the stack pointer. Parts of chart/facts.h. */

struct memory_probes;
/* Adds the loops to @p. */
struct memory_probes *memory_probes_ask(struct probes *p);
/* Tells what their times say. */
void memory_probes_conclude(struct probes *p, const struct memory_probes *m);
void memory_probes_free(struct memory_probes *m);

/* facts_plain.c: facts of a set whose operations do not access memory, by the few loops that are
 * known for it. */

/* Tells each fact that a loop tells, and names the others as unknown. False with err. */
bool plain_facts_find(struct probes *p, struct err *err);

/* facts_rename.c: facts of what rename does with an address that has an index, and with flags that
 * it reads at once. Parts of chart/facts.h. */

struct rename_probes;
/* Adds the loops to @p. */
struct rename_probes *rename_probes_ask(struct probes *p);
/* Tells what their times say. */
void rename_probes_conclude(struct probes *p, const struct rename_probes *r);
void rename_probes_free(struct rename_probes *r);

/* facts_uop_cache.c: small and long loops that tell what the µop cache holds, where the decoders
 * are slower. */

struct uop_cache_probes;

/* Adds the loops to @p; uop_cache_probes_free frees. */
struct uop_cache_probes *uop_cache_probes_ask(struct probes *p);
/* Tells what they say of a CPU whose decoders are @found, and runs further loops to be more
 * precise. False with err. */
bool uop_cache_probes_conclude(struct probes *p, struct uop_cache_probes *u,
                               const struct front_found *found, struct err *err);
void uop_cache_probes_free(struct uop_cache_probes *u);

/* facts_windows.c: copies of instructions of every length, which tell a µop cache that delivers by
 * windows (analysis/windows.h) from one that delivers as many as rename takes. */

/* Runs them and tells what they say, before any fact that counts slots. False with err. */
bool window_probes(struct probes *p, struct err *err);

#endif
