/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"

#define LINKS 4              /* loads in a chain */
/* maximum number of loads in a sequence in which each address is a loaded value */
#define FED 3
/* Maximum number of loads at the same loaded address. Loops with one load are those of FED. */
#define FED_ALIKE 4
#define THROUGH 6            /* maximum number of operations between a load and its dependents */
#define BEHIND 5             /* loads whose address is the result of the last operation */
#define FOUND 4              /* maximum number of loads that read one store */
#define MODIFIED 5           /* maximum number of read-modify-writes in a loop */
/* minimum number of read-modify-writes, because fewer of them wait for each other */
#define MODIFIED_LEAST 3
#define APART 0.4            /* tolerance of a replay's cost, as a share of that cost */
#define LEAST 0.15           /* minimum number of additional load slots per load; smaller values
                              * count as 0 */
#define ALIKE 0.25           /* largest difference of two loops in additional load slots per load */
/* One of this number of loops may have another value. On Zen 4, a load after several replayed ones
 * replays more often. */
#define OTHERWISE 6

/* Address forms in a chain of loads. Each one except the segment has the parts of a previous
 * one. */
enum { ADDRESS_PLAIN, ADDRESS_INDEXED, ADDRESS_SCALED, ADDRESS_THREE, ADDRESS_SEGMENT, ADDRESSES };
static const char *const addresses[ADDRESSES] = {"[rdi]", "[rdi + rcx]", "[rdi + rcx*8]",
                                                 "[rdi + rcx + 8]", "qword ptr fs:[rdi]"};

/* Indices of the loops. */
struct load_probes {
    size_t address[ADDRESSES];
    size_t fed[FED], fed_alike[FED_ALIKE - 1], unfed;
    /* @through: operations between a load and the loads that depend on it. @apart: the same code
     * with independent addresses. */
    size_t through[THROUGH], apart[THROUGH];
    size_t found[FOUND], modified[MODIFIED];
};

static size_t ask(struct probes *p, struct str *lines)
{
    size_t at = probe_add(p, "%s", str_text(lines));
    str_done(lines);
    return at;
}

static void ask_addresses(struct probes *p, struct load_probes *l)
{
    for (size_t i = 0; i < ADDRESSES; i++) {
        struct str lines = {0};
        for (unsigned k = 0; k < LINKS; k++)
            str_addf(&lines, "mov rdi, %s\n", addresses[i]);
        l->address[i] = ask(p, &lines);
    }
}

/* Appends @count loads with base @base. They are 8 bytes apart, because loads from one bank
 * conflict. */
static void add_loads(struct str *lines, const char *base, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        str_addf(lines, "mov r%u, [%s + %u]\n", 9 + k, base, 8 + 8 * k);
}

/* Adds a loop: a load, @operations on its value, and loads with base @base. */
static size_t ask_through(struct probes *p, unsigned operations, const char *base)
{
    struct str lines = {0};

    str_add(&lines, "mov r8, [rdi]\n");
    probe_repeat("or r8, r8", operations, &lines);
    add_loads(&lines, base, BEHIND);
    return ask(p, &lines);
}

/* Adds loops of loads whose addresses are loaded. */
static void ask_fed(struct probes *p, struct load_probes *l)
{
    struct str unfed = {0};

    for (unsigned n = 1; n <= FED; n++) {
        struct str lines = {0};
        str_add(&lines, "mov r8, [rdi]\n");
        for (unsigned k = 1; k <= n; k++)
            str_addf(&lines, "mov r%u, [r%u + %u]\n", 8 + k, 7 + k, 8 * k);
        l->fed[n - 1] = ask(p, &lines);
    }
    for (unsigned n = 2; n <= FED_ALIKE; n++) {
        struct str lines = {0};
        str_add(&lines, "mov r8, [rdi]\n");
        add_loads(&lines, "r8", n);
        l->fed_alike[n - 2] = ask(p, &lines);
    }
    add_loads(&unfed, "rdi", BEHIND + 1);
    l->unfed = ask(p, &unfed);
    for (unsigned n = 1; n <= THROUGH; n++) {
        l->through[n - 1] = ask_through(p, n, "r8");
        l->apart[n - 1] = ask_through(p, n, "rdi");
    }
}

