/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "work/job.h"

#define BAR_CELL 10          /* columns of a key on the bar */
#define WIDTH_MIN 20
#define STATUS_ROOM 30       /* columns that tabs leave for position and jobs */
#define HEIGHT_MIN 6

static void *state_of(struct frame *f, size_t index)
{
    if (!f->states[index])
        f->states[index] = views[index]->open();
    return f->states[index];
}

static void say(struct frame *f, bool failed, const char *text)
{
    str_clear(&f->message);
    str_add(&f->message, text);
    f->failed = failed;
}

/* More than a line goes to the output view, a line to the bottom. */
static void show_output(struct frame *f, const char *title, const char *text)
{
    size_t output = view_find("output"), length = strcspn(text, "\n");

    if (!*text)
        return;
    if (text[length] == '\0' || text[length + 1] == '\0') {
        char *line = mem_strndup(text, length);
        say(f, false, line);
        log_add(LOG_INFO, "%s", line);
        free(line);
        return;
    }
    output_view_set(state_of(f, output), title, text);
    f->current = output;
}

static bool find_in_view(struct frame *f, const char *text, struct err *err)
{
    const struct view_ops *v = views[f->current];
    int direction = strcmp(text, "--previous") == 0 ? -1 : 1;

    if (!v->find)
        return err_set(err, ERR_USAGE, NULL, "the %s view has nothing to search", v->name);
    if (strcmp(text, "--next") != 0 && strcmp(text, "--previous") != 0)
        snprintf(f->search, sizeof f->search, "%s", text);
    if (!v->find(state_of(f, f->current), f->session, f->search, direction) && f->search[0])
        return err_set(err, ERR_USAGE, NULL, "\"%s\" is not in this view", f->search);
    return true;
}

static bool view_command(struct session *s, const char *verb, const char *argument, struct err *err)
{
    struct frame *f = s->view_state;
    const struct view_ops *v = views[f->current];
    size_t count = view_count();

    if (strcmp(verb, "find") == 0)
        return find_in_view(f, argument, err);
    if (strcmp(verb, "sort") == 0 || strcmp(verb, "filter") == 0) {
        bool (*change)(void *, struct session *, const char *, struct err *) = verb[0] == 's' ? v->sort : v->filter;
        if (!change)
            return err_set(err, ERR_USAGE, "it is for tables", "the %s view cannot %s", v->name, verb);
        return change(state_of(f, f->current), s, argument, err);
    }
    size_t to = strcmp(argument, "next") == 0       ? (f->current + 1) % count
                : strcmp(argument, "previous") == 0 ? (f->current + count - 1) % count
                                                    : view_find(argument);
    if (to >= count) {
        struct str names = {0};
        for (size_t i = 0; i < count; i++)
            str_addf(&names, "%s%s", i ? ", " : "", views[i]->name);
        err_set(err, ERR_USAGE, str_text(&names), "there is no view \"%s\"", argument);
        str_done(&names);
        return false;
    }
    f->current = to;
    return true;
}

void frame_init(struct frame *f, struct session *s)
{
    *f = (struct frame){.session = s};
    s->view_command = view_command;
    s->view_state = f;
}

void frame_done(struct frame *f)
{
    for (size_t i = 0; i < view_count(); i++)
        if (f->states[i])
            views[i]->close(f->states[i]);
    f->session->view_command = NULL;
    str_done(&f->message);
    str_done(&f->typed);
}

void frame_run(struct frame *f, const char *line)
{
    struct session *s = f->session;
    struct err err = {0};
    char *printed = NULL, text[2048];
    size_t length = 0, loop_before = s->kernel ? s->kernel->current : 0;
    const struct kernel *before = s->kernel;
    FILE *out = open_memstream(&printed, &length);

    str_clear(&f->message);
    f->failed = false;
    log_add(LOG_INFO, ":%s", line);
    bool ok = out && command_run(s, line, out, &err);
    if (out)
        fclose(out);
    if (printed && *printed)
        show_output(f, line, printed);
    if (!ok) {
        say(f, true, out ? err_text(&err, text, sizeof text) : "no memory for the output");
        log_add(LOG_ERROR, "%s", str_text(&f->message));
    } else if (s->kernel && (s->kernel != before || s->kernel->current != loop_before)) {
        f->current = view_find("kernel");
    }
    if (s->want_paste) {
        s->want_paste = false;
        f->collecting = true;
        str_clear(&f->typed);
    }
    free(printed);
}

