/* A static site about machines: forms, usages, latencies and their evidence, as data for the pages
 * in data/atlas. No server: scripts carry the data. */
#ifndef PORTOLAN_ATLAS_ATLAS_H
#define PORTOLAN_ATLAS_ATLAS_H

#include "atlas/atlas_data.h"

struct atlas_size {
    /* rows: forms summed over machines; forms: distinct ones of all sets */
    size_t files, bytes, forms, rows;
    size_t left_out;                    /* experiments with forms that no table has */
};

/* Writes the site to directory @path atomically: to a temporary directory next to it, then renamed.
 * @path must be missing, empty or an atlas, which is replaced. False with err; polls the thread's
 * watch. */
bool atlas_write(const struct atlas_options *options, const char *path, struct atlas_size *size,
                 struct err *err);

#endif
