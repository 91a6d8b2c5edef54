/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes as portolan-cc's section of an executable. Expects a consistent program, or none. */
#include <stdint.h>
#include <stdlib.h>

#include "program/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {0};
    struct err err = {0};

    str_add_bytes(&bytes, data, size);
    struct program *p = program_read("program", &bytes, &err);
    if (!p && !err.what[0])
        abort();
    for (size_t i = 0; p && i < p->block_count; i++) {
        const struct program_block *b = &p->blocks[i];
        if (b->unit >= p->unit_count || b->function >= p->function_count)
            abort();
        for (size_t k = 0; k < b->next_count; k++)
            if (b->next[k] >= p->block_count)
                abort();
        for (size_t k = 0; k < b->op_count; k++)
            for (unsigned r = 0; r < b->ops[k].read_count; r++)
                if (b->ops[k].reads[r] >= k)
                    abort();
    }
    for (size_t i = 0; p && i < p->reference_count; i++)
        if (p->references[i].block >= p->block_count)
            abort();
    program_free(p);
    str_done(&bytes);
    return 0;
}
