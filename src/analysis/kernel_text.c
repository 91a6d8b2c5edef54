/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel_text.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/watch.h"
#include "toolchain/assemble.h"

/* Largest number of assembler runs. After a run, instructions with wrong bytes are written in
 * another way. */
#define ROUNDS_MOST 8
#define NAME_LOOP "loop"   /* label of a loop head without a name */

/* Ways to write an instruction. The next way is tried if the assembler produces other bytes. */
enum writing { WRITTEN_PLAIN, WRITTEN_LONG, WRITTEN_BYTES };

/* A position with a name in the text: a label in the loop, or an address set with .set */
struct text_place {
    uint64_t position;
    char *name;
    bool inside;         /* whether the loop has an instruction at this position */
};

struct text_writer {
    const struct kernel *k;
    const struct insn *insns;
    size_t count;
    enum writing *how;
    size_t *lines;       /* line number of each instruction in the text */
    struct { VEC(struct text_place) list; } places;   /* named positions, in ascending order */
};

void comment_print(const char *text, struct str *out)
{
    for (size_t left = strlen(text), step; left; text += step, left -= step) {
        uint32_t code = 0;
        step = utf8_next(text, left, &code);
        /* Escapes a backslash. At the end of a line, the preprocessor would append the next
         * line. */
        const bool plain = step && !utf8_steers(code) && code != '\\';
        step = step ? step : 1;
        if (plain)
            str_add_bytes(out, text, step);
        for (size_t i = 0; !plain && i < step; i++)
            str_addf(out, "\\x%02x", (unsigned char)text[i]);
        if (!plain && code == '\\')
            str_add_char(out, ' ');
    }
}

static int by_position(const void *a, const void *b)
{
    const struct text_place *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

static struct text_place *place_at(const struct text_writer *w, uint64_t position)
{
    const struct text_place key = {.position = position};
    return w->places.list.count ? bsearch(&key, w->places.list.items, w->places.list.count,
                                          sizeof key, by_position)
               : NULL;
}

static const struct operand *target_of(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_RELATIVE)
            return &insn->operands[i];
    return NULL;
}

static bool named(const struct text_writer *w, const char *name)
{
    for (size_t i = 0; i < w->places.list.count; i++)
        if (w->places.list.items[i].name && strcmp(w->places.list.items[i].name, name) == 0)
            return true;
    return false;
}

static bool is_linked(const struct text_writer *w, const struct insn *insn)
{
    size_t count;
    return kernel_references(w->k, insn, &count) != NULL;
}

static void add_place(struct text_writer *w, uint64_t position)
{
    struct text_place p = {.position = position};

    for (size_t i = 0; i < w->count && !p.inside; i++)
        p.inside = w->insns[i].offset == position;
    vec_push(&w->places.list, p);
}

static void find_places(struct text_writer *w)
{
    size_t kept = 0;

    add_place(w, w->insns[0].offset);
    for (size_t i = 0; i < w->count && !watch_steps(w->count); i++) {
        const struct operand *target = target_of(&w->insns[i]);
        if (target && !is_linked(w, &w->insns[i]))
            add_place(w, (uint64_t)target->displacement);
    }
    qsort(w->places.list.items, w->places.list.count, sizeof *w->places.list.items, by_position);
    for (size_t i = 0; i < w->places.list.count; i++)
        if (!kept || w->places.list.items[i].position != w->places.list.items[kept - 1].position)
            w->places.list.items[kept++] = w->places.list.items[i];
    w->places.list.count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct text_place *p = &w->places.list.items[i];
        const char *name = kernel_name_at(w->k, p->position);
        if (name && symbol_printable(name) && !named(w, name))
            p->name = mem_strdup(name);
    }
    for (size_t i = 0; i < kept; i++) {
        struct text_place *p = &w->places.list.items[i];
        struct str name = {0};
        if (p->name)
            continue;
        if (p->position == w->insns[0].offset && !named(w, NAME_LOOP))
            str_add(&name, NAME_LOOP);
        else
            str_addf(&name, ".L%llx", (unsigned long long)p->position);
        while (named(w, str_text(&name)))
            str_add_char(&name, '_');
        p->name = str_take(&name);
    }
}