static void ask_found(struct probes *p, struct load_probes *l)
{
    for (unsigned n = 1; n <= FOUND; n++) {
        struct str lines = {0};
        str_add(&lines, "mov [rdi], r8\n");
        for (unsigned k = 0; k < n; k++)
            str_addf(&lines, "mov r%u, [rdi]\n", 9 + k);
        l->found[n - 1] = ask(p, &lines);
    }
    for (unsigned n = 1; n <= MODIFIED; n++) {
        struct str lines = {0};
        for (unsigned k = 0; k < n; k++)
            str_addf(&lines, "add qword ptr [rsp + %u], 5\n", 8 * k);
        l->modified[n - 1] = ask(p, &lines);
    }
}

struct load_probes *load_probes_ask(struct probes *p)
{
    struct load_probes *l = mem_zero(1, sizeof *l);

    ask_addresses(p, l);
    ask_fed(p, l);
    ask_found(p, l);
    return l;
}

/* Returns the cycles per load of a chain; NaN if they are not an integer. */
static double link_cycles(const struct probes *p, size_t at)
{
    const double cycles = probe_time(p, at) / LINKS;
    return fabs(cycles - rint(cycles)) <= PROBE_WITHIN * cycles ? rint(cycles) : NAN;
}

static void conclude_addresses(struct probes *p, const struct load_probes *l)
{
    static const struct {
        int address;
        const char *key;
    } extras[] = {{ADDRESS_SCALED, "load_extra_scaled"},
                  {ADDRESS_THREE, "load_extra_three"},
                  {ADDRESS_SEGMENT, "load_extra_segment"}};
    const double plain = link_cycles(p, l->address[ADDRESS_PLAIN]),
                 indexed = link_cycles(p, l->address[ADDRESS_INDEXED]);

    if (isnan(indexed)) {
        probe_tell(p, "load_latency", NULL, "",
                   isnan(probe_time(p, l->address[ADDRESS_INDEXED]))
                       ? "no stable time of a chain of loads"
                       : "a chain of loads does not have a whole number of cycles");
        return;
    }
    probe_tell_cycles(p, "load_latency", indexed, "a chain of loads with an index");
    if (plain < indexed)
        probe_tell_cycles(p, "load_latency_simple", plain, "a chain of loads without an index");
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        /* a segment-relative address has no index, so it is compared with a plain one */
        const double cycles = link_cycles(p, l->address[extras[i].address]),
                     without = extras[i].address == ADDRESS_SEGMENT ? plain : indexed;
        if (cycles > without)
            probe_tell_cycles(p, extras[i].key, cycles - without,
                              "a chain of loads with and without this part of the address");
    }
}

/* Additional load slots per replayed load, one value per loop. */
struct tried_again {
    double values[FED + FED_ALIKE + FOUND];
    size_t count;
};

/* Adds the value of a loop of @cycles, in which @again loads after the first are replayed. @rate:
 * loads per cycle. */
static void add_again(struct tried_again *t, double cycles, double rate, unsigned again)
{
    if (!isnan(cycles))
        t->values[t->count++] = (cycles * rate - 1 - again) / again;
}

/* Returns the median of the values if nearly all are close to it, and 0 if all are small. NaN:
 * uncertain. */
static double agreed(struct tried_again *t)
{
    size_t far = 0;

    if (t->count < 2)
        return NAN;
    qsort(t->values, t->count, sizeof *t->values, compare_doubles);
    const double middle = (t->values[(t->count - 1) / 2] + t->values[t->count / 2]) / 2;
    if (t->values[t->count - 1] < LEAST)
        return 0;
    for (size_t i = 0; i < t->count; i++)
        far += fabs(t->values[i] - middle) > ALIKE;
    return middle >= LEAST && far <= t->count / OTHERWISE ? middle : NAN;
}

