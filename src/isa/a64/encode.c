/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/encode.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/vec.h"
#include "isa/assembled.h"

#define ROWS_A_RUN 500
#define NO_DISPLACEMENT INT64_MIN

/* Cache of encodings by template. If both code and reason of an entry are NULL, its encoding is not
 * yet derived. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct names templates;
static VEC(struct a64_code *) codes;
static VEC(char *) reasons;

static void forget(void)
{
    for (size_t i = 0; i < codes.count; i++) {
        free(codes.items[i]);
        free(reasons.items[i]);
    }
    vec_done(&codes);
    vec_done(&reasons);
    names_done(&templates);
}

static bool is_general(char letter)
{
    return letter == 'X' || letter == 'W';
}

/* Returns the start of the explicit displacement in the template, such as `#0x30`, and sets *@end
 * to its end. Returns NULL if the template has no variable displacement. */
static const char *displacement_in(const char *template, const char **end)
{
    const char *bracket = strstr(template, "[{R:X}"), *hash = bracket ? bracket + 6 : NULL;
    if (!hash || strstr(hash, "mul vl"))
        return NULL;
    hash += hash[0] == ']';
    if (strncmp(hash, ", #", 3) != 0)
        return NULL;
    hash += 2;
    char *stop;
    strtoll(hash + 1, &stop, 0);
    *end = stop;
    return hash;
}

/* Returns whether the text from @at to @close is a valid placeholder: a register of a known kind,
 * {=}, {=w}, {+X} (the register after the previous register, for an even pair) or {Rel}. */
static bool placeholder_valid(const char *at, const char *close)
{
    static const char *const accesses[] = {"{R:", "{W:", "{RW:"};
    size_t length = (size_t)(close - at);

    if (at[1] == '=')
        return length == 2 || (length == 3 && isalpha((unsigned char)at[2]));
    if (strncmp(at, "{Rel}", 5) == 0)
        return true;
    if (at[1] == '+')
        return length == 3 && strchr("XW", at[2]) != NULL;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        size_t prefix = strlen(accesses[i]);
        if (length == prefix + 1 && strncmp(at, accesses[i], prefix) == 0)
            return strchr("XWBHSDQVZP", at[prefix]) != NULL;
    }
    return false;
}

/* Parses the slots of the template. To protect the assembler, rejects any text except one line with
 * one instruction. Returns false if invalid. */
static bool slots_parse(const char *template, struct a64_code *out)
{
    int brackets = 0, list = 0, depth = 0;
    uint8_t operand = 0;
    bool after = false, inside = false;
    unsigned generals = 0, vectors = 0, masks = 0;

    for (const char *at = template; *at; at++) {
        if ((unsigned char)*at < 32 || strchr(";\"\\", *at))
            return false;
        if (strncmp(at, "{{", 2) == 0) {
            list = 1;
            at++;
            continue;
        }
        if (strncmp(at, "}}", 2) == 0) {
            list = 0;
            at++;
            continue;
        }
        depth += (*at == '[') - (*at == ']');
        operand += *at == ',' && !depth && !list;
        brackets += *at == '[' && (at[1] == '{' || at[1] == 's');
        if (*at == ']' && brackets) {
            brackets = 0;
            after = true;
        }
        if (*at == '}')
            return false;
        if (*at != '{')
            continue;
        const char *colon = strchr(at, ':'), *close = strchr(at, '}');
        if (!close || !placeholder_valid(at, close) || (strchr("=+", at[1]) && !out->slot_count))
            return false;
        if (at[1] == '=' || at[2] == 'e') {
            at = close;
            continue;
        }
        struct a64_slot *last = out->slot_count ? &out->slots[out->slot_count - 1] : NULL;
        if (at[1] == '+') {
            last->base += last->base & 1;
            last->count = 2;
            generals = last->base + 1u;
            at = close;
            continue;
        }
        if (list == 2 && last) {
            last->count++;
        } else {
            if (out->slot_count == A64_SLOTS)
                return false;
            struct a64_slot *slot = &out->slots[out->slot_count++];
            *slot = (struct a64_slot){.letter = colon[1], .operand = operand, .count = 1};
            slot->access = (uint8_t)((memchr(at, 'R', (size_t)(colon - at)) ? ACCESS_READ : 0) |
                                     (memchr(at, 'W', (size_t)(colon - at)) ? ACCESS_WRITE : 0));
            slot->place = brackets ? (inside ? A64_PLACE_INDEX : A64_PLACE_BASE)
                          : after  ? A64_PLACE_STEP
                                   : A64_PLACE_OPERAND;
            inside |= brackets != 0;
            list = list ? 2 : 0;
        }
        unsigned *next = is_general(colon[1]) ? &generals : colon[1] == 'P' ? &masks : &vectors;
        if (out->slots[out->slot_count - 1].count == 1)
            out->slots[out->slot_count - 1].base = (uint8_t)(*next + 1);
        ++*next;
        at = close;
    }
    return true;
}

