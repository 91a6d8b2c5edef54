/* Imports machines from llvm-mca, from machine files of OSACA (YAML), and from tables of uops.info
 * (CSV, and the XML file of all architectures). */
#ifndef PORTOLAN_IO_IMPORT_H
#define PORTOLAN_IO_IMPORT_H

#include "io/osaca_file.h"
#include "isa/forms.h"
#include "model/machine.h"

/* Runs llvm-mca (llvm_mca.h) on every form of @forms and resolves resource groups (docs/design.md).
 * Features may be appended to @cpu, as in neoverse-v2+aes+sha2. Returns NULL with err on
 * failure. */
struct machine *import_llvm(const char *cpu, const struct forms *forms, struct err *err);
/* Parses the report, for tests and fuzzing. @text is NUL-terminated at @length. @forms names the
 * rows in order. Omits a form with an invalid row, like an unknown form. */
struct machine *import_llvm_parse(enum isa isa, const char *cpu, const char *text, size_t length,
                                  const char *const *forms, size_t form_count, struct err *err);

/* Frees the members of @notes. */
void osaca_notes_done(struct osaca_notes *notes);

/* Searches for the entry of every form in @forms (NULL if there are none) in OSACA's way: by
 * assembly name, on x86 with and without size suffix, and by operand classes. @forms must have the
 * file's instruction set. Composes a missing memory form from the register form and a load or
 * store. Skips and lists invalid entries. In files written by export_osaca, uses only the exact
 * names of forms (portolan_forms). Returns NULL with err (file:line:column and the violated rule)
 * on an error, or if nothing was imported. @notes may be NULL. osaca_notes_done frees its
 * members. */
struct machine *import_osaca(const char *id, const char *path,
                             const struct forms *const forms[ISA_COUNT], struct osaca_notes *notes,
                             struct err *err);
/* Imports like import_osaca, but from memory. @name is the file's name in messages. */
struct machine *import_osaca_parse(const char *id, const char *name, const char *text,
                                   size_t length, const struct forms *const forms[ISA_COUNT],
                                   struct osaca_notes *notes, struct err *err);

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
