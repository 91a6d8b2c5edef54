/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/evolve_start.h"
#include "cmd/key.h"
#include "cmd/keymap.h"
#include "view/bars.h"
#include "view/jumps.h"
#include "view/panes.h"
#include "work/job.h"

#define WIDTH_MIN 20
#define HEIGHT_MIN 6
#define HEAD_LEAST 20        /* minimum number of rows of a place with a line above its panes */
#define MESSAGE_ROWS 3
#define EDITED_LIMIT ((size_t)32 << 20)
#define NEXT_MOST 8          /* maximum number of commands that one action may cause */
#define KEYCODE_LOAD 4       /* Ctrl-D and Ctrl-O load the collected text. */
#define KEYCODE_LOAD_REST 15

/* Shows text: several lines in the output view, a single line at the bottom. Frees @take_text,
 * which may be NULL. */
static void show_output(struct frame *f, const char *title, char *take_text)
{
    size_t output = view_find("output"), length = take_text ? strcspn(take_text, "\n") : 0;

    if (take_text && *take_text && take_text[length] && take_text[length + 1]) {
        output_view_set(f->states[output], title, take_text);
        frame_show(f, output);
        return;
    }
    if (take_text && *take_text) {
        take_text[length] = '\0';
        frame_say(f, false, take_text);
        log_add(LOG_INFO, "%s", take_text);
    }
    free(take_text);
}

/* Shows a result as text, or in the view that the command chose. */
static void show_result(struct frame *f, const char *title, char *take_text)
{
    const size_t own = f->session->in_view ? view_find(f->session->in_view) : view_count();

    f->session->in_view = NULL;
    if (own == view_count()) {
        show_output(f, title, take_text);
        return;
    }
    if (take_text)
        output_view_set(f->states[view_find("output")], title, take_text);
    frame_show(f, own);
}

void frame_init(struct frame *f, struct session *s)
{
    *f = (struct frame){.session = s};
    for (size_t i = 0; i < view_count(); i++)
        f->states[i] = view_open(i);
    s->views = &frame_views;
    s->view_state = f;
}

void frame_done(struct frame *f)
{
    for (size_t i = 0; i < view_count(); i++)
        view_close(i, f->states[i]);
    f->session->views = NULL;
    str_done(&f->message);
    str_done(&f->refusal);
    str_done(&f->next);
    str_done(&f->prefill);
    editor_done(&f->editor);
    editing_done(&f->editing);
    demo_done(&f->demo, f->session);
    jumps_done(&f->jumps);
    guide_done(&f->guide);
    vec_done(&f->running);
}

/* Collects new jobs whose end must be reported. Omits jobs that ended within their command, which
 * are already reported, and automatic jobs. */
static void note_jobs(struct frame *f)
{
    struct job_info info;

    for (size_t i = 0; job_get(i, &info); i++)
        if (info.number > f->last_job && !info.aside) {
            f->last_job = info.number;
            if (!info.settled)
                vec_push(&f->running, info.number);
        }
}

static void say_error(struct frame *f, const struct err *err)
{
    char text[2048];

    frame_say(f, true, err_text(err, text, sizeof text));
    log_add(LOG_ERROR, "%s", str_text(&f->message));
}

/* Starts to detect objects that a command or job loads (frame_notice_loaded). */
static void expect_loaded(struct frame *f)
{
    frame_notice_loaded(f, 0);
    f->fresh = NULL;
}

/* Shows the kernel, loop or list of functions that was loaded last, if any was loaded after
 * expect_loaded. */
static void show_loaded(struct frame *f)
{
    if (f->fresh)
        (f->fresh == &kernel_view && f->place == PLACE_loop ? frame_go
                                                            : frame_show)(f, view_index(f->fresh));
}

