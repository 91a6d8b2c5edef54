/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/mem.h"
#include "base/str.h"
#include "isa/insn.h"
#include "model/facts.h"

static portset ports_fact(const struct machine *m, const char *key)
{
    const char *text = machine_fact(m, key);
    portset set = 0;
    return text && portset_parse(&text, mapping_ports(m->mapping), &set, NULL) ? set : 0;
}

static const struct usage *usage_named(const struct machine *m, const char *form)
{
    const struct mapping_entry *entry = form ? mapping_find(m->mapping, form) : NULL;
    return entry && entry->usage.count ? &entry->usage : NULL;
}

static bool has_latencies(const struct machine *m)
{
    bool any = m->latency_count > 0 || !isnan(fact_number(m, "load_latency"));

    for (size_t i = 0; i < mapping_count(m->mapping) && !any; i++)
        any = !isnan(mapping_at(m->mapping, i)->latency);
    return any;
}

struct core *core_new(const struct machine *m)
{
    struct core *c = mem_zero(1, sizeof *c);

    c->machine = m;
    c->ports = mapping_ports(m->mapping);
    c->pipes = c->ports->pipes;
#define READ_NUMBER(key) c->key = fact_number(m, #key);
#define READ_SWITCH(key) c->key = fact_switch(m, #key);
    CORE_NUMBERS(READ_NUMBER)
    CORE_SWITCHES(READ_SWITCH)
    if (c->loop_buffer <= 0)   /* A loop buffer of size 0 exists, but is disabled. */
        c->loop_buffer = NAN;
    c->eliminates_once = machine_fact(m, "eliminate_once") != NULL;
    c->fused_domain = machine_has(m, "issue_domain", "fused");
    c->fuses_moves = machine_fact(m, "fuse_move") != NULL || machine_has(m, "eliminate", "prefix");
    c->renamed_by_address = machine_has(m, "memory_renaming_match", "address");
    c->renamed_stack_only = machine_has(m, "memory_renaming_base", "stack");
    c->renamed_modify = machine_has(m, "memory_renaming_modify", "all");
    c->renamed_relative = !machine_has(m, "memory_renaming_relative", "no");
    c->renamed_relative_modify =
        c->renamed_relative && !machine_has(m, "memory_renaming_relative", "loads");
    c->memory_not_last = machine_has(m, "group_not_last", "memory");
    c->vectors_not_last = machine_has(m, "group_not_last", "from_vectors");
    c->port_binding = machine_has(m, "port_binding", "computing") ? BIND_COMPUTING
                      : machine_has(m, "port_binding", "slots")   ? BIND_SLOTS
                                                                   : BIND_AT_DISPATCH;
    c->stack_sync_computed = machine_has(m, "stack_pointer_sync", "computed");
    c->stack_sync_all = !c->stack_sync_computed && !machine_has(m, "stack_pointer_sync", "changed");
    c->has_latencies = has_latencies(m);
    dispatch_limits_of(m, &c->dispatch_limits);
    c->conflict_ports = ports_fact(m, "port_conflicts");
    c->replay_ports = ports_fact(m, "alu_replays_ports");
    c->unhurried_ports = ports_fact(m, "unhurried_ports");
    c->bypass_ports = ports_fact(m, "bypass_ports");
    c->wide_closes = ports_fact(m, "wide_closes");
    c->unlamination = machine_has(m, "unlaminate", "all") ? UNLAMINATE_ALL
                      : machine_has(m, "unlaminate", "not-two-address") ? UNLAMINATE_NOT_TWO_ADDRESS
                      : machine_has(m, "unlaminate", "general") ? UNLAMINATE_GENERAL
                      : machine_has(m, "unlaminate", "three-sources") ? UNLAMINATE_THREE
                                                                       : UNLAMINATE_NEVER;
    enum isa isa = isa_host();
    isa_parse(m->isa, &isa);
    c->isa = isa_ops(isa);
    c->load = usage_named(m, c->isa->load_form);
    c->store = usage_named(m, c->isa->store_form);
    c->alu = usage_named(m, c->isa->address_form);
    c->add = usage_named(m, c->isa->sum_form);
    c->stack_pointer_sync = c->stack_engine ? usage_named(m, c->isa->stack_sync_form) : NULL;
    return c;
}

