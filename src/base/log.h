/* Messages for the user: kept in a ring that the Log view shows; batch mode prints them on
 * stderr. */
#ifndef PORTOLAN_BASE_LOG_H
#define PORTOLAN_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };

struct log_line {
    enum log_level level;
    double seconds;   /* since program start */
    char *text;
};

/* Appends a line. Any thread. */
void log_add(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Number of lines kept: the newest 10,000. Any thread. */
size_t log_count(void);
/* Copies line @index, oldest first; false past the end. The caller frees out_copy->text. */
bool log_get(size_t index, struct log_line *out_copy);
/* Incremented by each log_add, so that a view detects new lines. */
unsigned log_revision(void);
/* Warnings and errors go to stderr as well. */
void log_to_stderr(bool on);

#endif
