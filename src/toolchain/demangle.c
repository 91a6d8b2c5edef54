/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "toolchain/demangle.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#define NAME_LONGEST 4096   /* of hostile names: demangling can take long */

char *demangle(const char *name)
{
    /* What cannot be mangled is not tried: most names are C's. */
    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || strlen(name) > NAME_LONGEST)
        return NULL;
#ifdef HAVE_LIBIBERTY
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
#else
    return NULL;
#endif
}

/* Where the parameters of a function begin: the first bracket outside of template arguments, behind "operator()". */
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

/* Where the last part of a qualified name begins, whose first @length bytes are looked at. */
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

bool demangle_matches(const char *name, const char *wanted)
{
    if (strcmp(name, wanted) == 0)
        return true;
    char *text = demangle(name);
    if (!text)
        return false;
    size_t length = without_parameters(text), part = last_part(text, length), n = strlen(wanted);
    bool matches = strcmp(text, wanted) == 0 || (n == length && strncmp(text, wanted, n) == 0) || (n == length - part && strncmp(text + part, wanted, n) == 0);
    free(text);
    return matches;
}
