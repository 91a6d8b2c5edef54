/* Listings of language runtimes: HotSpot under JMH, V8, LuaJIT, .NET with code bytes, Go's objdump
 * and compiler. */
#ifndef PORTOLAN_TOOLCHAIN_RUNTIMES_H
#define PORTOLAN_TOOLCHAIN_RUNTIMES_H

#include "toolchain/margins.h"

/* Narrows the lines of @m to the instructions of such a listing, with their addresses and bytes,
 * the others to nothing. False, and @m is as it was: it is none. Any thread. */
bool runtimes_take(const char *text, struct margins *m);

#endif
