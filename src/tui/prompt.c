/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/prompt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/str.h"
#include "cmd/complete.h"

#define HISTORY_KEPT 1000
#define PASTE_LIMIT ((size_t)32 << 20)
#define ESCAPE_WAIT 25       /* ms within which the rest of a key's sequence comes */
#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

/* Bytes from the terminal that readline has not taken yet: Esc and pastes are seen before it does. */
static struct str waiting;
static size_t taken;

static struct session *session;
static char *history_file;
static struct str result;
static const char *prefill_text;
static bool opened, entered;
static struct completions matches;

static bool fill(int milliseconds)
{
    struct pollfd tty = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[4096];

    if (taken == waiting.length) {
        str_clear(&waiting);
        taken = 0;
    }
    if (poll(&tty, 1, milliseconds) <= 0)
        return false;
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        str_add_bytes(&waiting, bytes, (size_t)n);
    return n > 0;
}

static int give_byte(FILE *stream)
{
    (void)stream;
    /* In the middle of a sequence or of a character the rest is on its way. */
    if (taken == waiting.length && !fill(1000))
        return EOF;
    return (unsigned char)waiting.data[taken++];
}

static int byte_waits(void)
{
    return taken < waiting.length || fill(0);
}

static void draw_nothing(void)
{
}

static void take_line(char *line)
{
    entered = true;
    str_clear(&result);
    str_add(&result, line ? line : "");
    if (line && *line) {
        HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
        if (!last || strcmp(last->line, line) != 0)
            add_history(line);
    }
    free(line);
    rl_callback_handler_remove();
    opened = false;
}

static char *next_match(const char *text, int state)
{
    static size_t at;
    (void)text;
    at = state ? at + 1 : 0;
    return at < matches.items.count ? mem_strdup(matches.items.items[at]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    completions_done(&matches);
    complete_line(session, rl_line_buffer, (size_t)start, (size_t)end, &matches);
    rl_attempted_completion_over = !matches.files;
    return rl_completion_matches(text, next_match);
}

/* Several fit: the frame shows them. */
static void keep_matches(char **found, int count, int longest)
{
    (void)longest;
    completions_done(&matches);
    for (int i = 1; i <= count; i++)
        vec_push(&matches.items, mem_strdup(found[i]));
}

static int insert_prefill(void)
{
    if (prefill_text)
        rl_insert_text(prefill_text);
    prefill_text = NULL;
    return 0;
}

void prompt_init(struct session *s, const char *history_path)
{
    session = s;
    rl_readline_name = "portolan";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_getc_function = give_byte;
    rl_input_available_hook = byte_waits;
    rl_redisplay_function = draw_nothing;
    rl_startup_hook = insert_prefill;
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = keep_matches;
    rl_basic_word_break_characters = " \t;";
    rl_completer_quote_characters = "\"'";
    rl_variable_bind("bell-style", "none");
    rl_variable_bind("enable-bracketed-paste", "off");
    rl_variable_bind("show-all-if-ambiguous", "on");
    using_history();
    stifle_history(HISTORY_KEPT);
    if (history_path) {
        history_file = mem_strdup(history_path);
        read_history(history_file);
    }
}

void prompt_done(void)
{
    if (opened)
        prompt_close();
    if (history_file && write_history(history_file) == 0)
        history_truncate_file(history_file, HISTORY_KEPT);
    free(history_file);
    history_file = NULL;
    clear_history();
    completions_done(&matches);
    str_done(&waiting);
    str_done(&result);
    taken = 0;
}

void prompt_open(const char *prefill)
{
    prefill_text = prefill;
    entered = false;
    completions_done(&matches);
    rl_callback_handler_install("", take_line);
    opened = true;
}

void prompt_close(void)
{
    rl_callback_sigcleanup();   /* a search in the middle ends too */
    rl_callback_handler_remove();
    completions_done(&matches);
    opened = false;
}

/* At the start of a bracketed paste: takes it whole, the marks aside. */
static void read_paste(void)
{
    const char *end;

    taken += strlen(PASTE_BEGIN);
    while (!(end = strstr(waiting.data + taken, PASTE_END)) && waiting.length < PASTE_LIMIT && fill(1000))
        ;
    size_t length = end ? (size_t)(end - waiting.data) - taken : waiting.length - taken;
    str_clear(&result);
    for (size_t i = 0; i < length; i++) {
        char c = waiting.data[taken + i];
        str_add_char(&result, c == '\r' ? '\n' : c);
    }
    taken += length + (end ? strlen(PASTE_END) : 0);
}

/* One line goes into the prompt, several lines are a kernel. */
static enum prompt_event paste(void)
{
    read_paste();
    size_t line = strcspn(str_text(&result), "\n");
    if (result.length > line + 1) {
        prompt_close();
        return PROMPT_PASTE;
    }
    if (result.length)
        result.data[line] = '\0';
    for (char *c = result.data; c && *c; c++)
        if ((unsigned char)*c < 32)
            *c = ' ';
    rl_insert_text(str_text(&result));
    return PROMPT_GOES_ON;
}

enum prompt_event prompt_read(void)
{
    if (taken == waiting.length && !fill(0))
        return PROMPT_GOES_ON;
    while (taken < waiting.length && opened) {
        const char *next = waiting.data + taken;
        if (*next == '\033' && taken + 1 == waiting.length)
            fill(ESCAPE_WAIT);
        next = waiting.data + taken;
        if ((*next == '\033' && taken + 1 == waiting.length) || *next == 3) {
            taken++;
            prompt_close();
            return PROMPT_LEFT;
        }
        while (str_has_prefix(PASTE_BEGIN, next) && strcmp(next, PASTE_BEGIN) != 0 && *next == '\033' && fill(ESCAPE_WAIT))
            next = waiting.data + taken;
        if (str_has_prefix(next, PASTE_BEGIN)) {
            if (paste() == PROMPT_PASTE)
                return PROMPT_PASTE;
            continue;
        }
        if (*next != '\t')
            completions_done(&matches);
        rl_callback_read_char();
    }
    return entered ? (entered = false, PROMPT_LINE) : PROMPT_GOES_ON;
}

const struct str *prompt_take(void)
{
    return &result;
}

void prompt_resize(unsigned width, unsigned height)
{
    rl_set_screen_size((int)height, (int)width);
}

static int columns_before(const char *text, int bytes)
{
    mbstate_t state = {0};
    int columns = 0;

    for (int at = 0; at < bytes;) {
        wchar_t wide;
        size_t used = mbrtowc(&wide, text + at, (size_t)(bytes - at), &state);
        if (used == 0 || used > (size_t)bytes) {
            columns++;
            at++;
            state = (mbstate_t){0};
            continue;
        }
        int width = wcwidth(wide);
        columns += width > 0 ? width : 1;
        at += (int)used;
    }
    return columns;
}

void prompt_look(struct frame_prompt *out)
{
    static struct str line;

    *out = (struct frame_prompt){0};
    if (!opened)
        return;
    str_clear(&line);
    /* While Ctrl-R searches, readline's message is its prompt. */
    str_add(&line, rl_display_prompt ? rl_display_prompt : "");
    int before = columns_before(str_text(&line), (int)line.length);
    str_add(&line, rl_line_buffer ? rl_line_buffer : "");
    *out = (struct frame_prompt){str_text(&line), before + columns_before(rl_line_buffer ? rl_line_buffer : "", rl_point),
                                 matches.items.items, matches.items.count > 1 ? matches.items.count : 0};
}
