/* The program's options that are no settings, for usage, getopt and shell completion. */
#ifndef PORTOLAN_CMD_PROGRAM_OPTIONS_H
#define PORTOLAN_CMD_PROGRAM_OPTIONS_H

#include "base/str.h"
#include "cmd/session.h"

/* getopt_long values of options without a letter. */
enum program_option_value {
    OPTION_MACHINE = 256, OPTION_SESSION, OPTION_NO_COLOR, OPTION_COMPLETE, OPTION_NO_RC,
    OPTION_SETTINGS
};

/* Completion of the value in a shell. */
enum program_option_completion {
    SHELL_NOTHING, SHELL_COMMANDS, SHELL_MACHINES, SHELL_DIRECTORY, SHELL_FILE
};

struct program_option {
    int value;           /* the short option's letter, or one of the above */
    const char *name;    /* without -- */
    const char *takes;   /* placeholder of its value; NULL: none */
    const char *help;
    enum program_option_completion complete;
};
extern const struct program_option program_options[];   /* ends with a NULL name */

/* Appends a line per option, including settings. */
void program_options_print(struct str *out);
/* Appends a completion script for @shell (bash, zsh or fish), which calls the program for command
 * lines (program_complete). False: unsupported shell. */
bool program_options_script(const char *shell, struct str *out);
/* Appends the completions of command line @line, one per line: words of the last command, and
 * files. */
void program_complete(struct session *s, const char *line, struct str *out);

#endif
