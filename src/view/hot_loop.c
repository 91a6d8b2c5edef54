/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/hot_loop.h"

#include <math.h>

#include "isa/isa.h"

#define PERCENT 7            /* number of columns of a percentage */

const struct profile_loop *hot_loop(const struct session *s)
{
    const struct run_profile *p = s->document.profile;

    return p && s->document.hot < p->loops.count ? &p->loops.items[s->document.hot] : NULL;
}

const struct insn *hot_loop_insns(const struct profile_loop *l, size_t *count)
{
    *count = 0;
    return l && l->kernel && l->kernel->insn_count ? kernel_insns(l->kernel, l->loop, count) : NULL;
}

void hot_percent_draw(struct grid *g, int x, int y, double percent, double full, bool cursor)
{
    if (!isnan(percent))
        grid_printf(g, x, y, PERCENT,
                    cursor ? ROLE_CURSOR : heat_role(full > 0 ? percent / full : 0), 0, "%5.1f %%",
                    percent);
}

void hot_loop_unpredicted(const struct run_profile *p, const struct profile_loop *l,
                          struct str *out)
{
    if (p->cut_off)
        str_addf(out,
                 "%s: no prediction, because profiling was cancelled or failed before the program "
                 "ended; program stop keeps the samples",
                 l->name);
    else if (p->machine && l->kernel && l->kernel->loops[l->loop].dispatch)
        str_addf(out,
                 "%s: no prediction, because each iteration executes one of the loop's parts, "
                 "which end with computed gotos",
                 l->name);
    else if (p->machine && l->kernel && l->kernel->isa == isa_host())
        str_addf(out, "%s: no prediction, because the loop is too long (%zu instructions)", l->name,
                 l->kernel->loops[l->loop].count);
    else if (p->machine)
        str_addf(out,
                 "%s: no prediction, because the loop and %s have different instruction sets",
                 l->name, p->machine);
    else
        str_addf(out, "%s: no prediction, because no machine has this CPU's instruction set",
                 l->name);
}
