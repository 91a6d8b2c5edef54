/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/session_file.h"

static bool set_switch(bool *out, const char *value, struct err *err)
{
    bool on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0)
        return err_set(err, ERR_USAGE, "use on or off", "\"%s\" is neither", value);
    *out = on;
    return true;
}

static bool set_machines(struct session *s, char *list, struct err *err)
{
    char *ids[16];
    size_t count = 0;
    for (char *id = strtok(list, ","); id; id = strtok(NULL, ",")) {
        if (count == 16)
            return err_set(err, ERR_USAGE, "name at most 16", "too many machines");
        ids[count++] = id;
    }
    if (!count)
        return err_set(err, ERR_USAGE, "machine list shows them", "no machine is named");
    return session_select(s, ids, count, err);
}

static const char *const formats[] = {[FORMAT_TEXT] = "text", [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json"};

/* All settings, in the words that set takes. */
static void print_settings(struct session *s)
{
    const struct { const char *name; bool on; } switches[] = {{"color", s->color}, {"ascii", s->ascii}, {"keep-going", s->keep_going}};
    json_t *object = json_object(), *ids = json_array();
    struct str machines = {0};

    for (size_t i = 0; i < s->selected_count; i++) {
        str_addf(&machines, "%s%s", i ? "," : "", s->selected[i]);
        json_array_append_new(ids, json_string(s->selected[i]));
    }
    json_object_set_new(object, "machine", ids);
    json_object_set_new(object, "format", json_string(formats[s->format]));
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        json_object_set_new(object, switches[i].name, json_boolean(switches[i].on));
    if (s->format == FORMAT_JSON) {
        session_json(s, object);
    } else {
        bool csv = s->format == FORMAT_CSV;
        str_addf(&s->output, csv ? "name,value\nmachine,\"%s\"\nformat,%s\n" : "machine     %s\nformat      %s\n", str_text(&machines), formats[s->format]);
        for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
            str_addf(&s->output, csv ? "%s,%s\n" : "%-11s %s\n", switches[i].name, switches[i].on ? "on" : "off");
        json_decref(object);
    }
    str_done(&machines);
}

bool cmd_set(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc == 1) {
        print_settings(s);
        return true;
    }
    if (argc != 3)
        return err_set(err, ERR_USAGE, "set NAME VALUE, or set alone to see them", "a name and a value were expected");
    if (strcmp(argv[1], "machine") == 0)
        return set_machines(s, argv[2], err);
    if (strcmp(argv[1], "color") == 0)
        return set_switch(&s->color, argv[2], err);
    if (strcmp(argv[1], "ascii") == 0)
        return set_switch(&s->ascii, argv[2], err);
    if (strcmp(argv[1], "keep-going") == 0)
        return set_switch(&s->keep_going, argv[2], err);
    if (strcmp(argv[1], "seed") == 0)
        return session_set_seed(s, argv[2], err);
    if (strcmp(argv[1], "threads") == 0)
        return session_set_threads(s, argv[2], err);
    if (strcmp(argv[1], "format") != 0)
        return err_set(err, ERR_USAGE, "help set lists them", "there is no setting \"%s\"", argv[1]);
    for (int i = 0; i < 3; i++)
        if (strcmp(argv[2], formats[i]) == 0) {
            s->format = (enum format)i;
            return true;
        }
    return err_set(err, ERR_USAGE, "use text, csv or json", "there is no format \"%s\"", argv[2]);
}

static void add_troff(struct str *out, const char *text)
{
    for (; *text; text++)   /* a line may end after a bar */
        str_addf(out, *text == '-' || *text == '\\' ? "\\%c" : *text == '|' ? "%c\\:" : "%c", *text);
}

/* The table as the man page's section: tools/make-man.sh puts it there. */
static void print_man(struct str *out)
{
    for (const struct command *c = commands; c->name; c++) {
        str_addf(out, ".TP\n.B %s\n", c->name);
        if (*c->arguments) {
            str_add(out, "\\&");
            add_troff(out, c->arguments);
            str_add(out, "\n.br\n");
        }
        add_troff(out, c->help);
        str_add(out, ".\n");
    }
}

bool cmd_help(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc > 1 && strcmp(argv[1], "--man") == 0) {
        print_man(&s->output);
        return true;
    }
    if (argc > 1) {
        struct str topic = {0};
        for (int i = 1; i < argc; i++)
            str_addf(&topic, "%s%s", i > 1 ? " " : "", argv[i]);
        bool any = false;
        for (const struct command *c = commands; c->name; c++)
            if (str_has_prefix(c->name, str_text(&topic))) {
                str_addf(&s->output, "%s %s\n    %s\n", c->name, c->arguments, c->help);
                any = true;
            }
        if (!any)
            err_set(err, ERR_USAGE, "help lists the commands", "there is no command \"%s\"", str_text(&topic));
        str_done(&topic);
        return any;
    }
    for (const struct command *c = commands; c->name; c++)
        str_addf(&s->output, "%-16s %s\n", c->name, c->help);
    return true;
}

#define SCRIPT_LIMIT ((size_t)64 << 20)

bool cmd_source(struct session *s, int argc, char **argv, struct err *err)
{
    static int depth;
    struct str text = {0};

    if (argc != 2)
        return err_set(err, ERR_USAGE, "source FILE", "one file name was expected");
    if (depth == 16)
        return err_set(err, ERR_LIMIT, "does a script source itself?", "more than 16 scripts inside each other");
    depth++;
    bool ok = file_read(argv[1], SCRIPT_LIMIT, &text, err) && command_script(s, argv[1], str_text(&text), s->out, err);
    depth--;
    str_clear(&s->output);   /* the script's commands have printed theirs */
    str_done(&text);
    return ok;
}

bool cmd_quit(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argc;
    (void)argv;
    (void)err;
    s->quit = true;
    return true;
}

bool cmd_session_save(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc != 2)
        return err_set(err, ERR_USAGE, "session save DIRECTORY", "one directory was expected");
    return session_save(s, argv[1], err);
}

bool cmd_session_load(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc != 2)
        return err_set(err, ERR_USAGE, "session load DIRECTORY", "one directory was expected");
    return session_load(s, argv[1], err);
}
