/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/forwarding.h"

#include <math.h>
#include <string.h>

/* Bytes per block of code. Rename connects at most memory_renaming_per_block loads in a block. */
#define CODE_BYTES 32

static bool on_stack(const struct forwarding *f, const struct operand *op)
{
    return op->base == f->core->isa->stack_pointer && op->index == REG_NONE;
}

/* Returns whether the address has no register except the program counter. */
static bool is_fixed(const struct operand *memory)
{
    return memory->base >= REG_PC && memory->index >= REG_PC;
}

/* Returns whether both addresses have the same displacement and the same unchanged registers.
 * Addresses relative to the stack pointer may differ by pushes and pops. If renaming applies only
 * to these addresses (renamed_stack_only), others are never equal. Fixed addresses of a store and
 * its load are equal (may_rename). */
static bool same_text(const struct forwarding *f, const struct operand *from,
                      const struct operand *to)
{
    if ((on_stack(f, from) && on_stack(f, to)) || f->core->renamed_stack_only)
        return on_stack(f, from) && on_stack(f, to);
    if (is_fixed(from) && is_fixed(to))
        return true;
    return from->base == to->base && from->index == to->index && from->scale == to->scale &&
           from->displacement == to->displacement &&
           (from->base >= REG_PC || !(f->written >> from->base & 1)) &&
           (from->index >= REG_PC || !(f->written >> from->index & 1));
}

static bool stores_sum(const struct forwarding *f, uint32_t store)
{
    return f->costs->rows[store].sum.pending & ~(1u << f->core->isa->stack_pointer);
}

/* Returns whether memory renaming covers the kind of address (fact memory_renaming_relative). */
static bool covers_address(const struct core *c, const struct insn *insn)
{
    return c->renamed_relative || !is_fixed(insn_memory(insn));
}

/* Returns whether memory renaming applies to the load and the store, without regard to their
 * addresses. If rename keeps the stored register as a register plus a constant, only a load of 64
 * bits is renamed. */
static bool may_rename(const struct forwarding *f, const struct forward *link)
{
    const struct insn *load = &f->insns[link->load], *store = &f->insns[link->store];

    if (!(f->costs->rows[link->load].op->traits & OP_RENAMES) || !link->fits || !link->starts_alike)
        return false;
    const struct operand *from = insn_memory(store), *to = insn_memory(load);
    if (from->bits < to->bits || !core_renames_width(f->core, from) ||
        f->costs->rows[link->store].op->traits & OP_VECTOR)
        return false;
    if (to->bits < 64 && stores_sum(f, link->store))
        return false;
    /* Rename does not connect the load to a read-modify-write with too many µops. */
    if (f->core->renamed_modify && store->traits & INSN_LOAD &&
        !(f->costs->rows[link->store].op->traits & OP_RENAMES))
        return false;
    return covers_address(f->core, load) && covers_address(f->core, store);
}

/* Returns whether @link leads from the last execution of the store before the load. An expanded
 * inner loop contains an instruction several times, at one offset. */
static bool is_last(const struct forwarding *f, const struct forward *link)
{
    const uint32_t count = (uint32_t)f->costs->count;
    bool last = link->distance == (link->store >= link->load);

    for (uint32_t i = link->store + 1; last && i % count != link->load; i++)
        last = f->insns[i % count].offset != f->insns[link->store].offset;
    return last;
}

/* Returns whether an earlier instruction of the code has the same offset as instruction @at. */
static bool is_repeated(const struct forwarding *f, uint32_t at)
{
    bool found = false;

    for (uint32_t i = at; i > 0 && !found; i--)
        found = f->insns[i - 1].offset == f->insns[at].offset;
    return found;
}

static bool could_rename(const struct forwarding *f, const struct forward *link)
{
    const struct insn *load = &f->insns[link->load], *store = &f->insns[link->store];
    const struct operand *from = insn_memory(store), *to = insn_memory(load);

    if (!may_rename(f, link) || (f->sets_stack && on_stack(f, from) && on_stack(f, to)))
        return false;
    if (f->by_loop && is_last(f, link))
        return true;
    if (is_fixed(to) && to->access & ACCESS_WRITE && !f->core->renamed_relative_modify)
        return f->by_length >= 1;
    if (!f->core->renamed_by_address)
        return f->by_length >= 1 || same_text(f, from, to);
    return !((load->traits | store->traits) & INSN_INDEXED);
}

/* Returns the share of stores that memory renaming finds in a block of this length (facts
 * memory_renaming_length and memory_renaming_apart). */
static double found_by_length(const struct forwarding *f, size_t bytes)
{
    const struct core *c = f->core;
    bool stack = false;

    for (size_t i = 0; i < f->costs->count && !c->memory_renaming_length_stack; i++)
        stack |= f->costs->rows[i].op->traits & OP_STACK;
    bool apart = (double)f->costs->count > c->memory_renaming_apart_through ||
                 isnan(c->memory_renaming_apart) || bytes % (size_t)c->memory_renaming_apart;
    return stack || !apart                                        ? 0
           : (double)f->costs->count >= c->memory_renaming_length ? 1
           : (double)f->costs->count >= c->memory_renaming_length - 1 &&
                   c->memory_renaming_every_other
               ? 0.5
               : 0;
}

/* Returns whether an instruction gives the stack pointer a new value, other than its old value plus
 * a constant. */
