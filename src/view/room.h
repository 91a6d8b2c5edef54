/* Content widths of a table's columns, so that they get the room that they need and no more. */
#ifndef PORTOLAN_VIEW_ROOM_H
#define PORTOLAN_VIEW_ROOM_H

#include <stdint.h>

#include "view/table.h"

#define ROOM_COLUMNS 64   /* that room_empty has bits for */

/* Columns after the first without content, which give their width to others, bit by number. UI
 * thread. */
uint64_t room_empty(const struct table_source *source, const void *context);
/* Bytes of the widest cell of the column that has no width of its own but the room that others
 * leave: on a wide screen what belongs together would stand far apart. Of very many rows nobody
 * knows: UINT_MAX. UI thread. */
unsigned room_widest(const struct table_source *source, const void *context);

#endif
