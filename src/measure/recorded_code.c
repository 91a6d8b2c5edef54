/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/recorded_code.h"

#include <string.h>

#include "base/compare.h"
#include "isa/cpu.h"
#include "isa/foreign.h"
#include "isa/rewrite.h"
#include "measure/kernel_run.h"

#define RECORD_MOST 2048u /* maximum number of bytes of a record */
#define RSP 4u
#define NO_INDEX 4u
#define RECORDED_NUMBER 1000u /* value of registers that the loop does not write */

static bool is_general(uint8_t reg)
{
    return reg < 16;
}

bool recorded_writes(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_REGISTER && in->operands[k].reg == reg &&
            in->operands[k].access & ACCESS_WRITE)
            return true;
    return false;
}

static bool written(const struct recording *r, uint8_t reg)
{
    for (size_t i = 0; i < r->insns.count; i++)
        if (recorded_writes(r->insns.items[i].insn, reg))
            return true;
    return false;
}

bool recorded_stores(const struct recording *r)
{
    for (size_t i = 0; i < r->insns.count; i++)
        if (r->insns.items[i].insn->traits & INSN_STORE)
            return true;
    return false;
}

uint64_t recorded_start(const struct recording *r, uint8_t reg)
{
    return written(r, reg) ? 0 : RECORDED_NUMBER;
}

/* Returns whether @in, which writes @reg, only adds a constant to it. */
static bool steps(const struct insn *in, uint8_t reg)
{
    const struct operand *m = insn_memory(in);

    if (strcmp(in->mnemonic, "lea") == 0)
        return m && m->base == reg && m->index == REG_NONE;
    return strcmp(in->mnemonic, "inc") == 0 || strcmp(in->mnemonic, "dec") == 0 ||
           ((strcmp(in->mnemonic, "add") == 0 || strcmp(in->mnemonic, "sub") == 0) &&
            in->operands[1].kind == OPERAND_IMMEDIATE);
}

/* Returns whether an address waits for @reg. Returns false if @reg is constant or counts
 * iterations, because such values are available early. */
static bool is_delayed(const struct recording *r, uint8_t reg)
{
    if (!is_general(reg) || reg == RSP)
        return false;
    for (size_t i = 0; i < r->insns.count; i++)
        if (recorded_writes(r->insns.items[i].insn, reg) && !steps(r->insns.items[i].insn, reg))
            return true;
    return false;
}

/* Returns whether @reg is always 0 in the sandbox: only plain loads write it, and nothing is
 * stored. */
static bool is_zero(const struct recording *r, const struct recorded_plan *p, uint8_t reg)
{
    for (size_t i = 0; i < r->insns.count && !recorded_stores(r); i++) {
        const struct insn *in = r->insns.items[i].insn;
        if (recorded_writes(in, reg) &&
            (!(in->traits & INSN_LOAD) || strncmp(in->mnemonic, "mov", 3) != 0 ||
             in->operands[0].reg != reg))
            return false;
        /* A load that determines a branch can read other values than 0. */
        if (recorded_writes(in, reg) && p->own[i])
            return false;
    }
    return !recorded_stores(r);
}

/* Stores in @out the registers for which the address or target of @in waits. Returns their
 * number. */
static unsigned delaying_registers(const struct recording *r, const struct insn *in, uint8_t out[2])
{
    unsigned count = 0;

    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *o = &in->operands[k];
        const uint8_t regs[2] = {o->kind == OPERAND_MEMORY ? o->base : o->reg,
                                 o->kind == OPERAND_MEMORY ? o->index : REG_NONE};
        if (o->kind != OPERAND_MEMORY && !(in->traits & INSN_BRANCH && o->kind == OPERAND_REGISTER))
            continue;
        for (unsigned i = 0; i < 2; i++)
            if (is_delayed(r, regs[i]) && count < 2 && (!count || out[0] != regs[i]))
                out[count++] = regs[i];
    }
    return count;
}

/* Returns the set of general registers that the code uses. Registers that only contain constant
 * addresses are free. */
