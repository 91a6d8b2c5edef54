/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tui/input.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "view/clipboard.h"

#define UNMARKED_WAIT 50     /* ms without input after which an unmarked paste is complete */
#define PASTE_LIMIT ((size_t)32 << 20)

static struct str buffer;
static size_t taken;
static size_t begun;         /* number of bytes of PASTE_BEGIN at the end of the input that was
                              * removed */
static struct paste {
    bool open;               /* whether the begin mark was read, but not the end mark */
    bool cut;                /* whether the paste was longer than PASTE_LIMIT and so was
                              * truncated */
    bool stalled;
    struct str text;
} paste;

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

/* If the first @count bytes of PASTE_BEGIN precede @byte, returns the length of the longest prefix
 * of PASTE_BEGIN that ends with @byte. */
static size_t mark_with(size_t count, char byte)
{
    return byte == PASTE_BEGIN[count] ? count + 1 : byte == PASTE_BEGIN[0];
}

void input_take(size_t count)
{
    const size_t mark = strlen(PASTE_BEGIN);

    for (; count; count--)
        begun = mark_with(begun == mark ? 0 : begun, buffer.data[taken++]);
}

/* Returns how many buffered bytes continue the mark after its first @count bytes. *@reached: @count
 * plus that number. */
static size_t mark_goes_on(size_t count, size_t *reached)
{
    const char *bytes;
    const size_t length = input_waiting(&bytes);
    size_t used = 0;

    while (used < length && count + used < strlen(PASTE_BEGIN) &&
           bytes[used] == PASTE_BEGIN[count + used])
        used++;
    *reached = count + used;
    return used;
}

size_t input_mark(bool *partly)
{
    const size_t mark = strlen(PASTE_BEGIN);
    const char *bytes;
    size_t reached, used = mark_goes_on(begun == mark ? 0 : begun, &reached);

    if (!used)
        used = mark_goes_on(0, &reached);
    *partly = used && reached < mark && used == input_waiting(&bytes);
    return used && reached == mark ? used : 0;
}

void input_paste_begin(void)
{
    str_clear(&paste.text);
    paste.open = true;
    paste.cut = paste.stalled = false;
    begun = 0;
}

bool input_pasting(void)
{
    return paste.open;
}

size_t input_paste_stalls(void)
{
    paste.stalled = true;
    return paste.text.length;
}

/* Replaces carriage returns with line feeds. */
static void end_lines(struct str *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] == '\r')
            text->data[i] = '\n';
}

/* Ends the paste after its end mark or a cancellation. Sets @out to its first @length bytes. */
static bool end_paste(struct str *out, size_t length)
{
    str_clear(out);
    str_add_bytes(out, str_text(&paste.text), length);
    end_lines(out);
    str_done(&paste.text);
    paste.open = false;
    return true;
}

bool input_paste(struct str *out)
{
    const size_t mark = strlen(PASTE_END);
    struct str *text = &paste.text;
    size_t searched = text->length;
    const char *bytes;

    for (size_t length; (length = input_waiting(&bytes)) || input_fill(0);) {
        if (paste.stalled && length == 1 && *bytes == 3) {
            taken++;
            return end_paste(out, text->length < PASTE_LIMIT ? text->length : PASTE_LIMIT);
        }
        paste.stalled &= !length;
        str_add_bytes(text, bytes, length);
        taken += length;
        /* The search covers new bytes and the end of the old bytes, because a read may split the
         * mark. NUL bytes do not end the text. */
        searched = searched < mark ? 0 : searched - mark + 1;
        const char *end =
            memmem(str_text(text) + searched, text->length - searched, PASTE_END, mark);
        if (end) {
            const size_t at = (size_t)(end - text->data);
            taken -= text->length - at - mark;
            return end_paste(out, paste.cut ? PASTE_LIMIT : at);
        }
        /* Discards the text up to the end mark, because unread text would be taken for keys. */
        if (text->length > PASTE_LIMIT + mark) {
            memmove(text->data + PASTE_LIMIT, text->data + text->length - mark, mark);
            text->length = PASTE_LIMIT + mark;
            paste.cut = true;
        }
        searched = text->length;
    }
    return false;
}

bool input_unmarked(struct str *out)
{
    const char *bytes;
    size_t length = input_waiting(&bytes);

    if (paste.open || (!length && !input_fill(0)))
        return false;
    length = input_waiting(&bytes);
    if (!pasted_text(bytes, length))
        return false;
    while (length < PASTE_LIMIT && input_fill(UNMARKED_WAIT))
        length = input_waiting(&bytes);
    paste.cut = length >= PASTE_LIMIT;
    str_clear(out);
    str_add_bytes(out, bytes, length);
    input_take(length);
    end_lines(out);
    return true;
}

bool input_paste_cut(void)
{
    return paste.cut;
}

void input_done(void)
{
    str_done(&buffer);
    str_done(&paste.text);
    taken = begun = 0;
    paste.open = false;
}
