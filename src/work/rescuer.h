/* Restores the terminal and saves the session after a fault on a separate thread, since the
 * faulting one may lack a stack, or hold a lock. */
#ifndef PORTOLAN_WORK_RESCUER_H
#define PORTOLAN_WORK_RESCUER_H

/* Starts the thread, which waits for faults (base/fault.h). If it cannot be started, the faulting
 * thread does its work. UI thread. */
void rescuer_begin(void);
void rescuer_end(void);

#endif