static uint32_t used_registers(const struct recording *r)
{
    uint32_t used = 0;

    for (size_t i = 0; i < r->insns.count; i++) {
        const struct recorded_insn *in = &r->insns.items[i];
        for (unsigned k = 0; k < in->insn->operand_count; k++) {
            const struct operand *o = &in->insn->operands[k];
            const uint8_t regs[3] = {o->kind == OPERAND_REGISTER ? o->reg : REG_NONE, o->base,
                                     o->index};
            const bool address = o->kind == OPERAND_MEMORY && (recorded_access(in) || in->indirect);
            for (unsigned j = 0; j < 3; j++)
                if (is_general(regs[j]) && (o->kind == OPERAND_MEMORY ? j > 0 : !j) &&
                    !(address && !written(r, regs[j])))
                    used |= 1u << regs[j];
        }
    }
    return used;
}

static bool choose_registers(const struct recording *r, struct recorded_plan *p, struct err *err)
{
    uint32_t used = used_registers(r);
    uint8_t *registers[] = {&p->record, &p->value, &p->zero, &p->shift}, delaying[2];
    unsigned count = 2, found = 0;

    p->zero = p->shift = REG_NONE;
    for (size_t i = 0; i < r->insns.count; i++) {
        const struct recorded_insn *in = &r->insns.items[i];
        if (in->indirect || (recorded_access(in) && delaying_registers(r, in->insn, delaying)))
            count = 4;
    }
    for (uint8_t reg = 16; reg-- > 0 && found < count;)
        if (!(used >> reg & 1) && reg != RSP)
            *registers[found++] = reg;
    if (found < count && !(used >> RSP & 1)) {
        /* Because rsp cannot be an index, it gets the address of the record, which is never used as
         * an index. */
        if (found)
            *registers[found] = p->record;
        p->record = RSP;
        found++;
    }
    return found == count ||
           err_set(err, ERR_DATA, NULL, "the loop leaves too few registers for a recorded run");
}

static const char *unsuitable(const struct recorded_insn *in)
{
    const struct insn *i = in->insn;

    if (i->traits & INSN_CALL)
        return "a function call";
    if (i->traits & INSN_RETURN)
        return "a return";
    if (i->traits & INSN_CONDITIONAL && insn_branch_condition(i) == INSN_NO_CONDITION)
        return "a branch on a register";
    if (i->traits & INSN_BRANCH)
        return NULL;
    return isa_ops((enum isa)i->isa)->foreign->refused(i);
}

/* Finds accesses with one address, instructions that every iteration executes, and loads that can
 * read from the record. */
static void find_constants(const struct recording *r, struct recorded_plan *p)
{
    const size_t count = r->insns.count;
    uint64_t *first = mem_zero(count + 1, sizeof *first);
    size_t *executed = mem_zero(count + 1, sizeof *executed);

    for (size_t i = 0; i < count; i++)
        p->fixed[i] = recorded_access(&r->insns.items[i]) && r->insns.items[i].places <= 1;
    for (size_t i = 0; i < r->events.count; i++) {
        const struct recorded_event *e = &r->events.items[i];
        if (!executed[e->at]++)
            first[e->at] = e->value;
        p->fixed[e->at] &= first[e->at] == e->value;
    }
    for (size_t i = 0; i < count; i++)
        p->always[i] = executed[i] == r->iterations.count;
    for (size_t i = 0; i < count; i++) {
        const struct recorded_insn *in = &r->insns.items[i];
        uint8_t delaying[2];
        p->own[i] = in->sequential && recorded_access(in) && !(in->insn->traits & INSN_STORE) &&
                    insn_memory(in->insn)->bits <= 64 && !delaying_registers(r, in->insn, delaying);
        p->fixed[i] &= !p->own[i];
    }
    free(first);
    free(executed);
}

