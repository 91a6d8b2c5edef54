/* A thread that frees large objects (base/free.h), to relieve the UI thread. */
#ifndef PORTOLAN_WORK_BACKGROUND_FREE_H
#define PORTOLAN_WORK_BACKGROUND_FREE_H

/* Starts the thread. If it is not started, objects are freed at once. UI thread. */
void background_free_begin(void);
/* Ends the thread after it has freed all objects. All other threads that call discard must have
 * ended. UI thread. */
void background_free_end(void);

#endif