void frame_paste(struct frame *f, const char *text, size_t length)
{
    struct session *s = f->session;
    FILE *before = s->input;

    if (!length)
        return;
    s->input = fmemopen((void *)text, length, "r");
    if (s->input) {
        f->current = 0;
        frame_run(f, f->collecting ? s->paste_command : "kernel paste");
        fclose(s->input);
    }
    s->input = before;
    f->collecting = false;
}

bool frame_jobs(struct frame *f)
{
    struct session *s = f->session;

    str_clear(&s->output);
    experiments_publish(s);
    enum job_news news = job_drain();
    if (news == JOB_NOTHING_NEW)
        return false;
    /* Progress alone leaves machines and kernel as they were: nothing is analysed or predicted anew for it. */
    s->revision += news == JOB_ENDED;
    if (s->output.length) {
        char *text = str_take(&s->output);
        show_output(f, "a job has ended", text);
        free(text);
    }
    return true;
}

bool frame_live(struct frame *f)
{
    const struct view_ops *v = views[f->current];
    return v->live && v->live(state_of(f, f->current), f->session);
}

/* Columns of the tab of view @index: its number and name; only the number where the names leave no room for the status. Narrow screens show the current one. */
static unsigned tab_width(const struct frame *f, size_t index, unsigned width)
{
    unsigned all = 0, number = index < 9 ? 1 : 2;

    if (width < 60 && index != f->current)
        return 0;
    for (size_t i = 0; i < view_count(); i++)
        all += (unsigned)strlen(views[i]->name) + (i < 9 ? 4 : 5);
    return all + STATUS_ROOM > width && index != f->current ? number + 2 : (unsigned)strlen(views[index]->name) + number + 3;
}

static void draw_status(struct frame *f, struct grid *g, int y)
{
    const struct view_ops *v = views[f->current];
    struct str left = {0}, right = {0};
    struct job_info info;
    unsigned used = 0;

    grid_fill(g, 0, y, g->width, 1, ROLE_KEY, 0, ' ');
    for (size_t i = 0; i < view_count(); i++) {
        bool here = i == f->current;
        unsigned tab = tab_width(f, i, g->width);
        if (tab)
            used += grid_printf(g, (int)used, y, 0, here ? ROLE_CURSOR : ROLE_KEY, here ? ATTR_BOLD | ATTR_UNDERLINE : 0, tab > 4 ? " %zu %s " : " %zu ", i + 1, views[i]->name);
    }
    if (v->status)
        v->status(state_of(f, f->current), f->session, &left);
    grid_printf(g, (int)used + 1, y, 0, ROLE_KEY, 0, "%s", str_text(&left));
    used += (unsigned)left.length + 2;
    for (size_t i = 0; job_get(i, &info); i++)
        if (info.state == JOB_RUNNING) {
            str_addf(&right, "%sjob %u %s", right.length ? " | " : "", info.number, info.title);
            if (info.total > 0)
                str_addf(&right, " %.0f %%", 100 * info.done / info.total);
            str_addf(&right, " %s", info.paused ? "paused" : info.note);
        }
    if (right.length && used < g->width) {
        unsigned room = g->width - used;
        unsigned width = right.length + 1 < room ? (unsigned)right.length + 1 : room;
        grid_put(g, (int)(g->width - width), y, width, ROLE_WARN, ATTR_REVERSE, str_text(&right));
    }
    str_done(&left);
    str_done(&right);
}

