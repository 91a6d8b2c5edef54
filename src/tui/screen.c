/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/screen.h"

#include <curses.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/mem.h"
#include "tui/input.h"
#include "view/clipboard.h"
#include "view/colours.h"
#include "work/background.h"

#define ESCAPE_WAIT 25      /* ms to wait for input after an Esc, which may be a key by itself */
/* ms to wait for the rest of an escape sequence; terminals send a sequence in one write */
#define SEQUENCE_WAIT 200
#define DRAWING_WAITS 100   /* maximum number of waits, of 10 ms each, for a drawing in progress */
#define BACKGROUND_QUESTION "\033]11;?\033\\"
#define KEY_BYTES 8   /* size in bytes of the longest key sequence */

#define HEAT_LEVELS (ROLE_HEAT_LAST - ROLE_HEAT_0 + 1)

static atomic_bool opened;   /* whether the screen is open; atomic, because any thread that ends the
                              * program restores the terminal */
/* Protects curses. If curses draws while the program ends, it reinitialises the terminal. */
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool draws;
static bool colors;
static struct str pasted;
static int click_x, click_y;
/* cells in stdscr, which curses compares with the terminal; empty before the first drawing and
 * after a resize */
static struct grid shown;

static enum background asked_for;   /* background chosen by the setting */
static bool is_light;               /* whether the background is light; false: dark or unknown */

static int half_block_pair(int upper, int lower)
{
    return ROLE_COUNT + 1 + upper * HEAT_LEVELS + lower;
}

/* Initialises colour pairs for half blocks with two heat levels, after the pairs of the roles. A
 * terminal with too few pairs shows only the upper level. */
static void init_half_blocks(void)
{
    for (int upper = 0; upper < HEAT_LEVELS; upper++)
        for (int lower = 0; lower < HEAT_LEVELS; lower++) {
            const short top =
                            colour_of((enum role)(ROLE_HEAT_0 + upper), COLORS >= 256, is_light).bg,
                        bottom =
                            colour_of((enum role)(ROLE_HEAT_0 + lower), COLORS >= 256, is_light).bg;
            if (half_block_pair(upper, lower) < COLOR_PAIRS)
                init_pair((short)half_block_pair(upper, lower), top < 0 ? COLOR_BLACK : top,
                          bottom);
        }
}

/* Writes @sequence and flushes it at once. After the terminal has left raw mode, a write would
 * block if the user typed Ctrl-S. */
static void put_now(const char *sequence)
{
    fputs(sequence, stdout);
    fflush(stdout);
}

/* Initialises all colour pairs for a light or dark background. */
static void init_colours(bool light)
{
    is_light = light;
    for (int role = 0; role < ROLE_COUNT; role++) {
        const struct colour_pair pair = colour_of((enum role)role, COLORS >= 256, light);
        init_pair((short)(role + 1), pair.fg, pair.bg);
    }
    init_half_blocks();
}

/* Returns whether the background is light: by the setting, otherwise by COLORFGBG, which some
 * terminals set: "15;0" (foreground and background). */
static bool guessed_light(void)
{
    const char *said = getenv("COLORFGBG"), *last = said ? strrchr(said, ';') : NULL;
    const int number = last ? atoi(last + 1) : 0;

    return asked_for == BACKGROUND_LIGHT ||
           (asked_for == BACKGROUND_AUTO && (number == 7 || number == 15));
}

/* Parses the terminal's reply about its background: "\033]11;rgb:ffff/fdfd/e3e3", ended by BEL or
 * ST. Changes the colours if necessary. Returns the length of the reply at @bytes; 0 if there is no
 * reply, or if it is incomplete (*@partly). */
