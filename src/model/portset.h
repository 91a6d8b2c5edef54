/* Ports and sets of them. A µop is the set of ports that can execute it. */
#ifndef PORTOLAN_MODEL_PORTSET_H
#define PORTOLAN_MODEL_PORTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define PORTS_MAX 32
#define PORT_NAME_MAX 12
/* distinct sets per experiment: real machines have some twenty in total */
#define PORTSETS_MAX 1024

typedef uint32_t portset;   /* bit i: port i of the machine's struct ports */

/* The ports of a machine, in display order. A blocking pipe (divider) is a port too. */
struct ports {
    unsigned count;
    char names[PORTS_MAX][PORT_NAME_MAX];   /* "0".."9", "A".., or longer: "DV", "FP0" */
    portset pipes;                          /* bit set of blocking pipes (dividers) */
};

/* Appends @name; false when full, the name is a duplicate or has characters besides letters, digits
 * and _. */
bool ports_add(struct ports *ports, const char *name, struct err *err);
/* Names @count ports "0".."9", "A".., at most PORTS_MAX. */
void ports_number(struct ports *ports, unsigned count);
/* Appends the ports of a list of names, "0,1,DV" (blanks allowed). False with err when the list or
 * a name is empty, or a name is invalid for ports_add; previous ones are added then. */
bool ports_parse(const char *list, struct ports *ports, struct err *err);
/* Index of the port called @name (length bytes), or -1. */
int ports_find(const struct ports *ports, const char *name, size_t length);
/* Returns whether an undeclared port is a blocking pipe by its name: it ends in DV (OSACA's
 * convention and ours), or in DV and a number. */
bool port_name_divides(const char *name);
bool ports_equal(const struct ports *a, const struct ports *b);
static inline unsigned portset_size(portset set)
{
    /* Inline, since __builtin_popcount is a call without the instruction, which some x86-64 CPUs
     * lack. */
    set -= set >> 1 & 0x55555555u;
    set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
    return ((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
/* Appends the names of the ports in @set with @separator, and @last before the last one. */
void portset_list(portset set, const struct ports *ports, const char *separator, const char *last,
                  struct str *out);
/* Comparison for qsort: by size, then bits, of portset or structs that begin with one. */
int portset_by_size(const void *a, const void *b);
/* Prints "p0156", or "p[V0,V1]" when a member's name is longer than one character; "p" for the
 * empty set is never valid. */
void portset_print(portset set, const struct ports *ports, struct str *out);
/* Parses the same at *@text (both spellings) and moves *@text past it; err->column counts from the
 * start given. */
bool portset_parse(const char **text, const struct ports *ports, portset *out, struct err *err);

#endif
