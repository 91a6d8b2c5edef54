/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys and their actions: the table, user bindings, names, and the file with the bindings. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "cmd/rc.h"
#include "view/view.h"
#include "../support/screens.h"
#include "../support/support.h"

static const char *runs(const struct keymap *k, const char *view, const char *key)
{
    const struct key_binding *b = keymap_find(k, view, key_of_name(key));
    return b ? b->command : "";
}

static void count_view(void *to, const char *view)
{
    size_t *known = to;
    *known += strcmp(view, KEYMAP_ALL) == 0 || view_find(view) < view_count();
    assert_true(strcmp(view, KEYMAP_ALL) == 0 || strcmp(views[view_find(view)]->name, view) == 0);
}

/* Every row runs an existing command. Its keys have names that are parsed to the same keys, and no
 * key is bound twice. */
static void test_table_is_consistent(void **state)
{
    struct keymap *k = keymap_new();
    size_t known = 0;

    keymap_views(count_view, &known);
    /* The keys are those of each view and of all views. */
    assert_int_equal(known, view_count() + 1);
    assert_true(keymap_count(k) > 100);
    for (size_t i = 0; i < keymap_count(k); i++) {
        const struct key_binding *b = keymap_at(k, i);
        const struct command *found;
        struct err err = {0};
        char name[KEY_NAME_MOST];
        assert_int_not_equal(b->key, KEYCODE_NONE);
        key_print(b->key, name);
        assert_int_equal(key_of_name(name), b->key);
        assert_ptr_equal(keymap_find(k, b->view, b->key), b);
        if (!command_check(b->command, &found, &err))
            fail_msg("%s %s: %s", b->view, name, err.what);
    }
    keymap_free(k);
}

