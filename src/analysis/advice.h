/* Parts of the sentence that names a loop's limit. Only for advice*.c. One thread. */
#ifndef PORTOLAN_ANALYSIS_ADVICE_H
#define PORTOLAN_ANALYSIS_ADVICE_H

#include "analysis/analysis.h"
#include "base/str.h"

#define ADVICE_ROWS 3 /* maximum number of rows per port in a sentence */
#define ADVICE_EQUAL 1e-9

/* Input and output of the functions that append a sentence */
struct advice {
    const struct analysis *a;
    const struct limit *l;
    struct str *out;
};

/* Appends the names of the ports, such as "ports 2 and 3" (advice_names.c). Prints many ports as a
 * range. */
void advice_ports(const struct analysis *a, portset set, struct str *out);
/* Appends the name and line of a row: "lock add (line 3)". */
void advice_row(const struct analysis *a, size_t row, struct str *out);
/* Returns the cycles of row @row on the ports @set. */
double advice_load(const struct analysis *a, size_t row, portset set);
/* Appends the rows with the most cycles on the ports @set, at most @most rows: "vdivsd 4.00 (line
 * 7)". */
void advice_rows(const struct analysis *a, portset set, int most, struct str *out);
/* Splits the limiting ports into sets, such that no µop can use ports of two sets. Fills @parts and
 * returns the number of sets, at least one. */
unsigned advice_bottlenecks(const struct analysis *a, portset parts[PORTS_MAX]);
/* Appends "ports 2 and 3 (vmovsd 1.00 (line 3), ...) and port 4 (...)". @last is the word before
 * the last set. */
void advice_name_bottlenecks(const struct analysis *a, const char *last, struct str *out);
/* Appends the first links of @chain that have a latency, or of all links if none has. If @cycles is
 * true, also appends their cycles. */
void advice_chain(const struct advice *s, const struct limit_chain *chain, bool cycles);
/* Returns whether advice_chain names more than one link. */
bool advice_chain_names_several(const struct limit_chain *chain);
/* Appends the links of the longest chain, like advice_chain. */
void advice_links(const struct advice *s, bool cycles);
/* Returns whether predecoding takes at least as long as the decoders, or the decoders' time is
 * unknown. */
bool advice_is_predecode(const struct frontend *f);
const char *advice_frontend_part(const struct frontend *f);
/* Appends the name of limit @kind, such as "ports 2 and 3". */
void advice_limit(const struct advice *s, enum limit_kind kind);
/* Returns whether the loop could use wider vectors of the machine. The loop must have contiguous
 * data and no serial chain. It must have no push, pop, call or gather, and no branch or address
 * that depends on loaded data. */
bool advice_could_widen(const struct analysis *a);
/* Returns the assembler's option that keeps the front end's limiting jump within 32 bytes. An
 * option without a list of branch kinds aligns neither calls nor returns. */
const char *advice_aligning_option(const struct analysis *a);
/* Returns whether a single instruction uses the load of @row, and could have the load as a memory
 * operand. */
bool advice_folds(const struct analysis *a, uint32_t row);
/* Appends "Next limit: ..." if removing the loop's limit reduces its cycles. */
void advice_next(const struct advice *s);

/* Each appends the sentence for one kind of chain (advice_chains.c). */
void advice_say_induction(const struct advice *s);
void advice_say_reduction(const struct advice *s);
void advice_say_scan(const struct advice *s);
void advice_say_recurrence(const struct advice *s);
void advice_say_chase(const struct advice *s);
void advice_say_select(const struct advice *s);
/* Returns the cycles per iteration that a chain spends between its stores and loads. */
double advice_forwarded(const struct limit_chain *chain);
void advice_say_memory(const struct advice *s);
void advice_say_partial(const struct advice *s);
void advice_say_false(const struct advice *s);
void advice_say_serial(const struct advice *s);
/* Appends the cycles of the 32-bit division if the loop has a much slower 64-bit division. */
void advice_narrower(const struct advice *s);


/* Returns the pipes that are busy for all cycles of the pipes' bound (BOUND_PIPES). */
portset advice_full_pipes(const struct analysis *a);
/* Appends the remedy for a division by a loop invariant, or nothing if there is none. */
void advice_constant_divisor(const struct advice *s);
/* Returns whether a division blocks a pipe of advice_full_pipes. On a charted machine these pipes
 * are not necessarily dividers. */
bool advice_divides(const struct analysis *a);
/* Returns a noun for the instructions with a minimum time, such as "divisions or square roots".
 * NULL: some of these instructions may be microcoded or serialising. */
const char *advice_least_times(const struct analysis *a);
/* Appends "the divider", or the names of other full pipes. */
void advice_name_pipes(const struct advice *s);
void advice_say_divider(const struct advice *s);
void advice_say_microcode(const struct advice *s);


/* Appends a sentence about the forms whose unknown latency is part of a dependency chain. There
 * must be at least one. */
void advice_guessed(const struct analysis *a, struct str *out);
/* Appends a sentence about the forms whose values are estimates, and about the fact @width (NULL:
 * none) if its value is an estimate. Appends nothing if there are no estimates. */
void advice_estimates(const struct analysis *a, const char *width, struct str *out);


/* Appends replacements for a loop that ports limit: " 2 of these instructions could be vblendps
 * (p015). The port bound would then be 3.00 cycles." Names each kind of replacement with its count,
 * and the port bound with all replacements. Appends nothing if no replacement lowers the bound. @a
 * is complete except its sentence. */
void alternatives_add(const struct analysis *a, struct str *out);

#endif
