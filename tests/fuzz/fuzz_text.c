/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the cleaning of listings: as many lines out as in, whatever they hold. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/listing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    size_t length = strlen(text), lines = 0;
    struct listing l;
    struct marker_list m;
    listing_clean(ISA_X86_64, text, length, SYNTAX_AUTO, &l);
    for (size_t i = 0; i < l.text.length; i++)
        lines += l.text.data[i] == '\n';
    if (lines != l.spans.count)
        abort();
    for (size_t i = 0; i < l.spans.count; i++)
        if (l.spans.items[i].start + l.spans.items[i].length > length)
            abort();
    listing_done(&l);
    listing_markers(text, length, &m);
    listing_markers_done(&m);
    listing_isa(text, length);
    free(text);
    return 0;
}
