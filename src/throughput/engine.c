/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/engine.h"

#include <string.h>

#include "base/mem.h"

const struct engine *engine_named(const char *name)
{
    /* engines that this CPU supports; the last engine is the best */
    const struct engine *known[3] = {&engine_portable};
    unsigned count = 1;

    /* Uses AVX2 on CPUs with AVX-512 but without its population count (Skylake-X), because these
     * CPUs reduce their clock for AVX-512. */
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        known[count++] = &engine_avx2;
        if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
            known[count++] = &engine_avx512;
    }
#endif
    while (name && count > 0 && strcmp(known[count - 1]->name, name) != 0)
        count--;
    return count ? known[count - 1] : NULL;
}

const struct table_engine *table_engine(const char *name)
{
    const struct engine *engine = engine_named(name);
    return engine ? &engine->tables : NULL;
}

float *tables_new(size_t forms, size_t stride)
{
    size_t size = (forms + 1) * stride * sizeof(float);
    return memset(mem_aligned(64, size), 0, size);
}
