/* Writes machine directories (io/machine_file.h has the format). */
#ifndef PORTOLAN_IO_MACHINE_SAVE_H
#define PORTOLAN_IO_MACHINE_SAVE_H

#include "model/machine.h"

/* Writes @m to @dir: machine.csv, mapping.csv and, if needed, latencies.csv, including corrections
 * and facts. Replaces a machine's directory completely, so old files have no effect. Rejects a
 * directory with other files, and leaves it unchanged. Returns false with err. */
bool machine_save(const struct machine *m, const char *dir, struct err *err);
/* Writes only machine.csv, mapping.csv and, if needed, advances.csv. Preserves files written by
 * hand. Creates the directory. Returns false with err. For programs that generate tables. */
bool machine_save_generated(const struct machine *m, const char *dir, struct err *err);
/* machine_mapping_row writes a row of mapping.csv. machine_mapping_csv writes the complete file. */
void machine_mapping_row(const struct mapping_entry *entry, const struct ports *ports,
                         struct str *out);
void machine_mapping_csv(const struct machine *m, struct str *out);
/* Write the complete machine.csv and latencies.csv. */
void machine_facts_csv(const struct machine *m, struct str *out);
void machine_latencies_csv(const struct machine *m, struct str *out);

#endif
