/* data/machines/<id>/: machine.csv (key,value,unit,source), mapping.csv
 * (form,usage,latency,micro_ops,source; each form once, `none` is the empty usage) and by hand:
 * overrides.csv (the same columns; an empty field keeps the generated value, `none` is the empty
 * usage, +1*p23 adds and -1*p23 removes, a form with * ? or {A,B} means every form that matches;
 * later rows win; io/overrides.h), facts.csv (the columns of machine.csv; its rows win) and
 * latencies.csv (form,from,to,cycles,source: latency between two operands, each 1 to 9, base,
 * index, address, memory, flags or any; from alone to alone: the least cycles of one copy among
 * copies of it; the form may be such a pattern; the first match wins). A directory whose
 * machine.csv has the fact base holds only differences from that machine: facts, overrides and
 * latencies. */
#ifndef PORTOLAN_IO_MACHINE_FILE_H
#define PORTOLAN_IO_MACHINE_FILE_H

#include "model/machine.h"

/* Loads a directory (a path with a slash), or an id looked up below the data directory, then among
 * the user's machines, then as the name of a processor (io/cpus.h), which is the machine of its
 * core under that name. NULL on failure; nothing half-loaded stays. */
struct machine *machine_load(const char *id_or_dir, struct err *err);
/* The id of the machine @id, which may be another tool's name of it (SKX, ZEN4, znver5); @id itself
 * if there is none. The caller frees. Any thread. */
char *machine_own_id(const char *id);
/* The same without the user's machines, which can be based on any of these. */
struct machine *machine_load_shipped(const char *id, struct err *err);
/* A mapping.csv alone: its ports are those that the usages mention, sorted; names that end in DV,
 * or DV and a number, are blocking pipes. */
struct machine *machine_load_csv(const char *id, const char *path, struct err *err);
/* Applies a file like overrides.csv; on failure some rows may have been applied. */
bool machine_override(struct machine *m, const char *path, struct err *err);
/* Reads the text of a mapping.csv into @m, or with @overrides that of an overrides.csv over its
 * rows. Faults name @name as the file; after one @m holds the rows before it. */
bool machine_parse_mapping(struct mapping *m, const char *name, const char *bytes, size_t length,
                           bool overrides, struct err *err);
/* Reads the text of a machine.csv or facts.csv into @facts, later rows win, and its fact ports into
 * @ports when not NULL. */
bool machine_parse_facts(struct machine *facts, struct ports *ports, const char *name,
                         const char *bytes, size_t length, struct err *err);
/* Ids of the shipped machines, sorted; NULL-terminated; free each and the array. */
char **machine_ids(void);
/* The same of the user's own, below $XDG_DATA_HOME/portolan/machines. */
char **machine_user_ids(void);
/* Whether the user has a machine @id. */
bool machine_user_has(const char *id);
/* The directory that the user's machine @id has or would have; the caller frees. NULL without a
 * home, or for what is no name. */
char *machine_user_directory(const char *id);

#endif
