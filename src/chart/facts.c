/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stages.h"

#include <math.h>
#include <string.h>

#include "chart/facts_parts.h"
#include "chart/probe_table.h"
#include "isa/isa.h"

/* minimum number of issue slots per cycle with which loops can count slots */
#define OLD_WIDTH 2.0

/* Determines the facts of x86-64: those that need a search in C, and those of the table of probes.
 * Returns false with err on failure. */
static bool find_by_loops(struct probes *p, const struct probe_table *table, struct err *err)
{
    if (!window_probes(p, err) || !probes_find_filler(p, err))
        return false;
    struct probe_run *run = probe_run_new(table, p, err);
    if (!run)
        return false;
    struct front_probes *front = front_probes_ask(p);
    struct uop_cache_probes *uop_cache = uop_cache_probes_ask(p);
    bool ok = probes_run(p, err) && probe_run_conclude(run, err);
    if (ok) {
        const struct front_found found = front_probes_conclude(p, front);
        ok = uop_cache_probes_conclude(p, uop_cache, &found, err) && buffer_probes(p, err);
    }
    probe_run_free(run);
    front_probes_free(front);
    uop_cache_probes_free(uop_cache);
    return ok;
}

static bool find_by_table(struct probes *p, const struct probe_table *table, struct err *err)
{
    struct probe_run *run = probe_run_new(table, p, err);
    const bool ok = run && probes_run(p, err) && probe_run_conclude(run, err);

    if (run)
        probe_run_free(run);
    return ok;
}

/* facts whose loops count issue slots */
static const char *const counted[] = {"eliminate",       "fuse_any",         "stack_engine",
                                      "loads_per_cycle", "stores_per_cycle", "store_forward"};

static bool find_for_set(struct probes *p, const struct probe_table *table, struct err *err)
{
    if (isa_ops(p->chart->forms[0].row->isa) != isa_of_dialects())
        return find_by_table(p, table, err);
    if (p->width >= OLD_WIDTH)
        return find_by_loops(p, table, err);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        probe_tell(p, counted[i], NULL, "",
                   "loops are counted in issue slots, but the issue width is unknown or below two");
    return true;
}

static bool is_recorded(const struct chart *c, const char *key)
{
    for (size_t i = 0; i < c->facts.count; i++)
        if (strcmp(c->facts.items[i].key, key) == 0)
            return true;
    return false;
}

bool facts_find(struct lab *lab, struct chart *c, const struct probe_table *table, struct err *err)
{
    struct probes p = {.lab = lab, .chart = c, .width = c->width};

    bool ok = !c->form_count || find_for_set(&p, table, err);
    if (ok && isnan(machine_number(c->machine, "load_latency")) && !is_recorded(c, "load_latency"))
        probe_tell(&p, "load_latency", NULL, "", "no form has a chain of loads with a stable time");
    probes_done(&p);
    return ok;
}
