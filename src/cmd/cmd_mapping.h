/* Functions shared by the commands that add mappings. UI thread. */
#ifndef PORTOLAN_CMD_CMD_MAPPING_H
#define PORTOLAN_CMD_CMD_MAPPING_H

#include "cmd/session.h"
#include "cmd/task.h"

#define MAPPING_ID 64

/* Makes the machine's id from a file name: "dir/skx.yml" becomes "skx". Stores the id in @id. */
void mapping_id_from_path(const char *path, char id[MAPPING_ID]);
/* Appends a line such as "skx: 3453 forms on 10 ports". */
void mapping_describe(const struct machine *m, struct result *result);
/* Adds @take_machine, selects it, and describes it in @result. Returns false if @take_machine is
 * NULL; also with err if the machine cannot be selected. @what: name of the command for undo. */
bool mapping_adopt(struct session *s, struct machine *take_machine, const char *what,
                   struct result *result, struct err *err);
/* Source of a mapping: a file of OSACA or PMEvo, a CSV file with form,usage,latency, or a machine
 * directory */
enum mapping_source { MAPPING_OSACA, MAPPING_PMEVO, MAPPING_CSV, MAPPING_DIRECTORY };
/* Makes @task read @path and adopt the mapping for command @title. Returns true. */
bool mapping_read(struct session *s, const char *title, const char *path,
                  enum mapping_source source, struct task *task);

#endif
