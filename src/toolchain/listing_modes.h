/* Finds lines that mean other code than the assembler would make of them: code of 16 or 32 bits,
 * numbers in another base, conditions of the C preprocessor. */
#ifndef PORTOLAN_TOOLCHAIN_LISTING_MODES_H
#define PORTOLAN_TOOLCHAIN_LISTING_MODES_H

#include "toolchain/listing.h"
#include "toolchain/margins.h"

/* Adds these lines of @text to the rejected lines of @l, with the reason and the remedy. */
void listing_modes_refuse(struct listing *l, const char *text, size_t length,
                          const struct margins *m);

#endif
