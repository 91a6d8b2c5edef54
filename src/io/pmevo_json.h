/* JSON of the PMEvo authors: ExperimentList (sequences of forms with cycles), Mapping3 (form ->
 * list of µops, each a list of ports) and the older Mapping and Mapping2 (form -> list of ports,
 * one µop). PMEvo's names are converted to Portolan's (io/pmevo_names.h) if all operands are
 * simple, otherwise unchanged. Several of PMEvo's names can denote one form. In experiments they
 * become that form. In a mapping, names with different usages are kept. Original names are stored
 * for export with an experiment's row (PMEVO_NAMES), and in the source of a mapping's form
 * (PMEVO_SOURCE). */
#ifndef PORTOLAN_IO_PMEVO_JSON_H
#define PORTOLAN_IO_PMEVO_JSON_H

#include "model/experiments.h"
#include "model/mapping.h"

/* Loads experiments. Predictions of other tools in the file become extra columns with the tools'
 * names. Returns NULL with err. The caller frees the result. */
struct experiments *pmevo_experiments_load(const char *path, struct err *err);
struct experiments *pmevo_experiments_parse(const char *name, const char *bytes, size_t length,
                                            struct err *err);
struct mapping *pmevo_mapping_load(const char *path, struct err *err);
struct mapping *pmevo_mapping_parse(const char *name, const char *bytes, size_t length,
                                    struct err *err);

#endif
