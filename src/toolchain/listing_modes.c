/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/listing_modes.h"

#include <string.h>

#include "base/watch.h"
#include "toolchain/words.h"

#define PREFIX_ADDRESS 0x67 /* prefix of addresses of 32 bits in 64-bit code */

static void refuse(struct mode_lines *out, size_t number, const char *reason)
{
    vec_add(&out->list, ((struct mode_line){number, reason}));
}

/* Lists the conditions of the C preprocessor, which assemblers read as comments. Requires an
 * `#endif`, because other comments may begin with `#if`. */
static void refuse_conditions(struct mode_lines *out, const char *text, const struct margins *m)
{
    static const char *const words[] = {"#if",   "#ifdef", "#ifndef", "#elif",
                                        "#else", "#endif", NULL};
    size_t first = out->list.count;
    bool ends = false;

    for (size_t i = 0; i < m->lines.count; i++) {
        const char *end = text + m->lines.items[i].end,
                   *p = skip_blank(text + m->lines.items[i].start, end),
                   *e = p < end ? word_end(p + 1, end) : end;
        ends |= word_is(p, e, "#endif");
        if (word_among(p, e, words))
            refuse(out, i + 1, "a condition of the C preprocessor; name the file .S");
    }
    out->list.count = ends ? out->list.count : first;
}

/* Returns the bits of the code after the line from @p to @end: 64, or 32 for code of 16 or 32 bits.
 * Returns @before, which is 0 at the beginning, if the line does not select them. Reads .code32 of
 * `as`, `bits 32` of NASM, and .386, .x64 and .model of MASM and UASM. Ignores .model after a
 * selection, because it does not change the mode. */
static unsigned bits_after(unsigned before, const char *p, const char *end)
{
    static const char *const narrow[] = {".code16", ".code32", ".code16gcc", "use16", "use32",
                                         ".8086",   ".186",    ".286",       ".386",  ".486",
                                         ".586",    ".686",    ".286c",      ".286p", ".386c",
                                         ".386p",   ".486p",   ".586p",      ".686p", NULL},
                             *const wide[] = {".code64", "use64", ".x64", ".x64p", NULL},
                             *const sizes[] = {"16", "32", NULL};
    p += p < end && *p == '[';
    const char *e = word_end(p, end), *second = skip_blank(e, end), *stop = word_end(second, end);
    const bool bits = word_is(p, e, "bits");
    if (word_among(p, e, wide) || (bits && word_is(second, stop, "64")))
        return 64;
    return word_among(p, e, narrow) || (bits && word_among(second, stop, sizes)) ||
                   (!before && word_is(p, e, ".model"))
               ? 32
               : before;
}

static const char *skip_labels(const char *p, const char *end)
{
    for (const char *e; (e = word_end(p, end)) > p && e < end && *e == ':';)
        p = skip_blank(e + 1, end);
    return p;
}

/* Returns whether the statement from @p to @end is an instruction or data, not a directive. */
static bool is_code(const char *p, const char *end)
{
    static const char *const modes[] = {"bits", "use16", "use32", "use64", NULL};

    return p < end && !strchr(".[%", *p) && !word_among(p, word_end(p, end), modes);
}

/* Returns whether the word is a general register of 32 bits with a name of the 8086. */
static bool is_narrow_register(const char *p, const char *end)
{
    return end - p == 3 && (*p | 32) == 'e' && isa_of_dialects()->is_register(p, 3);
}

/* Returns whether an address in brackets or parentheses between @p and @end has a register of 32
 * bits. */
static bool addresses_narrow(const char *p, const char *end)
{
    bool inside = false;

    for (const char *e; p < end; p = e) {
        inside = *p == '[' || *p == '(' || (inside && *p != ']' && *p != ')');
        e = word_end(p, end);
        if (inside && is_narrow_register(p, e))
            return true;
        e += e == p;
    }
    return false;
}

/* Returns whether the bytes of the disassembled line from @p to @end have the meaning of its text
 * only in 32-bit code. Such code has addresses of 32 bits without their prefix, inc and dec of one
 * byte, and push and pop of 32-bit registers. Returns false if the line's bytes are unknown. */
static bool is_narrow_line(const struct margin *m, const char *p, const char *end)
{
    static const char *const counts[] = {"inc", "incl", "dec", "decl", NULL}, *const stack[] = {
                                                                                  "push", "pushl",
                                                                                  "pop", "popl",
                                                                                  NULL};
    const char *e = word_end(p, end), *operand = skip_blank(e, end);

    operand += operand < end && *operand == '%';
    if (!m->byte_count || m->byte_count == MARGIN_BYTES)
        return false;
    if (word_among(p, e, counts))
        return m->byte_count == 1 && m->bytes[0] >> 4 == 4;
    if (word_among(p, e, stack) && is_narrow_register(operand, word_end(operand, end)))
        return true;
    return !memchr(m->bytes, PREFIX_ADDRESS, m->byte_count) && addresses_narrow(p, end);
}

/* Returns the reason to refuse the code of x86-64 from @p to @end; NULL if there is none. */
static const char *reason_of(bool disassembly, const struct margin *m, const char *p,
                             const char *end)
{
    const char *e = word_end(p, end), *base = skip_blank(e, end);

    if (disassembly && is_narrow_line(m, p, end))
        return MODE_NARROW;
    return word_is(p, e, ".radix") && !word_is(base, word_end(base, end), "10")
               ? "changes the base of numbers; write them in base 10 or with 0x"
               : NULL;
}

void listing_modes_find(enum isa isa, bool disassembly, const char *text, size_t length,
                        const struct margins *m, struct mode_lines *out)
{
    const char *line = text, *all = text + length;
    unsigned bits = 0;
    size_t selector = 0; /* line of the directive that selects 32 bits; 0: refused already */

    if (!disassembly)
        refuse_conditions(out, text, m);
    for (size_t i = 0; isa_ops(isa)->dialects && i < m->lines.count && line < all; i++) {
        const struct margin *margin = &m->lines.items[i];
        const char *end = text + margin->end, *p = skip_blank(text + margin->start, end),
                   *stop = memchr(line, '\n', (size_t)(all - line)), *comment = p;
        stop = stop ? stop : all;
        while (comment < end && *comment != '#' && *comment != ';')
            comment++;
        end = comment;
        steps_add(1 + (size_t)(stop - line) / STEP_BYTES);
        const char *format = text_find(line, stop, "file format "),
                   *reason = p < end ? reason_of(disassembly, margin, p, end) : NULL;
        if (format && text_find(format, stop, "i386") && !text_find(format, stop, "x86-64"))
            reason = MODE_NARROW;
        if (reason)
            refuse(out, i + 1, reason);
        const unsigned before = bits;
        p = skip_labels(p, end);
        bits = bits_after(before, p, end);
        selector = bits == before ? selector : i + 1;
        /* Code may follow the directive on its line. */
        const bool more = bits != before && comment < text + margin->end && *comment == ';';
        if (bits == 32 && selector && (more || is_code(p, end))) {
            refuse(out, selector, MODE_NARROW);
            selector = 0;
        }
        line = stop + 1;
    }
}
