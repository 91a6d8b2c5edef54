/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This file is empty unless the target is x86-64. */
#if defined(__x86_64__)
#include "isa/cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };

/* CPUID bit of each extension. The names have no suffix for a vector length, because the length is
 * checked separately. */
static const struct { const char *set; uint32_t leaf, subleaf; uint8_t reg, bit;
} features[] = {
    {"SSE3", 1, 0, ECX, 0},
    {"PCLMULQDQ", 1, 0, ECX, 1},
    {"SSSE3", 1, 0, ECX, 9},
    {"FMA", 1, 0, ECX, 12},
    {"CMPXCHG16B", 1, 0, ECX, 13},
    {"SSE4", 1, 0, ECX, 19},
    {"SSE42", 1, 0, ECX, 20},
    {"MOVBE", 1, 0, ECX, 22},
    {"POPCNT", 1, 0, ECX, 23},
    {"AES", 1, 0, ECX, 25},
    {"AVX", 1, 0, ECX, 28},
    {"AVXAES", 1, 0, ECX, 25},
    {"F16C", 1, 0, ECX, 29},
    {"BMI1", 7, 0, EBX, 3},
    {"AVX2", 7, 0, EBX, 5},
    {"AVX2GATHER", 7, 0, EBX, 5},
    {"BMI2", 7, 0, EBX, 8},
    {"ADOX_ADCX", 7, 0, EBX, 19},
    {"SHA", 7, 0, EBX, 29},
    {"CLFLUSHOPT", 7, 0, EBX, 23},
    {"CLWB", 7, 0, EBX, 24},
    {"GFNI", 7, 0, ECX, 8},
    {"AVX_GFNI", 7, 0, ECX, 8},
    {"VAES", 7, 0, ECX, 9},
    {"VPCLMULQDQ", 7, 0, ECX, 10},
    {"LAHF", 0x80000001, 0, ECX, 0},
    {"LZCNT", 0x80000001, 0, ECX, 5},
    {"SSE4A", 0x80000001, 0, ECX, 6},
    {"PREFETCH_NOP", 0x80000001, 0, ECX, 8},
    {"AVX512F", 7, 0, EBX, 16},
    {"AVX512DQ", 7, 0, EBX, 17},
    {"AVX512_IFMA", 7, 0, EBX, 21},
    {"AVX512PF", 7, 0, EBX, 26},
    {"AVX512ER", 7, 0, EBX, 27},
    {"AVX512CD", 7, 0, EBX, 28},
    {"AVX512BW", 7, 0, EBX, 30},
    {"AVX512_VBMI", 7, 0, ECX, 1},
    {"AVX512_VBMI2", 7, 0, ECX, 6},
    {"AVX512_GFNI", 7, 0, ECX, 8},
    {"AVX512_VAES", 7, 0, ECX, 9},
    {"AVX512_VPCLMULQDQ", 7, 0, ECX, 10},
    {"AVX512_VNNI", 7, 0, ECX, 11},
    {"AVX512_BITALG", 7, 0, ECX, 12},
    {"AVX512_VPOPCNTDQ", 7, 0, ECX, 14},
    {"AVX512_VP2INTERSECT", 7, 0, EDX, 8},
    {"AVX512_FP16", 7, 0, EDX, 23},
    {"AVX512_BF16", 7, 1, EAX, 5},
    {"AVX_VNNI", 7, 1, EAX, 4},
    {"AVX_IFMA", 7, 1, EAX, 23},
    {"AVX_VNNI_INT8", 7, 1, EDX, 4},
    {"AVX_NE_CONVERT", 7, 1, EDX, 5},
    {"AVX_VNNI_INT16", 7, 1, EDX, 10},
    {"CMPCCXADD", 7, 1, EAX, 7},
    {"RAO_INT", 7, 1, EAX, 3},
    {"AMX_FP16", 7, 1, EAX, 21},
};

