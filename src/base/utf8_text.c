/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8_text.h"

#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

/* maximum number of bytes per write, which ends at a line end; exceeded only by a longer line */
#define PIECE ((size_t)64 << 10)

void utf8_escape(const char *text, size_t length, struct str *out)
{
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t step = utf8_next(text + at, length - at, &code);
        const char *brief = !step          ? NULL
                            : code == '\t' ? "\\t"
                            : code == '\n' ? "\\n"
                            : code == '\r' ? "\\r"
                            : code == '\\' ? "\\\\"
                                           : NULL;
        if (brief) {
            str_add(out, brief);
        } else if (!step || utf8_steers(code)) {
            step = step ? step : 1;
            for (size_t i = 0; i < step; i++)
                str_addf(out, "\\x%02x", (unsigned char)text[at + i]);
        } else {
            str_add_bytes(out, text + at, step);
        }
        at += step;
    }
}

void utf8_printable(const char *text, size_t length, struct str *out)
{
    char shown[UTF8_SHOWN];
    size_t plain = 0;

    for (size_t at = 0, step; at < length; at += step) {
        step = utf8_printable_next(text + at, length - at, shown);
        if (!*shown)
            continue;
        str_add_bytes(out, text + plain, at - plain);
        str_add(out, shown);
        plain = at + step;
    }
    str_add_bytes(out, text + plain, length - plain);
}

/* Returns the length of the next piece of @text to write. A piece consists of whole lines. The
 * pieces avoid a second copy of a table with a million rows. */
static size_t piece_of(const char *text, size_t length)
{
    if (length <= PIECE)
        return length;
    const char *end = memrchr(text, '\n', PIECE);
    end = end ? end : memchr(text + PIECE, '\n', length - PIECE);
    return end ? (size_t)(end - text) + 1 : length;
}

bool utf8_pieces(const char *text, size_t length,
                 bool (*put)(void *to, const char *printable, size_t length), void *to)
{
    struct str printable = {0};
    bool ok = true;

    for (size_t piece; ok && length; text += piece, length -= piece) {
        piece = piece_of(text, length);
        str_clear(&printable);
        utf8_printable(text, piece, &printable);
        ok = put(to, str_text(&printable), printable.length);
    }
    str_done(&printable);
    return ok;
}

static bool put_to_file(void *to, const char *printable, size_t length)
{
    return fwrite(printable, 1, length, to) == length;
}

bool utf8_write(FILE *out, const char *text, size_t length)
{
    return utf8_pieces(text, length, put_to_file, out);
}

void utf8_say(FILE *out, const char *format, ...)
{
    struct str text = {0};
    va_list args;

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    utf8_write(out, str_text(&text), text.length);
    str_done(&text);
}
