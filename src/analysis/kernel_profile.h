/* Kernels of a program by a perf profile, read by the installed perf. */
#ifndef PORTOLAN_ANALYSIS_KERNEL_PROFILE_H
#define PORTOLAN_ANALYSIS_KERNEL_PROFILE_H

#include "analysis/kernel.h"

/* The function of @path with most samples in @profile ("perf.data"), or the one in @options, with
 * each instruction's share; the loop with most samples comes first. NULL with err (ERR_MISSING:
 * perf is not installed). Any thread. */
struct kernel *kernel_from_profile(const char *path, const char *profile,
                                   const struct kernel_options *options, struct err *err);

#endif
