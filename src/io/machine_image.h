/* Shipped machines, parsed at build time (tools/compile-tables.c), because parsing the text takes
 * longer than the analysis of a loop. The text remains the source. Each load computes the sum of a
 * directory's files, and uses the image only if the sum matches. The table of processors, which is
 * read at each start, is stored in the same way. */
#ifndef PORTOLAN_IO_MACHINE_IMAGE_H
#define PORTOLAN_IO_MACHINE_IMAGE_H

#include "model/machine.h"

/* Header of an image. Positions are byte offsets in the image; strings are offsets in its table of
 * strings. Numbers are in host byte order. */
struct image_header {
    uint32_t machines, machine_count;   /* offset and number of struct image_machine */
    uint32_t texts, texts_size;         /* offset and size of the table of strings, which are
                                         * NUL-terminated and without duplicates */
    /* offset and number of struct uop; equal usages are stored once */
    uint32_t uops, uop_count;
    /* offset and number of latencies (double); equal values are stored once */
    uint32_t latencies, latency_count;
    uint32_t cpus, cpu_count;           /* offset and number of the rows of data/cpus.csv, with
                                         * CPUS_COLUMNS strings each */
    uint64_t cpus_sum[2];               /* checksum of data/cpus.csv */
};

struct image_machine {
    uint64_t sum[2];                    /* checksum of the machine's files */
    struct ports ports;
    double issue_width;                 /* result of mapping_issue_width */
    uint32_t title, isa;                /* offsets of strings */
    uint32_t rows, row_count;           /* offset and number of struct mapping_row */
    uint32_t slots, slot_count;         /* offset and number of struct index_slot */
    uint32_t facts, fact_count;         /* offset and number of struct image_fact */
    uint32_t rules, rule_count;         /* offset and number of struct image_rule */
};

struct image_fact {
    uint32_t key, value, unit, source;
};

struct image_rule {
    double cycles;
    uint32_t form, source;
    int32_t from, to;
};

/* built-in image; its size is 0 if it was built for another host */
extern const unsigned char machine_images[];
extern const size_t machine_images_size;

/* Computes the sum of the files of machine directory @dir. The sum also depends on which files are
 * missing. Returns false if a file is unreadable. Stores the sum in @sum. */
bool machine_image_sum(const char *dir, uint64_t sum[2]);
/* Computes the sum of a text, which equals the sum of a file with the same contents. Stores the sum
 * in @sum. */
void machine_image_sum_text(const char *text, size_t length, uint64_t sum[2]);
/* Returns the number of rows in the table of processors if the image was built from @text,
 * otherwise 0. Stores in *@cells, row by row, the offsets of the fields in *@texts. */
size_t machine_image_cpus(const char *text, size_t length, const uint32_t **cells,
                          const char **texts);
/* Loads the machine of directory @dir as @id into *@out. Sets *@out to NULL if the files differ
 * from those of the image. Returns false with err if memory is exhausted. */
bool machine_image_load(const char *id, const char *dir, struct machine **out, struct err *err);

#endif
