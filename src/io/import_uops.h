/* Imports tables of uops.info: CSV (instruction,family,latency,throughput,uops,ports) and the XML
 * file of all architectures. */
#ifndef PORTOLAN_IO_IMPORT_UOPS_H
#define PORTOLAN_IO_IMPORT_UOPS_H

#include "isa/forms.h"
#include "model/machine.h"

/* Makes machine @id from the table at @path. Streams XML. @architecture selects an architecture of
 * the XML ("SKL"); it is NULL for CSV, and for XML with a single architecture. Names are converted
 * to those of @forms if only the spelling differs (opcode suffixes, REP after the name). Rows
 * measured with an immediate of 0 are skipped. The ports are those that occur in the table, and DV
 * for dividers. The latency is the largest between two operands, and micro_ops counts µops before
 * fusion. Returns NULL with file:line on an error. */
struct machine *import_uops(const char *id, const char *path, const char *architecture,
                            const struct forms *forms, struct err *err);
/* Imports like import_uops, but from memory, for tests and fuzzing. @name is the file's name in
 * messages. */
struct machine *import_uops_parse(const char *id, const char *name, const char *text, size_t length,
                                  const char *architecture, const struct forms *forms,
                                  struct err *err);

/* Reads from the CSV table at @path the measured cycles per copy of each form, for names in @forms.
 * Returns them as latencies of a mapping without ports. If several rows have the same form, uses
 * the least value. Returns NULL with file:line on an error. */
struct mapping *import_uops_alone(const char *path, const struct forms *forms, struct err *err);

#endif
