/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/assemble.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/watch.h"
#include "isa/insn.h"

#define DECODING_STEPS 4   /* number of steps per decoded instruction (base/steps.h) */

__attribute__((format(printf, 5, 6))) static bool
row_fault(struct err *err, const char *path, size_t line, const char *todo, const char *format, ...)
{
    struct str what = {0};
    va_list args;

    va_start(args, format);
    str_addv(&what, format, args);
    va_end(args);
    err_set(err, ERR_DATA, todo, "%s", str_text(&what));
    str_done(&what);
    return err_at(err, path, line, 0);
}

/* Returns whether each brace is doubled or encloses a placeholder: a type, with R:, W: or RW:
 * before a register or memory type. */
static bool placeholders_valid(const char *p)
{
    for (; *p; p++) {
        if ((p[0] == '{' || p[0] == '}') && p[1] == p[0]) {
            p++;
            continue;
        }
        if (*p == '}')
            return false;
        if (*p != '{')
            continue;
        const size_t length = strcspn(p + 1, "{}");
        const char *colon = memchr(p + 1, ':', length), *close = p + 1 + length,
                   *type = colon ? colon + 1 : p + 1;
        const bool access = !colon || (colon - p == 2 && strchr("RW", p[1])) ||
                            (colon - p == 3 && p[1] == 'R' && p[2] == 'W');
        if (*close != '}' || type == close || !access)
            return false;
        p = close;
    }
    return true;
}

/* Returns whether a template can only be one instruction, without directive, statement separator,
 * comment or string. */
static bool is_plain(const char *template, const struct isa_ops *ops)
{
    bool plain = (isalpha((unsigned char)*template) || *template == '{') &&
                 !strstr(template, ops->comment) && !strstr(template, "/*") &&
                 placeholders_valid(template);

    for (const char *p = template; plain && *p; p++)
        plain = (unsigned char)*p >= 32 && !strchr(";\"\\", *p);
    return plain;
}

/* Writes one assembler line per row. Rejects forms that are empty or too long, and templates that
 * may contain more than one instruction. */
static bool instances(enum isa isa, const struct csv_table *t, int form, int template,
                      const char *path, struct str *text, struct err *err)
{
    for (size_t i = 0; i < t->count; i++) {
        if (watch_steps(1))
            return watch_goes_on(err);
        struct form_row row = {t->rows[i][form], t->rows[i][template], NULL, isa, true};
        if (!*row.form || strlen(row.form) >= FORM_MAX)
            return row_fault(err, path, t->lines[i], "write the form as in ADD (R64, R64)",
                             "the form is empty or too long");
        if (!is_plain(row.template, isa_ops(isa))) {
            char todo[128];
            snprintf(todo, sizeof todo, "write the template as %s", isa_ops(isa)->template_example);
            return row_fault(err, path, t->lines[i], todo, "invalid template \"%.100s\"",
                             row.template);
        }
        form_instance(&row, text);
        str_add_char(text, '\n');
    }
    return true;
}

/* Returns whether LAR or LSL was encoded as its 32-bit form. Both instructions write 32 bits with
 * any operand, and binutils since 2.41 encodes the 64-bit form as the 32-bit one. */
static bool is_narrowed(const char *given, const char *found)
{
    return (str_has_prefix(given, "LAR (R64, ") || str_has_prefix(given, "LSL (R64, ")) &&
           memcmp(given, found, 4) == 0 && str_has_prefix(found + 4, "(R32, ");
}

/* Returns whether the instruction names a register that loop bodies reserve. */
static bool names_own_register(const struct insn *in)
{
    const struct isa_ops *isa = isa_ops((enum isa)in->isa);

    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct operand *op = &in->operands[i];
        const uint8_t named[] = {op->reg, op->base, op->index};
        for (unsigned k = 0; k < sizeof named && !op->implicit; k++)
            if (named[k] < isa->generals && isa->own_registers >> named[k] & 1)
                return true;
    }
    return false;
}

/* Checks that each line was assembled to one instruction of its row's form, without registers that
 * are reserved for measurement. Returns false with err if a check fails. */