static size_t background_answer(const char *bytes, size_t length, bool *partly)
{
    static const char head[] = "\033]11;rgb:";
    const size_t common = length < sizeof head - 1 ? length : sizeof head - 1;
    unsigned part[3] = {0};

    *partly = false;
    if (length < 3 || memcmp(bytes, head, common) != 0)
        return 0;
    const char *end = memchr(bytes, '\007', length),
               *st = memmem(bytes + 1, length - 1, "\033\\", 2);
    end = end ? end + 1 : st ? st + 2 : NULL;
    *partly = !end;
    if (!end || sscanf(bytes + sizeof head - 1, "%4x/%4x/%4x", &part[0], &part[1], &part[2]) != 3)
        return end ? (size_t)(end - bytes) : 0;
    const unsigned digits = (unsigned)strspn(bytes + sizeof head - 1, "0123456789abcdefABCDEF"),
                   shift = digits > 2 ? 4 * (digits - 2) : 0;
    const uint32_t rgb =
        (part[0] >> shift & 255) << 16 | (part[1] >> shift & 255) << 8 | (part[2] >> shift & 255);
    if (colors && asked_for == BACKGROUND_AUTO && colour_is_light(rgb) != is_light) {
        init_colours(!is_light);
        clearok(stdscr, TRUE);
    }
    return (size_t)(end - bytes);
}

void screen_set_background(enum background background)
{
    if (background == asked_for)
        return;
    asked_for = background;
    if (!colors)
        return;
    init_colours(guessed_light());
    if (background == BACKGROUND_AUTO && COLORS >= 256)
        put_now(BACKGROUND_QUESTION);
    clearok(stdscr, TRUE);
}

/* Locks drawing. Returns false if the terminal was restored, for example because another thread
 * ends the program after a fault. */
static bool drawing_begin(void)
{
    lock_take(&drawing);
    draws = atomic_load(&opened);
    if (!draws)
        lock_give(&drawing);
    return draws;
}

static void drawing_end(void)
{
    draws = false;
    lock_give(&drawing);
}

/* Restores the terminal. First waits for a drawing in progress, unless this thread draws or the
 * drawing hangs. */
static void restore(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    bool taken = false;

    if (!atomic_exchange(&opened, false))
        return;
    for (unsigned i = 0; i < DRAWING_WAITS && !draws && !taken; i++) {
        taken = lock_try(&drawing);
        if (!taken)
            nanosleep(&moment, NULL);
    }
    put_now("\033[?2004l");
    endwin();
    if (taken)
        lock_give(&drawing);
}

/* Returns whether the terminal can position the cursor. A dumb terminal only prints lines. */
static bool has_screen(void)
{
    int known;
    char *const none = (char *)-1;   /* value of terminfo for a missing capability */

    return setupterm(NULL, STDOUT_FILENO, &known) == OK && tigetstr("cup") &&
           tigetstr("cup") != none;
}

bool screen_open(bool color)
{
    if (!has_screen() || !newterm(NULL, stdout, stdin))
        return false;
    atomic_store(&opened, true);
    die_set_hook(restore);
    fault_watch();
    rescuer_begin();
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
    colors = color && has_colors();
    if (colors) {
        start_color();
        use_default_colors();
        init_colours(guessed_light());
        if (COLORS >= 256)   /* Sends the query only to terminals with 256 colours, because others
                              * may print it. */
            put_now(BACKGROUND_QUESTION);
    }
    put_now("\033[?2004h");
    return true;
}

bool screen_has_colors(void)
{
    return colors;
}

void screen_close(void)
{
    rescuer_end();
    restore();
    die_set_hook(NULL);
    str_done(&pasted);
    grid_done(&shown);
    input_done();
}

void screen_resize(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_row || !size.ws_col ||
        (size.ws_row == LINES && size.ws_col == COLS))
        return;
    resizeterm(size.ws_row, size.ws_col);
    grid_done(&shown);
}

void screen_size(unsigned *width, unsigned *height)
{
    *width = (unsigned)COLS;
    *height = (unsigned)LINES;
}

