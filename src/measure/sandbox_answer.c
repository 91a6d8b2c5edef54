/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox_child.h"

#include <math.h>
#include <string.h>

/* largest plausible number of contended or disturbed windows; an item's patience does not suffice
 * for more */
#define WINDOWS_LIMIT 1000000u

const char *sandbox_fault_text(unsigned fault)
{
    static const char *const texts[FAULT_COUNT] = {
        "no fault",
        "SIGILL: not supported by this CPU",
        "SIGFPE: division fault",
        "SIGSEGV: access outside the mapped memory",
        "SIGBUS: misaligned access",
        "SIGTRAP",
        "time limit exceeded",
        "system call attempted",
        "process killed",
        "address cannot be mapped",
        "accesses too many pages",
        ("SIGSEGV: general protection (a non-canonical address, a misaligned vector or a "
         "privileged instruction)"),
        "invalid reply from the sandbox process",
        "no CPU time: the computer is busy",
        "access to addresses reserved for the measurement",
    };
    return fault < FAULT_COUNT ? texts[fault] : "unknown fault";
}

void sandbox_answer_clear(struct sandbox_item *item)
{
    item->done = false;
    item->fault = FAULT_NONE;
    item->fault_address = 0;
    item->fault_offset = SANDBOX_NO_OFFSET;
    item->pages = 0;
    item->counter_cycles = NAN;
    item->result = (struct window_result){
        .state = WINDOW_UNSETTLED, .cycles = NAN, .spread = NAN, .contended_cycles = NAN};
}

void sandbox_answer_fault(struct sandbox_item *item, unsigned fault)
{
    sandbox_answer_clear(item);
    item->fault = fault;
    item->result.state = WINDOW_FAULT;
    item->result.fault = fault;
    item->done = true;
}

/* Returns whether @value is plausible: NaN, or a number in range. Differences of times may be
 * negative. */
static bool number_or_missing(double value)
{
    return isnan(value) || fabs(value) < 1e15;
}

/* Extends *@least and *@most by the bounds of a difference, computed from the bounds of its two
 * runs. */
static void difference_bounds(const struct sandbox_item *item, const struct window_result *r,
                              double *least, double *most)
{
    double iterations = (double)(item->count - item->count / 2) * (item->passes ? item->passes : 1),
           low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    for (unsigned i = 0; i < r->accepted; i++) {
        low[0] = fmin(low[0], (double)r->shorter[i]);
        high[0] = fmax(high[0], (double)r->shorter[i]);
        low[1] = fmin(low[1], (double)r->longer[i]);
        high[1] = fmax(high[1], (double)r->longer[i]);
    }
    *least = fmin(*least, (low[1] - high[0]) / iterations);
    *most = fmax(*most, (high[1] - low[0]) / iterations);
}

/* Returns whether the result is consistent with the values of its windows. */
static bool windows_right(const struct sandbox_item *item, const struct window_result *r)
{
    double least = INFINITY, most = -INFINITY;

    if ((unsigned)r->state > WINDOW_BEATEN || r->accepted > WINDOW_VALUES ||
        r->contended > WINDOWS_LIMIT || r->disturbed > WINDOWS_LIMIT)
        return false;
    for (unsigned i = 0; i < r->accepted; i++) {
        if (!isfinite(r->values[i]) || !isfinite(r->shorter[i]) || !isfinite(r->longer[i]))
            return false;
        least = r->values[i] < least ? r->values[i] : least;
        most = r->values[i] > most ? r->values[i] : most;
    }
    if (item->difference && item->count)
        difference_bounds(item, r, &least, &most);
    if (!number_or_missing(r->cycles) || !number_or_missing(r->spread) ||
        !number_or_missing(r->clock) || !number_or_missing(r->contended_cycles))
        return false;
    if (r->state == WINDOW_FAULT)
        return true;
    if (!r->accepted)
        /* A result without an accepted window must not have cycles. */
        return isnan(r->cycles) &&
               (r->state == WINDOW_UNSETTLED || (r->state == WINDOW_BEATEN && item->worth > 0));
    if (r->state == WINDOW_SETTLED && r->accepted < 3)
        return false;
    /* Tolerates the rounding of values to floats. */
    double slack = 1e-4 * (fabs(least) + fabs(most)) + 1e-6;
    return r->clock > 0 && r->cycles >= least - slack && r->cycles <= most + slack;
}

static bool answer_right(const struct sandbox_item *item, const struct sandbox_item *answer)
{
    if (!answer->done || answer->fault >= FAULT_COUNT || answer->pages > SANDBOX_PAGES ||
        !number_or_missing(answer->counter_cycles))
        return false;
    if (item->mode == SANDBOX_WINDOWS)
        return windows_right(item, &answer->result) &&
               (answer->fault != FAULT_NONE) == (answer->result.state == WINDOW_FAULT);
    for (unsigned i = 0;
         item->mode == SANDBOX_RAW_TICKS && i < item->samples && i < SANDBOX_RAW && !answer->fault;
         i++)
        if (!answer->ticks[i] || answer->ticks[i] >> 56)
            return false;
    return true;
}

void sandbox_answer_take(struct sandbox_item *item, const struct sandbox_item *answer)
{
    struct sandbox_item got;

    memcpy(&got, answer, sizeof got);
    /* Copies the byte instead of a bool, because a bool whose bits are neither 0 nor 1 is
     * invalid. */
    unsigned char done;
    memcpy(&done, &got.done, 1);
    if (done != 1 || !answer_right(item, &got)) {
        sandbox_answer_fault(item, FAULT_ANSWER);
        return;
    }
    item->done = true;
    item->fault = got.fault;
    item->fault_address = got.fault_address;
    item->fault_offset = got.fault_offset;
    item->pages = got.pages;
    memcpy(item->ticks, got.ticks, sizeof item->ticks);
    item->result = got.result;
    item->counter_cycles = got.counter_cycles;
}
