/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/x86/decode_parts.h"

/* Returns whether the instructions of an extension are permitted, except for those that
 * category_allowed and single_refused exclude. Among others, these are not permitted: AMX (its
 * tiles need configuration), CET's shadow stack, XSAVE and FXSAVE (they replace state), MPX, PKU,
 * RTM, SGX, UINTR, VTX, SVM, WAITPKG, RDTSCP, RDPID, RDRAND, FSGSBASE. */
static bool set_allowed(ZydisISASet set)
{
    if (set >= ZYDIS_ISA_SET_AVX && set <= ZYDIS_ISA_SET_AVX_VNNI)
        return true;
    switch (set) {
    case ZYDIS_ISA_SET_I86: case ZYDIS_ISA_SET_I186: case ZYDIS_ISA_SET_I386:
    case ZYDIS_ISA_SET_I486: case ZYDIS_ISA_SET_I486REAL:
    case ZYDIS_ISA_SET_PENTIUMREAL: case ZYDIS_ISA_SET_PENTIUMMMX: case ZYDIS_ISA_SET_PPRO:
    case ZYDIS_ISA_SET_LONGMODE:
    case ZYDIS_ISA_SET_ADOX_ADCX: case ZYDIS_ISA_SET_BMI1: case ZYDIS_ISA_SET_BMI2:
    case ZYDIS_ISA_SET_CMOV: case ZYDIS_ISA_SET_CMPXCHG16B:
    case ZYDIS_ISA_SET_LAHF: case ZYDIS_ISA_SET_LZCNT: case ZYDIS_ISA_SET_MOVBE:
    case ZYDIS_ISA_SET_POPCNT: case ZYDIS_ISA_SET_TBM:
    case ZYDIS_ISA_SET_CLDEMOTE: case ZYDIS_ISA_SET_CLFLUSHOPT: case ZYDIS_ISA_SET_CLFSH:
    case ZYDIS_ISA_SET_CLWB: case ZYDIS_ISA_SET_CLZERO:
    case ZYDIS_ISA_SET_FAT_NOP: case ZYDIS_ISA_SET_MOVDIR: case ZYDIS_ISA_SET_PAUSE:
    case ZYDIS_ISA_SET_PREFETCHWT1: case ZYDIS_ISA_SET_PREFETCH_NOP:
    case ZYDIS_ISA_SET_SSE_PREFETCH:
    case ZYDIS_ISA_SET_AMD3DNOW: case ZYDIS_ISA_SET_FCMOV: case ZYDIS_ISA_SET_X87:
    case ZYDIS_ISA_SET_SSE: case ZYDIS_ISA_SET_SSE2: case ZYDIS_ISA_SET_SSE2MMX:
    case ZYDIS_ISA_SET_SSE3: case ZYDIS_ISA_SET_SSE3X87:
    case ZYDIS_ISA_SET_SSE4: case ZYDIS_ISA_SET_SSE42: case ZYDIS_ISA_SET_SSE4A:
    case ZYDIS_ISA_SET_SSEMXCSR: case ZYDIS_ISA_SET_SSSE3:
    case ZYDIS_ISA_SET_SSSE3MMX:
    case ZYDIS_ISA_SET_AES: case ZYDIS_ISA_SET_F16C: case ZYDIS_ISA_SET_FMA:
    case ZYDIS_ISA_SET_FMA4: case ZYDIS_ISA_SET_GFNI:
    case ZYDIS_ISA_SET_PCLMULQDQ: case ZYDIS_ISA_SET_SHA: case ZYDIS_ISA_SET_VAES:
    case ZYDIS_ISA_SET_VPCLMULQDQ: case ZYDIS_ISA_SET_XOP:
        return true;
    default:
        return false;
    }
}

/* Returns whether a category of instructions is permitted. This matters for old extensions, which
 * contain both computing and system instructions. */
static bool category_allowed(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_INVALID: case ZYDIS_CATEGORY_INTERRUPT: case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP: case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_SYSCALL: case ZYDIS_CATEGORY_SYSRET: case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_VTX: case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return false;
    default:
        return true;
    }
}

static bool single_refused(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CLI: case ZYDIS_MNEMONIC_STI: case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_ENTER:
    case ZYDIS_MNEMONIC_UD0: case ZYDIS_MNEMONIC_UD1: case ZYDIS_MNEMONIC_UD2:
        return true;
    default:
        return false;
    }
}

/* Returns whether an operand is permitted. Segment, control, debug, table and bound registers
 * belong to the system; the code that enters and leaves measured code uses gs. */
static bool operand_allowed(const ZydisDecodedOperand *op)
{
    if (op->type == ZYDIS_OPERAND_TYPE_POINTER)
        return false;
    if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
        return op->mem.segment != ZYDIS_REGISTER_GS && op->mem.type != ZYDIS_MEMOP_TYPE_MIB;
    if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return true;
    switch (ZydisRegisterGetClass(op->reg.value)) {
    case ZYDIS_REGCLASS_GPR8: case ZYDIS_REGCLASS_GPR16: case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX: case ZYDIS_REGCLASS_XMM: case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM: case ZYDIS_REGCLASS_MASK:
    case ZYDIS_REGCLASS_FLAGS: case ZYDIS_REGCLASS_IP:
        return true;
    default:
        return op->reg.value == ZYDIS_REGISTER_MXCSR ||
               op->reg.value == ZYDIS_REGISTER_X87CONTROL ||
               op->reg.value == ZYDIS_REGISTER_X87STATUS || op->reg.value == ZYDIS_REGISTER_X87TAG;
    }
}

/* Returns whether CPUs decode a branch differently. With an operand-size prefix, Intel's CPUs
 * decode a 32-bit distance and AMD's a 16-bit one, so the code after the branch is ambiguous. With
 * an 8-bit distance, the length is the same, but AMD's CPUs truncate the target to 16 bits. */
static bool branch_disputed(const ZydisDecodedInstruction *in)
{
    return in->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
           in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;
}

bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    if (in->mnemonic == ZYDIS_MNEMONIC_ENDBR64 || in->mnemonic == ZYDIS_MNEMONIC_ENDBR32)
        return true;
    if (!set_allowed(in->meta.isa_set) || !category_allowed(in->meta.category) ||
        single_refused(in->mnemonic))
        return false;
    if (in->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
        in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || branch_disputed(in))
        return false;
    for (unsigned i = 0; i < in->operand_count; i++)
        if (!operand_allowed(&ops[i]))
            return false;
    return true;
}
