/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_code.h"

#include <string.h>

#include "isa/foreign.h"
#include "measure/sandbox.h"

static const struct isa_foreign *foreign_of(const struct insn *in)
{
    return isa_ops((enum isa)in->isa)->foreign;
}

static const char *branch_refused(const struct insn *in, bool last)
{
    bool relative = false;
    for (unsigned k = 0; k < in->operand_count; k++)
        relative |= in->operands[k].kind == OPERAND_RELATIVE;
    if (in->traits & INSN_BRANCH && !relative)
        return "an indirect branch";
    return in->traits & INSN_BRANCH && !(in->traits & INSN_FOLLOWED) && !last
               ? "a branch inside the loop depends on data"
               : NULL;
}

const char *kernel_refused_anywhere(const struct insn *insns, size_t count, unsigned *at)
{
    unsigned unused;

    at = at ? at : &unused;
    for (size_t i = 0; i < count; i++) {
        const char *reason = insns[i].traits & INSN_CALL ? "a function call"
                             : insns[i].traits & INSN_RETURN
                                 ? "a return"
                                 : foreign_of(&insns[i])->refused(&insns[i]);
        reason = reason ? reason : branch_refused(&insns[i], i + 1 == count);
        if (reason) {
            *at = (unsigned)i + 1;
            return reason;
        }
    }
    *at = 0;
    if (count && kernel_counter(insns, count) == COUNTER_BODY)
        return "no general register is free for the loop counter";
    return count ? NULL : "no instructions";
}

const char *kernel_refused(const struct insn *insns, size_t count, unsigned *at)
{
    if (at)
        *at = 0;
    for (size_t i = 0; i < count; i++)
        if (insns[i].isa != isa_host())
            return "code for another instruction set";
    return kernel_refused_anywhere(insns, count, at);
}

size_t kernel_emit_one(const struct insn *in, unsigned slot, uint32_t offset, uint8_t *out,
                       size_t at)
{
    bool branch = in->traits & INSN_BRANCH;
    if (branch)
        foreign_of(in)->branch_emit(in, out + at);
    else
        memcpy(out + at, in->bytes, in->length);
    unsigned displacement =
        !branch && foreign_of(in)->relative_at ? foreign_of(in)->relative_at(in) : 0;
    if (displacement) {
        int32_t distance =
            (int32_t)((int64_t)sandbox_data_offset(slot) - (int64_t)(offset + at + in->length));
        memcpy(out + at + displacement, &distance, 4);
    }
    return in->length;
}

size_t kernel_emit(const struct insn *insns, size_t count, uint32_t offset, uint8_t *out, size_t at)
{
    size_t start = at;
    /* Relocates the code. Each relative operand accesses its own cache line, which is the same in
     * all copies. */
    for (size_t i = 0; i < count; i++)
        at += kernel_emit_one(&insns[i], (unsigned)i, offset, out, at);
    return at - start;
}

size_t kernel_apart(const struct insn *insns, size_t count, size_t length)
{
    const struct insn *last = &insns[count - 1];
    return last->traits & INSN_BRANCH && foreign_of(last)->branch_over && length < KERNEL_APART
               ? KERNEL_APART
               : length;
}

size_t kernel_fill(const struct insn *insns, size_t count, uint8_t *out, size_t at, size_t bytes)
{
    if (bytes)
        foreign_of(&insns[count - 1])->branch_over(&insns[count - 1], out + at, bytes);
    return bytes;
}

/* Returns whether branch @in, which ends at @at of @code, skips exactly the @bytes of nops after
 * it. */
static bool leads_over(const struct insn *in, const uint8_t *code, size_t at, size_t bytes,
                       size_t length)
{
    uint8_t expected[sizeof in->bytes + KERNEL_APART] = {0};

    if (!foreign_of(in)->branch_over || bytes >= KERNEL_APART || at + bytes > length)
        return false;
    foreign_of(in)->branch_emit(in, expected);
    foreign_of(in)->branch_over(in, expected + in->length, bytes);
    return memcmp(expected, code + at - in->length, in->length + bytes) == 0;
}

/* Returns whether @again is the same instruction as @in, with the same length. Branch targets and
 * relative operands may differ, because symbols of relocations are not part of the bytes. */
static bool same_insn(const struct insn *in, const struct insn *again)
{
    return again->length == in->length &&
           again->traits == (in->traits & ~(uint32_t)(INSN_REFERS | INSN_FOLLOWED)) &&
           again->operand_count == in->operand_count && strcmp(again->form, in->form) == 0 &&
           strcmp(again->mnemonic, in->mnemonic) == 0 &&
           foreign_of(in)->bytes_alike(in, again->bytes);
}

bool kernel_emitted(const struct insn *insns, size_t count, const uint8_t *code, size_t length)
{
    struct insn again;
    size_t at = 0;

    for (size_t i = 0; at < length; i++) {
        const struct insn *in = &insns[i % count];
        if (!insn_decode((enum isa)in->isa, code + at, length - at, at, false, &again, NULL) ||
            !same_insn(in, &again))
            return false;
        at += again.length;
        size_t next = at;
        for (unsigned k = 0; k < again.operand_count; k++)
            if (again.operands[k].kind == OPERAND_RELATIVE &&
                again.operands[k].displacement != (int64_t)next) {
                int64_t bytes = again.operands[k].displacement - (int64_t)next;
                if (bytes < 0 || !leads_over(in, code, next, (size_t)bytes, length))
                    return false;
                at = next + (size_t)bytes;
            }
        if (at == length)
            return i % count + 1 == count;
    }
    return false;
}

size_t kernel_copies_emit(const struct insn *insns, size_t count, unsigned copies, size_t stride,
                          uint32_t offset, uint8_t *out)
{
    size_t at = 0;

    for (unsigned i = 0; i < copies; i++) {
        const size_t length = kernel_emit(insns, count, offset, out, at);
        at += length + kernel_fill(insns, count, out, at + length, stride - length);
    }
    return kernel_emitted(insns, count, out, at) ? at : 0;
}

unsigned kernel_counter(const struct insn *insns, size_t count)
{
    if (!count)
        return COUNTER_MEMORY;
    uint8_t reg = foreign_of(insns)->register_free(insns, count);
    return reg != REG_NONE                       ? COUNTER_REGISTER + reg
           : foreign_of(insns)->counts_in_memory ? COUNTER_MEMORY
                                                 : COUNTER_BODY;
}
