// SPDX-License-Identifier: GPL-3.0-or-later
// This file is C++, because LLVM's C interface lacks options of the code generator.
#include "program/compiler/generate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace {

constexpr uint64_t LARGE_DATA = 65535;   // clang's default of -mlarge-data-threshold

// The options of a command line that a module does not contain.
struct Choices {
    LLVMCodeGenOptLevel level = LLVMCodeGenLevelNone;
    bool functionSections = false, dataSections = false, fused = false;
    unsigned loopAlignment = 0;
    std::vector<std::string> forLlvm{"portolan-cc"};
};

bool takePrefix(const std::string &word, const char *prefix, std::string &rest)
{
    const std::string p = prefix;
    if (word.compare(0, p.size(), p) != 0)
        return false;
    rest = word.substr(p.size());
    return true;
}

void readWord(const std::string &word, Choices &c)
{
    std::string rest;
    if (takePrefix(word, "-O", rest))
        c.level = rest == "0"                                ? LLVMCodeGenLevelNone
                  : rest == "" || rest == "1" || rest == "g" ? LLVMCodeGenLevelLess
                  : rest == "2" || rest == "s" || rest == "z" ? LLVMCodeGenLevelDefault
                                                              : LLVMCodeGenLevelAggressive;
    if (word == "-ffunction-sections" || word == "-fno-function-sections")
        c.functionSections = word == "-ffunction-sections";
    else if (word == "-fdata-sections" || word == "-fno-data-sections")
        c.dataSections = word == "-fdata-sections";
    else if (word == "-Ofast" || word == "-ffast-math" || word == "-funsafe-math-optimizations")
        c.fused = true;
    else if (word == "-fno-fast-math" || word == "-fno-unsafe-math-optimizations")
        c.fused = false;
    else if (takePrefix(word, "-ffp-contract=", rest))
        c.fused = rest == "fast";
    else if (takePrefix(word, "-falign-loops=", rest))
        c.loopAlignment = (unsigned)std::strtoul(rest.c_str(), nullptr, 10);
    else if (word == "-mbranches-within-32B-boundaries")
        c.forLlvm.push_back("-x86-branches-within-32B-boundaries");
    else if (takePrefix(word, "-mpad-max-prefix-size=", rest))
        c.forLlvm.push_back("-x86-pad-max-prefix-size=" + rest);
    else if (takePrefix(word, "-malign-branch", rest)) {
        std::replace(rest.begin(), rest.end(), ',', '+');
        c.forLlvm.push_back("-x86-align-branch" + rest);
    }
}

Choices readWords(const char *const *words, size_t count)
{
    Choices c;
    for (size_t i = 0; i < count; i++)
        if (std::string(words[i]) == "-mllvm" && i + 1 < count)
            c.forLlvm.push_back(words[++i]);
        else
            readWord(words[i], c);
    return c;
}

// LLVM's own options are global variables of the process.
void setOptionsOfLlvm(const std::vector<std::string> &words)
{
    static bool done;
    std::vector<const char *> argv;
    if (done)
        return;
    done = true;
    for (const std::string &word : words)
        argv.push_back(word.c_str());
    LLVMParseCommandLineOptions((int)argv.size(), argv.data(), nullptr);
}

LLVMCodeModel codeModel(const Module &module)
{
    auto model = module.getCodeModel();
    if (!model)
        return LLVMCodeModelDefault;
    switch (*model) {
    case CodeModel::Tiny: return LLVMCodeModelTiny;
    case CodeModel::Small: return LLVMCodeModelSmall;
    case CodeModel::Kernel: return LLVMCodeModelKernel;
    case CodeModel::Medium: return LLVMCodeModelMedium;
    case CodeModel::Large: return LLVMCodeModelLarge;
    }
    return LLVMCodeModelDefault;
}

// Returns the processor or the features of the first function with code. They apply to code outside
// of functions.
std::string attributeOf(const Module &module, const char *name)
{
    for (const Function &f : module)
        if (!f.isDeclaration() && f.hasFnAttribute(name))
            return f.getFnAttribute(name).getValueAsString().str();
    return "";
}

