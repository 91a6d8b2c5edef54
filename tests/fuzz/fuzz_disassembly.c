/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds text to the parser of other disassemblers' x86-64 output. The first byte selects the
 * encoding. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "isa/x86/decode_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size), *next;

    for (char *line = text; line; line = next) {
        struct insn in = {.length = 6};
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        in.bytes[0] = (uint8_t)*line;
        in.bytes[1] = 0xf4;
        if (x86_text_read(line + (*line != '\0'), &in) &&
            (in.operand_count > INSN_OPERANDS || !memchr(in.form, 0, FORM_MAX) ||
             !strchr(in.form, '(') || !memchr(in.mnemonic, 0, sizeof in.mnemonic)))
            abort();
        for (unsigned i = 0; i < in.operand_count; i++) {
            const struct operand *op = &in.operands[i];
            if ((op->reg != REG_NONE && op->reg >= INSN_REGISTERS) ||
                (op->base != REG_NONE && op->base >= INSN_REGISTERS) ||
                (op->index != REG_NONE && op->index >= INSN_REGISTERS))
                abort();
        }
    }
    free(text);
    return 0;
}