static void test_names(void **state)
{
    static const struct { const char *name; int key; const char *shown;
    } keys[] = {
        {"j", 'j', "j"},
        {"J", 'J', "J"},
        {"f5", KEYCODE_F1 + 4, "F5"},
        {"F12", KEYCODE_F12, "F12"},
        {"ctrl-w", 23, "Ctrl-W"},
        {"^W", 23, "Ctrl-W"},
        {"C-w", 23, "Ctrl-W"},
        {"^", '^', "^"},
        {"PageUp", KEYCODE_PAGE_UP, "PgUp"},
        {"space", ' ', "Space"},
        {"Ctrl-M", KEYCODE_ENTER, "Enter"},
        {"Ctrl-J", KEYCODE_ENTER, "Enter"},
        {"C-i", KEYCODE_TAB, "Tab"},
        {"é", 0xe9, "é"},
        {"→", 0x2192, "→"},
        {"-", '-', "-"},
        {"F", 'F', "F"},
        {"\\", '\\', "\\"},
    };
    static const char *const none[] = {"",      "jj",     "F0",   "F13",         "F1x",
                                       "Ctrl-", "Ctrl-1", "C-ww", "^[",          "\x7f",
                                       "\xff",  "Meta-x", "éé",   "\xe2\x80\xae"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char name[KEY_NAME_MOST];
        assert_int_equal(key_of_name(keys[i].name), keys[i].key);
        key_print(keys[i].key, name);
        assert_string_equal(name, keys[i].shown);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(key_of_name(none[i]), KEYCODE_NONE);
}

/* In a single-byte locale é is a letter and has no control key. */
static void test_letters_of_the_locale(void **state)
{
    struct str command = {0};

    work_expand("localedef -c -i de_DE -f ISO-8859-1 @/de_DE.ISO-8859-1 >/dev/null 2>&1", &command);
    const bool made = system(str_text(&command)) == 0;
    str_done(&command);
    setenv("LOCPATH", work_path(""), 1);
    if (made && setlocale(LC_CTYPE, "de_DE.ISO-8859-1")) {
        assert_true(isalpha(0xe9));
        assert_int_equal(key_of_name("Ctrl-\xe9"), KEYCODE_NONE);
        assert_int_equal(key_of_name("Ctrl-w"), 23);
    } else {
        print_message("not run: no such locale (Debian: locales)\n");
    }
    unsetenv("LOCPATH");
    setlocale(LC_CTYPE, "C.UTF-8");
}

static void test_bind(void **state)
{
    struct keymap *k = keymap_new();
    struct err err = {0};

    assert_string_equal(runs(k, "kernel", "b"), "kernel blame");
    assert_true(keymap_bind(k, "kernel b kernel measure", &err));
    assert_string_equal(runs(k, "kernel", "b"), "kernel measure");
    assert_true(keymap_bind(k, "  F5   kernel load \"a b.s\" ", &err));
    assert_string_equal(runs(k, KEYMAP_ALL, "F5"), "kernel load \"a b.s\" ");
    assert_true(keymap_bind(k, "x 'sort error; do first'", &err));
    assert_string_equal(runs(k, KEYMAP_ALL, "x"), "sort error; do first");
    assert_true(keymap_bind(k, "';' jobs", &err));
    assert_string_equal(runs(k, KEYMAP_ALL, ";"), "jobs");
    assert_true(keymap_bind(k, "' jobs", &err));
    assert_string_equal(runs(k, KEYMAP_ALL, "'"), "jobs");
    assert_true(keymap_unbind(k, "kernel b", &err));
    assert_string_equal(runs(k, "kernel", "b"), "");
    assert_true(keymap_unbind(k, "q", &err));
    assert_string_equal(runs(k, KEYMAP_ALL, "q"), "");
    keymap_free(k);
}

static void test_refused(void **state)
{
    static const struct { const char *text, *what, *todo;
    } faults[] = {
        {"", "no key given", "bind [VIEW] KEY COMMAND"},
        {"kernel", "no key given", ""},
        {"kernl x quit", "unknown view or key \"kernl\"", "did you mean kernel?"},
        {"kernel xx quit", "unknown key \"xx\"", "F5"},
        {"x", "give the command for the key", "bind"},
        {"x \" \"", "give the command for the key", "bind"},
        {"x ' ; '", "give the command for the key", "bind"},
        {"x kernl load", "\"kernl\" is no command", "kernel"},
        {"x 'jobs; nothing'", "\"nothing\" is no command", ""},
        {"x do jump", "cannot be \"jump\"", "down"},
        {"^C quit", "Ctrl-C always cancels", "another key"},
    };
    struct keymap *k = keymap_new();
    const size_t before = keymap_count(k);

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct err err = {0};
        assert_false(keymap_bind(k, faults[i].text, &err));
        if (!strstr(err.what, faults[i].what) || !strstr(err.todo, faults[i].todo))
            fail_msg("%s: %s; %s", faults[i].text, err.what, err.todo);
    }
    struct err err = {0};
    assert_false(keymap_unbind(k, "kernel z", &err));
    assert_non_null(strstr(err.what, "z was not bound with bind in the view kernel"));
    assert_int_equal(keymap_count(k), before);
    keymap_free(k);
}

/* The frame uses the bindings in the view, in all views, in help and on the bar. */
static void test_frame_goes_by_it(void **state)
{
    struct err err = {0};

    load();
    assert_true(keymap_bind(session.keys, "kernel X do down", &err));
    press("gXX");
    assert_int_equal(session.document.row, 2);
    press("k");
    assert_int_equal(session.document.row, 1);
    assert_true(keymap_unbind(session.keys, "k", &err));
    press("k");
    assert_int_equal(session.document.row, 1);
    assert_true(keymap_bind(session.keys, "Z view mapping; do last", &err));
    press("Z");
    assert_string_equal(views[frame.current]->name, "mapping");
    frame_run(&frame, "do back");
    assert_string_equal(views[frame.current]->name, "kernel");
    frame_run(&frame, "do correct");
    assert_true(frame.failed);
    assert_non_null(strstr(str_text(&frame.message), "the kernel view has no action correct now"));
    const char *prefill = NULL;
    frame_run(&frame, "prompt kernel load");
    assert_int_equal(frame_take_reply(&frame, &prefill), FRAME_PROMPT);
    assert_string_equal(prefill, "kernel load ");
    assert_int_equal(frame_take_reply(&frame, &prefill), FRAME_DONE);
    assert_true(keymap_unbind(session.keys, "F1", &err));
    str_clear(&frame.message);
    assert_true(screen_holds("? help"));
    press("?");
    assert_true(screen_holds("X          down"));
}

/* The bar has the keys of the view, also for clicks. The names of the quit keys come from the table
 * of keys. */
