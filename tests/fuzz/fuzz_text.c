/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the cleaning of listings. The output must have as many lines as the input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "toolchain/markers.h"
#include "toolchain/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    size_t length = strlen(text);
    struct marker_list m;
    struct str plain = {0};

    if (plain_text(text, length, &plain))
        clean_listing(ISA_X86_64, str_text(&plain), plain.length);
    str_done(&plain);
    clean_listing(ISA_X86_64, text, length);
    markers_find(text, length, &m);
    markers_done(&m);
    listing_isa(text, length);
    free(text);
    return 0;
}
