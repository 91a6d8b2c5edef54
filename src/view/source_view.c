/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source view: the text around the loop, with the loop marked. It is source code, assembler text,
 * or the instructions of code without text. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "view/view.h"

#define NUMBER 6             /* number of columns of the line number */

struct source_line {
    const char *text;        /* text of the line; borrowed from the kernel */
    size_t length;
    size_t row;              /* first instruction of the loop in this line; NO_ROW: none */
    uint32_t number;
};
#define NO_ROW SIZE_MAX

struct source_view_state {
    VEC(struct source_line) lines;
    const struct kernel *kernel;   /* counted reference to the kernel of @lines */
    /* @loop: index of the loop. @row: instruction of the last cursor movement. */
    size_t loop, row;
    size_t cursor, top, height;
};

static void source_close(void *state)
{
    struct source_view_state *v = state;

    vec_done(&v->lines);
    if (v->kernel)
        kernel_free(v->kernel);
}

static void add_line(struct source_view_state *v, const char *text, size_t length)
{
    const uint32_t number = (uint32_t)v->lines.count + 1;

    vec_push(&v->lines, ((struct source_line){text, length, NO_ROW, number}));
}

/* Reads the lines of the text, and the loop's first instruction in each line. */
static void read_text(struct source_view_state *v, const struct kernel *k, const struct insn *insns,
                      size_t count)
{
    if (k->origin_text_count)
        for (size_t i = 0; i < k->origin_text_count; i++)
            add_line(v, k->origin_texts[i], strlen(k->origin_texts[i]));
    else
        for (const char *at = k->source; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
            add_line(v, at, strcspn(at, "\n"));
    for (size_t i = count; i-- > 0;) {
        uint32_t line =
            k->origin_text_count ? kernel_source_line(k, &insns[i], NULL) : insns[i].line;
        if (line && line <= v->lines.count)
            v->lines.items[line - 1].row = i;
    }
}

/* Reads the instructions around the loop, for code without text. */
static void read_code(struct source_view_state *v, const struct kernel *k, const struct insn *insns,
                      size_t count)
{
    for (size_t i = 0; i < k->insn_count; i++) {
        const struct insn *insn = &k->insns[i];
        const char *text = insn->text ? insn->text : insn->mnemonic;
        add_line(v, text, strlen(text));
        if (insn >= insns && insn < insns + count)
            v->lines.items[i].row = (size_t)(insn - insns);
    }
}

/* Returns the line of instruction @row of the loop; the selected line if unknown. */
static size_t line_of(const struct source_view_state *v, size_t row)
{
    const struct kernel *k = v->kernel;
    size_t count;
    const struct insn *insns = kernel_insns(k, v->loop, &count);

    if (row >= count)
        return v->cursor;
    uint32_t line = k->origin_text_count ? kernel_source_line(k, &insns[row], NULL)
                    : k->source          ? insns[row].line
                                         : (uint32_t)(&insns[row] - k->insns) + 1;
    return line && line <= v->lines.count ? line - 1 : v->cursor;
}

static bool refresh(struct source_view_state *v, struct session *s)
{
    const struct kernel *k = s->document.kernel;
    size_t count;

    if (!k)
        return false;
    if (v->kernel != k || v->loop != s->document.loop) {
        const struct kernel *before = v->kernel;
        v->kernel = kernel_hold(k);
        if (before)
            kernel_free(before);
        v->loop = s->document.loop;
        v->lines.count = 0;
        const struct insn *insns = kernel_insns(k, v->loop, &count);
        if (k->source || k->origin_text_count)
            read_text(v, k, insns, count);
        else
            read_code(v, k, insns, count);
        v->row = NO_ROW;
        v->cursor = v->top = 0;
    }
    if (v->row != s->document.row) {
        v->row = s->document.row;
        v->cursor = line_of(v, v->row);
    }
    return v->lines.count > 0;
}

/* Scrolls to the selected line, with lines above and below it. */
static void place(struct source_view_state *v)
{
    const size_t around = v->height / 4;

    v->cursor = v->cursor < v->lines.count ? v->cursor : v->lines.count - 1;
    if (v->cursor < v->top + around)
        v->top = v->cursor > around ? v->cursor - around : 0;
    if (v->cursor + around >= v->top + v->height)
        v->top = v->cursor + around + 1 - v->height;
    if (v->top + v->height > v->lines.count)
        v->top = v->lines.count > v->height ? v->lines.count - v->height : 0;
}

/* Appends @length bytes of @text with tabs expanded to multiples of eight columns of @g. */
static void expand(const struct grid *g, const char *text, size_t length, struct str *out)
{
    size_t start = out->length;   /* first byte after the last tab stop */

    for (size_t i = 0; i < length; i++)
        if (text[i] != '\t') {
            str_add_char(out, text[i]);
        } else {
            const unsigned columns = grid_columns(g, str_text(out) + start);
            str_addf(out, "%*s", (int)(8 - columns % 8), "");
            start = out->length;
        }
}

static void source_draw(void *state, struct session *s, struct grid *g)
{
    struct source_view_state *v = state;
    struct str text = {0};

    if (!refresh(v, s)) {
        view_draw_empty(s, &source_view, g,
                        s->document.kernel
                            ? "The loop has no text, because it was loaded as machine code."
                            : "The text of the loop.",
                        "prompt kernel load", "loads a loop");
        return;
    }
    v->height = g->height;
    place(v);
    for (size_t r = 0; r < v->height && v->top + r < v->lines.count; r++) {
        const struct source_line *line = &v->lines.items[v->top + r];
        const bool cursor = v->top + r == v->cursor, inside = line->row != NO_ROW;
        const enum role role = cursor ? ROLE_CURSOR : inside ? ROLE_TEXT : ROLE_DIM;
        str_clear(&text);
        expand(g, line->text, line->length, &text);
        if (cursor)
            grid_fill(g, 0, (int)r, g->width, 1, ROLE_CURSOR, 0, ' ');
        grid_printf(g, 0, (int)r, NUMBER, cursor ? ROLE_CURSOR : ROLE_DIM, 0, "%5u", line->number);
        grid_put(g, NUMBER, (int)r, 1, ROLE_ACCENT, 0, inside ? "┃" : " ");
        grid_put(g, NUMBER + 2, (int)r, 0, role, 0, str_text(&text));
    }
    str_done(&text);
}

/* Selects line @to. If the line has an instruction, the other views also select it. */
static void move_to(struct source_view_state *v, struct session *s, long to)
{
    v->cursor = to < 0 ? 0 : (size_t)to < v->lines.count ? (size_t)to : v->lines.count - 1;
    if (v->lines.items[v->cursor].row != NO_ROW)
        v->row = s->document.row = v->lines.items[v->cursor].row;
}

static bool source_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct source_view_state *v = state;

    if (!refresh(v, s))
        return false;
    long at = (long)v->cursor, page = v->height > 1 ? (long)v->height - 1 : 1;
    if (!view_row(action, &at, page, (long)v->lines.count))
        return false;
    move_to(v, s, at);
    return true;
}