static void op_free(struct op *op)
{
    usage_done(&op->usage);
    usage_done(&op->indexed);
    vec_done(&op->rules);
    free(op->form);
    free(op);
}

void core_free(struct core *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->op_count; i++)
        op_free(c->ops[i]);
    free(c->ops);
    index_done(&c->index);
    free(c);
}

/* Sets @out to the usage of a store with an index register, whose address may use fewer ports (fact
 * indexed_store_ports). From Haswell to Skylake, such an address cannot use port 7. */
static void restrict_indexed(const struct core *c, const struct usage *usage, struct usage *out)
{
    portset only = ports_fact(c->machine, "indexed_store_ports");

    for (unsigned i = 0; i < usage->count; i++) {
        portset set = usage->uops[i].ports;
        bool is_address = only && !(only & ~set) && portset_size(set) == portset_size(only) + 1;
        usage_add(out, is_address ? only : set, usage->uops[i].count);
    }
}

static unsigned count_of(const struct usage *usage, portset pipes)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].ports & pipes ? 0 : usage->uops[i].count;
    return sum;
}

/* Returns the table's entry of the operation of @insn on registers, without load or store; NULL:
 * none. */
static const struct mapping_entry *register_form(const struct machine *m, const struct insn *insn,
                                                 unsigned bits)
{
    const struct mapping_entry *found = NULL;
    char form[FORM_MAX];

    for (size_t at = 0;
         !found && isa_with_register((enum isa)insn->isa, insn->form, bits, &at, form);)
        found = mapping_find(m->mapping, form);
    return found;
}

static bool touches_vector(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        uint8_t file = insn->operands[i].implicit ? FILE_NONE : insn->operands[i].file;
        if (file == FILE_VECTOR || file == FILE_MASK || file == FILE_X87)
            return true;
    }
    return false;
}

static int32_t hundredths(double cycles)
{
    return isnan(cycles) ? -1 : (int32_t)lround(cycles * CYCLE);
}

static void set_load_latency(const struct core *c, const struct insn *insn, bool vector,
                             struct op *op)
{
    const struct operand *memory = insn_memory(insn);
    double cycles = insn->x87 != X87_NONE           ? c->load_latency_x87
                    : !vector                       ? c->load_latency
                    : memory && memory->bits > 128 ? c->load_latency_wide
                    : memory && memory->bits < 128 ? c->load_latency_scalar
                                                   : c->load_latency_vector;
    op->load_latency = isnan(cycles) ? 0 : hundredths(cycles);
    op->traits |= isnan(cycles) && insn->traits & INSN_LOAD ? OP_LOAD_UNKNOWN : 0;
}

static unsigned add_all(struct usage *usage, const struct usage *more)
{
    for (unsigned i = 0; i < more->count; i++)
        usage_add(usage, more->uops[i].ports, more->uops[i].count);
    return count_of(more, 0);
}

/* Sets the record's estimate to @source if it has none and @source denotes an estimate. */
static void note_estimate(struct op *op, const char *source)
{
    if (!op->estimate && source && source_is_estimate(source))
        op->estimate = source;
}

/* Composes the usage of an unknown form from its operation on registers and a known load or store.
 * Returns false if the operation or the access is unknown. */
static bool approximate(struct core *c, const struct insn *insn, struct op *op)
{
    const struct operand *memory = insn_memory(insn);
    const struct mapping_entry *plain = memory && insn->traits & (INSN_LOAD | INSN_STORE)
                                            ? register_form(c->machine, insn, memory->bits)
                                            : NULL;

    if (!plain || (insn->traits & INSN_LOAD && !c->load) ||
        (insn->traits & INSN_STORE && !c->store))
        return false;
    usage_copy(&op->usage, &plain->usage);
    note_estimate(op, plain->source);
    op->micro_ops = plain->micro_ops;
    op->micro_ops = op->micro_ops ? op->micro_ops : count_of(&plain->usage, c->pipes);
    if (insn->traits & INSN_LOAD)
        op->micro_ops += add_all(&op->usage, c->load);
    if (insn->traits & INSN_STORE)
        op->micro_ops += add_all(&op->usage, c->store);
    op->latency = hundredths(plain->latency);
    op->traits |= OP_KNOWN | OP_APPROXIMATE;
    return true;
}

