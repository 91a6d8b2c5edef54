// SPDX-License-Identifier: GPL-3.0-or-later
// This file is C++, because LLVM's C interface has no scalar evolution.
#include "program/compiler/control.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm-c/Core.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace {

constexpr unsigned NODES_MOST = 400;   // maximum number of nodes in an expression

class Symbols {
public:
    json_t *names = json_array();

    // Returns the index of a symbol's name. Names of local symbols begin with '@'.
    size_t of(const GlobalValue &value, const std::string &suffix = "")
    {
        const std::string name =
            (value.hasLocalLinkage() ? "@" : "") + value.getName().str() + suffix;
        auto found = known.find(name);
        if (found != known.end())
            return found->second;
        json_array_append_new(names, json_stringn(name.data(), name.size()));
        return known[name] = known.size();
    }

private:
    std::map<std::string, size_t> known;
};

class Describer {
public:
  Describer(Function &f, Symbols &s)
      : function(f), symbols(s), dominators(f), loops(dominators), cache(f),
        library(Triple(f.getParent()->getTargetTriple()))
  {
      std::vector<AllocaInst *> variables;
      for (Instruction &i : f.getEntryBlock())
          if (auto *a = dyn_cast<AllocaInst>(&i); a && isAllocaPromotable(a))
              variables.push_back(a);
      if (!variables.empty())
          PromoteMemToReg(variables, dominators, &cache);
      information = std::make_unique<TargetLibraryInfo>(library, &f);
      evolution = std::make_unique<ScalarEvolution>(f, *information, cache, dominators, loops);
      for (BasicBlock &b : f)
          numbers[&b] = numbers.size();
      number_loops(loops.getTopLevelLoops());
    }

    json_t *describe()
    {
        json_t *blocks = json_array();
        std::vector<json_t *> all;
        // Describes conditions and arguments first, because they determine which values are needed.
        for (BasicBlock &b : function) {
            json_t *one = json_object();
            json_array_append_new(blocks, one);
            all.push_back(one);
            describe_end(b, one);
            for (Instruction &i : b)
                if (auto *call = dyn_cast<CallBase>(&i))
                    want_call(*call);
                else if (auto *store = dyn_cast<StoreInst>(&i))
                    want_store(*store);
        }
        json_t *list = json_array();
        for (Loop *l : order)
            json_array_append_new(list, describe_loop(*l));
        while (next_undefined < undefined.size())
            define(*undefined[next_undefined++]);
        size_t at = 0;
        for (BasicBlock &b : function) {
            json_t *steps = json_array();
            for (Instruction &i : b)
                if (auto found = texts.find(&i); found != texts.end())
                    for (const std::string &text : found->second)
                        json_array_append_new(steps, json_stringn(text.data(), text.size()));
            if (json_array_size(steps))
                json_object_set_new(all[at], "steps", steps);
            else
                json_decref(steps);
            at++;
        }
        return json_pack("{s:o, s:o}", "loops", list, "blocks", blocks);
    }

private:
    Function &function;
    Symbols &symbols;
    DominatorTree dominators;
    LoopInfo loops;
    AssumptionCache cache;
    TargetLibraryInfoImpl library;
    std::unique_ptr<TargetLibraryInfo> information;
    std::unique_ptr<ScalarEvolution> evolution;
    std::map<const BasicBlock *, size_t> numbers;
    std::map<const Loop *, size_t> loop_numbers;
    std::vector<Loop *> order;
    std::map<const Value *, size_t> values;    // numbers of values in expressions
    std::vector<Instruction *> undefined;
    size_t next_undefined = 0;
    std::map<const Instruction *, std::vector<std::string>>
        texts; // steps of a block, by instruction
    unsigned nodes = 0;

    template <class List> void number_loops(const List &list)
    {
        for (Loop *l : list) {
            loop_numbers[l] = order.size();
            order.push_back(l);
            number_loops(l->getSubLoops());
        }
    }

    static bool narrow(const Type *type)
    {
        return type->isIntegerTy() ? type->getIntegerBitWidth() <= 64 : type->isPointerTy();
    }