/* Keys that the current view can use, in columns of BAR_CELL; draws when @g, and returns the one at column @x. */
static const struct key_binding *bar(struct frame *f, struct grid *g, unsigned width, int y, int x)
{
    const struct view_ops *v = views[f->current];
    unsigned at = 0;

    for (const struct key_binding *b = key_bindings; b->name; b++) {
        bool usable = strcmp(b->command, "find ") == 0 ? v->find != NULL : strcmp(b->command, "sort ") == 0 ? v->sort != NULL : strcmp(b->command, "filter ") == 0 ? v->filter != NULL : true;
        if (!b->label || !usable || at + BAR_CELL > width)
            continue;
        if (!g && x >= (int)at && x < (int)(at + BAR_CELL))
            return b;
        if (g) {
            unsigned used = grid_put(g, (int)at, y, BAR_CELL, ROLE_TEXT, ATTR_BOLD, b->name);
            grid_fill(g, (int)(at + used), y, BAR_CELL - used - 1, 1, ROLE_KEY, 0, ' ');
            grid_put(g, (int)(at + used), y, BAR_CELL - used - 1, ROLE_KEY, 0, b->label);
        }
        at += BAR_CELL;
    }
    if (g && at + 12 < width)
        grid_put(g, (int)at, y, 0, ROLE_DIM, 0, ": command   q back   paste a loop");
    return NULL;
}

static void draw_popup(const struct frame_prompt *prompt, struct grid *g, int bottom)
{
    unsigned widest = 0;

    for (size_t i = 0; i < prompt->match_count; i++) {
        unsigned length = (unsigned)strlen(prompt->matches[i]);
        widest = length > widest ? length : widest;
    }
    widest = widest + 2 < g->width ? widest + 2 : g->width;
    unsigned columns = g->width / widest ? g->width / widest : 1;
    unsigned rows = (unsigned)(prompt->match_count + columns - 1) / columns, most = bottom > 2 ? (unsigned)bottom - 1 : 1;
    unsigned shown = rows < most ? rows : most;
    for (unsigned r = 0; r < shown; r++) {
        int y = bottom - (int)shown + (int)r;
        grid_fill(g, 0, y, g->width, 1, ROLE_KEY, 0, ' ');
        for (unsigned c = 0; c < columns && (size_t)c * rows + r < prompt->match_count; c++)
            grid_put(g, (int)(c * widest) + 1, y, widest - 1, ROLE_KEY, 0, prompt->matches[(size_t)c * rows + r]);
    }
    if (shown < rows)
        grid_printf(g, (int)g->width - 12, bottom - 1, 0, ROLE_KEY, 0, " %zu in all", prompt->match_count);
}

static void draw_collecting(struct frame *f, struct grid *g)
{
    const char *at = str_text(&f->typed);
    unsigned lines = 1, row = 1;

    grid_fill(g, 0, 0, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "Paste or type the loop. Ctrl-D takes it, Esc leaves.");
    for (const char *c = at; *c; c++)
        lines += *c == '\n';
    for (; row < g->height && (*at || row == 1); at += *at == '\n') {
        size_t span = strcspn(at, "\n");
        if (lines-- < g->height) {
            char *line = mem_strndup(at, span);
            unsigned used = grid_put(g, 0, (int)row, 0, ROLE_TEXT, 0, line);
            if (!at[span])
                grid_put(g, (int)used, (int)row, 1, ROLE_CURSOR, 0, " ");
            free(line);
            row++;
        }
        at += span;
        if (!*at)
            break;
    }
}

void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y)
{
    struct grid area;

    *x = -1;
    *y = (int)g->height - 1;
    grid_clear(g);
    if (g->width < WIDTH_MIN || g->height < HEIGHT_MIN) {
        grid_put(g, 0, 0, 0, ROLE_TEXT, 0, "too small");
        return;
    }
    grid_init(&area, g->width, g->height - 2, g->ascii);
    if (f->collecting)
        draw_collecting(f, &area);
    else
        views[f->current]->draw(state_of(f, f->current), f->session, &area);
    memcpy(g->cells, area.cells, (size_t)g->width * area.height * sizeof *g->cells);
    grid_done(&area);
    draw_status(f, g, *y - 1);
    if (prompt && prompt->text) {
        *x = prompt->cursor + 1;
        /* The cursor of a long line stays in sight. */
        int shift = *x >= (int)g->width ? *x - (int)g->width + 1 : 0;
        grid_put(g, 1 - shift, *y, 0, ROLE_TEXT, 0, prompt->text);
        grid_put(g, 0, *y, 1, ROLE_ACCENT, 0, ":");
        *x -= shift;
        if (prompt->match_count)
            draw_popup(prompt, g, *y);
    } else if (f->message.length) {
        grid_put(g, 0, *y, 0, f->failed ? ROLE_ERROR : ROLE_STATUS, 0, str_text(&f->message));
    } else {
        bar(f, g, g->width, *y, -1);
    }
}

