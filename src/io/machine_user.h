/* Machines of the user's own that hold corrections of another one:
 * $XDG_DATA_HOME/portolan/machines/ID with the fact base (io/machine_file.h). */
#ifndef PORTOLAN_IO_MACHINE_USER_H
#define PORTOLAN_IO_MACHINE_USER_H

#include "model/machine.h"

struct corrections {
    struct mapping_entry *entries;   /* forms whose usage changes; forms and sources borrowed */
    size_t entry_count;
    struct latency_rule *rules;      /* likewise */
    size_t rule_count;
};

/* Adds @c, whose ports are @ports, to the user's machine @id, which is made with @base and @title
 * if missing; replaces rows of the same form (and operands). All of it or nothing. *@path gets the
 * directory, which the caller frees. */
bool machine_user_correct(const char *id, const char *base, const char *title,
                          const struct corrections *c, const struct ports *ports, char **path,
                          struct err *err);

#endif
