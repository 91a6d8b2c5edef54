/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "cmd/command.h"
#include "io/cpus.h"
#include "io/machine_file.h"
#include "model/change.h"
#include "model/facts.h"

static void add(struct completions *c, const char *word, size_t length, const char *prefix)
{
    if (length < strlen(prefix) || strncmp(word, prefix, strlen(prefix)) != 0)
        return;
    for (size_t i = 0; i < c->items.count; i++)
        if (strncmp(c->items.items[i], word, length) == 0 && c->items.items[i][length] == '\0')
            return;
    vec_push(&c->items, mem_strndup(word, length));
}

/* Adds the alternatives of a list a|b|c, except placeholders. */
static void add_choices(struct completions *c, const char *at, size_t length, const char *prefix)
{
    const char *end = at + length;
    while (at < end) {
        size_t span = strcspn(at, "|[] ");
        span = at + span > end ? (size_t)(end - at) : span;
        if (span && ((at[0] >= 'a' && at[0] <= 'z') || at[0] == '-'))
            add(c, at, span, prefix);
        at += span + 1;
    }
}

static void add_ids(struct completions *c, char **take_ids, const char *prefix)
{
    for (char **id = take_ids; *id; id++) {
        add(c, *id, strlen(*id), prefix);
        free(*id);
    }
    free(take_ids);
}

/* Adds machines: the session's, the shipped and the user's machines, processor names, and HERE_NAME
 * if this CPU has a machine. */
static void add_machines(struct completions *c, const struct session *s, const char *prefix)
{
    struct cpus *cpus = cpus_load(NULL);

    for (size_t i = 0; i < s->document.machine_count; i++)
        add(c, s->document.machines[i]->id, strlen(s->document.machines[i]->id), prefix);
    add_ids(c, machine_ids(), prefix);
    add_ids(c, machine_user_ids(), prefix);
    for (size_t i = 0; cpus && i < cpus_count(cpus); i++) {
        struct cpu_product p = cpus_at(cpus, i);
        if (*p.name && cpu_product_known(&p))
            add(c, p.name, strlen(p.name), prefix);
    }
    cpus_free(cpus);
    if (s->document.here.id)
        add(c, HERE_NAME, strlen(HERE_NAME), prefix);
}

static void add_setting_values(struct completions *c, const struct session *s, const char *name,
                               const char *prefix)
{
    const struct setting *setting = setting_find(name);
    const char *values = !setting                          ? ""
                         : setting->kind == SETTING_SWITCH ? "on|off"
                         : setting->choices                ? setting->choices
                                                           : "";

    if (strcmp(name, "machine") == 0)
        add_machines(c, s, prefix);
    else
        add_choices(c, values, strlen(values), prefix);
}

static void add_settings(struct completions *c, const char *prefix)
{
    add(c, "machine", strlen("machine"), prefix);
    for (const struct setting *setting = settings_table; setting->name; setting++)
        add(c, setting->name, strlen(setting->name), prefix);
}

/* Adds forms of the current machine. Each completion begins with @before. */
static void add_forms(struct completions *c, struct session *s, const char *before,
                      const char *prefix)
{
    struct err ignored = {0};
    const struct machine *m = session_current(s, &ignored);
    struct str word = {0};

    for (size_t i = 0; m && i < mapping_count(m->mapping); i++) {
        str_clear(&word);
        str_addf(&word, "%s%s", before, mapping_at(m->mapping, i)->form);
        add(c, str_text(&word), word.length, prefix);
    }
    str_done(&word);
}

/* Adds kernel whatif changes: a fact, usage:FORM or latency:FORM. */
static void add_changes(struct completions *c, struct session *s, const char *prefix)
{
    struct str word = {0};

    for (const struct fact *f = fact_schema; f->key; f++) {
        str_clear(&word);
        str_addf(&word, "%s=", f->key);
        if (f->kind != FACT_FIXED)
            add(c, str_text(&word), word.length, prefix);
    }
    str_done(&word);
    add_forms(c, s, CHANGE_USAGE, prefix);
    add_forms(c, s, CHANGE_LATENCY, prefix);
}

static void add_commands(struct completions *c, const char *prefix)
{
    for (const struct command *const *at = commands; *at; at++)
        add(c, (*at)->name, strcspn((*at)->name, " "), prefix);
}

struct view_completions {
    struct completions *to;
    const char *prefix;
};

static void add_view_word(void *to, const char *word)
{
    const struct view_completions *v = to;
    add(v->to, word, strlen(word), v->prefix);
}