static void add_bytes(const struct text_writer *w, const struct insn *insn, struct str *out)
{
    const unsigned field = isa_ops((enum isa)insn->isa)->reference_bytes;
    size_t count, at = 0;
    const struct code_reference *references = kernel_references(w->k, insn, &count);

    for (size_t i = 0; i < insn->length; i++) {
        const struct code_reference *r =
            at < count && references[at].place == insn->offset + i ? &references[at++] : NULL;
        const unsigned held = r && r->kind && r->kind->bytes ? r->kind->bytes : field;
        if (r && r->kind && strcmp(r->kind->spelling, "@") == 0 && symbol_printable(r->name) &&
            held && i + held <= insn->length) {
            str_addf(out, "%s%s ", i ? "; " : "", held == 8 ? ".quad" : ".long");
            symbol_print(r->name, out);
            str_addf(out, "%+lld%s", (long long)r->addend, r->kind->relative ? " - ." : "");
            i += held - 1;
        } else {
            str_addf(out, "%s0x%02x",
                     i == 0                                  ? ".byte "
                     : str_text(out)[out->length - 1] == '.' ? "; .byte "
                                                             : ", ",
                     insn->bytes[i]);
        }
    }
}

static void add_jump(const char *text, const struct text_place *to, struct str *out)
{
    const char *comma = strrchr(text, ','), *blank = strchr(text, ' '),
               *last = comma   ? comma + 1
                       : blank ? blank
                               : text + strlen(text);

    str_add_bytes(out, text, (size_t)(last - text));
    str_add_char(out, ' ');
    symbol_print(to->name, out);
}

/* Appends the disassembly of @insn with names. Returns false if the assembler syntax cannot express
 * it. */
static bool add_text(const struct text_writer *w, const struct insn *insn, struct str *out)
{
    const struct operand *target = target_of(insn);
    const struct text_place *to =
        target && !is_linked(w, insn) ? place_at(w, (uint64_t)target->displacement) : NULL;
    struct insn again;
    struct str text = {0}, next = {0};
    size_t count;
    const struct code_reference *references = kernel_references(w->k, insn, &count);

    if (insn->traits & INSN_UNDECODED ||
        !insn_decode(insn->isa, insn->bytes, insn->length, insn->offset, true, &again, NULL))
        return false;
    bool ok = !(again.traits & INSN_UNDECODED) && again.text;
    if (ok && to)
        add_jump(again.text, to, &text);
    else if (ok)
        str_add(&text, again.text);
    for (size_t i = 0; ok && i < count; i++) {
        str_clear(&next);
        ok = reference_insert(&again, str_text(&text), &references[i], true, &next);
        str_clear(&text);
        str_add(&text, str_text(&next));
    }
    if (ok)
        str_add(out, str_text(&text));
    insn_done(&again);
    str_done(&text);
    str_done(&next);
    return ok;
}

static void add_insn(struct text_writer *w, size_t i, struct str *out)
{
    const struct insn *insn = &w->insns[i];
    struct str text = {0};
    const bool says = add_text(w, insn, &text);

    /* Older assemblers lack some instructions, which are written as bytes. */
    if (!says || insn->traits & INSN_FOREIGN)
        w->how[i] = WRITTEN_BYTES;
    if (w->how[i] == WRITTEN_BYTES) {
        add_bytes(w, insn, out);
        str_addf(out, "  %s ", isa_ops(insn->isa)->comment);
        comment_print(says ? str_text(&text) : insn_shown(insn), out);
    } else {
        str_addf(out, "%s%s",
                 w->how[i] == WRITTEN_LONG ? isa_ops((enum isa)insn->isa)->long_branch : "",
                 str_text(&text));
    }
    str_done(&text);
}

static void print(struct text_writer *w, const char *why, struct str *out)
{
    const struct isa_ops *isa = isa_ops(w->k->isa);
    const struct text_place *head = place_at(w, w->insns[0].offset);
    size_t line = 1;

    str_addf(out, "%s ", isa->comment);
    comment_print(why, out);
    str_addf(out, "\n%s", isa->text_head);
    for (size_t i = 0; i < out->length; i++)
        line += out->data[i] == '\n';
    for (size_t i = 0; i < w->count; i++) {
        const struct text_place *here = place_at(w, w->insns[i].offset);
        if (here) {
            symbol_print(here->name, out);
            str_add(out, ":\n");
            line++;
        }
        str_add_char(out, '\t');
        w->lines[i] = line++;
        add_insn(w, i, out);
        str_add_char(out, '\n');
    }
    for (size_t i = 0; i < w->places.list.count; i++) {
        const struct text_place *p = &w->places.list.items[i];
        if (p->inside)
            continue;
        str_add(out, "\t.set ");
        symbol_print(p->name, out);
        str_add(out, ", ");
        symbol_print(head->name, out);
        str_addf(out, "%+lld\n", (long long)(p->position - head->position));
    }
}

/* Returns whether the references of @a in the bytes of @insn, which start at offset @at, equal the
 * references of @insn. */
