/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "toolchain/demangle.h"
#include "toolchain/object.h"

int64_t symbol_place(int64_t displacement)
{
    const int64_t first = SYMBOL_FIRST - SYMBOL_SPAN / 2;
    return displacement < first
               ? 0
               : SYMBOL_FIRST + (displacement - first) / SYMBOL_SPAN * SYMBOL_SPAN;
}

static int by_position(const void *a, const void *b)
{
    const struct kernel_name *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

static int by_place(const void *a, const void *b)
{
    const struct code_reference *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static const struct operand *target_of(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_RELATIVE)
            return &insn->operands[i];
    return NULL;
}

/* Computes the position of the jump target or rip-relative operand of @insn. Returns false if @insn
 * has neither. Stores the position in *@position. */
static bool place_of(const struct insn *insn, uint64_t *position)
{
    const struct operand *target = target_of(insn),
                         *memory = insn->traits & INSN_RIP_RELATIVE ? insn_memory(insn) : NULL;

    *position = target   ? (uint64_t)target->displacement
                : memory ? insn->offset + insn->length + (uint64_t)memory->displacement
                         : 0;
    return target || memory;
}

/* Lists the jump targets, rip-relative operands and loop heads, sorted and without duplicates. */
static void list_positions(const struct kernel *k, struct kernel_names *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < k->insn_count; i++) {
        uint64_t position;
        if (place_of(&k->insns[i], &position))
            vec_add(&out->list, ((struct kernel_name){position, NULL}));
    }
    for (size_t i = 0; i < k->loop_count; i++)
        vec_add(&out->list, ((struct kernel_name){k->insns[k->loops[i].first].offset, NULL}));
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_position);
    for (size_t i = 0; i < out->list.count; i++)
        if (!kept || out->list.items[i].position != out->list.items[kept - 1].position)
            out->list.items[kept++] = out->list.items[i];
    out->list.count = kept;
}

static void drop_nameless(struct kernel_names *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < names->list.count; i++)
        if (names->list.items[i].name)
            names->list.items[kept++] = names->list.items[i];
    names->list.count = kept;
}

const char *kernel_name_at(const struct kernel *k, uint64_t position)
{
    const struct kernel_name key = {position, NULL},
                             *found = k->names && k->names->list.count
                                          ? bsearch(&key, k->names->list.items,
                                                    k->names->list.count, sizeof key, by_position)
                                          : NULL;
    return found ? found->name : NULL;
}

bool *kernel_names_used(const struct kernel *k, size_t loop)
{
    bool *used = mem_zero(k->names->list.count + 1, sizeof *used);
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    for (size_t i = 0; i <= count; i++) {
        struct kernel_name key = {insns[0].offset, NULL};
        if (i < count && !place_of(&insns[i], &key.position))
            continue;
        const struct kernel_name *found =
            k->names->list.count
                ? bsearch(&key, k->names->list.items, k->names->list.count, sizeof key, by_position)
                : NULL;
        if (found)
            used[found - k->names->list.items] = true;
    }
    return used;
}

const struct code_reference *kernel_references(const struct kernel *k, const struct insn *insn,
                                               size_t *count)
{
    const struct code_reference *first = k->names ? k->names->references.items : NULL;
    const size_t all = k->names ? k->names->references.count : 0,
                 low = first_from(first, all, sizeof *first, offsetof(struct code_reference, place),
                                  insn->offset);
    size_t end;

    for (end = low; end < all && first[end].place < insn->offset + insn->length; end++)
        ;
    *count = end - low;
    return *count ? first + low : NULL;
}

bool symbol_printable(const char *name)
{
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 127)
            return false;
    return *name && utf8_valid(name, strlen(name), NULL);
}

void symbol_print(const char *name, struct str *out)
{
    /* Only a name with a leading dot may remain unquoted. Intel syntax may read another name as an
     * operator or register. */
    bool plain = *name == '.';

    for (const char *at = name; *at; at++)
        plain = plain && (isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '$');
    str_addf(out, plain ? "%s" : "\"%s\"", name);
}

/* Appends @reference of @insn in assembler syntax, such as "x", "x+4" or ":lo12:x". Quotes names if
 * @quoted is true and they need it. Appends nothing if the syntax cannot express the reference. */
