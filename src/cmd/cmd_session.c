/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/session_file.h"

#define SCRIPT_LIMIT ((size_t)64 << 20)

bool cmd_source(struct session *s, int argc, char **argv, struct err *err)
{
    static int depth;
    struct str text = {0};

    if (argc != 2)
        return err_set(err, ERR_USAGE, "source FILE", "one file name was expected");
    if (depth == 16)
        return err_set(err, ERR_LIMIT, "does a script source itself?", "more than 16 scripts inside each other");
    depth++;
    bool ok = file_read(argv[1], SCRIPT_LIMIT, &text, err) && command_script(s, argv[1], str_text(&text), s->out, err);
    depth--;
    str_clear(&s->output);   /* the script's commands have printed theirs */
    str_done(&text);
    return ok;
}

bool cmd_quit(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argc;
    (void)argv;
    (void)err;
    s->quit = true;
    return true;
}

bool cmd_session_save(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc != 2)
        return err_set(err, ERR_USAGE, "session save DIRECTORY", "one directory was expected");
    return session_save(s, argv[1], err);
}

bool cmd_session_load(struct session *s, int argc, char **argv, struct err *err)
{
    if (argc != 2)
        return err_set(err, ERR_USAGE, "session load DIRECTORY", "one directory was expected");
    return session_load(s, argv[1], err);
}