/* Runs @line and shows its output. @line NULL: runs the commands that waited for a job. */
static void obey(struct frame *f, const char *line)
{
    struct session *s = f->session;
    struct err err = {0};
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);

    expect_loaded(f);
    f->chosen = -1;
    str_clear(&s->said);
    s->in_view = NULL;
    bool ok = out ? line ? command_run(s, line, out, &err) : queue_run(s, out, &err)
                  : err_set(&err, ERR_LIMIT, NULL, "out of memory for the output");
    if (out)
        fclose(out);
    s->out = NULL;   /* The stream is closed, and the end of a job may select a view
                      * (choose_view). */
    note_jobs(f);
    /* Shows the view that was requested last, unless the command printed something afterwards. */
    size_t asked = f->chosen >= 0 && (size_t)f->chosen == length ? f->current : view_count();
    show_result(f, line ? line : "output of the queued commands", printed);
    if (ok && !length && s->said.length)
        frame_say(f, false, str_text(&s->said));
    if (!ok) {
        say_error(f, &err);
    } else {
        frame_notice_loaded(f, job_next());
        show_loaded(f);
    }
    if (ok && asked < view_count())
        frame_show(f, asked);
}

/* Opens the editor with @text, and an error in line @line (0: none). */
static void collect(struct frame *f, const char *text, size_t length, size_t line)
{
    f->collecting = true;
    f->offered = false;
    str_clear(&f->refusal);
    editor_set(&f->editor, text, length, line);
}

/* Opens the editor with rejected pasted text, for correction. The previous kernel remains
 * loaded. */
static void take_refused(struct frame *f)
{
    struct session *s = f->session;

    if (!s->refused.length)
        return;
    if (f->collecting) {   /* Does not replace text that the user is typing. */
        str_done(&s->refused);
        return;
    }
    collect(f, s->refused.data, s->refused.length, s->refused_line);
    str_add(&f->refusal, str_text(&f->message));
    str_clear(&f->message);
    str_done(&s->refused);
}

/* Runs the commands requested by actions, and the commands that these request, at most NEXT_MOST
 * times. */
static void run_next(struct frame *f)
{
    for (unsigned i = 0; f->next.length && i < NEXT_MOST; i++) {
        char *line = str_take(&f->next);
        log_add(LOG_INFO, ":%s", line);
        obey(f, line);
        free(line);
    }
    str_clear(&f->next);
}

/* Reports the current screen or @key (0: none) to the guide. Either may complete the guide's
 * step. */
static void guided_notice(struct frame *f, int key)
{
    guide_notice(&f->guide, f->session, views[f->current]->name, key, NULL);
}

void frame_run(struct frame *f, const char *line)
{
    struct session *s = f->session;

    str_clear(&f->message);
    f->failed = false;
    f->reply = FRAME_DONE;
    log_add(LOG_INFO, ":%s", line);
    obey(f, line);
    run_next(f);
    guided_notice(f, 0);
    if (s->want_paste) {
        s->want_paste = false;
        collect(f, "", 0, 0);
    }
    take_refused(f);
}

/* After a job has succeeded, runs the commands that waited for it. Shows the error of a failed job.
 * Does nothing if no job is awaited. */
static void go_on(struct frame *f)
{
    struct err err = {0};
    bool ended = false;

    if (!f->session->queue.job)
        return;
    if (!queue_ended(f->session, &ended, &err))
        say_error(f, &err);
    else if (ended && f->session->queue.count) {
        obey(f, NULL);
        run_next(f);
    }
}

/* Runs @line with @text as its input. */
static void run_on(struct frame *f, const char *line, const char *text, size_t length)
{
    struct session *s = f->session;
    FILE *before = s->input;

    f->collecting = false;
    s->input = fmemopen((void *)text, length, "r");
    if (s->input) {
        frame_show(f, 0);
        frame_run(f, line);
        fclose(s->input);
    }
    s->input = before;
}

/* Returns the command that reads the collected text: kernel paste if no command requested the
 * text. */
static const char *paste_command(const struct frame *f)
{
    return f->session->paste_command[0] ? f->session->paste_command : "kernel paste";
}

void frame_paste(struct frame *f, const char *text, size_t length)
{
    if (f->demo.on) {
        demo_stop(&f->demo, f->session);
        return;
    }
    if (!length) {
        frame_say(f, true, "nothing pasted: the clipboard is empty or not text");
        f->collecting = false;
        return;
    }
    run_on(f, f->collecting ? paste_command(f) : "kernel paste", text, length);
}

void frame_offer_paste(struct frame *f, const char *text, size_t length)
{
    if (f->demo.on) {
        demo_stop(&f->demo, f->session);
        return;
    }
    collect(f, text, length, 0);
    str_add(&f->refusal, "The terminal sent this text as typed keys, but the text looks pasted. No "
                         "key had an effect.");
    f->offered = true;
}

