/* Forms that no experiment can hold since they move the stack pointer: as what does the same without that, where small loops agree. Jumps take a slot. x86-64 alone. */
#ifndef PORTOLAN_CHART_SUBSTITUTES_H
#define PORTOLAN_CHART_SUBSTITUTES_H

#include "chart/lab.h"

/* Adds to c->machine those forms whose loops it foretells with them; after the facts, on which what a push takes depends. False with err. */
bool substitutes_find(struct lab *lab, struct chart *c, struct err *err);

#endif
