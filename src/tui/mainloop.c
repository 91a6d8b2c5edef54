/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/mainloop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "tui/prompt.h"
#include "tui/screen.h"
#include "view/kernel_view.h"

enum mode { MODE_KERNEL, MODE_TEXT };

struct front {
    struct session *session;
    struct analysis **analyses;      /* of the session's kernel on its machines */
    size_t count;
    struct kernel_view view;
    enum mode mode;
    struct str text;                 /* what the last command printed, or help */
    size_t text_top;
    bool prompting;
    struct str message;              /* bottom line */
    bool failed;                     /* the message is an error */
};

static int signal_pipe[2];

static void on_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    if (write(signal_pipe[1], &byte, 1) < 0)
        errno = saved;   /* a full pipe already wakes the loop */
    errno = saved;
}

static void drop_analyses(struct front *f)
{
    for (size_t i = 0; i < f->count; i++)
        analysis_free(f->analyses[i]);
    free(f->analyses);
    f->analyses = NULL;
    f->count = 0;
}

/* Analyses the kernel anew on the selected machines. */
static void analyze(struct front *f)
{
    struct session *s = f->session;
    struct err err = {0};
    char text[2048];

    drop_analyses(f);
    if (!s->kernel)
        return;
    f->analyses = mem_zero(s->selected_count, sizeof *f->analyses);
    for (size_t i = 0; i < s->selected_count; i++) {
        struct machine *m = session_machine(s, s->selected[i], &err);
        if (m && session_fits(s, m, &err)) {
            f->analyses[f->count++] = analysis_new(s->kernel, m);
        } else {
            str_clear(&f->message);
            str_add(&f->message, err_text(&err, text, sizeof text));
            f->failed = true;
        }
    }
}

/* The one path of every action: runs @line, shows what it says. */
static void run(struct front *f, const char *line)
{
    struct session *s = f->session;
    struct err err = {0};
    char text[2048];
    FILE *out = fopen("/dev/null", "w");

    str_clear(&f->message);
    str_clear(&s->output);
    f->failed = !out || !command_run(s, line, out, &err);
    if (out)
        fclose(out);
    if (f->failed) {
        str_add(&f->message, err_text(&err, text, sizeof text));
    } else if (s->output.length) {
        const char *newline = strchr(str_text(&s->output), '\n');
        if (newline && newline[1]) {
            str_clear(&f->text);
            str_add(&f->text, str_text(&s->output));
            f->text_top = 0;
            f->mode = MODE_TEXT;
        } else {
            str_add_bytes(&f->message, s->output.data, newline ? (size_t)(newline - s->output.data) : s->output.length);
        }
    }
    analyze(f);
}

/* A paste becomes the kernel at once, through the paste command. */
static void paste(struct front *f)
{
    const struct str *text = screen_pasted();
    FILE *before = f->session->input;

    if (!text->length)
        return;
    f->session->input = fmemopen(text->data, text->length, "r");
    if (f->session->input) {
        f->mode = MODE_KERNEL;
        f->view = (struct kernel_view){.machine = f->view.machine};
        run(f, "kernel paste");
        fclose(f->session->input);
    }
    f->session->input = before;
}

static void draw_text(struct front *f, struct grid *g)
{
    const char *at = str_text(&f->text);
    size_t line = 0;

    grid_clear(g);
    for (; *at; line++) {
        size_t span = strcspn(at, "\n");
        if (line >= f->text_top && line - f->text_top < g->height) {
            char *copy = mem_strndup(at, span);
            grid_put(g, 0, (int)(line - f->text_top), 0, ROLE_TEXT, 0, copy);
            free(copy);
        }
        at += span + (at[span] == '\n');
    }
    if (f->text_top >= line)
        f->text_top = line ? line - 1 : 0;
}

static void draw(struct front *f)
{
    unsigned width, height;
    struct grid all, area;
    int x = -1;

    screen_size(&width, &height);
    if (width < 20 || height < 6) {
        grid_init(&all, width, height, f->session->ascii);
        grid_put(&all, 0, 0, 0, ROLE_TEXT, 0, "too small");
        screen_show(&all, -1, 0);
        grid_done(&all);
        return;
    }
    grid_init(&all, width, height, f->session->ascii);
    grid_init(&area, width, height - 2, f->session->ascii);
    if (f->mode == MODE_TEXT)
        draw_text(f, &area);
    else
        kernel_view_draw(&f->view, f->session->kernel, f->analyses, f->count, &area);
    memcpy(all.cells, area.cells, (size_t)width * (height - 2) * sizeof *all.cells);
    grid_fill(&all, 0, (int)height - 2, width, 1, ROLE_KEY, 0, ' ');
    grid_put(&all, 0, (int)height - 2, 0, ROLE_KEY, 0,
             f->mode == MODE_TEXT ? " q back  arrows scroll  : command" : " q quit  : command  ? help  m machine  arrows move  < > ports  paste a loop");
    if (f->prompting) {
        const char *line = prompt_text(&x);
        x++;
        /* The end of a long line stays in sight. */
        int shift = x >= (int)width ? x - (int)width + 1 : 0;
        grid_put(&all, 1 - shift, (int)height - 1, 0, ROLE_TEXT, 0, line);
        grid_put(&all, 0, (int)height - 1, 1, ROLE_ACCENT, 0, ":");
        x -= shift;
    } else {
        grid_put(&all, 0, (int)height - 1, 0, f->failed ? ROLE_ERROR : ROLE_STATUS, 0, str_text(&f->message));
    }
    screen_show(&all, x, (int)height - 1);
    grid_done(&area);
    grid_done(&all);
}