static bool bit_of(uint32_t leaf, uint32_t subleaf, unsigned reg, unsigned bit)
{
    uint32_t r[4];
    return __get_cpuid_count(leaf, subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) &&
           (r[reg] >> bit & 1);
}

static unsigned vector_bits(void)
{
    uint32_t low, high;
    if (!bit_of(1, 0, ECX, 27))   /* Without OSXSAVE, xgetbv is unavailable. */
        return 128;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0xe6) == 0xe6 && bit_of(7, 0, EBX, 16))
        return 512;
    return (low & 6) == 6 && bit_of(1, 0, ECX, 28) ? 256 : 128;
}

/* Returns whether every CPU with 64-bit mode has the extension. */
static bool is_base(const char *set)
{
    static const char *const base[] = {
        "I86",  "I186", "I386",     "I486", "I486REAL", "I286REAL", "PENTIUMREAL",  "PENTIUMMMX",
        "PPRO", "CMOV", "LONGMODE", "SSE",  "SSE2",     "SSEMXCSR", "SSE_PREFETCH", "FAT_NOP"};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        if (strcmp(set, base[i]) == 0)
            return true;
    return false;
}

static bool feature(const char *set, size_t length)
{
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strlen(features[i].set) == length && strncmp(features[i].set, set, length) == 0)
            return bit_of(features[i].leaf, features[i].subleaf, features[i].reg, features[i].bit);
    return false;
}

static bool has(const char *set)
{
    if (is_base(set))
        return true;
    size_t length = strlen(set);
    if (strncmp(set, "AVX512", 6) == 0) {
        const char *suffix = strrchr(set, '_');
        if (!suffix || vector_bits() < 512)
            return false;
        bool shorter = strcmp(suffix, "_128") == 0 || strcmp(suffix, "_256") == 0;
        return feature(set, (size_t)(suffix - set)) && (!shorter || bit_of(7, 0, EBX, 31));
    }
    bool wide = strncmp(set, "AVX", 3) == 0 || strcmp(set, "FMA") == 0 ||
                strcmp(set, "F16C") == 0 || strcmp(set, "VAES") == 0 ||
                strcmp(set, "VPCLMULQDQ") == 0;
    return feature(set, length) && (!wide || vector_bits() >= 256);
}

static const char *name(char *buffer, size_t size)
{
    uint32_t brand[13] = {0};
    for (uint32_t i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                    &brand[4 * i + 3]);
    const char *text = (const char *)brand;
    text += strspn(text, " ");
    snprintf(buffer, size, "%s", *text ? text : "unknown x86-64 processor");
    for (size_t n = strlen(buffer); n && buffer[n - 1] == ' ';)
        buffer[--n] = '\0';
    return buffer;
}

static unsigned signature(void)
{
    uint32_t a = 0, b, c, d;
    __get_cpuid(1, &a, &b, &c, &d);
    return a;
}

static bool is_virtual(void)
{
    return bit_of(1, 0, ECX, 31);
}

/* Identifies the CPU with CPUID leaves 0, 1, 7 (EDX bit 15: hybrid) and 1Ah (Intel SDM, volume
 * 2). */
static void identify(struct cpu_identity *out)
{
    uint32_t a = 0, vendor[3] = {0}, r[4] = {0};
    unsigned packed = signature();

    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]))
        return;
    memcpy(out->vendor, vendor, sizeof vendor);
    out->family = packed >> 8 & 15;
    out->model = packed >> 4 & 15;
    out->stepping = packed & 15;
    if (out->family == 6 || out->family == 15)
        out->model += (packed >> 16 & 15) << 4;
    if (out->family == 15)
        out->family += packed >> 20 & 255;
    if (!bit_of(7, 0, EDX, 15) || !__get_cpuid_count(0x1a, 0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
        return;
    snprintf(out->kind, sizeof out->kind, "%s",
             r[EAX] >> 24 == 0x40   ? "core"
             : r[EAX] >> 24 == 0x20 ? "atom"
                                    : "");
}

const struct isa_cpu x86_cpu = {vector_bits, has, name, signature, is_virtual, identify};

#endif
