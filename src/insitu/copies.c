/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/copies.h"

#include <string.h>

#include "base/mem.h"
#include "insitu/copies_state.h"
#include "insitu/detours.h"

/* number of instructions in all copies of a short loop, rounded down to whole copies */
#define TIMED_INSNS 192u
#define TIMES_MOST 16u
/* same limit for an iteration with branches, because the predictor must learn the branches of each
 * copy */
#define ARMS_INSNS 64u
#define ARMS_MOST 8u
#define ARMS_LEAST 2u
/* largest distance in bytes from the loop's start up to which a copy keeps the original layout */
#define LAYOUT_MOST 4096u
/* size in bytes of the range from the region's start in which targets of indirect jumps are
 * translated */
#define WINDOW 65536u

static bool records(const struct copy_maker *m)
{
    return m->mode == COPY_RECORD || m->mode == COPY_FOLLOW;
}

/* Returns whether the copy ends with int3 where control would continue in the original. */
static bool ends(const struct copy_maker *m)
{
    return !m->displaced && (m->mode == COPY_REPLAY || m->mode == COPY_FOLLOW);
}

/* Appends code that records the time at an exit from the code around the loop. */
static void leave_nest(struct copy_maker *m)
{
    if (m->mode == COPY_NEST && !m->displaced)
        stamps_leave(m->c);
}

/* Appends a jump to @address in the original, or int3 if the copy ends there. */
static void outside(struct copy_maker *m, uint64_t address)
{
    if (ends(m))
        BYTES(m->c, 0xcc);
    else
        code_jump_address(m->c, address);
}

void maker_outside(struct copy_maker *m, uint64_t address)
{
    leave_nest(m);
    outside(m, address);
}

/* Appends a jump to the address in SLOT_JUMP_ORIGINAL, or int3 if the copy ends there. */
static void outside_indirect(struct copy_maker *m)
{
    if (ends(m))
        BYTES(m->c, 0xcc);
    else
        code_jump_slot(m->c, SLOT_JUMP_ORIGINAL);
}

static uint32_t label_of(const struct copy_maker *m, unsigned copy, uint32_t at)
{
    return m->at[copy * m->r->list.count + at];
}

/* Returns the number of passes that were counted in advance but will not be executed if control
 * leaves copy @copy. */
static int32_t rest(const struct copy_maker *m, unsigned copy)
{
    return (int32_t)(m->times - 1 - copy);
}

/* Returns the label of an entrance to @target, which is instruction @at of the loop. Adds it if it
 * is missing. */
static uint32_t entrance(struct copy_maker *m, uint32_t target, uint32_t at)
{
    for (size_t i = 0; i < m->entrances.count; i++)
        if (m->entrances.items[i].target == target)
            return m->entrances.items[i].label;
    vec_push(&m->entrances, ((struct copy_entrance){code_label(m->c), target, at}));
    return m->entrances.items[m->entrances.count - 1].label;
}

/* Returns the label for jumps from outside of the loop to @target, which is instruction @at of the
 * loop: an entrance with COPY_VISIT, otherwise @target. */
static uint32_t enter(struct copy_maker *m, uint32_t target, uint32_t at)
{
    return m->mode == COPY_VISIT ? entrance(m, target, at) : target;
}

/* Appends code that adds @value to the word at gs:@slot before control continues at instruction @to
 * of the list; REGION_NONE: elsewhere. To save and restore a register would delay what waits for it
 * after a mispredicted exit. */
static void add_before(struct copy_maker *m, uint32_t slot, int32_t value, uint32_t to)
{
    if (to != REGION_NONE && region_flags_free(m->r, to))
        code_plus(m->c, slot, value);
    else
        code_count(m->c, m->free_register, slot, value, SLOT_FREE0);
}

/* Appends code that counts an exit from the loop to instruction @to of the list (REGION_NONE:
 * elsewhere), or if @away is true, an instruction that is executed in the original. Appends nothing
 * if @source is not in the loop. */
