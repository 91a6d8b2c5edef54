/* CRC-32C (Castagnoli, as in RFC 3720): finds torn and garbled records; no protection against
 * forgery. */
#ifndef PORTOLAN_BASE_CHECKSUM_H
#define PORTOLAN_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of @length bytes. Any thread. */
uint32_t checksum_of(const void *bytes, size_t length);

#endif
