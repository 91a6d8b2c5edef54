/* A separate thread that restores the terminal and saves the session after a fault. The faulting
 * thread may have exhausted its stack, or may hold a lock. */
#ifndef PORTOLAN_WORK_RESCUER_H
#define PORTOLAN_WORK_RESCUER_H

/* Starts the thread, which waits for faults (base/fault.h). If it is not started, the faulting
 * thread does the same work. UI thread. */
void rescuer_begin(void);
void rescuer_end(void);

#endif
