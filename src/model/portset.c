/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/portset.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int ports_find(const struct ports *ports, const char *name, size_t length)
{
    for (unsigned i = 0; i < ports->count; i++)
        if (strlen(ports->names[i]) == length && memcmp(ports->names[i], name, length) == 0)
            return (int)i;
    return -1;
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool ports_add(struct ports *ports, const char *name, struct err *err)
{
    size_t length = strlen(name);

    if (ports->count == PORTS_MAX)
        return err_set(err, ERR_LIMIT, "use fewer ports", "port %s exceeds the limit of %d ports",
                       name, PORTS_MAX);
    if (length == 0 || length >= PORT_NAME_MAX)
        return err_set(err, ERR_DATA, "use 1 to 11 letters, digits and _",
                       "port name \"%s\" is too %s", name, length ? "long" : "short");
    for (size_t i = 0; i < length; i++)
        if (!name_char(name[i]))
            return err_set(err, ERR_DATA, "use letters, digits and _",
                           "port name \"%s\" has a '%c'", name, name[i]);
    if (ports_find(ports, name, length) >= 0)
        return err_set(err, ERR_DATA, "use each port once", "duplicate port %s", name);
    memcpy(ports->names[ports->count++], name, length + 1);
    return true;
}

void ports_number(struct ports *ports, unsigned count)
{
    *ports = (struct ports){.count = count < PORTS_MAX ? count : PORTS_MAX};
    for (unsigned i = 0; i < ports->count; i++)
        ports->names[i][0] = "0123456789ABCDEFGHIJKLMNOPQRSTUV"[i];
}

bool ports_parse(const char *list, struct ports *ports, struct err *err)
{
    const char *at = list;

    for (;;) {
        /* has space for one character more than the longest valid name, to detect longer names */
        char name[PORT_NAME_MAX + 1];
        size_t length = strcspn(at, ", ");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 at);
        if (!length)
            return err_set(err, ERR_DATA, "write port names as in 0,1,DV",
                           "empty port name in \"%s\"", list);
        if (!ports_add(ports, name, err))
            return false;
        at += length;
        at += strspn(at, " ");
        if (!*at)
            return true;
        at += *at == ',';
        at += strspn(at, " ");
    }
}

bool port_name_divides(const char *name)
{
    size_t length = strlen(name);
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    return length >= 2 && strncmp(name + length - 2, "DV", 2) == 0;
}

bool ports_equal(const struct ports *a, const struct ports *b)
{
    if (a->count != b->count || a->pipes != b->pipes)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (strcmp(a->names[i], b->names[i]) != 0)
            return false;
    return true;
}

int portset_by_size(const void *a, const void *b)
{
    portset x = *(const portset *)a, y = *(const portset *)b;
    int sizes = (int)portset_size(x) - (int)portset_size(y);
    return sizes ? sizes : (x > y) - (x < y);
}

/* Returns whether a name needs no brackets, because it is a single digit or capital letter. */
static bool is_short(const char *name)
{
    return name[1] == '\0' && (isdigit((unsigned char)name[0]) || isupper((unsigned char)name[0]));
}

void portset_list(portset set, const struct ports *ports, const char *separator, const char *last,
                  struct str *out)
{
    unsigned done = 0, count = 0;

    for (unsigned i = 0; i < ports->count; i++)
        count += set >> i & 1;
    for (unsigned i = 0; i < ports->count; i++)
        if (set >> i & 1) {
            str_addf(out, "%s%s",
                     done == 0           ? ""
                     : done + 1 == count ? last
                                         : separator,
                     ports->names[i]);
            done++;
        }
}

void portset_print(portset set, const struct ports *ports, struct str *out)
{
    bool plain = true;

    for (unsigned i = 0; i < ports->count; i++)
        if (set >> i & 1 && !is_short(ports->names[i]))
            plain = false;
    str_add(out, plain ? "p" : "p[");
    portset_list(set, ports, plain ? "" : ",", plain ? "" : ",", out);
    if (!plain)
        str_add_char(out, ']');
}

/* Adds the port named by the @length bytes at @at to @set. Returns false with err if there is no
 * such port, or if @set already contains it. The column in err is relative to @start. */
static bool member(const char *start, const char *at, size_t length, const struct ports *ports,
                   portset *set, struct err *err)
{
    int index = ports_find(ports, at, length);

    if (index < 0) {
        err_set(err, ERR_DATA, "use ports of this machine", "unknown port \"%.*s\"", (int)length,
                at);
        return err_at(err, NULL, 0, (size_t)(at - start) + 1);
    }
    if (*set >> index & 1) {
        err_set(err, ERR_DATA, "use each port once", "duplicate port %.*s", (int)length, at);
        return err_at(err, NULL, 0, (size_t)(at - start) + 1);
    }
    *set |= (portset)1 << index;
    return true;
}

bool portset_parse(const char **text, const struct ports *ports, portset *out, struct err *err)
{
    const char *start = *text, *at = start;
    portset set = 0;

    if (*at != 'p') {
        err_set(err, ERR_DATA, "write port sets as p015 or p[DV]",
                "expected a port set at \"%.16s\"", at);
        return err_at(err, NULL, 0, 1);
    }
    at++;
    if (*at == '[') {
        do {
            const char *name = ++at;
            while (name_char(*at))
                at++;
            if (!member(start, name, (size_t)(at - name), ports, &set, err))
                return false;
        } while (*at == ',');
        if (*at != ']') {
            err_set(err, ERR_DATA, "close the port set with ]", "unclosed port set \"%.24s\"",
                    start);
            return err_at(err, NULL, 0, (size_t)(at - start) + 1);
        }
        at++;
    } else {
        for (; isdigit((unsigned char)*at) || isupper((unsigned char)*at); at++)
            if (!member(start, at, 1, ports, &set, err))
                return false;
        if (!set) {
            err_set(err, ERR_DATA, "give at least one port", "empty port set at \"%.16s\"", start);
            return err_at(err, NULL, 0, (size_t)(at - start) + 1);
        }
    }
    *text = at;
    *out = set;
    return true;
}
