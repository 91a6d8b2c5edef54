/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces source lines with block numbers in the debug locations. Debug locations do not affect
 * code generation, and passes that duplicate or reorder instructions preserve them. */
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "program/compiler/module.h"

static void add_flag(LLVMModuleRef module, LLVMContextRef context, const char *key, unsigned value)
{
    if (!LLVMGetModuleFlag(module, key, strlen(key)))
        LLVMAddModuleFlag(
            module, LLVMModuleFlagBehaviorWarning, key, strlen(key),
            LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), value, false)));
}

static void number_block(LLVMContextRef context, LLVMBasicBlockRef block, LLVMMetadataRef scope,
                         unsigned line)
{
    LLVMMetadataRef location = LLVMDIBuilderCreateDebugLocation(context, line, 1, scope, NULL);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        LLVMInstructionSetDebugLoc(i, location);
}

void module_number_lines(LLVMModuleRef module)
{
    static const char name[] = "blocks", dir[] = "/";
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned line = 1;

    LLVMStripModuleDebugInfo(module);
    add_flag(module, context, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(module, context, "Dwarf Version", 5);
    LLVMDIBuilderRef builder = LLVMCreateDIBuilder(module);
    LLVMMetadataRef file =
        LLVMDIBuilderCreateFile(builder, name, sizeof name - 1, dir, sizeof dir - 1);
    LLVMDIBuilderCreateCompileUnit(builder, LLVMDWARFSourceLanguageC11, file, "portolan", 8, true,
                                   "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false,
                                   false, "", 0, "", 0);
    LLVMMetadataRef type =
        LLVMDIBuilderCreateSubroutineType(builder, file, NULL, 0, LLVMDIFlagZero);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *own = LLVMGetValueName2(f, &length);
        if (!module_has_code(f))
            continue;
        LLVMMetadataRef scope =
            LLVMDIBuilderCreateFunction(builder, file, own, length, own, length, file, line, type,
                                        false, true, line, LLVMDIFlagZero, true);
        LLVMSetSubprogram(f, scope);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            number_block(context, b, scope, line++);
    }
    LLVMDIBuilderFinalize(builder);
    LLVMDisposeDIBuilder(builder);
}