    static std::string head(const char *name, const Type *type)
    {
        return std::string(name) + " " +
               std::to_string(type->isIntegerTy() ? type->getIntegerBitWidth() : 64);
    }

    // Returns the expression of a value by its number. The block that defines it gets a step later.
    std::string value(Value &v)
    {
        auto found = values.find(&v);
        if (found == values.end()) {
            found = values.emplace(&v, values.size()).first;
            undefined.push_back(cast<Instruction>(&v));
        }
        return head("v", v.getType()) + " " + std::to_string(found->second);
    }

    std::string joined(const char *name, const Type *type, ArrayRef<const SCEV *> operands,
                       const Loop *scope)
    {
        std::string text = head(name, type) + " " + std::to_string(operands.size());
        for (const SCEV *o : operands) {
            const std::string one = express(o, scope);
            if (one.empty())
                return "";
            text += " " + one;
        }
        return text;
    }

    std::string unary(const char *name, const Type *type, const std::string &x)
    {
        return x.empty() ? "" : head(name, type) + " " + x;
    }

    std::string binary(const char *name, const Type *type, const std::string &x,
                       const std::string &y)
    {
        return x.empty() || y.empty() ? "" : head(name, type) + " " + x + " " + y;
    }

    // Returns @s in prefix notation for use in @scope; empty if it cannot be expressed.
    std::string express(const SCEV *s, const Loop *scope)
    {
        if (isa<SCEVCouldNotCompute>(s) || ++nodes > NODES_MOST || !narrow(s->getType()))
            return "";
        const Type *type = s->getType();
        switch (s->getSCEVType()) {
        case scConstant:
            return head("c", type) + " " +
                   std::to_string(cast<SCEVConstant>(s)->getAPInt().getZExtValue());
        case scTruncate:
            return unary("trunc", type, express(cast<SCEVCastExpr>(s)->getOperand(), scope));
        case scZeroExtend:
            return unary("zext", type, express(cast<SCEVCastExpr>(s)->getOperand(), scope));
        case scSignExtend:
            return unary("sext", type, express(cast<SCEVCastExpr>(s)->getOperand(), scope));
        case scPtrToInt:
            return unary("zext", type, express(cast<SCEVCastExpr>(s)->getOperand(), scope));
        case scAddExpr:
            return joined("add", type, cast<SCEVAddExpr>(s)->operands(), scope);
        case scMulExpr:
            return joined("mul", type, cast<SCEVMulExpr>(s)->operands(), scope);
        case scUDivExpr:
            return binary("udiv", type, express(cast<SCEVUDivExpr>(s)->getLHS(), scope),
                          express(cast<SCEVUDivExpr>(s)->getRHS(), scope));
        case scUMaxExpr:
            return joined("umax", type, cast<SCEVNAryExpr>(s)->operands(), scope);
        case scSMaxExpr:
            return joined("smax", type, cast<SCEVNAryExpr>(s)->operands(), scope);
        case scUMinExpr:
        case scSequentialUMinExpr:
            return joined("umin", type, cast<SCEVNAryExpr>(s)->operands(), scope);
        case scSMinExpr:
            return joined("smin", type, cast<SCEVNAryExpr>(s)->operands(), scope);
        case scAddRecExpr: {
            const auto *r = cast<SCEVAddRecExpr>(s);
            const std::string text = joined("rec", type, r->operands(), scope);
            return text.empty() || !scope || !r->getLoop()->contains(scope)
                       ? ""
                       : text + " " + std::to_string(loop_numbers[r->getLoop()]);
        }
        case scUnknown:
            return leaf(*cast<SCEVUnknown>(s)->getValue(), scope);
        default:
            return "";
        }
    }

    std::string express_value(Value &v, const Loop *scope)
    {
        if (!narrow(v.getType()) || nodes > NODES_MOST)
            return "";
        if (auto *compare = dyn_cast<ICmpInst>(&v))
            return compared(compare->getPredicate(), *compare->getOperand(0),
                            *compare->getOperand(1), scope);
        if (!evolution->isSCEVable(v.getType()))
            return "";
        return express(evolution->getSCEVAtScope(&v, scope), scope);
    }

    std::string start(Value &v, const Loop *scope)
    {
        nodes = 0;
        return express_value(v, scope);
    }

