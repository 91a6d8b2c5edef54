/* Writes machine directories (io/machine_file.h has the format). */
#ifndef PORTOLAN_IO_MACHINE_SAVE_H
#define PORTOLAN_IO_MACHINE_SAVE_H

#include "model/machine.h"

/* Writes all of @m into @dir: machine.csv, mapping.csv and, if there are any, latencies.csv,
 * including corrections and facts. A directory of a machine is replaced as a whole, so that no old
 * file still applies; one with any other file is refused and left unchanged. */
bool machine_save(const struct machine *m, const char *dir, struct err *err);
/* Writes machine.csv and mapping.csv alone, next to the files written by hand: for generators.
 * Creates the directory. */
bool machine_save_generated(const struct machine *m, const char *dir, struct err *err);
/* One row of mapping.csv, and the whole with its header. */
void machine_mapping_row(const struct mapping_entry *entry, const struct ports *ports,
                         struct str *out);
void machine_mapping_csv(const struct machine *m, struct str *out);
/* The same of machine.csv and of latencies.csv. */
void machine_facts_csv(const struct machine *m, struct str *out);
void machine_latencies_csv(const struct machine *m, struct str *out);

#endif