static void leave(struct copy_maker *m, uint32_t source, unsigned copy, uint32_t to, bool away)
{
    if (m->displaced || !m->r->list.items[source].in_loop)
        return;
    if (rest(m, copy) > 0)
        add_before(m, SLOT_UNFINISHED, rest(m, copy), to);
    if (m->mode == COPY_TIME)
        add_before(m, SLOT_LEAVES, 1, to);
    if (m->mode == COPY_VISIT)
        stamps_leave(m->c);
    if (m->steps) {
        /* The register counts executions of the instruction that changes it, not of the pivot. */
        const bool ahead = source == m->r->pivot || m->out->induction.ahead.items[source];
        if (ahead && !m->out->induction.changes.items[source])
            add_before(m, SLOT_STEPS, (int32_t)m->out->induction.step, to);
        stamps_end_steps(m->c, m->out->induction.reg);
    }
    if (records(m))
        events_add(m->c, away ? EVENT_AWAY : EVENT_LEAVE, 0);
}

/* Returns the label of a jump from @source in copy @copy to instruction @target of the list. */
static uint32_t inner(struct copy_maker *m, uint32_t source, unsigned copy, uint32_t target)
{
    bool from_loop = m->r->list.items[source].in_loop;

    if (!m->r->list.items[target].in_loop)
        return label_of(m, 0, target);
    if (!from_loop)
        return enter(m, target == m->r->pivot ? m->heads[0] : label_of(m, m->times - 1, target),
                     target);
    return target == m->r->pivot ? m->heads[(copy + 1) % m->times] : label_of(m, copy, target);
}

/* Returns whether a jump of @source to its target needs no counting. */
static bool silent(const struct copy_maker *m, uint32_t source)
{
    const struct region_insn *i = &m->r->list.items[source];
    return i->target != REGION_NONE && (!i->in_loop || m->r->list.items[i->target].in_loop);
}

/* Appends branch @in to @label with its original size of two bytes, so that the copy has the layout
 * of the original. Returns false without appending if the branch has another size, or if the label
 * is too far. */
static bool branch_near(struct copy_maker *m, const struct insn *in, uint32_t label)
{
    const uint8_t opcode = in->bytes[0];

    if (in->length != 2 || (opcode != 0xeb && opcode >> 4 != 7))
        return false;
    const uint32_t number = m->near_count++;
    if (number < m->far->list.count && m->far->list.items[number])
        return false;
    code_branch_near(m->c, opcode, label, number + 1);
    return true;
}

static void go_to_target(struct copy_maker *m, uint32_t source, unsigned copy)
{
    const struct region_insn *i = &m->r->list.items[source];
    const bool inside = i->target != REGION_NONE && !m->displaced;

    if (!silent(m, source))
        leave(m, source, copy, i->target, false);
    if (!inside)
        maker_outside(m, i->target_address + m->bias);
    else {
        const uint32_t label = inner(m, source, copy, i->target);
        if (i->insn->traits & INSN_CONDITIONAL || !silent(m, source) ||
            !branch_near(m, i->insn, label))
            code_jump(m->c, label);
    }
}

/* Appends a branch with the condition of @in to @label, or to @address if @label is
 * CODE_UNPLACED. */
static void branch(struct copy_maker *m, const struct insn *in, uint32_t label, uint64_t address)
{
    unsigned size = 0, at = insn_branch_distance(in, &size), condition = insn_branch_condition(in);
    uint8_t opcode = in->bytes[at - 1];
    /* loop and jrcxz have a range of only 127 bytes. */
    bool near = condition == INSN_NO_CONDITION;

    if (near && at > 1 && in->bytes[0] == 0x67)
        BYTES(m->c, 0x67);
    if (near)
        BYTES(m->c, opcode, 2, 0xeb, 5);
    if (near && label == CODE_UNPLACED)
        code_jump_address(m->c, address);
    else if (near)
        code_jump(m->c, label);
    else if (label == CODE_UNPLACED)
        code_branch_address(m->c, condition, address);
    else
        code_branch(m->c, condition, label);
}

