/* Ports and port sets. A µop is the set of ports that can execute it. */
#ifndef PORTOLAN_MODEL_PORTSET_H
#define PORTOLAN_MODEL_PORTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define PORTS_MAX 32
#define PORT_NAME_MAX 12
/* maximum number of distinct sets in a mapping; real machines have about twenty */
#define PORTSETS_MAX 1024

typedef uint32_t portset;   /* bit i is port i of the machine's struct ports */

/* Ports of a machine, in display order. A blocking pipe (divider) is also a port. */
struct ports {
    unsigned count;
    char names[PORTS_MAX][PORT_NAME_MAX];   /* names: "0".."9", "A".., or longer names such as
                                             * "DV", "FP0" */
    portset pipes;                          /* blocking pipes (dividers) */
};

/* Appends port @name. Returns false with err if there are PORTS_MAX ports, or if the name exists,
 * is empty or is too long. Also returns false with err if it has characters other than letters,
 * digits and _. */
bool ports_add(struct ports *ports, const char *name, struct err *err);
/* Sets the names of @count ports, at most PORTS_MAX, to "0".."9", "A".. */
void ports_number(struct ports *ports, unsigned count);
/* Appends the ports of a list of names, such as "0,1,DV", which may have blanks. Returns false with
 * err if the list or a name is empty, or ports_add rejects a name. The names before it are then
 * already added. */
bool ports_parse(const char *list, struct ports *ports, struct err *err);
/* Returns the index of port @name (@length bytes); -1: none. */
int ports_find(const struct ports *ports, const char *name, size_t length);
/* Returns whether an undeclared port is a blocking pipe according to its name: the name ends in DV,
 * or in DV and a number (the convention of OSACA and Portolan). */
bool port_name_divides(const char *name);
bool ports_equal(const struct ports *a, const struct ports *b);
static inline unsigned portset_size(portset set)
{
    /* Counts the bits without __builtin_popcount, which is a call on x86-64 without the POPCNT
     * instruction. */
    set -= set >> 1 & 0x55555555u;
    set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
    return ((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
/* Appends the port names of @set with @separator between them, and @last before the last name. */
void portset_list(portset set, const struct ports *ports, const char *separator, const char *last,
                  struct str *out);
/* Compares by size, then by bits, for qsort. Elements are portset, or structs with a portset
 * first. */
int portset_by_size(const void *a, const void *b);
/* Appends text such as "p0156", or "p[V0,V1]" if a name is not a single digit or capital letter.
 * The empty set is "p", which portset_parse rejects. */
void portset_print(portset set, const struct ports *ports, struct str *out);
/* Parses a port set at *@text in either spelling of portset_print, and moves *@text after it.
 * err->column counts from the initial *@text. Returns false with err. Stores the port set in
 * *@out. */
bool portset_parse(const char **text, const struct ports *ports, portset *out, struct err *err);

#endif
