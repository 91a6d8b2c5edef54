/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/region.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/loop_code.h"
#include "base/mem.h"
#include "insitu/slots.h"

/* maximum number of instructions of a loop with the code that it reaches, unless it has computed
 * gotos */
#define REGION_MOST 8000
#define FLAGS_STEPS 200  /* maximum number of instructions in the search for readers of flags */
#define TABLE_MOST 1024  /* maximum number of entries of a jump table */
#define ANCHORS_MOST 64u
#define RESUMED_MOST 90u /* maximum number of patched places in addition to the pivot */
/* largest distance in bytes from a function at which an entry of a jump table may be an address of
 * other code */
#define NEAR_BYTES (UINT64_C(1) << 20)
#define ARITHMETIC (FLAG_CARRY | FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

void region_done(struct region *r)
{
    vec_done(&r->list);
    vec_done(&r->resumed);
    vec_done(&r->anchors);
    vec_done(&r->tabled);
    vec_done(&r->entries);
}

uint32_t region_at(const struct region *r, uint64_t address)
{
    size_t low = 0, high = r->list.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->list.items[middle].insn->offset < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->list.count && r->list.items[low].insn->offset == address ? (uint32_t)low
                                                                             : REGION_NONE;
}

static uint64_t end_of(const struct insn *i)
{
    return i->offset + i->length;
}

static bool direct(const struct insn *i, uint64_t *target)
{
    for (unsigned k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == OPERAND_RELATIVE) {
            *target = (uint64_t)i->operands[k].displacement;
            return (i->traits & INSN_BRANCH) != 0;
        }
    return false;
}

bool region_falls(const struct region_insn *i)
{
    uint32_t t = i->insn->traits;
    return (t & INSN_CALL) || !(t & INSN_BRANCH) || (t & INSN_CONDITIONAL);
}

static bool jumps_indirect(const struct insn *i)
{
    uint64_t target;
    return i->traits & INSN_BRANCH && !(i->traits & (INSN_CALL | INSN_RETURN | INSN_CONDITIONAL)) &&
           !direct(i, &target);
}

/* Returns whether an instruction must be executed in the original, because its effect depends on
 * its address, or the kernel inspects its address. */
static bool stays(const struct insn *i)
{
    bool far_or_trap = i->traits & (INSN_UNDECODED | INSN_FOREIGN | INSN_CALL | INSN_SYSTEM);
    bool plain_jump = i->traits & INSN_BRANCH && (i->traits & (INSN_CONDITIONAL | INSN_RETURN) ||
                                                  strcmp(i->mnemonic, "jmp") == 0);

    if (i->traits & INSN_RETURN && strncmp(i->mnemonic, "ret", 3) != 0)
        return true;
    if (i->traits & INSN_RIP_RELATIVE && !insn_rip_displacement(i))
        return true;
    return far_or_trap || (i->traits & INSN_BRANCH && !plain_jump) ||
           strcmp(i->mnemonic, "xbegin") == 0;
}

