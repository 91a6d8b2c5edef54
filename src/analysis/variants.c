/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/variants.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/addresses.h"
#include "base/mem.h"
#include "isa/vary.h"

/* bytes by which a cut dependence moves a load's address: three lines */
#define ELSEWHERE 192
/* number of preceding stores searched for a dependence through memory */
#define STORE_BUFFER 64

void variant_done(struct variant *v)
{
    free(v->insns);
    *v = (struct variant){0};
}

/* Begins a variant with a copy of @insns without text, and space for @more instructions. */
static void begin(const struct insn *insns, size_t count, size_t more, struct variant *out)
{
    *out = (struct variant){.insns = mem_alloc((count + more) * sizeof *insns), .count = count};
    memcpy(out->insns, insns, count * sizeof *insns);
    for (size_t i = 0; i < count; i++)
        out->insns[i].text = NULL;
}

static void refuse(struct variant *out, const char *reason)
{
    variant_done(out);
    out->reason = reason;
}

static void insert(struct variant *v, size_t at, const struct insn *insn)
{
    memmove(v->insns + at + 1, v->insns + at, (v->count - at) * sizeof *v->insns);
    v->insns[at] = *insn;
    v->count++;
}

static void take_out(struct variant *v, size_t at)
{
    v->count--;
    memmove(v->insns + at, v->insns + at + 1, (v->count - at) * sizeof *v->insns);
}

/* Sets the offsets of the instructions. Marks a variant without instructions as impossible. */
static void end(struct variant *v)
{
    for (size_t i = 1; i < v->count; i++)
        v->insns[i].offset = v->insns[i - 1].offset + v->insns[i - 1].length;
    if (!v->count)
        refuse(v, "no instruction remains");
}

static bool is_register(const struct operand *op)
{
    return op->kind == OPERAND_REGISTER && (op->file == FILE_GENERAL || op->file == FILE_VECTOR);
}

static bool is_idiom(const struct insn *in)
{
    return in->traits & (INSN_ZERO_IDIOM | INSN_ONES_IDIOM);
}

/* Returns whether a write of operand @k keeps part of its old value, or depends on a condition. */
static bool keeps_old(const struct insn *in, unsigned k)
{
    const struct operand *op = &in->operands[k];
    return op->access & ACCESS_CONDITIONAL || (op->file == FILE_GENERAL && op->bits < 32) ||
           (k == 0 && in->traits & INSN_KEEPS_OLD);
}

static bool writes(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (is_register(&in->operands[k]) && in->operands[k].reg == reg &&
            in->operands[k].access & ACCESS_WRITE)
            return true;
    return false;
}

/* Returns whether operand @k is register @reg and is read, or has @reg in its address. */
static bool operand_reads(const struct insn *in, unsigned k, uint8_t reg)
{
    const struct operand *op = &in->operands[k];

    if (op->kind == OPERAND_MEMORY)
        return op->base == reg || op->index == reg;
    if (!is_register(op) || op->reg != reg || is_idiom(in))
        return false;
    return op->access & ACCESS_READ || (op->access & ACCESS_WRITE && keeps_old(in, k));
}

static bool reads(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (operand_reads(in, k, reg))
            return true;
    return false;
}

/* Returns the last instruction before @at that writes @reg, in this or the previous iteration;
 * SIZE_MAX: none. */
static size_t writer_of(const struct insn *insns, size_t count, size_t at, uint8_t reg)
{
    for (size_t step = 1; step <= count; step++) {
        size_t i = (at + count - step) % count;
        if (writes(&insns[i], reg))
            return i;
    }
    return SIZE_MAX;
}

/* Makes @in read @fresh instead of @reg. Returns false if such an operand is implicit or also
 * written, or if @in cannot encode @fresh. */
static bool reread(struct insn *in, uint8_t reg, uint8_t fresh)
{
    for (unsigned k = 0; k < in->operand_count; k++) {
        struct insn changed;
        if (!operand_reads(in, k, reg))
            continue;
        bool written = is_register(&in->operands[k]) && in->operands[k].access & ACCESS_WRITE;
        if (written || in->operands[k].implicit || in->operands[k].access & ACCESS_WRITEBACK ||
            !vary_register(in, k, reg, fresh, &changed))
            return false;
        *in = changed;
    }
    return true;
}

/* Makes all readers of the value that @at writes to @reg read @other. Returns false and changes
 * nothing if a reader cannot be changed, or if @other is overwritten before a reader. */
static bool reread_all(struct variant *v, size_t at, uint8_t reg, uint8_t other)
{
    struct insn *before = mem_alloc(v->count * sizeof *before);
    bool ok = true, over = false, gone = false;

    memcpy(before, v->insns, v->count * sizeof *before);
    for (size_t step = 1; ok && !over && step < v->count; step++) {
        struct insn *in = &v->insns[(at + step) % v->count];
        over = writes(in, reg);   /* An instruction that also overwrites @reg is the last reader of
                                   * the value. */
        bool reader = reads(in, reg);
        ok = !reader || (!gone && reread(in, reg, other));
        gone |= writes(&before[(at + step) % v->count], other);
    }
    if (!ok)
        memcpy(v->insns, before, v->count * sizeof *before);
    free(before);
    return ok;
}

