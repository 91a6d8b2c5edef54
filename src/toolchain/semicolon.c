/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/dialect.h"

#include "base/steps.h"
#include "isa/isa.h"
#include "toolchain/words.h"

static const char *statement_stop(const char *p, const char *end)
{
    const char *stop = p;
    while (stop < end && *stop != ';' && *stop != '#' && *stop != '"' &&
           !(*stop == '/' && stop + 1 < end && (stop[1] == '/' || stop[1] == '*')))
        stop++;
    return trim_end(p, stop);
}

static bool is_register(const char *p, const char *end)
{
    return end > p && isa_of_dialects()->is_register(p, (size_t)(end - p));
}

/* Skips `qword ptr` or NASM's `qword`. Returns @p if there is neither. */
static const char *size_end(const char *p, const char *end)
{
    static const char *const sizes[] = {"byte",    "word",    "dword",  "qword", "xmmword",
                                        "ymmword", "zmmword", "oword",  "yword", "zword",
                                        "tbyte",   "fword",   "mmword", NULL};
    const char *e = word_end(p, end), *next = skip_blank(e, end);
    if (!word_among(p, e, sizes))
        return p;
    e = word_end(next, end);
    return word_is(next, e, "ptr") ? skip_blank(e, end) : next;
}

/* Kinds of operand: OPERAND_PLACE is a register or memory, OPERAND_OTHER a number or one word. */
enum operand_shape { OPERAND_NONE, OPERAND_OTHER, OPERAND_PLACE };

static enum operand_shape operand_of(const char *p, const char *end)
{
    p = skip_blank(p, end);
    end = trim_end(p, end);
    const char *memory = size_end(p, end), *e;
    while (end > p && end[-1] == '}') {   /* Skips masks of AVX-512. */
        while (end > p && end[-1] != '{')
            end--;
        end = trim_end(p, end > p ? end - 1 : end);
    }
    if (p == end)
        return OPERAND_NONE;
    if (memory < end && (e = memchr(memory, '[', (size_t)(end - memory)))) {
        /* The word before the bracket is the name of a variable or segment. */
        const char *before = word_end(memory, e);
        return end[-1] == ']' && (before == e || (before + 1 == e && *before == ':'))
                   ? OPERAND_PLACE
                   : OPERAND_NONE;
    }
    e = word_end(*p == '-' ? p + 1 : p, end);
    return e < end ? OPERAND_NONE : is_register(p, end) ? OPERAND_PLACE : OPERAND_OTHER;
}

/* Returns the number of operands separated by commas, or 0 if an operand is invalid. Counts
 * registers and memory operands in *@places. */
static size_t operands_count(const char *p, const char *end, size_t *places)
{
    size_t count = 0;
    *places = 0;
    for (const char *comma; p <= end; p = comma + 1) {
        comma = memchr(p, ',', (size_t)(end - p));
        comma = comma ? comma : end;
        const char *first = skip_blank(p, end);
        bool rounding = first < end && *first == '{';   /* The operand is a rounding mode such as
                                                         * {rn-sae}. */
        enum operand_shape operand = operand_of(p, comma);
        if (operand == OPERAND_NONE && !rounding)
            return 0;
        *places += operand == OPERAND_PLACE;
        count++;
    }
    return count;
}

bool semicolon_separates(const char *p, const char *end)
{
    static const char *const prefixes[] = {"lock",  "rep", "repe",    "repne", "repz",
                                           "repnz", "bnd", "notrack", NULL};
    static const char *const alone[] = {
        "nop",    "ret",    "cdq",        "cqo",      "cdqe",  "cwde",   "cbw",   "cwd",   "lfence",
        "mfence", "sfence", "vzeroupper", "vzeroall", "rdtsc", "rdtscp", "cpuid", "pause", "leave",
        "movsb",  "movsw",  "movsq",      "stosb",    "stosw", "stosd",  "stosq", "lodsb", "lodsd",
        "lodsq",  "scasb",  "cmpsb",      "clc",      "stc",   "cmc",    "cld",   "std",   "ud2",
        "int3",   "emms",   "syscall",    "fchs",     "fabs",  "fsqrt",  "fld1",  "fldz",  NULL};
    static const char *const single[] = {
        "inc",     "dec",        "neg",        "not",        "push",        "pop",
        "mul",     "imul",       "div",        "idiv",       "bswap",       "sal",
        "shl",     "shr",        "sar",        "rol",        "ror",         "call",
        "jmp",     "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw",
        "clflush", "clflushopt", "fld",        "fst",        "fstp",        "fild",
        NULL};
    size_t places;

    p = skip_blank(p, end);
    end = statement_stop(p, end);
    steps_add(1 + (size_t)(end - p) / 100);
    const char *e = word_end(p, end);
    while (word_among(p, e, prefixes)) {
        p = skip_blank(e, end);
        e = word_end(p, end);
    }
    const char *operands = skip_blank(e, end);
    if (e == p || (operands < end && operands == e))
        return false;
    if (operands == end)
        return word_among(p, e, alone);
    bool branch = (*p | 32) == 'j' || word_is(p, e, "call");
    if (!isa_of_dialects()->is_mnemonic(p, (size_t)(e - p)))
        return false;
    size_t count = operands_count(operands, end, &places);
    if (count != 1)
        return count > 1 && places > 0;
    return branch || (places == 1 && (word_among(p, e, single) || strncasecmp(p, "set", 3) == 0));
}