static void test_own_keys_are_listed(void **state)
{
    const char *prefill = NULL;
    struct err err = {0};

    load();
    assert_true(keymap_bind(session.keys, "kernel F3 view why", &err));
    assert_true(keymap_bind(session.keys, "kernel F5 do last", &err));
    assert_true(keymap_bind(session.keys, "mapping : do last", &err));
    assert_true(screen_holds(" F3 view why  F5 do last  t faster?"));
    assert_true(screen_holds(": command"));
    struct grid g;
    int x, y;
    grid_init(&g, 120, 40, false);
    frame_draw(&frame, NULL, &g, &x, &y);
    struct str text = {0};
    grid_text(&g, false, &text);
    const char *bar = strstr(str_text(&text), " F3 view"), *mine = strstr(bar, "F3 view");
    assert_non_null(mine);
    frame_click(&frame, (int)(mine - bar), 39, 120, 40, &prefill);
    assert_string_equal(views[frame.current]->name, "why");
    str_done(&text);
    grid_done(&g);
    frame_run(&frame, "view mapping");
    assert_true(screen_lacks(": command"));
    assert_true(screen_lacks("F3 view"));
    press("qq");   /* This returns to the first view. */
    frame_key(&frame, KEYCODE_INTERRUPT, &prefill);
    assert_string_equal(str_text(&frame.message), "q or Q quits");
    assert_true(keymap_bind(session.keys, "kernel q do last", &err));
    assert_true(keymap_unbind(session.keys, "F10", &err));
    assert_true(keymap_unbind(session.keys, "Backspace", &err));
    frame_key(&frame, KEYCODE_INTERRUPT, &prefill);
    assert_string_equal(str_text(&frame.message), "Q quits");
    assert_true(keymap_unbind(session.keys, "Q", &err));
    frame_key(&frame, KEYCODE_INTERRUPT, &prefill);
    assert_string_equal(str_text(&frame.message), "the command quit quits");
}

/* A line with several actions runs all of them, and a prompt accepts any length. */
static void test_actions_on_one_line(void **state)
{
    const char *prefill = NULL;
    struct str line = {0};

    load();
    session.interactive = true;
    frame_run(&frame, "do edit; do back");   /* Both actions take effect. */
    assert_true(session.quit);
    session.quit = false;
    assert_true(frame_edit(&frame) != NULL);
    frame_run(&frame, "view mapping; do open; do down; do open");
    assert_true(frame.failed);
    assert_non_null(
        strstr(str_text(&frame.message), "the prompt is already open for \"mapping set "));
    assert_int_equal(frame_take_reply(&frame, &prefill), FRAME_PROMPT);
    str_add(&line, "prompt ");
    for (unsigned i = 0; i < 200; i++)
        str_addf(&line, "word%u ", i);
    str_add(&line, "end");
    frame_run(&frame, str_text(&line));
    assert_int_equal(frame_take_reply(&frame, &prefill), FRAME_PROMPT);
    assert_non_null(strstr(prefill, "word199 end"));
    str_done(&line);
}

static void test_rc(void **state)
{
    struct session s;
    struct str report = {0};

    session_init(&s);
    rc_run_text(&s, "/home/me/rc",
                "# mine\n\n  set seed 7\nbind kernel Z kernl\nbind F5 jobs # now and "
                "then\nnonsense\n\"\nquit\nset ascii on",
                &report);
    assert_int_equal(s.settings.seed, 7);
    assert_true(s.settings.ascii);
    assert_false(s.quit);
    assert_string_equal(runs(s.keys, KEYMAP_ALL, "F5"), "jobs");
    assert_string_equal(runs(s.keys, "kernel", "Z"), "");
    assert_non_null(strstr(str_text(&report), "/home/me/rc:4: \"kernl\" is no command"));
    assert_non_null(strstr(str_text(&report), "(and 3 more; the log shows all)"));
    str_done(&report);
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_consistent),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_letters_of_the_locale),
        cmocka_unit_test(test_bind),
        cmocka_unit_test(test_refused),
        cmocka_unit_test_setup_teardown(test_frame_goes_by_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_own_keys_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_actions_on_one_line, setup, teardown),
        cmocka_unit_test(test_rc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
