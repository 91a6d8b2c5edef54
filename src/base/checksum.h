/* CRC-32C (Castagnoli, RFC 3720). Detects incomplete and damaged records, but not forgery. */
#ifndef PORTOLAN_BASE_CHECKSUM_H
#define PORTOLAN_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of @length bytes. Any thread. */
uint32_t checksum_of(const void *bytes, size_t length);

#endif