static void conditional(struct copy_maker *m, uint32_t source, unsigned copy)
{
    const struct region_insn *i = &m->r->list.items[source];
    bool recorded = records(m) && i->in_loop;

    if (m->displaced) {
        branch(m, i->insn, CODE_UNPLACED, i->target_address + m->bias);
        return;
    }
    const bool direct = silent(m, source) && !recorded;
    uint32_t label = direct ? inner(m, source, copy, i->target) : code_label(m->c);
    if (!branch_near(m, i->insn, label))
        branch(m, i->insn, label, 0);
    if (direct)
        return;
    vec_push(&m->stubs, ((struct copy_stub){label, source, copy, recorded, false}));
    if (recorded)
        events_add(m->c, (uint16_t)source, 0);
}

/* Copies the unconditional jump @source. A copy with the layout of the original counts an exit
 * elsewhere. */
static void jump(struct copy_maker *m, uint32_t source, unsigned copy)
{
    if (!m->steps || silent(m, source)) {
        go_to_target(m, source, copy);
        return;
    }
    const uint32_t label = code_label(m->c);
    if (!branch_near(m, m->r->list.items[source].insn, label))
        code_jump(m->c, label);
    vec_push(&m->stubs, ((struct copy_stub){label, source, copy, false, false}));
}

void maker_point(struct copy_maker *m, uint32_t at, int32_t unfinished)
{
    const bool steps = m->steps && m->r->list.items[at].in_loop;
    struct copy_point p = {code_place(m->c), at, steps ? 0 : unfinished, steps};
    size_t n = m->out->points.count;

    if (!n || m->out->points.items[n - 1].place != p.place)
        vec_push(&m->out->points, p);
}

static void indirect(struct copy_maker *m, uint32_t source, int32_t unfinished)
{
    const struct region_insn *i = &m->r->list.items[source];
    uint32_t within = code_label(m->c);
    struct code *c = m->c;

    if (m->table == CODE_UNPLACED) {
        m->table = code_label(c);
        m->missed = code_label(c);
    }
    events_save(c);
    maker_point(m, source, unfinished);   /* Here rax and rcx have the values of the original. */
    events_load_target(m->c, i->insn, m->bias);
    if (records(m) && i->in_loop)
        events_add_rax(c, (uint16_t)source);
    code_store(c, CODE_RAX, SLOT_JUMP_ORIGINAL);
    code_set(c, CODE_RCX, 0 - (m->r->list.items[0].insn->offset + m->bias));
    /* lea (rcx,rax), rax: offset of the target from the region's start */
    BYTES(c, 0x48, 0x8d, 0x04, 0x01);
    BYTES(c, 0x0f, 0xb7, 0xc8);                         /* movzwl ax, ecx */
    BYTES(c, 0x48, 0xf7, 0xd1);                         /* not rcx */
    /* lea 1(rax,rcx), rcx: 0 if the target is within the window */
    BYTES(c, 0x48, 0x8d, 0x4c, 0x08, 0x01);
    code_branch_zero(c, within);
    events_restore(c);
    outside_indirect(m);
    code_label_here(c, within);
    BYTES(c, 0x48, 0x8d, 0x0d, 0, 0, 0, 0);             /* lea table, rcx */
    vec_push(&c->fixups, ((struct code_fixup){code_place(c) - 4, code_place(c), m->table, 0, 0}));
    BYTES(c, 0x48, 0x63, 0x04, 0x81);                   /* movslq (rcx,rax,4), rax */
    BYTES(c, 0x48, 0x8d, 0x04, 0x01);                   /* lea (rcx,rax), rax */
    code_store(c, CODE_RAX, SLOT_JUMP_COPY);
    events_restore(c);
    code_jump_slot(c, SLOT_JUMP_COPY);
}

static void plain(struct copy_maker *m, const struct insn *in)
{
    unsigned at = insn_rip_displacement(in);

    if (at)
        code_relocated(m->c, in->bytes, in->length, at,
                       in->offset + in->length + (uint64_t)insn_memory(in)->displacement + m->bias);
    else
        code_bytes(m->c, in->bytes, in->length);
}

