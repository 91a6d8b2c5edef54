/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data/machines/<id>/{machine,mapping}.csv from the installed LLVM 22.
 *
 *     make-machines DIRECTORY [ID...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/import.h"
#include "io/machine_save.h"

/* Instruction sets by generation: the extensions in data/isa/x86-64.csv that a CPU has. */
#define SANDY                                                                                      \
    "BASE LONGMODE X87 MMX SSE SSE2 SSE3 SSSE3 SSE4 AES PCLMULQDQ AVX AVXAES CLFSH MONITOR PAUSE " \
    "RDTSCP XSAVE XSAVEOPT VMFUNC AMD3DNOW_PREFETCH"
#define IVY SANDY " F16C RDRAND RDWRFSGS"
#define HASWELL IVY " AVX2 AVX2GATHER FMA BMI1 BMI2 LZCNT MOVBE INVPCID RTM"
#define BROADWELL HASWELL " ADOX_ADCX RDSEED SMAP"
#define SKYLAKE BROADWELL " CLFLUSHOPT XSAVEC XSAVES SGX"
#define SKYLAKE_SERVER                                                                             \
    BROADWELL " CLFLUSHOPT XSAVEC XSAVES CLWB PKU AVX512F AVX512BW AVX512CD AVX512DQ"
#define ICELAKE_SERVER                                                                             \
    SKYLAKE_SERVER                                                                                 \
        " SGX SGX_ENCLV PCONFIG RDPID SHA GFNI VAES VPCLMULQDQ AVX512_VBMI AVX512_VBMI2 "          \
        "AVX512_VNNI"                                                                              \
        " AVX512_BITALG AVX512_IFMA AVX512_VPOPCNTDQ AVX512_GFNI AVX512_VAES AVX512_VPCLMULQDQ"
#define ALDER                                                                                      \
    BROADWELL " AVX_VNNI CLFLUSHOPT XSAVEC XSAVES CLWB PKU RDPID SHA GFNI VAES VPCLMULQDQ CET "    \
              "WAITPKG MOVDIR SERIALIZE PT PCONFIG KEYLOCKER KEYLOCKER_WIDE"
/* Lunar Lake has no restricted transactional memory. */
#define LUNAR                                                                                      \
    IVY " AVX2 AVX2GATHER FMA BMI1 BMI2 LZCNT MOVBE INVPCID ADOX_ADCX RDSEED SMAP CLFLUSHOPT "     \
        "XSAVEC XSAVES CLWB PKU RDPID SHA GFNI VAES VPCLMULQDQ"                                    \
        " CET WAITPKG MOVDIR SERIALIZE PT PCONFIG KEYLOCKER KEYLOCKER_WIDE UINTR AVX_VNNI "        \
        "AVX_IFMA AVX_VNNI_INT8 AVX_VNNI_INT16 AVX_NE_CONVERT CMPCCXADD SHA512 SM3 SM4"
#define SAPPHIRE                                                                                   \
    ICELAKE_SERVER " AVX_VNNI CET WAITPKG MOVDIR SERIALIZE PT CLDEMOTE UINTR TSX_LDTRK TDX "       \
                   "AMX_TILE AMX_INT8 AMX_BF16 AVX512_BF16 AVX512_FP16"
#define ZEN                                                                                        \
    "BASE LONGMODE X87 MMX SSE SSE2 SSE3 SSSE3 SSE4 SSE4A AES PCLMULQDQ AVX AVXAES AVX2 "          \
    "AVX2GATHER FMA F16C BMI1 BMI2 LZCNT MOVBE ADOX_ADCX"                                          \
    " RDRAND RDSEED RDWRFSGS RDTSCP SMAP SHA CLFSH CLFLUSHOPT CLZERO MONITOR MONITORX PAUSE "      \
    "XSAVE XSAVEOPT XSAVEC XSAVES AMD3DNOW_PREFETCH"
#define ZEN2 ZEN " CLWB RDPID RDPRU MCOMMIT"
#define ZEN3 ZEN2 " VAES VPCLMULQDQ INVPCID PKU CET SNP AMD_INVLPGB"
#define ZEN4                                                                                       \
    ZEN3 " GFNI AVX512F AVX512BW AVX512CD AVX512DQ AVX512_VBMI AVX512_VBMI2 AVX512_VNNI "          \
         "AVX512_BITALG AVX512_IFMA AVX512_VPOPCNTDQ"                                              \
         " AVX512_GFNI AVX512_VAES AVX512_VPCLMULQDQ AVX512_BF16"

/* An option of Arm's cores that LLVM disables for newer cores. Servers with these cores have it. */
#define CRYPTOGRAPHY "+aes+sha2+sha3+sm4+sve2-aes+sve2-sha3+sve2-sm4"

/* @cpu is LLVM's name of the model: Alder Lake's P core has the chip's name, and Ivy Bridge has no
 * separate model. */
static const struct shipped {
    /* @extensions is NULL if LLVM's feature list of the CPU decides (AArch64) */
    const char *id, *cpu, *title, *extensions;
    enum isa isa;
    bool held;   /* LLVM's model occupies pipelined units for their whole latency */
    bool atomics;   /* the CPU has the atomic accesses of ARMv8.1, but LLVM's model does not */
} shipped[] = {
    {"sandybridge", "sandybridge", "Intel Sandy Bridge", SANDY, ISA_X86_64, false, false},
    {"ivybridge", "ivybridge", "Intel Ivy Bridge (LLVM's Sandy Bridge model, corrected)", IVY,
     ISA_X86_64, false, false},
    {"haswell", "haswell", "Intel Haswell", HASWELL, ISA_X86_64, false, false},
    {"broadwell", "broadwell", "Intel Broadwell", BROADWELL, ISA_X86_64, false, false},
    {"skylake", "skylake", "Intel Skylake (client)", SKYLAKE, ISA_X86_64, false, false},
    {"skylake-avx512", "skylake-avx512", "Intel Skylake-X (server, AVX-512)", SKYLAKE_SERVER,
     ISA_X86_64, false, false},
    {"icelake-server", "icelake-server", "Intel Ice Lake (server)", ICELAKE_SERVER, ISA_X86_64,
     false, false},
    {"alderlake-p", "alderlake", "Intel Alder Lake P (Golden Cove)", ALDER, ISA_X86_64, false,
     false},
    {"sapphirerapids", "sapphirerapids", "Intel Sapphire Rapids (Golden Cove)", SAPPHIRE,
     ISA_X86_64, false, false},
    {"lunarlake-p", "lunarlake", "Intel Lunar Lake P (Lion Cove)", LUNAR, ISA_X86_64, true, false},
    {"znver1", "znver1", "AMD Zen", ZEN, ISA_X86_64, false, false},
    {"znver2", "znver2", "AMD Zen 2", ZEN2, ISA_X86_64, false, false},
    {"znver3", "znver3", "AMD Zen 3", ZEN3, ISA_X86_64, false, false},
    {"znver4", "znver4", "AMD Zen 4", ZEN4, ISA_X86_64, false, false},
    {"cortex-a72", "cortex-a72", "Arm Cortex-A72 (LLVM's Cortex-A57 model, corrected)", NULL,
     ISA_AARCH64, false, false},
    {"neoverse-n1", "neoverse-n1", "Arm Neoverse N1", NULL, ISA_AARCH64, false, true},
    {"neoverse-n2", "neoverse-n2" CRYPTOGRAPHY, "Arm Neoverse N2", NULL, ISA_AARCH64, false, true},
    {"neoverse-v1", "neoverse-v1", "Arm Neoverse V1", NULL, ISA_AARCH64, false, true},
    {"neoverse-v2", "neoverse-v2" CRYPTOGRAPHY, "Arm Neoverse V2", NULL, ISA_AARCH64, false, true},
    {"neoverse-v3", "neoverse-v3" CRYPTOGRAPHY, "Arm Neoverse V3", NULL, ISA_AARCH64, false, true},
    {"a64fx", "a64fx", "Fujitsu A64FX", NULL, ISA_AARCH64, false, false},
    {"ampere1", "ampere1", "Ampere-1 (AmpereOne)", NULL, ISA_AARCH64, false, true},
};

/* Returns whether the form is a hint, which CPUs without its extension execute as a NOP. */
static bool is_hint(const char *form)
{
    return str_has_prefix(form, "ENDBR");
}

/* Removes the forms of @m whose extension the CPU lacks, except hints. */
static void drop_absent(struct machine *m, const struct forms *forms)
{
    struct mapping *present = mapping_new(mapping_ports(m->mapping));

    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        const struct mapping_entry *entry = mapping_find(m->mapping, row->form);
        if (is_hint(row->form))
            mapping_set(present,
                        &(struct mapping_entry){
                            row->form,
                            {0},
                            0,
                            1,
                            "Intel 64 and IA-32 Architectures Manual: a hint, a NOP elsewhere"});
        else if (entry && machine_has(m, "extensions", row->extension))
            mapping_set(present, entry);
    }
    mapping_free(m->mapping);
    m->mapping = present;
}

