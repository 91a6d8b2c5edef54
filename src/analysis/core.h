/* A machine as numbers for analysis: facts read once, and one record per instruction form, made on
 * first use. */
#ifndef PORTOLAN_ANALYSIS_CORE_H
#define PORTOLAN_ANALYSIS_CORE_H

#include <math.h>

#include "base/index.h"
#include "base/vec.h"
#include "isa/insn.h"
#include "model/dispatch_limits.h"
#include "model/machine.h"
#include "throughput/throughput.h"

/* Latencies are integers in hundredths of a cycle: cycle ratios stay exact. */
#define CYCLE 100

enum op_trait {
    OP_KNOWN = 1 << 0,
    /* made of a load or store and an operation that the machine has */
    OP_APPROXIMATE = 1 << 1,
    OP_ELIMINATED = 1 << 2,        /* move done at rename */
    OP_FALSE_INPUT = 1 << 3,       /* waits for the old value of its destination without need */
    OP_PURE_LOAD = 1 << 4,         /* a load with no operation of its own */
    OP_PURE_STORE = 1 << 5,
    OP_STACK = 1 << 6,             /* push, pop, call, ret: the stack engine moves rsp */
    OP_VECTOR = 1 << 7,            /* its memory operand goes to or comes from a vector register */
    OP_PIPE = 1 << 8,              /* holds a blocking pipe */
    OP_COMPLEX = 1 << 9,           /* only the first decoder takes it */
    OP_NO_MICRO_FUSION = 1 << 10,
    /* a zeroing idiom of the ISA that this machine executes, though it depends on nothing */
    OP_KEEPS_ZERO = 1 << 11,
    OP_CARRY_IDIOM = 1 << 12,      /* of a register with itself: depends on the carry alone */
    OP_RENAMES = 1 << 13,          /* its load may find its store at rename */
    OP_SLOW_FLAGS = 1 << 14,       /* a conditional move or set that reads its flags takes longer */
    /* takes longer to read a register that rename still keeps as a sum */
    OP_SLOW_SUM = 1 << 15,
    OP_FUSIBLE = 1 << 16,          /* some branch after it would fuse with it */
    OP_FIRST = 1 << 17,            /* begins a new group at rename */
    OP_SUM_AGAIN = 1 << 18,        /* takes its ports twice where it reads such a sum */
    OP_LOAD_UNKNOWN = 1 << 19,     /* how long its load takes is not known */
    OP_NOT_LAST = 1 << 20,         /* not in the last slot of a group at rename */
    OP_SAME_ZERO = 1 << 21,        /* of a register with itself it is done at rename */
    /* of a register with itself it depends on nothing, though it is executed */
    OP_SAME_ONES = 1 << 22,
};

/* One form on one machine. */
struct op {
    char *form;
    const struct mapping_entry *entry;   /* NULL: not known, or put together */
    struct usage usage;                  /* as the table has it */
    struct usage indexed;                /* with the store's address where indexed ones may go */
    uint32_t traits;                     /* enum op_trait */
    unsigned micro_ops;                  /* without fusion */
    /* fused within the instruction: load with operation, store address with data */
    unsigned pairs;
    /* of the operation alone, without load or store; hundredths; -1 not known */
    int32_t latency;
    /* address to value of its load, hundredths; 0 if unknown */
    int32_t load_latency;
    /* hundredths it holds back the next locked or serialising instruction; 0: it is none */
    int32_t fence;
    /* latency with the operands that take longest (from slowest to slowest); NULL: operands do not
     * matter, or no more is known */
    const struct latency_rule *slowest;
    /* the source of its usage or of a latency that is an estimate, borrowed; NULL: of none */
    const char *estimate;
    /* least cycles of each copy, measured (from alone to alone); NULL: its ports decide */
    const struct latency_rule *alone;
    /* exceptions between operands (latencies.csv), first match wins */
    VEC(const struct latency_rule *) rules;
};

enum port_binding { BIND_AT_DISPATCH, BIND_SLOTS, BIND_COMPUTING };

enum unlamination {
    UNLAMINATE_NEVER, UNLAMINATE_THREE, UNLAMINATE_NOT_TWO_ADDRESS, UNLAMINATE_GENERAL,
    UNLAMINATE_ALL
};

