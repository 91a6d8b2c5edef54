/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/related.h"

bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX])
{
    return isa_ops(isa)->alike && isa_ops(isa)->alike(form, at, out);
}

bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at, char out[FORM_MAX])
{
    return isa_ops(isa)->with_register && isa_ops(isa)->with_register(form, bits, at, out);
}

bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out)
{
    const struct isa_ops *isa = isa_ops((enum isa)insn->isa);
    return isa->alternative && isa->alternative(insn, at, out);
}