/* Returns the latency of the operation without its load or store; -1: unknown. Returns 0 for pure
 * loads and stores, and the table's latency for a form without access to memory. For other forms,
 * uses the register form's latency if known. Otherwise subtracts the load latency from the table's
 * latency. The difference is at least one cycle. */
static int32_t operation_latency(const struct core *c, const struct insn *insn, const struct op *op)
{
    const struct operand *memory = insn_memory(insn);

    if (op->traits & (OP_PURE_LOAD | OP_PURE_STORE))
        return 0;
    if (!memory || !(insn->traits & (INSN_LOAD | INSN_STORE)))
        return hundredths(op->entry->latency);
    const struct mapping_entry *plain = register_form(c->machine, insn, memory->bits);
    /* Rename eliminates some additions of registers. An addition of a loaded value is executed, so
     * it takes a cycle. */
    if (plain && !isnan(plain->latency))
        return plain->usage.count || !insn->flags_written ? hundredths(plain->latency) : CYCLE;
    if (isnan(op->entry->latency))
        return -1;
    int32_t rest =
        hundredths(op->entry->latency) - (insn->traits & INSN_LOAD ? op->load_latency : 0);
    return rest > CYCLE ? rest : CYCLE;
}

/* Returns whether an AArch64 load writes one lane and keeps the other lanes. */
static bool merges_loaded(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER &&
            insn->operands[i].access == (ACCESS_READ | ACCESS_WRITE))
            return true;
    return false;
}

static bool computes(const struct insn *insn)
{
    bool reads = insn->flags_written != 0;

    for (unsigned i = 0; i < insn->operand_count; i++)
        reads |= !insn->operands[i].implicit && insn->operands[i].kind == OPERAND_REGISTER &&
                 insn->operands[i].access & ACCESS_READ;
    return reads;
}

/* Returns the number of µop pairs that share a slot, for a table in which micro_ops is the number
 * of slots. An operation of unknown ports also counts. A gather has no pairs, because its index
 * splits them. */
static unsigned pairs_in_slots(const struct core *c, const struct insn *insn, const struct op *op,
                               unsigned ported)
{
    const struct operand *memory = insn_memory(insn);
    bool loads = insn->traits & INSN_LOAD, stores = insn->traits & INSN_STORE;
    bool gathers = memory && memory->index != REG_NONE && memory->index >= c->isa->vectors;

    if (gathers || (ported > 1 && op->micro_ops >= ported))
        return 0;
    return (loads && (ported > 1 + 2u * stores || computes(insn))) + stores;
}

static bool has_register(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].reg < REG_PC &&
            insn->operands[i].access & ACCESS_READ)
            return true;
    return false;
}

bool core_renames_width(const struct core *c, const struct operand *memory)
{
    char bits[8];
    snprintf(bits, sizeof bits, "%u", (unsigned)memory->bits);
    return machine_has(c->machine, "memory_renaming_bits", bits);
}

/* Returns whether a read-modify-write without LOCK reads neither registers nor flags, such as add
 * m,i; inc m; shl m,i. */
static bool modifies_by_constant(const struct insn *insn)
{
    return !has_register(insn) && !insn->flags_read && !(insn->traits & INSN_LOCK);
}

/* Returns whether the load of @insn is of a kind to which memory renaming applies. Ignores the
 * address. */
