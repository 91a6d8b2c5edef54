/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/forms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/csv.h"
#include "isa/assemble.h"
#include "isa/insn.h"

struct forms {
    enum isa isa;
    struct form_row *rows;      /* sorted by form */
    size_t count;
    struct csv_table *table;    /* owns the texts of the rows that it was loaded with */
    VEC(struct form_row) added; /* owns those of the user's rows */
};

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct form_row *)a)->form, ((const struct form_row *)b)->form);
}

static struct forms *load(const char *path, enum isa isa, struct err *err)
{
    struct csv_table *table = csv_table_read(path, err);
    struct forms *f = NULL;

    if (!table)
        return NULL;
    int form = csv_table_column(table, "form"), template = csv_table_column(table, "template"), extension = csv_table_column(table, "extension");
    if (form < 0 || template < 0 || extension < 0) {
        err_set(err, ERR_DATA, "begin with form,template,extension", "the header lacks a column");
        err_at(err, path, 1, 1);
        csv_table_free(table);
        return NULL;
    }
    f = mem_zero(1, sizeof *f);
    f->table = table;
    f->isa = isa;
    f->rows = mem_alloc(table->count * sizeof *f->rows);
    for (size_t i = 0; i < table->count; i++)
        f->rows[f->count++] = (struct form_row){table->rows[i][form], table->rows[i][template], table->rows[i][extension], isa};
    if (f->count)
        qsort(f->rows, f->count, sizeof *f->rows, compare_rows);
    return f;
}

struct forms *forms_load(const char *path, struct err *err)
{
    return path ? load(path, ISA_X86_64, err) : forms_load_isa(ISA_X86_64, err);
}

struct forms *forms_load_isa(enum isa isa, struct err *err)
{
    struct str relative = {0};
    struct forms *f = NULL;
    str_addf(&relative, "isa/%s.csv", isa_name(isa));
    char *path = file_data_path(str_text(&relative));
    if (path)
        f = load(path, isa, err);
    else
        err_set(err, ERR_MISSING, "install the data or set PORTOLAN_DATA", "%s is not there", str_text(&relative));
    free(path);
    str_done(&relative);
    return f;
}

struct forms *forms_copy(const struct forms *f)
{
    struct forms *copy = mem_zero(1, sizeof *copy);

    copy->isa = f->isa;
    copy->rows = mem_alloc((f->count + 1) * sizeof *copy->rows);
    for (size_t i = 0; i < f->count; i++) {
        const struct form_row *row = &f->rows[i];
        vec_push(&copy->added, ((struct form_row){mem_strdup(row->form), mem_strdup(row->template), mem_strdup(row->extension), row->isa}));
        copy->rows[copy->count++] = copy->added.items[i];
    }
    return copy;
}

void forms_free(struct forms *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->added.count; i++) {
        free(f->added.items[i].form);
        free(f->added.items[i].template);
        free(f->added.items[i].extension);
    }
    vec_done(&f->added);
    free(f->rows);
    csv_table_free(f->table);
    free(f);
}

const struct form_row *forms_added(const struct forms *f, size_t *count)
{
    *count = f->added.count;
    return f->added.items;
}

size_t forms_count(const struct forms *f)
{
    return f->count;
}

const struct form_row *forms_at(const struct forms *f, size_t index)
{
    return &f->rows[index];
}

const struct form_row *forms_find(const struct forms *f, const char *form)
{
    struct form_row key = {.form = (char *)form};
    return bsearch(&key, f->rows, f->count, sizeof *f->rows, compare_rows);
}

/* Registers handed out in order per class, so that operands differ. */
struct instance {
    enum isa isa;
    unsigned general, high, vector, mask;
    char first[8];   /* AArch64: the first register handed out */
};

static void add_memory(const char *type, struct str *out)
{
    static const struct { const char *type, *keyword; } sizes[] = {
        {"M8", "byte ptr "}, {"M16", "word ptr "}, {"M32", "dword ptr "}, {"M64", "qword ptr "}, {"M80", "tbyte ptr "},
        {"M128", "xmmword ptr "}, {"M256", "ymmword ptr "}, {"M512", "zmmword ptr "},
    };
    size_t length = strcspn(type, "_");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].type) == length && strncmp(type, sizes[i].type, length) == 0)
            str_add(out, sizes[i].keyword);
    str_add(out, "[rbx]");
    if (type[length])
        str_addf(out, "{%s}", type + length + 1);   /* {1to4} */
}

