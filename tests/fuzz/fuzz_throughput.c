/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes as µops to the throughput engine. Each method of each engine must return identical
 * bits. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "throughput/engine.h"
#include "throughput/throughput.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engines[] = {"portable", "avx2", "avx512"};
    struct mass masses[MOST];
    size_t n = 0;

    if (size < 1)
        return 0;
    unsigned ports = 1 + data[0] % 32;
    /* Each µop has eight bytes, as in memory. Masks restrict it to the engine's contract. */
    for (size_t at = 1; at + sizeof *masses <= size && n < MOST; at += sizeof *masses) {
        memcpy(&masses[n], data + at, sizeof *masses);
        masses[n].ports &= ports == 32 ? UINT32_MAX : (1u << ports) - 1;
        masses[n].count = masses[n].count % 7 ? masses[n].count & 0xfff : masses[n].count;
        n += masses[n].ports && masses[n].count;
    }
    struct throughput *t = throughput_new(ports);
    double expected = n ? throughput_by(t, METHOD_FLOW, masses, n) : 0;
    for (size_t k = 0; k < 3; k++) {
        if (!throughput_use_engine(t, engines[k]))
            continue;
        if (throughput_of_masses(t, masses, n) != expected)
            abort();
        for (unsigned method = 0; method < METHOD_COUNT; method++) {
            double got = throughput_by(t, method, masses, n);
            if (!isnan(got) && got != expected)
                abort();
        }
    }
    throughput_free(t);
    return 0;
}
