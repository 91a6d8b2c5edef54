/* Code that takes the time: when control leaves a loop and when it returns, and code to calibrate
 * that. One thread. */
#ifndef PORTOLAN_INSITU_STAMPS_H
#define PORTOLAN_INSITU_STAMPS_H

#include "insitu/code.h"

/* of the code of stamps_clock: 16,000 multiplications of 3 cycles, to which its two stamps and its
 * end add about 60 */
#define CLOCK_CYCLES 48060.0
#define VISITS 32u

/* Notes the time at which control leaves the loop, and counts that (SLOT_LEAVES). Keeps all
 * registers and flags. */
void stamps_leave(struct code *c);
/* Notes the time at which it returns, and adds to SLOT_AWAY the ticks since it left. Keeps all
 * registers and flags. */
void stamps_enter(struct code *c);
/* Adds multiplications that wait for one another, between two stamps: the code leaves their ticks
 * in rax, uses rax, rcx, rdx, r8 and r9 and ends with int3. Returns its label. */
uint32_t stamps_clock(struct code *c);
/* Adds VISITS visits of a loop in which nothing is done, between two stamps: the code leaves their
 * ticks in r8, besides what SLOT_AWAY grows by, and ends with int3. Returns its label. */
uint32_t stamps_visits(struct code *c);

#endif
