/* Parts of the sentence that names a loop's limit, used by advice*.c only. One thread. */
#ifndef PORTOLAN_ANALYSIS_ADVICE_H
#define PORTOLAN_ANALYSIS_ADVICE_H

#include "analysis/analysis.h"
#include "base/str.h"

#define ADVICE_ROWS 3 /* rows of a port that are named */
#define ADVICE_EQUAL 1e-9

/* Input of a sentence. */
struct advice {
    const struct analysis *a;
    const struct limit *l;
    struct str *out;
};

/* advice_names.c: "ports 2 and 3"; many ports as a range. */
void advice_ports(const struct analysis *a, portset set, struct str *out);
/* "lock add" */
void advice_insn(const struct insn *insn, struct str *out);
/* "lock add (line 3)" */
void advice_row(const struct analysis *a, size_t row, struct str *out);
/* Returns the cycles of row @row on the ports @set. */
double advice_load(const struct analysis *a, size_t row, portset set);
/* Names the rows with the most cycles on the ports @set, at most @most: "vdivsd 4.00 (line 7)". */
void advice_rows(const struct analysis *a, portset set, int most, struct str *out);
/* Splits the limiting ports into sets that no instruction uses together. Fills @parts and returns
 * their count, at least one. */
unsigned advice_bottlenecks(const struct analysis *a, portset parts[PORTS_MAX]);
/* "ports 2 and 3 (vmovsd 1.00 (line 3), ...) and port 4 (...)"; @last precedes the last one. */
void advice_name_bottlenecks(const struct analysis *a, const char *last, struct str *out);
/* Names the first links of @chain with a latency, and their cycles. */
void advice_chain(const struct advice *s, const struct limit_chain *chain, bool cycles);
/* Returns whether advice_chain names more than one. */
bool advice_chain_names_several(const struct limit_chain *chain);
/* As advice_chain for the longest chain. */
void advice_links(const struct advice *s, bool cycles);
/* Returns whether predecoding delivers less than the decoders. */
bool advice_is_predecode(const struct frontend *f);
const char *advice_frontend_part(const struct frontend *f);
/* "ports 2 and 3": the next limit after the present one. */
void advice_limit(const struct advice *s, enum limit_kind kind);
/* Returns whether the loop could use wider vectors: it walks through contiguous data, no branch or
 * address depends on loaded data, no call or serial chain is in it, and the machine has wider
 * vectors. */
bool advice_could_widen(const struct analysis *a);
/* "Next limit: ..." if removing the limit would gain time. */
void advice_next(const struct advice *s);

/* advice_chains.c: the sentence for each kind of chain. */
void advice_say_induction(const struct advice *s);
void advice_say_reduction(const struct advice *s);
void advice_say_scan(const struct advice *s);
void advice_say_recurrence(const struct advice *s);
void advice_say_chase(const struct advice *s);
void advice_say_select(const struct advice *s);
void advice_say_memory(const struct advice *s);
void advice_say_partial(const struct advice *s);
void advice_say_false(const struct advice *s);
void advice_say_serial(const struct advice *s);
/* Cycles of a 32-bit division, if a 64-bit one limits the loop and takes much longer. */
void advice_narrower(const struct advice *s);

/* alternatives.c: other instructions that do the same and are lighter on the ports that bind: which
 * ones the machine's own table decides. */

/* For an analysis that is limited by ports and complete except for its sentence: adds " 2 of them
 * could be vblendps (p015): 3.00 cycles." It names each kind of replacement with its count, and the
 * port bound with all of them. Adds nothing if none helps. */
void alternatives_add(const struct analysis *a, struct str *out);

#endif
