/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/parts.h"

#include <stdio.h>
#include <string.h>

/* Numbers of fixed registers: registers of the chain, registers that are only read, and other
 * written registers. The numbers are low, because some encodings with lanes allow only low
 * numbers. */
enum {
    CHAIN_GENERAL = 0, UNUSED_GENERAL = 3, READ_GENERAL = 11, CHAIN_VECTOR = 1, READ_VECTOR = 2,
    UNUSED_VECTOR = 10, CHAIN_MASK = 4, UNUSED_MASK = 5, READ_MASK = 0
};

/* ands xzr, x, x */
#define TST(reg) (0xea00001fu | (reg) << 16 | (reg) << 5)
/* Encodes `and to, from, to`. */
#define AND(to, from) (0x8a000000u | (uint32_t)(to) << 16 | (from) << 5 | (uint32_t)(to))
#define ADD(to, by) (0x8b000000u | (uint32_t)(by) << 16 | (uint32_t)(to) << 5 | (uint32_t)(to))
/* Encodes `csel to, x11, x12, eq`. */
#define CSEL(to) (0x9a800000u | (READ_GENERAL + 1u) << 16 | (uint32_t)READ_GENERAL << 5 | (to))
#define FCSEL(to) (0x1e600c00u | (READ_VECTOR + 1u) << 16 | (uint32_t)READ_VECTOR << 5 | (to))
#define FMOV_TO_GENERAL (0x9e660000u | CHAIN_VECTOR << 5 | CHAIN_GENERAL)
#define FMOV_TO_VECTOR (0x9e670000u | CHAIN_GENERAL << 5 | CHAIN_VECTOR)

static enum domain domain_of(const struct a64_slot *slot)
{
    return slot->letter == 'X' || slot->letter == 'W' ? DOMAIN_GENERAL
           : slot->letter == 'P'                      ? DOMAIN_MASK
                                                      : DOMAIN_VECTOR;
}

/* Adds a chain to @list. Returns NULL if @list is full. */
static struct chain *add(struct chain *list, size_t *n, enum chain_kind kind, unsigned from,
                         unsigned to, double helper, const char *note)
{
    struct chain *c = *n < CHAINS_MAX ? &list[(*n)++] : NULL;
    if (!c)
        return NULL;
    *c = (struct chain){
        .kind = kind, .from = (uint8_t)from, .to = (uint8_t)to, .helper = helper, .note = note};
    snprintf(c->from_name, sizeof c->from_name, "op%u", from + 1);
    snprintf(c->to_name, sizeof c->to_name, "op%u", to + 1);
    return c;
}

static void named(struct chain *c, const char *from, const char *to)
{
    if (c && from)
        snprintf(c->from_name, sizeof c->from_name, "%s", from);
    if (c && to)
        snprintf(c->to_name, sizeof c->to_name, "%s", to);
}

static bool is_operand(const struct a64_slot *slot, unsigned access)
{
    return slot->place == A64_PLACE_OPERAND && slot->access & access;
}

static void list_pairs(const struct a64_code *code, struct chain *list, size_t *n)
{
    for (unsigned to = 0; to < code->slot_count; to++)
        for (unsigned from = 0; from < code->slot_count; from++) {
            const struct a64_slot *written = &code->slots[to], *read = &code->slots[from];
            if (!is_operand(written, ACCESS_WRITE) || !is_operand(read, ACCESS_READ))
                continue;
            enum domain a = domain_of(read), b = domain_of(written);
            bool both = from != to && written->access & ACCESS_READ;
            if (a == b)
                add(list, n, CHAIN_REGISTER, from, to, 0,
                    both ? "upper bound: the larger of the latencies from this operand and from "
                           "the written operand"
                         : "");
            else if (a != DOMAIN_MASK && b != DOMAIN_MASK && !both)
                add(list, n, CHAIN_DOMAINS, from, to, 0, "round trip, with fmov back");
        }
}

