/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/copies.h"

#include <string.h>

#include "base/mem.h"
#include "insitu/stamps.h"

#define TIMED_INSNS 192u       /* instructions that the copies of a short loop come to */
#define TIMES_MOST 16u
/* bytes from the region's first instruction on that indirect jumps are translated in */
#define WINDOW 65536u
#define JUMP_COPY (SLOT_JUMP + 0u)
#define JUMP_ORIGINAL (SLOT_JUMP + 8u)

/* Code that enters the loop from outside it: the way is timed. */
struct entrance {
    uint32_t label, target;
};

/* Code behind the copies: what a branch does besides jumping. */
struct stub {
    uint32_t label;
    uint32_t source;           /* instruction in the list, and which copy of it */
    unsigned copy;
    bool taken;                /* records a taken branch */
};

struct maker {
    const struct region *r;
    struct copies *out;
    struct code *c;
    uint64_t bias;
    enum copy_mode mode;
    unsigned times;
    uint32_t *at;           /* labels: [copy * list + instruction] */
    uint32_t *heads;        /* labels: where control arrives at the pivot, by copy */
    uint32_t stamp, go;     /* labels of the timed pivot, or of an anchor */
    bool flags_free;        /* no flag is needed there */
    bool anchored;          /* it is an anchor */
    uint32_t table, missed; /* labels: translation of indirect jumps; CODE_UNPLACED: none yet */
    VEC(struct stub) stubs;
    VEC(struct entrance) entrances;   /* of timed visits only */
};

bool copies_follows(const struct region_insn *i)
{
    const struct operand *m = insn_memory(i->insn);
    uint32_t t = i->insn->traits;

    if (i->in_place || t & (INSN_RETURN | INSN_BRANCH) || !m || !(t & (INSN_LOAD | INSN_STORE)))
        return false;
    if (m->implicit || t & (INSN_NARROW_ADDRESS | INSN_STACK) ||
        i->insn->operation == OPERATION_STRING || m->segment != REG_NONE)
        return false;
    return (m->base == REG_NONE || m->base < 16 || m->base == REG_PC) &&
           (m->index == REG_NONE || m->index < 16);
}

bool copies_records(const struct region_insn *i)
{
    uint32_t t = i->insn->traits;

    if (!i->in_loop || i->in_place || t & INSN_RETURN)
        return false;
    return t & INSN_BRANCH ? t & INSN_CONDITIONAL || i->indirect : copies_follows(i);
}

static bool records(const struct maker *m)
{
    return m->mode == COPY_RECORD || m->mode == COPY_FOLLOW;
}

/* Control goes on at @address in the original. */
static void outside(struct maker *m, uint64_t address)
{
    if (m->mode == COPY_REPLAY || m->mode == COPY_FOLLOW)
        BYTES(m->c, 0xcc);
    else
        code_jump_address(m->c, address);
}

/* The same where the word at JUMP_ORIGINAL says. */
static void outside_indirect(struct maker *m)
{
    if (m->mode == COPY_REPLAY || m->mode == COPY_FOLLOW)
        BYTES(m->c, 0xcc);
    else
        code_jump_slot(m->c, JUMP_ORIGINAL);
}

static uint32_t label_of(const struct maker *m, unsigned copy, uint32_t at)
{
    return m->at[copy * m->r->list.count + at];
}

/* Passes that were counted for all copies and are not made when control leaves copy @copy. */
static int32_t rest(const struct maker *m, unsigned copy)
{
    return (int32_t)(m->times - 1 - copy);
}

/* Adds an event with the value in rax; SLOT_FREE0 and SLOT_FREE1 hold rax and rcx, and rcx is
 * lost. */
