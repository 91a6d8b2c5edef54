/* The program's options that are not settings, for usage, getopt and shell completion */
#ifndef PORTOLAN_CMD_PROGRAM_OPTIONS_H
#define PORTOLAN_CMD_PROGRAM_OPTIONS_H

#include "base/str.h"
#include "cmd/session.h"

/* getopt_long values of options without a short form */
enum program_option_value {
    OPTION_MACHINE = 256, OPTION_SESSION, OPTION_NO_COLOR, OPTION_COMPLETE, OPTION_NO_RC,
    OPTION_SETTINGS
};

/* words that a shell completes for an option's value */
enum program_option_completion {
    SHELL_NOTHING, SHELL_COMMANDS, SHELL_MACHINES, SHELL_DIRECTORY, SHELL_FILE
};

struct program_option {
    int value;           /* character of the short option, or an OPTION_ value */
    const char *name;    /* name without -- */
    const char *takes;   /* placeholder of the value; NULL: no value */
    const char *help;
    enum program_option_completion complete;
};
extern const struct program_option program_options[];   /* the options, ended by a NULL name */

/* Appends one line per option, including settings. */
void program_options_print(struct str *out);
/* Appends a completion script for @shell (bash, zsh or fish), which calls the program
 * (program_complete). Returns false for an unsupported shell. */
bool program_options_script(const char *shell, struct str *out);
/* Appends the completions of command line @line, one per line: completions of its last command, and
 * files. */
void program_complete(struct session *s, const char *line, struct str *out);

#endif