void maker_instruction(struct copy_maker *m, uint32_t at, unsigned copy, int32_t unfinished)
{
    const struct region_insn *i = &m->r->list.items[at];
    uint32_t traits = i->insn->traits;

    if (i->in_place) {
        leave(m, at, copy, at, true);
        if (!i->in_loop)
            leave_nest(m);
        outside(m, i->insn->offset + m->bias);
    } else if (i->indirect && records(m) && !m->displaced)
        indirect(m, at, unfinished);
    else if (traits & INSN_RETURN) {
        leave(m, at, copy, at, false);
        leave_nest(m);
        if (ends(m))
            BYTES(m->c, 0xcc);
        else
            plain(m, i->insn);
    } else if (i->direct && traits & INSN_CONDITIONAL)
        conditional(m, at, copy);
    else if (i->direct)
        jump(m, at, copy);
    else {
        if (!m->displaced && (m->mode == COPY_FOLLOW
                                  ? events_follows(i)
                                  : m->mode == COPY_RECORD && events_records(i))) {
            events_save(m->c);
            events_load_address(m->c, i->insn, m->bias);
            events_add_rax(m->c, (uint16_t)at);
            events_restore(m->c);
        }
        maker_point(m, at, unfinished);
        if (i->indirect)
            leave_nest(m);
        plain(m, i->insn);
    }
}

void maker_count_up(struct copy_maker *m, uint32_t slot)
{
    if (m->stamp.flags_free)
        code_step(m->c, slot, false);
    else
        code_count(m->c, m->free_register, slot, 1, SLOT_FREE0);
}

void maker_arrive(struct copy_maker *m)
{
    struct code *c = m->c;

    if (m->mode == COPY_COUNT)
        maker_count_up(m, SLOT_PASSES);
    else if (records(m)) {
        stamps_count_down(c, SLOT_RECORDS_LEFT, m->stamp.here, true);
        events_add(c, EVENT_PASS, 0);
    } else if (!m->steps)
        stamps_step_down(m->c, &m->stamp);
}

bool maker_next_follows(const struct region *r, uint32_t at)
{
    const struct insn *i = r->list.items[at].insn;
    return at + 1 < r->list.count && r->list.items[at + 1].insn->offset == i->offset + i->length;
}

/* Appends a jump to the instruction after @at, unless that instruction follows in the copy. */
static void fall(struct copy_maker *m, uint32_t at, unsigned copy)
{
    const struct region *r = m->r;
    const struct region_insn *i = &r->list.items[at];

    if (!maker_next_follows(r, at)) {
        leave(m, at, copy, REGION_NONE, false);
        maker_outside(m, i->insn->offset + i->insn->length + m->bias);
    } else if (i->in_loop && !r->list.items[at + 1].in_loop) {
        leave(m, at, copy, at + 1, false);
        code_jump(m->c, inner(m, at, copy, at + 1));
    } else if ((at + 1 == r->pivot && m->times > 1 && copy + 1 == m->times) ||
               i->in_loop != r->list.items[at + 1].in_loop)
        code_jump(m->c, inner(m, at, copy, at + 1));
}

/* Returns whether the next copy's pivot directly follows instruction @at in a copy. A copy begins
 * with the pivot. Therefore no instruction of the loop may be between @at and the pivot in the
 * order of copies. */
static bool ends_copy(const struct region *r, uint32_t at)
{
    const uint32_t count = (uint32_t)r->list.count;

    for (uint32_t i = (at + 1) % count; i != r->pivot; i = (i + 1) % count)
        if (r->list.items[i].in_loop)
            return false;
    return true;
}

/* Returns whether branch @at has the inverse condition in copy @copy, because its target is the
 * next copy, which follows directly. Only branches of counting copies are inverted; timed copies
 * have the conditions of the original. */
static bool turned(const struct copy_maker *m, uint32_t at, unsigned copy)
{
    const struct region_insn *i = &m->r->list.items[at];

    return m->mode == COPY_COUNT && copy + 1 < m->times && i->in_loop &&
           i->target == m->r->pivot && insn_branch_condition(i->insn) != INSN_NO_CONDITION &&
           ends_copy(m->r, at);
}

