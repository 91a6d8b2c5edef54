/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/demo.h"

#include <stdio.h>

#include "base/clock.h"
#include "work/job.h"

#define COMMANDS_MOST 6

static const struct demo_step {
    double seconds;              /* duration at pace 1 */
    const char *commands[COMMANDS_MOST];   /* %g in a command stands for the time limit in
                                            * seconds */
    const char *title, *caption;
} steps[] = {
    {10,
     {"set machine skylake,sapphirerapids,znver4", "kernel load data/kernels/triad-skl-O3.s",
      "view kernel"},
     "A loop",
     "Compiled by gcc -O3. Columns are execution ports. A cell has the cycles per iteration for "
     "which the instruction occupies the port. The sentence below names the limit of the loop."},
    {9,
     {"view timeline"},
     "The same loop, cycle by cycle",
     "Cycles in which each instruction waits, executes and retires."},
    {10,
     {"kernel whatif issue_width=1..8", "view whatif"},
     "What if",
     "The loop on hypothetical machines: cycles per iteration by issue width."},
    {9,
     {"kernel load data/kernels/pi-O1.s", "view kernel"},
     "Another loop, another limit",
     "This loop stores its sum on the stack: a chain through memory from iteration to iteration. "
     "The chain takes longer than any port."},
    {12,
     {"forms select 'ADD (R64, R64)' 'IMUL (R64, R64)' 'SHL (R64, I8)' 'VADDPD (YMM, YMM, YMM)' "
      "'VANDPD (YMM, YMM, YMM)' 'VPERMQ (YMM, YMM, I8)' 'POPCNT (R64, R64)'",
      "experiments generate --singles", "view experiments",
      "experiments measure --simulate skylake", "job wait"},
     "An unknown CPU",
     "This CPU is simulated (Skylake with the noise of a real CPU), so the result can be checked. "
     "First each instruction form is measured alone."},
    {10,
     {"experiments generate", "experiments measure --simulate skylake", "job wait",
      "view experiments"},
     "Pairs of forms",
     "Two forms that share a port take longer together than two forms with different ports."},
    {18,
     {"evolve start --ports auto --seconds %g --checkpoint none", "view evolution"},
     "Which ports explain these times?",
     "Mappings are changed, compared and combined; mappings with few ports and few kinds of µops "
     "are preferred."},
    {10,
     {"evolve adopt", "view mapping"},
     "The inferred ports",
     "A row is a form, a column a port. Port numbers are arbitrary; only the forms that share a "
     "port matter."},
    {8,
     {"evaluate", "view accuracy"},
     "How good is this mapping?",
     "Predicted cycles against measured cycles of all experiments."},
    {12,
     {"set machine native", "kernel load data/kernels/triad-skl-O3.s", "kernel measure",
      "view kernel"},
     "This CPU",
     "The first loop again, now measured on this CPU: without hardware counters or root "
     "privileges."},
    {12,
     {"experiments clear", "experiments generate --singles", "view experiments",
      "experiments measure --patience 3 --budget %g", "job wait"},
     "Instructions of this CPU",
     "The same forms on this CPU. docs/charting.md explains how to make a machine from such "
     "measurements."},
};
#define STEPS (sizeof steps / sizeof *steps)

void demo_start(struct demo *d, struct session *s, double seconds)
{
    double all = 0;

    for (size_t i = 0; i < STEPS; i++)
        all += steps[i].seconds;
    *d = (struct demo){.on = true, .pace = seconds / all, .kept = s->document};
    document_init(&s->document);
    s->revision++;
}

void demo_stop(struct demo *d, struct session *s)
{
    struct job_info info;

    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING)
            job_cancel(info.number);
    queue_drop(&s->queue);
    d->ending = true;
}

void demo_done(struct demo *d, struct session *s)
{
    if (!d->on)
        return;
    document_done(&s->document);
    s->document = d->kept;
    s->revision++;
    d->on = false;
}

static void show(struct demo *d, struct guide *g)
{
    const struct demo_step *step = &steps[d->step];
    char title[160];

    d->command = 0;
    d->until = clock_seconds() + step->seconds * d->pace;
    d->patience = d->until + step->seconds * d->pace;
    snprintf(title, sizeof title, "Demo, %zu of %zu: %s", d->step + 1, STEPS, step->title);
    guide_tell(g, title, step->caption);
}

const char *demo_next(struct demo *d, struct session *s, struct guide *g)
{
    if (d->ending) {
        if (job_running() == 0) {
            demo_done(d, s);
            guide_end(g);
        }
        return NULL;
    }
    double now = clock_seconds();
    if (d->until == 0)
        show(d, g);
    const struct demo_step *step = &steps[d->step];
    if (s->queue.job && now < d->patience)
        return NULL;
    if (s->queue.job) {
        job_cancel(s->queue.job == AWAIT_ALL ? 0 : s->queue.job);
        queue_drop(&s->queue);
    }
    if (d->command < COMMANDS_MOST && step->commands[d->command]) {
        snprintf(d->line, sizeof d->line, step->commands[d->command++],
                 0.7 * step->seconds * d->pace);
        return d->line;
    }
    if (now < d->until)
        return NULL;
    if (++d->step < STEPS)
        show(d, g);
    else
        demo_stop(d, s);
    return NULL;
}
