/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "cmd/command.h"

static int pending = EOF;    /* the byte to hand over */
static bool ended;
static char *result;

static int give_byte(FILE *stream)
{
    (void)stream;
    int c = pending;
    pending = EOF;
    return c;
}

static int byte_waits(void)
{
    return pending != EOF;
}

static void draw_nothing(void)
{
}

static void take_line(char *line)
{
    ended = true;
    result = line;
    if (line && *line)
        add_history(line);
    rl_callback_handler_remove();
}

static char *command_word(const char *text, int state)
{
    static const struct command *next;
    static size_t start;

    if (!state) {
        next = commands;
        start = (size_t)(rl_point - (int)strlen(text));
    }
    for (; next->name; next++)
        if (strncmp(next->name, rl_line_buffer, start) == 0 && strncmp(next->name + start, text, strlen(text)) == 0) {
            const char *word = next->name + start;
            char *copy = mem_strndup(word, strcspn(word, " "));
            next++;
            return copy;
        }
    return NULL;
}

/* Words of commands first; file names where they end. */
static char **complete(const char *text, int start, int end)
{
    (void)start;
    (void)end;
    return rl_completion_matches(text, command_word);
}

static void show_nothing(char **matches, int count, int longest)
{
    (void)matches;
    (void)count;
    (void)longest;
}

void prompt_open(void)
{
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_getc_function = give_byte;
    rl_input_available_hook = byte_waits;
    rl_redisplay_function = draw_nothing;
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = show_nothing;
    rl_variable_bind("bell-style", "none");
    rl_variable_bind("enable-bracketed-paste", "off");
    ended = false;
    result = NULL;
    rl_callback_handler_install("", take_line);
}

void prompt_close(void)
{
    rl_callback_handler_remove();
}

bool prompt_feed(int c, char **line)
{
    pending = c;
    rl_callback_read_char();
    *line = ended ? result : NULL;
    return ended;
}

const char *prompt_text(int *cursor)
{
    wchar_t wide;
    mbstate_t state = {0};
    int columns = 0;

    for (int at = 0; at < rl_point;) {
        size_t used = mbrtowc(&wide, rl_line_buffer + at, (size_t)(rl_point - at), &state);
        if (used == 0 || used > (size_t)rl_point) {
            columns++;
            at++;
            continue;
        }
        int width = wcwidth(wide);
        columns += width > 0 ? width : 1;
        at += (int)used;
    }
    *cursor = columns;
    return rl_line_buffer ? rl_line_buffer : "";
}