static size_t unit_at(const struct kernel *k, uint64_t address)
{
    size_t low = 0, high = k->insn_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (k->insns[middle].offset < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->insn_count && k->insns[low].offset == address ? low : SIZE_MAX;
}

/* Adds the entries of the table at @at, up to the first that is no address in the unit. Entries are
 * addresses if @absolute, otherwise offsets from the table. A table of a loop of computed gotos may
 * also contain addresses outside of the unit. */
static void table_take(struct region *r, const struct region_memory *memory, uint64_t at,
                       bool absolute)
{
    const uint64_t begin = r->kernel->insns[0].offset;

    for (unsigned i = 0; i < TABLE_MOST; i++) {
        int32_t distance = 0;
        uint64_t target = 0;
        if (absolute ? !memory->read(memory->state, at + 8u * i, &target, 8)
                     : !memory->read(memory->state, at + 4u * i, &distance, 4))
            return;
        target = absolute ? target - memory->bias : at + (uint64_t)(int64_t)distance;
        if (unit_at(r->kernel, target) != SIZE_MAX)
            vec_push(&r->tabled, target);
        else if (absolute && r->dispatch && target - begin + NEAR_BYTES < 2 * NEAR_BYTES)
            r->outside++;
        else
            return;
    }
}

/* Reads possible jump tables at the addresses of lea instructions and in the operands of jumps. */
static void find_tables(struct region *r, const struct region_memory *memory)
{
    const struct kernel *k = r->kernel;

    for (size_t i = 0; i < k->insn_count; i++) {
        const struct insn *in = &k->insns[i];
        const struct operand *m = insn_memory(in);
        if (m && in->operation == OPERATION_ADDRESS && m->base == REG_PC)
            table_take(r, memory, end_of(in) + (uint64_t)m->displacement, false);
        else if (m && in->traits & INSN_BRANCH && m->index != REG_NONE && m->base == REG_NONE)
            table_take(r, memory, (uint64_t)m->displacement, true);
    }
}

/* Returns whether @in refers to a table of addresses: by lea, or by a memory operand with only an
 * index, multiplied by 8. Sets *@at to the table's address. */
static bool addresses_table(const struct insn *in, uint64_t *at)
{
    const struct operand *m = insn_memory(in);
    bool lea = m && in->operation == OPERATION_ADDRESS && m->base == REG_PC,
         indexed = m && m->index != REG_NONE && m->base == REG_NONE && m->scale == 8;

    if (lea || indexed)
        *at = (uint64_t)m->displacement + (lea ? end_of(in) : 0);
    return lea || indexed;
}

/* Reads the table of a loop of computed gotos, and all other tables, whose targets must not be
 * overwritten by patches. Marks in @parts the instructions of the unit to which the loop jumps. An
 * operand that only one instruction has is the table of a switch. */
static void find_parts(struct region *r, const struct region_memory *memory, bool *parts)
{
    const struct kernel *k = r->kernel;
    VEC(uint64_t) seen = {0};

    for (size_t i = 0; i < k->insn_count; i++) {
        uint64_t at, other;
        bool lea = k->insns[i].operation == OPERATION_ADDRESS, again = lea, known = false;
        if (!addresses_table(&k->insns[i], &at))
            continue;
        for (size_t j = 0; j < seen.count && !known; j++)
            known = seen.items[j] == at;
        if (known)
            continue;
        vec_push(&seen, at);
        for (size_t j = i + 1; j < k->insn_count && !again; j++)
            again = addresses_table(&k->insns[j], &other) && other == at;
        size_t from = r->tabled.count;
        table_take(r, memory, at, true);
        for (size_t j = from; again && j < r->tabled.count; j++)
            parts[unit_at(k, r->tabled.items[j])] = true;
        if (lea)
            table_take(r, memory, at, false);
    }
    parts[0] = false;   /* The function's first instruction is not a part, because the function's
                         * address may follow the table. */
    vec_done(&seen);
}

/* Adds the target of a jump if it is in the unit. @distance: 32-bit distance of the jump, which
 * ends at address @next. */
static void take_entry(struct region *r, uint64_t next, const uint8_t *distance)
{
    const struct kernel *k = r->kernel;
    int32_t far;

    memcpy(&far, distance, sizeof far);
    const uint64_t target = next + (uint64_t)(int64_t)far;
    if (target > k->insns[0].offset && target < end_of(&k->insns[k->insn_count - 1]))
        vec_push(&r->entries, target);
}

/* Finds jumps into the unit from the rest of its mapping, such as the separate cold part of a
 * function. Tests all bytes, because instructions and data are not distinguished. Bytes that only
 * look like such a jump are rare. */
static void find_entries(struct region *r, const struct region_memory *memory)
{
    enum { CHUNK = 1 << 16, JUMP_BYTES = 6 };
    uint8_t *bytes = mem_alloc(CHUNK + JUMP_BYTES);

    for (uint64_t at = memory->begin; at < memory->end; at += CHUNK) {
        const uint64_t left = memory->end - at;
        const size_t count = left < CHUNK + JUMP_BYTES ? left : CHUNK + JUMP_BYTES;
        if (!memory->read(memory->state, at, bytes, count))
            continue;
        for (size_t i = 0; i + JUMP_BYTES <= count && i < CHUNK; i++) {
            if (bytes[i] == 0xe9)
                take_entry(r, at + i + 5, bytes + i + 1);
            else if (bytes[i] == 0x0f && (bytes[i + 1] & 0xf0) == 0x80)
                take_entry(r, at + i + 6, bytes + i + 2);
        }
    }
    free(bytes);
}

/* Marks the code that can be reached from the loop without calls, up to about REGION_MOST
 * instructions. @reached: flag per instruction. */
static void reach(const struct region *r, const struct kernel_loop *loop, bool *reached)
{
    const struct kernel *k = r->kernel;
    VEC(size_t) todo = {0};
    size_t found = loop->count;

    for (size_t i = loop->first; i < loop->first + loop->count; i++) {
        reached[i] = true;
        vec_push(&todo, i);
    }
    while (todo.count && found < REGION_MOST) {
        struct region_insn at = {.insn = &k->insns[todo.items[--todo.count]]};
        size_t next[2] = {SIZE_MAX, SIZE_MAX};
        uint64_t target;
        if (jumps_indirect(at.insn))
            for (size_t i = 0; i < r->tabled.count && found < REGION_MOST; i++) {
                size_t to = unit_at(k, r->tabled.items[i]);
                if (!reached[to]) {
                    reached[to] = true;
                    found++;
                    vec_push(&todo, to);
                }
            }
        if (region_falls(&at))
            next[0] = unit_at(k, end_of(at.insn));
        if (direct(at.insn, &target) && !(at.insn->traits & INSN_CALL))
            next[1] = unit_at(k, target);
        for (int i = 0; i < 2; i++)
            if (next[i] != SIZE_MAX && !reached[next[i]]) {
                reached[next[i]] = true;
                found++;
                vec_push(&todo, next[i]);
            }
    }
    vec_done(&todo);
}

static void fill(struct region *r, const struct kernel_loop *loop, const bool *reached)
{
    const struct kernel *k = r->kernel;

    for (size_t i = 0; i < k->insn_count; i++)
        if (reached[i])
            vec_push(&r->list, ((struct region_insn){.insn = &k->insns[i],
                                                     .target = REGION_NONE,
                                                     .in_loop = i >= loop->first &&
                                                                i < loop->first + loop->count,
                                                     .in_place = stays(&k->insns[i])}));
    for (size_t i = 0; i < r->list.count; i++) {
        struct region_insn *at = &r->list.items[i];
        uint64_t target;
        if (at->in_place || !(at->insn->traits & INSN_BRANCH) || at->insn->traits & INSN_RETURN)
            continue;
        if (direct(at->insn, &target)) {
            at->direct = true;
            at->target_address = target;
            at->target = region_at(r, target);
        } else
            at->indirect = true;
    }
}

/* Returns whether @to can be executed directly after @from. */
static bool follows(const struct region *r, uint32_t from, uint32_t to)
{
    const struct region_insn *i = &r->list.items[from];

    if (i->indirect)
        for (size_t k = 0; k < r->tabled.count; k++)
            if (r->tabled.items[k] == r->list.items[to].insn->offset)
                return true;
    return i->target == to ||
           (from + 1 == to && region_falls(i) && end_of(i->insn) == r->list.items[to].insn->offset);
}

static uint32_t head_of(const struct region *r)
{
    return region_at(r, r->kernel->insns[r->kernel->loops[r->loop].head].offset);
}

static void count_kinds(struct region *r)
{
    for (size_t i = 0; i < r->list.count; i++) {
        const struct region_insn *at = &r->list.items[i];
        r->calls += at->in_loop && at->in_place;
        r->jumps_indirect |= at->in_loop && at->indirect;
        r->indirect |= at->indirect;
    }
}

/* Returns whether instruction @i may keep flags that the decoder reports as written. */
static bool may_keep(const struct insn *i)
{
    return insn_count_in_register(i) || i->operation == OPERATION_STRING;
}

static bool flags_free(const struct region *r, uint32_t at, uint32_t open, unsigned *steps)
{
    while (open) {
        const struct region_insn *i = &r->list.items[at];
        if (++*steps > FLAGS_STEPS || i->in_place || i->indirect || i->insn->flags_read & open)
            return false;
        if (!may_keep(i->insn))
            open &= ~i->insn->flags_written;
        if (!open || i->insn->traits & INSN_RETURN)   /* The search ends at a return, because
                                                       * callers read no flags. */
            return true;
        if (i->direct && i->target == REGION_NONE)
            return false;
        if (i->target != REGION_NONE && region_falls(i) && !flags_free(r, i->target, open, steps))
            return false;
        if (!region_falls(i))
            at = i->target;
        else if (at + 1 < r->list.count && r->list.items[at + 1].insn->offset == end_of(i->insn))
            at++;
        else
            return false;
    }
    return true;
}

bool region_flags_free(const struct region *r, uint32_t at)
{
    unsigned steps = 0;
    return flags_free(r, at, ARITHMETIC, &steps);
}

uint32_t region_site(const struct region *r, size_t i)
{
    return i ? r->resumed.items[i - 1] : r->pivot;
}

uint32_t region_covered(const struct region *r, uint32_t at)
{
    uint64_t begin = r->list.items[at].insn->offset;
    uint32_t n = 0;

    while (at + n < r->list.count && r->list.items[at + n].insn->offset - begin < PATCH_BYTES)
        n++;
    return n;
}

static bool any_between(const uint64_t *addresses, size_t count, uint64_t from, uint64_t to)
{
    bool any = false;

    for (size_t i = 0; i < count; i++)
        any |= addresses[i] > from && addresses[i] < to;
    return any;
}

/* Returns whether a known jump leads to an address between @from and @to, both exclusive. */
static bool entered(const struct region *r, uint64_t from, uint64_t to)
{
    const struct kernel *k = r->kernel;

    for (size_t i = 0; i < k->insn_count; i++) {
        uint64_t target;
        if (direct(&k->insns[i], &target) && target > from && target < to)
            return true;
    }
    return any_between(r->tabled.items, r->tabled.count, from, to) ||
           any_between(r->entries.items, r->entries.count, from, to);
}

/* Returns whether the bytes from instruction @at to address @end are padding. */
static bool is_padding(const struct region *r, uint32_t at, uint64_t end)
{
    uint64_t next = end_of(r->list.items[at - 1].insn);

    for (; next < end; at++) {
        if (at >= r->list.count || r->list.items[at].insn->offset != next ||
            !(r->list.items[at].insn->traits & INSN_NOP))
            return false;
        next = end_of(r->list.items[at].insn);
    }
    return true;
}

/* Returns whether a jump can replace the five bytes from @at. */
static bool patchable(const struct region *r, uint32_t at)
{
    uint32_t n = region_covered(r, at);
    uint64_t begin = r->list.items[at].insn->offset, end = begin;

    for (uint32_t i = at; i < at + n; i++) {
        const struct region_insn *x = &r->list.items[i];
        if (x->in_place || x->insn->offset != end)
            return false;
        end = end_of(x->insn);
        if (end < begin + PATCH_BYTES && !region_falls(x)) {
            /* A table may contain the address after the instruction, so a patch must not overwrite
             * that address. All tables are known only for computed gotos. */
            if (!r->dispatch || !is_padding(r, i + 1, begin + PATCH_BYTES))
                return false;
            end = begin + PATCH_BYTES;
            break;
        }
    }
    return end >= begin + PATCH_BYTES && !entered(r, begin, begin + PATCH_BYTES);
}

/* Returns whether code at the marks @within can continue from @head to @head without executing
 * @avoided. */
static bool avoidable(const struct region *r, const bool *within, uint32_t head, uint32_t avoided)
{
    bool *seen = mem_zero(r->list.count, sizeof *seen), again = false;
    VEC(uint32_t) todo = {0};

    if (head == avoided) {
        free(seen);
        return false;
    }
    vec_push(&todo, head);
    while (todo.count && !again) {
        uint32_t at = todo.items[--todo.count];
        const struct region_insn *x = &r->list.items[at];
        uint32_t first = x->indirect ? 0 : x->target,
                 last = x->indirect ? (uint32_t)r->list.count - 1 : x->target;
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t i = first; i != REGION_NONE && i <= last; i++) {
                if (!within[i] || i == avoided)
                    continue;
                again |= i == head;
                if (!seen[i]) {
                    seen[i] = true;
                    vec_push(&todo, i);
                }
            }
            bool next = region_falls(x) && at + 1 < r->list.count &&
                        r->list.items[at + 1].insn->offset == end_of(x->insn);
            first = last = next ? at + 1 : REGION_NONE;
        }
    }
    vec_done(&todo);
    free(seen);
    return again;
}