/* Sets each use of a unit to one cycle for operations that have at least one µop per unit. The
 * longest use of a division belongs to the divider and remains. */
static void release_pipelined(struct machine *m)
{
    struct mapping *released = mapping_new(mapping_ports(m->mapping));

    for (size_t i = 0; i < mapping_count(m->mapping); i++) {
        struct mapping_entry entry = *mapping_at(m->mapping, i);
        const struct usage *held = &entry.usage;
        struct usage usage = {0};
        bool divides = strstr(entry.form, "DIV") ||
                       (strstr(entry.form, "SQRT") && !strstr(entry.form, "RSQRT"));
        uint32_t longest = 0;
        for (unsigned k = 0; divides && k < held->count; k++)
            longest = held->uops[k].count > longest ? held->uops[k].count : longest;
        for (unsigned k = 0; k < held->count; k++) {
            bool release =
                entry.micro_ops && entry.micro_ops <= held->count && held->uops[k].count != longest;
            usage_add(&usage, held->uops[k].ports, release ? 1 : held->uops[k].count);
        }
        entry.usage = usage;
        mapping_set(released, &entry);
        usage_done(&usage);
    }
    mapping_free(m->mapping);
    m->mapping = released;
}

static void add_usage(const struct machine *m, const char *form, struct mapping_entry *sum)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, form);

    for (unsigned k = 0; entry && k < entry->usage.count; k++)
        usage_add(&sum->usage, entry->usage.uops[k].ports, entry->usage.uops[k].count);
    sum->micro_ops += entry ? entry->micro_ops : 0;
    sum->latency += entry ? entry->latency : 0;
}

