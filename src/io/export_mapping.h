/* Port mappings in the notations of uops.info and PMEvo. All end early when the thread's watch
 * ends; their output is then incomplete. */
#ifndef PORTOLAN_IO_EXPORT_MAPPING_H
#define PORTOLAN_IO_EXPORT_MAPPING_H

#include "isa/forms.h"
#include "model/experiments.h"
#include "model/machine.h"

/* The table of uops.info: instruction,family,latency,throughput,uops,ports; family from @forms (may
 * be NULL), throughput as the ports without dividers give it / with them, uops empty when the
 * machine does not count them. Dividers stand in ports as 4*p[DV]. */
void export_uops_info(const struct machine *m, const struct forms *forms, struct str *out);
/* PMEvo's JSON of kind Mapping3. Forms that PMEvo's notation can write as templates are (from
 * @forms, may be NULL); others keep the names used here; those that came from PMEvo's JSON under
 * other names have these again, and so do the forms of experiments @e (may be NULL) that did, as a
 * mapping inferred from them. Latencies have no place in it. */
void export_pmevo(const struct machine *m, const struct forms *forms, const struct experiments *e,
                  struct str *out);
/* The older kind Mapping: one µop per form. False with err when a form has more, naming the
 * first. */
bool export_pmevo_flat(const struct machine *m, const struct forms *forms,
                       const struct experiments *e, struct str *out, struct err *err);
/* For json_dump_callback: appends a piece to the struct str @out; ends when the thread's watch is
 * over. */
int json_piece_add(const char *piece, size_t length, void *out);
/* The name in PMEvo's notation of @row, "" when it has none: the reverse of pmevo_form_name. */
void pmevo_name_of(const struct form_row *row, struct str *out);

#endif