/* Appends the template with registers in its slots: @number in slot @changed, the default registers
 * in all other slots. */
static void text_make(const char *template, const struct a64_code *code, unsigned changed,
                      unsigned number, int64_t displacement, struct str *out)
{
    const char *end = NULL,
               *literal = displacement == NO_DISPLACEMENT ? NULL : displacement_in(template, &end);
    unsigned slot = 0, of_list = 0, first = 0;

    for (const char *at = template; *at; at++) {
        if (at == literal) {
            str_addf(out, "#%lld", (long long)displacement);
            at = end - 1;
        } else if (strncmp(at, "{{", 2) == 0 || strncmp(at, "}}", 2) == 0) {
            str_add_char(out, *at++);
        } else if (*at == '{') {
            const char *close = strchr(at, '}');
            if (at[1] == '=') {
                char letter = at[2] == '}' ? code->slots[0].letter : at[2];
                str_addf(out, "%c%u", tolower((unsigned char)letter), first);
            } else if (strncmp(at, "{Rel}", 5) == 0) {
                str_add(out, ".+8");
            } else {
                const struct a64_slot *s = &code->slots[slot];
                unsigned start = slot == changed ? number : s->base;
                if (slot == 0 && of_list == 0)
                    first = start;
                str_addf(out, "%c%u", tolower((unsigned char)s->letter), (start + of_list) % 32);
                if (++of_list == s->count) {
                    slot++;
                    of_list = 0;
                }
            }
            at = close;
        } else {
            str_add_char(out, *at);
        }
    }
}

/* Request to derive the encoding of a form. */
struct inquiry {
    const struct form_row *row;
    struct a64_code *code;
    size_t line;            /* line number of the form's first instance; the lines of its variants
                             * follow */
    char reason[200];
};

static size_t slot_bits(const struct a64_slot *s)
{
    return s->letter == 'P' ? 4 : 5;
}

void a64_code_ask(const struct form_row *row, const struct a64_code *c, struct str *out,
                  size_t *lines)
{
    const char *end;

    *lines = 0;
    for (unsigned s = 0; s <= c->slot_count; s++)
        for (unsigned b = 0; b < (s ? slot_bits(&c->slots[s - 1]) : 1); b++, ++*lines) {
            text_make(row->template, c, s ? s - 1 : A64_SLOTS,
                      s ? c->slots[s - 1].base ^ 1u << b : 0, NO_DISPLACEMENT, out);
            str_add_char(out, '\n');
        }
    if (!displacement_in(row->template, &end))
        return;
    for (unsigned b = 0; b <= (c->writeback ? 0 : A64_STEPS); b++, ++*lines) {
        text_make(row->template, c, A64_SLOTS, 0,
                  c->writeback ? -c->step
                  : b          ? (int64_t)c->bytes << (b - 1)
                               : 0,
                  out);
        str_add_char(out, '\n');
    }
}

/* Assembled words by line. @there is false if the assembler rejected the line or assembled it into
 * several instructions. */
struct answer { uint32_t *words; bool *there; size_t lines; };

static bool word_at(const struct answer *a, size_t line, uint32_t *word)
{
    *word = line <= a->lines && a->there[line] ? a->words[line] : 0;
    return line <= a->lines && a->there[line];
}

static bool take(struct inquiry *q, const struct answer *a)
{
    struct a64_code *c = q->code;
    size_t line = q->line;
    const char *end;
    uint32_t word;

    if (!word_at(a, line++, &c->word))
        return false;
    for (unsigned s = 0; s < c->slot_count; s++)
        for (unsigned b = 0; b < slot_bits(&c->slots[s]); b++)
            if (word_at(a, line++, &word) && word != c->word) {
                c->slots[s].known |= (uint8_t)(1u << b);
                c->slots[s].bits[b] = word ^ c->word;
            }
    if (!displacement_in(q->row->template, &end))
        return true;
    if (c->writeback) {
        c->backwards = word_at(a, line, &word) ? word ^ c->word : 0;
        return true;
    }
    uint32_t zero, bit = 0;
    if (!c->bytes || c->bytes & (c->bytes - 1) || !word_at(a, line++, &zero))
        return true;
    /* A variable displacement is encoded in a single field. If the displacement doubles, one bit
     * must move up by one position. Otherwise the variant has another field or is another
     * instruction. */
    for (c->offsets = 0; c->offsets < A64_STEPS && word_at(a, line++, &word); c->offsets++) {
        uint32_t now = word ^ zero;
        if (!now || now & (now - 1) || (c->offsets && now != bit << 1))
            break;
        c->offset_bits[c->offsets] = bit = now;
    }
    c->offset_zero = zero ^ c->word;
    return true;
}

