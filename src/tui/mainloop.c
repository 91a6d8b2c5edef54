/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/mainloop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmd/autosave.h"
#include "cmd/key.h"
#include "cmd/saved_state.h"
#include "tui/input.h"
#include "tui/prompt.h"
#include "tui/screen.h"
#include "tui/timing.h"
#include "view/frame.h"
#include "work/background.h"
#include "work/job.h"
#include "work/pool.h"

#define PATIENCE 0.05  /* seconds after which a command continues in the background */
#define STALL 1.0      /* seconds without input after which a paste is reported as incomplete */
#define WATCH_MS 500   /* ms between checks of an edited file */
#define FRAME_MS 100   /* ms between drawings of changing views */
/* maximum number of bytes per second that are drawn without a key press; with more, keys would wait
 * on a slow line */
#define BYTES_A_SECOND 15e3
#define REST_MOST 1.0  /* maximum pause after an expensive drawing, in seconds */

struct loop {
    struct frame frame;
    struct autosave *autosave;
    bool prompting, leave;
    bool stalled;       /* whether an incomplete paste was reported */
    double stalls;      /* clock_wall() at which an incomplete paste is reported */
    double due;         /* clock_wall() of the next drawing of changing views */
};

/* Never closed, because a signal during exit could write to a broken pipe or to a reused
 * descriptor. */
static int signal_pipe[2];

static void on_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    if (write(signal_pipe[1], &byte, 1) < 0)
        errno = saved;   /* Ignores an error, because a full pipe also wakes the loop. */
    errno = saved;
}

static void draw(struct loop *l)
{
    struct frame_prompt prompt;
    unsigned width, height;
    struct grid all;
    int x, y;

    timing_draws();
    screen_set_background(l->frame.session->settings.background);
    const uint64_t before = timing_bytes();
    screen_size(&width, &height);
    grid_init(&all, width, height, l->frame.session->settings.ascii);
    all.mono = !screen_has_colors();
    prompt_look(&prompt);
    if (l->stalled)
        prompt = (struct frame_prompt){0};   /* Hides the prompt, because a message replaces it. */
    frame_draw(&l->frame, &prompt, &all, &x, &y);
    screen_show(&all, x, y);
    timing_drawn();
    l->due = clock_wall() + fmin((double)(timing_bytes() - before) / BYTES_A_SECOND, REST_MOST);
    grid_done(&all);
}

/* Shows the work that a command waits for over the current screen. Does not draw the views, whose
 * data may be incompletely changed. */
static void say_wait(const char *what)
{
    timing_draws();
    screen_say(what);
    timing_drawn();
}

/* Draws if @at_once is true or a drawing is due. @patience: maximum wait for an event in ms; -1:
 * unlimited. Returns the maximum wait for an event before the next drawing, in the same form. */
static int draw_when_due(struct loop *l, bool at_once, int patience)
{
    double left = at_once ? 0 : l->due - clock_wall();

    if (left <= 0) {
        draw(l);
        /* Does not wait if a view has more to compute, such as a newly displayed view. */
        return frame_busy(&l->frame) ? 0 : patience;
    }
    int ms = (int)ceil(left * 1000);
    return patience < 0 || ms < patience ? ms : patience;
}

static void resize(void)
{
    unsigned width, height;
    screen_resize();
    screen_size(&width, &height);
    prompt_resize(width, height);
}

static void obey(struct loop *l, enum frame_reply reply, const char *prefill)
{
    switch (reply) {
    case FRAME_PROMPT:
        prompt_open(prefill);
        l->prompting = true;
        break;
    case FRAME_SUSPEND:
        screen_suspend();
        break;
    case FRAME_REDRAW:
        screen_redraw();
        resize();
        break;
    case FRAME_DONE:
        break;
    }
}

/* Publishes the results of jobs. Then, unless a prompt or paste is open, handles the terminal
 * requests of commands that waited for the jobs. */
static void answer_jobs(struct loop *l)
{
    const char *prefill;
    char before[sizeof l->frame.ended];

    memcpy(before, l->frame.ended, sizeof before);
    frame_jobs(&l->frame);
    if (strcmp(before, l->frame.ended) != 0)
        timing_does(l->frame.ended);
    enum frame_reply reply =
        l->prompting || input_pasting() ? FRAME_DONE : frame_take_reply(&l->frame, &prefill);
    if (reply != FRAME_DONE)
        obey(l, reply, prefill);
}

