/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/budget.h"

#include <math.h>

/* Returns the time of first writes to pages since the last copies. */
static double recent_faults(const struct watch_budget *b)
{
    return b->page * (double)maps_copied(&b->copied);
}

double budget_lost(const struct watch_budget *b)
{
    return b->stopped + b->faults + recent_faults(b);
}

double budget_left(const struct watch_budget *b, double elapsed)
{
    return BUDGET_SHARE * elapsed + BUDGET_SECONDS - budget_lost(b);
}

double budget_copies(const struct watch_budget *b, pid_t pid)
{
    const double pages = b->copied.pid ? fmax(b->pages, 2 * (double)maps_copied(&b->copied))
                                       : (double)maps_faults(pid).resident;
    return b->copies + b->page * pages;
}

void budget_copy(struct watch_budget *b, pid_t pid, double seconds)
{
    b->faults += recent_faults(b);
    b->pages = fmax(b->pages, 2 * (double)maps_copied(&b->copied));
    b->copied = maps_faults(pid);
    b->copies = seconds;
}