/* Assembles the lines of @count inquiries in one run. */
static bool run(struct inquiry *inquiries, size_t count, const struct isa_assembler *assembler,
                struct err *err)
{
    struct assembled assembled = {0};
    struct str text = {0};
    size_t lines = 1;

    for (size_t i = 0; i < count; i++) {
        size_t asked;
        inquiries[i].line = lines;
        a64_code_ask(inquiries[i].row, inquiries[i].code, &text, &asked);
        lines += asked;
    }
    struct err own = {0};
    bool ok = assembler->assemble(ISA_AARCH64, NULL, str_text(&text), text.length, SYNTAX_AUTO,
                                  true, &assembled, &own);
    struct answer a = {mem_zero(lines + 1, sizeof *a.words), mem_zero(lines + 1, sizeof *a.there),
                       lines};
    for (size_t i = 0; ok && i < assembled.line_count; i++) {
        size_t line = assembled.lines[i].line;
        uint64_t from = assembled.lines[i].offset, to = i + 1 < assembled.line_count
                                                            ? assembled.lines[i + 1].offset
                                                            : assembled.length;
        if (line > lines || to != from + 4)
            continue;
        memcpy(&a.words[line], assembled.code + from, 4);
        a.there[line] = true;
    }
    /* If the assembler rejects every line, the templates are wrong; the assembler itself did not
     * fail. */
    ok = ok || assembled.refused_count || err_set(err, own.code, own.todo, "%s", own.what);
    for (size_t i = 0; ok && i < count; i++) {
        struct inquiry *q = &inquiries[i];
        if (take(q, &a))
            continue;
        const char *reason = "assembles to zero instructions";
        for (size_t k = 0; k < assembled.refused_count; k++)
            if (assembled.refused[k].line == q->line)
                reason = assembled.refused[k].reason;
        snprintf(q->reason, sizeof q->reason, "%s", reason);
        free(q->code);
        q->code = NULL;
    }
    free(a.words);
    free(a.there);
    assembler->done(&assembled);
    str_done(&text);
    return ok;
}

static bool text_parse(char *line, struct a64_text *text)
{
    char *space = line ? strchr(line, ' ') : NULL;
    if (space)
        *space = '\0';
    /* Replaces the distance of a branch with an address, which the parser expects. */
    char *relative = space ? strstr(space + 1, ".+8") : NULL;
    if (relative)
        memcpy(relative, "0x8", 3);
    return line && a64_text_parse(line, space ? space + 1 : "", text);
}

bool a64_code_text(const struct form_row *row, struct a64_text *text, struct a64_access *access)
{
    struct str line = {0};
    form_instance(row, &line);
    bool ok = text_parse(line.data, text);
    if (ok)
        a64_access_of(text, access);
    str_done(&line);
    return ok;
}

/* Returns whether the instruction has the same form if its displacement of 0 is omitted. */
static bool zero_is_same(const struct form_row *row, const struct a64_code *code)
{
    struct str line = {0};
    struct a64_text text;
    char form[FORM_MAX] = "";

    text_make(row->template, code, A64_SLOTS, 0, 0, &line);
    /* Removes a displacement of 0, which disassemblers omit. */
    char *zero = line.data ? strstr(line.data, ", #0]") : NULL;
    if (zero)
        memmove(zero, zero + 4, strlen(zero + 4) + 1);
    if (text_parse(line.data, &text))
        a64_text_form(&text, form);
    str_done(&line);
    return strcmp(form, row->form) == 0;
}

/* Returns whether the access letters of the template match the architecture. The letters determine
 * which registers are assigned. */
static bool access_agrees(const struct a64_code *c, const struct a64_text *text, char *reason,
                          size_t size)
{
    /* An operand without access has the letter R, which templates use for a zero register. */
    static const char *const letters[] = {"R", "R", "W", "RW"};

    for (unsigned i = 0; i < c->slot_count; i++) {
        const struct a64_slot *s = &c->slots[i];
        if (s->operand >= text->count)
            continue;
        const unsigned access = text->operands[s->operand].kind == A64_MEMORY
                                    ? ACCESS_READ
                                    : c->access.operands[s->operand] & (ACCESS_READ | ACCESS_WRITE);
        if (strcmp(letters[s->access & 3], letters[access]) != 0) {
            snprintf(reason, size,
                     "the template declares %s for operand %u, which is %s (R read, W written)",
                     letters[s->access & 3], s->operand + 1u, letters[access]);
            return false;
        }
    }
    return true;
}

