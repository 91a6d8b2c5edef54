/* Reports of other analyzers: which part of them is the code. */
#ifndef PORTOLAN_TOOLCHAIN_REPORT_H
#define PORTOLAN_TOOLCHAIN_REPORT_H

#include "toolchain/margins.h"

/* Narrows the lines of @m to the instructions of a report by llvm-mca, IACA, OSACA or uiCA, the
 * others to nothing. False, and @m is as it was, when the text is none. Any thread. */
bool report_take(const char *text, struct margins *m);

#endif
