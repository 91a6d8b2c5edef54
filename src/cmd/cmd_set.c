/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/similar.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/machine_file.h"

struct set_values {
    const char *name, *value;
};

/* State of `set machine`: the machines to select. Missing machines are loaded in the background. */
struct choosing {
    char *list;                     /* the list in the user's words */
    VEC(char *) ids;                /* ids in the list; the CPU's machine has its real id */
    VEC(struct machine *) loaded;
    VEC(size_t) missing;            /* indices into @ids of the machines to load */
};

static void choosing_free(void *state)
{
    struct choosing *c = state;

    for (size_t i = 0; i < c->loaded.count; i++)
        machine_free(c->loaded.items[i]);
    vec_free_texts(&c->ids);
    vec_done(&c->loaded);
    vec_done(&c->missing);
    free(c->list);
    free(c);
}

static bool choose_work(void *state, struct result *result, struct err *err)
{
    struct choosing *c = state;

    for (size_t i = 0; i < c->missing.count; i++) {
        struct machine *m =
            watch_goes_on(err) ? machine_load(c->ids.items[c->missing.items[i]], err) : NULL;
        if (!m)
            return false;
        vec_push(&c->loaded, m);
    }
    return true;
}

static void confirm(const char *name, const char *value, struct result *result)
{
    result_note(result, "%s: %s", name, value);
    result_text(result, "setting", name);
    result_text(result, "value", value);
}

static bool choose_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct choosing *c = state;

    for (size_t i = 0; i < c->loaded.count; i++) {
        char **id = &c->ids.items[c->missing.items[i]];
        free(*id);
        /* Replaces the user's word, which may be a directory, with the machine's id. */
        *id = mem_strdup(c->loaded.items[i]->id);
        session_add_machine(s, c->loaded.items[i]);
        c->loaded.items[i] = NULL;
    }
    if (!session_choose(s, c->ids.items, c->ids.count, err))
        return false;
    confirm("machine", c->list, result);
    return true;
}

static bool set_machines(struct session *s, const char *list, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"loads", choose_work, choose_publish, choosing_free,
                                        .listed = TASK_LISTED_IF_LONG};
    struct choosing *c = mem_zero(1, sizeof *c);
    char *copy = mem_strdup(list), *save;
    bool ok = true;

    c->list = mem_strdup(list);
    for (char *id = strtok_r(copy, ",", &save); ok && id; id = strtok_r(NULL, ",", &save)) {
        const char *own = session_machine_id(s, id, err);
        ok = own != NULL;
        if (!ok)
            break;
        vec_push(&c->ids, mem_strdup(own));
        if (!session_has_machine(s, own))
            vec_push(&c->missing, c->ids.count - 1);
    }
    free(copy);
    if (ok && !c->ids.count)
        ok = err_set(err, ERR_USAGE, "machine list shows the machines", "no machine given");
    return task_give(task, &ops, c) && ok;
}

/* Adds a line of text and a typed JSON member. */
static void show(const struct settings *settings, const struct setting *setting,
                 struct result_table *t, struct result *result)
{
    struct str value = {0};

    setting_print(settings, setting, &value);
    cell_text(t, setting->name);
    cell_text(t, str_text(&value));
    if (setting->kind == SETTING_SWITCH)
        result_switch(result, setting->name, strcmp(str_text(&value), "on") == 0);
    else if (setting->kind == SETTING_COUNT &&
             strspn(str_text(&value), "0123456789") == value.length)
        result_count(result, setting->name, strtoll(str_text(&value), NULL, 10));
    else
        result_text(result, setting->name, str_text(&value));
    str_done(&value);
}

static void show_all(struct session *s, struct result *result)
{
    static const struct result_column columns[] = {{.key = "name", .kind = CELL_TEXT, .width = 10},
                                                   {.key = "value", .kind = CELL_TEXT}};
    struct str machines = {0};
    json_t *ids = json_array();
    struct result_table *t = result_table(result, "settings", columns, 2);

    t->headless = true;
    t->hide = NOT_JSON;
    for (size_t i = 0; i < s->document.selected_count; i++) {
        str_addf(&machines, "%s%s", i ? "," : "", s->document.selected[i]);
        json_array_append_new(ids, json_text(s->document.selected[i]));
    }
    cell_text(t, "machine");
    cell_text(t, str_text(&machines));
    result_nested(result, "machine", ids);
    for (const struct setting *setting = settings_table; setting->name; setting++)
        show(&s->settings, setting, t, result);
    str_done(&machines);
}

static bool refuse_name(const char *name, struct err *err)
{
    struct similar similar = {.word = name};
    char todo[SIMILAR_TODO];

    /* `machine` is not in the table, because the selection is part of the document. */
    similar_try(&similar, "machine");
    for (const struct setting *setting = settings_table; setting->name; setting++)
        similar_try(&similar, setting->name);
    return err_set(err, ERR_USAGE, similar_todo(&similar, "set lists all settings", todo),
                   "unknown setting \"%s\"", name);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct set_values *v = values;

    if (!v->name) {
        show_all(s, s->result);
        return true;
    }
    const struct setting *setting = setting_find(v->name);
    bool machine = strcmp(v->name, "machine") == 0;
    if (!setting && !machine)
        return refuse_name(v->name, err);
    if (!v->value)
        return err_set(err, ERR_USAGE, "use set NAME VALUE; set alone lists the settings",
                       "no value for %s", v->name);
    if (machine)
        return set_machines(s, v->value, task, err);
    if (!setting_set(&s->settings, setting, v->value, err))
        return false;
    confirm(v->name, v->value, s->result);
    return true;
}

const struct command command_set = {
    .name = "set",
    .help = "show the settings, or change a setting",
    .description = "machine ID[,ID...] selects the machines shown side by side; the first is the "
                   "current machine.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "NAME", struct set_values, name), .fallback = "show all settings",
         .complete = COMPLETE_SETTING, .help = "machine, or a setting listed below"},
        {PARAMETER(TEXT, "VALUE", struct set_values, value), .complete = COMPLETE_SETTING,
         .help = "new value; ID[,ID...] for machine"}),
    .examples = EXAMPLES("set machine skylake,znver4", "set format csv", "set threads 4"),
    .values_size = sizeof(struct set_values),
    .flags = COMMAND_CHANGES,
    .prepare = prepare,
};