static bool sets_stack_pointer(const struct forwarding *f)
{
    bool found = false;

    for (size_t i = 0; i < f->costs->count; i++) {
        const struct insn *insn = &f->insns[i];
        const bool adds =
            insn->operation == OPERATION_ADD || insn->operation == OPERATION_SUBTRACT;
        for (unsigned k = 0; k < insn->operand_count && !(insn->traits & INSN_STACK); k++)
            found |= insn->operands[k].reg == f->core->isa->stack_pointer &&
                     insn->operands[k].kind == OPERAND_REGISTER &&
                     insn->operands[k].access & ACCESS_WRITE && !(adds && insn_immediate(insn));
    }
    return found;
}

/* Sets how memory renaming connects the loads of a loop (fact memory_renaming_loop). Does nothing
 * if the fact is unknown. If the code is no loop, sets only @sets_stack. */
static void start_loop(struct forwarding *f)
{
    size_t others = 0;

    if (isnan(f->core->memory_renaming_loop))
        return;
    f->sets_stack = sets_stack_pointer(f);
    if (shape_of(f->insns, f->costs->count) != SHAPE_LOOP)
        return;
    f->by_length = 0;
    for (size_t i = 0;
         i < f->work->found_count && (double)others <= f->core->memory_renaming_loop; i++) {
        const struct forward *link = &f->work->found[i];
        others += may_rename(f, link) && !could_rename(f, link) && is_last(f, link) &&
                  !is_repeated(f, link->load);
    }
    f->by_loop = (double)others <= f->core->memory_renaming_loop;
}

void forwarding_start(struct forwarding *f, const struct core *c, const struct insn *insns,
                      const struct costs *costs, uint64_t written, const struct address_work *work)
{
    size_t loads = 0, bytes = 0;

    *f = (struct forwarding){
        .core = c, .insns = insns, .costs = costs, .written = written, .work = work};
    for (size_t i = 0; i < costs->count; i++)
        bytes += insns[i].length;
    f->by_length = found_by_length(f, bytes);
    start_loop(f);
    if (isnan(c->memory_renaming_per_block))
        return;
    for (size_t i = 0; i < work->found_count; i++)
        loads += could_rename(f, &work->found[i]);
    f->crowded = (double)(loads * CODE_BYTES) > c->memory_renaming_per_block * (double)bytes;
}

bool forwarding_blocks(const struct core *c, const struct forward *link)
{
    return !link->fits && (!link->alone || isnan(c->store_forward_part));
}

bool forwarding_renamed(const struct forwarding *f, const struct forward *link)
{
    return !f->crowded && could_rename(f, link);
}

static bool forwards_vector(const struct forwarding *f, const struct forward *link)
{
    if (f->core->store_forward_by_store)
        return f->insns[link->store].traits & INSN_VECTOR;
    return f->costs->rows[link->load].op->traits & OP_VECTOR;
}

/* Returns the forwarding latency of vectors, for the wider of store and load. */
static double vector_latency(const struct forwarding *f, const struct forward *link)
{
    unsigned from = insn_memory(&f->insns[link->store])->bits,
             to = insn_memory(&f->insns[link->load])->bits, bits = from > to ? from : to;
    return bits > 256   ? f->core->store_forward_widest
           : bits > 128 ? f->core->store_forward_wide
                        : f->core->store_forward_vector;
}

static bool is_blocked(const struct forwarding *f, uint32_t load)
{
    const struct address_work *work = f->work;

    for (size_t i = addresses_found(work, load);
         i < work->found_count && work->found[i].load == load; i++)
        if (forwarding_blocks(f->core, &work->found[i]))
            return true;
    return false;
}

/* Returns the cycles in which the cache writes the stores between the previous blocked load and
 * this store (fact store_forward_fail_drains). */
static double drained(const struct forwarding *f, const struct forward *link)
{
    uint32_t count = (uint32_t)f->costs->count, i = link->store;
    unsigned stores = 0;

    if (!f->core->store_forward_fail_drains || isnan(f->core->stores_per_cycle))
        return 0;
    while ((i = (i ? i : count) - 1) != link->store && !is_blocked(f, i))
        stores += (f->insns[i].traits & INSN_STORE) != 0;
    return floor(stores / f->core->stores_per_cycle);
}

double forwarding_latency(const struct forwarding *f, const struct forward *link)
{
    const struct core *c = f->core;
    const struct insn *load = &f->insns[link->load], *store = &f->insns[link->store];

    if (!link->fits)
        return forwarding_blocks(c, link) ? c->store_forward_fail + drained(f, link)
                                          : c->store_forward_part;
    if (load->traits & INSN_LOCK && !isnan(c->memory_renaming))
        return 0;   /* The measured latency of a locked instruction includes the forwarding. */
    if (forwarding_renamed(f, link))
        return c->memory_renaming;
    if (stores_sum(f, link->store) && !(store->traits & INSN_LOAD))
        return c->store_forward + 1;   /* Adds a cycle for the addition that rename deferred,
                                        * because it executes before the store. */
    if (load->x87 != X87_NONE)
        return c->store_forward_x87;
    if (forwards_vector(f, link))
        return vector_latency(f, link);
    bool follows = f->costs->rows[link->load].op->traits & OP_RENAMES &&
                   !((load->traits | store->traits) & INSN_INDEXED) && covers_address(c, load) &&
                   covers_address(c, store);
    follows = follows && (!c->renamed_stack_only || on_stack(f, insn_memory(load)));
    /* If the machine has the fact memory_renaming_length, a shorter block has no memory
     * renaming. */
    follows = follows && isnan(c->memory_renaming_length);
    bool modify =
        load->traits & store->traits & INSN_STORE && store->traits & INSN_LOAD && !follows;
    double forwarded = modify ? c->store_forward_modify : c->store_forward;
    double found = f->by_length > 0 && may_rename(f, link) ? f->by_length : 0;
    return found > 0 ? found * c->memory_renaming + (1 - found) * forwarded : forwarded;
}
