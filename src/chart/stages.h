/* The stages of a chart (chart_stages.c), in order. One thread. */
#ifndef PORTOLAN_CHART_STAGES_H
#define PORTOLAN_CHART_STAGES_H

#include "chart/chart.h"
#include "chart/core.h"
#include "chart/lab.h"

/* latencies.c: latencies of a chart: each form's dependency chains, per pair of operands, as rules
 * of the machine. */

/* Measures the chains of all forms with a usage, except those in lab->options->latencies (a file of
 * `latency measure`). That file is rewritten after each form. The machine gets each form's latency,
 * and rules where pairs of operands differ. False with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* The same rules, recomputed from those chains once the machine has facts. A rule must not repeat
 * the effect of a fact on a chain (slow flags, a store that is loaded again). */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

/* refine.c: usages with a smaller error on the experiments of their forms. On a CPU with late times
 * no usage explains all of them, and the usage that explains most of them exactly may not have the
 * least error. */

/* Replaces usages of placed or unexplained forms of @c that have enough experiments with others.
 * The new usage has the least mean relative error of the commonest usages of its kind and those a
 * few µops away. It must lower the error by a quarter and half a percent at least. All are judged
 * by the machine as it was before. The confidence of a changed one is CHART_DOUBTFUL at most. Runs
 * on the hooks' team, with the same result for any number of threads. Returns how many changed. */
size_t refine_usages(const struct lab *lab, struct chart *c);

/* review.c: the last look of a chart: random code that took no part in it, timed on the CPU and
 * predicted from the machine that was made. */

/* Draws blocks of the forms that lab->options->uses weighs. Where one of the first half is
 * predicted wrongly there is a second round (chart/second.h); the other half, drawn afterwards,
 * fills c->review. Nothing to draw from, or a CPU that times no code, is no fault. False with
 * err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

/* substitutes.c: forms that no experiment can hold since they move the stack pointer get the usage
 * of an equivalent form, if small loops agree. Jumps take a slot. x86-64 alone. */

/* Adds to c->machine the forms whose loops it predicts with them. Call it after the facts, which
 * determine the cost of a push. False with err. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

/* trial.c: tests usages of a chart by random experiments that took no part. */

/* Measures a few experiments of each form with random others. Forms lose confidence by the share of
 * their experiments that the machine mispredicts. This reveals a core that lacks ports, which no
 * comparison of single usages does. False with err. */
bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err);

/* twins.c: vectors in the old encoding with a core in the new one. The two encodings are never
 * measured together, but a form has the usage of its twin. */

/* Adds forms in the old encoding (PXOR (XMM, XMM)) to @m, the usages of @core's forms: one for each
 * usage, so that other forms in that encoding can be measured. The twin (VPXOR (XMM, XMM, XMM)) is
 * of a class of the core and takes the same time alone. @alone: cycles of the @n forms of the lab's
 * table. Returns how many. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m);

/* unexplained.c: forms whose measurements no usage explains. */

/* Replaces the usage of an unexplained form that contradicts even its time alone by more than @off
 * (relative). It takes, in c->machine, the most frequent usage of explained forms with about the
 * same time alone, of the same operands where there are any, else of the same kind (memory or not,
 * vectors or not). It stays unexplained. Without such forms nothing changes. Returns how many
 * changed. */
size_t unexplained_mend(struct chart *c, double off);

/* unused_ports.c: ports that were thought of while a CPU was charted, and that nothing takes in the
 * end: the pipe of a form that got another usage afterwards. */

/* Removes ports from @c's machine that no usage holds and no open ambiguity may still assign. The
 * others keep their names and order. Alternative usages that need a removed port are deleted. */
void unused_ports_drop(struct chart *c);

#endif
