/* A thread that frees large objects (base/free.h), so that the screen need not wait for it. */
#ifndef PORTOLAN_WORK_BACKGROUND_FREE_H
#define PORTOLAN_WORK_BACKGROUND_FREE_H

/* Starts the thread; without it objects are freed at once. UI thread. */
void background_free_begin(void);
/* Ends it after it has freed everything, and all other threads that discard have ended. UI
 * thread. */
void background_free_end(void);

#endif
