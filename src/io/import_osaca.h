/* A machine from an OSACA machine file (YAML): port_pressure, latency, load_throughput, store_throughput. */
#ifndef PORTOLAN_IO_IMPORT_OSACA_H
#define PORTOLAN_IO_IMPORT_OSACA_H

#include "isa/forms.h"
#include "model/machine.h"

struct osaca_notes {
    size_t entries;      /* instruction forms in the file */
    size_t direct;       /* our forms that an entry describes */
    size_t composed;     /* our forms put together from a register form and load_throughput or store_throughput */
    size_t rounded;      /* our forms with a fraction of a cycle in their pressure, rounded to whole cycles */
    size_t unnamed;      /* entries that no form of ours is */
};

/* Looks up every form of @forms as OSACA would find it: by AT&T name, with and without size suffix, and by operand classes; a form
 * with a memory operand that the file lacks is the register form plus a load or store. Files written by export_osaca name their
 * forms exactly (portolan_forms), and those are taken alone. x86 only. NULL with file:line:column and the rule broken.
 * @notes may be NULL. */
struct machine *import_osaca(const char *id, const char *path, const struct forms *forms, struct osaca_notes *notes, struct err *err);
/* The same from memory; @name is for the messages. */
struct machine *import_osaca_parse(const char *id, const char *name, const char *text, size_t length, const struct forms *forms,
                                   struct osaca_notes *notes, struct err *err);

#endif
