/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This file is empty unless the target is AArch64. */
#if defined(__aarch64__)
#include "isa/cpu.h"

#include <stdio.h>
#include <string.h>

#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "base/file.h"

/* Values of the column extension in data/isa/aarch64.csv, with the kernel's flags for them. A group
 * of extensions is considered present if one of them is present. SIGILL then reveals missing
 * extensions. */
static const struct { const char *set; unsigned long first, second;
} features[] = {
    {"crc", HWCAP_CRC32, 0},
    {"crypto", HWCAP_AES | HWCAP_PMULL | HWCAP_SHA1 | HWCAP_SHA2, 0},
    {"lse", HWCAP_ATOMICS, 0},
    {"rdma", HWCAP_ASIMDRDM, 0},
    {"fp16", HWCAP_ASIMDHP, 0},
    {"dotprod", HWCAP_ASIMDDP, 0},
    {"fp16fml", HWCAP_ASIMDFHM, 0},
    {"sha3", HWCAP_SHA3, 0},
    {"sm4", HWCAP_SM3 | HWCAP_SM4, 0},
    {"v8.1", HWCAP_ATOMICS | HWCAP_ASIMDRDM, 0},
    {"v8.2", HWCAP_DCPOP | HWCAP_ASIMDHP, 0},
    {"v8.3", HWCAP_JSCVT | HWCAP_FCMA | HWCAP_LRCPC | HWCAP_PACA, 0},
    {"v8.3fp16", HWCAP_FCMA, 0},
    {"v8.4", HWCAP_FLAGM | HWCAP_ILRCPC, 0},
    {"v8.5", 0, HWCAP2_FLAGM2 | HWCAP2_FRINT},
    {"bf16", 0, HWCAP2_BF16},
    {"i8mm", 0, HWCAP2_I8MM},
    {"sve", HWCAP_SVE, 0},
    {"sve+", 0, HWCAP2_SVEI8MM | HWCAP2_SVEF32MM | HWCAP2_SVEF64MM | HWCAP2_SVEBF16},
    {"sve2", 0, HWCAP2_SVE2},
    {"sve2+", 0,
     HWCAP2_SVEAES | HWCAP2_SVEPMULL | HWCAP2_SVEBITPERM | HWCAP2_SVESHA3 | HWCAP2_SVESM4},
    {"rng", 0, HWCAP2_RNG},
    {"memtag", 0, HWCAP2_MTE},
    {"all", ~0ul, 0},
};

static unsigned vector_bits(void)
{
    int bytes = getauxval(AT_HWCAP) & HWCAP_SVE ? prctl(PR_SVE_GET_VL, 0, 0, 0, 0) : -1;
    return bytes > 0 ? (unsigned)(bytes & PR_SVE_VL_LEN_MASK) * 8 : 128;
}

static bool has(const char *set)
{
    if (strcmp(set, "base") == 0)
        return true;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(set, features[i].set) == 0)
            return (getauxval(AT_HWCAP) & features[i].first) ||
                   (getauxval(AT_HWCAP2) & features[i].second);
    return false;
}

/* Returns the hexadecimal value of a key in /proc/cpuinfo, such as "CPU part"; 0 if it is
 * missing. */
static unsigned identity(const char *key)
{
    struct str text = {0};
    unsigned value = 0;
    if (file_read("/proc/cpuinfo", 1 << 20, &text, NULL)) {
        const char *at = strstr(str_text(&text), key), *colon = at ? strchr(at, ':') : NULL;
        if (colon)
            sscanf(colon + 1, "%x", &value);
    }
    str_done(&text);
    return value;
}

/* Returns a name with implementer and part number, because no register contains the vendor's
 * name. */
static const char *name(char *buffer, size_t size)
{
    snprintf(buffer, size, "AArch64 processor, implementer 0x%02x, part 0x%03x",
             identity("CPU implementer"), identity("CPU part"));
    return buffer;
}

static unsigned signature(void)
{
    return identity("CPU implementer") << 24 | identity("CPU part") << 4;
}

static bool is_virtual(void)
{
    return false;
}

static void identify(struct cpu_identity *out)
{
    unsigned implementer = identity("CPU implementer");

    if (!implementer)
        return;
    snprintf(out->vendor, sizeof out->vendor, "0x%02x", implementer);
    out->model = identity("CPU part");
}

const struct isa_cpu a64_cpu = {vector_bits, has, name, signature, is_virtual, identify};

#endif
