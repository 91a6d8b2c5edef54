/* Command lines: where commands end, and their words. */
#ifndef PORTOLAN_CMD_LINE_H
#define PORTOLAN_CMD_LINE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define LINE_WORDS 1024   /* of one command, its name included */

struct line_words {
    char *items[LINE_WORDS + 1];
    int count;
    struct str storage;
};

/* End of the command at @at: a ';' outside quotes and parentheses, a '#' that begins a word (the
 * rest of the line is a comment), a line's end. A backslash escapes the following character.
 * *@next: the next character, where the next command begins. */
const char *line_end(const char *at, const char **next);
/* Splits [text, end) into words: blanks separate, quotes and backslash protect, ~ at the start of a
 * word is the home directory. False with err. */
bool line_split(const char *text, const char *end, struct line_words *words, struct err *err);
/* Appends @before and @word in quotes, so that line_split gives just that word. */
void line_add_quoted(const char *before, const char *word, struct str *out);
void line_words_done(struct line_words *words);
/* The text after the first @skip words of [text, end), blanks trimmed, as written; a backslash
 * before ; # \ or a quote is removed. To be freed. */
char *line_rest(const char *text, const char *end, int skip);

#endif
