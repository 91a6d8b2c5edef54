/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/body.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "isa/body.h"

#define CMP_ZERO 0xeb1f03ffu          /* cmp xzr, xzr */
#define ADD_IMMEDIATE 0x91000000u     /* add xd, xn, #imm12 */
#define SUB_IMMEDIATE 0xd1000000u
#define REGISTER_STEP 16              /* initial value of A64_FORTH */
#define GENERALS_READ 5
#define GENERALS_WRITTEN 11
#define VECTORS_READ 8
#define VECTOR_WRITTEN 8
#define VECTORS_WRITTEN 21
#define MASKS_READ 4
#define MASKS_WRITTEN 12

const uint8_t a64_load_bases[4] = {16, 17, 29, 30}, a64_store_bases[3] = {21, 22, 23};

struct a64_allocation {
    unsigned general_read, general_written, vector_read, vector_written, mask_read, mask_written;
    unsigned load_base, store_base;
    unsigned load_offset, store_offset, load_window;
    int64_t away[32];         /* per base: distance in bytes from its initial value */
    struct body *body;
};

const char *a64_unfit(const struct form_row *row)
{
    static const char *const ordered[] = {
        "ld?xr*", "ldxr*", "ldxp",   "ld?xp",  "st?xr*", "stxr*",   "stxp",   "st?xp",
        "ldar*",  "stlr*", "ldlar*", "stllr*", "ldapr*", "ldapur*", "stlur*", NULL};
    static const char *const signing[] = {"aut*", "ldraa", "ldrab", "xpac*", NULL};
    static const char *const state[] = {
        "wrffr", "setffr", "yield", "hint",   "wfe",     "wfi",   "wfet",    "wfit",  "sev",
        "sevl",  "esb",    "psb",   "tsb",    "csdb",    "sb",    "ssbb",    "pssbb", "bti",
        "dgh",   "msr",    "mrs",   "tstart", "tcommit", "ttest", "tcancel", "udf",   NULL};
    static const char *const devices[] = {"ld64b", "st64b*", NULL};
    static const char *const streaming[] = {"stnp", "stnt1*", NULL};
    struct a64_text text;
    struct a64_access access;

    if (!a64_code_text(row, &text, &access))
        return "the template cannot be parsed";
    const char *m = text.mnemonic;
    if (access.traits & INSN_BRANCH)
        return "branch";
    if (access.traits & INSN_SYSTEM)
        return "system or privileged instruction";
    if (access.traits & INSN_LOCK)
        return "atomic access";
    if (row->extension && strcmp(row->extension, "memtag") == 0)
        return "uses memory tags";
    if (str_match_any(ordered, m))
        return "exclusive or ordered access";
    if (str_match_any(signing, m))
        return "uses signed pointers";
    if (str_match_any(state, m))
        return "reads or changes processor state";
    if (str_match_any(devices, m))
        return "access to device memory";
    if (str_match_any(streaming, m))
        return "non-temporal store";
    if (strcmp(m, "movprfx") == 0)
        return "prefix of the next instruction";
    if (strncmp(row->template, "mov sp", 6) == 0 || strncmp(row->template, "mov wsp", 7) == 0)
        return "changes the stack pointer";
    bool touches = access.traits & (INSN_LOAD | INSN_STORE) || str_has_prefix(m, "prf");
    if (touches && strstr(row->template, "[{R:Z}.s"))
        return "32-bit address";
    return NULL;
}

static bool put(struct a64_allocation *a, uint32_t word)
{
    if (a->body->length + 4 > BODY_LIMIT)
        return false;
    memcpy(a->body->code + a->body->length, &word, 4);
    a->body->length += 4;
    return true;
}

/* Returns the first of @count consecutive register numbers, of the @total numbers from @first.
 * Advances *@next. */
static unsigned consecutive(unsigned *next, unsigned first, unsigned total, unsigned count)
{
    if (*next + count > total)
        *next = 0;
    unsigned at = first + *next;
    *next = (*next + count) % total;
    return at;
}

