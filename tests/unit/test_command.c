/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Invariants of every command's record, parsing of lines into commands, and the table of
 * settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/line.h"
#include "../support/support.h"

static void check_parameter(const struct command *c, const struct parameter *p, bool option)
{
    if (option != parameter_is_option(p))
        fail_msg("%s: %s stands in the wrong table", c->name, p->name);
    if (!p->help || !*p->help || p->help[strlen(p->help) - 1] == '.')
        fail_msg("%s: %s needs help without a full stop", c->name, p->name);
    if (option && p->kind != PARAMETER_FLAG && !p->value && !p->choices)
        fail_msg("%s: %s does not say what its value is", c->name, p->name);
    if ((p->kind == PARAMETER_CHOICE) != (p->choices != NULL) && p->kind != PARAMETER_TEXT &&
        p->kind != PARAMETER_WORDS)
        fail_msg("%s: choices of %s", c->name, p->name);
    if (p->at >= c->values_size)
        fail_msg("%s: %s lies outside its values", c->name, p->name);
}

static void test_records(void **state)
{
    for (const struct command *const *at = commands; *at; at++) {
        const struct command *c = *at, *found;
        struct err err = {0};
        if (!*c->help || c->help[strlen(c->help) - 1] == '.')
            fail_msg("%s needs help without a full stop", c->name);
        for (const struct command *const *other = commands; other < at; other++)
            assert_string_not_equal((*other)->name, c->name);
        assert_int_equal((c->run != NULL) + (c->prepare != NULL) + (c->read != NULL), 1);
        for (const struct parameter *p = c->arguments; p && p->name; p++)
            check_parameter(c, p, false);
        for (const struct parameter *p = c->options; p && p->name; p++)
            check_parameter(c, p, true);
        if (!c->examples || !c->examples[0])
            fail_msg("%s has no example", c->name);
        if ((c->arguments || c->options) && !c->examples[1])
            fail_msg("%s takes arguments, but has only one example", c->name);
        for (const char *const *example = c->examples; *example; example++)
            if (!command_check(*example, &found, &err) || found != c)
                fail_msg("%s: its example \"%s\" is refused: %s", c->name, *example, err.what);
    }
}

/* Splits @line into commands, separated by bars. */
static void split(const char *line, struct str *out)
{
    str_clear(out);
    while (*line) {
        struct line_words words = {0};
        struct err err = {0};
        const char *next, *end = line_end(line, &next);
        assert_true(line_split(line, end, &words, &err));
        for (int i = 0; i < words.count; i++)
            str_addf(out, "%s[%s]", i ? " " : "", words.items[i]);
        str_add(out, "|");
        line_words_done(&words);
        line = next;
    }
}

static void test_lines(void **state)
{
    static const struct { const char *line, *commands; } cases[] = {
        {"a b; c", "[a] [b]|[c]|"},
        {"# remark; machine list", "|"},
        {"a # it's; b\nc", "[a]|[c]|"},
        {"a; # remark; b", "[a]||"},
        {"a#b; c", "[a#b]|[c]|"},
        {"kernel load it\\'s.s; b", "[kernel] [load] [it's.s]|[b]|"},
        {"a\\;b.s; c", "[a;b.s]|[c]|"},
        {"a \\# b; c", "[a] [#] [b]|[c]|"},
        {"'a;b' \"c;'d\"; e", "[a;b] [c;'d]|[e]|"},
        {"'a\\'; b", "[a\\]|[b]|"},
        {"\"a\\\"; b\"", "[a\"; b]|"},
        {"f (a; b); c", "[f] [(a;] [b)]|[c]|"},
    };
    struct str found = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        split(cases[i].line, &found);
        assert_string_equal(str_text(&found), cases[i].commands);
    }
    str_done(&found);
}

static void test_rest(void **state)
{
    static const struct { const char *line, *rest;
    } cases[] = {{"throughput ADD (R64, R64)  # remark", "ADD (R64, R64)"},
                 {"find \\#1", "#1"},
                 {" find  it\\'s ; b", "it's"},
                 {"find a\\b", "a\\b"},
                 {"find", ""}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *next, *end = line_end(cases[i].line, &next);
        char *rest = line_rest(cases[i].line, end, 1);
        assert_string_equal(rest, cases[i].rest);
        free(rest);
    }
}

static void refused(const char *line, const char *message)
{
    const struct command *found;
    struct err err = {0};
    char text[2048];

    assert_false(command_check(line, &found, &err));
    err_text(&err, text, sizeof text);
    if (!strstr(text, message))
        fail_msg("\"%s\": \"%s\" lacks \"%s\"", line, text, message);
}

