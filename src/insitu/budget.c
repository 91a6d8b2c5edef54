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
    const double stop = b->copied.pid ? b->copies : fmax(b->copies, b->moment);
    const double pages = b->copied.pid ? fmax(b->pages, 2 * (double)maps_copied(&b->copied))
                                       : (double)maps_faults(pid).resident;
    return stop + b->page * pages;
}

bool budget_moment(const struct watch_budget *b, pid_t pid, double elapsed)
{
    return b->moment + fmin(budget_copies(b, pid), BUDGET_SHARE * elapsed / 2) <=
           budget_left(b, elapsed);
}

void budget_copy(struct watch_budget *b, pid_t pid, double seconds)
{
    b->faults += recent_faults(b);
    b->pages = fmax(b->pages, 2 * (double)maps_copied(&b->copied));
    b->copied = maps_faults(pid);
    b->copies = seconds;
}
