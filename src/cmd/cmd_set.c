/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/similar.h"
#include "base/vec.h"
#include "cmd/command.h"

struct set_values {
    const char *name, *value;
};

static const struct parameter arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct set_values, name), .otherwise = "show all settings", .complete = COMPLETE_SETTING,
     .help = "machine, or a setting listed below"},
    {.name = "VALUE", .kind = PARAMETER_TEXT, .at = offsetof(struct set_values, value), .complete = COMPLETE_SETTING, .help = "new value; ID[,ID...] for machine"},
    {0},
};

static bool set_machines(struct session *s, const char *list, struct err *err)
{
    VEC(char *) ids = {0};
    char *copy = mem_strdup(list), *save;

    for (char *id = strtok_r(copy, ",", &save); id; id = strtok_r(NULL, ",", &save))
        vec_push(&ids, id);
    bool ok = ids.count ? session_select(s, ids.items, ids.count, err) : err_set(err, ERR_USAGE, "machine list shows them", "no machine is named");
    vec_done(&ids);
    free(copy);
    return ok;
}

/* A line of the table and a member of JSON's object, where switches are switches and counts numbers. */
static void show(const struct settings *settings, const struct setting *setting, struct result_table *t, struct result *result)
{
    struct str value = {0};

    setting_print(settings, setting, &value);
    cell_text(t, setting->name);
    cell_text(t, str_text(&value));
    if (setting->kind == SETTING_SWITCH)
        result_switch(result, setting->name, strcmp(str_text(&value), "on") == 0);
    else if (setting->kind == SETTING_COUNT && strspn(str_text(&value), "0123456789") == value.length)
        result_count(result, setting->name, strtoll(str_text(&value), NULL, 10));
    else
        result_text(result, setting->name, str_text(&value));
    str_done(&value);
}

static void show_all(struct session *s, struct result *result)
{
    static const struct result_column columns[] = {{.key = "name", .kind = CELL_TEXT, .width = 10}, {.key = "value", .kind = CELL_TEXT}};
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

    for (const struct setting *setting = settings_table; setting->name; setting++)
        similar_try(&similar, setting->name);
    return err_set(err, ERR_USAGE, similar_todo(&similar, "set lists them", todo), "unknown setting \"%s\"", name);
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct set_values *v = values;

    if (!v->name) {
        show_all(s, result);
        return true;
    }
    const struct setting *setting = setting_find(v->name);
    bool machine = strcmp(v->name, "machine") == 0;
    if (!setting && !machine)
        return refuse_name(v->name, err);
    if (!v->value)
        return err_set(err, ERR_USAGE, "set NAME VALUE, or set alone to see all", "no value for %s", v->name);
    if (!(machine ? set_machines(s, v->value, err) : setting_set(&s->settings, setting, v->value, err)))
        return false;
    result_set_confirmation(result);
    result_text(result, "setting", v->name);
    result_text(result, "value", v->value);
    return true;
}

static const char *const examples[] = {"set machine skylake,znver4", "set format csv", "set threads 4", NULL};

const struct command command_set = {
    .name = "set",
    .help = "show the settings, or change one",
    .description = "machine ID[,ID...] selects the machines shown side by side; the first is the current one.",
    .arguments = arguments,
    .examples = examples,
    .values_size = sizeof(struct set_values),
    .flags = COMMAND_CHANGES,
    .run = run,
};
