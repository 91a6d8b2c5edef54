/* Encodes x86-64 form templates with the decoder library's encoder, without an assembler process.
 * Internal to isa/. */
#ifndef PORTOLAN_ISA_X86_ENCODE_H
#define PORTOLAN_ISA_X86_ENCODE_H

#include <Zydis/Zydis.h>

#include "isa/forms.h"
#include "isa/insn.h"

enum part_kind { PART_REGISTER, PART_FIXED, PART_MEMORY, PART_ADDRESS, PART_IMMEDIATE, PART_MASK };

/* An operand of a template, and its permitted kind. */
struct part {
    uint8_t kind;            /* enum part_kind */
    uint8_t access;          /* ACCESS_READ, ACCESS_WRITE */
    ZydisRegisterClass registers;   /* PART_REGISTER */
    uint16_t bytes;          /* PART_MEMORY: size, 0 if none */
};

/* A form that can be encoded repeatedly with other registers. */
struct x86_code {
    const struct form_row *row;   /* borrowed */
    ZydisEncoderRequest request;
    struct part parts[ZYDIS_ENCODER_MAX_OPERANDS];
    struct insn insn;             /* decoded with the first registers */
    ZydisISASet isa_set;
    bool defines_zero;            /* the form writes the zero flag */
};

/* Prepares @out to encode @row. False with err if the template has unsupported parts, or its code
 * is another form. */
bool x86_code_encode(const struct form_row *row, struct x86_code *out, struct err *err);
/* Encodes out->request into @bytes. Returns the length, 0 if rejected. */
size_t request_encode(const ZydisEncoderRequest *request,
                      uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH]);
/* Returns register number @number of a class. 8-bit registers are al, cl, dl, bl, spl, bpl, sil,
 * dil, r8b... */
ZydisRegister register_of(ZydisRegisterClass registers, unsigned number);

#endif
