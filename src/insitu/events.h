/* Code that records events in a thread's slot (SLOT_RING). It preserves the flags. */
#ifndef PORTOLAN_INSITU_EVENTS_H
#define PORTOLAN_INSITU_EVENTS_H

#include "insitu/code.h"

/* An event has a value in the low 48 bits. Its upper bits are the index of an instruction in the
 * region, or one of the constants below. */
#define EVENT_PASS 0xffffu     /* execution of the pivot */
#define EVENT_LEAVE 0xfffeu    /* exit from the loop */
#define EVENT_AWAY 0xfffdu     /* execution of an instruction in the original, usually a call */
/* execution of a part of a loop of computed gotos; the value is the number of the patched place */
#define EVENT_PART 0xfffcu

/* events_save appends code that saves rax and rcx in SLOT_FREE0 and SLOT_FREE1. events_restore
 * appends code that restores them. */
void events_save(struct code *c);
void events_restore(struct code *c);
/* Appends code that records event @id with the value in rax, after events_save. Overwrites rcx. */
void events_add_rax(struct code *c, uint16_t id);
/* Appends code that records event @id with @value and preserves all registers. */
void events_add(struct code *c, uint16_t id, uint64_t value);

#endif
