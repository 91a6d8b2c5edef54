/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/plain.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/steps.h"
#include "toolchain/words.h"

#define JSON_DEPTH 8      /* maximum depth of JSON in the search for "asm" */

/* Replacement of a character that assemblers reject. */
static const struct substitute { const char *bytes, *plain;
} substitutes[] = {
    {"\u00a0", " "}, {"\u2007", " "}, {"\u202f", " "},  {"\u3000", " "},  {"\u2002", " "},
    {"\u2003", " "}, {"\u2009", " "}, {"\u00ad", ""},   {"\u200b", ""},   {"\u200c", ""},
    {"\u200d", ""},  {"\u200e", ""},  {"\u200f", ""},   {"\u2060", ""},   {"\ufeff", ""},
    {"\u2018", "'"}, {"\u2019", "'"}, {"\u201c", "\""}, {"\u201d", "\""}, {"\u2010", "-"},
    {"\u2011", "-"}, {"\u2012", "-"}, {"\u2013", "-"},  {"\u2212", "-"},  {"&lt;", "<"},
    {"&gt;", ">"},   {"&amp;", "&"},  {"&quot;", "\""}, {"&nbsp;", " "},  {"&#39;", "'"},
    {"&#x27;", "'"},
};

static const struct substitute *substitute_at(const char *p, const char *end)
{
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++)
        if (text_begins(p, end, substitutes[i].bytes))
            return &substitutes[i];
    return NULL;
}

/* Returns the end of the terminal sequence whose Esc is at @p: colours and cursor movements (CSI),
 * titles and links (OSC). */
static const char *escape_end(const char *p, const char *end)
{
    if (++p == end)
        return p;
    if (*p == '[') {
        for (p++; p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x40; p++)
            ;
        return p < end ? p + 1 : p;
    }
    if (*p == ']') {
        while (p < end && *p != '\a' && *p != '\n' && !text_begins(p, end, "\033\\"))
            p++;
        return p < end && *p == '\a' ? p + 1 : p < end && *p == '\033' ? p + 2 : p;
    }
    return *p == '\n' ? p : p + 1;
}

static void line_plain(const char *p, const char *end, struct str *out)
{
    bool quoted = memchr(p, '"', (size_t)(end - p)) !=
                  NULL; /* Typographic quotes within a string are kept. */

    while (p < end) {
        const struct substitute *s =
            *p == '&' || (unsigned char)*p >= 0x80 ? substitute_at(p, end) : NULL;
        if (*p == '\033') {
            p = escape_end(p, end);
        } else if (s && !(quoted && *s->plain == '"')) {
            str_add(out, s->plain);
            p += strlen(s->bytes);
        } else {
            str_add_char(out, *p++);
        }
    }
}

/* Finds the array or text "asm" in @root or in an object within it, at most JSON_DEPTH levels deep.
 * An array of lines is itself the result. Returns NULL if there is none. */
static json_t *asm_find(json_t *root, unsigned depth)
{
    json_t *found = json_object_get(root, "asm"), *item;
    const char *key;
    size_t at;

    if (json_is_array(found) || json_is_string(found))
        return found;
    found = NULL;
    if (depth == JSON_DEPTH)
        return NULL;
    json_object_foreach(root, key, item)
        if (!found)
            found = asm_find(item, depth + 1);
    json_array_foreach(root, at, item) {
        if (depth == 0 && json_is_string(json_object_get(item, "text")))
            return root;   /* Returns an object with only the copied array. */
        if (!found)
            found = asm_find(item, depth + 1);
    }
    return found;
}

/* Converts JSON of Compiler Explorer: lines of text, with addresses in binary mode. Returns false
 * if there are no lines. */
static bool json_plain(const char *text, size_t length, struct str *out)
{
    json_t *root = json_loadb(text, length, 0, NULL), *lines = root ? asm_find(root, 0) : NULL,
           *line;
    size_t at, before = out->length;

    if (json_is_string(lines))
        line_plain(json_string_value(lines), json_string_value(lines) + json_string_length(lines),
                   out);
    steps_add(length / 16);
    json_array_foreach(lines, at, line) {
        const char *words =
            json_string_value(json_is_string(line) ? line : json_object_get(line, "text"));
        json_t *address = json_object_get(line, "address");
        if (json_is_integer(address))
            str_addf(out, "%llx:\t", (unsigned long long)json_integer_value(address));
        if (words)
            line_plain(words, words + strlen(words), out);
        str_add_char(out, '\n');
    }
    json_decref(root);
    return out->length > before;
}

/* Does the same as plain_text, but does not convert tables. Returns false if the text needs no
 * conversion. */
static bool characters_plain(const char *text, size_t length, struct str *out)
{
    const char *end = text + length, *p = text;

    while (p < end && isspace((unsigned char)*p))
        p++;
    if (p < end && (*p == '{' || *p == '[') && json_plain(text, length, out))
        return true;
    for (p = text; p < end && (unsigned char)*p < 0x80 && *p != '\033' && *p != '\r' && *p != '&';
         p++)
        ;
    if (p == end)
        return false;
    steps_add(length / 16);
    for (const char *line = text, *stop; line < end; line = stop + 1) {
        for (stop = line; stop < end && *stop != '\n' && *stop != '\r'; stop++)
            ;
        line_plain(line, stop, out);
        if (stop < end)
            str_add_char(out, '\n');
        if (stop + 1 < end && *stop == '\r' && stop[1] == '\n')
            stop++;
    }
    return true;
}

bool plain_text(const char *text, size_t length, struct str *out)
{
    struct str table = {0};
    bool is_table = reverse_plain(text, length, &table);

    if (!is_table)
        return characters_plain(text, length, out);
    if (!characters_plain(str_text(&table), table.length, out))
        str_add_bytes(out, str_text(&table), table.length);
    str_done(&table);
    return true;
}