    std::string compared(CmpInst::Predicate predicate, Value &x, Value &y, const Loop *scope)
    {
        static const std::map<CmpInst::Predicate, const char *> names = {
            {CmpInst::ICMP_EQ, "eq"},   {CmpInst::ICMP_NE, "ne"},   {CmpInst::ICMP_UGT, "ugt"},
            {CmpInst::ICMP_UGE, "uge"}, {CmpInst::ICMP_ULT, "ult"}, {CmpInst::ICMP_ULE, "ule"},
            {CmpInst::ICMP_SGT, "sgt"}, {CmpInst::ICMP_SGE, "sge"}, {CmpInst::ICMP_SLT, "slt"},
            {CmpInst::ICMP_SLE, "sle"}};
        const auto found = names.find(predicate);
        return found == names.end() ? ""
                                    : binary(found->second, x.getType(), express_value(x, scope),
                                             express_value(y, scope));
    }

    // Returns the expression of element @at of the vector @v of conditions.
    std::string element(Value &v, unsigned at, const Loop *scope)
    {
        if (auto *c = dyn_cast<ICmpInst>(&v)) {
            Value *x = findScalarElement(c->getOperand(0), at),
                  *y = findScalarElement(c->getOperand(1), at);
            return x && y ? compared(c->getPredicate(), *x, *y, scope) : "";
        }
        Value *one = findScalarElement(&v, at);
        return one ? express_value(*one, scope) : "";
    }

    // Returns a vector of conditions as the expression of an integer, with the first in the lowest
    // bit. Empty if it cannot be expressed.
    std::string bits(Value &v, const Type *type, const Loop *scope)
    {
        auto *vector = dyn_cast<FixedVectorType>(v.getType());
        if (!vector || !vector->getElementType()->isIntegerTy(1) || !narrow(type))
            return "";
        std::string text = head("add", type) + " " + std::to_string(vector->getNumElements());
        for (unsigned k = 0; k < vector->getNumElements(); k++) {
            const std::string one = element(v, k, scope);
            if (one.empty())
                return "";
            text += " " + binary("shl", type, unary("zext", type, one),
                                 head("c", type) + " " + std::to_string(k));
        }
        return text;
    }

    // Returns the expression of a value that scalar evolution does not analyse further. Empty if it
    // cannot be expressed.
    std::string leaf(Value &v, const Loop *scope)
    {
        static const std::map<unsigned, const char *> names = {
            {Instruction::SDiv, "sdiv"}, {Instruction::SRem, "srem"}, {Instruction::UDiv, "udiv"},
            {Instruction::URem, "urem"}, {Instruction::And, "and"},   {Instruction::Or, "or"},
            {Instruction::Xor, "xor"},   {Instruction::Shl, "shl"},   {Instruction::LShr, "lshr"},
            {Instruction::AShr, "ashr"}};
        if (isa<ConstantPointerNull>(v))
            return head("c", v.getType()) + " 0";
        if (auto *a = dyn_cast<Argument>(&v))
            return head("a", v.getType()) + " " + std::to_string(a->getArgNo());
        if (auto *c = dyn_cast<ICmpInst>(&v))
            return compared(c->getPredicate(), *c->getOperand(0), *c->getOperand(1), scope);
        if (auto *c = dyn_cast<BitCastInst>(&v))
            return bits(*c->getOperand(0), v.getType(), scope);
        if (auto *b = dyn_cast<BinaryOperator>(&v)) {
            const auto found = names.find(b->getOpcode());
            return found == names.end()
                       ? ""
                       : binary(found->second, v.getType(), express_value(*b->getOperand(0), scope),
                                express_value(*b->getOperand(1), scope));
        }
        if (auto *s = dyn_cast<SelectInst>(&v)) {
            const std::string chosen = express_value(*s->getCondition(), scope);
            return chosen.empty() ? ""
                                  : binary(("select " + chosen).c_str(), v.getType(),
                                           express_value(*s->getTrueValue(), scope),
                                           express_value(*s->getFalseValue(), scope));
        }
        if (auto *f = dyn_cast<FreezeInst>(&v))
            return express_value(*f->getOperand(0), scope);
        if (auto *p = dyn_cast<PHINode>(&v); p && loops.isLoopHeader(p->getParent()))
            return "";
        if (auto *call = dyn_cast<CallBase>(&v);
            call && !(reads_number(*call) ||
                      (call->getCalledFunction() && !call->getCalledFunction()->isIntrinsic())))
            return "";
        if (auto *l = dyn_cast<LoadInst>(&v);
            l && (!l->isSimple() || place(*l->getPointerOperand(), *l->getType()).empty()))
            return "";
        return isa<PHINode>(v) || isa<CallBase>(v) || isa<LoadInst>(v) ? value(v) : "";
    }

