/* Dependency chains of an instruction form: code in which each instruction waits for the one before, by one pair of operands. */
#ifndef PORTOLAN_ISA_CHAIN_H
#define PORTOLAN_ISA_CHAIN_H

#include "isa/body.h"

enum chain_kind {
    CHAIN_REGISTER,   /* an operand read and one written are the same register */
    CHAIN_OWN,        /* a register that the form names itself: rax of mul; a base that it steps */
    CHAIN_FIXED,      /* a register that the form reads by itself, or has to have, and an operand written that is this register: rdx of mulx, cl of shl */
    CHAIN_FLAGS,      /* flags read and written: adc */
    CHAIN_FROM_FLAGS, /* test (tst) makes flags from the result: cmov, setcc, csel */
    CHAIN_TO_FLAGS,   /* cmovz (csel, fcsel) makes a register from the flags: cmp, bt */
    CHAIN_ADDRESS,    /* a loaded register is and-ed into the index of the address */
    CHAIN_FORWARD,    /* what is stored is loaded again */
    CHAIN_MEMORY,     /* memory read and written at one place */
    CHAIN_DOMAINS,    /* between general and vector registers, movq (fmov) back */
};

/* Registers that pass values among themselves in a cycle; from one domain to another takes longer. */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    uint8_t from, to;         /* operands of the template where the kind has them; CHAIN_FIXED: from is the register */
    char from_name[16], to_name[16];
    double helper;            /* cycles of what the chain adds, subtracted: 1 for and, test, cmov; 0 where the helper's time is not known apart */
    const char *note;         /* "" or what the number includes */
};

#define CHAINS_MAX 24
/* The chains that can be made of @code; returns how many. Any thread. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* @links repetitions of the chain as a body. False with err when it cannot be encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links, struct body *out, struct err *err);

#endif
