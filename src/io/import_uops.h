/* Imports tables of uops.info: CSV (instruction,family,latency,throughput,uops,ports) and the XML
 * file of all architectures. */
#ifndef PORTOLAN_IO_IMPORT_UOPS_H
#define PORTOLAN_IO_IMPORT_UOPS_H

#include "isa/forms.h"
#include "model/machine.h"

/* Makes machine @id from the table at @path. XML is streamed. @architecture selects one
 * architecture of the XML ("SKL"). @architecture is NULL for CSV and for XML of one architecture.
 * Names are converted to those of @forms if only the spelling differs (opcode suffixes, REP after
 * the name). Rows measured with an immediate of 0 are skipped. The ports are those that occur in
 * the table, and DV for dividers. The latency is the largest between two operands, and micro_ops
 * counts µops before fusion. Returns NULL with file:line on an error. */
struct machine *import_uops(const char *id, const char *path, const char *architecture,
                            const struct forms *forms, struct err *err);
/* Imports like import_uops, but from memory, for tests and fuzzing. Messages name @name as the
 * file. */
struct machine *import_uops_parse(const char *id, const char *name, const char *text, size_t length,
                                  const char *architecture, const struct forms *forms,
                                  struct err *err);

/* Reads the measured cycles of each form among copies of itself from the CSV table at @path, for
 * names in @forms. Returns them as latencies of a mapping without ports. If several rows have the
 * same form, the least value counts. Returns NULL with file:line on an error. */
struct mapping *import_uops_alone(const char *path, const struct forms *forms, struct err *err);

#endif