const struct edit_request *frame_edit(struct frame *f)
{
    return editing_take(&f->editing, f->session);
}

bool frame_edited(struct frame *f)
{
    struct session *s = f->session;
    struct str text = {0};
    struct err err = {0};

    if (!editing_saved(&f->editing, s))
        return false;
    if (!s->edit.directory)
        frame_run(f, "kernel reload");
    else if (!file_read(s->edit.path, EDITED_LIMIT, &text, &err))
        say_error(f, &err);
    else {
        editing_take_text(&f->editing, s, str_text(&text), text.length);
        run_on(f, "kernel paste", str_text(&text), text.length);
    }
    str_done(&text);
    return true;
}

/* Reports and logs the ends of jobs. */
static void tell_ended(struct frame *f)
{
    struct job_info info;
    char text[2048];
    size_t left = 0;

    for (size_t i = 0; i < f->running.count; i++) {
        unsigned number = f->running.items[i];
        if (!job_find(number, &info))
            continue;
        if (info.state == JOB_RUNNING) {
            f->running.items[left++] = number;
            continue;
        }
        struct str line = {0};
        bool failed = info.state == JOB_FAILED;
        if (failed)
            command_job_failed(f->session, info.title);
        str_addf(&line, "job %u %s: ", number, info.title);
        if (failed)
            str_add(&line, err_text(&info.err, text, sizeof text));
        else
            str_addf(&line, "%s after %.1f s%s%s", info.state == JOB_DONE ? "done" : "cancelled",
                     info.seconds, *info.note ? ": " : "", info.note);
        log_add(failed ? LOG_ERROR : LOG_INFO, "%s", str_text(&line));
        frame_say(f, failed, str_text(&line));
        snprintf(f->ended, sizeof f->ended, "%s", info.title);
        str_done(&line);
    }
    f->running.count = left;
}

static void notice_loaded(void *frame, unsigned job)
{
    frame_notice_loaded(frame, job);
}

/* Handles messages of jobs. Returns whether the screen has changed. */
static bool take_news(struct frame *f)
{
    struct session *s = f->session;

    expect_loaded(f);
    session_clear_output(s);
    experiments_publish(s);
    evolve_feed(s);
    blame_publish(s);
    check_publish(s);
    profile_publish(s);
    note_jobs(f);
    enum job_news news = job_drain(notice_loaded, f);
    if (news == JOB_NOTHING_NEW)
        return false;
    tell_ended(f);
    show_loaded(f);
    /* Only the end of a job changes machines or kernel. Progress must not repeat analyses. */
    s->revision += news == JOB_ENDED;
    char *text = command_take_job_result(s, f->ended);
    show_result(f, f->ended, text);
    take_refused(f);
    go_on(f);
    if (f->guide.kind != GUIDE_OFFER)   /* An offer reacts only to its own key. */
        guided_notice(f, 0);
    return true;
}

/* Passes @key to the guide. Any key ends the demo. Returns whether the key was used. */
static bool guided_key(struct frame *f, int key)
{
    const char *command;

    if (f->demo.on) {
        demo_stop(&f->demo, f->session);
        return true;
    }
    /* The key closes the overlay instead. */
    if (key == KEYCODE_ESCAPE && frame_is_page(f->current))
        return false;
    if (!guide_key(&f->guide, f->session, views[f->current]->name, key, &command))
        return false;
    if (command)
        frame_run(f, command);
    return true;
}

/* Runs the demo's next command. Returns false if the demo has ended. */
static bool guided_play(struct frame *f)
{
    const char *command = demo_next(&f->demo, f->session, &f->guide);

    if (command)
        frame_run(f, command);
    return f->demo.on;
}

bool frame_jobs(struct frame *f)
{
    bool changed = take_news(f);

    if (!f->demo.on)
        return changed;
    if (!guided_play(f)) {
        frame_show(f, view_find("kernel"));
        frame_say(f, false, "end of the demo; your session is restored");
    }
    return true;
}

/* Returns the number of displayed views: the panes of the last drawing and the overlay. */
static size_t shown_count(const struct frame *f)
{
    return f->panes.count + 1;
}

static size_t shown_view(const struct frame *f, size_t at)
{
    return at < f->panes.count ? f->panes.items[at].view : f->current;
}

