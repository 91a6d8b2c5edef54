/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of OSACA machine files. Expects an error, or a machine that reads back
 * after printing. */
#include <stdint.h>
#include <stdlib.h>

#include "common.h"
#include "io/export_mapping.h"
#include "io/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Forms with each kind of operand. All 15,000 forms would dominate the time. */
static struct forms *few_forms(void)
{
    static const char rows[] =
        "form,template,extension\n"
        "\"ADD (R64, R64)\",\"add {RW:R64}, {R:R64}\",\n\"ADD (M64, R64)\",\"add {RW:M64}, "
        "{R:R64}\",\n"
        "\"ADD (R64, I8)\",\"add {RW:R64}, {I8}\",\nLEA_B_IS_D8 (R64),\"lea {W:R64}, "
        "[{B}+{I}*2+{D8}]\",\n"
        "\"VADDPD (XMM, K, XMM, XMM)\",\"vaddpd {W:XMM}{{{K}}}, {R:XMM}, {R:XMM}\",\nJNZ "
        "(Rel8),jnz {Rel8},\n"
        "\"VADDPD (XMM, XMM, M128)\",\"vaddpd {W:XMM}, {R:XMM}, {R:M128}\",\nNOP (),nop,\n";
    return forms_of(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct forms *forms;
    struct err err = {0};

    if (!forms)
        forms = few_forms();
    struct machine *m = import_osaca_parse(
        "fuzz", "fuzz", (const char *)data, size,
        (const struct forms *const[ISA_COUNT]){[ISA_X86_64] = forms}, NULL, &err);
    if (!m && err.code == ERR_NONE)
        abort();
    if (m) {
        struct str text = {0};
        if (export_osaca(m, &text, &err)) {
            struct machine *again = import_osaca_parse(
                "fuzz", "again", text.data, text.length,
                (const struct forms *const[ISA_COUNT]){[ISA_X86_64] = forms}, NULL, &err);
            if (!again || !mapping_equal(m->mapping, again->mapping))
                abort();
            machine_free(again);
        }
        str_done(&text);
    }
    machine_free(m);
    return 0;
}
