/* Parses columns that tools put before the code of a line. Each function returns the end of the
 * column. */
#ifndef PORTOLAN_TOOLCHAIN_COLUMNS_H
#define PORTOLAN_TOOLCHAIN_COLUMNS_H

#define BAR "\u2502"     /* of box-drawing tables */

/* Pairs of hex digits separated by blanks; @p itself when there are none. */
const char *column_bytes(const char *p, const char *end, unsigned *count);
/* Adjacent bytes, at least two digits; @p itself when there are none. */
const char *column_joined(const char *p, const char *end);
/* "12.34" with or without percent sign, and a following rule; NULL when there is none. A profile
 * leaves both blank without samples. */
const char *column_percent(const char *p, const char *end, float *percent);
/* Arrows of jumps before the instruction, as perf, objdump and JMH draw them, and blanks. */
const char *column_art(const char *p, const char *end);
/* End of the line without arrows and frames after its code (ranges of variables, windows), and
 * blanks. */
const char *column_art_before(const char *p, const char *end);

#endif
