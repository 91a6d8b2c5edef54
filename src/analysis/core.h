/* A machine in numeric form for the analysis. Facts are read only once. The record of a form is
 * computed at its first use. */
#ifndef PORTOLAN_ANALYSIS_CORE_H
#define PORTOLAN_ANALYSIS_CORE_H

#include <math.h>

#include "base/index.h"
#include "base/vec.h"
#include "isa/insn.h"
#include "model/dispatch_limits.h"
#include "model/machine.h"
#include "throughput/throughput.h"

/* Latencies are integers in hundredths of a cycle, because cycle ratios must be exact. */
#define CYCLE 100

enum op_trait {
    OP_KNOWN = 1 << 0,
    /* the usage is composed of a load or store and an operation in the machine's table */
    OP_APPROXIMATE = 1 << 1,
    OP_ELIMINATED = 1 << 2,        /* a move that rename eliminates */
    /* the result depends on the old value of the destination, although the operation does not use
     * that value */
    OP_FALSE_INPUT = 1 << 3,
    OP_PURE_LOAD = 1 << 4,         /* a load without another operation */
    OP_PURE_STORE = 1 << 5,
    OP_STACK = 1 << 6,             /* push, pop, call, ret: changes rsp in the stack engine */
    OP_VECTOR = 1 << 7,            /* loads or stores a vector register */
    OP_PIPE = 1 << 8,              /* occupies a blocking pipe */
    OP_COMPLEX = 1 << 9,           /* only the first decoder decodes it */
    /* a zeroing idiom that this machine executes, although the result does not depend on the
     * operands */
    OP_KEEPS_ZERO = 1 << 11,
    OP_CARRY_IDIOM = 1 << 12,      /* two equal registers (sbb): the result depends only on the
                                    * carry flag */
    OP_RENAMES = 1 << 13,          /* memory renaming may connect the load to a store */
    OP_SLOW_FLAGS = 1 << 14,       /* a conditional move or set with slow flags */
    /* slower if rename keeps an input as a register plus a constant */
    OP_SLOW_SUM = 1 << 15,
    OP_FUSIBLE = 1 << 16,          /* can macro-fuse with a following branch */
    OP_FIRST = 1 << 17,            /* must be first in a group at rename */
    /* executes twice if rename keeps an input as a register plus a constant */
    OP_SUM_AGAIN = 1 << 18,
    OP_LOAD_UNKNOWN = 1 << 19,
    OP_NOT_LAST = 1 << 20,         /* cannot be last in a group at rename */
    OP_SAME_ZERO = 1 << 21,        /* eliminated at rename if both operands are the same register */
    /* executed, but does not depend on its operands if they are the same register */
    OP_SAME_ONES = 1 << 22,
};

/* Record of one form on one machine */
struct op {
    char *form;
    const struct mapping_entry *entry;   /* row of the machine's table; NULL: unknown or composed */
    struct usage usage;                  /* usage in the machine's table */
    /* usage with an indexed address */
    struct usage indexed;
    uint32_t traits;                     /* set of enum op_trait */
    unsigned micro_ops;                  /* number of µops at rename without micro-fusion */
    /* number of micro-fused pairs: a load with its operation, or store address with data */
    unsigned pairs;
    /* latency of the operation without its load or store, in hundredths of a cycle; -1: unknown */
    int32_t latency;
    /* latency of the load, from the address to the value, in hundredths of a cycle; 0: unknown */
    int32_t load_latency;
    /* hundredths of a cycle by which the instruction delays the next locked or serialising
     * instruction; 0: none */
    int32_t fence;
    /* rule of the latency with the slowest operand values; NULL: the latency does not depend on
     * values, or is unknown */
    const struct latency_rule *slowest;
    /* source of the estimate, borrowed; NULL: neither usage nor latency is an estimate */
    const char *estimate;
    /* minimum cycles per copy, measured in isolation; NULL: none */
    const struct latency_rule *alone;
    /* latencies from one operand to another (latencies.csv); the first match applies */
    VEC(const struct latency_rule *) rules;
};

enum port_binding { BIND_AT_DISPATCH, BIND_SLOTS, BIND_COMPUTING };

enum unlamination {
    UNLAMINATE_NEVER, UNLAMINATE_THREE, UNLAMINATE_NOT_TWO_ADDRESS, UNLAMINATE_GENERAL,
    UNLAMINATE_ALL
};

/* Facts that are members of struct core (model/facts.c). NaN: the machine lacks the fact, and the
 * fact has no default. Units: cycles, µops per cycle, bytes, entries. */
