/* Settings: one record each, for program options, the session file, `set`, completion and help */
#ifndef PORTOLAN_CMD_SETTINGS_H
#define PORTOLAN_CMD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "table/result.h"
#include "toolchain/source_file.h"

#define THREADS_MAX 1024

/* background colour of the terminal, in the order of BACKGROUND_CHOICES */
enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT };
#define BACKGROUND_CHOICES "auto|dark|light"

struct settings {
    enum format format;
    bool color, ascii, keep_going, panes;
    enum background background;
    uint64_t seed;       /* default random seed of commands */
    unsigned threads;    /* default number of threads of commands; 0: one per processor */
    /* source directories for debug information, separated by ":" */
    char source_path[SOURCE_PATH_MOST];
};

enum setting_kind { SETTING_SWITCH, SETTING_CHOICE, SETTING_COUNT, SETTING_TEXT };

struct setting {
    /* name for `set` and the session file; the program's option is --name */
    const char *name;
    enum setting_kind kind;
    /* at: offset of the member in struct settings; width: 1 byte for switches, 4 or 8 bytes for
     * numbers and enums, or the size of a text */
    size_t at, width;
    /* for choices: alternatives in the order of the enum, such as "text|csv"; for counts: a word
     * that means 0; NULL: none */
    const char *choices;
    uint64_t least, most;      /* range of counts */
    const char *initial;       /* default in the user's notation */
    bool saved;                /* whether a session stores it */
    const char *help;          /* description in one line without a full stop */
};
extern const struct setting settings_table[];   /* ends with a NULL name */

void settings_init(struct settings *s);
/* Returns the setting with that name; NULL: none. In names _ and - are equivalent. */
const struct setting *setting_find(const char *name);
/* Parses @text. Returns false with err (may be NULL), which lists the allowed values. */
bool setting_set(struct settings *s, const struct setting *setting, const char *text,
                 struct err *err);
/* Copies the value of @setting from @from. */
void setting_take(struct settings *s, const struct settings *from, const struct setting *setting);
/* Appends the value in a form that setting_set accepts. */
void setting_print(const struct settings *s, const struct setting *setting, struct str *out);
/* Appends the allowed values: "text, csv or json", "a whole number from 1 to 1024, or auto", "on or
 * off". */
void setting_range(const struct setting *setting, struct str *out);

#endif
