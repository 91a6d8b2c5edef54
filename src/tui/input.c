/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/input.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PASTE_LIMIT ((size_t)32 << 20)
#define PASTE_WAIT 1000   /* ms */

static struct str buffer;
static size_t taken;

bool input_fill(int milliseconds)
{
    struct pollfd tty = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[4096];

    if (taken == buffer.length) {
        str_clear(&buffer);
        taken = 0;
    }
    if (poll(&tty, 1, milliseconds) <= 0)
        return false;
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        str_add_bytes(&buffer, bytes, (size_t)n);
    return n > 0;
}

size_t input_waiting(const char **bytes)
{
    *bytes = str_text(&buffer) + taken;
    return buffer.length - taken;
}

void input_take(size_t count)
{
    taken += count;
}

void input_paste(struct str *out)
{
    const size_t mark = strlen(PASTE_END);
    const char *bytes, *end;
    size_t searched = 0, length = input_waiting(&bytes);

    /* Only what is new is searched, and a mark across two reads; NUL bytes do not end the text. */
    while (!(end = memmem(bytes + searched, length - searched, PASTE_END, mark)) && length < PASTE_LIMIT && input_fill(PASTE_WAIT)) {
        searched = length < mark ? 0 : length - mark + 1;
        length = input_waiting(&bytes);
    }
    if (end)
        length = (size_t)(end - bytes);
    str_clear(out);
    str_add_bytes(out, bytes, length);
    for (size_t i = 0; i < length; i++)
        if (out->data[i] == '\r')
            out->data[i] = '\n';
    input_take(length + (end ? mark : 0));
}

void input_done(void)
{
    str_done(&buffer);
    taken = 0;
}