static void event(struct code *c, uint16_t id)
{
    uint32_t ring = SLOT_RING, top = SLOT_RING + 6;

    BYTES(c, 0x65, 0x0f, 0xb7, 0x0c, 0x25);   /* movzwl gs:events, ecx */
    code_bytes(c, &(uint32_t){SLOT_EVENTS}, 4);
    BYTES(c, 0x65, 0x48, 0x89, 0x04, 0xcd);   /* mov rax, gs:ring(,rcx,8) */
    code_bytes(c, &ring, 4);
    BYTES(c, 0x65, 0x66, 0xc7, 0x04, 0xcd);   /* movw id, above it */
    code_bytes(c, &top, 4);
    code_bytes(c, &id, 2);
    code_load_narrow(c, CODE_RCX, SLOT_EVENTS);
    code_add(c, CODE_RCX, 1);
    code_store_narrow(c, CODE_RCX, SLOT_EVENTS);
}

static void save(struct code *c)
{
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RCX, SLOT_FREE1);
}

static void restore(struct code *c)
{
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RCX, SLOT_FREE1);
}

static void event_plain(struct code *c, uint16_t id, uint64_t value)
{
    save(c);
    code_set(c, CODE_RAX, value);
    event(c, id);
    restore(c);
}

/* A label from which control comes to @target, a label in the loop. */
static uint32_t enter(struct maker *m, uint32_t target)
{
    if (m->mode != COPY_VISIT)
        return target;
    for (size_t i = 0; i < m->entrances.count; i++)
        if (m->entrances.items[i].target == target)
            return m->entrances.items[i].label;
    vec_push(&m->entrances, ((struct entrance){code_label(m->c), target}));
    return m->entrances.items[m->entrances.count - 1].label;
}

/* Counts when control leaves the loop, or (@away) continues in the original. */
static void leave(struct maker *m, uint32_t source, unsigned copy, bool away)
{
    if (!m->r->list.items[source].in_loop)
        return;
    if (rest(m, copy) > 0)
        code_count(m->c, SLOT_UNFINISHED, rest(m, copy), SLOT_FREE0);
    if (m->mode == COPY_TIME)
        code_count(m->c, SLOT_LEAVES, 1, SLOT_FREE0);
    if (m->mode == COPY_VISIT)
        stamps_leave(m->c);
    if (records(m))
        event_plain(m->c, away ? EVENT_AWAY : EVENT_LEAVE, 0);
}

/* Where a jump from @source in copy @copy to the list's @target leads to, when nothing has to be
 * counted for it. */
static uint32_t inner(struct maker *m, uint32_t source, unsigned copy, uint32_t target)
{
    bool from_loop = m->r->list.items[source].in_loop;

    if (!m->r->list.items[target].in_loop)
        return label_of(m, 0, target);
    if (!from_loop)
        return enter(m, target == m->r->pivot ? m->heads[0] : label_of(m, m->times - 1, target));
    return target == m->r->pivot ? m->heads[(copy + 1) % m->times] : label_of(m, copy, target);
}

/* Whether the jump of @source stays where nothing is counted for it. */
static bool silent(const struct maker *m, uint32_t source)
{
    const struct region_insn *i = &m->r->list.items[source];
    return i->target != REGION_NONE && (!i->in_loop || m->r->list.items[i->target].in_loop);
}

static void go_to_target(struct maker *m, uint32_t source, unsigned copy)
{
    const struct region_insn *i = &m->r->list.items[source];

    if (!silent(m, source))
        leave(m, source, copy, false);
    if (i->target != REGION_NONE)
        code_jump(m->c, inner(m, source, copy, i->target));
    else
        outside(m, i->target_address + m->bias);
}

/* A branch under the condition that the original has. */
static void branch(struct maker *m, const struct insn *in, uint32_t label)
{
    unsigned size = 0, at = insn_branch_distance(in, &size);
    uint8_t opcode = in->bytes[at - 1];

    if (opcode >= 0xe0 && opcode <= 0xe3) {   /* loop, jrcxz: they reach 127 bytes */
        if (at > 1 && in->bytes[0] == 0x67)
            BYTES(m->c, 0x67);
        BYTES(m->c, opcode, 2, 0xeb, 5);
        code_jump(m->c, label);
    } else
        code_branch(m->c, opcode & 15u, label);
}

