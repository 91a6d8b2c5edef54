/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data/isa/x86-64.csv. Tries encodings systematically and determines the form of each.
 * Stores one row for each form whose instance the assembler accepts and that decodes back to the
 * same form.
 *
 *     make-forms > data/isa/x86-64.csv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "base/csv.h"
#include "isa/x86/form.h"
#include "isa/x86/learn.h"
#include "isa/forms.h"

struct row {
    char *form, *template, *extension;
    bool dropped;
};

static VEC(struct row) rows;
static ZydisDecoder decoder;

static bool is_covered(const ZydisDecodedInstruction *in)
{
    static const char *const left_out[] = {
        "3DNOW",       "XOP",         "TBM", "FMA4", "MPX", "PADLOCK_ACE", "PADLOCK_PHE",
        "PADLOCK_RNG", "PADLOCK_PMM", "SMX", "VTX",  "SVM", "INVALID"};
    const char *extension = ZydisISAExtGetString(in->meta.isa_ext);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(extension, left_out[i]) == 0)
            return false;
    return !str_has_prefix(extension, "KNC") && in->encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX &&
           in->address_width == 64;
}

/* Returns the instruction-set extension. For AVX-512, whose parts exist on different CPUs, it is
 * the part (AVX512BW, AVX512_VBMI2) without the width. */
static char *extension_of(const ZydisDecodedInstruction *in)
{
    static const char *const widths[] = {"_128", "_128N", "_256", "_512", "_SCALAR", "_KOP"};
    const char *extension = ZydisISAExtGetString(in->meta.isa_ext),
               *set = ZydisISASetGetString(in->meta.isa_set);

    if (!str_has_prefix(extension, "AVX512"))
        return mem_strdup(extension);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        size_t length = strlen(set), width = strlen(widths[i]);
        if (length > width && strcmp(set + length - width, widths[i]) == 0)
            return mem_strndup(set, length - width);
    }
    return mem_strdup(set);
}

static struct row *find(const char *form)
{
    for (size_t i = 0; i < rows.count; i++)
        if (strcmp(rows.items[i].form, form) == 0)
            return &rows.items[i];
    return NULL;
}

static void try(const uint8_t *code, size_t length)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    static char last[FORM_MAX];
    char form[FORM_MAX];
    struct str template = {0};

    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, length, &in, ops)) || !is_covered(&in))
        return;
    form_name(&in, ops, form);
    if (strcmp(form, last) == 0 || find(form))
        return;
    memcpy(last, form, sizeof last);
    if (form_template(&in, ops, &template))
        vec_push(&rows, ((struct row){mem_strdup(form), mem_strdup(str_text(&template)),
                                      extension_of(&in), false}));
    str_done(&template);
}

/* Tries operand bytes after the opcode: register and memory forms of every member of an opcode
 * group. */
static void try_operands(uint8_t *code, size_t at, bool all_registers)
{
    static const uint8_t addresses[][7] = {
        {3},
        {0x43, 8},
        {0x83, 0, 16},
        {4, 0x33},
        {4, 0xb3},
        {0x44, 0x33, 8},
        {0x44, 0xb3, 8},
        {0x84, 0x33, 0, 16},
        {0x84, 0xb3, 0, 16},
        {4, 0x25, 0, 16},
        {4, 0x35, 0, 16},
        {4, 0xb5, 0, 16},
        {5, 0, 16},
    };
    for (unsigned reg = 0; reg < 8; reg++) {
        for (unsigned rm = 0; rm < 8; rm++) {
            if (!all_registers && rm != 2)
                continue;
            memset(code + at, 0, 16);
            code[at] = (uint8_t)(0xc0 | reg << 3 | rm);
            memset(code + at + 1, 0x10, 8);
            try(code, at + 9);
        }
        for (size_t k = 0; k < sizeof addresses / sizeof *addresses; k++) {
            memset(code + at, 0x10, 16);
            memcpy(code + at, addresses[k], k >= 7 ? 6 : 3);
            if (k < 7 && k != 2)
                memcpy(code + at, addresses[k], k < 1 ? 1 : k < 5 && k != 1 ? 2 : k == 1 ? 2 : 3);
            code[at] = (uint8_t)(code[at] | reg << 3);
            try(code, at + 12);
        }
    }
}

static void try_legacy(void)
{
    static const uint8_t maps[][2] = {{0}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};
    static const uint8_t prefixes[][2] = {{0},          {0x66},       {0xf2}, {0xf3},
                                          {0x66, 0xf2}, {0x66, 0xf3}, {0xf0}, {0x66, 0xf0}};
    for (size_t p = 0; p < 8; p++)
        for (unsigned rex = 0; rex < 3; rex++)
            for (size_t m = 0; m < 4; m++)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    uint8_t code[48] = {0};
                    size_t at = strlen((const char *)prefixes[p]) > 2
                                    ? 2
                                    : (prefixes[p][0] != 0) + (prefixes[p][1] != 0);
                    memcpy(code, prefixes[p], at);
                    if (rex)
                        code[at++] = rex == 1 ? 0x48 : 0x40;
                    if (m)
                        code[at++] = 0x0f;
                    if (m > 1)
                        code[at++] = maps[m][1];
                    code[at++] = (uint8_t)opcode;
                    try_operands(code, at, m < 2 && !rex);
                }
}