bool frame_live(struct frame *f)
{
    bool live = f->demo.on;

    for (size_t i = 0; i < shown_count(f); i++) {
        const size_t at = shown_view(f, i);
        live |= views[at]->live && views[at]->live(f->states[at], f->session);
    }
    return live;
}

bool frame_busy(struct frame *f)
{
    bool busy = false;

    for (size_t i = 0; f->views_drawn && i < shown_count(f); i++) {
        const size_t at = shown_view(f, i);
        busy |= views[at]->busy && views[at]->busy(f->states[at]);
    }
    return busy;
}

static void draw_collecting(struct frame *f, struct grid *g)
{
    int y = 1;

    grid_fill(g, 0, 0, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(
        g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD,
        f->offered ? "Pasted text: load it as a loop? Ctrl-D loads it, Esc discards it."
        : f->refusal.length
            ? "Not loaded. Ctrl-D tries again, Ctrl-O skips invalid lines, Esc discards the text."
            : "Paste or type the loop. Ctrl-D loads it, Esc cancels.");
    if (f->refusal.length)
        y += (int)grid_wrap(g, 0, y, g->width, MESSAGE_ROWS, f->offered ? ROLE_TEXT : ROLE_ERROR, 0,
                            str_text(&f->refusal));
    editor_draw(&f->editor, g, y);
}

/* Draws the message at the bottom, on at most MESSAGE_ROWS rows. */
static void draw_message(struct frame *f, struct grid *g)
{
    struct grid tall;
    grid_init_part(&tall, g, g->width, MESSAGE_ROWS);
    unsigned rows =
        grid_wrap(&tall, 0, 0, g->width, MESSAGE_ROWS, ROLE_TEXT, 0, str_text(&f->message));
    grid_done(&tall);
    int y = (int)(g->height - (rows ? rows : 1));
    grid_fill(g, 0, y, g->width, rows, ROLE_TEXT, 0, ' ');
    grid_wrap(g, 0, y, g->width, MESSAGE_ROWS, f->failed ? ROLE_ERROR : ROLE_STATUS, 0,
              str_text(&f->message));
}

/* Draws an overlay on the lower part of the place: a title and its lines. */
static void draw_overlay(struct frame *f, struct grid *g)
{
    const struct view_ops *v = views[f->current];
    void *state = f->states[f->current];
    const unsigned wants = v->wants(state, f->session, g->width, false) + 1,
                   rows = wants < g->height ? wants : g->height;
    const int y = (int)(g->height - rows);
    struct grid part;

    grid_init_part(&part, g, g->width, rows - 1);
    v->draw(state, f->session, &part);
    memcpy(g->cells + (size_t)(y + 1) * g->width, part.cells,
           (size_t)g->width * (rows - 1) * sizeof *g->cells);
    grid_done(&part);
    grid_fill(g, 0, y, g->width, 1, ROLE_CURSOR, 0, ' ');
    grid_printf(g, 1, y, 0, ROLE_CURSOR, ATTR_BOLD, "%s", v->label ? v->label : v->name);
}

/* Returns whether the focused pane needs the whole place for its content. */
static bool is_whole(struct frame *f)
{
    const struct view_ops *v = views[f->under];

    return v->whole && v->whole(f->states[f->under], f->session);
}

/* Returns whether the focused pane has a table with rows. */
static bool has_table(struct frame *f)
{
    const struct view_ops *v = views[f->under];
    struct str position = {0};

    if (v->source && v->status)
        v->status(f->states[f->under], f->session, &position);
    const bool has = position.length > 0;
    str_done(&position);
    return has;
}

/* Draws the place: the line above its panes, the panes, and an overlay. */
static void draw_place(struct frame *f, struct grid *g)
{
    const struct place_table *p = &places[f->place];
    const unsigned head = p->draw_head && g->height >= HEAD_LEAST;
    const bool whole = is_whole(f);
    struct grid area;

    f->session->inferred_shown =
        place_view(&places[PLACE_lab], &f->places[PLACE_lab], 0) == &matrix_view;
    grid_init_part(&area, g, g->width, g->height - head);
    panes_lay(&f->panes, f->place, &f->places[f->place], f->states, f->session, area.width,
              area.height, whole || !f->session->settings.panes);
    f->session->several_panes = !whole && f->panes.fitting > 1;
    f->session->table_shown = has_table(f);
    panes_draw(&f->panes, f->place, &f->places[f->place], f->states, f->session, &area);
    memcpy(g->cells + (size_t)head * g->width, area.cells,
           (size_t)g->width * area.height * sizeof *g->cells);
    grid_done(&area);
    if (head)
        p->draw_head(f->session, g);
    f->panes_y = BARS_TOP + (int)head;
    if (frame_is_page(f->current))
        draw_overlay(f, g);
}

void frame_draw(struct frame *f, const struct frame_prompt *prompt, struct grid *g, int *x, int *y)
{
    struct grid area;

    *x = -1;
    *y = (int)g->height - 1;
    grid_clear(g);
    f->views_drawn = g->width >= WIDTH_MIN && g->height >= HEIGHT_MIN && !f->collecting;
    if (g->width < WIDTH_MIN || g->height < HEIGHT_MIN) {
        char text[48];
        snprintf(text, sizeof text, "too small; minimum: %d columns, %d rows", WIDTH_MIN,
                 HEIGHT_MIN);
        grid_wrap(g, 0, 0, g->width, g->height, ROLE_TEXT, 0, text);
        return;
    }
    unsigned guided = f->collecting ? 0 : guide_rows(&f->guide, g->width, g->height);
    grid_init_part(&area, g, g->width, g->height - BARS_ROWS - guided);
    if (f->collecting)
        draw_collecting(f, &area);
    else
        draw_place(f, &area);
    memcpy(g->cells + g->width, area.cells, (size_t)g->width * area.height * sizeof *g->cells);
    if (guided)
        guide_draw(&f->guide, g, 1 + (int)area.height);
    grid_done(&area);
    bool tells = f->message.length && !(prompt && prompt->text);
    bars_places(f, g);
    if (tells)
        draw_message(f, g);
    if (prompt && prompt->text) {
        *x = prompt->cursor + 1;
        /* A long line is scrolled to keep the cursor visible. */
        int shift = *x >= (int)g->width ? *x - (int)g->width + 1 : 0;
        grid_put(g, 1 - shift, *y, 0, ROLE_TEXT, 0, prompt->text);
        grid_put(g, 0, *y, 1, ROLE_ACCENT, 0, ":");
        *x -= shift;
        if (prompt->match_count)
            bars_popup(prompt, g, *y);
    } else if (!tells) {
        bars_keys(f, g, *y);
    }
}

/* Loads the editor's text with @option of the paste command. */
static void collected(struct frame *f, const char *option)
{
    char *text = mem_strndup(str_text(&f->editor.text), f->editor.text.length),
         line[sizeof f->session->paste_command + 16];
    size_t length = f->editor.text.length;
    const char *command = paste_command(f);

    snprintf(line, sizeof line, "%s%s", command, strstr(command, option) ? "" : option);
    if (length)
        run_on(f, line, text, length);
    else
        frame_paste(f, text, 0);
    free(text);
}

static void collect_key(struct frame *f, int key)
{
    const struct kernel *k = f->session->document.kernel;

    if (key == KEYCODE_ESCAPE || key == KEYCODE_INTERRUPT) {
        struct str left = {0};
        f->collecting = false;
        if (f->refusal.length)
            str_addf(&left, "dropped; %s%s", k ? "the kernel is still " : "no kernel is loaded",
                     k ? k->name : "");
        frame_say(f, false, left.length ? str_text(&left) : "cancelled");
        str_done(&left);
    } else if (key == KEYCODE_LOAD) {
        collected(f, "");
    } else if (key == KEYCODE_LOAD_REST && f->refusal.length) {
        collected(f, " --skip-bad");
    } else {
        editor_key(&f->editor, key);
    }
}

/* Runs a key's command. Returns false for an action that nothing handles. Actions are not
 * logged. */
static bool run_bound(struct frame *f, const char *command)
{
    const enum action action =
        str_has_prefix(command, "do ") ? action_find(command + 3) : ACTION_COUNT;

    if (action == ACTION_COUNT) {
        frame_run(f, command);
        return true;
    }
    if (!frame_act(f, action))
        return false;
    if (f->next.length) {
        char *next = str_take(&f->next);
        frame_run(f, next);
        free(next);
    }
    return true;
}

/* Shows the keys that quit and, while a job runs, how to stop it. */
static void say_how_to_quit(struct frame *f)
{
    const char *view = views[f->current]->name;
    char back[KEY_NAME_MOST], quit[KEY_NAME_MOST];
    struct str text = {0};
    struct job_info running;

    bool goes = !frame_is_page(f->current) && !f->jumps.back.list.count &&
                keymap_key(f->session->keys, view, "do back", back);
    bool quits = keymap_key(f->session->keys, view, "quit", quit);
    str_addf(&text, "%s%s%s quits", goes ? back : "", goes && quits ? " or " : "",
             quits  ? quit
             : goes ? ""
                    : "the command quit");
    if (job_working(&running))
        str_addf(&text, "; job cancel %u stops %s", running.number, running.title);
    frame_say(f, false, str_text(&text));
    str_done(&text);
}

/* Reports that @key has no effect in this view, and names the key that lists all keys. Ignores the
 * mouse wheel, KEYCODE_SWALLOWED and KEYCODE_NONE. */
static void say_no_use(struct frame *f, int key)
{
    char name[KEY_NAME_MOST], help[KEY_NAME_MOST];
    struct str text = {0};

    if (key == KEYCODE_WHEEL_UP || key == KEYCODE_WHEEL_DOWN || key == KEYCODE_SWALLOWED ||
        key == KEYCODE_NONE)
        return;
    key_print(key == '\n' ? KEYCODE_ENTER : key, name);
    str_addf(&text, "not available here: %s", name);
    if (keymap_key(f->session->keys, views[f->current]->name,
                   frame_is_page(f->current) ? "do all" : "view help", help))
        str_addf(&text, "; %s lists the keys of this pane", help);
    frame_say(f, false, str_text(&text));
    str_done(&text);
}

/* Runs the command of the key in the focused pane, or if it has none, the command for all panes.
 * Ctrl-C ends the wait for a job, or else shows how to quit. */
static void press(struct frame *f, int key)
{
    const char *const where[] = {views[f->current]->name, KEYMAP_ALL};

    if (key == KEYCODE_INTERRUPT) {
        if (!frame_stop_waiting(f))
            say_how_to_quit(f);
        return;
    }
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        const struct key_binding *b =
            keymap_find(f->session->keys, where[i], key == '\n' ? KEYCODE_ENTER : key);
        /* Copies the command, because running it may change the binding. */
        char *command = b ? mem_strdup(b->command) : NULL;
        bool used = command && run_bound(f, command);
        free(command);
        if (used)
            return;
    }
    say_no_use(f, key);
}

