/* The JSON of the PMEvo authors: ExperimentList (sequences of forms with cycles), Mapping3 (form -> list of µops, each a list of
 * ports) and the older two-level Mapping and Mapping2 (form -> list of ports, one µop).
 *
 * Their x86 names become the names used here, `ADD_((REG:RW:G:64)),_((IMM:32))` -> `ADD (R64, I32)`, wherever no two names of the
 * file's architecture would fall together and all operands are plain; other names stay as they are written. */
#ifndef PORTOLAN_IO_PMEVO_JSON_H
#define PORTOLAN_IO_PMEVO_JSON_H

#include "model/experiments.h"
#include "model/mapping.h"

/* NULL with err on failure. Predictions of other tools in the file become extra columns named after them. The caller frees. */
struct experiments *pmevo_experiments_load(const char *path, struct err *err);
struct experiments *pmevo_experiments_parse(const char *name, const char *bytes, size_t length, struct err *err);
struct mapping *pmevo_mapping_load(const char *path, struct err *err);
struct mapping *pmevo_mapping_parse(const char *name, const char *bytes, size_t length, struct err *err);
/* Appends the name used here for an x86 name of theirs; false when an operand is not plain (@out unchanged). */
bool pmevo_form_name(const char *theirs, struct str *out);

#endif
