/* Predicts cycles per iteration for recorded iterations in order. */
#ifndef PORTOLAN_INSITU_MIX_H
#define PORTOLAN_INSITU_MIX_H

#include "insitu/paths.h"
#include "model/machine.h"

/* Simulates samples of the recorded iterations of @r on @m, each as a repeating block. NaN: nothing
 * was recorded. */
double mix_predict(const struct region *r, const struct paths *p, const struct machine *m);
/* Appends the instructions of @path without calls to @out, with @count filled and room for @most;
 * branches are marked as followed. Returns the new count. */
size_t mix_append(const struct region *r, const struct path *path, struct insn *out, size_t count,
                  size_t most);
/* The same for path @path only. */
double mix_predict_path(const struct region *r, const struct path *path, const struct machine *m);

#endif
