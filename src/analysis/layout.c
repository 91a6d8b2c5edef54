/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory_time.h"

#define APART 1088            /* bytes between the page offsets of consecutive arrays */
#define PAGE 4096
#define LEAST_ITERATIONS 4
/* Bytes of padding before and after each array, because vectors may access bytes outside it. */
#define GUARD 256
#define SPACING_MOST 65536
#define RING_LEAST 4
/* Largest range in bytes of computed indices. An index with a larger range is treated as
 * unlimited. */
#define RANGE_MOST 17179869184.0

/* Streams whose addresses have the same sum of registers */
struct array_region {
    const struct stream *one;
    /* @low to @high: bytes accessed per iteration, relative to the sum. @step: stride in bytes per
     * iteration. */
    int64_t low, high, step;
    bool walks, ring;         /* whether the streams walk in order (STREAM_WALK), or are a chase */
    uint64_t at, bytes;       /* offset and size in the arena */
    /* value of the sum of registers, as an offset in the arena */
    uint64_t sum;
    /* index of the region with an earlier stream of the same array; STREAM_ALONE: none */
    uint32_t joined;
    int64_t distance;         /* bytes from the register sum of region @joined to the sum of this
                               * region */
    double range;             /* gather, chase: number of bytes that the accesses can reach */
};

struct planner {
    const struct insn *insns;
    const struct streams *streams;
    struct array_region regions[ARRAYS_MOST];
    unsigned count;
    uint32_t region_of[256];
    struct arrays *out;
};

static bool refuse_at(const struct planner *p, uint32_t insn, const char *why, struct err *err)
{
    const struct insn *in = &p->insns[insn];
    const char *text = in->text ? in->text + strspn(in->text, " \t") : in->mnemonic;

    if (in->line)
        return err_set(err, ERR_DATA, NULL, "%s (line %u: %.80s)", why, in->line, text);
    return err_set(err, ERR_DATA, NULL, "%s (instruction %u: %.80s)", why, insn + 1, text);
}

static bool regions_find(struct planner *p, struct err *err)
{
    const struct streams *all = p->streams;

    if (all->items.count > sizeof p->region_of / sizeof *p->region_of)
        return err_set(err, ERR_DATA, "load a smaller loop", "the loop has more than %zu streams",
                       sizeof p->region_of / sizeof *p->region_of);
    for (size_t i = 0; i < all->items.count; i++) {
        const struct stream *s = &all->items.items[i];
        struct array_region *r = NULL;
        p->region_of[i] = STREAM_ALONE;
        if (s->kind == STREAM_FIXED)
            continue;
        for (unsigned k = 0; !r && k < p->count; k++)
            if (stream_shares_array(p->regions[k].one, s))
                r = &p->regions[k];
        if (!r && p->count == ARRAYS_MOST)
            return refuse_at(p, s->insn, "the layout has too many arrays", err);
        if (!r) {
            r = &p->regions[p->count++];
            *r = (struct array_region){.one = s,
                                       .low = s->low,
                                       .high = s->high,
                                       .step = s->step,
                                       .walks = s->kind == STREAM_WALK,
                                       .ring = s->kind == STREAM_CHASE,
                                       .joined = STREAM_ALONE};
        }
        r->low = s->low < r->low ? s->low : r->low;
        r->high = s->high > r->high ? s->high : r->high;
        r->range = fmax(r->range, stream_range(s));
        p->region_of[i] = (uint32_t)(r - p->regions);
    }
    for (size_t i = 0; i < all->items.count; i++) {
        const struct stream *s = &all->items.items[i];
        if (s->follows == STREAM_ALONE || p->region_of[i] == p->region_of[s->follows] ||
            p->region_of[i] == STREAM_ALONE)
            continue;
        struct array_region *r = &p->regions[p->region_of[i]];
        r->joined = p->region_of[s->follows];
        r->distance = s->step > 0 ? -(int64_t)s->distance : (int64_t)s->distance;
    }
    return true;
}

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? (uint64_t)0 - (uint64_t)x : (uint64_t)x;
}

/* Divides @bytes between the arrays of gathers and chases. An array gets at most its range; the
 * others get equal parts of the rest. */
static void random_bytes(struct planner *p, double bytes)
{
    unsigned open = 0;
    bool limited = true;

    for (unsigned i = 0; i < p->count; i++)
        open += !p->regions[i].walks;
    while (open && limited) {
        limited = false;
        for (unsigned i = 0; i < p->count; i++) {
            struct array_region *r = &p->regions[i];
            if (r->walks || r->bytes || r->range > bytes / open)
                continue;
            r->bytes = (uint64_t)r->range;
            bytes -= r->range;
            open--;
            limited = open > 0;
        }
    }
    for (unsigned i = 0; i < p->count; i++)
        if (!p->regions[i].walks && !p->regions[i].bytes)
            p->regions[i].bytes = (uint64_t)(bytes / open);
}

