/* Machines of the user that correct other machines: $XDG_DATA_HOME/portolan/machines/ID with the
 * fact base (io/machine_file.h). */
#ifndef PORTOLAN_IO_MACHINE_USER_H
#define PORTOLAN_IO_MACHINE_USER_H

#include "model/machine.h"

struct corrections {
    /* forms with a changed usage; form names and sources are borrowed */
    struct mapping_entry *entries;
    size_t entry_count;
    struct latency_rule *rules;      /* latency rules; form names and sources are borrowed */
    size_t rule_count;
};

/* Adds @c, with ports @ports, to the user's machine @id. Creates the machine with @base and @title
 * if it is missing. Replaces rows of the same form, and latencies of the same form and operands.
 * The change is atomic. Stores the path of the directory, which the caller frees, in *@path.
 * Returns false with err; *@path is then NULL. */
bool machine_user_correct(const char *id, const char *base, const char *title,
                          const struct corrections *c, const struct ports *ports, char **path,
                          struct err *err);

#endif
