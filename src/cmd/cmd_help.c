/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/mem.h"
#include "base/similar.h"
#include "cmd/command.h"
#include "cmd/help_facts.h"
#include "cmd/line.h"
#include "cmd/program_options.h"

struct help_values {
    const char *topic, *completion;
    bool man;
};

static void add_troff(struct str *out, const char *text)
{
    for (; *text; text++)   /* A bar is followed by \:, where troff may break the line. */
        str_addf(out,
                 *text == '-' || *text == '\\' ? "\\%c"
                 : *text == '|'                ? "%c\\:"
                                               : "%c",
                 *text);
}

/* Appends a sentence with troff's control characters escaped. */
static void add_troff_line(struct str *out, const char *text)
{
    str_add(out, "\\&");
    add_troff(out, text);
    str_add_char(out, '\n');
}

static void add_name(void *to, const char *word)
{
    struct str *out = to;
    str_addf(out, "%s%s", out->length ? ", " : "", word);
}

/* Describes @p by its record. A parameter that names a view also lists the views. */
static void explain_parameter(struct session *s, const struct parameter *p, struct str *out)
{
    struct str names = {0};

    parameter_explain(p, out);
    if (p->complete == COMPLETE_VIEW && s->views)
        s->views->words(s, "view", add_name, &names);
    str_addf(out, "%s%s", names.length ? ": " : "", str_text(&names));
    str_done(&names);
}

static void add_man_parameters(struct session *s, const struct parameter *table, struct str *out)
{
    struct str text = {0};

    for (const struct parameter *p = table; p && p->name; p++) {
        str_clear(&text);
        parameter_print(p, &text);
        str_add(out, ".TP\n.B ");
        add_troff(out, str_text(&text));
        str_add_char(out, '\n');
        str_clear(&text);
        explain_parameter(s, p, &text);
        str_add_char(&text, '.');
        add_troff_line(out, str_text(&text));
    }
    str_done(&text);
}

static void add_settings(bool man, struct str *out)
{
    struct str text = {0};

    for (const struct setting *setting = settings_table; setting->name; setting++) {
        str_clear(&text);
        str_addf(&text, "%s: ", setting->help);
        setting_range(setting, &text);
        str_addf(&text, " (default: %s)", setting->initial);
        if (man) {
            str_addf(out, ".TP\n.B ");
            add_troff(out, setting->name);
            str_add_char(out, '\n');
            str_add_char(&text, '.');
            add_troff_line(out, str_text(&text));
        } else {
            str_addf(out, "  %-24s  %s\n", setting->name, str_text(&text));
        }
    }
    str_done(&text);
}

static void add_man_examples(const struct command *c, struct str *out)
{
    for (size_t i = 0; c->examples && c->examples[i]; i++) {
        str_add(out, i ? ".br\n" : ".PP\nExample:\n.br\n");
        add_troff_line(out, c->examples[i]);
    }
}

/* Prints the section that tools/make-man.sh inserts into the man page. */
static void print_man(struct session *s, struct str *out)
{
    struct str usage = {0};

    for (const struct command *const *at = commands; *at; at++) {
        const struct command *c = *at;
        str_clear(&usage);
        command_usage(c, &usage);
        str_addf(out, ".TP\n.B %s\n", c->name);
        if (usage.length) {
            str_add(out, "\\&");
            add_troff(out, str_text(&usage));
            str_add(out, "\n.br\n");
        }
        add_troff(out, c->help);
        str_add(out, ".\n");
        if (c->description)
            add_troff_line(out, c->description);
        if (!c->examples)
            continue;
        str_add(out, ".RS\n");
        add_man_parameters(s, c->arguments, out);
        add_man_parameters(s, c->options, out);
        if (c == &command_set)
            add_settings(true, out);
        add_man_examples(c, out);
        str_add(out, ".RE\n");
    }
    str_done(&usage);
}

static void add_parameters(struct session *s, const struct parameter *table, struct str *out)
{
    struct str name = {0};

    for (const struct parameter *p = table; p && p->name; p++) {
        str_clear(&name);
        parameter_print(p, &name);
        str_addf(out, "  %-24s  ", str_text(&name));
        explain_parameter(s, p, out);
        str_add_char(out, '\n');
    }
    str_done(&name);
}

static void explain(struct session *s, const struct command *c, struct str *out)
{
    str_addf(out, "%s ", c->name);
    command_usage(c, out);
    str_addf(out, "\n    %s\n", c->help);
    if (c->description)
        str_addf(out, "    %s\n", c->description);
    add_parameters(s, c->arguments, out);
    add_parameters(s, c->options, out);
    if (c == &command_set)
        add_settings(false, out);
    for (size_t i = 0; c->examples && c->examples[i]; i++)
        str_addf(out, "  example: %s\n", c->examples[i]);
}

static void add_row(struct result_table *t, const struct command *c)
{
    struct str usage = {0};

    command_usage(c, &usage);
    cell_text(t, c->name);
    cell_text(t, c->help);
    cell_text(t, str_text(&usage));
    str_done(&usage);
}

/* Tasks in display order. Each task lists its commands by name or by first word. The last task has
 * all other commands. */