/* Computes the iterations after which walks restart, and the offset of each region. Returns false
 * with err on failure. */
static bool regions_place(struct planner *p, uint64_t bytes, struct err *err)
{
    const double random = memory_region(p->streams, (double)bytes);
    uint64_t steps = 0, extra = 0, at = PAGE;

    for (unsigned i = 0; i < p->count; i++) {
        const struct array_region *r = &p->regions[i];
        if (r->walks && r->joined == STREAM_ALONE) {
            steps += magnitude(r->step);
            extra += (uint64_t)(r->high - r->low) > magnitude(r->step)
                         ? (uint64_t)(r->high - r->low) - magnitude(r->step)
                         : 0;
        }
    }
    const uint64_t walked = bytes - (uint64_t)random;
    random_bytes(p, random);
    if (steps) {
        p->out->iterations = (walked > extra ? walked - extra : 0) / steps;
        if (p->out->iterations < LEAST_ITERATIONS)
            return err_set(err, ERR_USAGE, "choose a larger --size",
                           "the strides of the loop's accesses, %llu bytes in total, need arrays "
                           "of more than %llu bytes",
                           (unsigned long long)steps, (unsigned long long)bytes);
    }
    for (unsigned i = 0; i < p->count; i++) {
        struct array_region *r = &p->regions[i];
        if (r->joined != STREAM_ALONE)
            continue;
        if (r->walks)
            r->bytes = p->out->iterations * magnitude(r->step) + (uint64_t)(r->high - r->low);
        at = (at + GUARD + PAGE - 1) / PAGE * PAGE + i * APART % PAGE;
        r->at = at;
        /* Aligns the sum of registers to a line, like an array. */
        r->sum = at + (r->low < 0 ? (magnitude(r->low) + 63) / 64 * 64 : 0) +
                 (r->walks && r->step < 0 ? (p->out->iterations - 1) * magnitude(r->step) : 0);
        r->sum = (r->sum + 63) / 64 * 64;
        at = r->sum + (r->walks && r->step > 0 ? p->out->iterations * magnitude(r->step) : 0) +
             (r->high > 0 ? (uint64_t)r->high : 0) + GUARD;
        at = at < r->at + r->bytes + 64 ? r->at + r->bytes + 64 : at;
        if (r->walks)
            p->out->walked[p->out->walked_count++] =
                (struct array_walked){r->at, r->bytes, r->step < 0};
    }
    for (unsigned i = 0; i < p->count; i++)
        for (struct array_region *r = &p->regions[i]; r->joined != STREAM_ALONE && !r->sum;) {
            const struct array_region *other = &p->regions[r->joined];
            int64_t from = (int64_t)other->sum + r->distance;
            if (other->joined != STREAM_ALONE || from < 0)
                return err_set(
                    err, ERR_USAGE, "give the first stream of the array, or a smaller distance",
                    "the other stream is not the first of its array, or the distance is too large");
            r->sum = (uint64_t)from;
        }
    p->out->bytes = (at + PAGE - 1) / PAGE * PAGE;
    return true;
}

static unsigned uses(const struct planner *p, uint8_t reg)
{
    unsigned n = 0;
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->regions[i].one->term_count; k++)
            n += p->regions[i].one->terms[k].reg == reg;
    return n;
}

static void give(struct planner *p, uint8_t reg, uint64_t value, bool inside)
{
    p->out->given |= 1u << reg;
    p->out->inside |= inside ? 1u << reg : 0;
    p->out->values[reg] = value;
}

static bool is_given(const struct planner *p, uint8_t reg)
{
    return p->out->given >> reg & 1;
}

/* Sets index registers to 0. An index register is a register with a scale. If an address has
 * several other registers, all except one become index registers, first those that most arrays
 * use. */
static void give_indices(struct planner *p)
{
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->regions[i].one->term_count; k++)
            if (p->regions[i].one->terms[k].factor != 1)
                give(p, p->regions[i].one->terms[k].reg, 0, false);
    for (unsigned i = 0; i < p->count; i++) {
        const struct stream *s = p->regions[i].one;
        for (;;) {
            unsigned open = 0, most = 0;
            uint8_t index = 0;
            for (unsigned k = 0; k < s->term_count; k++) {
                if (is_given(p, s->terms[k].reg))
                    continue;
                open++;
                if (uses(p, s->terms[k].reg) >= most) {
                    most = uses(p, s->terms[k].reg);
                    index = s->terms[k].reg;
                }
            }
            if (open < 2)
                break;
            give(p, index, 0, false);
        }
    }
}

/* Returns the number of bytes per iteration by which the registers set so far advance the address
 * of @s. */
