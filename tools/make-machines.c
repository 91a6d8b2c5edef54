/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data/machines/<id>/{machine,mapping}.csv from the installed LLVM 22. Usage: make-machines DIRECTORY [ID...] */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/import_llvm.h"
#include "io/machine_file.h"

/* cpu: what LLVM calls it where that differs. */
static const struct { const char *id, *title; enum isa isa; const char *cpu; } shipped[] = {
    {"skylake", "Intel Skylake (client)", ISA_X86_64, NULL},
    {"skylake-avx512", "Intel Skylake-X (server, AVX-512)", ISA_X86_64, NULL},
    {"icelake-server", "Intel Ice Lake (server)", ISA_X86_64, NULL},
    {"alderlake-p", "Intel Alder Lake P (Golden Cove)", ISA_X86_64, "alderlake"},
    {"sapphirerapids", "Intel Sapphire Rapids (Golden Cove)", ISA_X86_64, NULL},
    {"znver1", "AMD Zen", ISA_X86_64, NULL},
    {"znver2", "AMD Zen 2", ISA_X86_64, NULL},
    {"znver3", "AMD Zen 3", ISA_X86_64, NULL},
    {"znver4", "AMD Zen 4", ISA_X86_64, NULL},
    {"cortex-a72", "Arm Cortex-A72 (LLVM's Cortex-A57 model, corrected)", ISA_AARCH64, NULL},
    {"neoverse-n1", "Arm Neoverse N1", ISA_AARCH64, NULL},
    {"neoverse-v2", "Arm Neoverse V2", ISA_AARCH64, NULL},
    {"a64fx", "Fujitsu A64FX", ISA_AARCH64, NULL},
    {"ampere1", "Ampere-1 (AmpereOne)", ISA_AARCH64, NULL},
};

static bool make(const char *directory, size_t i, const struct forms *forms, struct err *err)
{
    const char *cpu = shipped[i].cpu ? shipped[i].cpu : shipped[i].id;
    struct str path = {0};
    struct machine *m = import_llvm(cpu, forms, err);

    if (!m)
        return false;
    machine_set_fact(m, "title", shipped[i].title, "", "");
    machine_set_fact(m, "isa", isa_name(shipped[i].isa), "", "");
    machine_set_fact(m, "source", "LLVM 22 scheduling model, llvm-mca -instruction-tables=full; Apache-2.0 WITH LLVM-exception", "", "");
    str_addf(&path, "%s/%s", directory, shipped[i].id);
    bool ok = machine_save(m, str_text(&path), err);
    printf("%s: %zu forms, %u ports, %zu distinct µops\n", shipped[i].id, mapping_count(m->mapping), mapping_ports(m->mapping)->count,
           mapping_distinct_uops(m->mapping));
    machine_free(m);
    str_done(&path);
    return ok;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    char text[2048];
    struct forms *forms[ISA_COUNT] = {NULL};
    bool ok = argc > 1;

    if (argc < 2) {
        fputs("usage: make-machines DIRECTORY [ID...]\n", stderr);
        return 2;
    }
    for (size_t i = 0; ok && i < sizeof shipped / sizeof *shipped; i++) {
        bool chosen = argc == 2;
        for (int k = 2; k < argc; k++)
            chosen |= strcmp(argv[k], shipped[i].id) == 0;
        enum isa isa = shipped[i].isa;
        if (chosen && !forms[isa])
            forms[isa] = forms_load_isa(isa, &err);
        if (chosen)
            ok = forms[isa] && make(argv[1], i, forms[isa], &err);
    }
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(forms[isa]);
    if (!ok)
        fprintf(stderr, "make-machines: %s\n", err_text(&err, text, sizeof text));
    return !ok;
}