static enum frame_reply run_binding(struct frame *f, const struct key_binding *b, const char **prefill)
{
    if (b->command[strlen(b->command) - 1] == ' ') {
        *prefill = b->command;
        return FRAME_PROMPT;
    }
    frame_run(f, b->command);
    return FRAME_DONE;
}

static void collect_key(struct frame *f, int key)
{
    if (key == KEYCODE_ESCAPE || key == 3) {
        f->collecting = false;
        say(f, false, "nothing was taken");
    } else if (key == 4) {
        char *text = str_take(&f->typed);
        frame_paste(f, text, strlen(text));
        f->collecting = false;
        free(text);
    } else if (key == KEYCODE_BACKSPACE || key == 127 || key == 8) {
        while (f->typed.length && ((unsigned char)f->typed.data[f->typed.length - 1] & 0xc0) == 0x80)
            f->typed.data[--f->typed.length] = '\0';
        if (f->typed.length)
            f->typed.data[--f->typed.length] = '\0';
    } else if (key == KEYCODE_ENTER || key == '\n') {
        str_add_char(&f->typed, '\n');
    } else if (key == '\t' || (key >= 32 && key < 256)) {
        str_add_char(&f->typed, (char)key);
    }
}

enum frame_reply frame_key(struct frame *f, int key, const char **prefill)
{
    struct str command = {0};
    const struct key_binding *b;

    str_clear(&f->message);
    f->failed = false;
    if (f->collecting) {
        collect_key(f, key);
        return FRAME_DONE;
    }
    if (views[f->current]->key(state_of(f, f->current), f->session, key, &command)) {
        bool edit = str_text(&command)[0] == ':';
        if (edit)
            *prefill = strcpy(f->prefill, strlen(command.data) < sizeof f->prefill ? command.data + 1 : "");
        else if (command.length)
            frame_run(f, str_text(&command));
        str_done(&command);
        return edit ? FRAME_PROMPT : FRAME_DONE;
    }
    str_done(&command);
    if (key >= '1' && key <= '9' && (size_t)(key - '1') < view_count()) {
        f->current = (size_t)(key - '1');
        return FRAME_DONE;
    }
    switch (key) {
    case ':':
        *prefill = "";
        return FRAME_PROMPT;
    case 'q':
        if (f->current == 0)
            frame_run(f, "quit");
        f->current = 0;
        return FRAME_DONE;
    case KEYCODE_ESCAPE:
        f->search[0] = '\0';
        return FRAME_DONE;
    case 3:
        say(f, false, "q or F10 quits");
        return FRAME_DONE;
    case 12:
        return FRAME_REDRAW;
    case 26:
        return FRAME_SUSPEND;
    default:
        b = key_find(key);
        return b ? run_binding(f, b, prefill) : FRAME_DONE;
    }
}

enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height, const char **prefill)
{
    int at = 0;

    if (y == (int)height - 1 && !f->message.length) {
        const struct key_binding *b = bar(f, NULL, width, y, x);
        return b ? run_binding(f, b, prefill) : FRAME_DONE;
    }
    if (y == (int)height - 2) {
        const struct frame before = *f;
        for (size_t i = 0; width >= 60 && i < view_count(); i++) {
            int end = at + (int)tab_width(&before, i, width);
            if (x >= at && x < end)
                f->current = i;
            at = end;
        }
        return FRAME_DONE;
    }
    if (views[f->current]->click && y < (int)height - 2)
        views[f->current]->click(state_of(f, f->current), f->session, x, y);
    return FRAME_DONE;
}