static int64_t given_step(const struct planner *p, const struct stream *s)
{
    int64_t step = 0;

    for (unsigned i = 0; i < p->out->count; i++)
        for (unsigned k = 0; k < s->term_count; k++)
            step += p->out->arrays[i].reg == s->terms[k].reg
                        ? p->out->arrays[i].step * s->terms[k].factor
                        : 0;
    return step;
}

/* Returns the term of @s whose register points, or may point, into the arena; NULL: none. */
static const struct stream_term *leading_term(const struct planner *p, const struct stream *s)
{
    const struct stream_term *found = NULL;

    for (unsigned k = 0; k < s->term_count; k++) {
        const struct stream_term *t = &s->terms[k];
        if (p->out->inside >> t->reg & 1)
            return t;
        if (!found && (!is_given(p, t->reg) || !p->out->values[t->reg]) && t->factor >= 1 &&
            t->factor <= 8)
            found = t;
    }
    return found;
}

/* Sets the address of an array with a symbol. One register of the address points into the arena,
 * for all arrays that use it. Returns false with err on failure. */
static bool give_place(struct planner *p, const struct array_region *r, struct err *err)
{
    const struct stream *s = r->one;
    const struct stream_term *lead = leading_term(p, s);

    for (unsigned k = 0; lead && k < s->term_count; k++)
        if (!is_given(p, s->terms[k].reg))
            give(p, s->terms[k].reg, 0, false);
    if (lead && !(p->out->inside >> lead->reg & 1)) {
        give(p, lead->reg, 0, true);
        p->out->factors[lead->reg] = (uint8_t)lead->factor;
        p->out->arrays[p->out->count++] =
            (struct array){.reg = lead->reg, .step = r->step / lead->factor};
    }
    if (!lead || p->out->factors[lead->reg] != lead->factor || given_step(p, s) != r->step ||
        r->sum > INT32_MAX)
        return refuse_at(p, s->insn,
                         "no separate memory can be assigned to this array, because of its address",
                         err);
    p->out->places[p->out->place_count].symbol = s->place;
    p->out->places[p->out->place_count++].at = r->sum;
    return true;
}

static bool give_bases(struct planner *p, struct err *err)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->regions[i].one->place && !give_place(p, &p->regions[i], err))
            return false;
    for (unsigned i = 0; i < p->count; i++) {
        const struct array_region *r = &p->regions[i];
        const struct stream *s = r->one;
        uint64_t have = 0;
        uint8_t base = UINT8_MAX;
        bool inside = false;
        for (unsigned k = 0; k < s->term_count && !s->place; k++) {
            uint8_t reg = s->terms[k].reg;
            if (!is_given(p, reg)) {
                base = reg;
            } else {
                have += p->out->values[reg] * (uint64_t)s->terms[k].factor;
                inside |= p->out->inside >> reg & 1;
            }
        }
        if (s->place)
            continue;
        if (base == UINT8_MAX && !inside)
            return refuse_at(p, s->insn,
                             "no separate memory can be assigned to this array, because each "
                             "register of its address is also used by another array",
                             err);
        if (base == UINT8_MAX && (have < magnitude(r->low) ||
                                  have + r->bytes + magnitude(r->high) > p->out->bytes + PAGE))
            return refuse_at(p, s->insn,
                             "no separate memory can be assigned to this array, because its "
                             "registers are set for other arrays, whose memory does not contain "
                             "its address",
                             err);
        if (base != UINT8_MAX) {
            give(p, base, r->sum - have, !inside);
            p->out->arrays[p->out->count++] =
                (struct array){.reg = base, .step = r->step - given_step(p, s)};
        }
    }
    return true;
}

static bool fill_ring(struct planner *p, const struct array_region *r, struct err *err)
{
    uint64_t spacing = STREAM_LINE, places = RING_LEAST, all;

    if (r->one->link < 0 || r->low < 0 || r->high > SPACING_MOST)
        return refuse_at(
            p, r->one->insn,
            "the accesses are before the address in the pointer, or too far after that address",
            err);
    while (spacing < (uint64_t)r->high)
        spacing *= 2;
    /* Computes the number of elements of a ring that fit into the region (enum
     * arrays_fill_kind). */
    all = r->bytes / spacing;
    while (places * 2 <= all)
        places *= 2;
    places = all >= RING_LEAST ? places / RING_LEAST * (all / (places / RING_LEAST)) : RING_LEAST;
    p->out->fills[p->out->fill_count++] = (struct arrays_fill){.kind = ARRAYS_RING,
                                                               .at = r->sum,
                                                               .bytes = places * spacing,
                                                               .spacing = (uint32_t)spacing,
                                                               .link = (uint32_t)r->one->link};
    uint64_t round = places / (r->one->hops ? r->one->hops : 1);
    p->out->round = round > p->out->round ? round : p->out->round;
    for (unsigned i = 0; i < p->out->count; i++)
        if (p->out->arrays[i].reg == r->one->terms[0].reg) {
            p->out->arrays[i].places = places;
            p->out->arrays[i].spacing = (uint32_t)spacing;
        }
    return true;
}

