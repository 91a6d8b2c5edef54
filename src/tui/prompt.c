/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/prompt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/complete.h"
#include "tui/input.h"

#define HISTORY_KEPT 1000
#define ESCAPE_WAIT 25       /* ms to wait for the remaining bytes of a key sequence */

static struct session *session;
static char *history_file;
static struct str result;
static const char *prefill_text;
static bool opened, entered;
static bool lines_pasted;    /* whether several lines were pasted, which closes the prompt */
static struct completions matches;

static int give_byte(FILE *stream)
{
    const char *next;
    /* Waits, because the remaining bytes of a sequence or character follow. */
    if (!input_waiting(&next) && !input_fill(1000))
        return EOF;
    input_waiting(&next);
    input_take(1);
    return (unsigned char)*next;
}

static int byte_waits(void)
{
    const char *next;
    return input_waiting(&next) > 0 || input_fill(0);
}

static void draw_nothing(void)
{
}

/* Appends the line to the history file at once. A crash then loses nothing, and several workbenches
 * can share the file. */
static void remember(const char *line)
{
    add_history(line);
    if (!history_file)
        return;
    /* Creates the file, because append_history needs an existing file. */
    int made = open(history_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0)
        close(made);
    append_history(1, history_file);
}

static void take_line(char *line)
{
    entered = true;
    str_clear(&result);
    str_add(&result, line ? line : "");
    if (line && *line) {
        HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
        if (!last || strcmp(last->line, line) != 0)
            remember(line);
    }
    free(line);
    rl_callback_handler_remove();
    opened = false;
}

static char *next_match(const char *text, int state)
{
    static size_t at;
    at = state ? at + 1 : 0;
    return at < matches.items.count ? mem_strdup(matches.items.items[at]) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    vec_free_texts(&matches.items);
    complete_line(session, rl_line_buffer, (size_t)start, (size_t)end, &matches);
    rl_attempted_completion_over = !matches.files;
    return rl_completion_matches(text, next_match);
}

/* Stores several matches, which the frame displays. */
static void keep_matches(char **found, int count, int longest)
{
    vec_free_texts(&matches.items);
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

/* Reads more of a paste. Returns false while it is incomplete. A single line is inserted into the
 * prompt. Several lines become a kernel. */
static bool take_paste(void)
{
    if (!input_paste(&result))
        return false;
    size_t line = strcspn(str_text(&result), "\n");
    lines_pasted = result.length > line + 1;
    if (lines_pasted)
        return true;
    if (result.length)
        result.data[line] = '\0';
    for (char *c = result.data; c && *c; c++)
        if ((unsigned char)*c < 32)
            *c = ' ';
    rl_insert_text(str_text(&result));
    return true;
}

/* Handles a paste mark inside a sequence that readline interprets as a key. readline's own command
 * (8.2) reads beyond its buffer if the end of the paste is late. */
static int paste_within(int count, int key)
{
    input_paste_begin();
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
    const Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        rl_bind_keyseq_in_map("\\e[200~", paste_within, maps[i]);
    /* Unbinds the prefix, because readline (8.2) crashes if a prefix of a key sequence ends a
     * search. */
    rl_unbind_key_in_map(CTRL('X'), emacs_standard_keymap);
    using_history();
    stifle_history(HISTORY_KEPT);
    if (history_path) {
        history_file = mem_strdup(history_path);
        read_history(history_file);
    }
}

static void prompt_close(void)
{
    /* Each call ends a search, a numeric argument or a partial key. */
    unsigned long before;
    do {
        before = rl_readline_state;
        rl_callback_sigcleanup();
    } while (rl_readline_state != before);
    /* Without this call, an edited history line would point to an undo list that the next input
     * line frees. */
    rl_free_line_state();
    rl_callback_handler_remove();
    vec_free_texts(&matches.items);
    opened = false;
}

void prompt_done(void)
{
    if (opened)
        prompt_close();
    if (history_file)
        history_truncate_file(history_file, HISTORY_KEPT);
    free(history_file);
    history_file = NULL;
    clear_history();
    vec_free_texts(&matches.items);
    str_done(&result);
}

void prompt_open(const char *prefill)
{
    prefill_text = prefill;
    entered = false;
    vec_free_texts(&matches.items);
    rl_callback_handler_install("", take_line);
    opened = true;
}

/* Waits ESCAPE_WAIT after an Esc for input that shows a key sequence or a paste. Returns the number
 * of buffered bytes. */
static size_t see_sequence(const char **next)
{
    size_t count = input_waiting(next);

    while (**next == '\033' && count < strlen(PASTE_BEGIN) &&
           memcmp(*next, PASTE_BEGIN, count) == 0 && input_fill(ESCAPE_WAIT))
        count = input_waiting(next);
    return count;
}

enum prompt_event prompt_read(void)
{
    const char *next;

    if (!byte_waits())
        return PROMPT_GOES_ON;
    while (opened && (input_waiting(&next) || input_pasting())) {
        if (input_pasting()) {
            if (!take_paste())
                return PROMPT_GOES_ON;
        } else {
            bool partly;
            const size_t count = see_sequence(&next),
                         mark = RL_ISSTATE(RL_STATE_MULTIKEY) ? 0 : input_mark(&partly);
            if (mark) {
                input_take(mark);
                input_paste_begin();
                continue;
            }
            if ((*next == '\033' && count == 1) || *next == 3) {
                input_take(1);
                prompt_close();
                return PROMPT_LEFT;
            }
            if (*next != '\t')
                vec_free_texts(&matches.items);
            rl_callback_read_char();
        }
        if (lines_pasted) {
            lines_pasted = false;
            prompt_close();
            return PROMPT_PASTE;
        }
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
    int columns = 0;

    for (int at = 0; at < bytes;) {
        uint32_t code = 0;
        size_t used = utf8_next(text + at, (size_t)(bytes - at), &code);
        int width = used ? utf8_columns(code) : 1;
        columns += width > 0 ? width : 1;
        at += used ? (int)used : 1;
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
    /* Draws rl_display_prompt, which is the message of Ctrl-R during a search. */
    str_add(&line, rl_display_prompt ? rl_display_prompt : "");
    int before = columns_before(str_text(&line), (int)line.length);
    str_add(&line, rl_line_buffer ? rl_line_buffer : "");
    *out = (struct frame_prompt){
        str_text(&line), before + columns_before(rl_line_buffer ? rl_line_buffer : "", rl_point),
        matches.items.items, matches.items.count > 1 ? matches.items.count : 0};
}