static void reference_print(const struct code_reference *reference, const struct insn *insn,
                            bool quoted, struct str *out)
{
    const struct isa_relocation *kind = reference->kind;
    const char *at = kind ? strchr(kind->spelling, '@') : NULL;
    int64_t addend = reference->addend;

    if (!at || (quoted && !symbol_printable(reference->name)))
        return;
    if (kind->relative && isa_ops((enum isa)insn->isa)->references_from_end)
        addend += (int64_t)(insn->offset + insn->length - reference->place);
    str_add_bytes(out, kind->spelling, (size_t)(at - kind->spelling));
    if (quoted)
        symbol_print(reference->name, out);
    else
        str_add(out, reference->name);
    str_add(out, at + 1);
    if (addend)
        str_addf(out, "%+lld", (long long)addend);
}

/* Returns the start of the last operand of @text; NULL: none. */
static const char *last_operand(const char *text)
{
    const char *comma = strrchr(text, ','), *blank = strchr(text, ' '),
               *at = comma ? comma + 1 : blank;

    return at ? at + strspn(at, " ") : NULL;
}

/* Returns whether @reference is the instruction's immediate, which is its last field and is set by
 * the linker. */
static bool is_immediate(const struct insn *insn, const struct code_reference *reference)
{
    const size_t bytes = reference->kind && reference->kind->bytes
                             ? reference->kind->bytes
                             : isa_ops((enum isa)insn->isa)->reference_bytes;
    bool has = false;

    for (unsigned i = 0; i < insn->operand_count; i++)
        has |= insn->operands[i].kind == OPERAND_IMMEDIATE && !insn->operands[i].implicit;
    return has && reference->place + bytes == insn->offset + insn->length;
}

bool reference_insert(const struct insn *insn, const char *text,
                      const struct code_reference *reference, bool quoted, struct str *out)
{
    struct str said = {0};
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL,
               *last = last_operand(text);
    const struct isa_ops *isa = isa_ops((enum isa)insn->isa);

    reference_print(reference, insn, quoted, &said);
    const bool operand =
        target_of(insn) || (isa->reference_bytes ? is_immediate(insn, reference) : !close);
    const bool found = said.length && (operand ? last != NULL : close != NULL);
    if (found && operand) {
        str_add_bytes(out, text, (size_t)(last - text));
        str_addf(out, "%s%s", target_of(insn) ? "" : isa->immediate_sign, str_text(&said));
    } else if (found) {
        const char *end = isa->displacement(open + 1, close);
        str_add_bytes(out, text, (size_t)(end - text));
        str_addf(out, "%s%s%s", end > open + 1 ? isa->displacement_sign : "", str_text(&said),
                 close);
    }
    str_done(&said);
    return found;
}

/* Appends @name demangled, with its suffix such as "+0x28" or "@plt". */
static void add_readable(const char *name, struct str *out)
{
    const char *end = strstr(name, "+0x"), *at = strchr(name, '@');

    end = end ? end : at ? at : name + strlen(name);
    char *plain = mem_strndup(name, (size_t)(end - name)), *readable = demangle(plain);
    str_addf(out, "%s%s", readable ? readable : plain, end);
    free(plain);
    free(readable);
}

/* Replaces numbers in the text of @insn with the names of references. Without a reference, a jump
 * target becomes its address and name, and a rip-relative operand gets them as a comment. */
static void name_text(const struct kernel *k, struct insn *insn)
{
    const char *last = last_operand(insn->text);
    struct str text = {0};
    uint64_t position;
    size_t count;
    const struct code_reference *references = kernel_references(k, insn, &count);

    for (size_t i = 0; i < count; i++) {
        str_clear(&text);
        if (reference_insert(insn, insn->text, &references[i], false, &text)) {
            free(insn->text);
            insn->text = mem_strdup(str_text(&text));
        }
    }
    if (!count && last && place_of(insn, &position)) {
        const char *name = kernel_name_at(k, position);
        str_clear(&text);
        if (target_of(insn))
            str_add_bytes(&text, insn->text, (size_t)(last - insn->text));
        else
            str_addf(&text, "%s  %s ", insn->text, isa_ops((enum isa)insn->isa)->comment);
        str_addf(&text, "0x%llx", (unsigned long long)(insn->address + (position - insn->offset)));
        if (name) {
            str_add(&text, " <");
            add_readable(name, &text);
            str_add(&text, ">");
        }
        free(insn->text);
        insn->text = mem_strdup(str_text(&text));
    }
    str_done(&text);
}

static void name_texts(struct kernel *k)
{
    for (size_t i = 0; i < k->insn_count && !watch_steps(1); i++)
        if (k->insns[i].text && !(k->insns[i].traits & INSN_UNDECODED))
            name_text(k, &k->insns[i]);
}

