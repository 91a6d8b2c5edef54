/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_code.h"

#include <string.h>

#include "base/str.h"
#include "measure/sandbox.h"

static const char *branch_refused(const struct insn *in, bool last)
{
    bool relative = false;
    for (unsigned k = 0; k < in->operand_count; k++)
        relative |= in->operands[k].kind == OPERAND_RELATIVE;
    if (in->traits & INSN_BRANCH && !relative)
        return "an indirect branch";
    return in->traits & INSN_BRANCH && !last ? "a branch inside the loop depends on data" : NULL;
}

static const char *x86_refused(const struct insn *in)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == OPERAND_MEMORY && in->operands[k].segment != REG_NONE && in->operands[k].access & ACCESS_WRITE)
            return "a write to thread-local storage";
    return in->traits & INSN_RUNNABLE ? NULL : "a system instruction";
}

static const char *a64_refused(const struct insn *in)
{
    static const char *const refused[] = {"hint", "yield", "wfet", "wfit", "sb", "esb", "tstart", "tcommit", "tcancel", "ttest", "smstart", "smstop", "ld64b", "st64b*", NULL};
    if (in->traits & INSN_UNDECODED)
        return "an instruction that cannot be decoded";
    if (in->traits & INSN_SYSTEM || str_match_any(refused, in->mnemonic))
        return "a system instruction";
    bool relative = strcmp(in->mnemonic, "adr") == 0 || strcmp(in->mnemonic, "adrp") == 0;
    for (unsigned k = 0; k < in->operand_count; k++)
        relative |= in->operands[k].kind == OPERAND_MEMORY && in->operands[k].base == REG_NONE && in->operands[k].index == REG_NONE;
    return relative ? "a PC-relative address" : NULL;
}

const char *kernel_refused_anywhere(const struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *reason = insns[i].traits & INSN_CALL     ? "a function call"
                             : insns[i].traits & INSN_RETURN ? "a return"
                             : insns[i].isa == ISA_AARCH64   ? a64_refused(&insns[i])
                                                             : x86_refused(&insns[i]);
        reason = reason ? reason : branch_refused(&insns[i], i + 1 == count);
        if (reason)
            return reason;
    }
    if (count && insns[0].isa == ISA_AARCH64 && kernel_counter(insns, count) == COUNTER_BODY)
        return "no general register left for the loop counter";
    return count ? NULL : "no instructions";
}

const char *kernel_refused(const struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (insns[i].isa != isa_host())
            return "code for another instruction set";
    return kernel_refused_anywhere(insns, count);
}

/* The branch as it is, prefixes and length included, to the next instruction. */
static size_t x86_branch(const struct insn *in, uint8_t *out)
{
    unsigned size = 0, distance = insn_branch_distance(in, &size);
    memcpy(out, in->bytes, in->length);
    memset(out + distance, 0, size);
    return in->length;
}

/* b has 26 bits of distance, tbz and tbnz 14 from bit 5, the others 19 from bit 5; all in words. */
static size_t a64_branch(const struct insn *in, uint8_t *out)
{
    uint32_t word;
    memcpy(&word, in->bytes, 4);
    if ((word & 0x7c000000) == 0x14000000)
        word = (word & 0xfc000000) | 1;
    else if ((word & 0x7e000000) == 0x36000000)
        word = (word & ~0x0007ffe0u) | 1u << 5;
    else
        word = (word & ~0x00ffffe0u) | 1u << 5;
    memcpy(out, &word, 4);
    return 4;
}

size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out, size_t at)
{
    size_t start = at;
    for (size_t i = 0; i < count; i++) {
        const struct insn *in = &insns[i];
        if (in->traits & INSN_BRANCH) {
            at += in->isa == ISA_AARCH64 ? a64_branch(in, out + at) : x86_branch(in, out + at);
            continue;
        }
        memcpy(out + at, in->bytes, in->length);
        unsigned displacement = in->isa == ISA_X86_64 ? insn_rip_displacement(in) : 0;
        if (displacement) {
            /* The code stands elsewhere; each such operand gets a line of its own, the same in every copy. */
            int32_t distance = (int32_t)((int64_t)sandbox_data_offset((unsigned)i) - (int64_t)(offset + at + in->length));
            memcpy(out + at + displacement, &distance, 4);
        }
        at += in->length;
    }
    return at - start;
}

/* Whether @again is @in but for where its branch or its operand relative to itself leads; both of those have the length they had. */
static bool same_insn(const struct insn *in, const struct insn *again)
{
    if (again->length != in->length || again->traits != in->traits || again->operand_count != in->operand_count || strcmp(again->form, in->form) != 0 ||
        strcmp(again->mnemonic, in->mnemonic) != 0)
        return false;
    if (in->isa == ISA_AARCH64 && in->traits & INSN_BRANCH)
        return true;
    unsigned size = 4, changed = in->traits & INSN_BRANCH ? insn_branch_distance(in, &size) : in->isa == ISA_X86_64 ? insn_rip_displacement(in) : 0;
    for (unsigned i = 0; i < in->length; i++)
        if (again->bytes[i] != in->bytes[i] && !(changed && i >= changed && i < changed + size))
            return false;
    return true;
}

bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length)
{
    struct insn again;
    size_t at = 0;

    for (size_t i = 0; at < length; i++) {
        const struct insn *in = &insns[i % count];
        if (!insn_decode((enum isa)in->isa, code + at, length - at, at, false, &again, NULL) || !same_insn(in, &again))
            return false;
        at += again.length;
        for (unsigned k = 0; k < again.operand_count; k++)
            if (again.operands[k].kind == OPERAND_RELATIVE && again.operands[k].displacement != (int64_t)at)
                return false;
        if (at == length)
            return i % count + 1 == count;
    }
    return false;
}

unsigned kernel_counter(const struct insn *insns, size_t count)
{
    uint32_t used = 0;

    if (!count || insns[0].isa != ISA_AARCH64)
        return COUNTER_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *op = &insns[i].operands[k];
            used |= op->kind == OPERAND_REGISTER && op->reg < 31 ? 1u << op->reg : 0;
            used |= op->kind == OPERAND_MEMORY && op->base < 31 ? 1u << op->base : 0;
            used |= op->kind == OPERAND_MEMORY && op->index < 31 ? 1u << op->index : 0;
        }
    /* x18 last: some platforms keep it for themselves. */
    for (unsigned reg = 31; reg-- > 0;)
        if (reg != 18 && !(used >> reg & 1))
            return COUNTER_REGISTER + reg;
    return used >> 18 & 1 ? COUNTER_BODY : COUNTER_REGISTER + 18;
}
