/* A static web site about machines: forms, usages, latencies and their evidence, as data for the
 * pages in data/atlas. The site needs no server, because scripts contain the data. */
#ifndef PORTOLAN_ATLAS_ATLAS_H
#define PORTOLAN_ATLAS_ATLAS_H

#include "atlas/atlas_data.h"

struct atlas_size {
    /* @forms: number of distinct forms of all instruction sets. @rows: number of forms, summed over
     * the machines. */
    size_t files, bytes, forms, rows;
    size_t left_out;                    /* number of experiments with forms that no table has */
};

/* Writes the site to directory @path atomically: to a temporary directory next to it, which is then
 * renamed. @path must be missing, empty, or an atlas, which is replaced. Returns false with err.
 * Polls the thread's watch. */
bool atlas_write(const struct atlas_options *options, const char *path, struct atlas_size *size,
                 struct err *err);

#endif
