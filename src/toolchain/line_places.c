/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/line_places.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/steps.h"
#include "toolchain/margins.h"
#include "toolchain/words.h"

#define LENGTHS 3          /* maximum number of lengths tried for an instruction */
#define NEAR_BYTES 128     /* range of a short branch in bytes */
/* smallest distance in bytes of a branch that may have a long encoding */
#define NEAR_UNSURE 64
#define TRIES_PER_LINE 50  /* maximum number of lengths tried per line of a function */

/* A line that contains an instruction */
struct placed_line {
    size_t line;
    uint64_t length;
    uint32_t function;
    struct line_place target;   /* target of a branch */
    bool call, conditional;
    /* @pad: the line is a nop of unknown length. @displaced: the line has a memory operand with
     * displacement zero. */
    bool pad, displaced;
    uint8_t prefixes;      /* number of repeated prefixes */
    uint8_t choice;        /* index of the assumed length in the list of possible lengths */
    uint64_t offset;
};

struct counting {
    enum isa isa;
    struct line_places *out;
    VEC(struct placed_line) code;
    VEC(struct line_place) targets;   /* branch targets; sorted before lengths are searched */
};

bool line_places_is_local(const char *p, const char *end)
{
    if (end - p < 4 || *p != '<' || p[1] != 'L' || end[-1] != '>')
        return false;
    for (p += 2; p < end - 1 && isdigit((unsigned char)*p); p++)
        ;
    return p == end - 1;
}

bool line_places_heading(const char *p, const char *end)
{
    return end - p > 3 && *p == '<' && end[-1] == ':' && end[-2] == '>' &&
           !line_places_is_local(p, end - 1);
}

bool line_places_is_branch(enum isa isa, const char *p, const char *end)
{
    if (isa_ops(isa)->step > 1)
        return end > p && ((*p | 32) == 'b' || (end - p > 2 && (strncasecmp(p, "cb", 2) == 0 ||
                                                                strncasecmp(p, "tb", 2) == 0)));
    return end > p &&
           ((*p | 32) == 'j' ||
            (end - p > 3 && (strncasecmp(p, "call", 4) == 0 || strncasecmp(p, "loop", 4) == 0)) ||
            word_is(p, end, "xbegin"));
}

struct line_place line_places_named(const struct line_places *places, const char *p,
                                    const char *end)
{
    const char *plus = end;
    struct line_place place = {0, 0};

    if (end - p < 3 || *p != '<' || end[-1] != '>')
        return place;
    while (plus > p && *plus != '+')
        plus--;
    if (plus > p &&
        !hex_end(text_begins(plus + 1, end, "0x") ? plus + 3 : plus + 1, end, &place.offset))
        plus = p;
    const char *stop = plus > p ? plus : end - 1;
    char *name = mem_strndup(p + 1, (size_t)(stop - p - 1));
    const uint32_t number = names_find(&places->functions, name);
    place.function = number == UINT32_MAX ? 0 : number + 1;
    free(name);
    return place;
}

/* Parses the line from @p to @end, which was assembled to @bytes bytes. */
static void line_take(struct counting *c, size_t line, uint32_t function, const char *p,
                      const char *end, uint64_t bytes)
{
    struct placed_line this = {.line = line, .function = function, .length = bytes};
    const char *angle = end;

    while (angle > p && *angle != '<')
        angle--;
    const char *e = word_end(p, end);
    for (; word_is(p, e, "data16") || word_is(p, e, "cs") || word_is(p, e, "ds") ||
           word_is(p, e, "rex.W") || word_is(p, e, "notrack") || word_is(p, e, "bnd");
         e = word_end(p, end)) {
        this.prefixes++;
        p = skip_blank(e, end);
    }
    this.call = strncasecmp(p, "call", 4) == 0;
    this.conditional = (*p | 32) == 'j' && strncasecmp(p, "jmp", 3) != 0;
    this.pad =
        isa_ops(c->isa)->step == 1 && strncasecmp(p, "nop", 3) == 0 && word_end(p, end) < end;
    this.displaced = text_find(p, end, "0x0");
    if (angle > p && line_places_is_branch(c->isa, p, word_end(p, end))) {
        this.target = line_places_named(c->out, angle, end);
        if (this.target.function)
            vec_push(&c->targets, this.target);
    }
    vec_push(&c->code, this);
}

ORDER_BY(place_order, struct line_place, ASCENDING(function) ?: ASCENDING(offset))

/* Stores the possible lengths of @l at its offset, most likely first. Returns their number. @out
 * receives the lengths. */