static bool renames_load(const struct core *c, const struct insn *insn, const struct op *op)
{
    const struct machine *m = c->machine;

    if (isnan(c->memory_renaming) || op->traits & OP_VECTOR || !(insn->traits & INSN_LOAD) ||
        !core_renames_width(c, insn_memory(insn)))
        return false;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].offset_bits)
            return false;
    bool modifies = insn_memory(insn)->access & ACCESS_WRITE;
    if (!modifies && machine_has(m, "memory_renaming_loads", insn->mnemonic))
        return true;
    if (insn->traits & INSN_STORE)
        return (c->renamed_modify && op->micro_ops <= 2) ||
               (machine_has(m, "memory_renaming_modify", "constant") && modifies_by_constant(insn));
    return machine_has(m, "memory_renaming_tests", insn->mnemonic) && insn_immediate(insn);
}

static void classify(const struct core *c, const struct insn *insn, struct op *op)
{
    unsigned loads = insn->traits & INSN_LOAD ? 1 : 0, stores = insn->traits & INSN_STORE ? 1 : 0;
    unsigned ported = count_of(&op->usage, c->pipes);

    op->traits |= fusion_eliminates(c->machine, insn) ? OP_ELIMINATED : 0;
    op->traits |= machine_has(c->machine, "false_dependency", insn->mnemonic) ? OP_FALSE_INPUT : 0;
    op->traits |= machine_has(c->machine, "not_zero_idiom", insn->mnemonic) ? OP_KEEPS_ZERO : 0;
    op->traits |= machine_has(c->machine, "carry_idiom", insn->mnemonic) ? OP_CARRY_IDIOM : 0;
    op->traits |= machine_has(c->machine, "zero_idiom", insn->mnemonic) ? OP_SAME_ZERO : 0;
    op->traits |= machine_has(c->machine, "ones_idiom", insn->mnemonic) ? OP_SAME_ONES : 0;
    op->traits |= machine_has(c->machine, "slow_flags", insn->mnemonic) ? OP_SLOW_FLAGS : 0;
    op->traits |=
        machine_has(c->machine, "immediate_folding_slow", insn->mnemonic) ? OP_SLOW_SUM : 0;
    op->traits |=
        machine_has(c->machine, "immediate_folding_again", insn->mnemonic) ? OP_SUM_AGAIN : 0;
    op->traits |= machine_has(c->machine, "group_first", insn->mnemonic) ? OP_FIRST : 0;
    op->traits |= (c->memory_not_last && insn->traits & (INSN_LOAD | INSN_STORE)) ||
                          (c->vectors_not_last && insn_leaves_vectors(insn))
                      ? OP_NOT_LAST
                      : 0;
    op->traits |= machine_has(c->machine, "complex_decode", insn->mnemonic) ? OP_COMPLEX : 0;
    op->traits |= fusion_possible(c->machine, insn) ? OP_FUSIBLE : 0;
    op->traits |= insn->traits & INSN_STACK ? OP_STACK : 0;
    op->traits |= touches_vector(insn) ? OP_VECTOR : 0;
    op->traits |= renames_load(c, insn, op) ? OP_RENAMES : 0;
    for (unsigned i = 0; i < op->usage.count; i++)
        op->traits |= op->usage.uops[i].ports & c->pipes ? OP_PIPE : 0;
    if (!(op->traits & OP_KNOWN))
        return;
    /* On a load-store architecture, the second µop of a load may be the update of the base
     * register. */
    bool plain = c->isa->load_store;
    if (loads && !stores && (plain ? !merges_loaded(insn) : ported <= 1))
        op->traits |= OP_PURE_LOAD;
    if (stores && !loads && (plain || ported <= 2 || insn->operation == OPERATION_MOVE))
        op->traits |= OP_PURE_STORE;
    if (c->fused_domain && !op->micro_ops)
        op->micro_ops = ported;
    if (!op->micro_ops)
        op->micro_ops = 1;
    if (c->fused_domain) {
        unsigned left = op->micro_ops;
        op->pairs += loads && left > 1 + 2 * stores ? 1 : 0;
        op->pairs += stores && left > 1 ? 1 : 0;
    } else if (c->unlamination != UNLAMINATE_NEVER) {
        op->pairs = pairs_in_slots(c, insn, op, ported);
    }
}

/* Returns op.fence: the latency of locked instructions (including xchg with memory), of barriers
 * (measured in isolation if possible), and of the instructions in fact serialising; 0 for other
 * instructions. */