static bool check_code(const struct csv_table *t, int form, const char *path,
                       const struct assembled *a, struct err *err)
{
    size_t at = 0;

    insn_learn(a->isa, a->code, a->length, NULL);
    for (size_t i = 0; i < t->count; i++) {
        if (watch_steps(DECODING_STEPS))
            return watch_goes_on(err);
        struct insn insn = {0};
        while (at < a->line_count && a->lines[at].line < i + 1)
            at++;
        if (at == a->line_count || a->lines[at].line != i + 1)
            return row_fault(err, path, t->lines[i], "write one instruction",
                             "the template of %.100s assembles to no instruction",
                             t->rows[i][form]);
        uint64_t start = a->lines[at].offset,
                 end = at + 1 < a->line_count ? a->lines[at + 1].offset : a->length;
        if (!insn_decode(a->isa, a->code + start, a->length - start, 0, false, &insn, err))
            return err_at(err, path, t->lines[i], 0);
        bool same = strcmp(insn.form, t->rows[i][form]) == 0 ||
                    is_narrowed(t->rows[i][form], insn.form),
             alone = insn.length == end - start;
        if (!same)
            row_fault(err, path, t->lines[i], "rename the form, or change the template",
                      "the template assembles to %.150s", insn.form);
        else if (!alone)
            row_fault(err, path, t->lines[i], "write one instruction",
                      "the template of %.100s assembles to several instructions", t->rows[i][form]);
        const bool reserved = same && alone && names_own_register(&insn);
        if (reserved) {
            char todo[128];
            snprintf(todo, sizeof todo, "use placeholders, as in %s",
                     isa_ops(a->isa)->template_example);
            row_fault(
                err, path, t->lines[i], todo,
                "the template of %.100s uses a register that is reserved for measurement (%s)",
                t->rows[i][form], isa_ops(a->isa)->own_names);
        }
        insn_done(&insn);
        if (!same || !alone || reserved)
            return false;
    }
    return true;
}

/* Reads the rows of @path if all are valid. Returns NULL with err if not. */
static struct csv_table *read_rows(enum isa isa, const char *path, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    struct assembled a = {0};
    struct str text = {0};
    bool ok = false;

    if (!t)
        return NULL;
    int form = csv_table_column(t, "form"), template = csv_table_column(t, "template");
    if (form < 0 || template < 0) {
        row_fault(err, path, 1, "the first line must be form,template,extension",
                  "the column %s is missing", form < 0 ? "form" : "template");
        goto out;
    }
    if (!instances(isa, t, form, template, path, &text, err))
        goto out;
    if (t->count &&
        !assemble(isa, path, str_text(&text), text.length, SYNTAX_INTEL, false, &a, err)) {
        /* The assembler's line numbers are row numbers, so the rejected row is known. */
        if (a.refused_count && a.refused[0].line - 1 < t->count)
            row_fault(err, path, t->lines[a.refused[0].line - 1], "correct the template",
                      "assembler error: %.200s", a.refused[0].reason);
        goto out;
    }
    ok = check_code(t, form, path, &a, err);
out:
    assembled_done(&a);
    str_done(&text);
    if (!ok) {
        csv_table_free(t);
        t = NULL;
    }
    return t;
}

struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err)
{
    struct csv_table *t = read_rows(forms_isa(base), path, err);

    if (!t)
        return NULL;
    int form = csv_table_column(t, "form"), template = csv_table_column(t, "template"),
        extension = csv_table_column(t, "extension");
    struct form_row *rows = mem_try_alloc((t->count + 1) * sizeof *rows);
    struct forms *made = NULL;
    if (!rows)
        err_memory_for(err, "the forms", t->count * sizeof *rows);
    for (size_t i = 0; rows && i < t->count; i++)
        rows[i] = (struct form_row){t->rows[i][form], t->rows[i][template],
                                    extension < 0 ? (char *)"" : t->rows[i][extension],
                                    forms_isa(base), true};
    if (rows)
        made = forms_with(base, rows, t->count, err);
    *added = t->count;
    free(rows);
    csv_table_free(t);
    return made;
}