static void conditional(struct maker *m, uint32_t source, unsigned copy)
{
    const struct region_insn *i = &m->r->list.items[source];
    bool recorded = records(m) && i->in_loop;

    if (silent(m, source) && !recorded) {
        branch(m, i->insn, inner(m, source, copy, i->target));
        return;
    }
    uint32_t label = code_label(m->c);
    branch(m, i->insn, label);
    vec_push(&m->stubs, ((struct stub){label, source, copy, recorded}));
    if (recorded)
        event_plain(m->c, (uint16_t)source, 0);
}

/* mov of what the jump goes to into rax: the jump's own operand with another opcode. */
static void load_target(struct maker *m, const struct insn *in)
{
    uint8_t bytes[24], rex = 0x48;
    size_t n = 0, at = 0;

    while (in->bytes[at] != 0xff) {
        if ((in->bytes[at] & 0xf0) == 0x40)
            rex |= in->bytes[at] & 3;
        else if (in->bytes[at] != 0x3e && in->bytes[at] != 0xf2)   /* notrack, bnd */
            bytes[n++] = in->bytes[at];
        at++;
    }
    bytes[n++] = rex;
    bytes[n++] = 0x8b;
    bytes[n++] = in->bytes[at + 1] & 0xc7;
    memcpy(bytes + n, in->bytes + at + 2, in->length - at - 2);
    n += in->length - at - 2;
    unsigned place = insn_rip_displacement(in);
    if (place)
        code_relocated(m->c, bytes, n, n - in->length + place,
                       in->offset + in->length + (uint64_t)insn_memory(in)->displacement + m->bias);
    else
        code_bytes(m->c, bytes, n);
}

static void point(struct maker *m, uint32_t at, int32_t unfinished)
{
    struct copy_point p = {code_place(m->c), at, unfinished};
    size_t n = m->out->points.count;

    if (!n || m->out->points.items[n - 1].place != p.place)
        vec_push(&m->out->points, p);
}

static void indirect(struct maker *m, uint32_t source, int32_t unfinished)
{
    const struct region_insn *i = &m->r->list.items[source];
    uint32_t within = code_label(m->c);
    struct code *c = m->c;

    if (m->table == CODE_UNPLACED) {
        m->table = code_label(c);
        m->missed = code_label(c);
    }
    save(c);
    point(m, source, unfinished);   /* rax and rcx are as they were */
    load_target(m, i->insn);
    if (records(m) && i->in_loop)
        event(c, (uint16_t)source);
    code_store(c, CODE_RAX, JUMP_ORIGINAL);
    code_set(c, CODE_RCX, 0 - (m->r->list.items[0].insn->offset + m->bias));
    /* lea (rcx,rax), rax: bytes from the region's start */
    BYTES(c, 0x48, 0x8d, 0x04, 0x01);
    BYTES(c, 0x0f, 0xb7, 0xc8);                         /* movzwl ax, ecx */
    BYTES(c, 0x48, 0xf7, 0xd1);                         /* not rcx */
    /* lea 1(rax,rcx), rcx: 0 within the window */
    BYTES(c, 0x48, 0x8d, 0x4c, 0x08, 0x01);
    code_branch_zero(c, within);
    restore(c);
    outside_indirect(m);
    code_label_here(c, within);
    BYTES(c, 0x48, 0x8d, 0x0d, 0, 0, 0, 0);             /* lea table, rcx */
    vec_push(&c->fixups, ((struct code_fixup){code_place(c) - 4, code_place(c), m->table, 0}));
    BYTES(c, 0x48, 0x63, 0x04, 0x81);                   /* movslq (rcx,rax,4), rax */
    BYTES(c, 0x48, 0x8d, 0x04, 0x01);                   /* lea (rcx,rax), rax */
    code_store(c, CODE_RAX, JUMP_COPY);
    restore(c);
    code_jump_slot(c, JUMP_COPY);
}