#define CORE_NUMBERS(X)                                                                            \
    X(rename_to_port) X(eliminate_per_cycle) X(eliminate_zero_per_cycle) X(rename_vectors)         \
    X(issue_width) X(retire_width) X(decoders) X(decode_width) X(fetch_bytes) X(predecode_bytes)   \
    X(predecode_width) X(lcp_penalty) X(loop_buffer) X(taken_branches)                             \
    X(decode_complex_uops) X(decode_alone_uops) X(uop_cache_width) X(uop_cache_block)              \
    X(uop_cache_lines) X(uop_cache_line_uops) X(uop_cache_line_insns) X(uop_cache_line_constants)  \
    X(uop_cache_window) X(uop_cache_window_lines) X(uop_cache_window_again) X(uop_cache_size)      \
    X(loads_per_cycle) X(stores_per_cycle) X(store_lines_per_cycle) X(store_line_bytes)            \
    X(store_run) X(store_word_bytes) X(store_word_busy) X(store_word_wait)                         \
    X(store_forward_modify) X(store_forward_widest) X(store_address_late) X(store_forward_copied)  \
    X(store_forward_part) X(memory_renaming_per_block) X(memory_renaming_length)                   \
    X(memory_renaming_apart) X(memory_renaming_apart_through) X(memory_renaming_store_beside)      \
    X(memory_renaming_loop) X(unlaminate_first)                                                    \
    X(immediate_folding) X(immediate_folding_extra) X(slow_flags_latency)                          \
    X(bypass_delay_addition) X(chain_delay_addition) X(chain_delay_company) X(bypass_delay)        \
    X(bypass_delay_domain) X(chain_delay_conversion) X(chain_delay_transfer)                       \
    X(chain_delay_product)                                                                         \
    X(load_bank_bytes) X(load_line_banks) X(loads_per_bank) X(split_loads_per_cycle)               \
    X(split_access_slots) X(load_replays) X(load_replays_through) X(load_replays_pairs)            \
    X(vector_loads_per_cycle) X(vector_loads_mixed) X(vector_loads_mixed_runs) X(forward_replays)  \
    X(forward_replays_modify) X(alu_replays)                                                       \
    X(load_latency) X(load_latency_simple) X(load_latency_scalar) X(load_latency_vector)           \
    X(load_latency_wide) X(load_latency_x87) X(store_forward) X(store_forward_vector)              \
    X(store_forward_x87) X(store_forward_fail) X(store_forward_wide) X(memory_renaming)            \
    X(load_extra_scaled) X(load_extra_three) X(load_extra_segment) X(high_byte_latency)            \
    X(dtlb_miss) X(lock_latency) X(x87_assist)                                                     \
    X(copies_cached) X(copies_cached_bytes)                                                        \
    X(reorder_buffer) X(scheduler) X(load_buffer) X(store_buffer) X(instruction_queue)             \
    X(uop_queue)
#define CORE_SWITCHES(X)                                                                           \
    X(jcc_erratum) X(stack_engine) X(fusible_in_last_decoder) X(low_byte_renamed) X(fuse_nop)      \
    X(memory_renaming_store_alone) X(memory_renaming_length_stack) X(store_forward_fail_drains)    \
    X(store_forward_by_store) X(memory_renaming_every_other) X(group_whole)                        \
    X(unlaminate_relative)                                                                         \
    X(high_byte_renamed) X(shift_keeps_flags)
#define CORE_NUMBER(key) double key;
#define CORE_SWITCH(key) bool key;

struct core {
    const struct machine *machine;
    const struct isa_ops *isa;
    const struct ports *ports;
    portset pipes;
    CORE_NUMBERS(CORE_NUMBER)
    CORE_SWITCHES(CORE_SWITCH)
    bool eliminates_once, fused_domain, fuses_moves, renamed_by_address, stack_sync_all,
        stack_sync_computed, renamed_stack_only, renamed_modify, renamed_relative,
        renamed_relative_modify, memory_not_last, vectors_not_last;
    enum port_binding port_binding;
    /* whether the machine has a latency of loads or of any form; otherwise dependences are
     * ignored */
    bool has_latencies;
    portset conflict_ports;              /* ports in fact port_conflicts */
    portset replay_ports;                /* ports in fact alu_replays_ports */
    portset unhurried_ports;             /* ports in fact unhurried_ports */
    struct dispatch_limits dispatch_limits;
    /* ports of floating-point multiplications, conversions and comparisons; 0: no bypass delay */
    portset bypass_ports;
    /* ports that execute no vector µop while 512-bit µops run */
    portset wide_closes;
    enum unlamination unlamination;
    /* usages of a load and of a store of a general register; NULL: unknown */
    const struct usage *load, *store;
    /* usage of the µop that updates a base register; NULL: no such addressing */
    const struct usage *alu;
    const struct usage *add;             /* usage of an addition of registers */
    /* usage of the stack-sync µop, which adds the stack engine's offset to the stack pointer */
    const struct usage *stack_pointer_sync;
    struct op **ops;
    size_t op_count;
    struct index index;
};

/* Returns the issue slots per cycle: the fact issue_width, rounded. The machine must have this
 * fact. */
static inline unsigned core_slots(const struct core *c)
{
    return (unsigned)lrint(c->issue_width);
}

/* Returns the µops per cycle from the microcode ROM: the larger of the widths of the first decoder
 * and of rename. */
static inline unsigned core_microcode_width(const struct core *c)
{
    return c->issue_width > c->decode_complex_uops ? core_slots(c)
                                                   : (unsigned)c->decode_complex_uops;
}

/* Creates a core for @m. Borrows @m, which must not change. One thread per core. Threads may share
 * the machine. */
struct core *core_new(const struct machine *m);
void core_free(struct core *c);
/* Returns the record of @insn's form. Never returns NULL. If its traits lack OP_KNOWN, the machine
 * has no row for the form. */
const struct op *core_op(struct core *c, const struct insn *insn);
/* Returns whether memory renaming covers loads of @memory's width (fact memory_renaming_bits). */
bool core_renames_width(const struct core *c, const struct operand *memory);

#endif
