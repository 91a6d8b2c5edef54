/* A machine in numeric form for analysis: facts read once, and one record per form, made on first
 * use. */
#ifndef PORTOLAN_ANALYSIS_CORE_H
#define PORTOLAN_ANALYSIS_CORE_H

#include <math.h>

#include "base/index.h"
#include "base/vec.h"
#include "isa/insn.h"
#include "model/dispatch_limits.h"
#include "model/machine.h"
#include "throughput/throughput.h"

/* Latencies are integers in hundredths of a cycle, so that cycle ratios are exact. */
#define CYCLE 100

enum op_trait {
    OP_KNOWN = 1 << 0,
    /* composed of a load or store and an operation that the machine has */
    OP_APPROXIMATE = 1 << 1,
    OP_ELIMINATED = 1 << 2,        /* move done at rename */
    OP_FALSE_INPUT = 1 << 3,       /* has a false dependency on its destination */
    OP_PURE_LOAD = 1 << 4,         /* a load with no operation of its own */
    OP_PURE_STORE = 1 << 5,
    OP_STACK = 1 << 6,             /* push, pop, call, ret: the stack engine moves rsp */
    OP_VECTOR = 1 << 7,            /* its memory operand goes to or comes from a vector register */
    OP_PIPE = 1 << 8,              /* holds a blocking pipe */
    OP_COMPLEX = 1 << 9,           /* only the first decoder takes it */
    /* a zeroing idiom that this machine executes, although without a dependency */
    OP_KEEPS_ZERO = 1 << 11,
    OP_CARRY_IDIOM = 1 << 12,      /* of a register with itself (sbb): depends on the carry flag
                                    * only */
    OP_RENAMES = 1 << 13,          /* its load may be renamed to its store (memory renaming) */
    OP_SLOW_FLAGS = 1 << 14,       /* a conditional move or set with slow flags */
    /* slower on a register that rename keeps as a sum */
    OP_SLOW_SUM = 1 << 15,
    OP_FUSIBLE = 1 << 16,          /* macro-fuses with some following branch */
    OP_FIRST = 1 << 17,            /* begins a new group at rename */
    OP_SUM_AGAIN = 1 << 18,        /* takes its ports twice when it reads such a sum */
    OP_LOAD_UNKNOWN = 1 << 19,     /* the latency of its load is unknown */
    OP_NOT_LAST = 1 << 20,         /* not in the last slot of a group at rename */
    OP_SAME_ZERO = 1 << 21,        /* eliminated at rename if its operands are the same register */
    /* independent if its operands are the same register, though executed */
    OP_SAME_ONES = 1 << 22,
};

/* One form on one machine. */
struct op {
    char *form;
    const struct mapping_entry *entry;   /* NULL: unknown or composed */
    struct usage usage;                  /* as the table has it */
    struct usage indexed;                /* usage with an indexed address, if the store-address
                                          * ports differ */
    uint32_t traits;                     /* enum op_trait */
    unsigned micro_ops;                  /* without fusion */
    /* micro-fused: load with operation, or store address with data */
    unsigned pairs;
    /* of the operation without load or store, hundredths; -1: unknown */
    int32_t latency;
    /* address to value of its load, hundredths; 0 if unknown */
    int32_t load_latency;
    /* delay of the next locked or serialising instruction, hundredths of a cycle; 0: none */
    int32_t fence;
    /* latency with the slowest operands (from slowest to slowest); NULL: equal for all operands, or
     * unknown */
    const struct latency_rule *slowest;
    /* source of its usage or latency if estimated, borrowed; NULL if not */
    const char *estimate;
    /* least cycles per copy, measured (from alone to alone); NULL: its ports decide */
    const struct latency_rule *alone;
    /* exceptions between operands (latencies.csv), first match wins */
    VEC(const struct latency_rule *) rules;
};

enum port_binding { BIND_AT_DISPATCH, BIND_SLOTS, BIND_COMPUTING };

enum unlamination {
    UNLAMINATE_NEVER, UNLAMINATE_THREE, UNLAMINATE_NOT_TWO_ADDRESS, UNLAMINATE_GENERAL,
    UNLAMINATE_ALL
};

/* Facts that the core has as members of their own names (model/facts.c). Numbers are NaN when
 * the machine has no value and there is no default; cycles, µops per cycle, bytes, entries. */
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
    X(unlaminate_first)                                                                            \
    X(immediate_folding) X(immediate_folding_extra) X(slow_flags_latency)                          \
    X(bypass_delay_addition) X(chain_delay_addition) X(chain_delay_company) X(bypass_delay)        \
    X(bypass_delay_domain)                                                                         \
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
    X(memory_renaming_every_other) X(group_whole) X(memory_renaming_relative)                      \
    X(unlaminate_relative) X(high_byte_renamed) X(shift_keeps_flags)
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
        stack_sync_computed, renamed_stack_only, memory_not_last, vectors_not_last;
    enum port_binding port_binding;
    /* has latencies of loads or of any form; without them no dependence is followed */
    bool has_latencies;
    portset replay_ports;                /* ports of the operations that fact alu_replays covers */
    portset unhurried_ports;             /* fact unhurried_ports; 0: none */
    struct dispatch_limits dispatch_limits;
    /* floating-point multiplications, conversions and comparisons; 0: no delay */
    portset bypass_ports;
    portset wide_closes;                 /* ports that take no vector µop while 512-bit ones run */
    enum unlamination unlamination;
    /* of a plain load and store of a general register; NULL: unknown */
    const struct usage *load, *store;
    /* of the addition that steps an address; NULL: accesses do not step */
    const struct usage *alu;
    const struct usage *add;             /* of an addition of registers */
    const struct usage *stack_pointer_sync;      /* of the µop that writes the stack pointer back
                                                  * (stack-sync) */
    struct op **ops;
    size_t op_count;
    struct index index;                  /* of ops by form */
};

/* Integer issue slots per cycle; an inferred machine's width excludes the measuring loop. The fact
 * issue_width must be known. */
static inline unsigned core_slots(const struct core *c)
{
    return (unsigned)lrint(c->issue_width);
}

/* µops per cycle from the microcode ROM: the larger of the first decoder's and rename's width. */
static inline unsigned core_microcode_width(const struct core *c)
{
    return c->issue_width > c->decode_complex_uops ? core_slots(c)
                                                   : (unsigned)c->decode_complex_uops;
}

/* Creates a core for @m, which is borrowed and must not change. One thread per core; the machine
 * may be shared. */
struct core *core_new(const struct machine *m);
void core_free(struct core *c);
/* Returns the record for @insn's form, never NULL; without trait OP_KNOWN if the machine lacks
 * it. */
const struct op *core_op(struct core *c, const struct insn *insn);
/* Whether rename finds loads as wide as @memory (fact memory_renaming_bits). */
bool core_renames_width(const struct core *c, const struct operand *memory);

#endif
