/* Cycles per iteration predicted for the iterations that were recorded, in their order. Any
 * thread. */
#ifndef PORTOLAN_INSITU_MIX_H
#define PORTOLAN_INSITU_MIX_H

#include "insitu/paths.h"
#include "model/machine.h"

/* Simulates samples of the recorded iterations of @r, each as a block that repeats, on @m. NaN:
 * nothing was recorded. */
double mix_predict(const struct region *r, const struct paths *p, const struct machine *m);
/* Appends the instructions of @path to @out, @count of which are filled and @most exist, without
 * calls; its branches are marked as followed. Returns how many are filled. */
size_t mix_append(const struct region *r, const struct path *path, struct insn *out, size_t count,
                  size_t most);
/* The same of path @path alone. */
double mix_predict_path(const struct region *r, const struct path *path, const struct machine *m);

#endif