    // Returns the number of the global variable to which @pointer points, or of a constant offset
    // in it. Empty if @pointer is neither, or if @type is too wide.
    std::string place(Value &pointer, const Type &type)
    {
        const DataLayout &layout = function.getParent()->getDataLayout();
        APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
        if (!narrow(&type))
            return "";
        auto *g = dyn_cast<GlobalVariable>(
            pointer.stripAndAccumulateConstantOffsets(layout, offset, false));
        return g ? std::to_string(symbols.of(
                       *g, offset == 0 ? "" : "+" + std::to_string(offset.getSExtValue())))
                 : "";
    }

    // Returns whether @call is a library function that parses a number from text.
    bool reads_number(const CallBase &call)
    {
        static const char *const names[] = {"atoi",
                                            "atol",
                                            "atoll",
                                            "strtol",
                                            "strtoul",
                                            "strtoll",
                                            "strtoull",
                                            "__isoc23_strtol",
                                            "__isoc23_strtoul",
                                            "__isoc23_strtoll",
                                            "__isoc23_strtoull"};
        const Function *f = call.getCalledFunction();
        for (const char *n : names)
            if (f && f->isDeclaration() && f->getName() == n)
                return true;
        return false;
    }

    void want_call(CallBase &call)
    {
        const Loop *scope = loops.getLoopFor(call.getParent());
        Function *f = call.getCalledFunction();
        if (isa<IntrinsicInst>(call) || call.isInlineAsm())
            return;
        std::string text = "call " + (f ? std::to_string(symbols.of(*f)) : "-1") + " " +
                           std::to_string(call.arg_size());
        for (Value *a : call.args()) {
            const std::string one = start(*a, scope);
            text += " " + (one.empty() ? "?" : one);
        }
        texts[&call].push_back(text);
    }

    void want_store(StoreInst &store)
    {
        Value &v = *store.getValueOperand();
        const std::string at = place(*store.getPointerOperand(), *v.getType());
        if (at.empty() || !store.isSimple())
            return;
        const std::string text = start(v, loops.getLoopFor(store.getParent()));
        texts[&store].push_back("store " + at + " " + (text.empty() ? "?" : text));
    }