static bool same_references(const struct text_writer *w, const struct insn *insn,
                            const struct assembled *a, uint64_t at)
{
    size_t count, seen = 0;
    const struct code_reference *own = kernel_references(w->k, insn, &count);

    for (size_t i = 0; i < a->reference_count; i++) {
        const struct code_reference *r = &a->references[i];
        if (r->place < at || r->place >= at + insn->length)
            continue;
        if (seen == count || own[seen].place - insn->offset != r->place - at ||
            own[seen].addend != r->addend || strcmp(own[seen].name, r->name) != 0)
            return false;
        seen++;
    }
    return seen == count;
}

/* Returns the offset of the code of line @line; SIZE_MAX: the line has no code. */
static size_t code_of_line(const struct assembled *a, size_t line)
{
    for (size_t i = 0; i < a->line_count; i++)
        if (a->lines[i].line == line)
            return (size_t)a->lines[i].offset;
    return SIZE_MAX;
}

/* Changes the notation of instructions whose bytes are wrong. Returns false if there are none.
 * Compares jumps only if all lengths are right, because lengths change the distances of jumps. */
static bool revise(struct text_writer *w, const struct assembled *a)
{
    bool changed = false;

    for (int pass = 0; pass < 2 && !changed; pass++)
        for (size_t i = 0; i < w->count && !watch_steps(a->line_count / 16); i++) {
            const struct insn *insn = &w->insns[i];
            const size_t at = w->how[i] == WRITTEN_BYTES ? SIZE_MAX : code_of_line(a, w->lines[i]);
            if (w->how[i] == WRITTEN_BYTES)
                continue;
            const size_t next = i + 1 < w->count && w->how[i + 1] != WRITTEN_BYTES
                                    ? code_of_line(a, w->lines[i + 1])
                                    : SIZE_MAX;
            const bool length = at == SIZE_MAX || at + insn->length > a->length ||
                                (next != SIZE_MAX && next != at + insn->length) ||
                                (i + 1 == w->count && at + insn->length != a->length);
            const bool bytes = length || memcmp(a->code + at, insn->bytes, insn->length) != 0 ||
                               !same_references(w, insn, a, at);
            if (pass == 0 ? !length && (!bytes || target_of(insn)) : !bytes)
                continue;
            w->how[i] = w->how[i] == WRITTEN_PLAIN && target_of(insn) &&
                                isa_ops((enum isa)insn->isa)->long_branch && !is_linked(w, insn)
                            ? WRITTEN_LONG
                            : WRITTEN_BYTES;
            changed = true;
        }
    return changed;
}

static bool is_same(const struct text_writer *w, const struct assembled *a)
{
    size_t at = 0;

    for (size_t i = 0; i < w->count; i++) {
        const struct insn *insn = &w->insns[i];
        if (at + insn->length > a->length || memcmp(a->code + at, insn->bytes, insn->length) != 0 ||
            (w->how[i] != WRITTEN_BYTES && !same_references(w, insn, a, at)))
            return false;
        at += insn->length;
    }
    return at == a->length;
}

bool kernel_text(const struct kernel *k, size_t loop, struct str *out, struct err *err)
{
    struct text_writer w = {.k = k};
    struct str text = {0};
    bool same = false, ok = true;

    w.insns = kernel_insns(k, loop, &w.count);
    w.how = mem_zero(w.count + 1, sizeof *w.how);
    w.lines = mem_zero(w.count + 1, sizeof *w.lines);
    find_places(&w);
    for (int round = 0; ok && !same && round < ROUNDS_MOST; round++) {
        struct assembled a;
        struct err fault = {0};
        str_clear(&text);
        print(&w, k->loops[loop].why, &text);
        const bool assembled =
            assemble(k->isa, "the saved loop", str_text(&text), text.length,
                     isa_ops(k->isa)->dialects ? SYNTAX_INTEL : SYNTAX_AUTO, true, &a, &fault);
        same = assembled && is_same(&w, &a);
        ok = assembled || fault.code == ERR_DATA;
        if (!ok && err)
            *err = fault;
        /* Writes all instructions as bytes if assembling fails or makes no progress. */
        if (ok && !same && (!assembled || round + 2 >= ROUNDS_MOST || !revise(&w, &a)))
            for (size_t i = 0; i < w.count; i++)
                w.how[i] = WRITTEN_BYTES;
        assembled_done(&a);
    }
    if (ok && !same)
        ok = err_set(
            err, ERR_DATA, "kernel show prints the instructions",
            "the assembler encodes an instruction of the loop differently from the loaded code");
    if (ok)
        str_add(out, str_text(&text));
    for (size_t i = 0; i < w.places.list.count; i++)
        free(w.places.list.items[i].name);
    vec_done(&w.places.list);
    free(w.how);
    free(w.lines);
    str_done(&text);
    return ok;
}