/* Gives each instruction with a value a place in the record. */
static bool choose_places(const struct recording *r, struct recorded_plan *p, struct err *err)
{
    p->bytes = 1;
    for (size_t size = 1; size <= 8; size *= 2) {
        p->bytes = (p->bytes + (uint32_t)size - 1) / (uint32_t)size * (uint32_t)size;
        for (size_t i = 0; i < r->insns.count; i++) {
            const struct recorded_insn *in = &r->insns.items[i];
            const size_t expected = recorded_access(in)             ? p->fixed[i] ? 0 : 8
                                    : in->indirect                  ? 4
                                    : p->decider[i] == RECORDED_OUT ? recorded_branch(in)
                                                                    : 0;
            if (expected != size)
                continue;
            p->places[i] = p->bytes;
            p->bytes += (uint32_t)size;
        }
    }
    p->bytes = (p->bytes + 7) / 8 * 8;
    return p->bytes <= RECORD_MOST ||
           err_set(err, ERR_LIMIT, NULL, "the loop has too many accesses for a recorded run");
}

bool recorded_plan_make(const struct recording *r, struct recorded_plan *p, struct err *err)
{
    const size_t count = r->insns.count;
    struct body like = {0};

    *p = (struct recorded_plan){.places = mem_zero(count + 1, sizeof *p->places),
                                .always = mem_zero(count + 1, sizeof *p->always),
                                .fixed = mem_zero(count + 1, sizeof *p->fixed),
                                .own = mem_zero(count + 1, sizeof *p->own),
                                .decider = mem_zero(count + 1, sizeof *p->decider),
                                .content = mem_zero(count + 1, sizeof *p->content)};
    const struct isa_ops *isa = count ? isa_ops((enum isa)r->insns.items[0].insn->isa) : NULL;
    if (!isa || r->insns.items[0].insn->isa != isa_host() || !isa->rewrite ||
        !isa->rewrite->at_address)
        return err_set(err, ERR_DATA, NULL, "recorded runs need x86-64 code and an x86-64 CPU");
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("bmi2"))
        return err_set(err, ERR_DATA, NULL, "recorded runs need a CPU with BMI2");
#endif
    for (size_t i = 0; i < count; i++) {
        const char *reason = unsuitable(&r->insns.items[i]);
        if (reason)
            return kernel_refuse(r->insns.items[i].insn, 1, reason, err);
    }
    struct insn *insns = mem_alloc(count * sizeof *insns);
    for (size_t i = 0; i < count; i++)
        insns[i] = *r->insns.items[i].insn;
    isa->foreign->vectors_used(insns, count, &like);
    free(insns);
    p->vectors = sandbox_setup(&like);
    find_constants(r, p);
    recorded_deciders(r, p);
    return choose_registers(r, p, err) && choose_places(r, p, err);
}

void recorded_plan_done(struct recorded_plan *p)
{
    free(p->places);
    free(p->always);
    free(p->fixed);
    free(p->own);
    free(p->decider);
    free(p->content);
}

/* State of emission */
struct emitter {
    const struct recording *r;
    const struct recorded_plan *p;
    struct recorded_code *out;
    struct {
        uint32_t at, label; /* @at: position of a 32-bit distance. @label: label of its target. */
    } * fixups;
    size_t fixup_count;
};

static void put(struct emitter *e, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vec_push(&e->out->bytes, ((const uint8_t *)bytes)[i]);
}
#define PUT(e, ...) put((e), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put32(struct emitter *e, uint32_t value)
{
    put(e, &value, sizeof value);
}

