/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/usage.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/steps.h"

void usage_done(struct usage *usage)
{
    free(usage->uops);
    *usage = (struct usage){0};
}

void usage_copy(struct usage *to, const struct usage *from)
{
    to->count = from->count;
    to->uops = NULL;
    if (from->count) {
        to->uops = mem_alloc(from->count * sizeof *to->uops);
        memcpy(to->uops, from->uops, from->count * sizeof *to->uops);
    }
}

void usage_add(struct usage *usage, portset ports, uint32_t count)
{
    unsigned at = 0;

    while (at < usage->count && usage->uops[at].ports < ports)
        at++;
    if (at < usage->count && usage->uops[at].ports == ports) {
        uint32_t room = UINT32_MAX - usage->uops[at].count;
        usage->uops[at].count += count < room ? count : room;
        return;
    }
    usage->uops = mem_resize(usage->uops, (usage->count + 1) * sizeof *usage->uops);
    memmove(usage->uops + at + 1, usage->uops + at, (usage->count - at) * sizeof *usage->uops);
    usage->uops[at] = (struct uop){ports, count};
    usage->count++;
}

bool usage_equal(const struct usage *a, const struct usage *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (a->uops[i].ports != b->uops[i].ports || a->uops[i].count != b->uops[i].count)
            return false;
    return true;
}

uint64_t usage_volume(const struct usage *usage)
{
    uint64_t volume = 0;
    for (unsigned i = 0; i < usage->count; i++)
        volume += (uint64_t)usage->uops[i].count * portset_size(usage->uops[i].ports);
    return volume;
}

void usage_print(const struct usage *usage, const struct ports *ports, struct str *out)
{
    for (unsigned i = 0; i < usage->count; i++) {
        str_addf(out, "%s%u*", i ? "+" : "", usage->uops[i].count);
        portset_print(usage->uops[i].ports, ports, out);
    }
}

static bool fault(const char *start, const char *at, struct err *err)
{
    return err_at(err, NULL, 0, (size_t)(at - start) + 1);
}

static bool count_fault(const char *start, const char *at, struct err *err)
{
    err_set(err, ERR_DATA, "use counts from 1 to 100000", "the count at \"%.16s\" is out of range",
            at);
    return fault(start, at, err);
}

/* Parses a count before a port set, such as "12*". Sets *@count to 1 if there is no count. */
static bool parse_count(const char *start, const char **at, uint32_t *count, struct err *err)
{
    *count = 1;
    if (!isdigit((unsigned char)**at))
        return true;
    char *end;
    unsigned long value = strtoul(*at, &end, 10);
    if (value == 0 || value > USAGE_COUNT_MAX)
        return count_fault(start, *at, err);
    if (*end != '*') {
        err_set(err, ERR_DATA, "write usages as 1*p0156+1*p23", "expected '*' after %lu", value);
        return fault(start, end, err);
    }
    *count = (uint32_t)value;
    *at = end + 1;
    return true;
}

static uint32_t count_of(const struct usage *usage, portset ports)
{
    for (unsigned i = 0; i < usage->count; i++)
        if (usage->uops[i].ports == ports)
            return usage->uops[i].count;
    return 0;
}

bool usage_parse(const char *text, const struct ports *ports, struct usage *out, struct err *err)
{
    const char *at = text;

    *out = (struct usage){0};
    if (!*at)
        return true;
    for (;;) {
        const char *term = at;
        uint32_t count;
        portset set;
        steps_add(1 + out->count);
        if (!parse_count(text, &at, &count, err))
            goto out;
        const char *set_at = at;
        if (!portset_parse(&at, ports, &set, err)) {
            if (err)
                err->column += (size_t)(set_at - text);
            goto out;
        }
        if (count > USAGE_COUNT_MAX - count_of(out, set)) {
            count_fault(text, term, err);
            goto out;
        }
        if (out->count == USAGE_SETS_MAX && !count_of(out, set)) {
            err_set(err, ERR_LIMIT, NULL, "more than %u distinct port sets in one usage",
                    USAGE_SETS_MAX);
            fault(text, term, err);
            goto out;
        }
        usage_add(out, set, count);
        if (!*at)
            return true;
        if (*at != '+') {
            err_set(err, ERR_DATA, "write usages as 1*p0156+1*p23", "expected '+' at \"%.16s\"",
                    at);
            fault(text, at, err);
            goto out;
        }
        at++;
    }
out:
    usage_done(out);
    return false;
}