void keepFirstError(LLVMDiagnosticInfoRef info, void *context)
{
    auto *error = static_cast<std::string *>(context);
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || !error->empty())
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    *error = std::string(text, strcspn(text, "\n"));
    LLVMDisposeMessage(text);
}

std::unique_ptr<TargetMachine> machineFor(const Module &module, const Choices &c,
                                          std::string &error)
{
    const std::string triple = LLVMGetTarget(wrap(&module));
    LLVMTargetRef target;
    char *message = nullptr;

    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    LLVMInitializeAllAsmParsers();
    if (LLVMGetTargetFromTriple(triple.c_str(), &target, &message)) {
        error = message;
        LLVMDisposeMessage(message);
        return nullptr;
    }
    auto *machine = reinterpret_cast<TargetMachine *>(LLVMCreateTargetMachine(
        target, triple.c_str(), attributeOf(module, "target-cpu").c_str(),
        attributeOf(module, "target-features").c_str(), c.level,
        module.getPICLevel() == PICLevel::NotPIC ? LLVMRelocStatic : LLVMRelocPIC,
        codeModel(module)));
    TargetOptions &o = machine->Options;
    o.UseInitArray = o.EmitAddrsig = true;
    o.FunctionSections = c.functionSections;
    o.DataSections = c.dataSections;
    o.LoopAlignment = c.loopAlignment;
    o.AllowFPOpFusion = c.fused ? FPOpFusion::Fast : FPOpFusion::Standard;
    o.MCOptions.AsmVerbose = true;
    return std::unique_ptr<TargetMachine>(machine);
}

// Returns the module as read from its bitcode, like the module of a compiler that is given a file.
// The order of uses depends on it, and so do choices of registers.
LLVMModuleRef reread(LLVMModuleRef module)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    LLVMModuleRef out = nullptr;
    LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), bitcode, &out);
    LLVMDisposeMemoryBuffer(bitcode);
    return out;
}

// Returns an empty text, or why the code was not written. The passes are those of clang.
std::string emit(TargetMachine &machine, Module &module, enum generated kind, const char *path)
{
#if LLVM_VERSION_MAJOR >= 18
    const auto type = kind == GENERATED_OBJECT ? CodeGenFileType::ObjectFile
                                               : CodeGenFileType::AssemblyFile;
    machine.setLargeDataThreshold(module.getLargeDataThreshold().value_or(LARGE_DATA));
#else
    const auto type = kind == GENERATED_OBJECT ? CGFT_ObjectFile : CGFT_AssemblyFile;
#endif
    std::error_code code;
    std::string error;
    raw_fd_ostream out(path, code, sys::fs::OF_None);

    if (code)
        return std::string("cannot write ") + path + ": " + code.message();
    LLVMContextSetDiagnosticHandler(wrap(&module.getContext()), keepFirstError, &error);
    module.setDataLayout(machine.createDataLayout());
    {
        legacy::PassManager passes;   // writes to the stream until its end
        passes.add(createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
        passes.add(new TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
        if (machine.addPassesToEmitFile(passes, out, nullptr, type))
            error = "this processor has no such output";
        else
            passes.run(module);
    }
    LLVMContextSetDiagnosticHandler(wrap(&module.getContext()), nullptr, nullptr);
    out.flush();
    if (error.empty() && out.has_error())
        error = std::string("cannot write ") + path + ": " + out.error().message();
    out.clear_error();
    if (!error.empty())
        sys::fs::remove(path);   // regular files only
    return error;
}

}   // namespace

char *generate_code(LLVMModuleRef module, const char *const *words, size_t count,
                    enum generated kind, const char *path)
{
    const Choices choices = readWords(words, count);
    std::string error;

    setOptionsOfLlvm(choices.forLlvm);
    std::unique_ptr<TargetMachine> machine = machineFor(*unwrap(module), choices, error);
    if (machine) {
        LLVMModuleRef read = reread(module);
        error = emit(*machine, *unwrap(read), kind, path);
        LLVMDisposeModule(read);
    }
    return error.empty() ? nullptr : strdup(error.c_str());
}