/* Adds the names of views, or the columns of the displayed view. */
static void add_view_words(struct completions *c, struct session *s, const char *verb,
                           const char *prefix)
{
    if (s->views)
        s->views->words(s, verb, add_view_word, &(struct view_completions){c, prefix});
}

static void add_parameter(struct completions *c, struct session *s, const struct parameter *p,
                          const char *previous, const char *prefix)
{
    if (p->choices)
        add_choices(c, p->choices, strlen(p->choices), prefix);
    if (p->unset)
        add(c, p->unset, strlen(p->unset), prefix);
    switch (p->complete) {
    case COMPLETE_NOTHING:
        return;
    case COMPLETE_FILE:
        c->files = true;
        return;
    case COMPLETE_MACHINE:
        add_machines(c, s, prefix);
        return;
    case COMPLETE_FORM:
        add_forms(c, s, "", prefix);
        return;
    case COMPLETE_CHANGE:
        add_changes(c, s, prefix);
        return;
    case COMPLETE_COMMAND:
        add_commands(c, prefix);
        add(c, "fact", strlen("fact"), prefix);
        add(c, "facts", strlen("facts"), prefix);
        for (const struct fact *f = fact_schema;
             previous && strcmp(previous, "fact") == 0 && f->key; f++)
            add(c, f->key, strlen(f->key), prefix);
        return;
    case COMPLETE_SETTING:
        if (previous)
            add_setting_values(c, s, previous, prefix);
        else
            add_settings(c, prefix);
        return;
    case COMPLETE_VIEW:
        add_view_words(c, s, "view", prefix);
        return;
    case COMPLETE_SORT:
        add_view_words(c, s, "sort", prefix);
        return;
    case COMPLETE_FILTER:
        add_view_words(c, s, "filter", prefix);
        return;
    }
}

static const struct parameter *option_of(const struct command *command, const char *word)
{
    for (const struct parameter *p = command->options; p && p->name; p++)
        if (strcmp(p->name, word) == 0 && p->kind != PARAMETER_FLAG)
            return p;
    return NULL;
}

/* Adds completions after the @words of @command: values of an option, or arguments and options. */
static void add_parameters(struct completions *c, struct session *s, const struct command *command,
                           char **words, size_t count, const char *prefix)
{
    const struct parameter *option = count ? option_of(command, words[count - 1]) : NULL,
                           *argument = command->arguments;

    if (option) {
        add_parameter(c, s, option, NULL, prefix);
        return;
    }
    for (size_t i = 0; i < count && argument && argument->name; i++) {
        bool of_option = strncmp(words[i], "--", 2) == 0 || (i && option_of(command, words[i - 1]));
        if (!of_option && argument->kind != PARAMETER_WORDS && argument->kind != PARAMETER_JOINED &&
            !(command->flags & COMMAND_RAW))
            argument++;
    }
    if (argument && argument->name)
        add_parameter(c, s, argument, count ? words[count - 1] : NULL, prefix);
    for (const struct parameter *p = command->options; p && p->name; p++)
        add(c, p->name, strlen(p->name), prefix);
}

void complete_line(struct session *s, const char *line, size_t start, size_t end,
                   struct completions *out)
{
    char *prefix = mem_strndup(line + start, end - start), *before = mem_strndup(line, start);
    char *words[64], *semicolon = strrchr(before, ';');
    int count = 0, used = 0;
    struct err err = {0};

    *out = (struct completions){0};
    for (char *word = strtok(semicolon ? semicolon + 1 : before, " \t"); word && count < 64;
         word = strtok(NULL, " \t"))
        words[count++] = word;
    const struct command *known = count ? command_lookup(count, words, &used, &err) : NULL;
    const bool alias = known && used == 1 && strncmp(known->name, words[0], strlen(words[0])) != 0;
    if (known && !alias && used <= count && strcspn(known->name, " ") != strlen(known->name) &&
        used < 2)
        known = NULL;   /* The word is a noun, so its verbs are completed. */
    if (known) {
        add_parameters(out, s, known, words + used, (size_t)(count - used), prefix);
    } else if (count <= 1) {
        for (const struct command *const *at = commands; *at; at++) {
            const struct command *c = *at;
            const char *verb = strchr(c->name, ' ');
            if (!count)
                add(out, c->name, strcspn(c->name, " "), prefix);
            else if (verb && strncmp(c->name, words[0], strlen(words[0])) == 0)
                add(out, verb + 1, strlen(verb + 1), prefix);
        }
    }
    if (out->items.count)
        qsort(out->items.items, out->items.count, sizeof *out->items.items, compare_texts);
    free(prefix);
    free(before);
}
