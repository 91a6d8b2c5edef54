/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "io/export_mapping.h"
#include "io/export_osaca.h"
#include "io/import_llvm.h"
#include "base/child.h"
#include "isa/isa.h"
#include "io/import_osaca.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "io/pmevo_json.h"
#include "work/job.h"

/* "dir/skx.yml" becomes "skx": what a machine read from a file is called. */
static void id_from_path(const char *path, char id[64])
{
    const char *base = strrchr(path, '/');
    size_t n = 0;
    for (base = base ? base + 1 : path; *base && *base != '.' && n < 62; base++)
        id[n++] = (char)(isalnum((unsigned char)*base) || *base == '-' || *base == '_' ? *base : '-');
    id[n] = '\0';
    if (!n)
        strcpy(id, "imported");
}

/* Makes @id the first of the selection of its instruction set; the others stay behind it. */
static bool make_current(struct session *s, const char *id, struct err *err)
{
    const struct machine *m = session_machine(s, id, err);
    enum isa isa = s->document.isa;
    if (!m)
        return false;
    isa_parse(m->isa, &isa);
    const struct selection *shown = &s->document.kept[isa];
    char **ids = mem_alloc((shown->count + 1) * sizeof *ids);
    size_t count = 0;

    ids[count++] = (char *)id;
    for (size_t i = 0; i < shown->count; i++)
        if (strcmp(shown->ids[i], id) != 0)
            ids[count++] = shown->ids[i];
    bool ok = session_select(s, ids, count, err);
    free(ids);
    return ok;
}

/* Adds @m, makes it current and says what it holds. */
static bool adopt(struct session *s, struct machine *m, struct err *err)
{
    char id[64];

    if (!m)
        return false;
    snprintf(id, sizeof id, "%s", m->id);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:i, s:i, s:i}", "mapping", m->id, "forms", (int)mapping_count(m->mapping), "ports",
                                  (int)mapping_ports(m->mapping)->count, "distinct_uops", (int)mapping_distinct_uops(m->mapping)));
    else
        str_addf(&s->output, "%s: %zu forms on %u ports\n", m->id, mapping_count(m->mapping), mapping_ports(m->mapping)->count);
    session_add_machine(s, m);
    return make_current(s, id, err);
}

static bool import_from_osaca(struct session *s, const char *path, struct err *err)
{
    struct osaca_notes notes;
    char id[64];
    const struct forms *forms = session_forms(s, s->document.isa, err);

    id_from_path(path, id);
    if (!forms || !adopt(s, import_osaca(id, path, forms, &notes, err), err))
        return false;
    if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%zu entries: %zu forms named, %zu put together from a register form and a memory access, %zu with rounded cycles; "
                             "%zu entries are no form known here\n",
                 notes.entries, notes.direct, notes.composed, notes.rounded, notes.unnamed);
    return true;
}

/* A mapping alone does not say what it is for: the instruction set whose table knows most of its forms. */
static bool set_isa(struct session *s, struct machine *m, struct err *err)
{
    size_t most = 0;
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const struct forms *forms = session_forms(s, (enum isa)isa, err);
        size_t known = 0;
        if (!forms)
            return false;
        for (size_t i = 0; i < mapping_count(m->mapping); i++)
            known += forms_find(forms, mapping_at(m->mapping, i)->form) != NULL;
        if (known > most) {
            free(m->isa);
            m->isa = mem_strdup(isa_name((enum isa)isa));
            most = known;
        }
    }
    machine_set_fact(m, "isa", m->isa, "", "");
    return true;
}

static bool import_from_csv(struct session *s, const char *path, struct err *err)
{
    char id[64];
    id_from_path(path, id);
    struct machine *m = machine_load_csv(id, path, err);
    if (m && !set_isa(s, m, err)) {
        machine_free(m);
        m = NULL;
    }
    return adopt(s, m, err);
}

/* llvm-mca takes seconds over all forms: the screen goes on meanwhile. */
struct llvm_import {
    struct session *session;
    const struct forms *forms[ISA_COUNT];   /* the session's, which only grow by commands that refuse while jobs run */
    char *cpu;
    struct machine *machine;
};

static bool cancelled(void *job)
{
    return job_cancelled(job);
}

static bool read_llvm(struct llvm_import *w, struct err *err)
{
    for (int isa = 0; isa < ISA_COUNT && !w->machine; isa++) {   /* a name is a CPU of one set only */
        w->machine = import_llvm(w->cpu, w->forms[isa], err);
        if (!w->machine && err->code != ERR_MISSING)
            return false;
    }
    return w->machine != NULL;
}

static bool llvm_run(struct job *job, void *state, struct err *err)
{
    job_progress(job, 0, 0, "llvm-mca reads its tables");
    child_watch(cancelled, job);
    bool ok = read_llvm(state, err);
    child_watch(NULL, NULL);
    return ok;
}