enum frame_reply frame_key(struct frame *f, int key, const char **prefill)
{
    str_clear(&f->message);
    f->failed = false;
    f->reply = FRAME_DONE;
    if (f->collecting)
        collect_key(f, key);
    else if (!guided_key(f, key)) {
        size_t in = f->current;
        press(f, key);
        if (in == f->current)
            guided_notice(f, key);
    }
    guided_notice(f, 0);
    return frame_take_reply(f, prefill);
}

enum frame_reply frame_take_reply(struct frame *f, const char **prefill)
{
    const enum frame_reply reply = f->reply;

    f->reply = FRAME_DONE;
    *prefill = str_text(&f->prefill);
    return reply;
}

enum frame_reply frame_click(struct frame *f, int x, int y, unsigned width, unsigned height,
                             const char **prefill)
{
    const bool covered = f->message.length > 0;   /* A message at the bottom covered the key bar. */
    int within_x, within_y;

    str_clear(&f->message);
    f->failed = false;
    if (covered && y >= (int)height - 1)
        return FRAME_DONE;
    if (y == (int)height - 1) {
        char *command = bars_key(f, width, x);
        if (command)
            run_bound(f, command);
        free(command);
        return frame_take_reply(f, prefill);
    }
    if (y < BARS_TOP) {
        const unsigned to = bars_place(f, width, x);
        if (to < PLACE_COUNT)
            frame_show_place(f, to);
        return FRAME_DONE;
    }
    if (frame_is_page(f->current))
        return FRAME_DONE;
    const size_t pane = panes_at(&f->panes, x, y - f->panes_y, &within_x, &within_y);
    if (pane == f->panes.count)
        return FRAME_DONE;
    frame_go(f, f->panes.items[pane].view);
    if (views[f->current]->click && within_y >= 0)
        views[f->current]->click(f->states[f->current], f->session, within_x, within_y);
    return FRAME_DONE;
}
