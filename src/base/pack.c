/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pack.h"

void pack_array(struct str *out, const void *items, size_t count, size_t size)
{
    if (count)
        str_add_bytes(out, items, count * size);
}

void pack_count(struct str *out, uint64_t value)
{
    pack_array(out, &value, 1, sizeof value);
}

void pack_number(struct str *out, double value)
{
    pack_array(out, &value, 1, sizeof value);
}

void pack_text(struct str *out, const char *text)
{
    pack_array(out, text, strlen(text) + 1, 1);
}

bool unpack_holds(struct unpacking *from, uint64_t count, size_t size)
{
    from->broken |= count > from->left / size;
    return !from->broken;
}

void unpack_array(struct unpacking *from, void *to, size_t count, size_t size)
{
    if (!unpack_holds(from, count, size)) {
        memset(to, 0, count * size);
        return;
    }
    if (count)
        memcpy(to, from->at, count * size);
    from->at += count * size;
    from->left -= count * size;
}

uint64_t unpack_count(struct unpacking *from)
{
    uint64_t value;
    unpack_array(from, &value, 1, sizeof value);
    return value;
}

double unpack_number(struct unpacking *from)
{
    double value;
    unpack_array(from, &value, 1, sizeof value);
    return value;
}

const char *unpack_text(struct unpacking *from)
{
    const char *text = from->at;
    size_t length = from->left ? strnlen(text, from->left) : 0;

    if (!unpack_holds(from, (uint64_t)length + 1, 1))
        return "";
    from->at += length + 1;
    from->left -= length + 1;
    return text;
}
