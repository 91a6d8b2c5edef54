/* Encodes templates of x86-64 forms with Zydis, without an assembler. Internal to isa/. */
#ifndef PORTOLAN_ISA_X86_ENCODE_H
#define PORTOLAN_ISA_X86_ENCODE_H

#include <Zydis/Zydis.h>

#include "isa/forms.h"
#include "isa/insn.h"

enum part_kind { PART_REGISTER, PART_FIXED, PART_MEMORY, PART_ADDRESS, PART_IMMEDIATE, PART_MASK };

/* An operand of a template, and its permitted values */
struct part {
    uint8_t kind;            /* enum part_kind */
    uint8_t access;          /* set of ACCESS_READ and ACCESS_WRITE */
    ZydisRegisterClass registers;   /* PART_REGISTER, PART_MASK: class of the register */
    uint16_t bytes;          /* PART_MEMORY: bytes of the access; 0: none */
};

/* A form prepared for repeated encoding with other registers */
struct x86_code {
    const struct form_row *row;   /* row of the table of forms, borrowed */
    ZydisEncoderRequest request;
    struct part parts[ZYDIS_ENCODER_MAX_OPERANDS];
    struct insn insn;             /* the form with its first registers, decoded */
    ZydisISASet isa_set;
    bool defines_zero;            /* whether the form writes the zero flag */
};

/* Prepares @out for encoding @row. Returns false with err if the template has unsupported parts or
 * wrong access letters, or if its code decodes to another form. */
bool x86_code_encode(const struct form_row *row, struct x86_code *out, struct err *err);
/* Encodes @request into @bytes. Returns the length, or 0 if the encoder rejects it. */
size_t request_encode(const ZydisEncoderRequest *request,
                      uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH]);
/* Returns register @number of a class. The order of 8-bit registers is al, cl, dl, bl, spl, bpl,
 * sil, dil, r8b... */
ZydisRegister register_of(ZydisRegisterClass registers, unsigned number);

#endif