/* lea of what an instruction accesses into rax. */
static void load_address(struct maker *m, const struct insn *in)
{
    const struct operand *op = insn_memory(in);
    uint32_t displacement = (uint32_t)op->displacement;

    if (op->base == REG_PC) {
        code_set(m->c, CODE_RAX, in->offset + in->length + (uint64_t)op->displacement + m->bias);
        return;
    }
    unsigned base = op->base == REG_NONE ? 5 : op->base,
             index = op->index == REG_NONE ? 4 : op->index;
    unsigned scale = op->scale == 8 ? 3 : op->scale == 4 ? 2 : op->scale == 2;
    BYTES(m->c, (uint8_t)(0x48 | (index >> 3) << 1 | base >> 3), 0x8d,
          op->base == REG_NONE ? 0x04 : 0x84,
          (uint8_t)(scale << 6 | (index & 7) << 3 | (base & 7)));
    code_bytes(m->c, &displacement, 4);
}

/* The instruction itself, as it is or with a new distance. */
static void plain(struct maker *m, const struct insn *in)
{
    unsigned at = insn_rip_displacement(in);

    if (at)
        code_relocated(m->c, in->bytes, in->length, at,
                       in->offset + in->length + (uint64_t)insn_memory(in)->displacement + m->bias);
    else
        code_bytes(m->c, in->bytes, in->length);
}

/* @unfinished: of the instruction itself, which may fault. */
static void instruction(struct maker *m, uint32_t at, unsigned copy, int32_t unfinished)
{
    const struct region_insn *i = &m->r->list.items[at];
    uint32_t traits = i->insn->traits;

    if (i->in_place) {
        leave(m, at, copy, true);
        outside(m, i->insn->offset + m->bias);
    } else if (i->indirect && records(m))
        indirect(m, at, unfinished);
    else if (traits & INSN_RETURN) {
        leave(m, at, copy, false);
        if (m->mode == COPY_REPLAY || m->mode == COPY_FOLLOW)
            BYTES(m->c, 0xcc);
        else
            plain(m, i->insn);
    } else if (i->direct && traits & INSN_CONDITIONAL)
        conditional(m, at, copy);
    else if (i->direct)
        go_to_target(m, at, copy);
    else {
        if (m->mode == COPY_FOLLOW ? copies_follows(i)
                                   : m->mode == COPY_RECORD && copies_records(i)) {
            save(m->c);
            load_address(m, i->insn);
            event(m->c, (uint16_t)at);
            restore(m->c);
        }
        point(m, at, unfinished);
        plain(m, i->insn);
    }
}

/* Counts down without flags: rcx is kept in SLOT_FREE2, and restored where the count goes on; @zero
 * is jumped to with rcx lost. */
static void count_down(struct code *c, uint32_t slot, uint32_t zero, bool before)
{
    code_store(c, CODE_RCX, SLOT_FREE2);
    code_load(c, CODE_RCX, slot);
    if (before)
        code_branch_zero(c, zero);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, slot);
    if (!before)
        code_branch_zero(c, zero);
    code_load(c, CODE_RCX, SLOT_FREE2);
}

/* The countdown to the next stamp. */
static void step_down(struct maker *m)
{
    if (m->flags_free) {
        code_step(m->c, SLOT_COUNTDOWN, true);
        code_branch(m->c, 4, m->stamp); /* je */
    } else
        count_down(m->c, SLOT_COUNTDOWN, m->stamp, false);
    code_label_here(m->c, m->go);
}

/* Counts at the pivot of the first copy. */
static void arrive(struct maker *m)
{
    struct code *c = m->c;

    if (m->mode == COPY_COUNT && m->r->flags_free)
        code_step(c, SLOT_PASSES, false);
    else if (m->mode == COPY_COUNT)
        code_count(c, SLOT_PASSES, 1, SLOT_FREE0);
    else if (records(m)) {
        count_down(c, SLOT_RECORDS_LEFT, m->stamp, true);
        event_plain(c, EVENT_PASS, 0);
    } else
        step_down(m);
}

