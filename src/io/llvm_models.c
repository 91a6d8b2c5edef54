/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/llvm_parts.h"

#include <string.h>

#define IN_ORDER                                                                                   \
    "an in-order core, modelled as an out-of-order core: predictions are too low if instructions " \
    "wait"

/* Models of LLVM 14 to 22 by the prefix of their resources. Longer prefixes are first. */
static const struct llvm_model {
    const char *prefix, *core;
    const char *cpus;           /* CPUs with core @core, separated by blanks */
    bool in_order;
} models[] = {
    {"ADLP", "Golden Cove (Alder Lake P)", "alderlake raptorlake", false},
    {"LNLP", "Lion Cove (Lunar Lake P)", "lunarlake arrowlake arrowlake-s", false},
    {"SPR", "Golden Cove (Sapphire Rapids)", "sapphirerapids emeraldrapids", false},
    {"ICX", "Sunny Cove (Ice Lake)", "icelake-client icelake-server", false},
    {"SKX", "Skylake-X", "skylake-avx512 skx cascadelake cooperlake", false},
    {"SKL", "Skylake", "skylake", false},
    {"BW", "Broadwell", "broadwell", false},
    {"HW", "Haswell", "haswell core-avx2", false},
    {"SB", "Sandy Bridge", "sandybridge corei7-avx", false},
    {"SLM", "Silvermont", "silvermont slm", false},
    {"Atom", "Bonnell", "bonnell atom", true},
    {"Zn4", "Zen 4", "znver4", false},
    {"Zn3", "Zen 3", "znver3", false},
    {"Zn2", "Zen 2", "znver2", false},
    {"Zn", "Zen", "znver1", false},
    {"Pd", "Piledriver", "bdver2", false},
    {"JALU", "Jaguar", "btver2", false},
    {"JFPU", "Jaguar", "btver2", false},
    {"CortexA320", "Cortex-A320", "cortex-a320", true},
    {"CortexA510", "Cortex-A510", "cortex-a510", true},
    {"CortexA55", "Cortex-A55", "cortex-a55", true},
    {"A53", "Cortex-A53", "cortex-a53", true},
    {"A57", "Cortex-A57", "cortex-a57", false},
    {"A64FX", "A64FX", "a64fx", false},
    {"THXT8X", "ThunderX T8x", "thunderx thunderxt81 thunderxt83 thunderxt88", true},
    {"THX2T99", "ThunderX2", "thunderx2t99", false},
    {"THX3T110", "ThunderX3", "thunderx3t110", false},
    {"TSV110", "TaiShan v110", "tsv110", false},
    {"Ampere1B", "Ampere1B", "ampere1b", false},
    {"Ampere1", "Ampere1", "ampere1", false},
    {"N1Unit", "Neoverse N1", "neoverse-n1", false},
    {"N2Unit", "Neoverse N2", "neoverse-n2 cobalt-100", false},
    {"N3Unit", "Neoverse N3", "neoverse-n3", false},
    {"V1Unit", "Neoverse V1", "neoverse-v1", false},
    {"V2Unit", "Neoverse V2", "neoverse-v2 grace", false},
    {"V3AEUnit", "Neoverse V3AE", "neoverse-v3ae", false},
    {"V3Unit", "Neoverse V3", "neoverse-v3", false},
    {"CyUnit", "Apple's Cyclone of 2013", "cyclone apple-a7 apple-a8 apple-a9", false},
    {"KryoUnit", "Kryo", "kryo", false},
    {"FalkorUnit", "Falkor", "falkor", false},
    {"ORYON", "Oryon", "oryon-1", false},
    {"Olympus", "Olympus", "olympus", false},
    {"M3", "Exynos M3", "exynos-m3", false},
    {"M4", "Exynos M4", "exynos-m4", false},
    {"M5", "Exynos M5", "exynos-m5", false},
};

/* In-order cores that neither their name nor their model identifies as in-order. Their model
 * belongs to another core. */
static const char in_order[] =
    "cortex-a34 cortex-a35 cortex-a53 cortex-a55 cortex-a320 cortex-a510 cortex-a520 cortex-a520ae "
    "cortex-r82 cortex-r82ae c1-nano bonnell atom lakemont thunderx "
    "thunderxt81 thunderxt83 thunderxt88";

static bool listed(const char *list, const char *word, size_t length)
{
    for (const char *at = list, *end; *at; at = end + (*end != '\0')) {
        end = strchrnul(at, ' ');
        if ((size_t)(end - at) == length && memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

void llvm_model_title(const char *cpu, const char *resource, struct str *out)
{
    const struct llvm_model *model = NULL;
    const size_t length = strcspn(cpu, "+");   /* Compares the name up to the plus sign, after which
                                                * features follow. */

    for (size_t i = 0; resource && i < sizeof models / sizeof *models && !model; i++)
        model = str_has_prefix(resource, models[i].prefix) ? &models[i] : NULL;
    const bool lent = model && !listed(model->cpus, cpu, length),
               serial = (model && !lent && model->in_order) || listed(in_order, cpu, length);
    str_add_bytes(out, cpu, length);
    if (lent)
        str_addf(out, " (LLVM uses the model of %s%s)", model->core,
                 serial ? "; " IN_ORDER : "");
    else if (serial)
        str_add(out, " (" IN_ORDER ")");
}
