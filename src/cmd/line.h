/* Splits command lines into commands and words. */
#ifndef PORTOLAN_CMD_LINE_H
#define PORTOLAN_CMD_LINE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define LINE_WORDS 1024   /* maximum number of words of a command, including its name */

struct line_words {
    char *items[LINE_WORDS + 1];
    int count;
    struct str storage;
};

/* Returns the end of the command at @at: a ';' outside quotes and parentheses, a '#' at the start
 * of a word (a comment), or a line end. A backslash escapes the next character. Sets *@next to the
 * start of the next command. */
const char *line_end(const char *at, const char **next);
/* Splits [text, end) into words separated by blanks. A blank in quotes or after a backslash does
 * not separate words. ~ at the start of a word is the home directory. Returns false with err. */
bool line_split(const char *text, const char *end, struct line_words *words, struct err *err);
/* Appends @before and @word in quotes, which line_split returns as one word. */
void line_add_quoted(const char *before, const char *word, struct str *out);
void line_words_done(struct line_words *words);
/* Returns a copy of the text after the first @skip words of [text, end), trimmed. Removes a
 * backslash before ; # \ or a quote. The caller frees it. */
char *line_rest(const char *text, const char *end, int skip);

#endif