static bool next_follows(const struct region *r, uint32_t at)
{
    const struct insn *i = r->list.items[at].insn;
    return at + 1 < r->list.count && r->list.items[at + 1].insn->offset == i->offset + i->length;
}

/* Copy @copy of instruction @at, and a jump where what follows in the copies is not what follows in
 * the original. */
static void copy_one(struct maker *m, uint32_t at, unsigned copy)
{
    const struct region *r = m->r;
    const struct region_insn *i = &r->list.items[at];
    bool pivot = at == r->pivot;

    if (pivot) {
        code_label_here(m->c, m->heads[copy]);
        point(m, at, copy ? (int32_t)(m->times - copy) : 0);
        if (!copy)
            arrive(m);
    }
    code_label_here(m->c, label_of(m, copy, at));
    int32_t unfinished = !pivot ? i->in_loop ? rest(m, copy) : 0 : (int32_t)(m->times - copy);
    if (!pivot || !copy)
        point(m, at, unfinished);
    instruction(m, at, copy, unfinished);
    if (!region_falls(i) || i->in_place)
        return;
    if (!next_follows(r, at)) {
        leave(m, at, copy, false);
        outside(m, i->insn->offset + i->insn->length + m->bias);
    } else if (i->in_loop && !r->list.items[at + 1].in_loop) {
        leave(m, at, copy, false);
        code_jump(m->c, inner(m, at, copy, at + 1));
    } else if (at + 1 == r->pivot || i->in_loop != r->list.items[at + 1].in_loop)
        code_jump(m->c, inner(m, at, copy, at + 1));
}

static void make_stubs(struct maker *m)
{
    for (size_t i = 0; i < m->stubs.count; i++) {
        struct stub s = m->stubs.items[i];
        code_label_here(m->c, s.label);
        if (s.taken)
            event_plain(m->c, (uint16_t)s.source, 1);
        go_to_target(m, s.source, s.copy);
    }
    m->stubs.count = 0;
    for (size_t i = 0; i < m->entrances.count; i++) {
        code_label_here(m->c, m->entrances.items[i].label);
        stamps_enter(m->c);
        code_jump(m->c, m->entrances.items[i].target);
    }
    m->entrances.count = 0;
}

/* Where a recording ends: the thread goes on counting. */
static void make_recorded(struct maker *m)
{
    code_label_here(m->c, m->stamp);
    code_load(m->c, CODE_RCX, SLOT_FREE2);
    if (m->mode == COPY_FOLLOW)
        BYTES(m->c, 0xcc);
    else
        code_jump(m->c, m->out->entry[COPY_COUNT]);
}

/* Takes the passes until the next stamp from where SLOT_TOUCH leads, and brings the lines that are
 * named there to the cache: rax, rcx and rdx are lost. */
static void touch(struct code *c)
{
    code_load(c, CODE_RDX, SLOT_TOUCH);
    BYTES(c, 0x48, 0x8b, 0x02, 0x48, 0x8d, 0x52, 0x08);    /* mov (rdx), rax; lea 8(rdx), rdx */
    code_store(c, CODE_RAX, SLOT_PERIOD);
    BYTES(c, 0x48, 0x8b, 0x0a, 0x48, 0x8d, 0x52, 0x08);    /* mov (rdx), rcx; lea 8(rdx), rdx */
    BYTES(c, 0xe3, 0x04, 0x8a, 0x01, 0xeb, 0xf3);          /* jrcxz out; mov (rcx), al; jmp back */
    BYTES(c, 0x48, 0x8b, 0x0a, 0x48, 0x8d, 0x52, 0x08);
    /* jrcxz out; mov (rcx), al; mov al, (rcx); jmp back */
    BYTES(c, 0xe3, 0x06, 0x8a, 0x01, 0x88, 0x01, 0xeb, 0xf1);
    code_store(c, CODE_RDX, SLOT_TOUCH);
}