/* Adds forms that llvm-mca cannot analyse, or that the model lacks: movprfx, which must precede an
 * instruction that overwrites the same register, and atomic accesses. */
static void add_lacking(struct machine *m, const struct forms *forms, bool atomics)
{
    static const char *const access[] = {"LDR (X, [X, I])", "ADD (X, X, X)", "STR (X, [X, I])"};

    for (size_t i = 0; i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        struct mapping_entry sum = {.form = row->form};
        if (mapping_find(m->mapping, row->form))
            continue;
        if (str_has_prefix(row->form, "MOVPRFX ")) {
            add_usage(m, "ORR (Z.D, Z.D, Z.D)", &sum);
            sum.source = "as a move of a vector, which it is";
        } else if (atomics && strcmp(row->extension, "lse") == 0) {
            for (size_t k = 0; k < sizeof access / sizeof *access; k++)
                add_usage(m, access[k], &sum);
            sum.source = "estimate: a load, an operation and a store; LLVM 22's model has no "
                         "atomic accesses";
        }
        if (sum.usage.count)
            mapping_set(m->mapping, &sum);
        usage_done(&sum.usage);
    }
    /* There is no template for casp's pairs of registers. */
    static const char *const pairs[] = {"CASP (W, W, W, W, [X])",   "CASP (X, X, X, X, [X])",
                                        "CASPA (W, W, W, W, [X])",  "CASPA (X, X, X, X, [X])",
                                        "CASPL (W, W, W, W, [X])",  "CASPL (X, X, X, X, [X])",
                                        "CASPAL (W, W, W, W, [X])", "CASPAL (X, X, X, X, [X])"};
    const struct mapping_entry *single = mapping_find(m->mapping, "CAS (X, X, [X])");
    for (size_t i = 0; single && i < sizeof pairs / sizeof *pairs; i++) {
        struct mapping_entry sum = {.form = (char *)pairs[i],
                                    .source = "estimate: as CAS, and a load and a store more"};
        add_usage(m, single->form, &sum);
        double latency = sum.latency;
        add_usage(m, access[0], &sum);
        add_usage(m, access[2], &sum);
        sum.latency = latency;
        mapping_set(m->mapping, &sum);
        usage_done(&sum.usage);
    }
}

static bool make(const char *directory, const struct shipped *which, const struct forms *forms,
                 struct err *err)
{
    struct str path = {0};
    struct machine *m = import_llvm(which->cpu, forms, err);

    if (!m)
        return false;
    free(m->title);
    m->title = mem_strdup(which->title);
    machine_set_fact(m, "title", which->title, "", "");
    machine_set_fact(m, "isa", isa_name(which->isa), "", "");
    machine_set_fact(m, "source",
                     "LLVM 22 scheduling model, llvm-mca -instruction-tables=full; Apache-2.0 WITH "
                     "LLVM-exception",
                     "", "");
    if (which->extensions) {
        machine_set_fact(m, "extensions", which->extensions, "",
                         "Intel and AMD manuals: CPUID of the family");
        drop_absent(m, forms);
    }
    if (which->held)
        release_pipelined(m);
    if (which->isa == ISA_AARCH64)
        add_lacking(m, forms, which->atomics);
    str_addf(&path, "%s/%s", directory, which->id);
    bool ok = machine_save_generated(m, str_text(&path), err);
    printf("%s: %zu forms, %u ports, %zu distinct µops\n", which->id, mapping_count(m->mapping),
           mapping_ports(m->mapping)->count, mapping_distinct_uops(m->mapping));
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
            forms[isa] = forms_load(isa, NULL, &err);
        if (chosen)
            ok = forms[isa] && make(argv[1], &shipped[i], forms[isa], &err);
    }
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(forms[isa]);
    if (!ok)
        fprintf(stderr, "make-machines: %s\n", err_text(&err, text, sizeof text));
    return !ok;
}