bool a64_code_draft(const struct form_row *row, struct a64_code *out, char *reason, size_t size)
{
    struct a64_text text;
    const char *end;

    *out = (struct a64_code){0};
    if (!slots_parse(row->template, out) || !a64_code_text(row, &text, &out->access)) {
        snprintf(reason, size, "the template cannot be parsed");
        return false;
    }
    if (!access_agrees(out, &text, reason, size))
        return false;
    snprintf(out->mnemonic, sizeof out->mnemonic, "%s", text.mnemonic);
    out->bytes = out->access.memory_bits / 8;
    out->writeback = (out->access.traits & INSN_WRITEBACK) != 0;
    const char *literal = displacement_in(row->template, &end);
    out->lowest = literal && !zero_is_same(row, out);
    out->step = out->writeback && literal ? strtoll(literal + 1, NULL, 0) : 0;
    /* add and sub undo the step, which must therefore be in their range. */
    if (out->step <= -4096 || out->step >= 4096) {
        snprintf(reason, size, "moves the base register by 4096 bytes or more");
        return false;
    }
    return true;
}

static bool inquiry_init(const struct form_row *row, struct inquiry *q)
{
    *q = (struct inquiry){.row = row, .code = mem_alloc(sizeof *q->code)};
    if (a64_code_draft(row, q->code, q->reason, sizeof q->reason))
        return true;
    free(q->code);
    q->code = NULL;
    return false;
}

/* Returns the index of the cache entry of @template. Creates the entry if necessary. Its code and
 * reason are NULL before the first derivation. The caller must hold the lock. */
static uint32_t place_of(const char *template)
{
    if (!templates.count)
        atexit(forget);
    uint32_t at = names_add(&templates, template);
    while (codes.count <= at) {
        vec_push(&codes, NULL);
        vec_push(&reasons, NULL);
    }
    return at;
}

static void keep(const struct inquiry *q)
{
    uint32_t at = place_of(q->row->template);
    if (codes.items[at] || reasons.items[at]) {
        free(q->code);
        return;
    }
    codes.items[at] = q->code;
    reasons.items[at] = q->code ? NULL : mem_strdup(q->reason);
}

bool a64_codes_learn(const struct form_row *const *rows, size_t count,
                     const struct isa_assembler *assembler, struct err *err)
{
    struct inquiry *inquiries = mem_alloc(ROWS_A_RUN * sizeof *inquiries);
    bool ok = true;

    for (size_t next = 0; ok && next < count;) {
        size_t n = 0;
        for (; next < count && n < ROWS_A_RUN; next++) {
            const struct form_row *row = rows[next];
            if (row->isa != ISA_AARCH64)
                continue;
            lock_take(&lock);
            uint32_t at = place_of(row->template);
            bool known = codes.items[at] || reasons.items[at];
            lock_give(&lock);
            if (!known && inquiry_init(row, &inquiries[n])) {
                n++;
            } else if (!known) {
                lock_take(&lock);
                keep(&inquiries[n]);
                lock_give(&lock);
            }
        }
        ok = !n || run(inquiries, n, assembler, err);
        lock_take(&lock);
        for (size_t i = 0; i < n; i++) {
            if (ok)
                keep(&inquiries[i]);
            else
                free(inquiries[i].code);
        }
        lock_give(&lock);
    }
    free(inquiries);
    return ok;
}

const struct a64_code *a64_code_find(const struct form_row *row, struct err *err)
{
    lock_take(&lock);
    uint32_t at = place_of(row->template);
    const struct a64_code *code = codes.items[at];
    const char *reason = reasons.items[at];
    lock_give(&lock);
    if (!code)
        err_set(err, ERR_DATA, NULL, "%.60s cannot be assembled: %.100s", row->form,
                reason ? reason : "not assembled yet");
    return code;
}

bool a64_slot_set(const struct a64_slot *slot, unsigned number, uint32_t *word)
{
    unsigned differ = number ^ slot->base;
    if (differ & ~(unsigned)slot->known)
        return false;
    for (unsigned b = 0; b < 5; b++)
        if (differ >> b & 1)
            *word ^= slot->bits[b];
    return true;
}

bool a64_offset_set(const struct a64_code *code, unsigned steps, uint32_t *word)
{
    if (steps >> code->offsets)
        return false;
    *word ^= code->offset_zero;
    for (unsigned b = 0; b < code->offsets; b++)
        if (steps >> b & 1)
            *word ^= code->offset_bits[b];
    return true;
}