static bool is_legacy(const struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (insns[i].traits & INSN_VEX)
            return false;
    return true;
}

/* Inserts a move to @like before instruction @at, from a register that the loop never writes.
 * Returns false if this is impossible. */
static bool put_copy(struct variant *v, size_t at, const struct operand *like)
{
    uint8_t fresh = vary_free(v->insns, v->count, (enum register_file)like->file, REG_NONE);
    enum isa isa = (enum isa)v->insns[0].isa;
    struct insn copy;

    if (fresh == REG_NONE ||
        !vary_copy(isa, like, is_legacy(v->insns, v->count), like->reg, fresh, &copy))
        return false;
    copy.line = v->insns[at < v->count ? at : v->count - 1].line;
    insert(v, at, &copy);
    v->copies = true;
    return true;
}

static bool written_elsewhere(const struct variant *v, size_t at, uint8_t reg)
{
    for (size_t i = 0; i < v->count; i++)
        if (i != at && writes(&v->insns[i], reg))
            return true;
    return false;
}

static const struct operand *operand_of(const struct insn *in, uint8_t reg)
{
    for (unsigned k = 0; k < in->operand_count; k++)
        if (is_register(&in->operands[k]) && in->operands[k].reg == reg)
            return &in->operands[k];
    return NULL;
}

/* Marks all instructions that depend on @at through registers or memory. Marks @at itself only if
 * it is part of a cycle. */
static void mark_dependents(const struct dependence *d, size_t n, size_t at, bool *marked)
{
    bool more = true;

    for (size_t i = 0; i < n; i++)
        if (d[i].from == at)
            marked[d[i].to] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            if (marked[d[i].from] && !marked[d[i].to])
                more = marked[d[i].to] = true;
    }
}

/* Returns a register that @at reads, and whose value depends on @at in the previous iteration;
 * REG_NONE: none. The loop-carried chain remains if readers of the result of @at read that register
 * instead. */
static uint8_t passes_on(const struct variant *v, size_t at, const struct operand *written)
{
    size_t n;
    struct dependence *d = dependences_of(v->insns, v->count, &n);
    bool *marked = mem_zero(v->count, sizeof *marked);
    uint8_t found = REG_NONE;

    mark_dependents(d, n, at, marked);
    for (size_t i = 0; i < n && found == REG_NONE; i++) {
        const struct operand *from =
            d[i].to == at && d[i].reg != REG_NONE && d[i].reg != written->reg && marked[d[i].from]
                ? operand_of(&v->insns[d[i].from], d[i].reg)
                : NULL;
        if (from && from->file == written->file)
            found = d[i].reg;
    }
    free(marked);
    free(d);
    return found;
}

/* Makes the readers of each register that @at writes read another register. If that is impossible,
 * stores the operand in @kept, because a move must write the register. Returns false with the
 * reason in @v if @at cannot be removed. Sets *@kept_count to the number of operands in @kept. */
static bool keep_alive(struct variant *v, size_t at, struct operand kept[INSN_OPERANDS],
                       unsigned *kept_count)
{
    const struct insn in = v->insns[at];
    uint8_t stack = isa_ops((enum isa)in.isa)->stack_pointer;

    *kept_count = 0;
    for (unsigned k = 0; k < in.operand_count; k++) {
        const struct operand *op = &in.operands[k];
        if (op->kind == OPERAND_REGISTER && op->access & ACCESS_WRITE &&
            (op->file == FILE_X87 ||
             (op->file == FILE_GENERAL && op->reg == stack && !op->implicit))) {
            refuse(v, op->file == FILE_X87 ? "x87 and MMX registers cannot be preserved"
                                           : "the instruction writes the stack pointer");
            return false;
        }
        if (!is_register(op) || !(op->access & ACCESS_WRITE) || op->reg == stack ||
            reads(&in, op->reg))
            continue;
        uint8_t passed = passes_on(v, at, op);
        if (passed != REG_NONE && reread_all(v, at, op->reg, passed))
            continue;
        if (!written_elsewhere(v, at, op->reg))
            continue;
        uint8_t fresh = vary_free(v->insns, v->count, (enum register_file)op->file, REG_NONE);
        if (fresh == REG_NONE) {
            refuse(v, "no register is free");
            return false;
        }
        if (!reread_all(v, at, op->reg, fresh))
            kept[(*kept_count)++] = *op;
    }
    return true;
}

static void put_kept(struct variant *v, size_t at, const struct operand *kept, unsigned n)
{
    for (unsigned k = 0; v->insns && k < n; k++)
        if (!put_copy(v, at, &kept[k]))
            refuse(v, "the result cannot be preserved");
}

