/* Code that records events in a thread's slot (SLOT_RING). It preserves the flags. */
#ifndef PORTOLAN_INSITU_EVENTS_H
#define PORTOLAN_INSITU_EVENTS_H

#include "insitu/code.h"
#include "insitu/region.h"

/* An event has a value in the low 48 bits. Its upper bits are the index of an instruction in the
 * region, or one of the constants below. */
#define EVENT_PASS 0xffffu     /* execution of the pivot */
#define EVENT_LEAVE 0xfffeu    /* exit from the loop */
#define EVENT_AWAY 0xfffdu     /* execution of an instruction in the original code,
                                * usually a call */
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
/* Append code that loads into rax the target of indirect jump @in, or the address of the memory
 * operand of @in. The code of @in is loaded @bias bytes above its address in the file. */
void events_load_target(struct code *c, const struct insn *in, uint64_t bias);
void events_load_address(struct code *c, const struct insn *in, uint64_t bias);
/* events_records returns whether the address or direction of instruction @i is recorded.
 * events_follows returns whether COPY_FOLLOW records its address, even if other modes do not.
 * events_unseen returns whether @i loads from other addresses, such as those of a gather. Stack
 * instructions and thread-local loads (segments) do not count. */
bool events_records(const struct region_insn *i);
bool events_unseen(const struct region_insn *i);
bool events_follows(const struct region_insn *i);

#endif
