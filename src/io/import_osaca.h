/* A machine from an OSACA machine file (YAML): port_pressure, latency, load_throughput, store_throughput. */
#ifndef PORTOLAN_IO_IMPORT_OSACA_H
#define PORTOLAN_IO_IMPORT_OSACA_H

#include "isa/forms.h"
#include "model/machine.h"

#define OSACA_NAME 32   /* what is kept of an entry's name */

/* An entry or rule that breaks the format: its line in the file, its first name, "" where it has none, and why. */
struct osaca_skip { size_t line; char name[OSACA_NAME], why[120]; };

/* An entry that describes no form of ours: its line in the file, its first name, and why, which lasts. */
struct osaca_unused { size_t line; char name[OSACA_NAME]; const char *why; };

struct osaca_notes {
    size_t entries;      /* instruction forms in the file */
    size_t direct;       /* our forms that an entry describes */
    size_t composed;     /* our forms put together from a register form and load_throughput or store_throughput */
    size_t rounded;      /* our forms with a fraction of a cycle in their pressure, rounded to whole cycles */
    size_t unnamed;      /* entries that no form of ours is, or that others hide */
    size_t unknown;      /* entries that do not say their ports, or an empty list of them and no throughput */
    struct osaca_skip *skipped;   /* what was left out, rules of load_throughput and store_throughput among it */
    size_t skipped_count;
    struct osaca_unused *unused;  /* the unnamed and the unknown, in the order of the file */
    size_t unused_count;
};

/* Frees what they hold. */
void osaca_notes_done(struct osaca_notes *notes);

/* Looks up every form of the file's instruction set in @forms (NULL: none of that set) as OSACA would find it: by the name that assembly text has, on x86 with and
 * without size suffix, and by operand classes; a form with a memory operand that the file lacks is the register form plus a load or store. An entry that breaks the
 * format is left out and listed. Files written by export_osaca name their forms exactly (portolan_forms), and those are taken alone. NULL with
 * file:line:column and the rule broken, also when nothing was taken. @notes may be NULL; osaca_notes_done frees what they hold. */
struct machine *import_osaca(const char *id, const char *path, const struct forms *const forms[ISA_COUNT], struct osaca_notes *notes, struct err *err);
/* The same from memory; @name is for the messages. */
struct machine *import_osaca_parse(const char *id, const char *name, const char *text, size_t length, const struct forms *const forms[ISA_COUNT],
                                   struct osaca_notes *notes, struct err *err);

#endif
