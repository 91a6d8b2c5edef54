/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/rewrite.h"

#include <string.h>

static const struct isa_rewrite *rewrite_of(const struct insn *in)
{
    return isa_ops((enum isa)in->isa)->rewrite;
}

static bool decode(const struct insn *in, const uint8_t *bytes, size_t length, struct insn *out)
{
    if (!length || !insn_decode((enum isa)in->isa, bytes, length, in->offset, false, out, NULL) ||
        out->length != length)
        return false;
    out->line = in->line;
    out->origin = in->origin;
    return true;
}

static bool is_whole(const struct insn *in)
{
    return !(in->traits & (INSN_REFERS | INSN_RIP_RELATIVE));
}

bool rewrite_next(const struct insn *in, size_t *at, struct insn out[REWRITTEN_MOST],
                  unsigned *count, uint32_t *loses, const char **what)
{
    struct isa_rewritten made;

    while (is_whole(in) && rewrite_of(in) && rewrite_of(in)->next &&
           rewrite_of(in)->next(in, at, &made)) {
        bool ok = made.count > 0;
        for (unsigned i = 0; ok && i < made.count; i++)
            ok = decode(in, made.bytes[i], made.lengths[i], &out[i]);
        *count = made.count;
        *loses = made.loses;
        *what = made.what;
        if (ok)
            return true;
    }
    return false;
}

bool rewrite_steps(const struct insn *in, int64_t times, struct insn *out)
{
    uint8_t bytes[16];
    return is_whole(in) && rewrite_of(in) && rewrite_of(in)->steps &&
           decode(in, bytes, rewrite_of(in)->steps(in, times, bytes), out);
}

bool rewrite_sum(const struct insn *in, struct isa_sum *out)
{
    return rewrite_of(in) && rewrite_of(in)->sum && rewrite_of(in)->sum(in, out);
}

bool rewrite_sum_stay(const struct insn *in, uint8_t *from, struct insn *out)
{
    uint8_t bytes[16];
    return rewrite_of(in) && rewrite_of(in)->sum_stay &&
           decode(in, bytes, rewrite_of(in)->sum_stay(in, from, bytes), out);
}

bool rewrite_sum_low(const struct insn *in, uint8_t reg, struct insn *out)
{
    uint8_t bytes[16];
    return rewrite_of(in) && rewrite_of(in)->sum_low &&
           decode(in, bytes, rewrite_of(in)->sum_low(in, reg, bytes), out);
}

bool rewrite_sum_begin(const struct insn *in, uint8_t reg, struct insn *out)
{
    uint8_t bytes[16];
    return rewrite_of(in) && rewrite_of(in)->sum_begin &&
           decode(in, bytes, rewrite_of(in)->sum_begin(in, reg, bytes), out);
}

bool rewrite_sum_end(const struct insn *in, uint8_t reg, struct insn *out)
{
    uint8_t bytes[16];
    return rewrite_of(in) && rewrite_of(in)->sum_end &&
           decode(in, bytes, rewrite_of(in)->sum_end(in, reg, bytes), out);
}

size_t rewrite_at_address(const struct insn *in, uint8_t base, uint8_t index, int32_t displacement,
                          uint8_t out[16])
{
    struct insn again;
    const size_t length = rewrite_of(in) && rewrite_of(in)->at_address
                              ? rewrite_of(in)->at_address(in, base, index, displacement, out)
                              : 0;

    return decode(in, out, length, &again) && strcmp(again.mnemonic, in->mnemonic) == 0 ? length
                                                                                        : 0;
}

void rewrite_print(const struct insn *in, bool att, struct str *out)
{
    struct insn again;

    if (rewrite_of(in) && rewrite_of(in)->print) {
        rewrite_of(in)->print(in, att, out);
    } else if (insn_decode((enum isa)in->isa, in->bytes, in->length, in->offset, true, &again,
                           NULL)) {
        str_add(out, again.text ? again.text : "");
        insn_done(&again);
    }
}
