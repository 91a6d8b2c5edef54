/* Code of a loop whose branches and addresses come from recorded values. Each iteration has a
 * record of equal length: byte 0 is 1 in the last record, and each instruction with values has a
 * place in it. A branch that compares only such values and constants is unchanged, because the
 * values determine it. Other branches test a value after a conditional move of the original
 * condition, so they wait for the flags. An address is its value plus a 0 that is computed from the
 * original registers. Other instructions are unchanged, but their results have no effect. Internal
 * to measure/recorded.c. x86-64. */
#ifndef PORTOLAN_MEASURE_RECORDED_CODE_H
#define PORTOLAN_MEASURE_RECORDED_CODE_H

#include "measure/recording.h"

struct recorded_plan {
    /* Arrays by instruction. @places: offset of the instruction's value in a record. @always:
     * whether every iteration executes the instruction. @fixed: whether all its accesses have the
     * same address, which is then part of the code. */
    uint32_t *places;
    bool *always, *fixed;
    /* @own: whether the load reads from its place in the record. @decider: index of the load whose
     * value determines the direction of a branch; RECORDED_OUT: none. @content: value of that load
     * for a branch that is not taken, and for one that is taken. */
    bool *own;
    uint32_t *decider;
    uint64_t (*content)[2];
    uint32_t bytes; /* number of bytes of a record */
    /* Registers for the address of the record, a value, a zero, and the number 63. The last two are
     * REG_NONE if they are not needed. */
    uint8_t record, value, zero, shift;
    unsigned vectors; /* set-up, an enum vector_setup */
};

struct recorded_code {
    uint32_t offset; /* offset in the sandbox's code area */
    VEC(uint8_t) bytes;
    VEC(uint32_t) labels; /* offset of each instruction from the first byte */
    uint32_t exit;        /* offset of the code at an exit from the loop */
};

/* Plans the records of @r. Returns false with err (ERR_DATA) if its code is unsuitable. The caller
 * always frees @out with recorded_plan_done. */
bool recorded_plan_make(const struct recording *r, struct recorded_plan *out, struct err *err);
void recorded_plan_done(struct recorded_plan *p);
/* Returns the initial value of general register @reg. */
uint64_t recorded_start(const struct recording *r, uint8_t reg);
/* recorded_values.c: finds branches whose direction follows from the value of one load. All members
 * of @p except @places and those for branches must be set. */
void recorded_deciders(const struct recording *r, struct recorded_plan *p);
/* recorded_writes returns whether @in writes register @reg. recorded_stores returns whether an
 * instruction of @r writes memory. */
bool recorded_writes(const struct insn *in, uint8_t reg);
bool recorded_stores(const struct recording *r);
/* Memory of a run */
struct recorded_memory {
    uint64_t arena;       /* address of the arena */
    const uint64_t *near; /* per instruction: offset in the arena of a fixed access */
    uint32_t values;      /* offset of the records of the first pass */
    /* distance from the records of the first pass to those of the second one */
    uint32_t pass_bytes;
    uint64_t turn;        /* address of a byte whose lowest bit is 0 before the first pass */
};

/* Generates the code for out->offset, without instruction @without (RECORDED_OUT: with all
 * instructions). Passes alternately read the records of the first and of the second pass. Returns
 * false with err (ERR_DATA). The caller always frees @out with recorded_code_done. */
bool recorded_emit(const struct recording *r, const struct recorded_plan *plan,
                   const struct recorded_memory *memory, uint32_t without,
                   struct recorded_code *out, struct err *err);
void recorded_code_done(struct recorded_code *c);
/* Decodes @code, which recorded_emit generated without instruction @without. Returns whether the
 * sandbox permits all its instructions, and each instruction of @r is at its place. All jumps must
 * lead to instructions of the code. Only indirect jumps of @r are permitted. */
bool recorded_emitted(const struct recording *r, const struct recorded_code *code,
                      uint32_t without);
/* Writes code for offset @offset that reads one word of each of @lines lines at @values. Returns
 * its length, at most 64. */
size_t recorded_reader(uint32_t values, uint32_t offset, uint32_t lines, uint8_t *out);

#endif
