/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/clipboard.h"

/* Appends @bytes in base64 (RFC 4648, section 4). */
static void add_base64(const unsigned char *bytes, size_t length, struct str *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < length; at += 3) {
        const size_t left = length - at;
        const unsigned group = (unsigned)bytes[at] << 16 |
                               (left > 1 ? (unsigned)bytes[at + 1] << 8 : 0) |
                               (left > 2 ? bytes[at + 2] : 0);
        str_add_char(out, digits[group >> 18]);
        str_add_char(out, digits[group >> 12 & 63]);
        str_add_char(out, left > 1 ? digits[group >> 6 & 63] : '=');
        str_add_char(out, left > 2 ? digits[group & 63] : '=');
    }
}

void clipboard_sequence(const char *text, size_t length, bool tmux, struct str *out)
{
    str_add(out, "\033]52;c;");
    add_base64((const unsigned char *)text, length, out);
    str_add(out, "\a");
    if (tmux) {
        str_add(out, "\033Ptmux;\033\033]52;c;");
        add_base64((const unsigned char *)text, length, out);
        str_add(out, "\a\033\\");
    }
}
