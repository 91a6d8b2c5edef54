/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/complete.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "io/machine_file.h"

static void add(struct completions *c, const char *word, size_t length, const char *prefix)
{
    if (length < strlen(prefix) || strncmp(word, prefix, strlen(prefix)) != 0)
        return;
    for (size_t i = 0; i < c->items.count; i++)
        if (strncmp(c->items.items[i], word, length) == 0 && c->items.items[i][length] == '\0')
            return;
    vec_push(&c->items, mem_strndup(word, length));
}

/* Words a|b|c of the table that are not placeholders. */
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

/* Those of the data directory and those made in this session. */
static void add_machines(struct completions *c, const struct session *s, const char *prefix)
{
    char **ids = machine_ids();
    for (size_t i = 0; i < s->machine_count; i++)
        add(c, s->machines[i]->id, strlen(s->machines[i]->id), prefix);
    for (char **id = ids; *id; id++) {
        add(c, *id, strlen(*id), prefix);
        free(*id);
    }
    free(ids);
}

/* The placeholders of @arguments decide what an argument after @previous can be. */
static void add_arguments(struct completions *c, const struct session *s, const char *arguments, const char *previous, const char *prefix)
{
    const char *of_option = previous && previous[0] == '-' ? strstr(arguments, previous) : NULL;

    if (of_option && of_option[strlen(previous)] == ' ') {   /* its value */
        const char *value = of_option + strlen(previous) + 1;
        size_t span = strcspn(value, " ]");
        if (strncmp(value, "ID", 2) == 0)
            add_machines(c, s, prefix);
        else if (strncmp(value, "FILE", 4) == 0)
            c->files = true;
        else
            add_choices(c, value, span, prefix);
        return;
    }
    for (const char *at = arguments; *at;) {
        bool optional = *at == '[';
        at += optional;
        size_t span = strcspn(at, optional ? "]" : " ");
        if (*at == '-')
            add_choices(c, at, strcspn(at, " ]"), *prefix ? prefix : "--");
        else if (strncmp(at, "FILE", 4) == 0 || strncmp(at, "BINARY", 6) == 0 || strncmp(at, "DIR", 3) == 0)
            c->files = true;
        else if (strncmp(at, "ID", 2) == 0)
            add_machines(c, s, prefix);
        else
            add_choices(c, at, span, prefix);
        at += span;
        at += strspn(at, "]. ");
    }
}

/* What `set @name` takes. */
static void add_values(struct completions *c, const struct session *s, const char *name, const char *prefix)
{
    const char *values = strcmp(name, "format") == 0 ? "text|csv|json" : strcmp(name, "threads") == 0 ? "auto" : strcmp(name, "seed") == 0 ? "" : "on|off";

    if (strcmp(name, "machine") == 0)
        add_machines(c, s, prefix);
    else
        add_choices(c, values, strlen(values), prefix);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void complete_line(struct session *s, const char *line, size_t start, size_t end, struct completions *out)
{
    char *prefix = mem_strndup(line + start, end - start), *before = mem_strndup(line, start);
    char *words[64], *semicolon = strrchr(before, ';');
    int count = 0, used = 0;
    struct err err = {0};

    *out = (struct completions){0};
    for (char *word = strtok(semicolon ? semicolon + 1 : before, " \t"); word && count < 64; word = strtok(NULL, " \t"))
        words[count++] = word;
    const struct command *known = count ? command_find(count, words, &used, &err) : NULL;
    if (known && used <= count && strcspn(known->name, " ") != strlen(known->name) && used < 2)
        known = NULL;   /* the noun alone: its verbs */
    if (known) {
        const char *previous = count > used ? words[count - 1] : NULL;
        if (previous && strcmp(known->name, "set") == 0)
            add_values(out, s, previous, prefix);
        else
            add_arguments(out, s, known->arguments, previous, prefix);
        if (strcmp(known->name, "help") == 0)
            for (const struct command *c = commands; c->name; c++)
                add(out, c->name, strcspn(c->name, " "), prefix);
    } else if (count <= 1) {
        for (const struct command *c = commands; c->name; c++) {
            const char *verb = strchr(c->name, ' ');
            if (!count)
                add(out, c->name, strcspn(c->name, " "), prefix);
            else if (verb && strncmp(c->name, words[0], strlen(words[0])) == 0)
                add(out, verb + 1, strlen(verb + 1), prefix);
        }
    }
    if (out->items.count)
        qsort(out->items.items, out->items.count, sizeof *out->items.items, by_name);
    free(prefix);
    free(before);
}

void completions_done(struct completions *c)
{
    for (size_t i = 0; i < c->items.count; i++)
        free(c->items.items[i]);
    vec_done(&c->items);
}