static void llvm_finish(void *state, const struct job_info *info)
{
    struct llvm_import *w = state;
    struct machine *m = w->machine;
    struct err err = {0};
    char text[512];

    w->machine = NULL;
    if (info->state != JOB_DONE)
        machine_free(m);
    else if (!adopt(w->session, m, &err))
        log_add(LOG_ERROR, "%s", err_text(&err, text, sizeof text));
}

static void llvm_free(void *state)
{
    struct llvm_import *w = state;
    machine_free(w->machine);
    free(w->cpu);
    free(w);
}

static bool import_from_llvm(struct session *s, const char *cpu, struct err *err)
{
    static const struct job_ops ops = {llvm_run, llvm_finish, llvm_free};
    struct llvm_import *w = mem_zero(1, sizeof *w);

    w->session = s;
    w->cpu = mem_strdup(cpu);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (!(w->forms[isa] = session_forms(s, (enum isa)isa, err))) {
            llvm_free(w);
            return false;
        }
    return session_job(s, "mapping import llvm", "imports", &ops, w, err);
}

static bool import_from_pmevo(struct session *s, const char *path, struct err *err)
{
    struct mapping *mapping = pmevo_mapping_load(path, err);
    char id[64];

    if (!mapping)
        return false;
    id_from_path(path, id);
    struct machine *m = machine_new(id, mapping_ports(mapping));
    for (size_t i = 0; i < mapping_count(mapping); i++)
        mapping_set(m->mapping, mapping_at(mapping, i));
    mapping_free(mapping);
    machine_set_fact(m, "source", "PMEvo JSON", "", "");
    return adopt(s, m, err);
}

bool cmd_mapping_import(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct {
        const char *name;
        bool (*run)(struct session *s, const char *what, struct err *err);
    } formats[] = {{"llvm", import_from_llvm}, {"osaca", import_from_osaca}, {"pmevo", import_from_pmevo}, {"csv", import_from_csv}};

    if (argc > 1 && strcmp(argv[1], "uops-info") == 0)
        return cmd_mapping_import_uops(s, argc, argv, err);
    if (argc != 3)
        return err_set(err, ERR_USAGE, "mapping import osaca FILE, or mapping import llvm CPU", "a format and a file or CPU were expected");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(argv[1], formats[i].name) == 0)
            return formats[i].run(s, argv[2], err);
    return err_set(err, ERR_USAGE, "formats to import: llvm, uops-info, osaca, pmevo, csv", "there is no format \"%s\"", argv[1]);
}

bool cmd_mapping_export(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct str text = {0};
    bool ok = true;

    if (!m)
        return false;
    if (argc != 3)
        return err_set(err, ERR_USAGE, "mapping export osaca FILE", "a format and a file were expected");
    const struct forms *forms = session_forms(s, s->document.isa, err);
    if (!forms)
        return false;
    if (strcmp(argv[1], "csv") == 0)
        machine_mapping_csv(m, &text);
    else if (strcmp(argv[1], "uops-info") == 0)
        export_uops_info(m, forms, &text);
    else if (strcmp(argv[1], "pmevo") == 0)
        export_pmevo(m, forms, &text);
    else if (strcmp(argv[1], "pmevo-flat") == 0)
        ok = export_pmevo_flat(m, forms, &text, err);
    else if (strcmp(argv[1], "osaca") == 0)
        ok = export_osaca(m, &text, err);
    else
        ok = err_set(err, ERR_USAGE, "formats to export: uops-info, pmevo, pmevo-flat, osaca, csv", "there is no format \"%s\"", argv[1]);
    ok = ok && file_write(argv[2], text.data, text.length, err);
    if (ok && s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:s, s:i}", "mapping", m->id, "format", argv[1], "file", argv[2], "forms", (int)mapping_count(m->mapping)));
    else if (ok && s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %zu forms to %s\n", m->id, mapping_count(m->mapping), argv[2]);
    str_done(&text);
    return ok;
}

static struct machine *loaded(const struct session *s, const char *id)
{
    for (size_t i = 0; i < s->document.machine_count; i++)
        if (strcmp(s->document.machines[i]->id, id) == 0)
            return s->document.machines[i];
    return NULL;
}

static void list_one(struct session *s, const char *id, json_t *rows)
{
    const struct machine *m = loaded(s, id);
    const struct ports *ports = m ? mapping_ports(m->mapping) : NULL;
    bool current = strcmp(id, s->document.selected[0]) == 0;

    if (rows) {
        json_t *row = json_pack("{s:s, s:b, s:b}", "id", id, "current", current, "loaded", m != NULL);
        if (m) {
            json_object_set_new(row, "title", json_string(m->title));
            json_object_set_new(row, "ports", json_integer(ports->count));
            json_object_set_new(row, "forms", json_integer((json_int_t)mapping_count(m->mapping)));
            json_object_set_new(row, "distinct_uops", json_integer((json_int_t)mapping_distinct_uops(m->mapping)));
        }
        json_array_append_new(rows, row);
    } else if (s->settings.format == FORMAT_CSV) {
        str_addf(&s->output, "%s,%d,%d", id, current, m != NULL);
        if (m)
            str_addf(&s->output, ",%u,%zu,%zu\n", ports->count, mapping_count(m->mapping), mapping_distinct_uops(m->mapping));
        else
            str_add(&s->output, ",,,\n");
    } else if (m) {
        str_addf(&s->output, "%c %-18s %2u ports %6zu forms %4zu distinct µops  %s\n", current ? '*' : ' ', id, ports->count, mapping_count(m->mapping),
                 mapping_distinct_uops(m->mapping), m->title);
    } else {
        str_addf(&s->output, "%c %-18s not loaded\n", current ? '*' : ' ', id);
    }
}

bool cmd_mapping_list(struct session *s, int argc, char **argv, struct err *err)
{
    char **ids = machine_ids();
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;

    (void)argc;
    (void)argv;
    if (!session_current(s, err)) {
        for (char **id = ids; *id; id++)
            free(*id);
        free(ids);
        json_decref(rows);
        return false;
    }
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "id,current,loaded,ports,forms,distinct_uops\n");
    for (size_t i = 0; i < s->document.machine_count; i++)
        list_one(s, s->document.machines[i]->id, rows);
    for (char **id = ids; *id; id++) {
        if (!loaded(s, *id))
            list_one(s, *id, rows);
        free(*id);
    }
    free(ids);
    if (rows)
        session_json(s, json_pack("{s:o}", "mappings", rows));
    return true;
}

