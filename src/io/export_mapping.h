/* Exports port mappings in the formats of uops.info and PMEvo. If cancelled, an export ends early
 * with incomplete output. */
#ifndef PORTOLAN_IO_EXPORT_MAPPING_H
#define PORTOLAN_IO_EXPORT_MAPPING_H

#include "isa/forms.h"
#include "model/experiments.h"
#include "model/machine.h"

/* Writes a table in the format of uops.info: instruction,family,latency,throughput,uops,ports.
 * family comes from @forms (may be NULL). throughput has two values: the cycles without and with
 * dividers. uops is empty if unknown. Dividers are written as 4*p[DV] in ports. */
void export_uops_info(const struct machine *m, const struct forms *forms, struct str *out);
/* Writes PMEvo's JSON of kind Mapping3. Uses PMEvo's names where possible (from @forms, may be
 * NULL), otherwise Portolan's. Writes forms that were imported from PMEvo's JSON under other names
 * with these names. @e (may be NULL) has the experiments from which the mapping was inferred; its
 * imported names are also written. Omits latencies. */
void export_pmevo(const struct machine *m, const struct forms *forms, const struct experiments *e,
                  struct str *out);
/* Writes PMEvo's JSON of the older kind Mapping, with one µop per form. Returns false with err if a
 * form has more µops. The error names the first such form. */
bool export_pmevo_flat(const struct machine *m, const struct forms *forms,
                       const struct experiments *e, struct str *out, struct err *err);
/* Appends a piece to the struct str @out; callback for json_dump_callback. Returns -1, which ends
 * the dump, if cancelled. */
int json_piece_add(const char *piece, size_t length, void *out);
/* Appends the name of @row in PMEvo's notation, or nothing if there is none. This function is the
 * inverse of pmevo_form_name. */
void pmevo_name_of(const struct form_row *row, struct str *out);

/* export_experiments.c: measured experiments in the notations of other tools. */

/* Writes PMEvo's JSON of kind ExperimentList: counts as repetitions, failures as error_cause,
 * unmeasured rows without a result. Rows imported from PMEvo keep their original names. In other
 * rows, forms with a template in PMEvo's notation (from @forms, may be NULL) have that name. The
 * remaining forms have their own names. The text is incomplete if cancelled (base/watch.h), which
 * the caller must check. */
void export_pmevo_experiments(const struct experiments *t, const struct forms *forms,
                              struct str *out);

/* export_osaca.c: a machine as an OSACA machine file (YAML). */

/* Writes the file. Forms with equal AT&T spelling and cost share an entry. If costs differ, the
 * general form is first, and the other forms follow with a size suffix. Each entry lists its forms
 * in portolan_forms, which OSACA ignores. import_osaca restores the mapping from this list. Returns
 * false with err for instruction sets without a spelling and for names that are not UTF-8. Also
 * returns false if memory is exhausted. */
bool export_osaca(const struct machine *m, struct str *out, struct err *err);

#endif