/* Returns marks of the instructions to which control continues from the loop. The caller frees
 * them. */
static bool *mark_reached(const struct region *r)
{
    bool *reached = mem_zero(r->list.count + 1, sizeof *reached), more = true;

    for (uint32_t i = 0; i < r->list.count; i++)
        reached[i] = r->list.items[i].in_loop;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < r->list.count; i++) {
            const struct region_insn *x = &r->list.items[i];
            const size_t ways = reached[i] ? 2 + (x->indirect ? r->tabled.count : 0) : 0;
            for (size_t k = 0; k < ways; k++) {
                const uint32_t to = k == 0   ? x->target
                                    : k == 1 ? i + 1
                                             : region_at(r, r->tabled.items[k - 2]);
                if (to < r->list.count && !reached[to] && follows(r, i, to))
                    reached[to] = more = true;
            }
        }
    }
    return reached;
}

/* Returns whether control continues from @i to marked instructions other than @head. */
static bool continues(const struct region *r, uint32_t i, const bool *body, uint32_t head)
{
    const struct region_insn *x = &r->list.items[i];
    const uint32_t next[2] = {x->target, i + 1};

    for (int k = 0; k < 2; k++)
        if (next[k] < r->list.count && next[k] != head && body[next[k]] && follows(r, i, next[k]))
            return true;
    for (size_t k = 0; x->indirect && k < r->tabled.count; k++) {
        const uint32_t to = region_at(r, r->tabled.items[k]);
        if (to != REGION_NONE && to != head && body[to])
            return true;
    }
    return false;
}

