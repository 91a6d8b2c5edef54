/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hunt/blocks.h"

#include "hunt/pattern.h"

/* maximum number of attempts to draw a block that does not mix encodings */
#define ATTEMPTS 16

/* Draws a block of the pattern that results if one form, address or register of @b is
 * generalised. */
static void draw_neighbour(const struct block_maker *m, const struct random_block *b,
                           struct rng *rng, struct random_block *out)
{
    struct pattern p, wider;
    size_t n = b->count, at = rng_below(rng, n);

    pattern_of(b, &p);
    switch (rng_below(rng, 3)) {
    case 0:   /* Generalises the form to its mnemonic, then to its operation. */
        pattern_relax(&p, at, &wider);
        pattern_relax(&wider, n + at, &p);
        break;
    case 1:
        if (pattern_relax(&p, 2 * n + at, &wider)) {
            p = wider;
            break;
        }
        /* fall through */
    default:
        if (p.classes && pattern_relax(&p, 3 * n + rng_below(rng, p.classes), &wider))
            p = wider;
    }
    pattern_draw(&p, m, rng, out);
}

static void exchange(struct random_block *b, struct rng *rng)
{
    size_t one = rng_below(rng, b->count), other = rng_below(rng, b->count);
    struct random_block was = *b;

    b->insns[one] = was.insns[other];
    b->forms[one] = was.forms[other];
    b->insns[other] = was.insns[one];
    b->forms[other] = was.forms[one];
}

static void change_once(const struct block_maker *m, struct rng *rng, struct random_block *b)
{
    struct random_block from = *b, one;

    switch (rng_below(rng, 6)) {
    case 0:
        if (b->count < BLOCK_INSNS) {
            block_random(m, 1, rng, &one);
            block_insert(b, rng_below(rng, b->count + 1), &one, 0);
        }
        break;
    case 1:
        if (b->count > 1)
            block_without(b, rng_below(rng, b->count));
        break;
    case 2:
        exchange(b, rng);
        break;
    default:
        draw_neighbour(m, &from, rng, b);
    }
}

bool block_mutate(const struct block_maker *m, const struct random_block *from, struct rng *rng,
                  struct random_block *out)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        *out = *from;
        for (unsigned changes = 1 + (unsigned)rng_below(rng, 2); changes > 0; changes--)
            change_once(m, rng, out);
        if (!block_mixed(out))
            return true;
    }
    return false;
}
