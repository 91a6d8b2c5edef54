/* Where programs were found each time they were looked at: places in files, counted. One thread. */
#ifndef PORTOLAN_PROFILE_SAMPLES_H
#define PORTOLAN_PROFILE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/vec.h"

struct sample_point {
    uint32_t image;            /* index into images */
    uint64_t offset;           /* in the image's file */
    size_t count;
};

struct samples {
    /* paths of mapped files as the system names them; "[vdso]", "" for code that lies in no file */
    VEC(char *) images;
    VEC(struct sample_point) points;   /* each place once */
    struct index by_place;     /* of points */
    size_t count;              /* of all */
};

void samples_done(struct samples *s);
/* The image of @path, added when it is new. */
uint32_t samples_image(struct samples *s, const char *path);
/* One more at @offset of @image. */
void samples_add(struct samples *s, uint32_t image, uint64_t offset);

#endif