static unsigned number_for(struct a64_allocation *a, const struct a64_code *code,
                           const struct a64_slot *slot)
{
    bool written = slot->access & ACCESS_WRITE;
    if (slot->letter == 'X' || slot->letter == 'W') {
        if (written)
            return consecutive(&a->general_written, 0, GENERALS_WRITTEN, 1);
        bool dividend = slot == &code->slots[1] && (strcmp(code->mnemonic, "sdiv") == 0 ||
                                                    strcmp(code->mnemonic, "udiv") == 0);
        return dividend ? A64_LONG : consecutive(&a->general_read, 11, GENERALS_READ, 1);
    }
    if (slot->letter == 'P')
        return written ? consecutive(&a->mask_written, 4, MASKS_WRITTEN, 1)
                       : consecutive(&a->mask_read, 0, MASKS_READ, 1);
    return written ? consecutive(&a->vector_written, VECTOR_WRITTEN, VECTORS_WRITTEN, slot->count)
                   : consecutive(&a->vector_read, 0, VECTORS_READ, slot->count);
}

static bool set(struct a64_allocation *a, const struct a64_code *code, const struct a64_slot *slot,
                uint32_t *word)
{
    /* Skips a high register number if the encoding allows only low numbers. Within VECTORS_WRITTEN
     * steps the rotation reaches a low number. */
    for (unsigned tries = 0; tries < VECTORS_WRITTEN; tries++)
        if (a64_slot_set(slot, number_for(a, code, slot), word))
            return true;
    return false;
}

/* Sets the next displacement within the range of the form and the window. Successive accesses are
 * adjacent. Returns false if no displacement fits. */
static bool displace(struct a64_allocation *a, const struct a64_code *code, bool store,
                     uint32_t *word)
{
    unsigned *offset = store ? &a->store_offset : &a->load_offset,
             window = store ? BODY_WINDOW : a->load_window;
    *offset = (*offset + code->bytes - 1) / code->bytes * code->bytes;
    if (*offset + code->bytes > window || *offset / code->bytes >> code->offsets ||
        *offset / code->bytes < code->lowest)
        *offset = code->lowest * code->bytes;
    unsigned steps = *offset / code->bytes;
    *offset += code->bytes;
    return a64_offset_set(code, steps, word);
}

static int64_t step_of(const struct a64_code *code)
{
    return !code->writeback ? 0 : code->step ? code->step : REGISTER_STEP;
}

/* Returns A64_STORES or A64_LOADS for a form with a displacement; otherwise the next usable base,
 * or the next base if none is usable. A base is usable if it has its initial value, or if the
 * form's step returns it to that value. */
static unsigned base_for(struct a64_allocation *a, const struct a64_code *code, bool store)
{
    const uint8_t *bases = store ? a64_store_bases : a64_load_bases;
    unsigned count = store ? sizeof a64_store_bases : sizeof a64_load_bases,
             *next = store ? &a->store_base : &a->load_base;

    if (code->offsets)
        return store ? A64_STORES : A64_LOADS;
    for (unsigned i = 0; i < count; i++) {
        unsigned base = bases[(*next + i) % count];
        if (a->away[base] && a->away[base] != step_of(code))
            continue;
        *next += i + 1;
        return base;
    }
    return bases[(*next)++ % count];
}

/* Adds an instruction that returns a base to its initial value. Returns false if the base is too
 * far from it, or the body is full. */
static bool put_back(struct a64_allocation *a, unsigned base)
{
    int64_t by = a->away[base];
    if (!by)
        return true;
    a->away[base] = 0;
    a->body->breakers++;
    return by > -4096 && by < 4096 &&
           put(a,
               (by > 0 ? SUB_IMMEDIATE | (uint32_t)by << 10 : ADD_IMMEDIATE | (uint32_t)-by << 10) |
                   base << 5 | base);
}

