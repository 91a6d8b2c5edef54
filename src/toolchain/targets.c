/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/listing.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "toolchain/dialect.h"
#include "toolchain/line_places.h"
#include "toolchain/words.h"

void target_label(const struct listing *l, const char *p, const char *end, struct str *out)
{
    str_addf(out, "%sfunction%zu_%.*s", LISTING_ADDRESS_LABEL, l->headings, (int)(end - p - 2),
             p + 1);
}

/* Finds the operand whose address llvm-objdump --symbolize-operands printed at the end of the line:
 * `leaq , %rdx <x>`, `mov rax, qword ptr <x>`. Returns NULL if there is none. */
static const char *operand_gap(const char *p, const char *end)
{
    bool empty = true;

    for (const char *at = p; at < end; at++) {
        if (*at == ',' && empty)
            return at;
        empty = *at == ',' || (empty && isspace((unsigned char)*at));
    }
    return empty || (end - p > 3 && strncasecmp(end - 3, "ptr", 3) == 0) ? end : NULL;
}

void target_clean(const struct listing *l, const char *p, const char *end, unsigned section,
                  struct str *out)
{
    const char *e = word_end(p, end);
    while (word_is(p, e, "bnd") || word_is(p, e, "notrack")) {
        str_add_bytes(out, p, (size_t)(e - p));
        str_add_char(out, ' ');
        p = skip_blank(e, end);
        e = word_end(p, end);
    }
    /* Skips padding prefixes before nops and TLS calls, because `as` rejects this number of
     * prefixes. */
    const char *padded = p;
    while (word_is(padded, word_end(padded, end), "data16") ||
           word_is(padded, word_end(padded, end), "cs") ||
           word_is(padded, word_end(padded, end), "ds") ||
           word_is(padded, word_end(padded, end), "rex.W"))
        padded = skip_blank(word_end(padded, end), end);
    if (padded > p && end - padded >= 4 &&
        (strncasecmp(padded, "nop", 3) == 0 || strncasecmp(padded, "call", 4) == 0)) {
        p = padded;
        e = word_end(p, end);
    }
    bool flow = e > p && ((*p | 32) == 'j' || strncasecmp(p, "call", 4) == 0 ||
                          strncasecmp(p, "loop", 4) == 0 || word_is(p, e, "xbegin"));
    const char *mnemonic_end = e;
    const char *comma = memchr(p, ',', (size_t)(end - p));
    if (flow && comma && *e == ',') {   /* The branch has a hint, as in jne,pn. */
        e = word_end(comma + 1, end);
        mnemonic_end = e;
    }
    const char *operand = skip_blank(e, end);
    if (flow && end - operand > 2 && operand[0] == '0' && (operand[1] | 32) == 'x')
        operand += 2;
    const char *round = flow && end > operand && end[-1] == ')'
                            ? memchr(operand, '(', (size_t)(end - operand))
                            : NULL;
    uint64_t address, low;
    /* Windows debuggers print `jne f+20h (07FF6C2D51020h)`, perhaps with "`" between the halves of
     * the address. */
    if (round && hex_end(round + 1, end, &address)) {
        const char *digits = hex_end(round + 1, end, &address);
        if (*digits == '`' && hex_end(digits + 1, end, &low)) {
            digits = hex_end(digits + 1, end, &low);
            address = address << 32 | low;
        }
        digits += (*digits | 32) == 'h';
        if (digits + 1 == end) {
            str_add_bytes(out, p, (size_t)(mnemonic_end - p));
            str_addf(out, " %s%u_%llx", LISTING_ADDRESS_LABEL, section,
                     (unsigned long long)address);
            return;
        }
    }
    const char *a = flow ? hex_end(operand, end, &address) : NULL;
    if (a && (a == end || skip_blank(a, end) == end || *skip_blank(a, end) == '<')) {
        str_add_bytes(out, p, (size_t)(mnemonic_end - p));
        str_addf(out, " %s%u_%llx", LISTING_ADDRESS_LABEL, section, (unsigned long long)address);
        return;
    }
    const char *angle = memchr(p, '<', (size_t)(end - p)),
               *code_end = angle && angle > p && angle[-1] == ' ' ? angle : end;
    const char *gap =
        !flow && code_end == angle ? operand_gap(operand, trim_end(operand, angle)) : NULL;
    if (gap) {
        str_add_bytes(out, p, (size_t)(gap - p));
        str_add(out, l->syntax == SYNTAX_INTEL ? "[rip]" : "(%rip)");
        p = gap;
    }
    str_add_bytes(out, p, (size_t)(code_end - p));
}

unsigned target_place(struct listing *l, const struct line_places *places, const char *p,
                      const char *end, unsigned section, struct str *out)
{
    const char *angle = end, *e = word_end(p, end);

    for (; word_is(p, e, "data16") || word_is(p, e, "rex.W") || word_is(p, e, "bnd") ||
           word_is(p, e, "notrack");
         e = word_end(p, end))
        p = skip_blank(e, end);
    while (angle > p && *angle != '<')
        angle--;
    if (angle == p || end[-1] != '>' || !line_places_is_branch(l->isa, p, e))
        return section;
    if (line_places_is_local(angle, end)) {
        str_add_bytes(out, p, (size_t)(angle - p));
        target_label(l, angle, end, out);
        return section;
    }
    if (!l->names_only)
        return section;
    l->unplaced = true;
    if (!places)
        return section;
    const char *stop = trim_end(e, angle), *number = stop;
    while (number > e && (isxdigit((unsigned char)number[-1]) || (number[-1] | 32) == 'x'))
        number--;
    /* Skips the address that LLVM prints before the name. */
    number =
        number > e && (isspace((unsigned char)number[-1]) || number[-1] == ',') && number < stop
            ? number
            : stop;
    str_add_bytes(out, p, (size_t)(number - p));
    const struct line_place place = line_places_named(places, angle, end);
    if (!places->counted) {
        str_add(out, " .");
    } else if (!place.function) {   /* Keeps the name of the target, which is in another file. */
        str_add_char(out, ' ');
        dialect_quote(angle + 1, end - 1, out);
    } else if (places->known.items[place.function - 1]) {
        str_addf(out, " %llx", (unsigned long long)place.offset);
        return place.function;
    } else {
        str_add(out, " .");
        vec_add(&l->refused,
                ((struct diagnostic){l->spans.count + 1, mem_strndup(p, (size_t)(end - p)),
                                     mem_strdup("the target cannot be determined; print the "
                                                "listing with addresses or bytes")}));
    }
    return section;
}
