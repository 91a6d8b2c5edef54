/* The stages of a chart (chart_stages.c), in order. One thread. */
#ifndef PORTOLAN_CHART_STAGES_H
#define PORTOLAN_CHART_STAGES_H

#include "chart/chart.h"
#include "chart/core.h"
#include "chart/lab.h"

/* latencies.c: latencies of each form by dependency chains, per pair of operands, as rules of the
 * machine. */

/* Measures the chains of all forms with a usage, except those in lab->options->latencies (a file of
 * `latency measure`), which is rewritten after each form. The machine gets each form's latency, and
 * rules where pairs of operands differ. False with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* Recomputes the rules from the same chains once the machine has facts. A rule must not repeat the
 * effect of a fact on a chain (slow flags, forwarding). */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

/* refine.c: usages with a smaller error on the experiments of their forms. On a CPU with late times
 * no usage explains all of them, and that which explains most exactly may not have the least
 * error. */

/* Replaces usages of placed or unexplained forms of @c that have enough experiments. Candidates are
 * the most frequent usages of its kind and those a few µops away; the one with the least mean
 * relative error wins. It must lower the error by a quarter and by half a percent. All forms are
 * judged with the unchanged machine. The confidence of a change is at most CHART_DOUBTFUL. Runs on
 * the hooks' team, deterministic for any number of threads. Returns the number of changes. */
size_t refine_usages(const struct lab *lab, struct chart *c);

/* review.c: final review of a chart: times random blocks that inference did not use, and compares
 * them with the machine's predictions. */

/* Draws blocks of the forms in lab->options->uses. If one of the first half is mispredicted, starts
 * the second round (chart/second.h). The other half, drawn afterwards, fills c->review. Without
 * forms, or if the CPU times no code, there is no review. False with err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

/* substitutes.c: forms that move the stack pointer fit in no experiment. They get the usage of an
 * equivalent form if small loops agree. Jumps take a slot. x86-64 only. */

/* Adds to c->machine the forms whose loops it then predicts. Call it after the facts, which
 * determine the cost of a push. False with err. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

/* trial.c: tests usages of a chart by random experiments that inference did not use. */

/* Measures a few random experiments of each form. Forms lose confidence by the share that the
 * machine mispredicts. This reveals a core with missing ports, which no comparison of single usages
 * does. False with err. */
bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err);

/* twins.c: legacy-encoded vectors with a VEX-encoded core. The two encodings are never measured
 * together, but a form has the usage of its twin. */

/* Adds to @m, with usages of @core, one legacy-encoded form (PXOR (XMM, XMM)) per usage, so that
 * other legacy forms can be measured. Its twin (VPXOR (XMM, XMM, XMM)) is of a class of the core
 * and takes equal time alone. @alone: cycles of the @n forms of the lab's table. Returns their
 * number. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m);

/* unexplained.c: forms whose measurements no usage explains. */

/* Replaces the usage of an unexplained form that contradicts even its time alone by more than @off
 * (relative). It gets the most frequent usage of explained forms with about the same time alone,
 * with equal operands if possible, else of the same kind (memory or not, vectors or not). It stays
 * unexplained. Returns the number of changes. */
size_t unexplained_mend(struct chart *c, double off);

/* unused_ports.c: ports assumed while charting that no usage needs: the pipe of a form that got
 * another usage later. */

/* Removes ports from @c's machine that no usage has and no open ambiguity may assign. The others
 * keep their names and order. Alternatives that need a removed port are deleted. */
void unused_ports_drop(struct chart *c);

/* facts.c: facts of a chart: each small loop determines one rule of the front or back end. On
 * AArch64 a few (chart/facts_parts.h). */

/* Measures the loops and writes facts into c->machine and c->facts. An uncertain fact is marked
 * unknown and is not in the machine. False with err. */
bool facts_find(struct lab *lab, struct chart *c, struct err *err);

#endif