static void source_click(void *state, struct session *s, int x, int y)
{
    struct source_view_state *v = state;

    if (refresh(v, s) && y >= 0 && v->top + (size_t)y < v->lines.count)
        move_to(v, s, (long)v->top + y);
}

static bool source_find(void *state, struct session *s, const char *text, int direction)
{
    struct source_view_state *v = state;

    if (!*text || !refresh(v, s))
        return false;
    const size_t count = v->lines.count;
    for (size_t step = 1; step <= count; step++) {
        size_t at = direction > 0 ? (v->cursor + step) % count : (v->cursor + count - step) % count;
        char *line = mem_strndup(v->lines.items[at].text, v->lines.items[at].length);
        bool holds = strcasestr(line, text) != NULL;
        free(line);
        if (holds) {
            move_to(v, s, (long)at);
            return true;
        }
    }
    return false;
}

static void source_status(void *state, struct session *s, struct str *out)
{
    struct source_view_state *v = state;

    if (refresh(v, s))
        str_addf(out, "%zu/%zu", v->cursor + 1, v->lines.count);
}

const struct view_ops source_view = {
    .name = "source",
    .label = "Source",
    .help = "text around the loop, with the loop's lines marked",
    .act = source_act,
    .marks = "cursor\tthe other views follow the cursor on lines of the loop",
    .state_size = sizeof(struct source_view_state),
    .close = source_close,
    .draw = source_draw,
    .click = source_click,
    .find = source_find,
    .status = source_status};