/* Returns marks of the loop's instructions. If @arms is true, also marks code outside of the loop
 * that is reached from it, and from which it is reached without passing its head, directly or
 * through a jump table. The caller frees the marks. */
static bool *mark_body(const struct region *r, bool arms)
{
    const uint32_t head = head_of(r);
    bool *body = mem_alloc((r->list.count + 1) * sizeof *body), more = arms;
    bool *reached = arms ? mark_reached(r) : NULL;

    for (uint32_t i = 0; i < r->list.count; i++)
        body[i] = r->list.items[i].in_loop;
    while (more) {
        more = false;
        for (uint32_t i = (uint32_t)r->list.count; i-- > 0;)
            if (!body[i] && reached[i] && continues(r, i, body, head))
                body[i] = more = true;
    }
    free(reached);
    return body;
}

bool region_avoidable(const struct region *r, uint32_t head, uint32_t avoided)
{
    bool *body = mark_body(r, false);
    const bool found = avoidable(r, body, head, avoided);

    free(body);
    return found;
}

/* Extends the loop by code outside of its range that continues it: the cases of a jump table, or
 * else all code of the natural loop. */
static void extend(struct region *r)
{
    bool *body = mark_body(r, true), *members = NULL, table = false;

    for (uint32_t i = 0; i < r->list.count; i++)
        table |= body[i] && r->list.items[i].indirect;
    if (!table) {
        free(body);
        body = mark_body(r, false);
        members = loop_code_members(r->kernel, r->loop);
    }
    for (uint32_t i = 0; i < r->list.count; i++)
        r->list.items[i].in_loop =
            body[i] || (members && members[unit_at(r->kernel, r->list.items[i].insn->offset)]);
    free(body);
    free(members);
}

