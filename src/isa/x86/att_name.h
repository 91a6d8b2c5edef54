/* How AT&T assembly, the language of OSACA's machine files, spells an instruction form: mnemonic with size suffix and operand
 * classes, sources first. Derived from the canonical name alone. */
#ifndef PORTOLAN_ISA_X86_ATT_NAME_H
#define PORTOLAN_ISA_X86_ATT_NAME_H

#include <stdbool.h>

enum att_class { ATT_REGISTER, ATT_MEMORY, ATT_IMMEDIATE, ATT_LABEL };

struct att_operand {
    enum att_class class;
    char name[8];        /* register: "gpr", "xmm", "k", ...; memory: register class of the index when it is a vector, else "" */
    unsigned bits;       /* of a general register or memory; 0: the name does not say */
    bool mask;           /* written under an AVX-512 mask */
    bool base, index, scale, offset;   /* parts of LEA's address; elsewhere a base alone stands for any address */
};

#define ATT_NAMES 4
#define ATT_OPERANDS 6

struct att_form {
    char names[ATT_NAMES][24];   /* lower case, in the order in which to look for them: "addq", "add"; branches: "jne", "jnz" */
    unsigned name_count;
    struct att_operand operands[ATT_OPERANDS];
    unsigned count;
    bool address;                /* LEA: the parts of the address tell forms apart */
    bool plain;                  /* no prefix, rounding or EVEX mark that this spelling hides */
    bool suffixed;               /* names[0] ends in a size suffix that names[1] lacks */
};

/* False when @form has operands that AT&T text does not show (far pointers, unknown types). Any thread. */
bool att_form(const char *form, struct att_form *out);

#endif
