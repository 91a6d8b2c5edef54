/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the parser of perf script's output. There must be at most as many samples as
 * lines, in ascending order. */
#include <stdint.h>
#include <stdlib.h>

#include "toolchain/perf_tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perf_samples samples = {0};
    struct str text = {0};
    size_t lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    str_add_bytes(&text, data, size);
    perf_samples_parse(str_text(&text), "hot", &samples);
    if (samples.places.count > lines || perf_samples_within(&samples, 0, UINT64_MAX) > lines)
        abort();
    for (size_t i = 1; i < samples.places.count; i++)
        if (samples.places.items[i] < samples.places.items[i - 1])
            abort();
    perf_samples_done(&samples);
    str_done(&text);
    return 0;
}