static void try_vex(void)
{
    for (unsigned map = 1; map <= 3; map++)
        for (unsigned last = 0; last < 16; last++)
            for (unsigned vvvv = 0; vvvv < 2; vvvv++)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    uint8_t code[48] = {
                        0xc4, (uint8_t)(0xe0 | map),
                        (uint8_t)((last & 8) << 4 | (vvvv ? 0x50 : 0x78) | (last & 7)),
                        (uint8_t)opcode};
                    try_operands(code, 4, false);
                }
}

static void try_evex(void)
{
    static const unsigned maps[] = {1, 2, 3, 5, 6};
    static const uint8_t masks[] = {0x00, 0x01, 0x81};
    for (unsigned m = 0; m < 5; m++)
        for (unsigned low = 0; low < 8; low++)
            for (unsigned vvvv = 0; vvvv < 2; vvvv++)
                for (unsigned length = 0; length < 8; length++)
                    for (unsigned k = 0; k < 3; k++)
                        for (unsigned opcode = 0; opcode < 256; opcode++) {
                            uint8_t code[48] = {
                                0x62, (uint8_t)(0xf0 | maps[m]),
                                (uint8_t)((low & 4) << 5 | (vvvv ? 0x50 : 0x78) | 4 | (low & 3)),
                                (uint8_t)(length << 4 | 8 | masks[k]), (uint8_t)opcode};
                            try_operands(code, 5, false);
                        }
}

/* Returns the extension of an instruction that the decoder lacks, by the prefix of its mnemonic. */
static const char *newer_extension(const char *mnemonic)
{
    static const struct { const char *begins, *extension;
    } families[] = {
        {"vpdpb", "AVX_VNNI_INT8"},
        {"vpdpw", "AVX_VNNI_INT16"},
        {"vpmadd52", "AVX_IFMA"},
        {"vbcstne", "AVX_NE_CONVERT"},
        {"vcvtne", "AVX_NE_CONVERT"},
        {"vsha512", "SHA512"},
        {"vsm3", "SM3"},
        {"vsm4", "SM4"},
        {"aadd", "RAO_INT"},
        {"aand", "RAO_INT"},
        {"aor", "RAO_INT"},
        {"axor", "RAO_INT"},
        {"cmp", "CMPCCXADD"},
        {"tdpfp16ps", "AMX_FP16"},
        {"tcmm", "AMX_COMPLEX"},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_has_prefix(mnemonic, families[i].begins))
            return families[i].extension;
    return NULL;
}

/* Appends the template, from the form's types and the access of its operands. */
static void newer_template(const struct insn *in, struct str *out)
{
    const char *type = strchr(in->form, '(') + 1;

    str_addf(out, "%s%s", strstr(in->form, "_VEX ") ? "{{vex}} " : "", in->mnemonic);
    for (unsigned i = 0; i < in->operand_count; i++) {
        const size_t length = strcspn(type, ",)");
        const bool read = in->operands[i].access & ACCESS_READ,
                   written = in->operands[i].access & ACCESS_WRITE;
        str_add(out, i ? ", " : " ");
        if (in->operands[i].kind == OPERAND_IMMEDIATE)
            str_addf(out, "{%.*s}", (int)length, type);
        else
            str_addf(out, "{%s:%.*s}",
                     read && written ? "RW"
                     : written       ? "W"
                                     : "R",
                     (int)length, type);
        type += length + (type[length] == ',' ? 2 : 0);
    }
}

static void try_newer(const uint8_t *code, size_t length)
{
    ZydisDecodedInstruction decoded;
    struct insn in;
    struct str template = {0};

    if (ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, length, &decoded)) ||
        !insn_decode(ISA_X86_64, code, length, 0, false, &in, NULL))
        return;
    const char *extension = newer_extension(in.mnemonic);
    if (!(in.traits & INSN_FOREIGN) || !extension || find(in.form))
        return;
    newer_template(&in, &template);
    vec_push(&rows, ((struct row){mem_strdup(in.form), mem_strdup(str_text(&template)),
                                  mem_strdup(extension), false}));
    str_done(&template);
}

/* Tries VEX instructions that Zydis lacks and other disassemblers decode, and the opcode of the
 * atomics without result. */