static int32_t fence_latency(const struct core *c, const struct insn *insn, const struct op *op)
{
    if (insn->traits & INSN_BARRIER)
        return op->alone ? hundredths(op->alone->cycles) : op->latency > 0 ? op->latency : CYCLE;
    bool locked = (insn->traits & INSN_LOCK && !(insn->traits & INSN_FOREIGN)) ||
                  (insn->operation == OPERATION_EXCHANGE && insn->traits & INSN_STORE);
    if (locked)
        return hundredths(c->lock_latency);
    return machine_has(c->machine, "serialising", insn->mnemonic) && op->latency > 0 ? op->latency
                                                                                     : 0;
}

static void take_rules(const struct core *c, struct op *op)
{
    for (size_t i = 0; i < c->machine->latency_count; i++) {
        const struct latency_rule *rule = &c->machine->latencies[i];
        if (!str_match(rule->form, op->form))
            continue;
        note_estimate(op, rule->source);
        if (!latency_end_whole(rule->from))
            vec_push(&op->rules, rule);
        else if (rule->from == LATENCY_ALONE && !op->alone)
            op->alone = rule;
        else if (rule->from == LATENCY_SLOWEST && !op->slowest)
            op->slowest = rule;
    }
}

static struct op *op_new(struct core *c, const struct insn *insn)
{
    struct op *op = mem_zero(1, sizeof *op);

    op->form = mem_strdup(insn->form);
    op->latency = -1;
    set_load_latency(c, insn, touches_vector(insn), op);
    op->entry = fusion_resolve(c->machine, insn);
    if (op->entry) {
        note_estimate(op, op->entry->source);
        usage_copy(&op->usage, &op->entry->usage);
        op->micro_ops = op->entry->micro_ops;
        op->traits |= OP_KNOWN;
        classify(c, insn, op);
        /* On a load-store architecture, the table's latency of a load is from the address to the
         * value. This latency depends on width, extension and number of registers. */
        if (c->isa->load_store && op->traits & OP_PURE_LOAD && !isnan(op->entry->latency)) {
            op->load_latency = hundredths(op->entry->latency);
            op->traits &= ~(uint32_t)OP_LOAD_UNKNOWN;
        }
        op->latency = operation_latency(c, insn, op);
        /* An executed move takes at least one cycle. The table may have 0, because rename usually
         * eliminates the move. A move from or to memory has the latency of its access instead. */
        if (op->latency >= 0 && op->latency < CYCLE && op->usage.count &&
            !(insn->traits & (INSN_LOAD | INSN_STORE)))
            op->latency = CYCLE;
    } else {
        approximate(c, insn, op);
        classify(c, insn, op);
    }
    /* The instruction has no µop, because it is a nop, or rename eliminates it, such as an addition
     * of an immediate on Golden Cove. */
    if (insn->traits & INSN_NOP || (op->entry && !op->usage.count))
        op->latency = 0;
    if (op->traits & OP_STACK && insn->traits & INSN_LOAD && insn->traits & INSN_STORE)
        /* Push and pop of a memory operand also write the stack pointer, with a latency of 0. */
        op->latency = 0;
    restrict_indexed(c, &op->usage, &op->indexed);
    take_rules(c, op);
    op->fence = fence_latency(c, insn, op);
    return op;
}

static bool is_op(const void *core, uint32_t item, const void *form)
{
    return strcmp(((const struct core *)core)->ops[item]->form, form) == 0;
}

const struct op *core_op(struct core *c, const struct insn *insn)
{
    uint64_t hash = hash_text(insn->form);
    uint32_t item = index_find(&c->index, hash, is_op, c, insn->form);

    if (item != INDEX_NONE)
        return c->ops[item];
    struct op *op = op_new(c, insn);
    c->ops = mem_resize(c->ops, (c->op_count + 1) * sizeof *c->ops);
    c->ops[c->op_count++] = op;
    index_add(&c->index, hash, (uint32_t)c->op_count - 1);
    return op;
}
