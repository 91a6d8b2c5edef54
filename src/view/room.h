/* Content widths of a table's columns, so that they get only the width they need. */
#ifndef PORTOLAN_VIEW_ROOM_H
#define PORTOLAN_VIEW_ROOM_H

#include <stdint.h>

#include "view/table.h"

#define ROOM_COLUMNS 64   /* columns covered by room_empty */

/* Bit set of columns after the first without content, whose width is given to others. UI thread. */
uint64_t room_empty(const struct table_source *source, const void *context);
/* Bytes of the widest cell in the column of variable width: limits it on a wide screen. UINT_MAX
 * for very many rows. UI thread. */
unsigned room_widest(const struct table_source *source, const void *context);

#endif
