/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes as machine code to the emission of kernels. Expects a rejection with a reason, or
 * code that decodes to the same instructions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/kernel_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COPIES 3
#define CODE_LIMIT 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str hex = {0};
    size_t count = 0, length = 0, most = 0;

    for (size_t i = 0; i < size && i < 4096; i++)
        str_addf(&hex, "%02x", data[i]);
    struct kernel *k = kernel_from_hex(ISA_X86_64, str_text(&hex), NULL);
    const struct insn *insns = k ? kernel_insns(k, 0, &count) : NULL;
    const char *why = insns ? kernel_refused_anywhere(insns, count, NULL) : "no kernel";
    for (size_t i = 0; i < count; i++)
        most += insns[i].length + 16u;   /* An emitted instruction may be longer. */
    if (!why && COPIES * most <= CODE_LIMIT) {
        uint8_t *code = mem_zero(CODE_LIMIT, 1);
        for (unsigned copy = 0; copy < COPIES; copy++)
            length += kernel_emit(insns, count, (uint32_t)length, code, length);
        if (length > CODE_LIMIT || !kernel_emitted(insns, count, code, length))
            abort();
        free(code);
    } else if (why && !*why) {
        abort();
    }
    kernel_free(k);
    str_done(&hex);
    return 0;
}