static uint8_t rex(bool wide, unsigned reg, unsigned index, unsigned base)
{
    return (uint8_t)(0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
}

/* Appends an instruction of @opcode (two bytes if above 0xff) with register @reg and the memory at
 * @base + @index + @displacement. */
static void put_memory(struct emitter *e, unsigned opcode, bool wide, unsigned reg, unsigned base,
                       unsigned index, uint32_t displacement)
{
    PUT(e, rex(wide, reg, index == NO_INDEX ? 0 : index, base));
    if (opcode > 0xff)
        PUT(e, (uint8_t)(opcode >> 8));
    PUT(e, (uint8_t)opcode, (uint8_t)(0x84 | (reg & 7) << 3),
        (uint8_t)((index & 7) << 3 | (base & 7)));
    put32(e, displacement);
}
#define MOV_LOAD 0x8bu
#define MOVZX_LOAD 0x0fb6u
#define LEA 0x8du
#define BTC 0x0fbau

/* Appends a jump with @opcode (two bytes if above 0xff) to label @label. */
static void put_jump(struct emitter *e, unsigned opcode, uint32_t label)
{
    if (opcode > 0xff)
        PUT(e, (uint8_t)(opcode >> 8));
    PUT(e, (uint8_t)opcode);
    e->fixups[e->fixup_count].at = (uint32_t)e->out->bytes.count;
    e->fixups[e->fixup_count++].label = label;
    put32(e, 0);
}

/* Appends shrx @to, @from, 63. */
static void put_shift(struct emitter *e, unsigned to, unsigned from)
{
    PUT(e, 0xc4, (uint8_t)((to < 8 ? 0x80 : 0) | 0x40 | (from < 8 ? 0x20 : 0) | 2),
        (uint8_t)(0x80 | (~e->p->shift & 15u) << 3 | 3), 0xf7,
        (uint8_t)(0xc0 | (to & 7) << 3 | (from & 7)));
}

/* Appends code that sets plan.zero to a 0 that waits for the @count registers. */
static void put_zero(struct emitter *e, const uint8_t *delaying, unsigned count)
{
    unsigned from = delaying[0];

    if (count > 1) {
        put_memory(e, LEA, true, e->p->zero, delaying[0], delaying[1], 0);
        from = e->p->zero;
    }
    put_shift(e, e->p->zero, from);
    put_shift(e, e->p->zero, e->p->zero);
}

static void put_flagged(struct emitter *e, const struct recorded_insn *in, uint32_t at)
{
    const struct recorded_plan *p = e->p;

    if (p->decider[at] != RECORDED_OUT) {
        put_jump(e, 0x0f80u | insn_branch_condition(in->insn), in->target);
        return;
    }
    put_memory(e, MOVZX_LOAD, false, p->value, p->record, NO_INDEX, p->places[at]);
    PUT(e, rex(true, p->value, 0, p->value), 0x0f,
        (uint8_t)(0x40 | insn_branch_condition(in->insn)),
        (uint8_t)(0xc0 | (p->value & 7) << 3 | (p->value & 7))); /* cmovcc value, value */
    PUT(e, rex(false, p->value, 0, p->value), 0x85,
        (uint8_t)(0xc0 | (p->value & 7) << 3 | (p->value & 7))); /* encodes `test value, value` */
    put_jump(e, 0x0f85, in->target);
}

/* Appends an indirect jump. It reads its target from the record, as the original jump reads a
 * table. */
static void put_indirect(struct emitter *e, const struct recorded_insn *in, uint32_t at)
{
    const struct recorded_plan *p = e->p;
    uint8_t delaying[2];
    const unsigned count = delaying_registers(e->r, in->insn, delaying);
    const bool memory = insn_memory(in->insn) != NULL;

    if (count)
        put_zero(e, delaying, count);
    put_memory(e, MOV_LOAD, false, p->value, p->record, count && memory ? p->zero : NO_INDEX,
               p->places[at]);
    if (count && !memory)
        put_memory(e, LEA, true, p->value, p->value, p->zero, 0);
    PUT(e, rex(true, p->zero, 0, 0), 0x8d, (uint8_t)(0x05 | (p->zero & 7) << 3));
    put32(e, 0u - (uint32_t)(e->out->bytes.count + 4)); /* lea begin(%rip), zero */
    put_memory(e, LEA, true, p->value, p->value, p->zero, 0);
    PUT(e, rex(false, 0, 0, p->value), 0xff, (uint8_t)(0xe0 | (p->value & 7)));
}

static bool put_access(struct emitter *e, const struct recorded_insn *in, uint32_t at,
                       uint64_t fixed, struct err *err)
{
    const struct recorded_plan *p = e->p;
    uint8_t delaying[2], bytes[16], index = REG_NONE;
    const unsigned count = delaying_registers(e->r, in->insn, delaying);

    if (p->own[at]) {
        const size_t length =
            rewrite_at_address(in->insn, p->record, REG_NONE, (int32_t)p->places[at], bytes);
        put(e, bytes, length);
        return length ||
               kernel_refuse(in->insn, 1, "the address of an access cannot be replaced", err);
    }
    if (p->fixed[at]) {
        PUT(e, rex(true, 0, 0, p->value), (uint8_t)(0xb8 | (p->value & 7)));
        put(e, &fixed, sizeof fixed);
    } else {
        put_memory(e, MOV_LOAD, true, p->value, p->record, NO_INDEX, p->places[at]);
    }
    if (count == 1 && is_zero(e->r, p, delaying[0]))
        index = delaying[0];
    else if (count) {
        put_zero(e, delaying, count);
        index = p->zero;
    }
    const size_t length = rewrite_at_address(in->insn, p->value, index, 0, bytes);
    put(e, bytes, length);
    return length || kernel_refuse(in->insn, 1, "the address of an access cannot be replaced", err);
}

static bool put_insn(struct emitter *e, uint32_t at, uint64_t fixed, struct err *err)
{
    const struct recorded_insn *in = &e->r->insns.items[at];
    bool ok = true;

    if (in->indirect)
        put_indirect(e, in, at);
    else if (in->insn->traits & INSN_CONDITIONAL)
        put_flagged(e, in, at);
    else if (in->insn->traits & INSN_BRANCH)
        put_jump(e, 0xe9, in->target);
    else if (recorded_access(in))
        ok = put_access(e, in, at, fixed, err);
    else
        put(e, in->insn->bytes, in->insn->length);
    if (ok && !in->indirect &&
        (!(in->insn->traits & INSN_BRANCH) || in->insn->traits & INSN_CONDITIONAL) &&
        in->next != at + 1)
        put_jump(e, 0xe9, in->next);
    return ok;
}

/* Appends code that sets the registers of the plan for the next pass. */
static void put_start(struct emitter *e, const struct recorded_memory *memory)
{
    const struct recorded_plan *p = e->p;

    PUT(e, rex(true, p->record, 0, 0), 0x8d, (uint8_t)(0x05 | (p->record & 7) << 3));
    put32(e, memory->values - p->bytes - (e->out->offset + (uint32_t)e->out->bytes.count + 4));
    PUT(e, rex(true, 0, 0, p->value), (uint8_t)(0xb8 | (p->value & 7)));
    put(e, &memory->turn, sizeof memory->turn);
    /* btc 0, (value); sbb value, value: -1 in the second pass, because btc inverts the bit */
    put_memory(e, BTC, false, 7, p->value, NO_INDEX, 0);
    PUT(e, 0);
    PUT(e, rex(true, p->value, 0, p->value), 0x19,
        (uint8_t)(0xc0 | (p->value & 7) << 3 | (p->value & 7)));
    PUT(e, rex(true, 0, 0, p->value), 0x81, (uint8_t)(0xe0 | (p->value & 7)));
    put32(e, memory->pass_bytes); /* and pass_bytes, value: 0 or the offset of the second pass */
    PUT(e, rex(true, p->value, 0, p->record), 0x01,
        (uint8_t)(0xc0 | (p->value & 7) << 3 | (p->record & 7))); /* add value, record */
    if (!is_general(p->shift))
        return;
    PUT(e, rex(false, 0, 0, p->shift), (uint8_t)(0xb8 | (p->shift & 7)));
    put32(e, 63);
}

/* Returns the index of the instruction at @offset among the @count ordered @insns; @count: none. */
static size_t decoded_at(const struct insn *insns, size_t count, uint64_t offset)
{
    const size_t at =
        first_from(insns, count, sizeof *insns, offsetof(struct insn, offset), offset);
    return at < count && insns[at].offset == offset ? at : count;
}

/* Returns whether the sandbox permits @in, and its relative operands refer to instructions of
 * @insns. */
static bool permitted(const struct insn *in, const struct insn *insns, size_t count)
{
    if (isa_ops((enum isa)in->isa)->foreign->refused(in) || in->traits & (INSN_CALL | INSN_RETURN))
        return false;
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_RELATIVE &&
            decoded_at(insns, count, (uint64_t)in->operands[k].displacement) == count)
            return false;
    return true;
}