/* Sets the memory operand's address in @insn to the address of the symbol that @reference names.
 * Does nothing for a jump target or an immediate. @symbol is the index of the symbol. */
static void place_memory(struct insn *insn, const struct code_reference *reference, uint32_t symbol)
{
    int64_t at = SYMBOL_FIRST + (int64_t)symbol * SYMBOL_SPAN + reference->addend;

    if (target_of(insn) || is_immediate(insn, reference))
        return;
    if (reference->kind->relative && isa_ops((enum isa)insn->isa)->references_from_end)
        at += (int64_t)(insn->offset + insn->length - reference->place);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        struct operand *op = &insn->operands[i];
        if (op->kind == OPERAND_MEMORY && !op->implicit) {
            op->displacement =
                at -
                (insn->traits & INSN_RIP_RELATIVE ? (int64_t)(insn->offset + insn->length) : 0);
            return;
        }
    }
}

/* Gives each symbol its own address, as a linker does, and sets INSN_REFERS. As a result, only
 * accesses to the same symbol can overlap. */
static void place_references(struct kernel *k)
{
    struct names symbols = {0};

    for (size_t i = 0; i < k->insn_count && !watch_steps(1); i++) {
        size_t count;
        const struct code_reference *references = kernel_references(k, &k->insns[i], &count);
        k->insns[i].traits |= count ? INSN_REFERS : 0;
        for (size_t r = 0; r < count; r++) {
            struct str name = {0};
            if (references[r].kind) {
                str_addf(&name, "%s %s", references[r].kind->spelling, references[r].name);
                const uint32_t symbol = names_try_add(&symbols, str_text(&name));
                if (symbol != UINT32_MAX)
                    place_memory(&k->insns[i], &references[r], symbol);
            }
            str_done(&name);
        }
    }
    names_done(&symbols);
}

void kernel_names_of_object(struct kernel *k, const struct object *o)
{
    struct kernel_names *names = k->names = mem_zero(1, sizeof *names);

    list_positions(k, names);
    for (size_t i = 0; i < names->list.count && !watch_steps(1); i++) {
        struct str name = {0};
        if (object_name_add(o, names->list.items[i].position, &name))
            names->list.items[i].name = str_take(&name);
        str_done(&name);
    }
    drop_nameless(names);
    for (size_t i = 0; i < k->insn_count && !watch_steps(1); i++) {
        struct insn *insn = &k->insns[i];
        const uint64_t place = object_position_place(o, insn->offset);
        insn->address = object_address(o, place);
        insn->placed = true;
        for (const struct code_reference *r = object_reference_in(o, place, insn->length);
             r && r < o->references.items + o->references.count && r->place < place + insn->length;
             r++)
            vec_add(&names->references,
                    ((struct code_reference){insn->offset + (r->place - place), mem_strdup(r->name),
                                             r->addend, r->kind}));
    }
    name_texts(k);
    place_references(k);
}

void kernel_names_take(struct kernel *k, struct kernel_names *take_names)
{
    k->names = take_names;
    if (take_names->list.count)
        qsort(take_names->list.items, take_names->list.count, sizeof *take_names->list.items,
              by_position);
    if (take_names->references.count)
        qsort(take_names->references.items, take_names->references.count,
              sizeof *take_names->references.items, by_place);
    name_texts(k);
    place_references(k);
}

void kernel_names_of_text(struct kernel *k, const struct assembled *a)
{
    struct kernel_names *names = k->names = mem_zero(1, sizeof *names);

    list_positions(k, names);
    for (size_t i = 0, at = 0; i < names->list.count && !watch_steps(1); i++) {
        while (at < a->label_count && a->labels[at].offset < names->list.items[i].position)
            at++;
        for (size_t l = at;
             l < a->label_count && a->labels[l].offset == names->list.items[i].position &&
             !names->list.items[i].name;
             l++)
            names->list.items[i].name = mem_strdup(a->labels[l].name);
    }
    drop_nameless(names);
    for (size_t i = 0; i < a->reference_count; i++)
        vec_add(&names->references,
                ((struct code_reference){a->references[i].place, mem_strdup(a->references[i].name),
                                         a->references[i].addend, a->references[i].kind}));
    place_references(k);
}

void kernel_names_free(struct kernel_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->list.count; i++)
        free(names->list.items[i].name);
    for (size_t i = 0; i < names->references.count; i++)
        free(names->references.items[i].name);
    vec_done(&names->list);
    vec_done(&names->references);
    free(names);
}
