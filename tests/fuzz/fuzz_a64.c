/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to AArch64 decoding as instruction words, and as text to the operand parser and the
 * cleaning of listings. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/a64/decode.h"
#include "common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void words(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 4 <= size; at += 4) {
        struct insn insn;
        char form[FORM_MAX];
        uint32_t traits;
        if (!a64_decode(data + at, size - at, at, true, &insn, NULL) || insn.length != 4 ||
            insn.operand_count > INSN_OPERANDS)
            abort();
        if (a64_form(data + at, size - at, form, &traits) != 4 || strcmp(form, insn.form) != 0 ||
            traits != insn.traits)
            abort();
        insn_done(&insn);
    }
}

static void operands(const char *text)
{
    struct a64_text parsed;
    struct a64_access access;
    struct str template = {0};
    char form[FORM_MAX];
    static const char *const mnemonics[] = {"add", "ldr", "st1", "b.ne", "ldadd", "mov", "fmla"};
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
        if (!a64_text_parse(mnemonics[i], text, &parsed))
            continue;
        a64_access_of(&parsed, &access);
        a64_text_form(&parsed, form);
        a64_text_template(&parsed, access.operands, &template);
        if (!memchr(form, 0, FORM_MAX))
            abort();
        str_clear(&template);
    }
    str_done(&template);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);

    words(data, size);
    operands(text);
    clean_listing(ISA_AARCH64, text, strlen(text));
    free(text);
    return 0;
}