static bool set_slot(struct a64_allocation *a, const struct a64_code *code,
                     const struct a64_slot *slot, bool store, unsigned *base, uint32_t *word)
{
    bool gathers = slot->letter == 'Z' && (code->access.traits & (INSN_LOAD | INSN_STORE) ||
                                           str_has_prefix(code->mnemonic, "prf"));

    switch (slot->place) {
    case A64_PLACE_BASE:
        if (gathers)
            return a64_slot_set(slot, store ? A64_STORE_POINTERS : A64_LOAD_POINTERS, word);
        if (slot->letter != 'X')
            break;
        *base = base_for(a, code, store);
        return a64_slot_set(slot, *base, word);
    case A64_PLACE_INDEX:
        if (gathers || slot->letter != 'Z')
            return a64_slot_set(slot, gathers ? A64_ZERO_OFFSETS : A64_FORTH, word);
        break;
    case A64_PLACE_STEP:
        return a64_slot_set(slot, a->away[*base] == REGISTER_STEP ? A64_BACK : A64_FORTH, word);
    default:
        break;
    }
    return set(a, code, slot, word);
}

static bool emit_form(struct a64_allocation *a, const struct a64_code *code)
{
    bool store = code->access.traits & INSN_STORE;
    uint32_t word = code->word;
    unsigned base = 0;

    if (code->access.flags_read & code->access.flags_written) {
        a->body->breakers++;
        if (!put(a, CMP_ZERO))
            return false;
    }
    for (unsigned i = 0; i < code->slot_count; i++)
        if (!set_slot(a, code, &code->slots[i], store, &base, &word))
            return false;
    if (code->offsets && !displace(a, code, store, &word))
        return false;
    if (!code->writeback)
        return put(a, word);
    int64_t step = step_of(code);
    if (a->away[base] != step && !put_back(a, base))
        return false;
    bool down = a->away[base] == step, both = !code->step || code->backwards;
    if (down && code->step)
        word ^= code->backwards;
    a->away[base] = down ? 0 : step;
    return put(a, word) && (both || put_back(a, base));
}

/* Adds instructions that return all bases to their initial values. Otherwise the loop would move
 * through memory. Returns false like put_back. */
static bool emit_return(struct a64_allocation *a)
{
    for (unsigned reg = 0; reg < 32; reg++)
        if (!put_back(a, reg))
            return false;
    return true;
}

static bool execution(struct a64_allocation *a, const struct a64_code *const *forms,
                      const uint32_t *order, uint64_t total)
{
    for (uint64_t i = 0; i < total; i++)
        if (!emit_form(a, forms[order[i]]))
            return false;
    return true;
}

bool a64_body_make(const struct a64_code *const *forms, const uint32_t *counts, size_t n,
                   const struct body_shape *shape, struct body *out, struct err *err)
{
    struct a64_allocation a = {.body = out};
    uint64_t total = 0;

    out->vectors = BODY_NO_VECTOR;
    for (size_t i = 0; i < n; i++) {
        total += counts[i];
        for (unsigned s = 0; s < forms[i]->slot_count; s++) {
            bool scalable = forms[i]->slots[s].letter == 'Z' || forms[i]->slots[s].letter == 'P';
            out->vectors = scalable                         ? BODY_SVE
                           : out->vectors == BODY_NO_VECTOR ? BODY_NEON
                                                            : out->vectors;
        }
    }
    uint64_t executions = (shape->instructions + total - 1) / total, done;
    executions = executions ? executions : 1;
    uint32_t *order = mem_alloc(executions * total * sizeof *order);
    bool ok;
    for (;;) {
        size_t before = 0;
        a = (struct a64_allocation){.body = out,
                                    .load_window =
                                        shape->load_window >= 64 && shape->load_window < BODY_WINDOW
                                            ? shape->load_window
                                            : BODY_WINDOW};
        out->length = out->breakers = 0;
        body_order(counts, NULL, n, executions,
                   shape->order == BODY_PAIRED ? BODY_SPREAD : shape->order, order);
        ok = true;
        for (done = 0; ok && done < executions; done += ok) {
            before = out->length;
            ok = execution(&a, forms, order + done * total, total);
        }
        if (ok || !done || before + 4 * (total + 64) <= BODY_LIMIT)
            break;
        executions = done;   /* Makes the body again, with the number of executions that fit. */
    }
    out->executions = (unsigned)(ok ? executions : 0);
    out->instructions = (unsigned)(ok ? executions * total : 0);
    ok = ok && emit_return(&a);
    free(order);
    return ok || err_set(err, ERR_LIMIT, NULL,
                         "too few registers or too little memory for this experiment");
}
