/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd_mapping.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "io/machine_file.h"

void mapping_id_from_path(const char *path, char id[MAPPING_ID])
{
    const char *base = strrchr(path, '/');
    size_t n = 0;
    for (base = base ? base + 1 : path; *base && *base != '.' && n < MAPPING_ID - 2; base++)
        id[n++] =
            (char)(isalnum((unsigned char)*base) || *base == '-' || *base == '_' ? *base : '-');
    id[n] = '\0';
    if (!n)
        strcpy(id, "imported");
}

/* Moves @id to the front of the selected machines of its instruction set. Returns false with err on
 * failure. */
static bool mapping_make_current(struct session *s, const char *id, struct err *err)
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

void mapping_describe(const struct machine *m, struct result *result)
{
    size_t forms = mapping_count(m->mapping);
    unsigned ports = mapping_ports(m->mapping)->count;

    result_line(result, "%s: %zu form%s on %u port%s", m->id, forms, plural(forms), ports,
                plural(ports));
    /* A title that begins with the id has the kind of machine after the id. */
    if (strcmp(m->title, m->id) != 0 && str_has_prefix(m->title, m->id))
        result_line(result, "%s", m->title);
}

bool mapping_adopt(struct session *s, struct machine *take_machine, const char *what,
                   struct result *result, struct err *err)
{
    char id[MAPPING_ID];

    if (!take_machine)
        return false;
    snprintf(id, sizeof id, "%s", take_machine->id);
    mapping_describe(take_machine, result);
    result_text(result, "mapping", id);
    result_count(result, "forms", (int64_t)mapping_count(take_machine->mapping));
    result_count(result, "ports", mapping_ports(take_machine->mapping)->count);
    result_count(result, "distinct_uops", (int64_t)mapping_distinct_uops(take_machine->mapping));
    undo_note_result(s, take_machine, what, false);
    session_add_machine(s, take_machine);
    bool ok = mapping_make_current(s, id, err);
    undo_note_arrived(s, id);
    return ok;
}

static struct machine *loaded(const struct session *s, const char *id)
{
    for (size_t i = 0; i < s->document.machine_count; i++)
        if (strcmp(s->document.machines[i]->id, id) == 0)
            return s->document.machines[i];
    return NULL;
}

static void list_one(struct session *s, const char *id, struct result_table *t)
{
    const struct machine *m = loaded(s, id);
    bool current = strcmp(id, s->document.selected[0]) == 0;

    cell_text(t, current ? "*" : "");
    cell_text(t, id);
    cell_switch(t, current);
    cell_switch(t, m != NULL);
    if (m) {
        cell_count(t, mapping_ports(m->mapping)->count);
        cell_count(t, (int64_t)mapping_count(m->mapping));
        cell_count(t, (int64_t)mapping_distinct_uops(m->mapping));
        cell_text(t, m->title);
        return;
    }
    for (int i = 0; i < 4; i++)
        cell_missing(t);
}

static bool run_list(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "", .kind = CELL_TEXT, .width = 1, .hide = NOT_CSV | NOT_JSON | NOT_DOCUMENT},
        {.key = "id", .kind = CELL_TEXT, .width = 18},
        {.key = "current", .kind = CELL_SWITCH, .hide = NOT_TEXT},
        {.key = "loaded", .kind = CELL_SWITCH, .hide = NOT_TEXT},
        {.key = "ports", .kind = CELL_COUNT, .width = 5},
        {.key = "forms", .kind = CELL_COUNT, .width = 6},
        {.key = "distinct_uops", .title = "distinct µops", .kind = CELL_COUNT},
        {.key = "title", .kind = CELL_TEXT, .width = RAGGED},
    };
    char **ids = machine_ids();
    bool ok = session_current(s, err) != NULL;
    struct result_table *t = RESULT_TABLE(result, "mappings", columns);

    for (size_t i = 0; ok && i < s->document.machine_count; i++)
        list_one(s, s->document.machines[i]->id, t);
    for (char **id = ids; *id; id++) {
        if (ok && !loaded(s, *id))
            list_one(s, *id, t);
        free(*id);
    }
    free(ids);
    return ok;
}

const struct command command_mapping_list = {
    .name = "mapping list",
    .help = "list the loaded and available mappings",
    .description = "* marks the current mapping. Mappings not loaded yet have no counts.",
    .examples = EXAMPLES("mapping list"),
    .read = run_list,
};

