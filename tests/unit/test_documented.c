/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's parser accepts every command in README and docs. The command, its arguments and
 * options exist. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/command.h"
#include "cmd/line.h"
#include "../support/support.h"

#define LARGEST 4000000

static size_t checked;

/* Returns whether @text begins with the first word of a command. */
static bool names_a_command(const char *text)
{
    for (const struct command *const *c = commands; *c; c++) {
        size_t length = strcspn((*c)->name, " ");
        if (strncmp(text, (*c)->name, length) == 0 && strchr(" ;", text[length]))
            return true;
    }
    return false;
}

static void check_commands(const char *path, const char *text)
{
    for (const char *at = text; *at;) {
        const struct command *found;
        struct err err = {0};
        const char *next, *end = line_end(at, &next);

        if (strspn(at, " \n") < (size_t)(end - at)) {
            if (!command_check(at, &found, &err))
                fail_msg("%s: %.*s: %s", path, (int)(end - at), at, err.what);
            checked++;
        }
        if (next == at)
            break;
        at = next;
    }
}

/* Checks the quoted arguments of -e in the shell command at @at. They may span lines. */
static void check_shell(const char *path, const char *at)
{
    for (const char *line_end = at + strcspn(at, "\n"), *e;
         (e = strstr(at, " -e ")) && e < line_end; line_end = at + strcspn(at, "\n")) {
        char quote = e[4];
        if (quote != '\'' && quote != '"')
            fail_msg("%s: the argument of -e is not quoted: %.60s", path, e);
        const char *end = strchr(e + 5, quote);
        assert_non_null(end);
        char *text = strndup(e + 5, (size_t)(end - e - 5));
        check_commands(path, text);
        free(text);
        at = end;
    }
}

static void check_document(const char *path)
{
    struct str text = {0};
    struct err err = {0};

    if (!file_read(path, LARGEST, &text, &err))
        fail_msg("%s: %s", path, err.what);
    for (const char *at = str_text(&text); *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, "    ", 4) != 0 || at[4] == ' ')
            continue;
        const char *shown = at + 4;
        if (strncmp(shown, "portolan ", 9) == 0 || strncmp(shown, "./portolan ", 11) == 0) {
            check_shell(path, shown);
        } else if (names_a_command(shown)) {
            char *line = strndup(shown, strcspn(shown, "\n"));
            check_commands(path, line);
            free(line);
        }
    }
    str_done(&text);
}

static void test_documented_commands(void **state)
{
    static const char *const patterns[] = {"README.md", "docs/*.md"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        assert_int_equal(glob(source_path(patterns[i]), 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++)
            check_document(found.gl_pathv[k]);
        globfree(&found);
    }
    assert_true(checked > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_documented_commands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