static void give_paste(struct loop *l, const struct str *text)
{
    frame_paste(&l->frame, str_text(text), text->length);
    if (input_paste_cut())
        frame_say(
            &l->frame, true,
            "only the first 32 MiB were pasted; save the text to a file and use kernel load FILE");
}

static void read_prompt(struct loop *l)
{
    enum prompt_event event = prompt_read();

    if (event == PROMPT_GOES_ON)
        return;
    l->prompting = false;
    if (event == PROMPT_LINE && prompt_take()->length) {
        const char *prefill;
        timing_does(str_text(prompt_take()));
        frame_run(&l->frame, str_text(prompt_take()));
        enum frame_reply reply = frame_take_reply(&l->frame, &prefill);
        obey(l, reply, prefill);
    }
    if (event == PROMPT_PASTE)
        give_paste(l, prompt_take());
}

/* Handles a paste without marks. Does nothing while an editor is open, because an editor treats
 * typed and pasted text alike. */
static bool take_unmarked(struct loop *l)
{
    struct str text = {0};
    const bool taken = !l->frame.collecting && input_unmarked(&text);

    if (taken)
        frame_offer_paste(&l->frame, str_text(&text), text.length);
    str_done(&text);
    return taken;
}

static void read_keys(struct loop *l)
{
    unsigned width, height;
    int key, x, y;

    if (take_unmarked(l))
        return;

    /* Stops after a ':', because readline reads the following bytes itself. */
    while (!l->frame.session->quit && !l->prompting && (key = screen_key()) != KEYCODE_NONE) {
        if (key == KEYCODE_PASTE) {
            give_paste(l, screen_pasted());
        } else if (key == KEYCODE_CLICK) {
            const char *prefill = NULL;
            screen_click(&x, &y);
            screen_size(&width, &height);
            enum frame_reply reply = frame_click(&l->frame, x, y, width, height, &prefill);
            obey(l, reply, prefill);
        } else if (key != KEYCODE_SWALLOWED) {
            const char *prefill = NULL;
            char name[KEY_NAME_MOST];
            key_print(key, name);
            timing_does(name);
            /* Calls frame_key first, because it sets @prefill. */
            enum frame_reply reply = frame_key(&l->frame, key, &prefill);
            obey(l, reply, prefill);
        }
    }
}

/* Reads until the buffer is empty. Keys typed ahead after a command line go to the view. Keys typed
 * ahead after a ':' go to the prompt. */
static void read_input(struct loop *l)
{
    const char *rest;

    if (l->stalled)
        frame_say(&l->frame, false, "");
    l->stalled = false;
    l->stalls = clock_wall() + STALL;
    do {
        if (!l->prompting)
            read_keys(l);
        if (l->prompting)
            read_prompt(l);
    } while (input_waiting(&rest) && !l->frame.session->quit);
}

/* Reports a paste whose end mark does not arrive. Returns whether it reported a paste. */
static bool notice_stall(struct loop *l)
{
    char text[128];

    if (!input_pasting() || l->stalled || clock_wall() < l->stalls)
        return false;
    l->stalled = true;
    const size_t bytes = input_paste_stalls();
    snprintf(text, sizeof text, "%zu byte%s pasted so far; Ctrl-C ends the paste here", bytes,
             plural(bytes));
    frame_say(&l->frame, true, text);
    return true;
}

static void drain_signals(struct loop *l)
{
    unsigned char bytes[64];
    ssize_t n = read(signal_pipe[0], bytes, sizeof bytes);

    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == SIGWINCH || bytes[i] == SIGCONT)
            resize();
        else if (bytes[i] == SIGTSTP)
            screen_suspend();
        else if (bytes[i] != SIGINT)
            l->leave = true;
    }
}