bool recorded_emitted(const struct recording *r, const struct recorded_code *code, uint32_t without)
{
    VEC(struct insn) insns = {0};
    struct insn in;
    size_t jumps = 0;
    bool ok = true;

    for (size_t at = 0; ok && at < code->bytes.count; at += in.length) {
        ok = insn_decode((enum isa)r->insns.items[0].insn->isa, code->bytes.items + at,
                         code->bytes.count - at, at, false, &in, NULL);
        if (ok)
            vec_push(&insns, in);
    }
    for (size_t i = 0; ok && i < insns.count; i++) {
        ok = permitted(&insns.items[i], insns.items, insns.count);
        jumps += insns.items[i].operation == OPERATION_JUMP &&
                 insns.items[i].operands[0].kind != OPERAND_RELATIVE;
    }
    for (uint32_t i = 0; ok && i < r->insns.count; i++) {
        const struct insn *original = r->insns.items[i].insn;
        const uint32_t end = i + 1 < r->insns.count ? code->labels.items[i + 1] : code->exit;
        size_t at = decoded_at(insns.items, insns.count, code->labels.items[i]);
        bool found = i == without || original->traits & INSN_BRANCH;
        ok = at < insns.count;
        for (; at < insns.count && insns.items[at].offset < end; at++)
            found |= strcmp(insns.items[at].mnemonic, original->mnemonic) == 0 &&
                     !((insns.items[at].traits ^ original->traits) & (INSN_LOAD | INSN_STORE));
        jumps -= i != without && r->insns.items[i].indirect;
        ok = ok && found;
    }
    vec_done(&insns);
    return ok && !jumps;
}