static void list_flags(const struct a64_code *code, struct chain *list, size_t *n)
{
    uint32_t read = code->access.flags_read, written = code->access.flags_written;

    if (read & written)
        named(add(list, n, CHAIN_FLAGS, 0, 0, 0, ""), "flags", "flags");
    for (unsigned i = 0; i < code->slot_count; i++) {
        const struct a64_slot *slot = &code->slots[i];
        enum domain d = domain_of(slot);
        if (read && !written && d == DOMAIN_GENERAL && is_operand(slot, ACCESS_WRITE))
            named(add(list, n, CHAIN_FROM_FLAGS, 0, i, 1, ""), "flags", NULL);
        if (written && !read && d != DOMAIN_MASK && is_operand(slot, ACCESS_READ) &&
            !(slot->access & ACCESS_WRITE))
            named(add(list, n, CHAIN_TO_FLAGS, i, 0, d == DOMAIN_GENERAL ? 1 : 0,
                      d == DOMAIN_GENERAL ? "" : "with fcsel"),
                  NULL, "flags");
    }
}

static int slot_at(const struct a64_code *code, enum a64_place place)
{
    for (unsigned i = 0; i < code->slot_count; i++)
        if (code->slots[i].place == place)
            return (int)i;
    return -1;
}

/* Returns whether a simple load can read the data of a simple store of a whole register. */
static bool forwards(const struct a64_code *code, const struct a64_slot *data)
{
    unsigned bits = data->letter == 'X' || data->letter == 'D'   ? 64
                    : data->letter == 'W' || data->letter == 'S' ? 32
                    : data->letter == 'Q'                        ? 128
                                                                 : 0;
    return bits && code->bytes * 8 == bits && data->count == 1;
}

static void list_memory(const struct a64_code *code, struct chain *list, size_t *n)
{
    int base = slot_at(code, A64_PLACE_BASE), index = slot_at(code, A64_PLACE_INDEX);
    bool load = code->access.traits & INSN_LOAD, store = code->access.traits & INSN_STORE;

    if (base < 0 || code->slots[base].letter != 'X' ||
        (index >= 0 && domain_of(&code->slots[index]) != DOMAIN_GENERAL))
        return;
    if (code->writeback) {
        if (!code->step || code->backwards)
            named(add(list, n, CHAIN_OWN, (unsigned)base, (unsigned)base, 0, ""), "base", "base");
        return;
    }
    for (unsigned i = 0; i < code->slot_count; i++) {
        const struct a64_slot *slot = &code->slots[i];
        if (load && is_operand(slot, ACCESS_WRITE) && domain_of(slot) == DOMAIN_GENERAL)
            named(add(list, n, CHAIN_ADDRESS, index >= 0 ? (unsigned)index : (unsigned)base, i,
                      index >= 0 ? 1 : 2, ""),
                  index >= 0 ? "index" : "base", NULL);
        if (store && index < 0 && is_operand(slot, ACCESS_READ) && forwards(code, slot))
            named(add(list, n, CHAIN_FORWARD, i, (unsigned)base, 0, "store and load again"), NULL,
                  "memory");
    }
}

size_t a64_chain_list(const struct a64_code *code, struct chain out[CHAINS_MAX])
{
    size_t n = 0;
    list_pairs(code, out, &n);
    list_flags(code, out, &n);
    list_memory(code, out, &n);
    return n;
}

static bool put(struct body *body, uint32_t word)
{
    if (body->length + 4 > BODY_LIMIT)
        return false;
    memcpy(body->code + body->length, &word, 4);
    body->length += 4;
    return true;
}

/* Returns the register of slot @i, which is outside the chain. Each operand gets its own register,
 * because equal registers may change the instruction's meaning. */
static unsigned number_of(const struct a64_code *code, unsigned i)
{
    static const uint8_t reads[] = {READ_GENERAL, READ_VECTOR, READ_MASK},
                         unused[] = {UNUSED_GENERAL, UNUSED_VECTOR, UNUSED_MASK};
    const struct a64_slot *slot = &code->slots[i];
    enum domain d = domain_of(slot);
    bool store = code->access.traits & INSN_STORE;

    switch (slot->place) {
    case A64_PLACE_BASE:
        return d == DOMAIN_GENERAL ? (store ? A64_STORES : A64_LOADS)
               : store             ? A64_STORE_POINTERS
                                   : A64_LOAD_POINTERS;
    case A64_PLACE_INDEX: return d == DOMAIN_GENERAL ? A64_FORTH : A64_ZERO_OFFSETS;
    case A64_PLACE_STEP: return A64_FORTH;
    default: return (slot->access & ACCESS_WRITE ? unused[d] : reads[d]) + i % 3;
    }
}

