/* Reads directories of machines, data/machines/<id>/. machine.csv has the columns
 * key,value,unit,source. mapping.csv has the columns form,usage,latency,micro_ops,source: forms
 * are unique, and `none` is the empty usage. advances.csv has generated rows of latencies.csv,
 * which apply after those. Three files are written by hand. overrides.csv (io/overrides.h) has
 * the columns of mapping.csv. An empty field leaves the generated value, +1*p23 adds and -1*p23
 * removes. A form with * ? or {A,B} is a pattern. Later rows take precedence. facts.csv has the
 * columns of machine.csv, over which its rows take precedence. latencies.csv has the columns
 * form,from,to,cycles,source: the latency between two operands. An operand is 1 to 9, base,
 * index, address, memory, flags or any. A row from alone to alone has the least cycles per copy.
 * A row from slowest to slowest has the latency with the slowest operand values. The form may be
 * a pattern. The first matching row applies. A directory without mapping.csv whose machine.csv
 * has the fact base contains only differences from that machine: facts, overrides and latencies. */
#ifndef PORTOLAN_IO_MACHINE_FILE_H
#define PORTOLAN_IO_MACHINE_FILE_H

#include "base/pack.h"
#include "model/machine.h"

/* Loads a machine from a directory (a path with a slash), or by id. An id is searched for in the
 * data directory, in the user's machines, and among processors' names (io/cpus.h). A processor's
 * name selects the machine of its core. Returns NULL with err. */
struct machine *machine_load(const char *id_or_dir, struct err *err);
/* Returns Portolan's id of machine @id. @id may also be a name that another tool uses (SKX, ZEN4,
 * znver5). If @id is unknown, returns a copy of it. The caller frees the string. */
char *machine_own_id(const char *id);
/* Loads like machine_load, but ignores the user's machines. Bases of the user's machines are loaded
 * in this way, because a machine's base may be a shipped machine of the same name. */
struct machine *machine_load_shipped(const char *id, struct err *err);
/* Loads only a mapping.csv. The machine's ports are all ports of the usages, sorted. Ports whose
 * names end in DV, or in DV and a number, are blocking pipes. Returns NULL with err. */
struct machine *machine_load_csv(const char *id, const char *path, struct err *err);
/* Applies a file in the format of overrides.csv. Returns false with err on failure; the rows before
 * the invalid one have then been applied. */
bool machine_override(struct machine *m, const char *path, struct err *err);
/* Parses text of a mapping.csv into @m, or if @overrides is true, of an overrides.csv. @name is the
 * file's name in errors. Returns false with err on an error; @m then has the preceding rows. */
bool machine_parse_mapping(struct mapping *m, const char *name, const char *bytes, size_t length,
                           bool overrides, struct err *err);
/* Parses text of a machine.csv or facts.csv into @facts. Later rows take precedence. Parses the
 * fact ports into @ports (may be NULL). Returns false with err on an error. */
bool machine_parse_facts(struct machine *facts, struct ports *ports, const char *name,
                         const char *bytes, size_t length, struct err *err);
/* Returns the ids of the shipped machines, sorted and NULL-terminated. The caller frees each id
 * and the array. */
char **machine_ids(void);
/* Returns the ids of the user's machines, in $XDG_DATA_HOME/portolan/machines, like machine_ids. */
char **machine_user_ids(void);
/* Returns whether the user has a machine @id. */
bool machine_user_has(const char *id);
/* Returns the directory of the user's machine @id, which need not exist. Returns NULL if there is
 * no home directory or the name is invalid. The caller frees the string. */
char *machine_user_directory(const char *id);


void machine_pack(const struct machine *m, struct str *out);
/* Reads a machine that machine_pack has packed, with the checks of machine_load. Returns NULL with
 * err for invalid bytes, or if temporary files cannot be written. The caller frees the machine. */
struct machine *machine_unpack(struct unpacking *from, struct err *err);

#endif
