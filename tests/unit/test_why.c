/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Why pane on screens of four sizes, for all loops of tests/data/limits.s. It shows the
 * sentence unchanged until its rows are full, including the number of the limit. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "../support/screens.h"
#include "../support/support.h"

#define HEAD_ROWS 1   /* rows of the frame above the panes */

static const unsigned sizes[][2] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}};

/* Writes row @y of the focused pane without blanks at its end. Stores the number of its columns in
 * *@width. */
static void row_text(const struct grid *g, unsigned y, unsigned *width, struct str *out)
{
    const struct pane *p = &frame.panes.items[frame.panes.focus];
    const unsigned from = (unsigned)p->x + p->bordered;

    *width = p->width - p->bordered;
    str_clear(out);
    for (unsigned x = from; x < from + *width; x++)
        str_add(out, g->cells[(size_t)(HEAD_ROWS + (unsigned)p->y + p->titled + y) * g->width + x]
                         .glyph);
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

/* Checks that the rows of @g contain @sentence, or the part that fits. Each row ends after a word,
 * or within one that no row can hold. Returns the length of the part. */
static size_t assert_shown(const char *title, const struct grid *g, const char *sentence)
{
    const struct pane *p = &frame.panes.items[frame.panes.focus];
    const char *at = sentence;
    struct str row = {0};
    unsigned width;

    for (unsigned y = 0; y < p->height - p->titled && *at; y++) {
        row_text(g, y, &width, &row);
        if (str_has_prefix(str_text(&row), "\342\200\246"))   /* This row reports hidden text. */
            break;
        if (strncmp(at, str_text(&row), row.length) != 0 || !row.length)
            fail_msg("%s: row %u of %ux%u is \"%s\", not the beginning of \"%s\"", title, y,
                     g->width, g->height, str_text(&row), at);
        at += row.length;
        if (*at && *at != ' ' && *at != '\n' && strcspn(str_text(&row), " ") < row.length)
            fail_msg("%s: row %u of %ux%u ends within a word: \"%s\"", title, y, g->width,
                     g->height, str_text(&row));
        at += strspn(at, " ");
    }
    str_done(&row);
    return (size_t)(at - sentence);
}

static void assert_loop(const char *title, const char *code)
{
    char line[80], cycles[24];
    size_t n;

    session_set_kernel(&session, kernel_of(code), 0);
    snprintf(line, sizeof line, "set machine %.*s", (int)strcspn(title, ":"), title);
    run_to_end(line);
    run_to_end("view why");
    const struct analysis *a = session_analyses(&session, &n)[0];
    snprintf(cycles, sizeof cycles, "%.2f", a->cycles);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct grid g;
        int x, y;
        grid_init(&g, sizes[i][0], sizes[i][1], false);
        frame_draw(&frame, NULL, &g, &x, &y);
        const size_t shown = assert_shown(title, &g, a->sentence);
        const char *number = strstr(a->sentence, cycles);
        if (!number || (size_t)(number - a->sentence) + strlen(cycles) > shown)
            fail_msg("%s: %ux%u ends before the %s cycles: \"%.*s\"", title, g.width, g.height,
                     cycles, (int)shown, a->sentence);
        grid_done(&g);
    }
}

static void test_sentences(void **state)
{
    struct err err = {0};
    struct str text = {0};
    size_t count = 0;

    if (!file_read(source_path("tests/data/limits.s"), SIZE_MAX, &text, &err))
        fail_msg("%s", err.what);
    for (char *at = strstr(text.data, "\n### "), *next; at; at = next, count++) {
        char *code = strchr(at + 1, '\n');
        next = strstr(at + 1, "\n### ");
        if (next)
            *next = '\0';
        *code = '\0';
        assert_loop(at + 5, strchr(code + 1, '\n') + 1);
        if (next)
            *next = '\n';
    }
    assert_true(count > 100);
    str_done(&text);
}

/* Text that does not fit is cut between words, even if the last word of the row would fit
 * exactly. */
static void test_cut(void **state)
{
    static const struct { unsigned width, rows; const char *text, *want;
    } cases[] = {
        {12, 1, "takes 12.34 cycles", "takes 12.34\342\200\246\n"},
        {10, 1, "takes 12.34 cycles", "takes\342\200\246\n"},
        {11, 1, "takes 12.34 cycles", "takes\342\200\246\n"},
        {11, 2, "takes 12.34 cycles", "takes 12.34\ncycles\n"},
        {11, 1, "takes 12.34", "takes 12.34\n"},
        {4, 1, "12.34", "12.\342\200\246\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str got = {0};
        struct grid g;
        grid_init(&g, cases[i].width, cases[i].rows, false);
        grid_wrap(&g, 0, 0, g.width, g.height, ROLE_TEXT, 0, cases[i].text);
        grid_text(&g, false, &got);
        assert_string_equal(str_text(&got), cases[i].want);
        str_done(&got);
        grid_done(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sentences, setup, teardown),
        cmocka_unit_test(test_cut)};

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
