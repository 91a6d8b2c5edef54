/* Parses columns that tools print before the code of a line. Each function returns the end of the
 * column. */
#ifndef PORTOLAN_TOOLCHAIN_COLUMNS_H
#define PORTOLAN_TOOLCHAIN_COLUMNS_H

#define BAR "\u2502"     /* vertical line of tables drawn with box characters */

/* Skips pairs of hexadecimal digits separated by blanks, and returns their end. Stores their
 * number in *@count. Returns @p if there are none. */
const char *column_bytes(const char *p, const char *end, unsigned *count);
/* Skips an even number of adjacent hexadecimal digits before a blank or @end, and returns their
 * end; @p if there are none. */
const char *column_joined(const char *p, const char *end);
/* Parses "12.34", with or without a percent sign. A blank, a colon, a vertical line or @end must
 * follow, and is not skipped. Returns NULL if there is no such number. Lines without samples have a
 * blank column. Stores the number in *@percent. */
const char *column_percent(const char *p, const char *end, float *percent);
/* Skips blanks and the jump arrows that perf, objdump and JMH draw before the instruction, and
 * returns their end. */
const char *column_art(const char *p, const char *end);
/* Returns the end of the line's code. Excludes the blanks, arrows and frames after the code, such
 * as ranges of variables and window borders. */
const char *column_art_before(const char *p, const char *end);

#endif
