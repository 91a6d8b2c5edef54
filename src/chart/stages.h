/* The stages of a chart (chart_stages.c), in order. One thread. */
#ifndef PORTOLAN_CHART_STAGES_H
#define PORTOLAN_CHART_STAGES_H

#include "chart/chart.h"
#include "chart/core.h"
#include "chart/lab.h"

/* latencies.c: latencies of each form by dependency chains, per pair of operands, written as rules
 * of the machine. */

/* Measures the chains of all forms with a usage, except those in lab->options->latencies (a file of
 * `latency measure`). Rewrites that file after each form. Sets the latency of each form in the
 * machine, and rules where pairs of operands differ. False with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* Recomputes the rules from the same chains after the facts are known. A rule must not repeat the
 * effect of a fact on a chain (slow flags, forwarding). */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

/* refine.c: usages with a smaller error on the experiments of their forms. On a CPU with times
 * above the port bound no usage explains all times. The usage that explains the most may not have
 * the least error. */

/* Replaces usages of placed or unexplained forms of @c that have enough experiments. Candidates are
 * the most frequent usages of the form's kind and those a few µops away. The one with the least
 * mean relative error wins. It must lower the error by a quarter and by half a percent. Each form
 * is evaluated with the unchanged machine. The confidence of a changed usage is at most
 * CHART_DOUBTFUL. Runs on the hooks' team, deterministic for any number of threads. Returns the
 * number of changes. */
size_t refine_usages(const struct lab *lab, struct chart *c);

/* review.c: final review of a chart: times random blocks that inference did not use, and compares
 * the times with the machine's predictions. */

/* Draws random blocks of the forms in lab->options->uses. If the machine mispredicts one of the
 * first half, starts the second round (chart/second.h). The other half, drawn afterwards, fills
 * c->review. Without forms, or if the CPU cannot time blocks, there is no review. False with
 * err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

/* substitutes.c: forms that move the stack pointer cannot be part of experiments. They get the
 * usage of an equivalent form if small loops agree. Jumps take a slot. x86-64 only. */

/* Adds to c->machine the forms whose loops it then predicts. Call it after the facts are known,
 * because they determine the cost of a push. False with err. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

/* trial.c: tests usages of a chart by random experiments that inference did not use. */

/* Measures a few random experiments of each form. Reduces the confidence of a form by the share
 * that the machine mispredicts. This reveals a core with missing ports, which no comparison of
 * single usages does. False with err. */
bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err);

/* twins.c: legacy-encoded vector forms for a core of VEX-encoded ones. Both encodings are never
 * measured together, but a form has the usage of its counterpart. */

/* Adds to @m, for each usage of @core, one legacy-encoded form (PXOR (XMM, XMM)), with which other
 * legacy forms can be measured. Its VEX counterpart (VPXOR (XMM, XMM, XMM)) is in a class of the
 * core and takes equal time alone. @alone: cycles of the @n forms of the lab's table. Returns the
 * number added. */
size_t twins_add(const struct lab *lab, const struct chart_core *core, const double *alone,
                 size_t n, struct mapping *m);

/* unexplained.c: forms whose measurements no usage explains. */

/* Replaces the usage of an unexplained form if it contradicts the form's time alone by more than
 * @off (relative). The form gets the most frequent usage of explained forms with about the same
 * time alone. These have equal operands if possible, else the same kind (memory or not, vectors or
 * not). The form stays unexplained. Returns the number of changes. */
size_t unexplained_mend(struct chart *c, double off);

/* unused_ports.c: ports that the chart assumed and no usage needs, for example the pipe of a form
 * that later got another usage. */

/* Removes ports from @c's machine that no usage has and no open ambiguity may assign. Other ports
 * keep their names and order. Deletes alternatives that need a removed port. */
void unused_ports_drop(struct chart *c);

/* facts.c: facts of a chart. Each small loop determines one rule of the front or back end. AArch64
 * has only a few (chart/facts_parts.h). */

/* Measures the loops and writes facts to c->machine and c->facts. Marks an uncertain fact as
 * unknown and omits it from the machine. False with err. */
bool facts_find(struct lab *lab, struct chart *c, struct err *err);

#endif
