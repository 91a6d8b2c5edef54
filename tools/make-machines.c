/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data/machines/<id>/{machine,mapping}.csv from the installed LLVM 22. Usage: make-machines DIRECTORY [ID...] */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/import_llvm.h"
#include "io/machine_file.h"

static const struct { const char *id, *title; } shipped[] = {
    {"skylake", "Intel Skylake (client)"},
    {"skylake-avx512", "Intel Skylake-X (server, AVX-512)"},
    {"icelake-server", "Intel Ice Lake (server)"},
    {"alderlake-p", "Intel Alder Lake P (Golden Cove)"},
    {"sapphirerapids", "Intel Sapphire Rapids (Golden Cove)"},
    {"znver1", "AMD Zen"},
    {"znver2", "AMD Zen 2"},
    {"znver3", "AMD Zen 3"},
    {"znver4", "AMD Zen 4"},
};

static bool make(const char *directory, size_t i, const struct forms *forms, struct err *err)
{
    /* LLVM calls the P core of Alder Lake by the chip's name. */
    const char *cpu = strcmp(shipped[i].id, "alderlake-p") == 0 ? "alderlake" : shipped[i].id;
    struct str path = {0};
    struct machine *m = import_llvm(cpu, forms, err);

    if (!m)
        return false;
    machine_set_fact(m, "title", shipped[i].title, "", "");
    machine_set_fact(m, "isa", "x86-64", "", "");
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
    struct forms *forms = forms_load(NULL, &err);
    bool ok = argc > 1 && forms;

    if (argc < 2) {
        fputs("usage: make-machines DIRECTORY [ID...]\n", stderr);
        return 2;
    }
    for (size_t i = 0; ok && i < sizeof shipped / sizeof *shipped; i++) {
        bool chosen = argc == 2;
        for (int k = 2; k < argc; k++)
            chosen |= strcmp(argv[k], shipped[i].id) == 0;
        if (chosen)
            ok = make(argv[1], i, forms, &err);
    }
    forms_free(forms);
    if (!ok)
        fprintf(stderr, "make-machines: %s\n", err_text(&err, text, sizeof text));
    return !ok;
}
