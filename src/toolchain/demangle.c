/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "toolchain/demangle.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

/* Maximum number of bytes of a name. Demangling a longer hostile name may take very long. */
#define NAME_LONGEST 4096

#ifdef HAVE_LIBIBERTY
/* Maximum number of bytes of the demangled text. Substitutions can double it repeatedly. */
#define TEXT_LONGEST 8192

/* A demangled name that is being written */
struct readable_name {
    char *text;
    size_t length;
    jmp_buf stop;
};

static void take_piece(const char *piece, size_t length, void *state)
{
    struct readable_name *to = state;

    if (length > TEXT_LONGEST - to->length)
        /* Jumps out of the callback, because the library has no other way to stop. */
        longjmp(to->stop, 1);
    memcpy(to->text + to->length, piece, length);
    to->length += length;
}

/* Demangles @name into @to. Returns false if the name cannot be demangled or the text is too
 * long. */
static bool print_name(const char *name, bool rust, struct readable_name *to)
{
    const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

    to->length = 0;
    if (setjmp(to->stop) != 0)
        return false;
    return rust ? rust_demangle_callback(name, options, take_piece, to)
                : cplus_demangle_v3_callback(name, options, take_piece, to);
}
#endif

char *demangle(const char *name)
{
    /* Names of most C functions are not mangled. A long name may be hostile. */
    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || strlen(name) > NAME_LONGEST)
        return NULL;
#ifdef HAVE_LIBIBERTY
    char text[TEXT_LONGEST];
    struct readable_name to = {.text = text};
    bool found = print_name(name, true, &to) || print_name(name, false, &to);
    steps_add(1 + to.length / 100);
    return found ? mem_strndup(text, to.length) : NULL;
#else
    return NULL;
#endif
}

/* Returns the start of a function's parameters, which is the first parenthesis outside of template
 * arguments. The parentheses of "operator()" and "(anonymous namespace)" are not counted. Returns
 * the length of the text if there are no parameters. */
static size_t without_parameters(const char *text)
{
    int depth = 0;

    for (size_t at = 0; text[at]; at++) {
        if (strncmp(text + at, "operator()", 10) == 0)
            at += 10;
        else if (strncmp(text + at, "(anonymous namespace)", 21) == 0)
            at += 20;
        depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
        if (text[at] == '(' && depth <= 0)
            return at;
        if (!text[at])
            return at;
    }
    return strlen(text);
}

/* Returns the start of the last component in a qualified name of @length bytes. */
static size_t last_part(const char *text, size_t length)
{
    size_t part = 0;
    int depth = 0;

    for (size_t at = 0; at + 1 < length; at++) {
        depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
        if (depth == 0 && text[at] == ':' && text[at + 1] == ':')
            part = at + 2;
    }
    return part;
}

char *demangle_name(const char *name, bool qualified)
{
    char *text = demangle(name);

    if (!text)
        return mem_strdup(name);
    const size_t length = without_parameters(text), part = qualified ? 0 : last_part(text, length);
    char *out = mem_strndup(text + part, length - part);
    free(text);
    return out;
}

bool demangle_matches(const char *name, const char *sought)
{
    if (strcmp(name, sought) == 0)
        return true;
    char *text = demangle(name);
    if (!text)
        return false;
    size_t length = without_parameters(text), part = last_part(text, length), n = strlen(sought);
    bool matches = strcmp(text, sought) == 0 || (n == length && strncmp(text, sought, n) == 0) ||
                   (n == length - part && strncmp(text + part, sought, n) == 0);
    free(text);
    return matches;
}