bool cmd_mapping_use(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc != 2)
        return err_set(err, ERR_USAGE, "mapping list shows them", "the name of a mapping was expected");
    return make_current(s, argv[1], err);
}

bool cmd_mapping_load(struct session *s, int argc, char **argv, struct err *err)
{
    struct stat status;
    struct str path = {0};

    if (argc != 2)
        return err_set(err, ERR_USAGE, "mapping load DIRECTORY, or FILE.csv", "one file or directory was expected");
    if (stat(argv[1], &status) != 0) {
        err_set(err, ERR_MISSING, "mapping use takes the shipped ones by name", "it is not there");
        return err_at(err, argv[1], 0, 0);
    }
    const char *ending = strrchr(argv[1], '.');
    if (!S_ISDIR(status.st_mode) && ending && (strcmp(ending, ".yml") == 0 || strcmp(ending, ".yaml") == 0))
        return import_from_osaca(s, argv[1], err);
    if (!S_ISDIR(status.st_mode) && ending && strcmp(ending, ".json") == 0)
        return import_from_pmevo(s, argv[1], err);
    if (!S_ISDIR(status.st_mode))
        return import_from_csv(s, argv[1], err);
    /* A name without a slash would be looked up among the shipped machines. */
    str_addf(&path, "%s%s", strchr(argv[1], '/') ? "" : "./", argv[1]);
    while (path.length > 1 && path.data[path.length - 1] == '/')
        path.data[--path.length] = '\0';
    bool ok = adopt(s, machine_load(str_text(&path), err), err);
    str_done(&path);
    return ok;
}

bool cmd_mapping_save(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = session_current(s, err);
    struct str text = {0};

    if (!m)
        return false;
    if (argc != 2)
        return err_set(err, ERR_USAGE, "mapping save DIRECTORY, or FILE.csv", "one file or directory was expected");
    size_t length = strlen(argv[1]);
    if (length < 4 || strcmp(argv[1] + length - 4, ".csv") != 0)
        return machine_save(m, argv[1], err);
    machine_mapping_csv(m, &text);
    bool ok = file_write(argv[1], text.data, text.length, err);
    str_done(&text);
    return ok;
}

/* "7" is ports 0 to 6, anything else a list of names. */
static bool parse_ports(const char *text, struct ports *ports, struct err *err)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);

    if (*end == '\0' && end != text && (count == 0 || count > 32))
        return err_set(err, ERR_USAGE, "give 1 to 32, or names: 0,1,DV", "%lu ports cannot be", count);
    if (*end == '\0' && end != text) {
        ports_number(ports, (unsigned)count);
        return true;
    }
    if (!ports_parse(text, ports, err))
        return false;
    for (unsigned i = 0; i < ports->count; i++)
        if (port_name_divides(ports->names[i]))
            ports->pipes |= (portset)1 << i;
    return true;
}

bool cmd_mapping_new(struct session *s, int argc, char **argv, struct err *err)
{
    struct ports ports = {0};
    char id[64] = "new";

    if (argc != 2 && argc != 3)
        return err_set(err, ERR_USAGE, "mapping new 8, or mapping new 0,1,2,DV NAME", "the ports were expected, and a name if you like");
    if (!parse_ports(argv[1], &ports, err))
        return false;
    if (argc == 3)
        id_from_path(argv[2], id);
    for (unsigned i = 2; argc == 2 && loaded(s, id); i++)
        snprintf(id, sizeof id, "new-%u", i);
    return adopt(s, machine_new(id, &ports), err);
}
