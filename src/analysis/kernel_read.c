/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/kernel_names.h"
#include "analysis/kernel_object.h"
#include "analysis/loops.h"
#include "analysis/recipe.h"
#include "base/compare.h"
#include "base/free.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/names.h"
#include "base/vec.h"
#include "base/watch.h"
#include "isa/isa.h"
#include "toolchain/archive.h"
#include "toolchain/debug_lines.h"
#include "toolchain/demangle.h"
#include "toolchain/listing.h"
#include "toolchain/margins.h"
#include "toolchain/markers.h"
#include "toolchain/object.h"
#include "toolchain/plain.h"

/* largest alignment in bytes that affects a front end; the kernel's code keeps its address modulo
 * this number */
#define PLACE_UNIT 64
#define FILE_LIMIT ((size_t)64 << 20)

const size_t kernel_unit_most = 40000;

static struct kernel *kernel_new(const char *name, enum isa isa)
{
    static _Atomic uint64_t last;
    struct kernel *k = mem_zero(1, sizeof *k);

    k->name = mem_strdup(name);
    k->isa = isa;
    k->serial = atomic_fetch_add(&last, 1) + 1;
    return k;
}

struct unit { VEC(struct insn) insns; };
struct loop_list { VEC(struct kernel_loop) list; };

static int label_order(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Returns the length of the undecodable bytes at @code. They end at the next source line (@next
 * bytes after @code) or where decoding succeeds again. */
static size_t undecoded_length(enum isa isa, const uint8_t *code, size_t length, size_t next)
{
    const size_t most = sizeof ((struct insn *)0)->bytes;
    size_t n = isa_step(isa);

    if (next && next <= most)
        return next < length ? next : length;
    for (; n < length && n + isa_step(isa) <= most; n += isa_step(isa)) {
        struct insn insn;
        const bool decodes = insn_decode(isa, code + n, length - n, 0, false, &insn, NULL);
        insn_done(&insn);
        if (decodes)
            break;
    }
    return n < length ? n : length;
}

/* Decodes @length bytes, and adds disassembly text if @texts is true. A sequence of undecodable
 * bytes becomes one unknown instruction. @a: assembler text, in which each line starts an
 * instruction; NULL: machine code. Returns false if there are more than kernel_unit_most
 * instructions. */
static bool unit_decode(struct unit *u, enum isa isa, const uint8_t *code, size_t length,
                        uint64_t offset, bool texts, const struct assembled *a)
{
    size_t row = 0;
    bool learned = false;

    for (size_t at = 0; at < length && !watch_steps(1);) {
        if (u->insns.count >= kernel_unit_most)
            return false;
        if (!vec_room(&u->insns))
            return true; /* If memory is exhausted, the caller fails to load the file. */
        struct insn *insn = &u->insns.items[u->insns.count];
        while (a && row < a->line_count && a->lines[row].offset <= at)
            row++;
        /* @begins is false within data that the text defines. */
        const bool begins = row > 0 && a->lines[row - 1].offset == at;
        const size_t next =
            begins ? (row < a->line_count ? (size_t)a->lines[row].offset : length) - at : 0;
        const bool decoded =
            insn_decode(isa, code + at, length - at, offset + at, texts, insn, NULL);
        if (!learned && (!decoded || insn->traits & INSN_UNDECODED)) {
            /* Lets other disassemblers decode the rest of the code, and decodes this rest again
             * with their results. */
            insn_done(insn);
            insn_learn(isa, code + at, length - at, NULL);
            learned = true;
            continue;
        }
        if (!decoded)
            insn_undecoded(isa, code + at, undecoded_length(isa, code + at, length - at, next),
                           offset + at, NULL, texts, insn);
        insn->offset = offset + at;
        at += insn->length;
        u->insns.count++;
    }
    return true;
}

static void unit_done(struct unit *u)
{
    for (size_t i = 0; i < u->insns.count; i++)
        insn_done(&u->insns.items[i]);
    vec_done(&u->insns);
}

/* Sets the line number and text of each instruction. The text is the disassembly if the line has
 * several instructions or a semicolon. */
static void unit_lines(struct unit *u, const struct assembled *a, const char *text)
{
    size_t row = 0;
    for (size_t i = 0; i < u->insns.count; i++) {
        struct insn *insn = &u->insns.items[i];
        while (row + 1 < a->line_count && a->lines[row + 1].offset <= insn->offset)
            row++;
        if (a->line_count && a->lines[row].offset <= insn->offset)
            insn->line = a->lines[row].line;
    }
    for (size_t i = 0; i < u->insns.count && !watch_steps(1); i++) {
        struct insn *insn = &u->insns.items[i];
        bool alone = (i == 0 || insn[-1].line != insn->line) &&
                     (i + 1 == u->insns.count || insn[1].line != insn->line);
        struct source_span span = {0, 0};
        if (alone && insn->line > 0 && insn->line <= a->span_count)
            span = a->spans[insn->line - 1];
        if (span.length && !memchr(text + span.start, ';', span.length)) {
            free(insn->text);
            insn->text = mem_strndup(text + span.start, span.length);
            for (char *p = insn->text; *p; p++)
                if (*p == '\t')
                    *p = ' ';
        } else if (!insn->text) {
            insn->text = mem_strdup(insn->form);
        }
    }
}

static void loop_push(struct loop_list *out, const struct insn *insns, size_t first, size_t end,
                      const char *label, const char *why)
{
    struct kernel_loop loop = loop_make(insns, first, end - first, label, why);
    loop.marked = true;
    vec_push(&out->list, loop);
}

static size_t insn_from(const struct unit *u, uint64_t offset)
{
    const size_t low = first_from(u->insns.items, u->insns.count, sizeof(struct insn),
                                  offsetof(struct insn, offset), offset);

    return low;
}

/* Returns the index of the first instruction, from index @i, whose line is @line or later. */
static size_t insn_of_line(const struct unit *u, size_t i, size_t line)
{
    while (i < u->insns.count && u->insns.items[i].line < line && !watch_steps(1))
        i++;
    return i;
}

/* Adds the regions between byte markers in @length bytes of code at @position. */
static void marks_bytes(const struct unit *u, enum isa isa, const uint8_t *code, size_t length,
                        uint64_t position, struct loop_list *out)
{
    const struct isa_ops *ops = isa_ops(isa);
    size_t begin = SIZE_MAX;

    for (size_t at = 0; at + MARKER_BYTES <= length; at += isa_step(isa)) {
        if (ops->is_marker(code + at, true)) {
            begin = at + MARKER_BYTES;
        } else if (begin != SIZE_MAX && ops->is_marker(code + at, false)) {
            const size_t first = insn_from(u, position + begin), end = insn_from(u, position + at);
            if (end > first)
                loop_push(out, u->insns.items, first, end, "", ops->markers);
            begin = SIZE_MAX;
        }
    }
}

/* Stores in @ends the index of each region's end mark, or the number of marks if the region extends
 * to the end of the text. An end mark with a name ends the last open region of that name; without a
 * name it ends the last open region. A region without an end mark ends at the next end mark. */
static void marks_pair(const struct marker_list *marks, size_t *ends)
{
    const size_t count = marks->list.count;
    struct names names = {0};
    /* @open: indices of the open regions. @last: per name, 1 + index of its last open region. */
    VEC(size_t) open = {0}, last = {0};
    bool *ended = mem_zero(count + 1, sizeof *ended);
    size_t next = count;

    for (size_t m = count; m-- > 0;) {
        if (marks->list.items[m].kind == MARKER_END)
            next = m;
        ends[m] = next;
    }
    for (size_t m = 0; m < count && !watch_steps(1); m++) {
        const struct marker *mark = &marks->list.items[m];
        const char *name = strchr(mark->text, ' ');
        const uint32_t id = name ? names_try_add(&names, name + 1) : UINT32_MAX;
        while (id != UINT32_MAX && last.count <= id)
            vec_push(&last, 0);
        if (mark->kind == MARKER_BEGIN) {
            vec_push(&open, m);
            if (id != UINT32_MAX)
                last.items[id] = m + 1;
            continue;
        }
        size_t begun = id != UINT32_MAX ? last.items[id] : 0;
        if (begun)
            last.items[id] = 0;
        while (!begun && open.count) {
            const size_t top = open.items[--open.count];
            begun = ended[top] ? 0 : top + 1;
        }
        if (begun) {
            ends[begun - 1] = m;
            ended[begun - 1] = true;
        }
    }
    free(ended);
    names_done(&names);
    vec_done(&open);
    vec_done(&last);
}

static void marks_comments(const struct unit *u, const char *text, size_t length,
                           struct loop_list *out)
{
    struct marker_list marks;

    markers_find(text, length, &marks);
    const size_t count = marks.list.count;
    size_t *ends = mem_alloc((count + 1) * sizeof *ends),
           *places = mem_alloc((count + 1) * sizeof *places), at = 0;
    marks_pair(&marks, ends);
    for (size_t m = 0; m < count; m++)   /* Finds the first instruction after each mark. */
        places[m] = at = insn_of_line(u, at, marks.list.items[m].line + 1);
    places[count] = u->insns.count;
    for (size_t m = 0; m < count && !watch_steps(1); m++) {
        const struct marker *begin = &marks.list.items[m];
        const char *name = strchr(begin->text, ' ');
        if (begin->kind == MARKER_BEGIN && places[ends[m]] > places[m])
            loop_push(out, u->insns.items, places[m], places[ends[m]],
                      name && strcmp(name, " markers") != 0 ? name + 1 : "", begin->text);
    }
    free(ends);
    free(places);
    markers_done(&marks);
}

static void references_of_text(struct unit *u, const struct assembled *a)
{
    for (size_t i = 0, at = 0; i < u->insns.count && !watch_steps(1); i++) {
        struct insn *insn = &u->insns.items[i];
        while (at < a->reference_count && a->references[at].place < insn->offset)
            at++;
        if (at < a->reference_count && a->references[at].place < insn->offset + insn->length)
            insn->traits |= INSN_REFERS;
    }
}

static void references_of_object(struct unit *u, const struct object *o)
{
    for (size_t i = 0; o->references.count && i < u->insns.count && !watch_steps(1); i++) {
        struct insn *insn = &u->insns.items[i];
        if (object_reference_in(o, object_position_place(o, insn->offset), insn->length))
            insn->traits |= INSN_REFERS;
    }
}

/* Stores the marked regions, then the found loops, in the kernel. If there are neither, stores one
 * region of all code, described by @whole. */
static void loops_set(struct kernel *k, struct unit *u, struct loop_list *marked,
                      const struct label *labels, size_t label_count, const char *whole)
{
    struct kernel_loop *found;
    size_t n = loops_find(u->insns.items, u->insns.count, labels, label_count, &found);
    for (size_t i = 0; i < n; i++)
        vec_push(&marked->list, found[i]);
    free(found);
    if (marked->list.count == 0) {
        vec_push(&marked->list, loop_make(u->insns.items, 0, u->insns.count, "", whole));
        marked->list.items[0].depth = 0;
    }
    k->insns = u->insns.items;
    k->insn_count = u->insns.count;
    k->loops = marked->list.items;
    k->loop_count = marked->list.count;
    memset(u, 0, sizeof *u);
}

/* Removes the reports of omitted instructions before used lines that no loop contains. */
static void gaps_forget(struct kernel *k)
{
    size_t kept = 0;

    for (size_t i = 0; i < k->left_out_count; i++) {
        struct diagnostic *d = &k->left_out[i];
        bool keep = strcmp(d->reason, MARGIN_GAP) != 0;
        for (size_t l = 0; l < k->loop_count; l++)
            keep |= d->line > k->loops[l].first_line && d->line <= k->loops[l].last_line;
        if (keep) {
            k->left_out[kept++] = *d;
        } else {
            free(d->text);
            free(d->reason);
        }
    }
    k->left_out_count = kept;
}

size_t kernel_loop_requested(const struct kernel_options *options)
{
    return options && options->loop ? options->loop - 1 : 0;
}

struct kernel *kernel_with_loop(struct kernel *take_k, const struct kernel_options *options,
                                struct err *err)
{
    if (kernel_loop_requested(options) >= take_k->loop_count) {
        err_set(err, ERR_USAGE, "kernel list shows the loops",
                "no loop %zu in %s; number of loops: %zu",
                options->loop, take_k->name, take_k->loop_count);
        kernel_free(take_k);
        return NULL;
    }
    return take_k;
}

/* Removes the instructions outside the source lines @first to @last. If @last is 0, the range has
 * no end. */
static void unit_restrict(struct unit *u, size_t first, size_t last)
{
    size_t kept = 0;
    for (size_t i = 0; i < u->insns.count; i++) {
        struct insn *insn = &u->insns.items[i];
        if (insn->line >= first && (last == 0 || insn->line <= last))
            u->insns.items[kept++] = *insn;
        else
            insn_done(insn);
    }
    u->insns.count = kept;
}

/* Returns whether the code from @start to @offset neither continues at @offset nor jumps to @offset
 * or beyond. */
static bool ends_before(const struct unit *u, uint64_t start, uint64_t offset)
{
    bool falls = true;

    for (size_t i = 0; i < u->insns.count; i++) {
        const struct insn *insn = &u->insns.items[i];
        if (insn->offset < start || insn->offset >= offset)
            continue;
        falls = !(insn->traits & INSN_BRANCH) || (insn->traits & (INSN_CONDITIONAL | INSN_CALL));
        for (unsigned k = 0; k < insn->operand_count && !(insn->traits & INSN_CALL); k++)
            if (insn->operands[k].kind == OPERAND_RELATIVE &&
                insn->operands[k].displacement >= (int64_t)offset)
                return false;
    }
    return !falls;
}

/* Removes the instructions outside the function at label @symbol. A function that the text declares
 * ends at the next declared function. Any other function ends at the first label that its code does
 * not reach. Returns false with err if there is no such label, or no instruction after it. */
static bool unit_restrict_symbol(struct unit *u, const struct assembled *a, const char *symbol,
                                 struct err *err)
{
    const struct label *found = NULL;
    uint64_t end = UINT64_MAX;
    size_t kept = 0;

    for (size_t i = 0; i < a->label_count && !found; i++)
        found = strcmp(a->labels[i].name, symbol) == 0 ? &a->labels[i] : NULL;
    if (!found)
        return err_set(err, ERR_DATA, "give a label of the text, or load the text without --symbol",
                       "no label %s in this text", symbol);
    for (size_t i = 0; i < a->label_count && end == UINT64_MAX; i++) {
        const struct label *next = &a->labels[i];
        if (next->offset > found->offset &&
            (found->function ? next->function : ends_before(u, found->offset, next->offset)))
            end = next->offset;
    }
    for (size_t i = 0; i < u->insns.count; i++) {
        struct insn *insn = &u->insns.items[i];
        if (insn->offset >= found->offset && insn->offset < end)
            u->insns.items[kept++] = *insn;
        else
            insn_done(insn);
    }
    u->insns.count = kept;
    return kept ||
           err_set(err, ERR_DATA, "give another label", "no instructions after label %s", symbol);
}

/* Returns whether the code has the addresses of 32-bit code: at least one, all of them with 32-bit
 * registers, and no 64-bit general register as an operand. */
static bool unit_is_narrow(const struct unit *u)
{
    size_t narrow = 0;

    for (size_t i = 0; i < u->insns.count; i++) {
        const struct insn *insn = &u->insns.items[i];
        for (unsigned k = 0; k < insn->operand_count; k++) {
            const struct operand *op = &insn->operands[k];
            if ((op->kind == OPERAND_REGISTER && op->file == FILE_GENERAL && op->bits == 64) ||
                (op->kind == OPERAND_MEMORY && !(insn->traits & INSN_NARROW_ADDRESS)))
                return false;
            narrow += op->kind == OPERAND_MEMORY;
        }
    }
    return narrow > 0;
}

static void assembled_move(struct assembled *a, uint64_t by)
{
    for (size_t i = 0; i < a->line_count; i++)
        a->lines[i].offset += by;
    for (size_t i = 0; i < a->label_count; i++)
        a->labels[i].offset += by;
    for (size_t i = 0; i < a->reference_count; i++)
        a->references[i].place += by;
}

struct kernel *kernel_from_text(const char *name, const char *text, size_t length,
                                const struct kernel_options *options, struct err *err)
{
    static const struct kernel_options none;
    const struct kernel_options *o = options ? options : &none;
    struct assembled a;
    struct unit u = {0};
    struct kernel *k = NULL;
    struct loop_list marked = {0};
    struct str plain = {0};
    if (plain_text(text, length, &plain)) {
        text = str_text(&plain);
        length = plain.length;
    }
    enum isa isa = o->isa_given ? o->isa : listing_isa(text, length);
    bool assembled = assemble(isa, name, text, length, o->syntax, o->skip_bad, &a, err);
    if (!assembled)
        goto out;
    const uint64_t place = a.address % PLACE_UNIT;
    if (!unit_decode(&u, a.isa, a.code, a.length, place, true, &a)) {
        err_set(err, ERR_LIMIT, "load only the loop, or check for large .rept counts",
                "the text has more than %zu instructions", kernel_unit_most);
        err_at(err, name, 0, 0);
        goto out;
    }
    assembled_move(&a, place);
    unit_lines(&u, &a, text);
    if (!watch_goes_on(err))
        goto out;
    if (!o->isa_given && unit_is_narrow(&u)) {
        err_set(err, ERR_DATA,
                "compile the source with -m64, or give --isa x86-64 if it is 64-bit code",
                "all addresses have 32-bit registers, as in 32-bit code");
        err_at(err, name, u.insns.items[0].line, 0);
        goto out;
    }
    if (o->symbol && !unit_restrict_symbol(&u, &a, o->symbol, err)) {
        err_at(err, name, 0, 0);
        goto out;
    }
    if (o->first_line || o->last_line)
        unit_restrict(&u, o->first_line, o->last_line);
    if (u.insns.count == 0) {
        err_set(err, ERR_DATA,
                o->first_line || o->last_line ? "give lines that contain instructions"
                                              : "give assembler text with instructions",
                o->first_line || o->last_line ? "no instructions in lines %zu-%zu"
                                              : "no instructions in this text",
                o->first_line, o->last_line);
        err_at(err, name, 0, 0);
        goto out;
    }
    k = kernel_new(name, a.isa);
    k->source = mem_strndup(text, length);
    k->refused = a.refused;
    k->refused_count = a.refused_count;
    a.refused = NULL;
    a.refused_count = 0;
    k->left_out = a.left_out;
    k->left_out_count = a.left_out_count;
    a.left_out = NULL;
    a.left_out_count = 0;
    k->percents = a.percents;
    k->percent_count = a.percent_count;
    a.percents = NULL;
    marks_comments(&u, text, length, &marked);
    marks_bytes(&u, a.isa, a.code, a.length, place, &marked);
    references_of_text(&u, &a);
    loops_set(k, &u, &marked, a.labels, a.label_count, "whole text (no loop)");
    gaps_forget(k);
    kernel_names_of_text(k, &a);
    k = kernel_with_loop(k, o, err);
out:
    unit_done(&u);
    assembled_done(&a);
    str_done(&plain);
    return k;
}

/* Returns the demangled name of a function, or a copy of @name if it is not mangled. The caller
 * frees it. */
static char *readable(const char *name)
{
    char *text = demangle(name);
    return text ? text : mem_strdup(name);
}

struct range_part {
    size_t section;
    const uint8_t *code;
    size_t length;
    uint64_t position;
};

/* Advances to the next section with code of the range. Returns false after the last section. */
static bool part_next(const struct object *o, size_t start, size_t length, struct range_part *part)
{
    while (part->section < o->sections.count) {
        const struct object_section *s = &o->sections.items[part->section++];
        const size_t from = s->offset > start ? s->offset : start,
                     to = s->offset + s->size < start + length ? s->offset + s->size
                                                               : start + length;
        if (from >= to)
            continue;
        part->code = o->code + from;
        part->length = to - from;
        part->position = s->position + (from - s->offset);
        return true;
    }
    return false;
}

static int insn_order(const void *a, const void *b)
{
    const struct insn *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static void name_by_file(struct kernel *k)
{
    for (size_t i = 0; i < k->loop_count; i++) {
        struct kernel_loop *loop = &k->loops[i];
        struct str label = {0}, why = {0};
        if (*loop->label || !loop->depth || loop->marked)
            continue;
        str_addf(&label, "%s+0x%llx", path_base(k->name),
                 (unsigned long long)k->insns[loop->first].address);
        str_addf(&why, "%s %s", loop->why, str_text(&label));
        free(loop->label);
        free(loop->why);
        loop->label = str_take(&label);
        loop->why = str_take(&why);
    }
}

struct kernel *kernel_from_code(const struct object *o, const char *name, size_t start,
                                size_t length, bool texts, struct err *err)
{
    struct unit u = {0};
    struct kernel *k = NULL;
    VEC(struct label) labels = {0};
    struct loop_list marked = {0};
    struct range_part part = {0};
    bool all = true;
    size_t parts = 0;
    for (; all && part_next(o, start, length, &part); parts++)
        all = unit_decode(&u, o->isa, part.code, part.length, part.position, texts, NULL);
    if (!all || u.insns.count == 0) {
        err_set(err, all ? ERR_DATA : ERR_LIMIT,
                all ? "compile without -flto, or give another function with --symbol"
                    : "give another function with --symbol",
                all ? "no machine code, or only LTO bytecode"
                    : "the code has more than %zu instructions",
                kernel_unit_most);
        err_at(err, name, 0, 0);
        goto out;
    }
    for (size_t i = 0; i < o->symbols.count && !watch_steps(1); i++) {
        const struct object_symbol *symbol = &o->symbols.items[i];
        /* Symbols are sorted, so all further symbols begin after the range. */
        if (symbol->offset > start + length)
            break;
        if (symbol->offset + symbol->size >= start)
            vec_add(&labels, ((struct label){.name = readable(symbol->name),
                                             .offset = object_position(o, symbol->offset),
                                             .size = symbol->size,
                                             .function = symbol->function}));
    }
    if (labels.count)
        qsort(labels.items, labels.count, sizeof *labels.items, label_order);
    if (parts > 1)
        qsort(u.insns.items, u.insns.count, sizeof *u.insns.items, insn_order);
    k = kernel_new(name, o->isa);
    for (part = (struct range_part){0}; part_next(o, start, length, &part);)
        marks_bytes(&u, o->isa, part.code, part.length, part.position, &marked);
    references_of_object(&u, o);
    loops_set(k, &u, &marked, labels.items, labels.count, "whole code (no loop)");
    kernel_names_of_object(k, o);
    name_by_file(k);
out:
    for (size_t i = 0; i < labels.count; i++)
        free(labels.items[i].name);
    vec_done(&labels);
    unit_done(&u);
    return k;
}

/* Returns whether the file begins as ELF. Returns false for unreadable files and pipes; their
 * reader reports the error. */
static bool is_elf(const char *path)
{
    char magic[4] = "";
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool elf = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
               read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0;

    if (fd >= 0)
        close(fd);
    return elf;
}

struct kernel *kernel_load(const char *path, const struct kernel_options *options, struct err *err)
{
    struct str text = {0};
    struct kernel *k = NULL;

    /* The file may be larger than the memory, so object_read maps it instead of reading it. */
    if (is_elf(path) || archive_names_member(path, NULL))
        return kernel_from_object(path, options, err);
    if (archive_is(path))
        return kernel_from_archive(path, options, err);
    if (file_read(path, FILE_LIMIT, &text, err)) {
        if (text.length >= 4 && memcmp(text.data, "\177ELF", 4) == 0)
            k = kernel_from_object(path, options, err);
        else
            k = kernel_from_text(path, str_text(&text), text.length, options, err);
    }
    str_done(&text);
    return k;
}

struct kernel *kernel_from_hex(enum isa isa, const char *hex, struct err *err)
{
    VEC(uint8_t) code = {0};
    struct unit u = {0};
    struct loop_list loops = {0};
    struct kernel *k = NULL;
    unsigned digits = 0, value = 0;
    size_t at = 0;
    bool room = true;
    for (; hex[at]; at++) {
        unsigned char c = (unsigned char)hex[at];
        if (isspace(c) && digits % 2 == 0)
            continue;
        if (!isxdigit(c)) {
            err_set(err, ERR_DATA, "give pairs of hex digits",
                    "`%c' at position %zu is not a hex digit", isprint(c) ? c : '?', at + 1);
            goto out;
        }
        value = value << 4 | (unsigned)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
        if (++digits % 2 == 0) {
            vec_try_push(&code, (uint8_t)value, room);
            value = 0;
        }
    }
    if (digits == 0 || digits % 2) {
        err_set(err, ERR_DATA, "give pairs of hex digits",
                digits ? "odd number of hex digits: the byte at position %zu is incomplete"
                       : "no hex digits in the block (length %zu)",
                at);
        goto out;
    }
    insn_learn(isa, code.items, code.count, NULL);
    for (size_t i = 0; room && i < code.count;) {
        struct insn insn;
        memset(&insn, 0, sizeof insn);
        watch_steps(1);
        if (u.insns.count >= kernel_unit_most ||
            !insn_decode(isa, code.items + i, code.count - i, i, true, &insn, NULL)) {
            err_set(err, ERR_DATA, "give the bytes of whole instructions",
                    "no valid instruction at byte %zu (hex digit %zu)", i + 1, 2 * i + 1);
            goto out;
        }
        /* Rejects the LOCK prefix, as the decoder does. */
        if (insn.traits & INSN_FOREIGN && insn.traits & INSN_LOCK) {
            insn_done(&insn);
            err_set(err, ERR_DATA,
                    "remove LOCK (f0): processors accept it only before an operation that changes "
                    "memory",
                    "no valid instruction at byte %zu (hex digit %zu)", i + 1, 2 * i + 1);
            goto out;
        }
        insn.offset = i;
        i += insn.length;
        vec_try_push(&u.insns, insn, room);
        if (!room) {
            insn_done(&insn);
            break;
        }
    }
    if (!room) {
        err_memory_for(err, "the hex block", 2 * (u.insns.count + 1) * sizeof *u.insns.items);
        goto out;
    }
    k = kernel_new("hex", isa);
    vec_push(&loops.list, loop_make(u.insns.items, 0, u.insns.count, "", "whole block"));
    k->insns = u.insns.items;
    k->insn_count = u.insns.count;
    k->loops = loops.list.items;
    k->loop_count = 1;
    memset(&u, 0, sizeof u);
out:
    vec_done(&code);
    unit_done(&u);
    return k;
}

/* Returns @k without const, so its references can be counted. mem_zero allocates all kernels, so
 * none is in constant memory. */
static struct kernel *counted(const struct kernel *k)
{
    return (struct kernel *)k;
}

const struct kernel *kernel_hold(const struct kernel *k)
{
    atomic_fetch_add(&counted(k)->holders, 1);
    return k;
}

static void release(void *kernel)
{
    struct kernel *k = kernel;

    for (size_t i = 0; i < k->insn_count; i++)
        insn_done(&k->insns[i]);
    free(k->insns);
    loops_done(k->loops, k->loop_count);
    diagnostics_free(k->refused, k->refused_count);
    diagnostics_free(k->left_out, k->left_out_count);
    free(k->percents);
    free(k->origin_texts);
    free(k->origin);
    free(k->origin_lines);
    if (k->debug)
        debug_lines_done(k->debug);
    free(k->debug);
    recipe_free(k->recipe);
    kernel_names_free(k->names);
    free(k->source);
    free(k->name);
    free(k);
}

void kernel_free(const struct kernel *held)
{
    struct kernel *k = counted(held);

    if (!k || atomic_fetch_sub(&k->holders, 1) > 0)
        return;
    if (k->insn_count + k->loop_count >= DISCARD_LEAST)
        discard(release, k);
    else
        release(k);
}
