/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native_kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/facts.h"

/* Two measurements that differ by at most AGREE are enough. From the third measurement on, a
 * difference of at most AGREE_NEARLY is also accepted, with a warning. */
#define LOOKS 3
#define LOOKS_MOST 6       /* maximum number of measurements */
#define AGREE 0.05
#define AGREE_NEARLY 0.5
/* This fact is measured separately, because it takes a second, and only programs need it. */
#define FAULTS "page_fault_user"

/* Returns whether the fact is stored. The core's clock and share are not stored, because they
 * vary. */
static bool is_kept(const char *fact)
{
    return fact_find(fact) && strcmp(fact, "clock") != 0;
}

static bool is_share(const char *const fields[KEPT_COLUMNS])
{
    return strcmp(fields[MEMORY_KEPT_FACT], FAULTS) == 0;
}

static bool is_fact(const char *const fields[KEPT_COLUMNS])
{
    return is_kept(fields[MEMORY_KEPT_FACT]);
}

static bool is_other_fact(const char *const fields[KEPT_COLUMNS])
{
    return is_fact(fields) && !is_share(fields);
}

/* Stores the measured facts of @m that @replaces selects, in place of this CPU's rows that it
 * selects. */
static void rows_keep(const struct machine *m, bool (*replaces)(const char *const *fields))
{
    struct kept_writer w;
    char day[KEPT_DAY];

    kept_today(day);
    kept_replace(&w, &memory_kept, replaces);
    for (size_t i = 0; i < m->fact_count; i++) {
        const struct machine_fact *fact = &m->facts[i];
        const char *const fields[KEPT_COLUMNS] = {[MEMORY_KEPT_DAY] = day,
                                                  [MEMORY_KEPT_FACT] = fact->key,
                                                  [MEMORY_KEPT_VALUE] = fact->value,
                                                  [MEMORY_KEPT_UNIT] = fact->unit ? fact->unit : "",
                                                  [MEMORY_KEPT_BYTES] = "",
                                                  [MEMORY_KEPT_SPREAD] = "",
                                                  [MEMORY_KEPT_CLOCK] = ""};
        if (fact->source && strcmp(fact->source, NATIVE_SOURCE) == 0 && replaces(fields))
            kept_add(&w, fields);
    }
    kept_write(&w, "the measurements of the memory");
}

void native_keep(const struct machine *m)
{
    rows_keep(m, is_fact);
}

bool native_recall(struct machine *m, char day[KEPT_DAY])
{
    struct kept_rows kept;
    bool found = false;

    *day = '\0';
    kept_read(&memory_kept, &kept);
    for (size_t i = 0; i < kept.rows.count; i++) {
        const char *key = kept_field(&kept, i, MEMORY_KEPT_FACT),
                   *value = kept_field(&kept, i, MEMORY_KEPT_VALUE);
        struct err ignored = {0};
        if (!is_kept(key) || !fact_check(fact_find(key), value, NULL, &ignored))
            continue;
        snprintf(day, KEPT_DAY, "%s", kept_field(&kept, i, MEMORY_KEPT_DAY));
        machine_set_fact(m, key, value, kept_field(&kept, i, MEMORY_KEPT_UNIT), day);
        found = true;
    }
    kept_done(&kept);
    return found;
}

bool native_renew(struct machine *m, struct err *err)
{
    struct native_probe *probe = native_probe_new(m, err);
    struct native native;
    bool use[LOOKS_MOST] = {false}, ok = false;
    double apart = INFINITY;

    for (int i = 0; probe && !ok && i < LOOKS_MOST; i++) {
        native_probe_look(probe);
        apart = native_probe_nearest(probe, use);
        if (!(apart <= (i + 1 < LOOKS ? AGREE : AGREE_NEARLY)))
            continue;
        native_probe_result(probe, use, &native);
        err_clear(err);
        ok = native_is_plausible(&native, m, err);
    }
    if (ok) {
        if (apart > AGREE)
            log_add(
                LOG_WARN,
                "the two nearest measurements of caches and memory differ by up to %.0f %%; their "
                "mean is used. For better facts, end other programs and repeat the command",
                100 * apart);
        native_apply(&native, m);
        rows_keep(m, is_other_fact);
    } else if (probe && !err->code) {
        err_set(err, ERR_LIMIT, "end other programs and repeat the command",
                "%d measurements of the caches and the memory differ by at least %.0f %%",
                LOOKS_MOST, 100 * apart);
    }
    native_probe_free(probe);
    return ok;
}

bool native_known(struct machine *m, bool fresh, char day[KEPT_DAY], struct err *err)
{
    char why[512];

    if (fresh || !native_recall(m, day)) {
        const bool ok = native_renew(m, err);
        snprintf(day, KEPT_DAY, ok ? "today" : NATIVE_NEVER);
        if (!ok && !fresh)
            log_add(LOG_WARN,
                    "cannot measure caches and memory, so the facts of the table are used: %s",
                    err_text(err, why, sizeof why));
        if (!ok)
            return !fresh;
    }
    if (fresh || isnan(fact_number(m, FAULTS))) {
        native_apply_faults(m);
        rows_keep(m, is_share);
    }
    return true;
}