static unsigned chained(const struct a64_slot *slot)
{
    static const uint8_t numbers[] = {CHAIN_GENERAL, CHAIN_VECTOR, CHAIN_MASK};
    return numbers[domain_of(slot)];
}

/* Returns the register of slot @i: the chain's register if the slot is an end of a link, otherwise
 * number_of(). */
static unsigned link_number(const struct a64_code *code, const struct chain *c, unsigned i)
{
    bool from = i == c->from, to = i == c->to;

    switch (c->kind) {
    case CHAIN_REGISTER:
    case CHAIN_DOMAINS: return from || to ? chained(&code->slots[i]) : number_of(code, i);
    case CHAIN_FROM_FLAGS: return to ? CHAIN_GENERAL : number_of(code, i);
    case CHAIN_TO_FLAGS:
    case CHAIN_FORWARD: return from ? chained(&code->slots[i]) : number_of(code, i);
    case CHAIN_ADDRESS:
        return to                                                ? CHAIN_GENERAL
               : from && code->slots[i].place == A64_PLACE_INDEX ? A64_ZERO
                                                                 : number_of(code, i);
    default: return number_of(code, i);
    }
}

/* Returns a load from the address to which a store with slot @data and displacement @steps
 * writes. */
static uint32_t load_back(const struct a64_slot *data, unsigned steps)
{
    static const struct {
        char letter;
        uint32_t word;
    } loads[] = {{'X', 0xf9400000},
                 {'W', 0xb9400000},
                 {'D', 0xfd400000},
                 {'S', 0xbd400000},
                 {'Q', 0x3dc00000}};
    uint32_t word = 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (loads[i].letter == data->letter)
            word = loads[i].word;
    return word | steps << 10 | A64_STORES << 5 | chained(data);
}

/* Adds the helper instructions between the result of a link and the next link. Returns false if the
 * body is full. */
static bool put_helper(const struct a64_code *code, const struct chain *c, struct body *body)
{
    switch (c->kind) {
    case CHAIN_FROM_FLAGS:
        return put(body, TST((uint32_t)CHAIN_GENERAL));
    case CHAIN_TO_FLAGS:
        return put(body, domain_of(&code->slots[c->from]) == DOMAIN_GENERAL ? CSEL(CHAIN_GENERAL)
                                                                            : FCSEL(CHAIN_VECTOR));
    case CHAIN_ADDRESS:
        return put(body, AND(A64_ZERO, CHAIN_GENERAL)) &&
               (code->slots[c->from].place == A64_PLACE_INDEX ||
                put(body, ADD(A64_LOADS, A64_ZERO)));
    case CHAIN_DOMAINS:
        return put(body, domain_of(&code->slots[c->to]) == DOMAIN_GENERAL ? FMOV_TO_VECTOR
                                                                          : FMOV_TO_GENERAL);
    case CHAIN_FORWARD:
        return put(body, load_back(&code->slots[c->from], code->offsets ? code->lowest : 0));
    default:
        return true;
    }
}

bool a64_chain_make(const struct a64_code *code, const struct chain *c, unsigned links,
                    struct body *out)
{
    uint32_t word = code->word;

    out->length = 0;
    out->executions = out->instructions = links;
    out->breakers = 0;
    out->wide = false;
    out->vectors = BODY_NEON;
    for (unsigned i = 0; i < code->slot_count; i++) {
        if (strchr("ZP", code->slots[i].letter))
            out->vectors = BODY_SVE;
        if (!a64_slot_set(&code->slots[i], link_number(code, c, i), &word))
            return false;
    }
    if (code->offsets && !a64_offset_set(code, code->lowest, &word))
        return false;
    int step = slot_at(code, A64_PLACE_STEP);
    for (unsigned i = 0; i < links; i++) {
        uint32_t link = word;
        /* The base steps up and down alternately. */
        if (c->kind == CHAIN_OWN && i % 2 && code->step)
            link ^= code->backwards;
        else if (c->kind == CHAIN_OWN && i % 2 && step >= 0) {
            link = word;
            for (unsigned b = 0; b < 5; b++)
                if ((A64_FORTH ^ A64_BACK) >> b & 1)
                    link ^= code->slots[step].bits[b];
        }
        if (!put(out, link) || !put_helper(code, c, out))
            return false;
    }
    return true;
}