static bool watch_signals(void)
{
    /* While an editor uses the terminal, Ctrl-\\ and Ctrl-Z raise SIGQUIT and SIGTSTP. The SIGTSTP
     * handler of curses would draw at once, even if the signal interrupts the allocator. */
    static const int watched[] = {SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        sigaction(watched[i], &action, NULL);
    return true;
}

/* Returns the path of the prompt's history and creates its directory. NULL without a home
 * directory, or if the path is not a regular file. */
static char *history_path(void)
{
    char *path = path_state("history");
    struct stat about;
    if (path)
        /* Ignores an error, which is reported when the file is written. */
        path_make_parents(path, 0700, NULL);
    /* Rejects all except regular files, because readline follows links. */
    if (path && lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        log_add(LOG_WARN, "%s is not a regular file: the history is not saved", path);
        free(path);
        path = NULL;
    }
    return path;
}

/* Runs the editor, which uses the terminal until the editor ends. An editor with its own window may
 * return at once. */
static void edit(struct loop *l, const struct edit_request *request)
{
    struct err err = {0};
    char text[1024];

    screen_leave();
    bool ok = editor_run(request->path, request->line, &err);
    screen_return();
    resize();
    if (!ok)
        frame_say(&l->frame, true, err_text(&err, text, sizeof text));
}

/* Returns the maximum wait for an event in ms; -1: unlimited. */
static int patience_of(struct loop *l)
{
    double save = autosave_tick(l->autosave, l->frame.demo.on);
    int most = frame_busy(&l->frame)   ? 0
               : frame_live(&l->frame) ? FRAME_MS
               : l->frame.editing.open ? WATCH_MS
                                       : -1;

    if (input_pasting() && !l->stalled)
        save = fmin(save, fmax(0, l->stalls - clock_wall()));
    return most >= 0 && most < save * 1000 ? most : isinf(save) ? most : (int)ceil(save * 1000);
}

/* Offers the previous session or shows an example, because no file was named. */
static void welcome(struct frame *f)
{
    struct kept_session last;
    struct str caption = {0}, command = {0};
    bool there = saved_state_last(&last);

    if (there) {
        saved_state_report(&last, &caption);
        str_add(&caption, ". Enter resumes it.");
        str_addf(&command, "session load %s%s", last.name,
                 last.run.checkpoint ? "; evolve resume" : "");
        kept_session_done(&last);
    }
    guide_welcome(&f->guide, f->session, there ? str_text(&caption) : NULL, str_text(&command));
    str_done(&caption);
    str_done(&command);
}

static void run(struct loop *l)
{
    struct session *s = l->frame.session;
    bool at_once = true;

    while (!l->leave && !s->quit) {
        if (s->copied.length) {
            screen_copy(s->copied.data, s->copied.length);
            str_done(&s->copied);
        }
        const struct edit_request *request = frame_edit(&l->frame);
        if (request)
            edit(l, request);
        frame_edited(&l->frame);
        const int patience =
            draw_when_due(l, at_once || request || frame_busy(&l->frame), patience_of(l));
        /* Initialises the array here, because drawing may start the first job, which creates its
         * wake pipe. */
        struct pollfd sources[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                   {.fd = signal_pipe[0], .events = POLLIN},
                                   {.fd = job_wake_fd(), .events = POLLIN}};
        timing_waits();
        const double waits = clock_wall();
        const int ready = poll(sources, 3, patience);
        if (ready < 0 && errno != EINTR)
            break;
        timing_woke(waits, ready > 0 && sources[0].revents & POLLIN);
        at_once = (ready > 0 && (sources[0].revents || sources[1].revents)) ||
                  (ready == 0 && notice_stall(l));
        if (sources[1].revents)
            drain_signals(l);
        if (sources[2].revents || frame_live(&l->frame))
            answer_jobs(l);
        if (sources[0].revents & POLLIN) {
            read_input(l);
            timing_read();
        } else if (sources[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
            l->leave = true;
        }
    }
}

int mainloop_run(struct session *s, bool bare, const char *notice)
{
    struct loop l = {0};
    bool color = s->settings.color;

    s->settings.color = false;   /* Output has no colours of its own, because the grid colours
                                  * it. */
    s->input = NULL;    /* Commands must not read the terminal, because the screen does. */
    s->interactive = true;
    s->patience = PATIENCE;
    s->waits = say_wait;
    file_refuse_pipes();
    if (!watch_signals() || !screen_open(color)) {
        fputs("portolan: unusable terminal (check TERM); portolan -e runs commands without a "
              "terminal\n",
              stderr);
        return 1;
    }
    threads_leave_cpu();
    background_free_begin();
    char *history = history_path();
    frame_init(&l.frame, s);
    prompt_init(s, history);
    if (bare)
        welcome(&l.frame);
    if (*notice)
        frame_say(&l.frame, true, notice);
    l.autosave = autosave_new(s, !bare);
    run(&l);
    prompt_done();
    screen_close();
    bool playing = l.frame.demo.on;   /* Ends a demonstration first, because it hides the user's
                                       * session. The session can be saved only after frame_done
                                       * restores it. */
    if (!playing)
        autosave_end(l.autosave);
    job_shutdown();
    frame_done(&l.frame);
    if (playing)
        autosave_end(l.autosave);
    autosave_free(l.autosave);
    background_free_end();
    free(history);
    return 0;
}