/* Where a countdown ends: a stamp, while there is room for one, and the next countdown. */
static void make_stamp(struct maker *m)
{
    struct code *c = m->c;
    uint32_t full = code_label(c);

    code_label_here(c, m->stamp);
    if (m->flags_free)
        code_store(c, CODE_RCX, SLOT_FREE2);
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RDX, SLOT_FREE1);
    if (m->mode == COPY_REPLAY)
        /* lfence: its blocks are short, and what is under way at their end counts */
        BYTES(c, 0x0f, 0xae, 0xe8);
    BYTES(c, 0x0f, 0x31);                       /* rdtsc */
    code_load(c, CODE_RCX, SLOT_STAMPS_LEFT);
    code_branch_zero(c, full);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, SLOT_STAMPS_LEFT);
    code_load(c, CODE_RCX, SLOT_STAMP_AT);
    BYTES(c, 0x89, 0x01, 0x89, 0x51, 0x04);     /* mov eax, (rcx); mov edx, 4(rcx) */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31);     /* lfence; rdtsc */
    BYTES(c, 0x89, 0x41, 0x08);                 /* mov eax, 8(rcx) */
    for (unsigned i = 0; i < STAMP_CYCLES; i++)
        BYTES(c, 0x48, 0xf7, 0xd0);             /* not rax */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31);
    BYTES(c, 0x89, 0x41, 0x10, 0x89, 0x51, 0x14); /* mov eax, 16(rcx); mov edx, 20(rcx) */
    code_load(c, CODE_RAX, m->anchored ? SLOT_PASSES : SLOT_LEAVES);
    BYTES(c, 0x48, 0x89, 0x41, 0x18); /* mov rax, 24(rcx) */
    code_load(c, CODE_RAX, SLOT_AWAY);
    BYTES(c, 0x48, 0x89, 0x41, 0x20);           /* mov rax, 32(rcx) */
    code_load(c, CODE_RAX, SLOT_UNFINISHED);
    BYTES(c, 0x48, 0x89, 0x41, 0x28);           /* mov rax, 40(rcx) */
    code_add(c, CODE_RCX, STAMP_BYTES);
    code_store(c, CODE_RCX, SLOT_STAMP_AT);
    if (m->mode == COPY_REPLAY)
        touch(c);
    else if (!m->anchored)
        code_label_here(c, full);
    code_load(c, CODE_RAX, SLOT_PERIOD);
    code_store(c, CODE_RAX, SLOT_COUNTDOWN);
    code_load(c, CODE_RAX, SLOT_BLOCKS);
    code_add(c, CODE_RAX, 1);
    code_store(c, CODE_RAX, SLOT_BLOCKS);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
    code_load(c, CODE_RCX, SLOT_FREE2);
    code_jump(c, m->go);
    if (m->mode == COPY_REPLAY) {
        code_label_here(c, full);
        code_jump_slot(c, SLOT_AT_END);
    } else if (m->anchored) {
        code_label_here(c, full);
        BYTES(c, 0xcc);
    }
}

/* Target of the patch at anchor @at of the original: its countdown, the instructions that the patch
 * covers, and the way back. */
static void make_anchor(struct maker *m, uint32_t at)
{
    const struct region *r = m->r;
    uint32_t label = code_label(m->c), end = at + region_covered(r, at);

    m->flags_free = region_flags_free(r, at);
    m->stamp = code_label(m->c);
    m->go = code_label(m->c);
    code_label_here(m->c, label);
    step_down(m);
    for (uint32_t i = at; i < end; i++) {
        const struct region_insn *in = &r->list.items[i];
        if (in->direct)
            code_jump_address(m->c, in->target_address + m->bias);
        else
            plain(m, in->insn);
    }
    const struct insn *last = r->list.items[end - 1].insn;
    if (!r->list.items[end - 1].direct)
        code_jump_address(m->c, last->offset + last->length + m->bias);
    make_stamp(m);
    vec_push(&m->out->anchors, ((struct copy_anchor){at, label}));
}