bool recorded_emit(const struct recording *r, const struct recorded_plan *p,
                   const struct recorded_memory *memory, uint32_t without,
                   struct recorded_code *out, struct err *err)
{
    struct emitter e = {r, p, out, mem_alloc((2 * r->insns.count + 2) * sizeof *e.fixups), 0};
    bool ok = true;

    put_start(&e, memory);
    put_jump(&e, 0xe9, r->first);
    for (uint32_t i = 0; ok && i < r->insns.count; i++) {
        vec_push(&out->labels, (uint32_t)out->bytes.count);
        if (i == r->first)
            put_memory(&e, LEA, true, p->record, p->record, NO_INDEX, p->bytes);
        if (i != without)
            ok = put_insn(&e, i, memory->arena + memory->near[i], err);
        else if (r->insns.items[i].next != i + 1)
            put_jump(&e, 0xe9, r->insns.items[i].next);
    }
    out->exit = (uint32_t)out->bytes.count;
    put_memory(&e, MOVZX_LOAD, false, p->value, p->record, NO_INDEX, 0);
    PUT(&e, rex(false, p->value, 0, p->value), 0x85,
        (uint8_t)(0xc0 | (p->value & 7) << 3 | (p->value & 7)));
    put_jump(&e, 0x0f84, r->first); /* je: continues with another iteration */
    for (size_t i = 0; ok && i < e.fixup_count; i++) {
        const uint32_t at = e.fixups[i].at,
                       to = e.fixups[i].label == RECORDED_OUT
                                ? out->exit
                                : out->labels.items[e.fixups[i].label],
                       distance = to - (at + 4);
        memcpy(out->bytes.items + at, &distance, sizeof distance);
    }
    free(e.fixups);
    return ok && (recorded_emitted(r, out, without) ||
                  err_set(err, ERR_DATA, NULL,
                          "the code of the recorded run differs from the loop's instructions"));
}

void recorded_code_done(struct recorded_code *c)
{
    vec_done(&c->bytes);
    vec_done(&c->labels);
}

size_t recorded_reader(uint32_t values, uint32_t offset, uint32_t lines, uint8_t *out)
{
    /* lea values(%rip), rax; mov lines, ecx; mov (rax), rdx; add 64, rax; dec ecx; jnz */
    uint8_t code[] = {0x48, 0x8d, 0x05, 0,    0,    0,    0,    0xb9, 0,    0,    0,   0,
                      0x48, 0x8b, 0x10, 0x48, 0x83, 0xc0, 0x40, 0xff, 0xc9, 0x75, 0xf5};
    const uint32_t distance = values - (offset + 7);

    memcpy(code + 3, &distance, sizeof distance);
    memcpy(code + 8, &lines, sizeof lines);
    memcpy(out, code, sizeof code);
    return sizeof code;
}