/* AArch64: numbers in order, so that the registers of a list are consecutive. */
static void add_a64_placeholder(struct instance *in, const char *type, struct str *out)
{
    char text[8];
    if (strcmp(type, "Rel") == 0) {
        str_add(out, ".+8");
        return;
    }
    if (type[0] == '=') {
        str_addf(out, "%c%s", type[1] ? type[1] : in->first[0], in->first + 1);
        return;
    }
    unsigned *next = strchr("XW", type[0]) ? &in->general : type[0] == 'P' ? &in->mask : &in->vector;
    snprintf(text, sizeof text, "%c%u", tolower((unsigned char)type[0]), (*next)++ % 16);
    if (!in->first[0])
        memcpy(in->first, text, sizeof text);
    str_add(out, text);
}

static void add_placeholder(struct instance *in, const char *type, struct str *out)
{
    static const char *const general[4][8] = {
        {"cl", "dl", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b"},
        {"cx", "dx", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w"},
        {"ecx", "edx", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d"},
        {"rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13"},
    };
    static const char *const high[] = {"ch", "dh", "bh", "ah"};
    static const struct { const char *type, *text; } fixed[] = {
        {"I8", "7"}, {"I16", "0x1234"}, {"I32", "0x12345678"}, {"I64", "0x123456789abcdef0"}, {"Rel8", ".+8"}, {"Rel32", ".+4096"},
        {"D8", "8"}, {"D32", "4096"}, {"B", "rbx"}, {"I", "rsi"}, {"SREG", "fs"}, {"CR", "cr0"}, {"DR", "dr0"},
        {"VSIB_XMM", "[rbx+xmm9]"}, {"VSIB_YMM", "[rbx+ymm9]"}, {"VSIB_ZMM", "[rbx+zmm9]"},
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(type, fixed[i].type) == 0) {
            str_add(out, fixed[i].text);
            return;
        }
    if (strcmp(type, "R8h") == 0)
        str_add(out, high[in->high++ % 4]);
    else if (type[0] == 'R' && isdigit((unsigned char)type[1]))
        str_add(out, general[type[1] == '8' ? 0 : type[1] == '1' ? 1 : type[1] == '3' ? 2 : 3][in->general++ % 8]);
    else if (type[0] == 'M' && type[1] != 'M')
        add_memory(type, out);
    else if (strcmp(type, "K") == 0)
        str_addf(out, "k%u", 1 + in->mask++ % 7);
    else if (strcmp(type, "MM") == 0)
        str_addf(out, "mm%u", in->vector++ % 8);
    else if (strcmp(type, "ST") == 0)
        str_addf(out, "st(%u)", 1 + in->vector++ % 7);
    else
        str_addf(out, "%cmm%u", tolower((unsigned char)type[0]), 1 + in->vector++ % 7);
}

void form_instance(const struct form_row *row, struct str *out)
{
    struct instance in = {.isa = row->isa};

    for (const char *at = row->template; *at;) {
        if (at[0] == '{' && at[1] == '{') {
            str_add_char(out, '{');
            at += 2;
        } else if (at[0] == '}' && at[1] == '}') {
            str_add_char(out, '}');
            at += 2;
        } else if (*at == '{') {
            char type[32];
            size_t length = strcspn(at, "}");
            const char *colon = memchr(at, ':', length), *start = colon ? colon + 1 : at + 1;
            size_t size = (size_t)(at + length - start);
            size = size < sizeof type - 1 ? size : sizeof type - 1;
            memcpy(type, start, size);
            type[size] = '\0';
            (in.isa == ISA_AARCH64 ? add_a64_placeholder : add_placeholder)(&in, type, out);
            at += length + (at[length] == '}');
        } else {
            str_add_char(out, *at++);
        }
    }
}

__attribute__((format(printf, 5, 6)))
static bool row_fault(struct err *err, const char *path, size_t line, const char *todo, const char *format, ...)
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

/* One line of assembler per row; what could be more than an instruction is refused before the assembler sees it. */
static bool instances(enum isa isa, const struct csv_table *t, int form, int template, const char *path, struct str *text, struct err *err)
{
    for (size_t i = 0; i < t->count; i++) {
        struct form_row row = {t->rows[i][form], t->rows[i][template], NULL, isa};
        if (!*row.form || strlen(row.form) >= FORM_MAX)
            return row_fault(err, path, t->lines[i], "name it as in ADD (R64, R64)", "the form is empty or too long");
        bool plain = isalpha((unsigned char)row.template[0]) || row.template[0] == '{';
        for (const char *p = row.template; *p; p++)
            plain &= (unsigned char)*p >= 32 && !strchr(";#\"\\", *p);
        if (!plain)
            return row_fault(err, path, t->lines[i], "write it as add {RW:R64}, {R:M64}", "\"%.100s\" is no template", row.template);
        form_instance(&row, text);
        str_add_char(text, '\n');
    }
    return true;
}

/* Each line must have become one instruction of its row's form. */
static bool check_code(const struct csv_table *t, int form, const char *path, const struct assembled *a, struct err *err)
{
    size_t at = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct insn insn = {0};
        while (at < a->line_count && a->lines[at].line < i + 1)
            at++;
        if (at == a->line_count || a->lines[at].line != i + 1)
            return row_fault(err, path, t->lines[i], "write one instruction", "the template of %.100s makes no instruction", t->rows[i][form]);
        uint64_t start = a->lines[at].offset, end = at + 1 < a->line_count ? a->lines[at + 1].offset : a->length;
        if (!insn_decode_isa(a->isa, a->code + start, a->length - start, 0, false, &insn, err))
            return err_at(err, path, t->lines[i], 0);
        bool same = strcmp(insn.form, t->rows[i][form]) == 0, alone = insn.length == end - start;
        if (!same)
            row_fault(err, path, t->lines[i], "name it so, or change the template", "the template assembles to %.150s", insn.form);
        else if (!alone)
            row_fault(err, path, t->lines[i], "write one instruction", "the template of %.100s makes more than one instruction", t->rows[i][form]);
        insn_done(&insn);
        if (!same || !alone)
            return false;
    }
    return true;
}

static void take_row(struct forms *f, const char *form, const char *template, const char *extension)
{
    struct form_row fresh = {mem_strdup(form), mem_strdup(template), mem_strdup(extension), f->isa};
    struct form_row *old = (struct form_row *)forms_find(f, form);

    vec_push(&f->added, fresh);
    if (old) {
        *old = fresh;
        return;
    }
    f->rows = mem_resize(f->rows, (f->count + 1) * sizeof *f->rows);
    size_t at = f->count++;
    for (; at > 0 && strcmp(f->rows[at - 1].form, form) > 0; at--)
        f->rows[at] = f->rows[at - 1];
    f->rows[at] = fresh;
}

bool forms_add(struct forms *f, const char *path, size_t *added, struct err *err)
{
    struct csv_table *t = csv_table_read(path, err);
    struct assembled a = {0};
    struct str text = {0};
    bool ok = false;

    if (!t)
        return false;
    int form = csv_table_column(t, "form"), template = csv_table_column(t, "template"), extension = csv_table_column(t, "extension");
    if (form < 0 || template < 0) {
        row_fault(err, path, 1, "begin with form,template,extension", "the header lacks a column");
        goto out;
    }
    if (!instances(f->isa, t, form, template, path, &text, err))
        goto out;
    if (t->count && !assemble_isa(f->isa, path, str_text(&text), text.length, SYNTAX_INTEL, false, &a, err)) {
        /* The assembler counts the lines of what it was given, one per row. */
        if (a.refused_count && a.refused[0].line - 1 < t->count)
            row_fault(err, path, t->lines[a.refused[0].line - 1], "correct the template", "the assembler refuses it: %.200s", a.refused[0].reason);
        goto out;
    }
    if (!check_code(t, form, path, &a, err))
        goto out;
    for (size_t i = 0; i < t->count; i++)
        take_row(f, t->rows[i][form], t->rows[i][template], extension < 0 ? "" : t->rows[i][extension]);
    *added = t->count;
    ok = true;
out:
    assembled_done(&a);
    str_done(&text);
    csv_table_free(t);
    return ok;
}