    // Adds a step that defines the value of @i to its block.
    void define(Instruction &i)
    {
        const std::string number = std::to_string(values[&i]);
        std::string text;

        if (auto *phi = dyn_cast<PHINode>(&i)) {
            text = "phi " + number + " " + std::to_string(phi->getNumIncomingValues());
            for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
                const std::string one =
                    start(*phi->getIncomingValue(k), loops.getLoopFor(phi->getIncomingBlock(k)));
                text += " " + std::to_string(numbers[phi->getIncomingBlock(k)]) + " " +
                        (one.empty() ? "?" : one);
            }
        } else if (auto *load = dyn_cast<LoadInst>(&i)) {
            text = "load " + number + " " + place(*load->getPointerOperand(), *load->getType());
        } else if (auto *call = dyn_cast<CallBase>(&i); call && reads_number(*call)) {
            auto *word = dyn_cast<LoadInst>(call->getArgOperand(0));
            const std::string at =
                word ? start(*word->getPointerOperand(), loops.getLoopFor(i.getParent())) : "";
            text = "word " + number + " " + head("", i.getType()).substr(1) + " " +
                   (at.empty() ? "?" : at);
        } else {
            text = "result " + number;
        }
        texts[&i].push_back(text);
    }

    void describe_end(BasicBlock &b, json_t *out)
    {
        const Loop *scope = loops.getLoopFor(&b);
        const Instruction *last = b.getTerminator();
        std::string text;

        if (auto *branch = dyn_cast<BranchInst>(last); branch && branch->isConditional()) {
            text = start(*branch->getCondition(), scope);
        } else if (auto *choice = dyn_cast<SwitchInst>(last)) {
            text = start(*choice->getCondition(), scope);
            json_t *cases = json_array();
            for (const auto &c : choice->cases())
                json_array_append_new(cases, json_integer(static_cast<json_int_t>(
                                                 c.getCaseValue()->getValue().getZExtValue())));
            json_object_set_new(out, "cases", cases);
        } else if (auto *result = dyn_cast<ReturnInst>(last)) {
            json_object_set_new(out, "returns", json_true());
            if (result->getReturnValue())
                text = start(*result->getReturnValue(), scope);
        }
        if (!text.empty())
            json_object_set_new(out, "on", json_stringn(text.data(), text.size()));
    }

    json_t *describe_loop(Loop &l)
    {
        json_t *blocks = json_array(), *exits = json_array();
        SmallVector<BasicBlock *, 8> leaving;

        for (const BasicBlock *b : l.blocks())
            json_array_append_new(blocks, json_integer(static_cast<json_int_t>(numbers[b])));
        l.getExitingBlocks(leaving);
        for (BasicBlock *b : leaving) {
            nodes = 0;
            const std::string count = express(evolution->getExitCount(&l, b), l.getParentLoop());
            json_array_append_new(exits,
                                  json_pack("{s:i, s:s}", "block", static_cast<int>(numbers[b]),
                                            "count", count.empty() ? "?" : count.c_str()));
        }
        return json_pack("{s:i, s:i, s:o, s:o}", "header", static_cast<int>(numbers[l.getHeader()]),
                         "parent",
                         l.getParentLoop() ? static_cast<int>(loop_numbers[l.getParentLoop()]) : -1,
                         "blocks", blocks, "exits", exits);
    }
};

// Returns whether the address of @v may be stored, passed or used in another way than to access it.
bool escapes(const Value &v)
{
    for (const User *user : v.users()) {
        if (auto *load = dyn_cast<LoadInst>(user); load && load->isSimple())
            continue;
        if (auto *store = dyn_cast<StoreInst>(user);
            store && store->isSimple() && store->getValueOperand() != &v &&
            store->getValueOperand()->getType()->isIntOrPtrTy())
            continue;
        if (auto *call = dyn_cast<CallBase>(user);
            call && isa<Function>(v) && call->getCalledOperand() == &v) {
            bool given = false;
            for (const Value *a : call->args())
                given |= a == &v;
            if (!given)
                continue;
        }
        if (auto *at = dyn_cast<GEPOperator>(user);
            at && at->hasAllConstantIndices() && !escapes(*at))
            continue;
        return true;
    }
    return false;
}

bool has_code(const Function &f)
{
    return !f.empty() && !f.hasAvailableExternallyLinkage() && !f.hasFnAttribute(Attribute::Naked);
}

} // namespace

json_t *control_describe(LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    Symbols symbols;
    json_t *functions = json_array(), *escaping = json_array(), *initial = json_array();

    for (Function &f : m) {
        if (escapes(f))
            json_array_append_new(escaping, json_integer(static_cast<json_int_t>(symbols.of(f))));
        if (!has_code(f))
            continue;
        symbols.of(f);
        json_array_append_new(functions, Describer(f, symbols).describe());
    }
    for (GlobalVariable &g : m.globals()) {
        if (escapes(g))
            json_array_append_new(escaping, json_integer(static_cast<json_int_t>(symbols.of(g))));
        if (auto *number =
                g.hasDefinitiveInitializer() ? dyn_cast<ConstantInt>(g.getInitializer()) : nullptr;
            number && number->getBitWidth() <= 64)
            json_array_append_new(initial,
                                  json_pack("[I, I]", static_cast<json_int_t>(symbols.of(g)),
                                            static_cast<json_int_t>(number->getZExtValue())));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "symbols", symbols.names, "escaping", escaping,
                     "initial", initial, "functions", functions);
}
