/* Frees large objects on another thread where one is there for it (work/background_free.h), since
 * that takes time too. */
#ifndef PORTOLAN_BASE_FREE_H
#define PORTOLAN_BASE_FREE_H

#define DISCARD_LEAST 10000   /* parts, such as rows, from which an object is large */

/* Calls @release on @object, which nobody else has: on the thread for it, or at once. Any
 * thread. */
void discard(void (*release)(void *object), void *object);
/* Sets the function that passes objects to that thread; NULL: none. */
void discard_set_taker(void (*take)(void (*release)(void *object), void *object));

#endif
