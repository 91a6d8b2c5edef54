/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/native_kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/facts.h"

#define LOOKS 3            /* maximum number of measurements; two that agree are enough */
#define AGREE 0.05

/* Returns whether the fact is stored. The core's clock and share are not stored, because they
 * vary. */
static bool is_kept(const char *fact)
{
    return fact_find(fact) && strcmp(fact, "clock") != 0;
}

static bool is_fact(const char *const fields[KEPT_COLUMNS])
{
    return is_kept(fields[MEMORY_KEPT_FACT]);
}

void native_keep(const struct machine *m)
{
    struct kept_writer w;
    char day[KEPT_DAY];

    kept_today(day);
    kept_replace(&w, &memory_kept, is_fact);
    for (size_t i = 0; i < m->fact_count; i++) {
        const struct machine_fact *fact = &m->facts[i];
        if (!fact->source || strcmp(fact->source, NATIVE_SOURCE) != 0 || !is_kept(fact->key))
            continue;
        kept_add(&w, (const char *[KEPT_COLUMNS]){[MEMORY_KEPT_DAY] = day,
                                                  [MEMORY_KEPT_FACT] = fact->key,
                                                  [MEMORY_KEPT_VALUE] = fact->value,
                                                  [MEMORY_KEPT_UNIT] = fact->unit ? fact->unit : "",
                                                  [MEMORY_KEPT_BYTES] = "",
                                                  [MEMORY_KEPT_SPREAD] = "",
                                                  [MEMORY_KEPT_CLOCK] = ""});
    }
    kept_write(&w, "the measurements of the memory");
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

bool native_known(struct machine *m, bool fresh, char day[KEPT_DAY], struct err *err)
{
    struct native_probe *probe;
    struct native native;
    char why[512];
    bool ok;

    const bool recalled = !fresh && native_recall(m, day);
    /* A measurement of an earlier version lacks this fact and is repeated. */
    if (recalled && !isnan(fact_number(m, "page_fault_user")))
        return true;
    probe = native_probe_new(m, err);
    ok = probe != NULL;
    for (int i = 0; ok && i < LOOKS && (i < 2 || !native_probe_agrees(probe, NULL, AGREE)); i++)
        native_probe_look(probe);
    if (ok) {
        native_probe_result(probe, NULL, &native);
        native_apply(&native, m);
        native_keep(m);
        snprintf(day, KEPT_DAY, "today");
    }
    native_probe_free(probe);
    if (!ok && recalled) {
        log_add(LOG_WARN, "cannot measure the user time of page faults, so it is omitted: %s",
                err_text(err, why, sizeof why));
    } else if (!ok && !fresh) {
        log_add(LOG_WARN,
                "cannot measure caches and memory, so the facts of the table are used: %s",
                err_text(err, why, sizeof why));
        snprintf(day, KEPT_DAY, NATIVE_NEVER);
    }
    return ok || !fresh;
}