struct core {
    const struct machine *machine;
    const struct isa_ops *isa;
    const struct ports *ports;
    portset pipes;
    /* Facts (model/facts.c), NaN when the machine lacks one for which nothing else is taken. Units:
     * cycles, µops per cycle, bytes, entries. */
    double rename_to_port, eliminate_per_cycle, eliminate_zero_per_cycle, rename_vectors,
        issue_width, retire_width, decoders, decode_width, fetch_bytes, predecode_bytes,
        predecode_width, lcp_penalty, loop_buffer, taken_branches;
    double decode_complex_uops, decode_alone_uops, uop_cache_width, uop_cache_block,
        uop_cache_lines, uop_cache_line_uops, uop_cache_line_insns, uop_cache_line_constants,
        uop_cache_window, uop_cache_window_lines, uop_cache_window_again, uop_cache_size;
    double loads_per_cycle, stores_per_cycle, store_lines_per_cycle, store_line_bytes, store_run,
        store_word_bytes, store_word_busy, store_word_wait;
    double store_forward_modify, store_forward_widest, store_address_late, store_forward_copied,
        store_forward_part, memory_renaming_per_block, memory_renaming_length,
        memory_renaming_apart, memory_renaming_apart_through, memory_renaming_store_beside,
        unlaminate_first;
    double immediate_folding, immediate_folding_extra, slow_flags_latency, bypass_delay_addition,
        chain_delay_addition, chain_delay_company, bypass_delay, bypass_delay_domain;
    double load_bank_bytes, load_line_banks, loads_per_bank, split_loads_per_cycle,
        split_access_slots, load_replays, load_replays_through, load_replays_pairs,
        vector_loads_per_cycle, vector_loads_mixed, vector_loads_mixed_runs, forward_replays,
        forward_replays_modify, alu_replays;
    double load_latency, load_latency_simple, load_latency_scalar, load_latency_vector,
        load_latency_wide, load_latency_x87, store_forward, store_forward_vector, store_forward_x87,
        store_forward_fail, store_forward_wide, memory_renaming, load_extra_scaled,
        load_extra_three, load_extra_segment, high_byte, dtlb_miss, lock, x87_assist;
    /* share of repeated unrolled copies that the µop cache delivers, and up to which length */
    double copies_cached, copies_cached_bytes;
    double reorder_buffer, scheduler, load_buffer, store_buffer, instruction_queue, uop_queue;
    bool eliminates_once, shift_keeps_flags, fused_domain, jcc_erratum, stack_engine, fusible_last,
        low_byte_merges, fuses_nops, fuses_moves, renamed_by_address, memory_renaming_store_alone,
        memory_renaming_length_stack, memory_renaming_every_other, store_forward_fail_drains,
        stack_sync_all, stack_sync_computed, high_byte_renamed, splits_relative,
        memory_renaming_relative, renamed_stack_only, groups_whole, memory_not_last,
        vectors_not_last;
    enum port_binding port_binding;
    /* of loads or of any form: else no dependence is followed */
    bool has_latencies;
    portset replay_ports;                /* of the operations that alu_replays is about */
    portset unhurried_ports;             /* fact unhurried_ports; 0: none */
    struct dispatch_limits dispatch_limits;
    /* of multiplications, conversions and comparisons of floating point; 0: no delay */
    portset bypass_ports;
    portset wide_closes;                 /* ports that take no vector µop while 512-bit ones run */
    enum unlamination unlamination;
    /* of a plain load and a plain store of a general register; NULL: not known */
    const struct usage *load, *store;
    /* of the addition that steps an address; NULL where accesses do not */
    const struct usage *alu;
    const struct usage *add;             /* of an addition on registers */
    const struct usage *stack_pointer_sync;      /* of the µop that writes the stack pointer back */
    struct op **ops;
    size_t op_count;
    struct index index;                  /* of ops by form */
};

/* Whole issue slots per cycle: for an inferred machine the width is the rest left by a measuring
 * loop. The fact is known. */
static inline unsigned core_slots(const struct core *c)
{
    return (unsigned)lrint(c->issue_width);
}

/* µops per cycle from the microcode ROM: as many as the first decoder or rename takes, whichever is
 * more. */
static inline unsigned core_microcode_width(const struct core *c)
{
    return c->issue_width > c->decode_complex_uops ? core_slots(c)
                                                   : (unsigned)c->decode_complex_uops;
}

/* Borrows @m, whose facts and mapping must not change meanwhile. One thread per core; the machine
 * may be shared. */
struct core *core_new(const struct machine *m);
void core_free(struct core *c);
/* The record for @insn's form; never NULL (traits without OP_KNOWN when the machine does not know
 * it). */
const struct op *core_op(struct core *c, const struct insn *insn);

#endif
