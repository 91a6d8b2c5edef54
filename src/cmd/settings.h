/* Settings: one record each, which the program's options, the session file, `set`, completion and
 * help read. */
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

/* Of the terminal; the words of the setting in their order. */
enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT };
#define BACKGROUND_CHOICES "auto|dark|light"

struct settings {
    enum format format;
    bool color, ascii, keep_going, panes;
    enum background background;
    uint64_t seed;       /* random seed, unless a command is given one */
    unsigned threads;    /* likewise; 0: one per processor */
    /* directories that debug information may name sources in, ":" between them */
    char source_path[SOURCE_PATH_MOST];
};

enum setting_kind { SETTING_SWITCH, SETTING_CHOICE, SETTING_COUNT, SETTING_TEXT };

struct setting {
    /* as `set` and the session file have it; the program's option has -- before it */
    const char *name;
    enum setting_kind kind;
    /* of its member in struct settings: a bool, a whole number or enum of 4 or 8 bytes, or text */
    size_t at, width;
    /* "text|csv": of a choice, in the order of its numbers; of a count a word for 0; NULL: none */
    const char *choices;
    uint64_t least, most;      /* of a count */
    const char *initial;       /* in words that setting_set takes */
    bool saved;                /* in a session directory */
    const char *help;          /* its meaning, one line without a full stop */
};
extern const struct setting settings_table[];   /* ends with a NULL name */

void settings_init(struct settings *s);
/* NULL when there is none of that name, in which _ and - are the same. */
const struct setting *setting_find(const char *name);
/* Reads @text; false with @err (may be NULL), which lists the allowed values. */
bool setting_set(struct settings *s, const struct setting *setting, const char *text,
                 struct err *err);
/* Takes over one value of @from. */
void setting_take(struct settings *s, const struct settings *from, const struct setting *setting);
/* Appends the value in words that setting_set takes. */
void setting_print(const struct settings *s, const struct setting *setting, struct str *out);
/* Allowed values: "text, csv or json", "1 to 1024, or auto", "on or off". */
void setting_range(const struct setting *setting, struct str *out);

#endif
