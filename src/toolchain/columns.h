/* Columns that tools put before the code of a line. Each returns the end of the column. Any
 * thread. */
#ifndef PORTOLAN_TOOLCHAIN_COLUMNS_H
#define PORTOLAN_TOOLCHAIN_COLUMNS_H

#define BAR "\u2502"     /* of tables drawn with lines */

/* Pairs of hex digits with blanks between; @p itself when there is none. */
const char *column_bytes(const char *p, const char *end, unsigned *count);
/* Bytes next to each other, at least two digits; @p itself when there is none. */
const char *column_joined(const char *p, const char *end);
/* "12.34" with or without a percent sign, and the rule after it; NULL when there is none. A profile
 * leaves both blank without samples. */
const char *column_percent(const char *p, const char *end, float *percent);
/* Arrows of jumps, as perf, objdump and JMH draw them before the instruction, and blanks. */
const char *column_art(const char *p, const char *end);
/* The end of the line without the arrows and frames after its code (ranges of variables, windows),
 * and blanks. */
const char *column_art_before(const char *p, const char *end);

#endif