/* Concludes fact @key unless its value is 0. Returns whether the value is known and not 0. */
static bool tell_again(struct probes *p, const char *key, struct tried_again *t, const char *why)
{
    const double value = agreed(t);
    char text[32];

    if (value == 0)
        return false;
    snprintf(text, sizeof text, "%g", rint(value * 20) / 20);
    probe_tell(p, key, isnan(value) ? NULL : text, "loads",
               isnan(value) ? "loops of loads from loaded addresses have neither the load "
                              "throughput nor a fixed additional time"
                            : why);
    return !isnan(value);
}

/* Concludes through how many operations after a load the dependent loads still replay. If they do,
 * they take longer than independent loads. */
static void conclude_through(struct probes *p, const struct load_probes *l, double rate,
                             double again)
{
    const double longer = BEHIND * again / rate;
    char value[32];
    unsigned through = 0;

    while (through < THROUGH &&
           probe_time(p, l->through[through]) - probe_time(p, l->apart[through]) >=
               (1 - APART) * longer)
        through++;
    snprintf(value, sizeof value, "%u", through);
    if (through)
        probe_tell(p, "load_replays_through", value, "instructions",
                   "loads after a load and a growing number of operations, at the loaded and at "
                   "another address");
}

static void conclude_fed(struct probes *p, const struct load_probes *l, double rate)
{
    struct tried_again t = {.count = 0};

    if (!(fabs(probe_time(p, l->unfed) - (1 + BEHIND) / rate) <= PROBE_CERTAIN / rate))
        return;   /* something other than loads limits the loop */
    for (unsigned n = 1; n <= FED; n++)
        add_again(&t, probe_time(p, l->fed[n - 1]), rate, n);
    for (unsigned n = 2; n <= FED_ALIKE; n++)
        add_again(&t, probe_time(p, l->fed_alike[n - 2]), rate, n);
    if (tell_again(p, "load_replays", &t,
                   "loads from loaded addresses, one or several per address"))
        conclude_through(p, l, rate, machine_number(p->chart->machine, "load_replays"));
}

/* Concludes how many additional load slots a forwarded load uses. */
static void conclude_found(struct probes *p, const struct load_probes *l, double rate)
{
    struct tried_again found = {.count = 0}, modified = {.count = 0};

    if (machine_fact(p->chart->machine, "load_bank_bytes"))
        return;   /* with banks, loads from one address are slower even without a store */
    for (unsigned n = 2; n <= FOUND; n++) {
        const double t = probe_time(p, l->found[n - 1]);
        if (t > fmax(n / rate, 1) + LEAST)
            found.values[found.count++] = (t * rate - 1 - n) / n;
        else if (!isnan(t))
            found.values[found.count++] = 0;
    }
    if (!tell_again(p, "forward_replays", &found, "a store and loads of its value") ||
        !machine_has(p->chart->machine, "memory_renaming_modify", "all"))
        return;
    for (unsigned n = MODIFIED_LEAST; n <= MODIFIED; n++)
        if (!isnan(probe_time(p, l->modified[n - 1])))
            modified.values[modified.count++] = probe_time(p, l->modified[n - 1]) * rate / n - 1;
    tell_again(p, "forward_replays_modify", &modified,
               "additions to memory, each of which reads the previous result");
}

void load_probes_conclude(struct probes *p, const struct load_probes *l)
{
    const double rate = machine_number(p->chart->machine, "loads_per_cycle");

    conclude_addresses(p, l);
    if (!(rate > 0))
        return;
    conclude_fed(p, l, rate);
    conclude_found(p, l, rate);
}

void load_probes_free(struct load_probes *l)
{
    free(l);
}
