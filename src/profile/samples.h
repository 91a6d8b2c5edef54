/* Samples of programs, counted by place in files. One thread. */
#ifndef PORTOLAN_PROFILE_SAMPLES_H
#define PORTOLAN_PROFILE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/vec.h"

struct sample_point {
    uint32_t image;            /* index into images */
    uint64_t offset;           /* offset in the image's file */
    size_t count;
};

struct samples {
    /* paths of mapped files; "[vdso]"; "" for code outside of files */
    VEC(char *) images;
    VEC(struct sample_point) points;   /* distinct places, with their number of samples */
    struct index by_place;     /* index of points by place */
    size_t count;              /* number of all samples */
};

void samples_done(struct samples *s);
/* Returns the index of image @path, which is added if it is new. */
uint32_t samples_image(struct samples *s, const char *path);
/* Counts a sample at @offset of @image. */
void samples_add(struct samples *s, uint32_t image, uint64_t offset);

#endif
