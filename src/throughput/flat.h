/* Mappings and experiments with forms as numbers, laid out for the throughput engine. */
#ifndef PORTOLAN_THROUGHPUT_FLAT_H
#define PORTOLAN_THROUGHPUT_FLAT_H

#include "model/experiment.h"
#include "model/mapping.h"
#include "throughput/unions.h"

/* Compiled view of a mapping for fast repeated use: form index -> µops. Immutable, shared by threads. A mapping with few distinct
 * sets also holds µop sums over their unions, forms of one usage sharing a row; beyond 512 KiB of them it does without. */
struct flat_mapping {
    unsigned ports;
    size_t forms;
    uint32_t *start;       /* forms + 1 offsets into masses */
    struct mass *masses;
    struct unions *unions; /* NULL: too many */
    struct flat_row { uint32_t index, mass; } *rows;   /* per form: its row in sums, its whole mass as unions_row returns it */
    int16_t *sums;
};
/* Compiled experiments: form indices with counts. */
struct flat_experiments {
    size_t count;
    uint32_t *start;       /* count + 1 offsets into terms */
    struct flat_term *terms;   /* count times a usage's counts stays below 2^32 */
};
struct flat_mapping *flat_mapping_new(const struct mapping *m);   /* form index = mapping_index */
void flat_mapping_free(struct flat_mapping *m);
/* Forms not in @m make the call fail: err names the first. */
struct flat_experiments *flat_experiments_new(const struct mapping *m, const struct experiment *e, size_t n, struct err *err);
void flat_experiments_free(struct flat_experiments *e);

#endif