void variant_without(const struct insn *insns, size_t count, size_t at, struct variant *out)
{
    struct operand kept[INSN_OPERANDS];
    unsigned n;

    begin(insns, count, INSN_OPERANDS, out);
    if (!keep_alive(out, at, kept, &n))
        return;
    take_out(out, at);
    if (out->count || n)
        put_kept(out, at, kept, n);
    if (out->insns)
        end(out);
}

void variant_nop(const struct insn *insns, size_t count, size_t at, struct variant *out)
{
    struct operand kept[INSN_OPERANDS];
    struct insn nop;
    unsigned n;

    if (insns[at].traits & INSN_NOP || !vary_nop(&insns[at], &nop)) {
        *out = (struct variant){.reason = "no nop of the same length exists"};
        return;
    }
    begin(insns, count, INSN_OPERANDS, out);
    if (!keep_alive(out, at, kept, &n))
        return;
    out->insns[at] = nop;
    if (n) {   /* The moves take the place of the nop, so the number of slots does not change. */
        take_out(out, at);
        put_kept(out, at, kept, n);
    }
    if (out->insns)
        end(out);
}

static void cut_memory(const struct dependence *cut, struct variant *out)
{
    struct insn *in = &out->insns[cut->to], moved;

    for (unsigned k = 0; k < in->operand_count; k++) {
        const struct operand *op = &in->operands[k];
        if (op->kind != OPERAND_MEMORY || !(op->access & ACCESS_READ))
            continue;
        if (op->access & ACCESS_WRITE || op->implicit || !vary_moved(in, k, ELSEWHERE, &moved)) {
            refuse(out, op->access & ACCESS_WRITE
                            ? "the instruction reads and writes the same operand"
                            : "the address cannot be changed");
            return;
        }
        *in = moved;
        return;
    }
    refuse(out, "the instruction has no load");
}

/* Returns whether another instruction reads the value of @cut after instruction @cut->to. */
static bool read_later(const struct insn *insns, size_t count, const struct dependence *cut)
{
    if (writes(&insns[cut->to], cut->reg))
        return false;
    for (size_t step = 1; step < count; step++) {
        size_t i = (cut->to + step) % count;
        if (reads(&insns[i], cut->reg))
            return true;
        if (writes(&insns[i], cut->reg))
            return false;
    }
    return false;
}

void variant_cut(const struct insn *insns, size_t count, const struct dependence *cut,
                 struct variant *out)
{
    begin(insns, count, 1, out);
    if (cut->reg == REG_NONE) {
        cut_memory(cut, out);
    } else {
        const struct operand written = *operand_of(&insns[cut->from], cut->reg);
        uint8_t fresh = vary_free(insns, count, (enum register_file)written.file, REG_NONE);
        struct insn before = out->insns[cut->to];
        if (fresh == REG_NONE)
            refuse(out, "no register is free");
        else if (!reread(&out->insns[cut->to], cut->reg, fresh)) {
            out->insns[cut->to] = before;
            if (read_later(insns, count, cut) || !put_copy(out, cut->to, &written))
                refuse(out, "later instructions read the same value");
        }
    }
    if (out->insns)
        end(out);
}

struct dependence_list { struct dependence *items; size_t count; };

static void add(struct dependence_list *list, struct dependence d)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].from == d.from && list->items[i].to == d.to &&
            list->items[i].reg == d.reg)
            return;
    list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = d;
}

static void add_register(struct dependence_list *list, const struct insn *insns, size_t count,
                         size_t to, unsigned k, uint8_t reg)
{
    const struct isa_ops *isa = isa_ops((enum isa)insns[to].isa);
    bool stack = reg == isa->stack_pointer &&
                 (insns[to].operands[k].implicit || insns[to].operands[k].kind == OPERAND_MEMORY);

    if (reg >= INSN_REGISTERS || stack || !operand_reads(&insns[to], k, reg))
        return;
    size_t from = writer_of(insns, count, to, reg);
    if (from != SIZE_MAX)
        add(list, (struct dependence){(uint32_t)from, (uint32_t)to, from >= to, reg});
}

struct dependence *dependences_of(const struct insn *insns, size_t count, size_t *found)
{
    struct dependence_list list = {NULL, 0};
    struct address_work work = {0};

    addresses_link(insns, count, START_DIFFERENT, STORE_BUFFER, &work);
    for (size_t i = 0; i < work.found_count; i++)
        add(&list, (struct dependence){work.found[i].store, work.found[i].load,
                                       work.found[i].distance, REG_NONE});
    address_work_done(&work);
    for (size_t to = 0; to < count; to++)
        for (unsigned k = 0; k < insns[to].operand_count; k++) {
            const struct operand *op = &insns[to].operands[k];
            add_register(&list, insns, count, to, k,
                         op->kind == OPERAND_MEMORY ? op->base : op->reg);
            if (op->kind == OPERAND_MEMORY)
                add_register(&list, insns, count, to, k, op->index);
        }
    *found = list.count;
    return list.items;
}

void dependence_through(enum isa isa, const struct dependence *d, struct str *out)
{
    if (d->reg == REG_NONE)
        str_add(out, "memory");
    else
        vary_register_name(isa, d->reg, out);
}