static void test_refusals(void **state)
{
    refused("l", "\"l\" is no command; did you mean kernel load?");
    refused("analyse", "did you mean kernel analyze?");
    refused("kernel analyse", "did you mean kernel analyze?");
    refused("troughput x", "did you mean throughput?");
    refused("kernel why", "did you mean kernel blame?");
    refused("kernel faster", "did you mean kernel tune?");
    refused("exit", "did you mean quit?");
    refused("explain", "did you mean program explain?");
    refused("kernel explain", "did you mean kernel analyze?");
    refused("import", "one of: mapping import, experiments import");
    refused("ports", "did you mean kernel analyze?");
    refused("machine", "one of: machine");
    refused("xyzzy", "help lists the commands");
    refused("job cancel", "job cancel needs N");
    refused("job cancel x", "cannot be \"x\"");
    refused("job wait 0", "from 1");
    refused("job wait 1 2", "unexpected argument");
    refused("machine list all", "has no arguments");
    refused("machine calibrate --cpu", "--cpu needs a value");
    refused("machine calibrate --cup 3", "no option \"--cup\"");
    refused("experiments show 0", "from 1");
    refused("experiments show", "experiments show needs N");
    refused("experiments generate --size 0", "from 1 to 1000");
    refused("experiments generate 5", "has no arguments");
    refused("experiments measure --budget soon", "soon");
    refused("experiments load", "experiments load needs FILE");
    refused("congruence --epsilon -1", "at least 0");
    refused("evolve start --threads 5000", "from 1 to 1024");
    refused("evolve start --algorithm best", "use memetic or pmevo");
    refused("evolve set speed 3", "use seconds, generations");
    refused("evolve set seconds", "evolve set needs VALUE");
    refused("evolve set seconds soon", "invalid duration \"soon\"");
    refused("evolve set generations 1.5", "generations cannot be \"1.5\"; give a whole number");
    refused("evolve set uop-price -1",
            "uop-price cannot be \"-1\"; give a number of at least 0");
    refused("evolve start --ports 17", "--ports cannot be \"17\"; give a number of ports from 1 to 16, or names");
    refused("evolve start --ports x,", "empty port name");
    refused("evolve start --issue-width 65", "give a number from 0 to 64, or auto");
    refused("evolve start --price-scale much", "give a number, or auto");
    refused("mapping new 0", "give a number of ports from 1 to 32, or names");
    refused("kernel load x.s --lines 9-3", "--lines cannot be \"9-3\"; give lines as 10-25");
    refused("kernel load x.s --lines -3", "give lines as 10-25");
    refused("evolve pause now", "has no arguments");
}

static void test_settings(void **state)
{
    static const struct { const char *name, *value; bool ok;
    } cases[] = {
        {"threads", "5000", false}, {"threads", "0", false},  {"threads", "1024", true},
        {"threads", "auto", true},  {"seed", "7", true},      {"seed", "x", false},
        {"format", "html", true},   {"format", "xml", false}, {"ascii", "on", true},
        {"ascii", "1", false},
    };
    struct settings s;
    struct str text = {0};

    settings_init(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct setting *setting = setting_find(cases[i].name);
        struct err err = {0};
        assert_int_equal(setting_set(&s, setting, cases[i].value, &err), cases[i].ok);
        str_clear(&text);
        setting_print(&s, setting, &text);
        if (cases[i].ok)
            assert_string_equal(str_text(&text), cases[i].value);
        else
            assert_true(err.todo[0]);
    }
    str_done(&text);
}

/* Each setting accepts each of its words, and changes no other setting. */
static void test_settings_are_their_rows(void **state)
{
    struct settings s, before;
    struct str text = {0}, word = {0};

    for (const struct setting *setting = settings_table; setting->name; setting++) {
        const char *words = setting->kind == SETTING_SWITCH   ? "on|off"
                            : setting->kind == SETTING_CHOICE ? setting->choices
                                                              : "3|4";
        for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|') {
            settings_init(&s);
            settings_init(&before);
            str_clear(&word);
            str_add_bytes(&word, at, strcspn(at, "|"));
            if (!setting_set(&s, setting, str_text(&word), NULL))
                fail_msg("%s does not take %s", setting->name, str_text(&word));
            str_clear(&text);
            setting_print(&s, setting, &text);
            assert_string_equal(str_text(&text), str_text(&word));
            setting_take(&before, &s, setting);
            str_clear(&text);
            setting_print(&before, setting, &text);
            assert_string_equal(str_text(&text), str_text(&word));
            for (const struct setting *other = settings_table; other->name; other++) {
                str_clear(&text);
                setting_print(&s, other, &text);
                if (other != setting)
                    assert_string_equal(str_text(&text), other->initial);
            }
        }
    }
    str_done(&text);
    str_done(&word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),  cmocka_unit_test(test_lines),
        cmocka_unit_test(test_rest),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_settings), cmocka_unit_test(test_settings_are_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