/* Copies instruction @at to copy @copy. Appends a jump if another instruction follows in the
 * copy. */
static void copy_one(struct copy_maker *m, uint32_t at, unsigned copy)
{
    const struct region *r = m->r;
    const struct region_insn *i = &r->list.items[at];
    bool pivot = at == r->pivot;

    if (pivot) {
        code_label_here(m->c, m->heads[copy]);
        maker_point(m, at, copy ? (int32_t)(m->times - copy) : 0);
        if (!copy)
            maker_arrive(m);
    }
    code_label_here(m->c, label_of(m, copy, at));
    int32_t unfinished = !pivot ? i->in_loop ? rest(m, copy) : 0 : (int32_t)(m->times - copy);
    if (!pivot || !copy)
        maker_point(m, at, unfinished);
    if (turned(m, at, copy)) {
        uint32_t label = code_label(m->c);
        code_branch(m->c, insn_branch_condition(i->insn) ^ 1u, label);
        vec_push(&m->stubs, ((struct copy_stub){label, at, copy, false, true}));
        return;
    }
    maker_instruction(m, at, copy, unfinished);
    if (region_falls(i) && !i->in_place)
        fall(m, at, copy);
}

void maker_end_stamp(struct copy_maker *m)
{
    struct code *c = m->c;

    if (m->shared == CODE_UNPLACED) {
        stamps_make(c, &m->stamp);
        return;
    }
    code_label_here(c, m->stamp.here);
    if (m->stamp.flags_free)
        code_store(c, CODE_RCX, SLOT_FREE2);
    BYTES(c, 0x48, 0x8d, 0x0d, 0, 0, 0, 0);             /* lea go, rcx */
    vec_push(&c->fixups,
             ((struct code_fixup){code_place(c) - 4, code_place(c), m->stamp.go, 0, 0}));
    code_store(c, CODE_RCX, SLOT_JUMP_COPY);
    code_jump(c, m->shared);
}

void maker_share_stamp(struct copy_maker *m)
{
    struct stamp s = {.kind = m->steps ? STAMP_VISITS : m->stamp.kind,
                      .here = code_label(m->c),
                      .go = code_label(m->c)};

    stamps_make(m->c, &s);
    code_label_here(m->c, s.go);
    code_jump_slot(m->c, SLOT_JUMP_COPY);
    m->shared = s.here;
}

/* Appends the countdown to the next stamp at an entry to @at, and stores the induction register. */
static void stamp_entry(struct copy_maker *m, uint32_t at)
{
    const struct induction *x = &m->out->induction;
    const uint32_t counted = code_label(m->c);
    const struct stamp outer = m->stamp;

    /* words_iterations counts a step of the countdown as a pass of all copies of COPY_TIME. */
    code_count(m->c, m->free_register, SLOT_UNFINISHED, (int32_t)m->out->times[COPY_TIME],
               SLOT_FREE0);
    /* Subtracts this pass, because it was counted before and the visit adds it again. */
    if (x->ahead.items[at])
        code_count(m->c, m->free_register, SLOT_STEPS, -(int32_t)x->step, SLOT_FREE0);
    m->stamp = (struct stamp){STAMP_VISITS, code_label(m->c), code_label(m->c), false};
    stamps_step_down(m->c, &m->stamp);
    stamps_begin_steps(m->c, x->reg);
    code_jump(m->c, counted);
    maker_end_stamp(m);
    code_label_here(m->c, counted);
    m->stamp = outer;
}

static void make_stubs(struct copy_maker *m)
{
    for (size_t i = 0; i < m->stubs.count; i++) {
        struct copy_stub s = m->stubs.items[i];
        code_label_here(m->c, s.label);
        if (s.taken)
            events_add(m->c, (uint16_t)s.source, 1);
        if (s.falls)
            fall(m, s.source, s.copy);
        else
            go_to_target(m, s.source, s.copy);
    }
    m->stubs.count = 0;
    for (size_t i = 0; i < m->entrances.count; i++) {
        const struct copy_entrance *e = &m->entrances.items[i];
        code_label_here(m->c, e->label);
        stamps_enter(m->c);
        if (m->steps)
            stamp_entry(m, e->at);
        code_jump(m->c, e->target);
    }
    m->entrances.count = 0;
}

