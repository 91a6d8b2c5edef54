/* The stages of a chart (chart_stages.c), in order. Call from one thread. */
#ifndef PORTOLAN_CHART_STAGES_H
#define PORTOLAN_CHART_STAGES_H

#include "chart/chart.h"
#include "chart/core.h"
#include "chart/lab.h"
#include "chart/probe_table.h"
#include "hunt/explain.h"

/* latencies.c: latency of each form per pair of operands, measured with dependency chains and
 * written as rules of the machine. */

/* Measures the chains of all forms with a usage, except those in lab->options->latencies (a file of
 * `latency measure`). Rewrites that file every few seconds and at the end. Sets the latency of each
 * form in the machine, and adds rules where pairs of operands differ. Returns false with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* Recomputes the rules from the same chains after the facts are known. A rule must not repeat the
 * effect of a fact on a chain (slow flags, forwarding). Returns false with err. */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

/* refine.c: chooses the most probable usage of each form from all its experiments */

/* Chooses usages of placed and unexplained forms of @c, and of core forms with low confidence.
 * Candidates are the form's alternatives and the most frequent usages of forms of its kind. Usages
 * that differ from these by a few µops are also candidates. The choice depends on the times
 * (chart/residual.h) and on the usage's frequency among forms of its kind. Updates state,
 * confidence and alternatives of all these forms. Runs on the hooks' team; the result does not
 * depend on the number of threads. Returns the number of changes. */
size_t refine_usages(const struct lab *lab, struct chart *c);

/* review.c: final review of a chart. Times random blocks that inference did not use, and compares
 * the times with predictions. */

/* Draws lab->options->review_blocks random blocks of the forms in lab->options->uses. Their times
 * fill c->review. There is no review without such forms, or if the CPU cannot time blocks. Returns
 * false with err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

/* substitutes.c: usages of forms that cannot be part of experiments, because they move the stack
 * pointer or use ah to dh or lock. These forms get the usage of an equivalent form if the times of
 * small loops agree. A jump takes a slot, a call a slot and a store, a return a slot and a load.
 * x86-64 only, and only if the issue width is known. */

/* Adds each of these forms to c->machine if the machine then predicts the form's loop. Adds jumps,
 * calls and returns without this test. Call it when the facts are known, because they determine the
 * cost of a push. Returns false with err. Does nothing without forms, without AT&T and Intel
 * syntax, or if the issue width is unknown. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

/* trial.c: random experiments, independent of the experiments by which usages were chosen */

/* Measures a few random experiments of each form with forms of the core. Unlike comparisons of
 * single usages, they reveal missing ports of the core. Returns false with err. */
bool measure_random(struct lab *lab, const struct chart *c, struct err *err);

/* twins.c: adds legacy-encoded vector forms to a core of VEX-encoded forms. A legacy form has the
 * same usage as its VEX counterpart, but no experiment mixes the encodings. */

/* Adds one legacy-encoded form, such as PXOR (XMM, XMM), to @m for each usage of @core. Other
 * legacy forms are measured with the added forms. The VEX counterpart of an added form, such as
 * VPXOR (XMM, XMM, XMM), is in a class of the core. Both forms take equal time in isolation.
 * @alone: cycles of the @n forms of the lab's table. Returns the number of forms added. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m);

/* unused_ports.c: removes ports that no usage needs, such as the pipe of a form that later received
 * another usage */

/* Removes ports from @c's machine that occur in no usage and no open ambiguity. Other ports keep
 * their names and order. Deletes alternatives that need a removed port. */
void unused_ports_drop(struct chart *c);

/* facts.c: facts of a chart. Each small loop determines one rule of the front end or the back end.
 * AArch64 has only a few of these loops (chart/facts_parts.h). */

/* Measures the loops of @table and of the searches. Writes the facts to c->machine and c->facts. An
 * uncertain fact is unknown in c->facts and not in the machine. Returns false with err. */
bool facts_find(struct lab *lab, struct chart *c, const struct probe_table *table,
                struct err *err);

#endif