/* Returns whether @at directly follows an instruction that is executed in the original. Such places
 * are always patched. */
static bool resumes(const struct region *r, uint32_t at)
{
    return at && r->list.items[at - 1].in_place && r->list.items[at - 1].in_loop &&
           end_of(r->list.items[at - 1].insn) == r->list.items[at].insn->offset;
}

/* Returns the best pivot that each iteration executes: an instruction that can be patched,
 * preferably one at which the flags are dead and, of these, one that is always patched. With
 * @outside, iterations may execute code outside of the loop. */
static uint32_t best_pivot(const struct region *r, bool outside)
{
    const uint32_t head = head_of(r);
    bool *body = mark_body(r, outside);
    uint32_t best = REGION_NONE;
    unsigned most = 0;

    for (uint32_t i = 0; i < r->list.count && most < (r->calls ? 4 : 3); i++) {
        if (!r->list.items[i].in_loop)
            continue;
        unsigned value = 1u + 2u * region_flags_free(r, i) + resumes(r, i);
        if (value <= most || !patchable(r, i) || avoidable(r, body, head, i))
            continue;
        best = i;
        most = value;
    }
    free(body);
    return best;
}

static bool choose_pivot(struct region *r, struct err *err)
{
    r->pivot = best_pivot(r, true);
    if (r->pivot == REGION_NONE)
        r->pivot = best_pivot(r, false);
    r->flags_free = r->pivot != REGION_NONE && region_flags_free(r, r->pivot);
    return r->pivot != REGION_NONE ||
           err_set(err, ERR_LIMIT, "kernel measure measures the loop outside its program",
                   "no code that every iteration executes has space for a jump of %u bytes",
                   PATCH_BYTES);
}