/* Returns the number of values of a loaded index with which gather @s stays within its array;
 * INFINITY for computed indices. */
static double indices_of(const struct planner *p, const struct stream *s)
{
    const struct array_region *to = &p->regions[p->region_of[s - p->streams->items.items]];
    const double used = (double)(to->high - to->low);

    if (s->computed)
        /* Computed indices do not depend on the content of the array of indices. */
        return INFINITY;
    return fmin(s->values, floor(fmax(1, (double)to->bytes - used) / s->scale));
}

/* Returns whether all computed indices of gather @s are within its array. Otherwise sets err. */
static bool computed_fits(const struct planner *p, const struct stream *s, struct err *err)
{
    const double range = stream_range(s) - s->scale,
                 bytes = (double)p->regions[p->region_of[s - p->streams->items.items]].bytes;

    if (range > RANGE_MOST)
        return refuse_at(p, s->insn,
                         "the index is computed, and no operation limits it to the array", err);
    return range <= bytes ||
           err_set(err, ERR_USAGE, "choose a larger --size",
                   "the computed indices of instruction %u reach %.0f bytes, but its array has "
                   "%.0f bytes",
                   s->insn + 1, range, bytes);
}

/* Fills the array of the indices of gather @s. The indices are valid for all gathers that use this
 * array. */
static bool fill_indices(struct planner *p, const struct stream *s, struct err *err)
{
    const struct streams *all = p->streams;
    const struct stream *index = &all->items.items[s->fed_by];
    const struct array_region *from =
        p->region_of[s->fed_by] == STREAM_ALONE ? NULL : &p->regions[p->region_of[s->fed_by]];
    double range = indices_of(p, s);

    if (!from || !from->walks || !index->index_bytes)
        return refuse_at(p, s->insn, "the index is not loaded from an array", err);
    if (p->out->fill_count == ARRAYS_MOST)
        return refuse_at(p, s->insn, "the layout has too many arrays", err);
    for (size_t i = 0; i < all->items.count; i++) {
        const struct stream *other = &all->items.items[i];
        if (other->kind != STREAM_GATHER || p->region_of[other->fed_by] != p->region_of[s->fed_by])
            continue;
        if (other->computed != s->computed)
            return refuse_at(p, other->insn,
                             "one array contains both indices and numbers from which indices are "
                             "computed",
                             err);
        if (other->computed && !computed_fits(p, other, err))
            return false;
        range = fmin(range, indices_of(p, other));
        if (all->items.items[other->fed_by].index_bytes != index->index_bytes)
            return refuse_at(p, other->insn, "indices of one array have different sizes", err);
    }
    p->out->fills[p->out->fill_count++] = (struct arrays_fill){
        .kind = ARRAYS_INDICES,
        .at = from->at,
        .bytes = p->out->bytes > from->at + from->bytes + 64 ? from->bytes + 64
                                                             : p->out->bytes - from->at,
        .unit = index->index_bytes,
        .range = s->computed ? 0 : range < 1 ? 1 : (uint64_t)range};
    return true;
}

static bool fills_find(struct planner *p, struct err *err)
{
    for (size_t i = 0; i < p->streams->items.count; i++) {
        const struct stream *s = &p->streams->items.items[i];
        bool again = false;
        for (size_t k = 0; k < i; k++) {
            const struct stream *other = &p->streams->items.items[k];
            again |=
                s->kind == other->kind &&
                (s->kind == STREAM_GATHER ? p->region_of[s->fed_by] == p->region_of[other->fed_by]
                                          : p->region_of[i] == p->region_of[k]);
        }
        if (again || (s->kind != STREAM_GATHER && s->kind != STREAM_CHASE))
            continue;
        if (!(s->kind == STREAM_GATHER ? fill_indices(p, s, err)
                                       : fill_ring(p, &p->regions[p->region_of[i]], err)))
            return false;
    }
    return true;
}

bool layout_arrays(const struct insn *insns, const struct streams *s, uint64_t bytes,
                   struct arrays *out, struct err *err)
{
    struct planner p = {.insns = insns, .streams = s, .out = out};

    *out = (struct arrays){0};
    if (s->unknown)
        return refuse_at(&p, s->unknown - 1, s->why, err);
    if (!regions_find(&p, err))
        return false;
    if (!p.count)
        return err_set(err, ERR_DATA, "kernel measure measures this loop",
                       "no memory access whose address changes");
    if (!regions_place(&p, bytes, err))
        return false;
    give_indices(&p);
    return give_bases(&p, err) && fills_find(&p, err);
}
