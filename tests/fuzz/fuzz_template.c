/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "isa/regalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any text as a template: refused, or code that can be made. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char form[] = "ADD (R64, R64)", extension[] = "BASE", *template = mem_strndup((const char *)data, size);
    struct form_row row = {.form = form, .template = template, .extension = extension};
    struct err err = {0};
    struct form_code *code = form_code_new(&row, &err);
    static struct body body;
    uint32_t one = 1;

    if (code && !body_make(&code, &one, 1, &(struct body_shape){20, 64, BODY_SPREAD}, &body, &err))
        abort();
    form_code_free(code);
    free(template);
    return 0;
}
