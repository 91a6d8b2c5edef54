/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/dispatch_limits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define KEY "dispatch_limits"

static const char *const former[] = {"dispatch_ports", "dispatch_per_cycle"};

static bool refuse(const char *at, struct err *err)
{
    return err_set(err, ERR_DATA, "write limits as 4 of p01; 2 within p23",
                   "%s: invalid dispatch limits \"%.80s\"", KEY, at);
}

/* Skips a port set without verifying its names. Returns false if *@text does not begin with a port
 * set. */
static bool skip_ports(const char **text)
{
    const char *at = *text;
    size_t span = at[0] != 'p'   ? 0
                  : at[1] == '[' ? strcspn(at, "];")
                                 : 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    if (span < 2 || (at[1] == '[' && (at[span] != ']' || span < 3)))
        return false;
    *text = at + span + (at[1] == '[');
    return true;
}

static bool parse_one(const char **text, const struct ports *ports, struct dispatch_limit *out,
                      struct err *err)
{
    const char *at = *text + strspn(*text, " "), *start = at;
    char *end = NULL;
    unsigned long most = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;

    if (most < 1 || most > DISPATCH_MOST || *end != ' ')
        return refuse(start, err);
    at = end + strspn(end, " ");
    size_t span = strcspn(at, " ");
    bool within = span == 6 && memcmp(at, "within", span) == 0;
    if (!within && !(span == 2 && memcmp(at, "of", span) == 0))
        return refuse(start, err);
    at += span + strspn(at + span, " ");
    *out = (struct dispatch_limit){.within = within, .most = (unsigned)most};
    if (ports ? !portset_parse(&at, ports, &out->ports, NULL) : !skip_ports(&at))
        return refuse(start, err);
    *text = at + strspn(at, " ");
    return true;
}

bool dispatch_limits_parse(const char *text, const struct ports *ports, struct dispatch_limits *out,
                           struct err *err)
{
    const char *at = text;

    *out = (struct dispatch_limits){0};
    do {
        if (out->count == DISPATCH_LIMITS_MAX)
            return err_set(err, ERR_LIMIT, "remove limits", "%s has more than %d limits", KEY,
                           DISPATCH_LIMITS_MAX);
        if (!parse_one(&at, ports, &out->items[out->count], err))
            return false;
        out->count++;
    } while (*at == ';' && at++);
    return !*at || refuse(at, err);
}

void dispatch_limits_of(const struct machine *m, struct dispatch_limits *out)
{
    const char *text = machine_fact(m, "dispatch_limits");

    if (!text || !dispatch_limits_parse(text, mapping_ports(m->mapping), out, NULL))
        *out = (struct dispatch_limits){0};
}

bool dispatch_limits_former(const char *key)
{
    return str_same(key, former[0]) || str_same(key, former[1]);
}

static const struct machine_fact *fact_named(const struct machine *m, const char *key)
{
    for (size_t i = 0; i < m->fact_count; i++)
        if (strcmp(m->facts[i].key, key) == 0)
            return &m->facts[i];
    return NULL;
}

bool dispatch_limits_from_former(struct machine *facts, struct err *err)
{
    const struct machine_fact *ports = fact_named(facts, former[0]),
                              *most = fact_named(facts, former[1]);
    struct dispatch_limits ignored;
    struct str text = {0}, source = {0};
    bool ok = ports && most;

    if (!ports && !most)
        return true;
    if (ok) {
        str_addf(&text, "%s of %s", most->value, ports->value);
        str_add(&source, ports->source);
        ok = dispatch_limits_parse(str_text(&text), NULL, &ignored, err);
    } else {
        err_set(err, ERR_DATA, "write " KEY ", as in 4 of p01",
                "%s and %s are needed together; a single one is ignored", former[0], former[1]);
    }
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        machine_drop_fact(facts, former[i]);
    if (ok)
        machine_set_fact(facts, KEY, str_text(&text), "", str_text(&source));
    str_done(&source);
    str_done(&text);
    return ok;
}
