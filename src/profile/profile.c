/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"

void profile_free(struct run_profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->functions.count; i++) {
        free(p->functions.items[i].name);
        free(p->functions.items[i].shown);
        free(p->functions.items[i].file);
    }
    for (size_t i = 0; i < p->loops.count; i++) {
        kernel_free(p->loops.items[i].kernel);
        free(p->loops.items[i].name);
        free(p->loops.items[i].file);
        free(p->loops.items[i].bottleneck);
        free(p->loops.items[i].why);
    }
    vec_done(&p->functions);
    vec_done(&p->loops);
    free(p->program);
    vec_free_texts(&p->argv);
    free(p->input);
    free(p->output);
    free(p->machine);
    free(p);
}

double profile_share(const struct run_profile *p, size_t samples, double *off)
{
    double n = (double)p->samples, share = n > 0 ? (double)samples / n : 0;
    /* Adds two successes and two failures. The interval is then valid even for extreme counts
     * (Agresti and Coull 1998). */
    double middle = ((double)samples + 2) / (n + 4);

    if (off)
        *off = 1.96 * sqrt(middle * (1 - middle) / (n + 4));
    return share;
}

const char *profile_function_name(const struct profile_function *f)
{
    return *f->name ? f->shown : *f->file ? "(no symbol)" : "(generated code)";
}

void profile_name_short(const char *name, size_t columns, struct str *out)
{
    size_t length = strlen(name), end = columns / 3;

    if (length <= columns)
        str_add(out, name);
    else
        str_addf(out, "%.*s..%s", (int)(columns - end - 2), name, name + length - end);
}

double profile_loop_now(const struct profile_loop *l)
{
    return isnan(l->measured) ? l->predicted : l->measured;
}

void profile_memory_range(const struct profile_loop *l, struct str *out)
{
    if (l->costs_measured && !l->by_data) {
        str_addf(out, "The true value is between %.2f and %.2f cycles", profile_loop_now(l),
                 l->over_memory);
        return;
    }
    str_add(out, "The true value may be outside of this range");
    if (!l->costs_measured)
        str_add(out, ": the costs of cache lines are not calibrated on this CPU; machine calibrate "
                     "--memory measures them");
    if (l->by_data)
        str_addf(out, "%s the time depends on the program's data",
                 l->costs_measured ? ":" : ", and");
}

double profile_time_with(const struct run_profile *p, size_t at, double now, double cycles)
{
    double all = p->user + (isnan(p->system) ? 0 : p->system);

    if (p->loops.items[at].by_data)
        return NAN;
    return all - p->user * profile_share(p, p->loops.items[at].samples, NULL) * (1 - cycles / now);
}

ORDER_BY(functions_by_samples, struct profile_function, DESCENDING(samples) ?: TEXTUAL(name))

ORDER_BY(loops_by_samples, struct profile_loop, DESCENDING(samples) ?: TEXTUAL(name))

/* Removes the loops with less than @least of all samples. These loops are last in the list. */
static void loops_cut(struct run_profile *p, double least)
{
    while (p->loops.count &&
           (double)p->loops.items[p->loops.count - 1].samples < least * (double)p->samples) {
        struct profile_loop *l = &p->loops.items[--p->loops.count];
        kernel_free(l->kernel);
        free(l->name);
        free(l->file);
    }
}

struct run_profile *profile_new(const struct sampled *s, double rate, double least,
                                bool (*goes_on)(void *state, double share), void *state,
                                struct err *err)
{
    static _Atomic uint64_t last;
    struct run_profile *p = mem_zero(1, sizeof *p);

    p->serial = ++last;
    p->program = mem_strdup(s->path);
    p->method = s->method;
    p->rate = rate;
    p->seconds = s->seconds;
    p->user = s->user;
    p->system = s->system;
    p->memory = s->memory;
    p->samples = s->samples.count + s->lost;
    p->lost = s->lost;
    p->processes = s->processes;
    p->threads = s->threads;
    for (size_t i = 0, count = s->samples.images.count; i <= count; i++) {
        if ((goes_on && !goes_on(state, count ? (double)i / (double)count : 1)) || watch_over()) {
            err_set(err, ERR_INTERRUPTED, NULL, "profiling was cancelled");
            profile_free(p);
            return NULL;
        }
        if (i < count)
            places_find(p, &s->samples, (uint32_t)i, goes_on != NULL);
    }
    if (p->functions.count)
        qsort(p->functions.items, p->functions.count, sizeof *p->functions.items,
              functions_by_samples);
    if (p->loops.count)
        qsort(p->loops.items, p->loops.count, sizeof *p->loops.items, loops_by_samples);
    loops_cut(p, least);
    return p;
}