static const struct {
    const char *title, *commands;
} tasks[] = {
    {"Analyse a loop", "kernel,throughput"},
    {"Measure", "experiments,latency,kernel measure,kernel memory,kernel learn,kernel "
                "blame,machine calibrate,machine check,machine correct,machine info"},
    {"Compare", "evaluate,kernel diff,kernel compare,kernel evaluate,kernel machines,mapping "
                "diff,forms compare,experiments compare"},
    {"Whole programs", "program"},
    {"Infer a mapping", "mapping,forms,evolve,congruence"},
    {"Chart a CPU, and machines", "machine"},
    {"Session and workbench", ""},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static bool task_has(size_t task, const char *name, size_t length)
{
    for (const char *at = tasks[task].commands; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static size_t task_of(const struct command *c)
{
    const size_t lengths[] = {strlen(c->name), strcspn(c->name, " ")};

    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t i = 0; i < TASKS; i++)
            if (task_has(i, c->name, lengths[k]))
                return i;
    return TASKS - 1;
}

static void list_by_task(struct str *out)
{
    for (size_t i = 0; i < TASKS; i++) {
        str_addf(out, "%s%s\n", i ? "\n" : "", tasks[i].title);
        for (const struct command *const *c = commands; *c; c++)
            if (task_of(*c) == i)
                str_addf(out, "  %-22s%s\n", (*c)->name, (*c)->help);
    }
}

/* Fills @err with the noun that differs from @topic by one letter, if such a noun exists. */
static void suggest_noun(const char *topic, struct err *err)
{
    struct similar similar = {.word = topic};
    char noun[32], best[32], todo[SIMILAR_TODO];

    for (const struct command *const *c = commands; *c; c++) {
        snprintf(noun, sizeof noun, "%.*s", (int)strcspn((*c)->name, " "), (*c)->name);
        if (similar_try(&similar, noun))
            similar.best = strcpy(best, noun);
    }
    if (similar.best && similar.distance <= 1)
        err_set(err, ERR_USAGE, similar_todo(&similar, NULL, todo), "\"%s\" is no command", topic);
}

/* Returns the command that @topic names by its name, an alias or an abbreviation. Otherwise returns
 * NULL with err, which suggests similar commands if there are any. */
static const struct command *topic_command(const char *topic, struct err *err)
{
    struct line_words words = {0};
    const struct command *c = NULL;
    int used = 0;

    if (line_split(topic, topic + strlen(topic), &words, err) && words.count)
        c = command_lookup(words.count, words.items, &used, err);
    if (c && used != words.count) {
        err_set(err, ERR_USAGE, "help lists the commands", "\"%s\" is no command", topic);
        c = NULL;
    } else if (!c && words.count == 1) {
        suggest_noun(topic, err);
    }
    line_words_done(&words);
    return c;
}

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "command", .kind = CELL_TEXT, .width = 16},
        {.key = "help", .kind = CELL_TEXT},
        {.key = "usage", .kind = CELL_TEXT, .hide = NOT_TEXT}};
    const struct help_values *v = values;
    struct str text = {0};

    if (help_facts_topic(v->topic))
        return help_facts(v->topic, v->man, result, err);
    if (v->completion) {
        if (!program_options_script(v->completion, &text))
            BUG("no completion script for this shell");
        result_block(result, str_text(&text));
        str_done(&text);
        return true;
    }
    if (v->man) {
        print_man(s, &text);
        result_block(result, str_text(&text));
        str_done(&text);
        return true;
    }
    struct result_table *t = result_table(result, "commands", columns, 3);
    t->headless = true;
    /* Text and documents have the block below instead of this table. */
    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (const struct command *const *c = commands; *c; c++)
        if (!v->topic || str_has_prefix((*c)->name, v->topic)) {
            add_row(t, *c);
            if (v->topic)
                explain(s, *c, &text);
        }
    const struct command *other = v->topic && !table_rows(t) ? topic_command(v->topic, err) : NULL;
    if (other) {
        add_row(t, other);
        explain(s, other, &text);
    }
    if (!v->topic)
        list_by_task(&text);
    result_block(result, str_text(&text));
    str_done(&text);
    return table_rows(t) > 0;
}

static const char *const examples[] = {"help",       "help kernel load",      "help evolve",
                                       "help facts", "help fact issue_width", NULL};

const struct command command_help = {
    .name = "help",
    .help = "list the commands, or explain a command",
    .arguments = PARAMETERS(
        {PARAMETER(JOINED, "COMMAND", struct help_values, topic),
         .fallback = "all commands, one line each", .complete = COMPLETE_COMMAND,
         .help = "a command or its first word; facts, or fact KEY, for machine facts"}),
    .options = PARAMETERS(
        {PARAMETER(FLAG, "--man", struct help_values, man),
         .help = "print the commands or facts as a section of the man page"},
        {PARAMETER(CHOICE, "--completion", struct help_values, completion), .value = "SHELL",
         .choices = "bash|zsh|fish", .help = "print a completion script for a shell"}),
    .examples = examples,
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct help_values),
    .run = run,
};