static attr_t attributes(const struct grid *g, const struct cell *cell)
{
    const unsigned attr = grid_attributes(g, cell);
    attr_t a = (attr & ATTR_BOLD ? A_BOLD : 0) | (attr & ATTR_REVERSE ? A_REVERSE : 0) |
               (attr & ATTR_UNDERLINE ? A_UNDERLINE : 0);
    if (cell->role == ROLE_DIM && colors && COLORS < 16)
        a |= A_DIM;
    return a;
}

void screen_show(const struct grid *g, int x, int y)
{
    if (!drawing_begin())
        return;
    const bool anew = shown.width != g->width || shown.height != g->height;
    if (anew) {
        grid_done(&shown);
        grid_init(&shown, g->width, g->height, g->ascii);
    }
    for (unsigned row = 0; row < g->height && row < (unsigned)LINES; row++)
        for (unsigned column = 0; column < g->width && column < (unsigned)COLS; column++) {
            const size_t at = (size_t)row * g->width + column;
            const struct cell *cell = &g->cells[at];
            /* Skips unchanged cells, because curses needs some hundred instructions per cell. */
            if (!anew && memcmp(cell, &shown.cells[at], sizeof *cell) == 0)
                continue;
            shown.cells[at] = *cell;
            if (!cell->glyph[0])
                continue;
            int pair = cell->lower
                           ? half_block_pair(cell->role - ROLE_HEAT_0, cell->lower - ROLE_HEAT_0)
                           : cell->role + 1;
            attr_set(attributes(g, cell),
                     colors ? (short)(pair < COLOR_PAIRS ? pair : cell->role + 1) : 0, NULL);
            mvaddstr((int)row, (int)column, cell->glyph);
        }
    curs_set(x >= 0);
    if (x >= 0)
        move(y, x);
    refresh();
    drawing_end();
}

void screen_say(const char *text)
{
    struct grid g;

    if (!shown.width)
        return;
    grid_init(&g, shown.width, shown.height, shown.ascii);
    memcpy(g.cells, shown.cells, (size_t)g.width * g.height * sizeof *g.cells);
    grid_fill(&g, 0, (int)g.height - 1, g.width, 1, ROLE_TEXT, 0, ' ');
    grid_put(&g, 0, (int)g.height - 1, 0, ROLE_STATUS, 0, text);
    screen_show(&g, -1, 0);
    grid_done(&g);
}

/* Returns the key code for a curses key; KEYCODE_NONE if it is unused. */
static int key_of_curses(int code)
{
    switch (code) {
    case KEY_UP: return KEYCODE_UP;
    case KEY_DOWN: return KEYCODE_DOWN;
    case KEY_LEFT: return KEYCODE_LEFT;
    case KEY_RIGHT: return KEYCODE_RIGHT;
    case KEY_PPAGE: return KEYCODE_PAGE_UP;
    case KEY_NPAGE: return KEYCODE_PAGE_DOWN;
    case KEY_HOME: return KEYCODE_HOME;
    case KEY_END: return KEYCODE_END;
    case KEY_BACKSPACE: return KEYCODE_BACKSPACE;
    case KEY_DC: return KEYCODE_DELETE;
    case KEY_BTAB: return KEYCODE_BACKTAB;
    case KEY_ENTER: return KEYCODE_ENTER;
    default:
        return code >= KEY_F(1) && code <= KEY_F(12) ? KEYCODE_F1 + (code - KEY_F(1))
                                                     : KEYCODE_NONE;
    }
}

/* Decodes a curses key sequence at @bytes. Sets *@used to the length of the sequence, 0 if there is
 * none. *@partly: whether the bytes are a prefix of a sequence. Uses the shortest match, because
 * curses' key_defined includes bytes after a sequence. */
static int curses_key(const char *bytes, size_t length, size_t *used, bool *partly)
{
    char sequence[KEY_BYTES + 1] = "";

    *used = 0;
    *partly = false;
    for (size_t count = 1; count <= length && count <= KEY_BYTES; count++) {
        sequence[count - 1] = bytes[count - 1];
        const int code = key_defined(sequence);
        *partly = code < 0;
        if (code > 0 && code != KEY_MOUSE) {
            *used = count;
            return key_of_curses(code);
        }
    }
    return KEYCODE_NONE;
}

