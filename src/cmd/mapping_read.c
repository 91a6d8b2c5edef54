/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/cmd_mapping.h"
#include "cmd/task.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/pmevo_json.h"

#define UNUSED_SHOWN 5   /* maximum number of unused entries that text lists */

struct mapping_reading {
    char *path, id[MAPPING_ID];
    enum mapping_source source;
    const char *title;                      /* name of the command, as the job's title */
    /* counted references to the session's tables, or to those loaded by the job */
    struct forms *forms[ISA_COUNT];
    struct osaca_notes notes;
    struct machine *machine;
};

static void reading_free(void *state)
{
    struct mapping_reading *r = state;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(r->forms[isa]);
    machine_free(r->machine);
    osaca_notes_done(&r->notes);
    free(r->path);
    free(r);
}

static const struct forms *forms_of(struct mapping_reading *r, enum isa isa, struct err *err)
{
    if (!r->forms[isa])
        r->forms[isa] = forms_load(isa, NULL, err);
    return r->forms[isa];
}

/* Sets the instruction set of a mapping that names none: the set whose table has most of the
 * mapping's forms. Returns false with err on failure. */
static bool set_isa(struct mapping_reading *r, struct err *err)
{
    struct machine *m = r->machine;
    const char *name = m->isa;
    size_t most = 0;

    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const struct forms *forms = forms_of(r, (enum isa)isa, err);
        size_t known = 0;
        if (!forms)
            return false;
        for (size_t i = 0; i < mapping_count(m->mapping) && !watch_steps(1); i++)
            known += forms_find(forms, mapping_at(m->mapping, i)->form) != NULL;
        if (known > most) {
            name = isa_name((enum isa)isa);
            most = known;
        }
    }
    machine_set_fact(m, "isa", name, "", "");
    return true;
}

static struct machine *from_pmevo(const struct mapping_reading *r, struct err *err)
{
    struct mapping *mapping = pmevo_mapping_load(r->path, err);
    struct machine *m = mapping ? machine_new(r->id, mapping_ports(mapping)) : NULL;

    if (m) {
        mapping_free(m->mapping);
        m->mapping = mapping;
        machine_set_fact(m, "source", "PMEvo JSON", "", "");
    }
    return m;
}

static bool read_work(void *state, struct result *result, struct err *err)
{
    struct mapping_reading *r = state;
    const struct forms *forms[ISA_COUNT];
    bool ok = true;

    switch (r->source) {
    case MAPPING_OSACA:
        for (int isa = 0; isa < ISA_COUNT; isa++)
            ok = ok && (forms[isa] = forms_of(r, (enum isa)isa, err));
        r->machine = ok ? import_osaca(r->id, r->path, forms, &r->notes, err) : NULL;
        break;
    case MAPPING_PMEVO:
        r->machine = from_pmevo(r, err);
        break;
    case MAPPING_CSV:
        r->machine = machine_load_csv(r->id, r->path, err);
        return r->machine && set_isa(r, err);
    case MAPPING_DIRECTORY:
        r->machine = machine_load(r->path, err);
        break;
    }
    return r->machine != NULL;
}

static struct result_table *left_table(struct result *result, const char *key)
{
    static const struct result_column columns[] = {
        {.key = "line", .title = "line", .kind = CELL_COUNT},
        {.key = "name", .title = "entry", .kind = CELL_TEXT},
        {.key = "reason", .title = "reason", .kind = CELL_TEXT},
    };
    return RESULT_TABLE(result, key, columns);
}

static void left_row(struct result_table *t, size_t line, const char *name, const char *why)
{
    cell_count(t, (int64_t)line);
    cell_text(t, name);
    cell_text(t, why);
}

static void tell_skipped(const struct osaca_notes *notes, struct result *result)
{
    result_count(result, "skipped", (int64_t)notes->skipped_count);
    if (!notes->skipped_count)
        return;
    result_line(result, "%zu entr%s omitted:", notes->skipped_count,
                notes->skipped_count == 1 ? "y was" : "ies were");
    struct result_table *t = left_table(result, "entries_skipped");
    for (size_t i = 0; i < notes->skipped_count; i++)
        left_row(t, notes->skipped[i].line, notes->skipped[i].name, notes->skipped[i].why);
}

/* Lists the unused entries. Text has only the first few, because OSACA files have hundreds. */
static void tell_unused(const struct osaca_notes *notes, struct result *result)
{
    if (!notes->unused_count)
        return;
    struct result_table *t = left_table(result, "entries_unused");
    t->hide = NOT_TEXT;
    for (size_t i = 0; i < notes->unused_count; i++) {
        const struct osaca_unused *u = &notes->unused[i];
        if (i < UNUSED_SHOWN)
            result_line(result, "line %zu: %s not used: %s", u->line,
                        *u->name ? u->name : "an entry", u->why);
        left_row(t, u->line, u->name, u->why);
    }
    if (notes->unused_count > UNUSED_SHOWN)
        result_line(result, "unused entries not shown: %zu; --format json lists all",
                    notes->unused_count - UNUSED_SHOWN);
}

static void tell_osaca(const struct osaca_notes *notes, struct result *result)
{
    result_line(result,
                "entries: %zu; forms imported: %zu directly, %zu composed of a register form and a "
                "memory access; %zu with rounded cycles; entries not used: %zu without a form or "
                "with a form already imported, %zu without port pressure",
                notes->entries, notes->direct, notes->composed, notes->rounded, notes->unnamed,
                notes->unknown);
    result_count(result, "entries", (int64_t)notes->entries);
    result_count(result, "composed", (int64_t)notes->composed);
    result_count(result, "rounded", (int64_t)notes->rounded);
    result_count(result, "unnamed", (int64_t)notes->unnamed);
    result_count(result, "unknown", (int64_t)notes->unknown);
    tell_unused(notes, result);
    tell_skipped(notes, result);
}

static bool read_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct mapping_reading *r = state;
    struct machine *m = r->machine;

    r->machine = NULL;
    if (!mapping_adopt(s, m, r->title, result, err))
        return false;
    if (r->source == MAPPING_OSACA)
        tell_osaca(&r->notes, result);
    return true;
}

bool mapping_read(struct session *s, const char *title, const char *path,
                  enum mapping_source source, struct task *task)
{
    static const struct task_ops ops = {"reads a mapping", read_work, read_publish,
                                        .free = reading_free};
    struct mapping_reading *r = mem_zero(1, sizeof *r);

    r->path = mem_strdup(path);
    mapping_id_from_path(path, r->id);
    r->source = source;
    r->title = title;
    for (int isa = 0; isa < ISA_COUNT; isa++)
        r->forms[isa] = s->document.forms[isa] ? forms_hold(s->document.forms[isa]) : NULL;
    task_give(task, &ops, r);
    task->title = title;
    return true;
}