static void move_by(struct front *f, long rows)
{
    size_t *at = f->mode == MODE_TEXT ? &f->text_top : &f->view.cursor;
    *at = rows < 0 && (size_t)-rows > *at ? 0 : *at + (size_t)rows;
}

static void key_in_prompt(struct front *f, int key)
{
    char *line;

    if (key == 27 || key == 3) {
        prompt_close();
        f->prompting = false;
        return;
    }
    if (key == SCREEN_PASTE) {
        const struct str *text = screen_pasted();
        for (size_t i = 0; i < text->length && text->data[i] != '\n' && f->prompting; i++)
            if ((unsigned char)text->data[i] >= 32)
                key_in_prompt(f, (unsigned char)text->data[i]);
        return;
    }
    /* Readline's own keys for what curses has already read as one. */
    static const struct { int key, control; } alike[] = {
        {SCREEN_UP, 'P'}, {SCREEN_DOWN, 'N'}, {SCREEN_LEFT, 'B'}, {SCREEN_RIGHT, 'F'}, {SCREEN_HOME, 'A'}, {SCREEN_END, 'E'}, {SCREEN_DELETE, 'D'},
        {SCREEN_BACKSPACE, 'H'},
    };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (key == alike[i].key)
            key = alike[i].control & 0x1f;
    if (key > 255)
        return;
    if (prompt_feed(key, &line)) {
        f->prompting = false;
        if (line && *line) {
            f->mode = MODE_KERNEL;
            run(f, line);
        }
        free(line);
    }
}

static void key_in_view(struct front *f, int key)
{
    int x, y;
    switch (key) {
    case 'q':
        if (f->mode == MODE_TEXT)
            f->mode = MODE_KERNEL;
        else
            run(f, "quit");
        break;
    case 'Q': case SCREEN_F1 + 9: run(f, "quit"); break;
    case '?': case SCREEN_F1: run(f, "help"); break;
    case ':': prompt_open(); f->prompting = true; break;
    case 27: f->mode = MODE_KERNEL; break;
    case 3: str_clear(&f->message); str_add(&f->message, "q quits"); break;
    case 26: screen_suspend(); break;
    case 12: screen_resize(); break;
    case 'm': f->view.machine++; break;
    case 'j': case SCREEN_DOWN: case SCREEN_WHEEL_DOWN: move_by(f, 1); break;
    case 'k': case SCREEN_UP: case SCREEN_WHEEL_UP: move_by(f, -1); break;
    case SCREEN_PAGE_DOWN: move_by(f, 10); break;
    case SCREEN_PAGE_UP: move_by(f, -10); break;
    case 'g': case SCREEN_HOME: move_by(f, -1000000); break;
    case 'G': case SCREEN_END: move_by(f, 1000000); break;
    case 'l': case '>': case SCREEN_RIGHT: f->view.left++; break;
    case 'h': case '<': case SCREEN_LEFT: f->view.left -= f->view.left > 0; break;
    case SCREEN_PASTE: paste(f); break;
    case SCREEN_CLICK:
        screen_click(&x, &y);
        if (f->mode == MODE_KERNEL && y >= 2)
            f->view.cursor = f->view.top + (size_t)(y - 2);
        break;
    default: break;
    }
}

/* Signals that came: true when one asks to leave. */
static bool drain_signals(void)
{
    unsigned char bytes[64];
    bool leave = false;
    ssize_t n = read(signal_pipe[0], bytes, sizeof bytes);
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == SIGWINCH || bytes[i] == SIGCONT)
            screen_resize();
        else
            leave = true;
    }
    return leave;
}

static bool watch_signals(void)
{
    static const int watched[] = {SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        sigaction(watched[i], &action, NULL);
    return true;
}

int mainloop_run(struct session *s)
{
    struct front f = {.session = s};
    bool leave = false;

    s->color = s->format == FORMAT_TEXT && s->color;
    bool color = s->color;
    s->color = false;   /* command output is shown on the grid */
    s->input = NULL;    /* the keyboard is ours */
    if (!watch_signals() || !screen_open(color)) {
        fputs("portolan: this terminal cannot be used; portolan -e runs commands without one\n", stderr);
        return 1;
    }
    analyze(&f);
    while (!leave && !s->quit) {
        struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signal_pipe[0], .events = POLLIN}};
        draw(&f);
        if (poll(sources, 2, -1) < 0 && errno != EINTR)
            break;
        if (sources[1].revents)
            leave = drain_signals();
        if (sources[0].revents & (POLLHUP | POLLERR))
            leave = true;
        for (int key; !leave && !s->quit && (key = screen_key()) != SCREEN_NONE;) {
            if (f.prompting)
                key_in_prompt(&f, key);
            else
                key_in_view(&f, key);
        }
    }
    if (f.prompting)
        prompt_close();
    screen_close();
    drop_analyses(&f);
    str_done(&f.text);
    str_done(&f.message);
    close(signal_pipe[0]);
    close(signal_pipe[1]);
    return 0;
}
