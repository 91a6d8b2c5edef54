/* The JSON of the PMEvo authors: ExperimentList (sequences of forms with cycles), Mapping3 (form ->
 * list of µops, each a list of ports) and the older two-level Mapping and Mapping2 (form -> list of
 * ports, one µop).
 *
 * Their names become the names used here (io/pmevo_names.h) where all operands are plain; other
 * names stay. Several of theirs can be one form here: experiments then count both as that form; in
 * a mapping that gives them different usages both keep their names. The names for an export are
 * kept with the row of an experiment (PMEVO_NAMES), in the source of a mapping's form
 * (PMEVO_SOURCE). */
#ifndef PORTOLAN_IO_PMEVO_JSON_H
#define PORTOLAN_IO_PMEVO_JSON_H

#include "model/experiments.h"
#include "model/mapping.h"

/* NULL with err on failure. Predictions of other tools in the file become extra columns named after
 * them. The caller frees. */
struct experiments *pmevo_experiments_load(const char *path, struct err *err);
struct experiments *pmevo_experiments_parse(const char *name, const char *bytes, size_t length,
                                            struct err *err);
struct mapping *pmevo_mapping_load(const char *path, struct err *err);
struct mapping *pmevo_mapping_parse(const char *name, const char *bytes, size_t length,
                                    struct err *err);

#endif