/* Appends the code at the end of a recording. The thread continues in the counting copy, or
 * executes int3 with COPY_FOLLOW. */
static void make_recorded(struct copy_maker *m)
{
    code_label_here(m->c, m->stamp.here);
    code_load(m->c, CODE_RCX, SLOT_FREE2);
    if (m->mode == COPY_FOLLOW)
        BYTES(m->c, 0xcc);
    else
        code_jump(m->c, m->out->entry[COPY_COUNT]);
}

static void make_table(struct copy_maker *m)
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

static unsigned choose_times(const struct copy_maker *m)
{
    const struct region *r = m->r;
    const enum copy_mode mode = m->mode;
    const bool arms = mode != COPY_COUNT && region_has_arms(r);
    const size_t most = arms ? ARMS_MOST : TIMES_MOST, least = arms ? ARMS_LEAST : 1,
                 times = (arms ? ARMS_INSNS : TIMED_INSNS) / r->kernel->loops[r->loop].count;

    /* If each iteration leaves the copies, only the first copy is executed. */
    if (r->each_away || m->steps || mode == COPY_RECORD || mode == COPY_FOLLOW)
        return 1;
    return (unsigned)(times < least ? least : times > most ? most : times);
}

static uint64_t loop_start(const struct copy_maker *m)
{
    const struct kernel *k = m->r->kernel;
    return k->insns[k->loops[m->r->loop].first].offset + m->bias;
}

/* Appends bytes before instruction @at until its distance from the loop's start is as in the
 * original. @begin: place of the loop's first instruction. Does nothing if the previous instruction
 * is adjacent, beyond LAYOUT_MOST, or in a copy with counting code. */
static void keep_layout(struct copy_maker *m, uint32_t begin, uint32_t at)
{
    const uint64_t place = m->r->list.items[at].insn->offset + m->bias - loop_start(m);

    if (!m->steps || !at || maker_next_follows(m->r, at - 1) || place > LAYOUT_MOST)
        return;
    while (code_place(m->c) - begin < place)
        BYTES(m->c, 0xcc);
}

/* Appends a long jump for each branch out of the loop. The branch can then keep its original
 * size. */
static void shorten_exits(struct copy_maker *m)
{
    for (size_t i = 0; i < m->stubs.count; i++) {
        const uint32_t label = code_label(m->c);
        code_label_here(m->c, m->stubs.items[i].label);
        code_jump(m->c, label);
        m->stubs.items[i].label = label;
    }
}

static void make_mode(struct copy_maker *m)
{
    const struct region *r = m->r;
    size_t count = r->list.count;

    m->steps = m->mode == COPY_VISIT && m->out->induction.at != REGION_NONE;
    m->times = m->out->times[m->mode] = choose_times(m);
    m->at = mem_alloc(m->times * count * sizeof *m->at);
    m->heads = mem_alloc(m->times * sizeof *m->heads);
    for (size_t i = 0; i < m->times * count; i++)
        m->at[i] = code_label(m->c);
    for (unsigned i = 0; i < m->times; i++)
        m->heads[i] = code_label(m->c);
    m->stamp.here = code_label(m->c);
    m->stamp.go = code_label(m->c);
    m->table = m->missed = CODE_UNPLACED;
    m->out->entry[m->mode] =
        m->mode == COPY_NEST ? entrance(m, m->heads[0], r->pivot) : enter(m, m->heads[0], r->pivot);
    for (size_t i = 0; i < r->resumed.count; i++)
        vec_push(&m->out->resumes[m->mode],
                 enter(m, label_of(m, m->times - 1, r->resumed.items[i]), r->resumed.items[i]));
    for (uint32_t i = 0; i < count; i++)
        if (!r->list.items[i].in_loop)
            copy_one(m, i, 0);
    while (m->steps && (code_place(m->c) - loop_start(m)) % CODE_LINE)
        BYTES(m->c, 0xcc);
    const uint32_t begin = code_place(m->c);
    for (unsigned copy = 0; copy < m->times; copy++)
        for (uint32_t i = 0; i < count; i++) {
            /* With several copies, each copy begins with the pivot, so that the next copy follows
             * directly. */
            const uint32_t at = m->times > 1 ? (uint32_t)((r->pivot + i) % count) : i;
            if (!r->list.items[at].in_loop)
                continue;
            keep_layout(m, begin, at);
            copy_one(m, at, copy);
        }
    if (m->steps) {
        shorten_exits(m);
        maker_share_stamp(m);
    }
    make_stubs(m);
    m->shared = CODE_UNPLACED;
    if (records(m))
        make_recorded(m);
    else if (!m->steps && m->mode != COPY_COUNT)
        stamps_make(m->c, &m->stamp);
    make_table(m);
    free(m->at);
    free(m->heads);
}

