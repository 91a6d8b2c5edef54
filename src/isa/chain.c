/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/chain.h"

size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX])
{
    return isa_ops(code->row->isa)->chain_list(code->own, out);
}

bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links, struct body *out, struct err *err)
{
    return isa_ops(code->row->isa)->chain_make(code->own, chain, links, out) || err_set(err, ERR_DATA, NULL, "cannot encode the chain of %s", code->row->form);
}
