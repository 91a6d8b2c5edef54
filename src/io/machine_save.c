/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/machine_save.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/file_set.h"
#include "base/watch.h"

#define ROW_STEPS 4   /* steps (base/steps.h) per row */

static const char *const own_files[] = {
    "machine.csv",   "mapping.csv", "latencies.csv", "advances.csv", "facts.csv",
    "overrides.csv", NULL};

static void save_fact(const char *key, const char *value, const struct machine_fact *old,
                      struct str *out)
{
    csv_add_field(out, key, false);
    csv_add_field(out, value, false);
    csv_add_field(out, old ? old->unit : "", false);
    csv_add_field(out, old ? old->source : "", true);
}

/* Writes the facts in order. Writes ports, title and instruction set of the machine first, unless
 * facts define them. */
void machine_facts_csv(const struct machine *m, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct str list = {0}, pipes = {0};

    portset_list(UINT32_MAX, ports, ",", ",", &list);
    portset_list(ports->pipes, ports, ",", ",", &pipes);
    const char *own[][2] = {{"ports", str_text(&list)},
                            {"pipes", str_text(&pipes)},
                            {"title", machine_plain_title(m)},
                            {"isa", m->isa}};
    str_add(out, "key,value,unit,source\n");
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!machine_fact(m, own[k][0]))
            save_fact(own[k][0], own[k][1], NULL, out);
    for (size_t i = 0; i < m->fact_count; i++) {
        const char *value = m->facts[i].value;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            value = strcmp(m->facts[i].key, own[k][0]) == 0 ? own[k][1] : value;
        save_fact(m->facts[i].key, value, &m->facts[i], out);
    }
    str_done(&list);
    str_done(&pipes);
}

void machine_mapping_row(const struct mapping_entry *entry, const struct ports *ports,
                         struct str *out)
{
    struct str usage = {0};
    char number[32];

    usage_print(&entry->usage, ports, &usage);
    csv_add_field(out, entry->form, false);
    csv_add_field(out, usage.length ? str_text(&usage) : "none", false);
    snprintf(number, sizeof number, "%.17g", entry->latency);
    csv_add_field(out, isnan(entry->latency) ? "" : number, false);
    snprintf(number, sizeof number, "%u", entry->micro_ops);
    csv_add_field(out, entry->micro_ops ? number : "", false);
    csv_add_field(out, entry->source, true);
    str_done(&usage);
}

void machine_mapping_csv(const struct machine *m, struct str *out)
{
    str_add(out, "form,usage,latency,micro_ops,source\n");
    for (size_t i = 0; i < mapping_count(m->mapping) && !watch_steps(ROW_STEPS); i++)
        machine_mapping_row(mapping_at(m->mapping, i), mapping_ports(m->mapping), out);
}

void machine_latencies_csv(const struct machine *m, struct str *out)
{
    str_add(out, "form,from,to,cycles,source\n");
    for (size_t i = 0; i < m->latency_count && !watch_steps(ROW_STEPS); i++) {
        const struct latency_rule *rule = &m->latencies[i];
        csv_add_field(out, rule->form, false);
        latency_end_print(rule->from, out);
        str_add_char(out, ',');
        latency_end_print(rule->to, out);
        str_addf(out, ",%.17g,", rule->cycles);
        csv_add_field(out, rule->source, true);
    }
}

static bool write_in(const char *dir, const char *name, const struct str *text, struct err *err)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", dir, name);
    bool ok = file_write(str_text(&path), text->data, text->length, err);
    str_done(&path);
    return ok;
}

static bool write_tables(const struct machine *m, const char *dir, struct err *err)
{
    struct str text = {0};

    machine_facts_csv(m, &text);
    bool ok = write_in(dir, "machine.csv", &text, err);
    str_clear(&text);
    machine_mapping_csv(m, &text);
    ok = ok && watch_goes_on(err) && write_in(dir, "mapping.csv", &text, err);
    if (ok && m->latency_count) {
        str_clear(&text);
        machine_latencies_csv(m, &text);
        ok = write_in(dir, "advances.csv", &text, err);
    }
    str_done(&text);
    return ok;
}

bool machine_save_generated(const struct machine *m, const char *dir, struct err *err)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return file_fault(err, dir, "make the directory", NULL);
    return write_tables(m, dir, err);
}

/* Checks whether @dir may be replaced: it is empty, or contains machine.csv and only files of a
 * machine. Returns false with err if not. */
static bool check_directory(const char *dir, struct err *err)
{
    struct str path = {0};
    char *foreign = file_set_stranger(dir, own_files);
    bool machine = false, other = false;

    for (size_t i = 0; own_files[i]; i++) {
        str_clear(&path);
        str_addf(&path, "%s/%s", dir, own_files[i]);
        bool there = access(str_text(&path), F_OK) == 0;
        machine |= there && i == 0;
        other |= there;
    }
    str_done(&path);
    if (foreign)
        err_set(err, ERR_DATA, "save to a new directory",
                "not replaced: the directory contains %.200s, which is not a machine file",
                foreign);
    else if (other && !machine)
        err_set(err, ERR_DATA, "save to a new directory",
                "not replaced: not a machine directory, because machine.csv is missing");
    bool ok = !foreign && (machine || !other);
    free(foreign);
    return ok || err_at(err, dir, 0, 0);
}

/* Adds the tables of @m to @set, and the removal of the directory's other table files. */
static bool fill_set(struct file_set *set, const struct machine *m, struct err *err)
{
    struct str text = {0};
    bool ok = true;

    for (size_t i = 0; ok && own_files[i]; i++)
        ok = file_set_remove(set, own_files[i], err);
    machine_facts_csv(m, &text);
    ok = ok && file_set_write(set, "machine.csv", text.data, text.length, err);
    str_clear(&text);
    machine_mapping_csv(m, &text);
    ok =
        ok && watch_goes_on(err) && file_set_write(set, "mapping.csv", text.data, text.length, err);
    str_clear(&text);
    machine_latencies_csv(m, &text);
    ok = ok && watch_goes_on(err);
    if (ok && m->latency_count)
        ok = file_set_write(set, "latencies.csv", text.data, text.length, err);
    str_done(&text);
    return ok;
}

bool machine_save(const struct machine *m, const char *dir, struct err *err)
{
    struct file_set *set = file_set_new(dir, false, err);
    bool ok = set && check_directory(dir, err) && fill_set(set, m, err) && watch_goes_on(err) &&
              file_set_commit(set, err);

    file_set_free(set);
    return ok;
}