struct mapping_use_values {
    const char *id;
};

static bool run_use(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct mapping_use_values *v = values;

    if (!mapping_make_current(s, v->id, err))
        return false;
    result_text(result, "mapping", v->id);
    result_note(result, "current mapping: %s", v->id);
    return true;
}

const struct command command_mapping_use = {
    .name = "mapping use",
    .help = "make a mapping the current mapping",
    .description = "The other selected machines remain selected.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "ID", struct mapping_use_values, id), .required = true,
         .complete = COMPLETE_MACHINE, .help = "mapping ID, see mapping list"}),
    .examples = EXAMPLES("mapping use znver4", "mapping use skylake"),
    .values_size = sizeof(struct mapping_use_values),
    .flags = COMMAND_CHANGES,
    .run = run_use,
};

struct mapping_load_values {
    const char *path;
};

static bool prepare_load(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct mapping_load_values *v = values;
    struct stat status;
    struct str path = {0};

    if (stat(v->path, &status) != 0)
        return file_fault(err, v->path, "read",
                          "check the path; mapping use ID selects a shipped machine");
    const char *ending = strrchr(v->path, '.');
    bool directory = S_ISDIR(status.st_mode),
         yaml = ending && (strcmp(ending, ".yml") == 0 || strcmp(ending, ".yaml") == 0);
    if (!directory)
        return mapping_read(s, "mapping load", v->path,
                            yaml                                     ? MAPPING_OSACA
                            : ending && strcmp(ending, ".json") == 0 ? MAPPING_PMEVO
                                                                     : MAPPING_CSV,
                            task);
    int length = (int)strlen(v->path);
    while (length > 1 && v->path[length - 1] == '/')
        length--;
    /* Adds "./" to a name without a slash, because such a name would select a shipped machine. */
    str_addf(&path, "%s%.*s", memchr(v->path, '/', (size_t)length) ? "" : "./", length, v->path);
    bool ok = mapping_read(s, "mapping load", str_text(&path), MAPPING_DIRECTORY, task);
    str_done(&path);
    return ok;
}

const struct command command_mapping_load = {
    .name = "mapping load",
    .help = "load a machine or a mapping from files",
    .description = "The mapping becomes the current mapping.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "DIRECTORY|FILE", struct mapping_load_values, path), .required = true,
         .complete = COMPLETE_FILE,
         .help = "machine directory, or a mapping: FILE.csv, OSACA's FILE.yml, PMEvo's FILE.json"}),
    .examples = EXAMPLES("mapping load mymachine/", "mapping load mine.csv"),
    .values_size = sizeof(struct mapping_load_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_load,
};

struct new_values {
    struct port_list ports;
    const char *name;
};

static bool run_new(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct new_values *v = values;
    struct ports ports = v->ports.ports;
    char id[MAPPING_ID] = "new";

    for (unsigned i = 0; i < ports.count; i++)
        if (port_name_divides(ports.names[i]))
            ports.pipes |= (portset)1 << i;
    if (v->name)
        mapping_id_from_path(v->name, id);
    for (unsigned i = 2; !v->name && loaded(s, id); i++)
        snprintf(id, sizeof id, "new-%u", i);
    struct machine *m = machine_new(id, &ports);
    machine_set_fact(m, "isa", isa_name(s->document.isa), "", "");
    return mapping_adopt(s, m, "mapping new", result, err);
}

const struct command command_mapping_new = {
    .name = "mapping new",
    .help = "create an empty mapping with PORTS ports (number or names)",
    .description = "The mapping becomes the current mapping; mapping set adds usages.",
    .arguments = PARAMETERS(
        {PARAMETER(PORTS, "PORTS", struct new_values, ports), .required = true, .least = 1,
         .most = PORTS_MAX,
         .help = "number of ports, or names separated by commas such as 0,1,DV (DV, or DV and a "
                 "number, marks a divider)"},
        {PARAMETER(TEXT, "NAME", struct new_values, name), .fallback = "new, new-2, ...",
         .help = "name of the mapping"}),
    .examples = EXAMPLES("mapping new 8", "mapping new 0,1,2,DV mine"),
    .values_size = sizeof(struct new_values),
    .flags = COMMAND_CHANGES,
    .run = run_new,
};
