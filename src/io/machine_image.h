/* Shipped machines preparsed at build time (tools/compile-tables.c): parsing the text takes longer
 * than analysing a loop. The text remains the source: a directory's files are summed at each load,
 * and the image is used only if the sum matches. The table of processors, read at each start, is
 * handled in the same way. */
#ifndef PORTOLAN_IO_MACHINE_IMAGE_H
#define PORTOLAN_IO_MACHINE_IMAGE_H

#include "model/machine.h"

/* Positions in an image are byte offsets, texts are offsets into its texts; numbers in host byte
 * order. */
struct image_header {
    uint32_t machines, machine_count;   /* struct image_machine */
    uint32_t texts, texts_size;         /* NUL-terminated, without duplicates */
    uint32_t uops, uop_count;           /* struct uop; without duplicate usages */
    uint32_t latencies, latency_count;  /* double, without duplicates */
    uint32_t cpus, cpu_count;           /* rows of data/cpus.csv, CPUS_COLUMNS texts each */
    uint64_t cpus_sum[2];               /* of that file */
};

struct image_machine {
    uint64_t sum[2];                    /* of its files */
    struct ports ports;
    double issue_width;                 /* mapping_issue_width */
    uint32_t title, isa;                /* texts */
    uint32_t rows, row_count;           /* struct mapping_row */
    uint32_t slots, slot_count;         /* struct index_slot */
    uint32_t facts, fact_count;         /* struct image_fact */
    uint32_t rules, rule_count;         /* struct image_rule */
};

struct image_fact {
    uint32_t key, value, unit, source;
};

struct image_rule {
    double cycles;
    uint32_t form, source;
    int32_t from, to;
};

/* The built-in image; size 0 (built for another host): none. */
extern const unsigned char machine_images[];
extern const size_t machine_images_size;

/* Sums the files of machine directory @dir, including missing ones: equal files, equal sum. False
 * when one is unreadable. */
bool machine_image_sum(const char *dir, uint64_t sum[2]);
/* Sums text as machine_image_sum does a file. */
void machine_image_sum_text(const char *text, size_t length, uint64_t sum[2]);
/* Number of rows in the table of processors if @text is the image's source, else 0: *@cells are
 * offsets into *@texts, row by row. */
size_t machine_image_cpus(const char *text, size_t length, const uint32_t **cells,
                          const char **texts);
/* Loads the machine of directory @dir as @id into *@out: NULL when its files differ from the
 * image's. False with err when memory runs out. */
bool machine_image_load(const char *id, const char *dir, struct machine **out, struct err *err);

#endif
