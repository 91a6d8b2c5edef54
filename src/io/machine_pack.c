/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdlib.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "io/machine_file.h"
#include "io/machine_save.h"

static const struct {
    const char *name;
    void (*write)(const struct machine *m, struct str *out);
} files[] = {{"machine.csv", machine_facts_csv},
             {"mapping.csv", machine_mapping_csv},
             {"latencies.csv", machine_latencies_csv}};

void machine_pack(const struct machine *m, struct str *out)
{
    struct str text = {0};

    pack_text(out, m->id);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        str_clear(&text);
        files[i].write(m, &text);
        pack_text(out, str_text(&text));
    }
    str_done(&text);
}

struct machine *machine_unpack(struct unpacking *from, struct err *err)
{
    const char *id = unpack_text(from);
    char *scratch = child_directory_new(err);
    struct machine *m = NULL;
    struct str path = {0};
    bool ok = scratch != NULL;

    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++) {
        const char *text = unpack_text(from);
        str_clear(&path);
        str_addf(&path, "%s/%s", scratch, files[i].name);
        ok = file_write(str_text(&path), text, strlen(text), err);
    }
    if (ok && from->broken)
        ok = err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                     "the machine sent by another rank is damaged");
    if (ok && (m = machine_load(scratch, err))) {
        free(m->id);
        /* Restores the original id, because the id of a directory has slashes. */
        m->id = mem_strdup(id);
    }
    child_directory_free(scratch);
    str_done(&path);
    return m;
}