/* Returns whether an instruction that is executed in the original is on every path around the
 * loop. */
static bool calls_always(const struct region *r)
{
    const uint32_t head = head_of(r);

    for (uint32_t i = 0; i < r->list.count; i++) {
        if (!r->list.items[i].in_loop)
            continue;
        if (r->list.items[i].in_place && !region_avoidable(r, head, i))
            return true;
    }
    return false;
}

static bool overlaps(const struct region *r, uint32_t a, uint32_t b)
{
    uint64_t x = r->list.items[a].insn->offset, y = r->list.items[b].insn->offset;
    return x < y + PATCH_BYTES && y < x + PATCH_BYTES;
}

static void choose_resumed(struct region *r)
{
    for (uint32_t i = 0; i + 1 < r->list.count; i++) {
        const struct region_insn *at = &r->list.items[i], *next = at + 1;
        if (!at->in_place || !at->in_loop || !next->in_loop ||
            next->insn->offset != end_of(at->insn) || i + 1 == r->pivot)
            continue;
        bool room = patchable(r, i + 1) && !overlaps(r, i + 1, r->pivot);
        for (size_t k = 0; k < r->resumed.count; k++)
            room = room && !overlaps(r, i + 1, r->resumed.items[k]);
        if (room && r->resumed.count < RESUMED_MOST)
            vec_push(&r->resumed, i + 1);
        else
            r->unresumed++;
    }
}

/* Returns whether the instructions that a patch at @at overwrites can be executed elsewhere,
 * followed by a jump back. */
static bool movable(const struct region *r, uint32_t at)
{
    uint32_t n = region_covered(r, at);

    for (uint32_t i = at; i < at + n; i++) {
        const struct region_insn *x = &r->list.items[i];
        bool last_jump = i + 1 == at + n && x->direct && !(x->insn->traits & INSN_CONDITIONAL);
        if (x->insn->traits & INSN_BRANCH && !last_jump)
            return false;
    }
    return true;
}

static void choose_anchors(struct region *r)
{
    for (size_t k = 0; k < r->tabled.count && r->anchors.count < ANCHORS_MOST; k++) {
        uint32_t at = region_at(r, r->tabled.items[k]);
        bool room = at != REGION_NONE && r->list.items[at].in_loop && patchable(r, at) &&
                    movable(r, at) && !overlaps(r, at, r->pivot);
        for (size_t i = 0; i < r->resumed.count; i++)
            room = room && !overlaps(r, at, r->resumed.items[i]);
        for (size_t i = 0; i < r->anchors.count; i++)
            room = room && r->anchors.items[i] != at;
        if (room)
            vec_push(&r->anchors, at);
    }
}

/* Chooses the parts of a loop of computed gotos as patched places. Returns false with err if there
 * are none. */
static bool choose_parts(struct region *r, const bool *parts, struct err *err)
{
    for (uint32_t i = 0; i < r->list.count; i++) {
        if (!parts[i])
            continue;
        if (!patchable(r, i) || r->anchors.count >= PARTS_MOST)
            r->unresumed++;
        else
            vec_push(&r->anchors, i);
    }
    for (size_t i = 1; i < r->anchors.count; i++)
        vec_push(&r->resumed, r->anchors.items[i]);
    if (r->anchors.count)
        r->pivot = r->anchors.items[0];
    r->jumps_indirect = r->each_away = true;
    return r->anchors.count ||
           err_set(err, ERR_LIMIT, "kernel measure measures the loop outside its program",
                   "no part of the loop of computed gotos has space for a jump of %u bytes",
                   PATCH_BYTES);
}

