/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/settings.h"

#include <string.h>

#include "base/mem.h"
#include "cmd/parameter.h"

#define AT(field) offsetof(struct settings, field)

const struct setting settings_table[] = {
    {"format", SETTING_CHOICE, AT(format), "text|csv|json|md|html", 0, 0, "text", true, "output format"},
    {"color", SETTING_SWITCH, AT(color), NULL, 0, 0, "off", false, "coloured text output"},
    {"ascii", SETTING_SWITCH, AT(ascii), NULL, 0, 0, "off", true, "ASCII output only"},
    {"keep-going", SETTING_SWITCH, AT(keep_going), NULL, 0, 0, "off", true, "continue after a failed command; the exit status is still 1"},
    {"seed", SETTING_COUNT, AT(seed), NULL, 0, 1000000000000, "1", true, "random seed for experiments generate and evolve start"},
    {"threads", SETTING_COUNT, AT(threads), "auto", 1, THREADS_MAX, "auto", true, "worker threads for evolve start and kernel evaluate; auto: one per CPU"},
    {NULL, SETTING_SWITCH, 0, NULL, 0, 0, NULL, false, NULL},
};

void settings_init(struct settings *s)
{
    *s = (struct settings){0};
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (!setting_set(s, setting, setting->initial, NULL))
            BUG("a setting refuses its own default");
}

const struct setting *setting_find(const char *name)
{
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (strcmp(setting->name, name) == 0)
            return setting;
    return NULL;
}

/* The number of the choice that @text names; -1: none. */
static int choice_of(const char *choices, const char *text)
{
    int number = 0;

    for (const char *at = choices; *at; number++) {
        size_t span = strcspn(at, "|");
        if (strlen(text) == span && strncmp(at, text, span) == 0)
            return number;
        at += span + (at[span] == '|');
    }
    return -1;
}

/* Counts are of two widths. */
static void put_count(struct settings *s, const struct setting *setting, uint64_t value)
{
    if (setting->at == AT(seed))
        s->seed = value;
    else
        s->threads = (unsigned)value;
}

static uint64_t count_of(const struct settings *s, const struct setting *setting)
{
    return setting->at == AT(seed) ? s->seed : s->threads;
}

static bool refuse(const struct setting *setting, const char *text, struct err *err)
{
    struct str todo = {0};

    str_add(&todo, "use ");
    setting_range(setting, &todo);
    err_set(err, ERR_USAGE, str_text(&todo), "invalid %s \"%.60s\"", setting->name, text);
    str_done(&todo);
    return false;
}

bool setting_set(struct settings *s, const struct setting *setting, const char *text, struct err *err)
{
    char *base = (char *)s;
    size_t count = 0;
    int choice;

    switch (setting->kind) {
    case SETTING_SWITCH:
        if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
            return refuse(setting, text, err);
        *(bool *)(base + setting->at) = text[1] == 'n';
        return true;
    case SETTING_CHOICE:
        if ((choice = choice_of(setting->choices, text)) < 0)
            return refuse(setting, text, err);
        s->format = (enum format)choice;
        return true;
    case SETTING_COUNT:
        break;
    }
    if (!(setting->choices && strcmp(text, setting->choices) == 0) &&
        (!parameter_count(text, &count) || count < setting->least || count > setting->most))
        return refuse(setting, text, err);
    put_count(s, setting, count);
    return true;
}

void setting_take(struct settings *s, const struct settings *from, const struct setting *setting)
{
    struct str value = {0};

    setting_print(from, setting, &value);
    setting_set(s, setting, str_text(&value), NULL);
    str_done(&value);
}

void setting_print(const struct settings *s, const struct setting *setting, struct str *out)
{
    const char *at = setting->choices;

    switch (setting->kind) {
    case SETTING_SWITCH:
        str_add(out, *(const bool *)((const char *)s + setting->at) ? "on" : "off");
        return;
    case SETTING_CHOICE:
        for (int i = 0; i < (int)s->format; i++)
            at += strcspn(at, "|") + 1;
        str_add_bytes(out, at, strcspn(at, "|"));
        return;
    case SETTING_COUNT:
        break;
    }
    if (at && count_of(s, setting) == 0)
        str_add(out, at);
    else
        str_addf(out, "%llu", (unsigned long long)count_of(s, setting));
}

void setting_range(const struct setting *setting, struct str *out)
{
    switch (setting->kind) {
    case SETTING_SWITCH:
        str_add(out, "on or off");
        return;
    case SETTING_CHOICE:
        for (const char *at = setting->choices; *at; at += strcspn(at, "|"), at += *at == '|')
            str_addf(out, "%s%.*s", at == setting->choices ? "" : at[strcspn(at, "|")] ? ", " : " or ", (int)strcspn(at, "|"), at);
        return;
    case SETTING_COUNT:
        break;
    }
    str_addf(out, "a whole number from %llu to %llu%s%s", (unsigned long long)setting->least, (unsigned long long)setting->most, setting->choices ? ", or " : "",
             setting->choices ? setting->choices : "");
}
