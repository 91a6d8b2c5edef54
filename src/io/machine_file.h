/* data/machines/<id>/: machine.csv (key,value,unit,source) and mapping.csv
 * (form,usage,latency,micro_ops,source; unique forms, `none` is the empty usage). By hand:
 * overrides.csv (the same columns; an empty field keeps the generated value, +1*p23 adds and -1*p23
 * removes, a form with * ? or {A,B} is a pattern; later rows win; io/overrides.h), facts.csv (the
 * columns of machine.csv; its rows win) and latencies.csv (form,from,to,cycles,source: latency
 * between two operands, each 1 to 9, base, index, address, memory, flags or any; from alone to
 * alone: the least cycles per copy; the form may be a pattern; the first match wins). A directory
 * whose machine.csv has the fact base holds only differences from that machine: facts, overrides
 * and latencies. */
#ifndef PORTOLAN_IO_MACHINE_FILE_H
#define PORTOLAN_IO_MACHINE_FILE_H

#include "base/pack.h"
#include "model/machine.h"

/* Loads a directory (a path with a slash), or an id: from the data directory, then the user's
 * machines, then as a processor's name (io/cpus.h), which gives its core's machine that name. NULL
 * with err. */
struct machine *machine_load(const char *id_or_dir, struct err *err);
/* Own id of machine @id, which may be another tool's name (SKX, ZEN4, znver5); @id itself if
 * unknown. The caller frees. */
char *machine_own_id(const char *id);
/* As machine_load without the user's machines, which can be based on any of these. */
struct machine *machine_load_shipped(const char *id, struct err *err);
/* Loads only a mapping.csv: its ports are those of the usages, sorted; names that end in DV, or DV
 * and a number, are blocking pipes. */
struct machine *machine_load_csv(const char *id, const char *path, struct err *err);
/* Applies a file in the format of overrides.csv; on failure some rows may have been applied. */
bool machine_override(struct machine *m, const char *path, struct err *err);
/* Reads text of a mapping.csv into @m, or with @overrides text of an overrides.csv. Errors name
 * @name as the file; after one @m has the preceding rows. */
bool machine_parse_mapping(struct mapping *m, const char *name, const char *bytes, size_t length,
                           bool overrides, struct err *err);
/* Reads text of a machine.csv or facts.csv into @facts, later rows win, and its fact ports into
 * @ports unless NULL. */
bool machine_parse_facts(struct machine *facts, struct ports *ports, const char *name,
                         const char *bytes, size_t length, struct err *err);
/* Ids of the shipped machines, sorted; NULL-terminated; free each and the array. */
char **machine_ids(void);
/* The same for the user's machines, below $XDG_DATA_HOME/portolan/machines. */
char **machine_user_ids(void);
/* Returns whether the user has a machine @id. */
bool machine_user_has(const char *id);
/* Directory of the user's machine @id, existing or not; the caller frees. NULL without a home, or
 * for an invalid name. */
char *machine_user_directory(const char *id);

/* machine_pack.c: a machine as bytes for another process (base/pack.h), all that a directory of it
 * would hold. */

void machine_pack(const struct machine *m, struct str *out);
/* Reads it like a directory; the caller frees. NULL with err for invalid bytes or without a
 * temporary directory. */
struct machine *machine_unpack(struct unpacking *from, struct err *err);

#endif
