/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "isa/a64/body.h"
#include "isa/body.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* AArch64: each request to the assembler must be one line. */
static void try_a64(struct form_row row)
{
    struct a64_code draft;
    struct str text = {0};
    char reason[200];
    size_t asked = 0, lines = 0;

    row.isa = ISA_AARCH64;
    a64_unfit(&row);
    if (a64_code_draft(&row, &draft, reason, sizeof reason)) {
        a64_code_ask(&row, &draft, &text, &asked);
        for (size_t i = 0; i < text.length; i++)
            lines += text.data[i] == '\n';
        if (lines != asked)
            abort();
    }
    str_done(&text);
}

/* Feeds text as a template, which must be rejected or have code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char form[] = "ADD (R64, R64)", extension[] = "BASE",
         *template = mem_strndup((const char *)data, size);
    struct form_row row = {.form = form, .template = template, .extension = extension};
    struct err err = {0};
    struct form_code *code = form_code_new(&row, &err);
    static struct body body;
    uint32_t one = 1;

    if (code &&
        !body_make(&code, &one, 1, &(struct body_shape){.instructions = 20, .load_window = 64},
                   &body, &err))
        abort();
    form_code_free(code);
    try_a64(row);
    free(template);
    return 0;
}
