/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/command.h"

bool cmd_view(struct session *s, int argc, char **argv, struct err *err)
{
    if (!s->view_command)
        return err_set(err, ERR_USAGE, NULL, "nothing shows views here");
    if (argc < 2 && strcmp(argv[0], "view") == 0)
        return err_set(err, ERR_USAGE, "help view lists them", "no view is named");
    return s->view_command(s, argv[0], argc > 1 ? argv[1] : "", err);
}
