/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "base/str.h"
#include "model/facts.h"

/* Returns the number of µops of @usage, without cycles of blocking pipes. */
static unsigned uops_of(const struct usage *usage, const struct ports *ports)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].ports & ports->pipes ? 0 : usage->uops[i].count;
    return sum;
}

/* Returns the issue slots of a form with the new @usage. @old is its present entry, or NULL.
 * Inferred slots do not depend on the usage, so only removed µops change them. Returns 0 in other
 * mappings, in which the number of µops is used instead. */
static unsigned slots_with(const struct machine *m, const struct mapping_entry *old,
                           const struct usage *usage)
{
    const struct ports *ports = mapping_ports(m->mapping);

    if (!(mapping_issue_width(m->mapping) > 0))
        return 0;
    if (!old)
        return 1;
    unsigned before = uops_of(&old->usage, ports), now = uops_of(usage, ports),
             gone = before > now ? before - now : 0, least = old->micro_ops > 0;
    return old->micro_ops > gone + least ? old->micro_ops - gone : least;
}

static bool change_usage(struct machine *m, const char *form, const char *value, struct err *err)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    struct mapping_entry fresh = {
        .form = (char *)form, .latency = old ? old->latency : NAN, .source = (char *)"what if"};
    bool ok = usage_parse(strcmp(value, "none") == 0 ? "" : value, mapping_ports(m->mapping),
                          &fresh.usage, err);

    fresh.micro_ops = ok ? slots_with(m, old, &fresh.usage) : 0;
    if (ok)
        mapping_set(m->mapping, &fresh);
    usage_done(&fresh.usage);
    return ok;
}

static bool change_latency(struct machine *m, const char *form, const char *value, struct err *err)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    char *end;
    double cycles = strtod(value, &end);

    if (*end || end == value || !(cycles >= 0) || !isfinite(cycles))
        return err_set(err, ERR_USAGE, "give a number of cycles of at least 0",
                       "invalid latency \"%s\"", value);
    if (!old) {
        machine_refuse_form(m, form, "set the usage of the form before its latency", err);
        if (err)
            err->code = ERR_USAGE;   /* The user's text, not a file, has the error, so the code is
                                      * ERR_USAGE. */
        return false;
    }
    struct mapping_entry fresh = {.form = (char *)form,
                                  .latency = cycles,
                                  .micro_ops = old->micro_ops,
                                  .source = (char *)"what if"};
    usage_copy(&fresh.usage, &old->usage);
    mapping_set(m->mapping, &fresh);
    usage_done(&fresh.usage);
    return true;
}

static const struct fact *fact_to_change(const char *name, struct err *err)
{
    const struct fact *f = fact_find(name);
    const struct similar similar = {.word = name, .best = f ? NULL : fact_meant(name)};
    char todo[SIMILAR_TODO];

    if (!f && strchr(name, '('))   /* A name with a parenthesis is a form. */
        err_set(err, ERR_USAGE, "use usage:FORM=USAGE or latency:FORM=CYCLES to change a form",
                "unknown fact \"%s\"", name);
    else if (!f)
        err_set(err, ERR_USAGE, similar_todo(&similar, "help facts lists all facts", todo),
                "unknown fact \"%s\"", name);
    else if (f->kind == FACT_FIXED)
        err_set(err, ERR_USAGE, "help facts shows which facts can be changed",
                "the fact %s cannot be changed after the machine is loaded", name);
    return f && f->kind != FACT_FIXED ? f : NULL;
}

bool machine_change(struct machine *m, const char *name, const char *value, struct err *err)
{
    if (str_has_prefix(name, CHANGE_USAGE))
        return change_usage(m, name + strlen(CHANGE_USAGE), value, err);
    if (str_has_prefix(name, CHANGE_LATENCY))
        return change_latency(m, name + strlen(CHANGE_LATENCY), value, err);
    const struct fact *f = fact_to_change(name, err);
    if (!f || !fact_check(f, value, mapping_ports(m->mapping), err)) {
        if (err && f)
            err->code = ERR_USAGE;
        return false;
    }
    machine_set_fact(m, f->key, value, f->unit, "what if");
    return true;
}

bool change_range(const char *name, const char *value, long most, long *from, long *to,
                  struct err *err)
{
    char *end;

    *from = strtol(value, &end, 10);
    if (end == value || strncmp(end, "..", 2) != 0)
        return false;
    const char *second = end + 2;
    *to = strtol(second, &end, 10);
    if (end == second || *end)
        return false;
    if (*to < *from || *to - *from >= most)
        return err_set(err, ERR_USAGE, NULL,
                       "%s: invalid sweep; give at most %ld ascending values, not %ld to %ld", name,
                       most, *from, *to);
    if (str_has_prefix(name, CHANGE_LATENCY))
        return *from >= 0 || err_set(err, ERR_USAGE, "give a number of cycles of at least 0",
                                     "invalid latency \"%s\"", value);
    if (str_has_prefix(name, CHANGE_USAGE))
        return err_set(err, ERR_USAGE, "give one usage",
                       "sweeps apply to facts and latencies, not to usages");
    const struct fact *f = fact_to_change(name, err);
    if (!f)
        return false;
    if (f->type != FACT_NUMBER && f->type != FACT_WHOLE)
        return err_set(err, ERR_USAGE, "give one value", "%s cannot be swept: not a number", name);
    if (*from < f->least || *to > f->most)
        return err_set(err, ERR_USAGE, NULL, "%s must be from %g to %g, not %ld to %ld", name,
                       f->least, f->most, *from, *to);
    return true;
}