static unsigned lengths_of(enum isa isa, const struct placed_line *l, uint64_t out[LENGTHS])
{
    /* extra displacement bytes of nops, which are longer in compilers than in assemblers */
    static const uint8_t more[] = {4, 1, 0};

    if (l->pad) {
        for (size_t i = 0; i < LENGTHS; i++)
            out[i] = l->length + l->prefixes + more[i];
        return l->displaced ? 2 : 3;
    }
    out[0] = l->length;
    if (!l->target.function || isa_ops(isa)->step > 1)
        return 1;
    if (l->call) {
        out[0] = 5u + l->prefixes;
        return 1;
    }
    const int64_t far = (int64_t)(l->target.offset - l->offset) - 2 - l->prefixes;
    const bool near = l->target.function == l->function && far >= -NEAR_BYTES && far < NEAR_BYTES;
    const uint64_t long_length = l->prefixes + (l->conditional ? 6u : 5u);
    out[0] = near ? 2u + l->prefixes : long_length;
    out[1] = near ? long_length : 2u + l->prefixes;
    return (near && (far < -NEAR_UNSURE || far > NEAR_UNSURE)) || l->target.function != l->function
               ? 2
               : 1;
}

/* Returns whether a branch targets an address inside @l. */
static bool is_hit_within(const struct counting *c, const struct placed_line *l, uint64_t length)
{
    size_t low = 0, high = c->targets.count;
    const struct line_place after = {l->function, l->offset + 1};

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (place_order(&c->targets.items[middle], &after) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->targets.count && c->targets.items[low].function == l->function &&
           c->targets.items[low].offset < l->offset + length;
}

/* Searches for lengths of the lines from @first to @end, which are all of one function. With these
 * lengths every branch target must be the start of an instruction. Returns false if no such lengths
 * exist, or after too many tries. */
static bool function_count(struct counting *c, size_t first, size_t end)
{
    uint64_t lengths[LENGTHS];
    size_t tries = 0, i = first;

    c->code.items[first].offset = 0;
    c->code.items[first].choice = 0;
    while (i < end) {
        struct placed_line *l = &c->code.items[i];
        const unsigned count = lengths_of(c->isa, l, lengths);
        if (l->choice < count && !is_hit_within(c, l, lengths[l->choice])) {
            if (++i < end) {
                c->code.items[i].offset = l->offset + lengths[l->choice];
                c->code.items[i].choice = 0;
            }
        } else if (l->choice + 1u < count) {
            l->choice++;
        } else {
            while (i > first && c->code.items[i - 1].choice + 1u >=
                                    lengths_of(c->isa, &c->code.items[i - 1], lengths))
                i--;
            if (i == first || ++tries > TRIES_PER_LINE * (end - first))
                return false;
            c->code.items[--i].choice++;
        }
        steps_add(1);
    }
    return true;
}

static void count_places(struct counting *c)
{
    for (size_t first = 0, end; first < c->code.count; first = end) {
        for (end = first + 1;
             end < c->code.count && c->code.items[end].function == c->code.items[first].function;
             end++)
            ;
        const bool known = function_count(c, first, end);
        for (size_t i = first; known && i < end; i++)
            c->out->lines.items[c->code.items[i].line] =
                (struct line_place){c->code.items[i].function, c->code.items[i].offset};
        c->out->known.items[c->code.items[first].function - 1] = known;
    }
}

void line_places_find(const struct assembled *a, const char *text, size_t length,
                      struct line_places *out)
{
    struct counting c = {.isa = a->isa, .out = out};
    struct margins margins;
    struct line_place at = {0, 0};
    size_t next = 0;

    memset(out, 0, sizeof *out);
    margins_find(text, length, isa_ops(a->isa)->step, &margins);
    /* Collects all names first, because a branch may refer to a later name. */
    for (size_t i = 0; i < margins.lines.count; i++) {
        const char *end = text + margins.lines.items[i].end,
                   *p = skip_blank(text + margins.lines.items[i].start, end),
                   *last = trim_end(p, end);
        char *name =
            line_places_heading(p, last) ? mem_strndup(p + 1, (size_t)(last - p - 3)) : NULL;
        if (name)
            names_try_add(&out->functions, name);
        free(name);
        steps_add(1);
    }
    for (size_t i = 0; i < margins.lines.count; i++) {
        const char *end = text + margins.lines.items[i].end,
                   *p = skip_blank(text + margins.lines.items[i].start, end),
                   *last = trim_end(p, end);
        vec_push(&out->lines, (struct line_place){0});
        if (line_places_heading(p, last))
            at = line_places_named(out, p, last - 1);
        uint64_t bytes = 0;
        for (; next < a->line_count && a->lines[next].line <= i + 1; next++)
            if (a->lines[next].line == i + 1)
                bytes += (next + 1 < a->line_count ? a->lines[next + 1].offset : a->length) -
                         a->lines[next].offset;
        if (bytes && at.function)
            line_take(&c, i, at.function, p, last, bytes);
        steps_add(1);
    }
    margins_done(&margins);
    qsort(c.targets.items, c.targets.count, sizeof *c.targets.items, place_order);
    for (size_t i = 0; i < out->functions.count; i++)
        vec_push(&out->known, false);
    count_places(&c);
    vec_done(&c.code);
    vec_done(&c.targets);
    out->counted = true;
}

void line_places_done(struct line_places *places)
{
    names_done(&places->functions);
    vec_done(&places->known);
    vec_done(&places->lines);
}
