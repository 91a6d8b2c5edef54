/* Frees large objects on a separate thread (work/background.h), because freeing takes long. If
 * there is no such thread, frees them at once. */
#ifndef PORTOLAN_BASE_FREE_H
#define PORTOLAN_BASE_FREE_H

#define DISCARD_LEAST 10000   /* minimum number of parts, such as rows, of a large object */

/* Calls @release on @object, to which no other reference may exist: on the thread that frees
 * objects, or at once if there is no such thread. Any thread. */
void discard(void (*release)(void *object), void *object);
/* Sets the function that passes objects to the thread that frees them; NULL: there is no such
 * thread. */
void discard_set_taker(void (*take)(void (*release)(void *object), void *object));

#endif
