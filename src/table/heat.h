/* Colours of heat maps: cold to hot. */
#ifndef PORTOLAN_TABLE_HEAT_H
#define PORTOLAN_TABLE_HEAT_H

#include "base/str.h"

/* The background of a terminal with 256 colours for @share, 0 to 1. */
unsigned heat_terminal(double share);
/* Appends ` style="..."` for @share: white through yellow to red; text turns white where the ground is dark. */
void heat_html(double share, struct str *out);

#endif