static void make_table(struct maker *m)
{
    const struct region *r = m->r;
    uint64_t first = r->list.items[0].insn->offset;

    if (m->table == CODE_UNPLACED)
        return;
    code_label_here(m->c, m->missed);
    outside_indirect(m);
    while (code_place(m->c) % 4)
        BYTES(m->c, 0xcc);
    code_label_here(m->c, m->table);
    uint32_t table = code_place(m->c);
    int32_t missed = (int32_t)(m->c->labels.items[m->missed] - table);
    for (uint32_t i = 0; i < WINDOW; i++)
        code_bytes(m->c, &missed, 4);
    for (uint32_t i = 0; i < r->list.count && r->list.items[i].insn->offset - first < WINDOW; i++) {
        uint32_t label = i == r->pivot
                             ? m->heads[0]
                             : label_of(m, r->list.items[i].in_loop ? m->times - 1 : 0, i);
        int32_t distance = (int32_t)(m->c->labels.items[label] - table);
        memcpy(m->c->bytes.items + table + 4 * (r->list.items[i].insn->offset - first), &distance,
               4);
    }
}

static unsigned choose_times(const struct region *r, enum copy_mode mode)
{
    size_t count = r->kernel->loops[r->loop].count;
    /* where each iteration leaves them, further copies are never reached */
    bool one = r->jumps_indirect || r->calls_always || mode == COPY_RECORD || mode == COPY_FOLLOW;
    unsigned times = one || count >= TIMED_INSNS ? 1 : (unsigned)(TIMED_INSNS / count);

    if (times > TIMES_MOST)
        times = TIMES_MOST;
    return times;
}

static void make_mode(struct maker *m)
{
    const struct region *r = m->r;
    size_t count = r->list.count;

    m->times = m->out->times[m->mode] = choose_times(r, m->mode);
    m->at = mem_alloc(m->times * count * sizeof *m->at);
    m->heads = mem_alloc(m->times * sizeof *m->heads);
    for (size_t i = 0; i < m->times * count; i++)
        m->at[i] = code_label(m->c);
    for (unsigned i = 0; i < m->times; i++)
        m->heads[i] = code_label(m->c);
    m->stamp = code_label(m->c);
    m->go = code_label(m->c);
    m->table = m->missed = CODE_UNPLACED;
    m->out->entry[m->mode] = enter(m, m->heads[0]);
    for (size_t i = 0; i < r->resumed.count; i++)
        vec_push(&m->out->resumes[m->mode],
                 enter(m, label_of(m, m->times - 1, r->resumed.items[i])));
    for (uint32_t i = 0; i < count; i++)
        if (!r->list.items[i].in_loop)
            copy_one(m, i, 0);
    for (unsigned copy = 0; copy < m->times; copy++)
        for (uint32_t i = 0; i < count; i++)
            if (r->list.items[i].in_loop)
                copy_one(m, i, copy);
    make_stubs(m);
    if (m->mode == COPY_TIME || m->mode == COPY_VISIT || m->mode == COPY_REPLAY)
        make_stamp(m);
    else if (records(m))
        make_recorded(m);
    make_table(m);
    free(m->at);
    free(m->heads);
}

/* Target of the patched places: the copy in the thread's slot. */
static void make_gates(struct maker *m)
{
    for (size_t i = 0; i <= m->r->resumed.count; i++) {
        uint32_t gate = code_label(m->c);
        code_label_here(m->c, gate);
        code_jump_slot(m->c, SLOT_ENTRIES + 8 * (uint32_t)i);
        vec_push(&m->out->gates, gate);
    }
}

/* Begins a repeat: memory, vector registers, flags and general registers as they were, then the
 * replaying copy. */
