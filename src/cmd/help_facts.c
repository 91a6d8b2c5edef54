/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/help_facts.h"

#include <string.h>

#include "base/similar.h"
#include "model/facts.h"

#define ONE "fact "

bool help_facts_topic(const char *topic)
{
    return topic && (strcmp(topic, "facts") == 0 || strcmp(topic, "fact") == 0 ||
                     str_has_prefix(topic, ONE));
}

static void add_troff(struct str *out, const char *text)
{
    for (; *text; text++)
        str_addf(out, *text == '-' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void add_man(const struct fact *f, const char *values, const char *fallback, struct str *out)
{
    str_addf(out, ".TP\n.B %s\n", f->key);
    add_troff(out, f->meaning);
    str_add(out, ".\n.br\n");
    add_troff(out, values);
    str_add(out, "; without it: ");
    add_troff(out, fallback);
    str_add(out, "; read by: ");
    add_troff(out, f->reader);
    str_add(out, f->kind == FACT_FIXED ? "; kernel whatif cannot change it" : "");
    str_add(out, f->kind == FACT_FITTED ? "; a mean fitted to measured times.\n" : ".\n");
}

static void explain(const struct fact *f, const char *values, const char *fallback, struct str *out)
{
    str_addf(out, "%s\n    %s\n    value: %s\n    without it: %s\n    read by: %s\n", f->key,
             f->meaning, values, fallback, f->reader);
    if (f->kind == FACT_FIXED)
        str_add(out,
                "    read when the machine is loaded: kernel whatif cannot change this fact\n");
    if (f->kind == FACT_FITTED)
        str_add(out, "    fitted: a mean of measured times, not a mechanism; machine show names "
                     "the source\n");
}

static void add_row(struct result_table *t, const struct fact *f, const char *values,
                    const char *fallback)
{
    cell_text(t, f->key);
    cell_text(t, f->meaning);
    cell_text(t, values);
    cell_text(t, fallback);
    cell_text(t, f->reader);
}

bool help_facts(const char *topic, bool man, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "fact", .kind = CELL_TEXT, .width = 24},
        {.key = "meaning", .kind = CELL_TEXT},
        {.key = "values", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "otherwise", .kind = CELL_TEXT, .hide = NOT_TEXT},
        {.key = "reader", .kind = CELL_TEXT, .hide = NOT_TEXT}};
    const char *key = str_has_prefix(topic, ONE) ? topic + strlen(ONE) : NULL;
    struct str values = {0}, fallback = {0}, text = {0};
    char todo[SIMILAR_TODO];

    /* Obsolete keys also name facts. */
    const struct fact *asked = key ? fact_find(key) : NULL;
    if (key && !asked) {
        const struct similar similar = {.word = key, .best = fact_meant(key)};
        return err_set(err, ERR_USAGE, similar_todo(&similar, "help facts lists all facts", todo),
                       "unknown fact \"%s\"", key);
    }
    struct result_table *t = man ? NULL : result_table(result, "facts", columns, 5);
    if (t) {
        t->headless = true;
        t->hide = key ? NOT_TEXT | NOT_DOCUMENT : 0;
    }
    for (const struct fact *f = fact_schema; f->key; f++) {
        if (key && f != asked)
            continue;
        str_clear(&values);
        str_clear(&fallback);
        fact_values(f, &values);
        fact_fallback(f, &fallback);
        if (t)
            add_row(t, f, str_text(&values), str_text(&fallback));
        if (man)
            add_man(f, str_text(&values), str_text(&fallback), &text);
        else if (key)
            explain(f, str_text(&values), str_text(&fallback), &text);
    }
    result_block(result, str_text(&text));
    str_done(&values);
    str_done(&fallback);
    str_done(&text);
    return true;
}
