/* Messages for the user, in a ring buffer that the log view shows. Batch mode also prints warnings
 * and errors on stderr. */
#ifndef PORTOLAN_BASE_LOG_H
#define PORTOLAN_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };

struct log_line {
    enum log_level level;
    double seconds;   /* seconds since the start of the program */
    char *text;
};

/* Appends a line. Any thread. */
void log_add(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the number of stored lines. Only the newest 10,000 lines are stored. Any thread. */
size_t log_count(void);
/* Copies stored line @index, from 0 for the oldest. Returns false beyond the last line. The caller
 * frees out_copy->text. */
bool log_get(size_t index, struct log_line *out_copy);
/* Copies the first stored line that is not older than line *@number, counted from 0 since the start
 * of the program. Sets *@number to the number of the next line. Returns false if there is no such
 * line. The caller frees out_copy->text. */
bool log_next(size_t *number, struct log_line *out_copy);
/* Sets whether warnings and errors are also printed on stderr. */
void log_to_stderr(bool on);

#endif