static void make_all(const struct region *r, uint64_t bias, const struct far_branches *far,
                     struct copies *out)
{
    struct copy_maker m = {.r = r,
                      .out = out,
                      .far = far,
                      .c = &out->code,
                      .bias = bias,
                      .stamp = {.flags_free = r->flags_free},
                      .shared = CODE_UNPLACED,
                           .free_register = region_free_register(r)};

    *out = (struct copies){.induction = induction_find(r)};
    for (m.mode = 0; m.mode < COPY_MODES; m.mode++) {
        m.stamp.kind = m.mode == COPY_REPLAY ? STAMP_REPLAYED : STAMP_PLAIN;
        m.displaced = r->dispatch ||
                      (r->each_away && (m.mode == COPY_COUNT || m.mode == COPY_TIME));
        if (r->dispatch)
            detours_parts(&m);
        else if (m.displaced)
            detours_pivot(&m);
        else
            make_mode(&m);
    }
    m.mode = COPY_TIME;
    m.steps = false;
    m.displaced = true;
    m.stamp.kind = STAMP_ANCHORED;
    if (r->dispatch)
        maker_share_stamp(&m);
    for (size_t i = 0; i < r->anchors.count; i++) {
        uint32_t at = r->anchors.items[i];
        vec_push(&out->anchors, ((struct copy_anchor){at, detours_anchor(&m, at, false)}));
    }
    if (r->each_away && !r->dispatch) {
        out->once = detours_anchor(&m, r->pivot, false);
        out->twice = detours_anchor(&m, r->pivot, true);
    }
    out->clock = stamps_clock(&out->code);
    out->visits = stamps_visits(&out->code, out->induction.at != REGION_NONE);
    out->replay = code_label(&out->code);
    out->replayed = code_label(&out->code);
    stamps_repeat(&out->code, out->replay, out->replayed, out->entry[COPY_REPLAY]);
    out->call = code_label(&out->code);
    code_label_here(&out->code, out->call);
    code_bytes(&out->code, (const uint8_t[]){0x0f, 0x05, 0xcc}, 3);
    vec_done(&m.stubs);
    vec_done(&m.entrances);
}

static bool find_far(const struct code *c, struct far_branches *far)
{
    bool found = false;

    for (size_t i = 0; i < c->fixups.count; i++) {
        const struct code_fixup *f = &c->fixups.items[i];
        const int64_t distance =
            f->near ? (int64_t)c->labels.items[f->label] - (int64_t)f->next : 0;
        if (distance == (int8_t)distance)
            continue;
        while (far->list.count < f->near)
            vec_push(&far->list, false);
        far->list.items[f->near - 1] = found = true;
    }
    return found;
}

void copies_make(const struct region *r, uint64_t bias, struct copies *out)
{
    struct far_branches far = {{0}};

    make_all(r, bias, &far, out);
    while (find_far(&out->code, &far)) {
        copies_done(out);
        make_all(r, bias, &far, out);
    }
    vec_done(&far.list);
}

void copies_done(struct copies *c)
{
    code_done(&c->code);
    vec_done(&c->points);
    induction_done(&c->induction);
    vec_done(&c->anchors);
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