enum code_register region_free_register(const struct region *r)
{
    static const enum code_register all[] = {CODE_RDI, CODE_RSI, CODE_RDX, CODE_RCX,
                                             CODE_RBX, CODE_RBP, CODE_RAX};
    uint32_t accessed = 0;

    for (size_t i = 0; i < r->list.count; i++) {
        const struct insn *in = r->list.items[i].insn;
        for (unsigned k = 0; r->list.items[i].in_loop && k < in->operand_count; k++) {
            const struct operand *o = &in->operands[k];
            accessed |= o->kind == OPERAND_REGISTER && o->reg < 16 ? 1u << o->reg : 0;
            accessed |= o->kind == OPERAND_MEMORY && o->base < 16 ? 1u << o->base : 0;
            accessed |= o->kind == OPERAND_MEMORY && o->index < 16 ? 1u << o->index : 0;
        }
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(accessed >> all[i] & 1))
            return all[i];
    return CODE_RAX;
}

bool region_has_arms(const struct region *r)
{
    bool found = false;

    for (uint32_t i = 0; i + 1 < r->list.count && !found; i++) {
        const struct region_insn *at = &r->list.items[i];
        found = at->in_loop && at->direct && at->insn->traits & INSN_CONDITIONAL &&
                at->target != REGION_NONE && at->target != r->pivot && i + 1 != r->pivot &&
                r->list.items[at->target].in_loop && r->list.items[i + 1].in_loop;
    }
    return found;
}

static bool uses_gs(const struct insn *i)
{
    for (unsigned k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == OPERAND_MEMORY && i->operands[k].segment != REG_NONE)
            for (unsigned b = 0; b < i->opcode_at; b++)
                if (i->bytes[b] == 0x65)
                    return true;
    return strstr(i->mnemonic, "gsbase") != NULL || strcmp(i->mnemonic, "swapgs") == 0;
}

bool region_find(const struct kernel *k, size_t loop, const struct region_memory *memory,
                 struct region *out, struct err *err)
{
    const struct kernel_loop *l = &k->loops[loop];
    bool *reached = mem_zero(k->insn_count + 1, sizeof *reached);

    const bool large = !l->dispatch && l->count > REGION_MOST;
    *out = (struct region){
        .kernel = k, .loop = loop, .pivot = REGION_NONE, .dispatch = l->dispatch};
    if (!l->depth || large) {
        free(reached);
        return l->depth ? err_set(err, ERR_LIMIT, "give an inner loop",
                                  "the loop has %zu instructions; the maximum is %d", l->count,
                                  REGION_MOST)
                        : err_set(err, ERR_DATA, "kernel functions FILE lists functions with loops",
                                  "no loop at this address");
    }
    bool *parts = l->dispatch ? mem_zero(k->insn_count, sizeof *parts) : NULL;
    if (memory && parts)
        find_parts(out, memory, parts);
    else if (memory)
        find_tables(out, memory);
    if (memory)
        find_entries(out, memory);
    if (parts)
        memset(reached, true, k->insn_count);
    else
        reach(out, l, reached);
    fill(out, l, reached);
    if (!parts)
        extend(out);
    free(reached);
    for (size_t i = 0; i < out->list.count; i++)
        if (uses_gs(out->list.items[i].insn)) {
            free(parts);
            return err_set(err, ERR_LIMIT, "kernel measure measures the loop outside its program",
                           "the code around the loop uses segment gs at 0x%" PRIx64
                           ", which the counters need",
                           out->list.items[i].insn->offset);
        }
    count_kinds(out);
    if (parts) {
        bool ok = choose_parts(out, parts, err);
        free(parts);
        return ok;
    }
    if (!choose_pivot(out, err))
        return false;
    choose_resumed(out);
    out->calls_always = out->calls && calls_always(out);
    out->each_away = out->calls_always || out->jumps_indirect;
    if (out->jumps_indirect)
        choose_anchors(out);
    return true;
}
