/* Operation of an instruction in terms of the analysis, common to all instruction sets */
#ifndef PORTOLAN_ISA_OPERATION_H
#define PORTOLAN_ISA_OPERATION_H

/* Operations by what they compute. The operands determine register file, width and memory
 * accesses. */
enum operation {
    OPERATION_OTHER,              /* none of the operations below */
    OPERATION_NOP,
    /* operations on general registers */
    OPERATION_MOVE,               /* move of a whole register or immediate; simple load or store */
    OPERATION_MOVE_ZERO,          /* move with zero extension: movzx, ldrb */
    OPERATION_MOVE_SIGN,          /* move with sign extension: movsx, movsxd, ldrsw */
    OPERATION_MOVE_SWAPPED,       /* move with swapped bytes: movbe */
    OPERATION_ADDRESS,            /* lea */
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_ADD_CARRY,
    OPERATION_SUBTRACT_CARRY,
    OPERATION_INCREMENT,
    OPERATION_DECREMENT,
    OPERATION_NEGATE,
    OPERATION_COMPARE,            /* subtraction (cmn: addition) that sets only flags */
    OPERATION_AND,
    OPERATION_AND_NOT,            /* andn, bic, orn, eon */
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_NOT,
    OPERATION_TEST,               /* bitwise AND that sets only flags */
    /* Shifts. The count is the second input, an immediate or a register
     * (insn_count_in_register). */
    OPERATION_SHIFT_LEFT,
    OPERATION_SHIFT_RIGHT,
    OPERATION_SHIFT_SIGNED,       /* arithmetic right shift */
    OPERATION_ROTATE_LEFT,
    OPERATION_ROTATE_RIGHT,
    OPERATION_ROTATE_CARRY,       /* rcl, rcr */
    OPERATION_SHIFT_DOUBLE,       /* shld, shrd, extr */
    OPERATION_SHIFT_FLAGLESS,     /* shlx, shrx, sarx, rorx */
    OPERATION_BIT_TEST,           /* bt */
    OPERATION_BIT_CHANGE,         /* bts, btr, btc */
    OPERATION_BIT_FORWARD,        /* bsf */
    OPERATION_BIT_REVERSE,        /* bsr */
    OPERATION_BIT_COUNT,          /* popcnt, lzcnt, tzcnt, clz */
    OPERATION_BIT_FIELD,          /* blsr, bzhi, bextr, pdep, ubfx */
    OPERATION_BYTE_SWAP,
    OPERATION_CRC32,
    /* multiplication with a result as wide as the factors: imul with two or three operands, mul,
     * madd */
    OPERATION_MULTIPLY,
    /* multiplication with a result twice as wide, or with its upper half: mul, imul with one
     * operand, mulx, umulh */
    OPERATION_MULTIPLY_WIDE,
    OPERATION_DIVIDE,
    OPERATION_EXCHANGE,           /* xchg */
    OPERATION_EXCHANGE_ADD,       /* xadd */
    OPERATION_COMPARE_EXCHANGE,
    OPERATION_SELECT,             /* cmov, csel */
    OPERATION_SET,                /* setcc, cset */
    OPERATION_PUSH,
    OPERATION_POP,
    OPERATION_STRING,             /* movs, stos, cmps, lods, scas */
    /* control flow */
    OPERATION_JUMP,
    /* conditional jump: on flags if flags_read is set, otherwise on a register (cbz, jrcxz,
     * loop) */
    OPERATION_BRANCH,
    OPERATION_CALL,
    OPERATION_RETURN,
    OPERATION_TRAP,               /* execution does not continue: ud2, hlt, udf */
    OPERATION_FENCE,              /* mfence, lfence, sfence, dmb, dsb, isb */
    /* operations on vectors and floating point, scalar or packed */

    /* move, load or store of a vector or a part of it; lanes do not change their positions */
    OPERATION_VECTOR_MOVE,
    /* move between register files: movd, movq, movmskps, pmovmskb, `fmov x0, d0` */
    OPERATION_TRANSFER,
    OPERATION_VECTOR_ADD,         /* integer addition, including sub, abs, avg, sign */
    OPERATION_VECTOR_MINMAX,
    OPERATION_VECTOR_COMPARE,
    OPERATION_VECTOR_MULTIPLY,    /* integer multiplication, multiply-add and dot products */
    OPERATION_VECTOR_SHIFT,
    OPERATION_VECTOR_LOGIC,       /* logic on integers or floating point, including ternary logic */
    OPERATION_VECTOR_BLEND,
    /* lanes change their positions: shuffles, packs, broadcasts, byte shifts, widening moves */
    OPERATION_VECTOR_SHUFFLE,
    OPERATION_VECTOR_INSERT,      /* pinsrq, insertps, vinserti128, ins */
    OPERATION_VECTOR_EXTRACT,
    OPERATION_GATHER,
    OPERATION_SCATTER,
    OPERATION_FP_ADD,             /* floating-point addition, including sub and addsub */
    OPERATION_FP_MULTIPLY,
    OPERATION_FP_FUSED,           /* multiplication and addition in one operation */
    OPERATION_FP_DIVIDE,
    OPERATION_FP_ROOT,
    OPERATION_FP_RECIPROCAL,      /* reciprocal estimates: rcp, rsqrt */
    OPERATION_FP_COMPARE,
    OPERATION_FP_MINMAX,
    OPERATION_FP_ROUND,
    OPERATION_FP_CONVERT,
    OPERATION_FP_HORIZONTAL,      /* hadd, dp */
    OPERATION_MASK,               /* any operation on mask or predicate registers */
    OPERATION_COUNT,
};

/* Condition of a conditional branch, move or set. The comments list the suffixes of mnemonics. */
enum condition {
    CONDITION_NONE,
    CONDITION_EQUAL,              /* e, z, eq */
    CONDITION_NOT_EQUAL,
    /* b c cs hs: carry set (below on x86-64, higher or same on AArch64) */
    CONDITION_CARRY,
    CONDITION_NO_CARRY,
    CONDITION_CARRY_OR_EQUAL,     /* be (also na): carry or equal */
    CONDITION_NEITHER,            /* a: carry clear and not equal */
    CONDITION_HIGHER,             /* hi: carry set and not equal */
    CONDITION_LOWER_SAME,         /* ls (lower or same): carry clear or equal */
    CONDITION_SIGN,
    CONDITION_NO_SIGN,
    CONDITION_OVERFLOW,
    CONDITION_NO_OVERFLOW,
    CONDITION_PARITY,
    CONDITION_NO_PARITY,
    CONDITION_LESS,
    CONDITION_GREATER_EQUAL,
    CONDITION_LESS_EQUAL,
    CONDITION_GREATER,
};

#endif
