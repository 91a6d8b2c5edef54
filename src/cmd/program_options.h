/* The options of the program that are no settings: read by its usage, by getopt and by the
 * completion of shells. */
#ifndef PORTOLAN_CMD_PROGRAM_OPTIONS_H
#define PORTOLAN_CMD_PROGRAM_OPTIONS_H

#include "base/str.h"
#include "cmd/session.h"

/* Values of getopt_long for options without a letter. */
enum program_option_value {
    OPTION_MACHINE = 256, OPTION_SESSION, OPTION_NO_COLOR, OPTION_COMPLETE, OPTION_NO_RC,
    OPTION_SETTINGS
};

/* Completions of the value in a shell. */
enum program_option_completion {
    SHELL_NOTHING, SHELL_COMMANDS, SHELL_MACHINES, SHELL_DIRECTORY, SHELL_FILE
};

struct program_option {
    int value;           /* a letter that is the option's short form, or one of the above */
    const char *name;    /* without -- */
    const char *takes;   /* its value in capitals; NULL: none */
    const char *help;
    enum program_option_completion complete;
};
extern const struct program_option program_options[];   /* ends with a NULL name */

/* Appends a line for each, settings as well. */
void program_options_print(struct str *out);
/* Appends a completion script for @shell, bash, zsh or fish; it calls the program for command lines
 * (program_complete). False: unsupported shell. */
bool program_options_script(const char *shell, struct str *out);
/* Appends the completions of the command line @line, a line of text each: words of the last
 * command, and files. */
void program_complete(struct session *s, const char *line, struct str *out);

#endif
