/* What the stages of a chart (chart_stages.c) do, one after the other. One thread. */
#ifndef PORTOLAN_CHART_STAGES_H
#define PORTOLAN_CHART_STAGES_H

#include "chart/chart.h"
#include "chart/core.h"
#include "chart/lab.h"

/* latencies.c: latencies of a chart: each form's dependency chains, per pair of operands, as rules
 * of the machine. */

/* Measures the chains of all forms that the machine so far has a usage of, but for those that
 * lab->options->latencies (a file as `latency measure` exports it) has already; that file is
 * written again as they come. The machine gets each form's latency, and rules where pairs of
 * operands differ. False with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* The same rules anew, from what was measured then, once the machine has facts: what a fact says of
 * a chain (flags that are slow to read, a store that is loaded again) no rule may say again. */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

/* refine.c: usages that err less in the experiments of their forms. On a CPU whose times are late
 * no usage explains all of them: the one that explains most exactly is not the one that errs
 * least. */

/* Each form of @c that is placed or unexplained, and runs beside others in enough experiments,
 * takes the usage by which the mean relative error of these is least, of the commonest ones of its
 * kind and of those a few µops away from the best of these, if that lowers its error by a quarter
 * and half a percent at least. All are judged by what the machine said before. The confidence of
 * one that changed is CHART_DOUBTFUL at most. Runs on the hooks' team, with the same result for any
 * number of threads. Returns how many changed. */
size_t refine_usages(const struct lab *lab, struct chart *c);

/* review.c: the last look of a chart: random code that took no part in it, timed on the CPU and
 * predicted from the machine that was made. */

/* Draws blocks of the forms that lab->options->uses weighs. Where one of the first half is
 * predicted wrongly there is a second round (chart/second.h); the other half, drawn afterwards,
 * fills c->review. Nothing to draw from, or a CPU that times no code, is no fault. False with
 * err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

/* substitutes.c: forms that no experiment can hold since they move the stack pointer: as what does
 * the same without that, where small loops agree. Jumps take a slot. x86-64 alone. */

/* Adds to c->machine those forms whose loops it foretells with them; after the facts, on which what
 * a push takes depends. False with err. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

/* trial.c: usages of a chart put to the test beside each other: random experiments that took no
 * part. */

/* Measures a few experiments of each form beside random others; forms in such as the machine
 * foretells wrongly lose confidence, the more of theirs the more. This shows what no rival of a
 * single usage does: a core that lacks ports. False with err. */
bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err);

/* twins.c: vectors in the old encoding beside a core in the new one: both are never measured
 * together, but a form does in one what its twin does in the other. */

/* Adds to @m, the usages of @core's forms, forms in the old encoding (PXOR (XMM, XMM)) whose twin
 * (VPXOR (XMM, XMM, XMM)) is of a class of the core and takes as long alone: one for each usage, as
 * what other forms in that encoding can run beside. @alone: cycles of the @n forms of the lab's
 * table. Returns how many. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m);

/* unexplained.c: forms whose measurements no usage explains. */

/* An unexplained form whose usage contradicts even its time alone by more than @off (relative)
 * takes, in c->machine, the usage that most forms have which are explained and take as long or
 * nearly as long alone, of those with the same operands where there are any, or else of the same
 * kind (memory or not, vectors or not). It stays unexplained. Where there are none it stays as it
 * is. Returns how many changed. */
size_t unexplained_mend(struct chart *c, double off);

/* unused_ports.c: ports that were thought of while a CPU was charted, and that nothing takes in the
 * end: the pipe of a form that got another usage afterwards. */

/* Takes the ports out of @c's machine that neither one of its usages holds nor one that an open
 * doubt may still put there; the others keep their names and their order. Other usages of forms
 * that need one of those go, too. */
void unused_ports_drop(struct chart *c);

#endif
