/* Settings: one record each, for program options, session file, `set`, completion and help. */
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

/* Background of the terminal; in the order of the setting's words. */
enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT };
#define BACKGROUND_CHOICES "auto|dark|light"

struct settings {
    enum format format;
    bool color, ascii, keep_going, panes;
    enum background background;
    uint64_t seed;       /* default random seed of commands */
    unsigned threads;    /* default threads of commands; 0: one per processor */
    /* source directories for debug information, separated by ":" */
    char source_path[SOURCE_PATH_MOST];
};

enum setting_kind { SETTING_SWITCH, SETTING_CHOICE, SETTING_COUNT, SETTING_TEXT };

struct setting {
    /* name for `set` and session file; the program's option has -- before it */
    const char *name;
    enum setting_kind kind;
    /* offset of its member in struct settings: a bool, an integer or enum of 4 or 8 bytes, or
     * text */
    size_t at, width;
    /* choice: "text|csv" in the order of the enum; count: a word for 0; NULL: none */
    const char *choices;
    uint64_t least, most;      /* range of a count */
    const char *initial;       /* default, as typed text */
    bool saved;                /* saved with a session */
    const char *help;          /* meaning, one line without a full stop */
};
extern const struct setting settings_table[];   /* ends with a NULL name */

void settings_init(struct settings *s);
/* Returns the setting or NULL; _ and - in names are equal. */
const struct setting *setting_find(const char *name);
/* Parses @text; false with the allowed values in @err (may be NULL). */
bool setting_set(struct settings *s, const struct setting *setting, const char *text,
                 struct err *err);
/* Copies one value from @from. */
void setting_take(struct settings *s, const struct settings *from, const struct setting *setting);
/* Appends the value in a form that setting_set accepts. */
void setting_print(const struct settings *s, const struct setting *setting, struct str *out);
/* Allowed values: "text, csv or json", "1 to 1024, or auto", "on or off". */
void setting_range(const struct setting *setting, struct str *out);

#endif