static void try_foreign(void)
{
    VEC(struct x86_window) windows = {0};
    size_t fresh;
    struct err err = {0};

    for (unsigned map = 1; map <= 3; map++)
        for (unsigned last = 0; last < 16; last++)
            for (unsigned vvvv = 0; vvvv < 2; vvvv++)
                for (unsigned opcode = 0; opcode < 256; opcode++)
                    for (unsigned memory = 0; memory < 2; memory++) {
                        struct x86_window w = {
                            {0xc4, (uint8_t)(0xe0 | map),
                             (uint8_t)((last & 8) << 4 | (vvvv ? 0x50 : 0x78) | (last & 7)),
                             (uint8_t)opcode, memory ? 3 : 0xd3, 7},
                            6};
                        vec_push(&windows, w);
                    }
    for (unsigned prefix = 0; prefix < 4; prefix++)
        for (unsigned wide = 0; wide < 2; wide++) {
            static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3};
            struct x86_window w = {.length = 0};
            if (prefix)
                w.bytes[w.length++] = prefixes[prefix - 1];
            w.bytes[w.length++] = wide ? 0x48 : 0x40;
            memcpy(w.bytes + w.length, (const uint8_t[]){0x0f, 0x38, 0xfc, 3}, 4);
            w.length = (uint8_t)(w.length + 4);
            vec_push(&windows, w);
        }
    if (!x86_learn_windows(windows.items, windows.count, &fresh, &err))
        die("%s", err.what);
    for (size_t i = 0; i < windows.count; i++)
        try_newer(windows.items[i].bytes, windows.items[i].length);
    vec_done(&windows);
}

/* Runs the assembler on the file in @directory. Its errors are written to a file in that
 * directory. */
static int assemble_file(const char *directory)
{
    struct str command = {0};
    str_addf(&command,
             "as -msyntax=intel -mnaked-reg -o '%s/f.o' '%s/f.s' 2>'%s/f.err' && objcopy -O binary "
             "-j .text '%s/f.o' '%s/f.bin'",
             directory, directory, directory, directory, directory);
    int status = system(str_text(&command));
    str_done(&command);
    return status;
}

static void instances(struct str *out)
{
    for (size_t i = 0; i < rows.count; i++) {
        struct form_row row = {rows.items[i].form, rows.items[i].template, rows.items[i].extension,
                               ISA_X86_64};
        if (!rows.items[i].dropped)
            form_instance(&row, out);
        str_add_char(out, '\n');
    }
}

/* Drops the rows whose lines the assembler rejects. Returns whether there were any. */
static bool drop_refused(const char *messages)
{
    bool any = false;
    for (const char *at = messages; (at = strstr(at, "f.s:")); at += 4) {
        size_t line = strtoul(at + 4, NULL, 10);
        if (line && line <= rows.count && strstr(at, "Error") && !rows.items[line - 1].dropped) {
            rows.items[line - 1].dropped = any = true;
            fprintf(stderr, "refused by the assembler: %s: %s\n", rows.items[line - 1].form,
                    rows.items[line - 1].template);
        }
    }
    return any;
}

static void verify(void)
{
    char directory[] = "/tmp/make-forms-XXXXXX";
    struct str path = {0}, text = {0};
    struct err err;

    if (!mkdtemp(directory))
        die("cannot make a directory in /tmp");
    for (int round = 0; round < 5; round++) {
        str_clear(&text);
        instances(&text);
        str_clear(&path);
        str_addf(&path, "%s/f.s", directory);
        if (!file_write(str_text(&path), text.data, text.length, &err))
            die("%s", err.what);
        if (assemble_file(directory) == 0)
            break;
        str_clear(&path);
        str_addf(&path, "%s/f.err", directory);
        str_clear(&text);
        if (!file_read(str_text(&path), (size_t)64 << 20, &text, &err) ||
            !drop_refused(str_text(&text)))
            die("the assembler failed: %.400s", str_text(&text));
    }
    str_clear(&path);
    str_addf(&path, "%s/f.bin", directory);
    str_clear(&text);
    if (!file_read(str_text(&path), (size_t)64 << 20, &text, &err))
        die("%s", err.what);
    size_t at = 0;
    insn_learn(ISA_X86_64, (uint8_t *)text.data, text.length, NULL);
    for (size_t i = 0; i < rows.count; i++) {
        char form[FORM_MAX] = "(nothing)";
        uint32_t traits;
        if (rows.items[i].dropped)
            continue;
        size_t length =
            insn_form(ISA_X86_64, (uint8_t *)text.data + at, text.length - at, form, &traits);
        if (!length)
            die("%s assembled to bytes that do not decode", rows.items[i].template);
        at += length;
        if (strcmp(form, rows.items[i].form) != 0) {
            fprintf(stderr, "decodes to another form: %s: %s is %s\n", rows.items[i].form,
                    rows.items[i].template, form);
            rows.items[i].dropped = true;
        }
    }
    str_clear(&path);
    str_addf(&path, "rm -r '%s'", directory);
    if (system(str_text(&path)) != 0)
        fprintf(stderr, "%s is left behind\n", directory);
    str_done(&path);
    str_done(&text);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->form, ((const struct row *)b)->form);
}

int main(void)
{
    struct str out = {0};

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    try_legacy();
    try_vex();
    try_evex();
    try_foreign();
    verify();
    qsort(rows.items, rows.count, sizeof *rows.items, compare);
    str_add(&out, "form,template,extension\n");
    for (size_t i = 0; i < rows.count; i++)
        if (!rows.items[i].dropped) {
            csv_add_field(&out, rows.items[i].form, false);
            csv_add_field(&out, rows.items[i].template, false);
            csv_add_field(&out, rows.items[i].extension, true);
        }
    fwrite(out.data, 1, out.length, stdout);
    str_done(&out);
    return 0;
}
