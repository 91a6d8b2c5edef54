/* The parts of the sentence that says what limits a loop: for advice.c alone. One thread. */
#ifndef PORTOLAN_ANALYSIS_ADVICE_H
#define PORTOLAN_ANALYSIS_ADVICE_H

#include "analysis/analysis.h"
#include "base/str.h"

#define ADVICE_ROWS 3 /* of a port that are named */
#define ADVICE_EQUAL 1e-9

/* Input of a sentence. */
struct advice {
    const struct analysis *a;
    const struct limit *l;
    struct str *out;
};

/* advice_names.c: "ports 2 and 3", as a range where there are many. */
void advice_ports(const struct analysis *a, portset set, struct str *out);
/* "lock add" */
void advice_insn(const struct insn *insn, struct str *out);
/* "lock add (line 3)" */
void advice_row(const struct analysis *a, size_t row, struct str *out);
/* Returns the cycles of row @row on the ports of @set. */
double advice_load(const struct analysis *a, size_t row, portset set);
/* The rows that put the most on the ports of @set, at most @most, as "vdivsd 4.00 (line 7)". */
void advice_rows(const struct analysis *a, portset set, int most, struct str *out);
/* Fills @parts with the ports that bind, by what competes for them: sets of which no instruction
 * uses two. Returns their count, at least one. */
unsigned advice_bottlenecks(const struct analysis *a, portset parts[PORTS_MAX]);
/* "ports 2 and 3 (vmovsd 1.00 (line 3), ...) and port 4 (...)"; @last is before the last one. */
void advice_name_bottlenecks(const struct analysis *a, const char *last, struct str *out);
/* The links of @chain that take time, the first few, with their cycles. */
void advice_chain(const struct advice *s, const struct limit_chain *chain, bool cycles);
/* The same of the longest chain. */
void advice_links(const struct advice *s, bool cycles);
/* Whether predecoding delivers less than the decoders. */
bool advice_is_predecode(const struct frontend *f);
const char *advice_frontend_part(const struct frontend *f);
/* "ports 2 and 3": what would limit then. */
void advice_limit(const struct advice *s, enum limit_kind kind);
/* Whether what the loop does could be done in wider vectors than it is: it goes through data, on
 * which no branch and no address depends, and the machine has wider ones. */
bool advice_could_widen(const struct analysis *a);
/* "Next limit: ..." where something would gain. */
void advice_next(const struct advice *s);

/* advice_chains.c: the sentence of each kind of chain. */
void advice_say_induction(const struct advice *s);
void advice_say_reduction(const struct advice *s);
void advice_say_scan(const struct advice *s);
void advice_say_recurrence(const struct advice *s);
void advice_say_chase(const struct advice *s);
void advice_say_select(const struct advice *s);
void advice_say_memory(const struct advice *s);
void advice_say_false(const struct advice *s);
void advice_say_serial(const struct advice *s);
/* Cycles of a 32-bit division, where a 64-bit one limits and takes much longer. */
void advice_narrower(const struct advice *s);

#endif
