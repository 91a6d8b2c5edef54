/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/settings.h"

#include <string.h>

#include "base/mem.h"
#include "cmd/parameter.h"

#define MEMBER(field) offsetof(struct settings, field), sizeof ((const struct settings *)0)->field

const struct setting settings_table[] = {
    {"format", SETTING_CHOICE, MEMBER(format), FORMAT_CHOICES, 0, 0, "text", true, "output format"},
    {"color", SETTING_SWITCH, MEMBER(color), NULL, 0, 0, "off", false, "coloured text output"},
    {"ascii", SETTING_SWITCH, MEMBER(ascii), NULL, 0, 0, "off", true, "ASCII output only"},
    {"background", SETTING_CHOICE, MEMBER(background), BACKGROUND_CHOICES, 0, 0, "auto", true,
     "background of the terminal, for the choice of colours; auto: as reported by the terminal, "
     "otherwise dark"},
    {"keep-going", SETTING_SWITCH, MEMBER(keep_going), NULL, 0, 0, "off", true,
     "continue after a command fails; the exit status is still 1"},
    {"panes", SETTING_SWITCH, MEMBER(panes), NULL, 0, 0, "on", true,
     "show several panes next to each other on a large screen"},
    {"seed", SETTING_COUNT, MEMBER(seed), NULL, 0, 1000000000000, "1", true,
     "random seed for experiments generate and evolve start"},
    {"threads", SETTING_COUNT, MEMBER(threads), "auto", 1, THREADS_MAX, "auto", true,
     "worker threads for evolve start and kernel evaluate; auto: one per CPU"},
    {"source-path", SETTING_TEXT, MEMBER(source_path), NULL, 0, 0, "", false,
     "source directories, separated by :, for the files that debug information names"},
    {NULL, SETTING_SWITCH, 0, 0, NULL, 0, 0, NULL, false, NULL},
};

void settings_init(struct settings *s)
{
    *s = (struct settings){0};
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (!setting_set(s, setting, setting->initial, NULL))
            BUG("the default of a setting is invalid");
}

static bool same_name(const char *own, const char *name)
{
    while (*own && (*own == *name || (*own == '-' && *name == '_'))) {
        own++;
        name++;
    }
    return !*own && !*name;
}

const struct setting *setting_find(const char *name)
{
    for (const struct setting *setting = settings_table; setting->name; setting++)
        if (same_name(setting->name, name))
            return setting;
    return NULL;
}

/* Returns the index of choice @text; -1: not a choice. */
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

/* Returns the value as a number of the largest width: a switch is 0 or 1, a choice its index. */
static uint64_t number_of(const struct settings *s, const struct setting *setting)
{
    const char *at = (const char *)s + setting->at;

    switch (setting->width) {
    case sizeof(bool):
        return *(const bool *)at;
    case sizeof(uint32_t):
        return *(const uint32_t *)(const void *)at;
    case sizeof(uint64_t):
        return *(const uint64_t *)(const void *)at;
    default: BUG("a setting has an unknown size");
    }
}

static void put_number(struct settings *s, const struct setting *setting, uint64_t value)
{
    char *at = (char *)s + setting->at;

    switch (setting->width) {
    case sizeof(bool):
        *(bool *)at = value;
        return;
    case sizeof(uint32_t):
        *(uint32_t *)(void *)at = (uint32_t)value;
        return;
    case sizeof(uint64_t):
        *(uint64_t *)(void *)at = value;
        return;
    default: BUG("a setting has an unknown size");
    }
}

static bool refuse(const struct setting *setting, const char *text, struct err *err)
{
    struct str todo = {0};

    str_add(&todo, "use ");
    setting_range(setting, &todo);
    err_set(err, ERR_USAGE, str_text(&todo), "setting %s cannot be \"%.60s\"", setting->name, text);
    str_done(&todo);
    return false;
}

bool setting_set(struct settings *s, const struct setting *setting, const char *text,
                 struct err *err)
{
    size_t number = 0;
    int choice;

    switch (setting->kind) {
    case SETTING_SWITCH:
        if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
            return refuse(setting, text, err);
        number = text[1] == 'n';
        break;
    case SETTING_CHOICE:
        if ((choice = choice_of(setting->choices, text)) < 0)
            return refuse(setting, text, err);
        number = (size_t)choice;
        break;
    case SETTING_COUNT:
        if (!(setting->choices && strcmp(text, setting->choices) == 0) &&
            (!parameter_count(text, &number) || number < setting->least || number > setting->most))
            return refuse(setting, text, err);
        break;
    case SETTING_TEXT:
        if (strlen(text) >= setting->width)
            return refuse(setting, text, err);
        memcpy((char *)s + setting->at, text, strlen(text) + 1);
        return true;
    }
    put_number(s, setting, number);
    return true;
}

void setting_take(struct settings *s, const struct settings *from, const struct setting *setting)
{
    if (setting->kind == SETTING_TEXT)
        memcpy((char *)s + setting->at, (const char *)from + setting->at, setting->width);
    else
        put_number(s, setting, number_of(from, setting));
}

void setting_print(const struct settings *s, const struct setting *setting, struct str *out)
{
    const char *at = setting->choices;
    uint64_t number = setting->kind == SETTING_TEXT ? 0 : number_of(s, setting);

    switch (setting->kind) {
    case SETTING_SWITCH:
        str_add(out, number ? "on" : "off");
        return;
    case SETTING_CHOICE:
        while (number-- > 0)
            at += strcspn(at, "|") + 1;
        str_add_bytes(out, at, strcspn(at, "|"));
        return;
    case SETTING_TEXT:
        str_add(out, (const char *)s + setting->at);
        return;
    case SETTING_COUNT:
        break;
    }
    if (at && number == 0)
        str_add(out, at);
    else
        str_addf(out, "%llu", (unsigned long long)number);
}

void setting_range(const struct setting *setting, struct str *out)
{
    switch (setting->kind) {
    case SETTING_SWITCH:
        str_add(out, "on or off");
        return;
    case SETTING_CHOICE:
        for (const char *at = setting->choices; *at; at += strcspn(at, "|"), at += *at == '|')
            str_addf(out, "%s%.*s",
                     at == setting->choices ? ""
                     : at[strcspn(at, "|")] ? ", "
                                            : " or ",
                     (int)strcspn(at, "|"), at);
        return;
    case SETTING_TEXT:
        str_addf(out, "at most %zu bytes", setting->width - 1);
        return;
    case SETTING_COUNT:
        break;
    }
    str_addf(out, "a whole number from %llu to %llu%s%s", (unsigned long long)setting->least,
             (unsigned long long)setting->most, setting->choices ? ", or " : "",
             setting->choices ? setting->choices : "");
}
