/* Imports a machine from an OSACA machine file (YAML): port_pressure, latency, load_throughput,
 * store_throughput. */
#ifndef PORTOLAN_IO_IMPORT_OSACA_H
#define PORTOLAN_IO_IMPORT_OSACA_H

#include "isa/forms.h"
#include "io/osaca_file.h"
#include "model/machine.h"

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

#endif
