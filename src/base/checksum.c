/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checksum.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78u   /* Castagnoli polynomial, reflected */

static uint32_t table[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ POLYNOMIAL : value >> 1;
        table[byte] = value;
    }
}

uint32_t checksum_of(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint32_t value = 0xffffffffu;

    pthread_once(&once, table_fill);
    while (length--)
        value = value >> 8 ^ table[(value ^ *at++) & 0xff];
    return ~value;
}
