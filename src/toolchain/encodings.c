/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "toolchain/encodings.h"

#include "toolchain/assemble.h"

bool encodings_learn(const struct form_row *const *rows, size_t count, struct err *err)
{
    const struct isa_ops *host = isa_ops(isa_host());
    return !host->codes_learn || host->codes_learn(rows, count, &toolchain_assembler, err);
}

struct form_code *encodings_code(const struct form_row *row, struct err *err)
{
    return encodings_learn(&row, 1, err) ? form_code_new(row, err) : NULL;
}