/* Decodes the Esc sequence at @bytes. Sets *@used to its length; 0: the sequence is incomplete.
 * Skips unknown sequences. An Esc that begins no sequence is a key. */
static int escape_key(const char *bytes, size_t length, size_t *used)
{
    bool partly;
    *used = background_answer(bytes, length, &partly);
    if (*used || partly)
        return KEYCODE_SWALLOWED;
    int key = key_of_mouse(bytes + 1, length - 1, used, &click_x, &click_y);

    if (!*used) {
        key = curses_key(bytes, length, used, &partly);
        if (*used || partly)
            return key;
        key = key_of_sequence(bytes + 1, length - 1, used);
        if (key == KEYCODE_NONE && !*used)
            return key;
    }
    *used += 1;
    return key;
}

/* Decodes the key at the start of @bytes. Sets *@used to its length; 0: the key is incomplete, or
 * the bytes may be a paste mark (@partly). */
static int front_key(const char *bytes, size_t length, bool partly, size_t *used)
{
    *used = 0;
    if (partly)
        return KEYCODE_NONE;
    if (*bytes == '\033')
        return escape_key(bytes, length, used);
    const int key = curses_key(bytes, 1, used, &partly);
    if (*used)
        return key;
    *used = 1;
    return (unsigned char)*bytes;
}

int screen_key(void)
{
    const char *bytes;
    size_t used = 0;
    int key = KEYCODE_NONE;

    if (!input_pasting() && !input_waiting(&bytes) && !input_fill(0))
        return KEYCODE_NONE;
    while (!input_pasting() && !used) {
        bool partly;
        const size_t mark = input_mark(&partly), length = input_waiting(&bytes);
        if (mark) {
            input_take(mark);
            input_paste_begin();
            break;
        }
        key = front_key(bytes, length, partly, &used);
        if (!used && !input_fill(length == 1 ? ESCAPE_WAIT : SEQUENCE_WAIT)) {
            input_waiting(&bytes);
            key = (unsigned char)*bytes;
            used = 1;
        }
    }
    if (input_pasting())
        return input_paste(&pasted) ? KEYCODE_PASTE : KEYCODE_NONE;
    input_take(used);
    /* Replaces KEYCODE_NONE, which would stop the reading of further input. */
    return key == KEYCODE_NONE ? KEYCODE_SWALLOWED : key;
}

void screen_click(int *x, int *y)
{
    *x = click_x;
    *y = click_y;
}

const struct str *screen_pasted(void)
{
    return &pasted;
}

void screen_redraw(void)
{
    clearok(stdscr, TRUE);
}

void screen_leave(void)
{
    if (!drawing_begin())
        return;
    put_now("\033[?2004l");
    endwin();
    drawing_end();
}

/* Disables flow control. If a Ctrl-S typed in an editor or shell has stopped output, the next write
 * would wait for Ctrl-Q. */
static void end_flow_control(void)
{
    struct termios modes;

    if (tcgetattr(STDOUT_FILENO, &modes) != 0)
        return;
    modes.c_iflag &= ~(tcflag_t)IXON;
    tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
}

void screen_return(void)
{
    if (!drawing_begin())
        return;
    end_flow_control();
    put_now("\033[?2004h");
    screen_resize();
    screen_redraw();
    refresh();
    drawing_end();
}

void screen_copy(const char *text, size_t length)
{
    struct str sequence = {0};

    clipboard_sequence(text, length, getenv("TMUX") != NULL, &sequence);
    /* Ignores an error, which cannot be shown here. */
    fwrite(sequence.data, 1, sequence.length, stdout);
    fflush(stdout);
    str_done(&sequence);
}

void screen_suspend(void)
{
    screen_leave();
    raise(SIGSTOP);
    screen_return();
}