static void make_replay(struct maker *m)
{
    struct code *c = m->c;
    uint32_t end = code_label(c);

    m->out->replay = code_label(c);
    m->out->replayed = end;
    code_label_here(c, m->out->replay);
    code_load(c, CODE_RCX, SLOT_REPEATS);
    code_branch_zero(c, end);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, SLOT_REPEATS);
    code_load(c, CODE_RDX, SLOT_RESTORE);
    BYTES(c, 0x48, 0x8b, 0x0a);                 /* mov (rdx), rcx */
    BYTES(c, 0xe3, 0x0d);                       /* jrcxz out */
    BYTES(c, 0x48, 0x8b, 0x42, 0x08);           /* mov 8(rdx), rax */
    BYTES(c, 0x48, 0x89, 0x01);                 /* mov rax, (rcx) */
    BYTES(c, 0x48, 0x8d, 0x52, 0x10);           /* lea 16(rdx), rdx */
    BYTES(c, 0xeb, 0xee);                       /* jmp back */
    code_load(c, CODE_RCX, SLOT_STATE_AT);
    /* mov -1, eax; mov -1, edx */
    BYTES(c, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xba, 0xff, 0xff, 0xff, 0xff);
    BYTES(c, 0x48, 0x0f, 0xae, 0x29);           /* xrstor64 (rcx) */
    code_load(c, CODE_RAX, SLOT_STAMPS_EACH);
    code_store(c, CODE_RAX, SLOT_STAMPS_LEFT);
    code_load(c, CODE_RAX, SLOT_TOUCH_BEGIN);
    code_store(c, CODE_RAX, SLOT_TOUCH);
    touch(c);
    code_load(c, CODE_RAX, SLOT_PERIOD);
    code_add(c, CODE_RAX, 1);                   /* the first arrival is before the first pass */
    code_store(c, CODE_RAX, SLOT_COUNTDOWN);
    BYTES(c, 0x65, 0x48, 0x8b, 0x24, 0x25);     /* mov gs:flags_at, rsp */
    code_bytes(c, &(uint32_t){SLOT_FLAGS_AT}, 4);
    BYTES(c, 0x9d);                             /* popfq */
    for (unsigned i = 0; i < 16; i++) {
        uint32_t slot = SLOT_REGISTERS + 8 * i;
        BYTES(c, 0x65, (uint8_t)(0x48 | (i >> 3) << 2), 0x8b, (uint8_t)((i & 7) << 3 | 4), 0x25);
        code_bytes(c, &slot, 4);
    }
    code_jump(c, m->out->entry[COPY_REPLAY]);
    code_label_here(c, end);
    BYTES(c, 0xcc);
}

void copies_make(const struct region *r, uint64_t bias, struct copies *out)
{
    struct maker m = {
        .r = r, .out = out, .c = &out->code, .bias = bias, .flags_free = r->flags_free};

    *out = (struct copies){.clock = 0};
    for (m.mode = 0; m.mode < COPY_MODES; m.mode++)
        make_mode(&m);
    m.mode = COPY_TIME;
    m.anchored = true;
    for (size_t i = 0; i < r->anchors.count; i++)
        make_anchor(&m, r->anchors.items[i]);
    make_gates(&m);
    out->clock = stamps_clock(&out->code);
    out->visits = stamps_visits(&out->code);
    make_replay(&m);
    out->call = code_label(&out->code);
    code_label_here(&out->code, out->call);
    code_bytes(&out->code, (const uint8_t[]){0x0f, 0x05, 0xcc}, 3);
    vec_done(&m.stubs);
    vec_done(&m.entrances);
}

void copies_done(struct copies *c)
{
    code_done(&c->code);
    vec_done(&c->points);
    vec_done(&c->anchors);
    vec_done(&c->gates);
    for (int i = 0; i < COPY_MODES; i++)
        vec_done(&c->resumes[i]);
}

const struct copy_point *copies_point(const struct copies *c, uint32_t place)
{
    size_t low = 0, high = c->points.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->points.items[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->points.count && c->points.items[low].place == place ? &c->points.items[low]
                                                                        : NULL;
}
