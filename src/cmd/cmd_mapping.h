/* Shared parts of the commands that add mappings. UI thread. */
#ifndef PORTOLAN_CMD_CMD_MAPPING_H
#define PORTOLAN_CMD_CMD_MAPPING_H

#include "cmd/session.h"
#include "cmd/task.h"

#define MAPPING_ID 64

/* "dir/skx.yml" becomes "skx": the name of a machine read from a file. */
void mapping_id_from_path(const char *path, char id[MAPPING_ID]);
/* The line "skx: 3453 forms on 10 ports". */
void mapping_describe(const struct machine *m, struct result *result);
/* Adds @take_machine (NULL: false), makes it current, as command @what, which undo names, and
 * describes it in @result. */
bool mapping_adopt(struct session *s, struct machine *take_machine, const char *what,
                   struct result *result, struct err *err);
/* Where a mapping comes from: a tool's file, form,usage,latency alone, or a machine's directory. */
enum mapping_source { MAPPING_OSACA, MAPPING_PMEVO, MAPPING_CSV, MAPPING_DIRECTORY };
/* Makes @task read @path and adopt its mapping as command @title. True. */
bool mapping_read(struct session *s, const char *title, const char *path,
                  enum mapping_source source, struct task *task);

#endif
