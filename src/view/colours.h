/* Colours of roles for terminals with 256 or 8 colours, on dark and light backgrounds. Each pair
 * has a contrast of at least 4.5 to 1 (WCAG 2.1). Any thread. */
#ifndef PORTOLAN_VIEW_COLOURS_H
#define PORTOLAN_VIEW_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "view/grid.h"

#define COLOUR_TERMINAL (-1)   /* the terminal's own foreground or background */

/* Foreground and background of a role, as indices into the terminal's palette. */
struct colour_pair { short fg, bg; };
/* Returns the colours of @role. @many: whether the terminal has 256 colours instead of 8. @light:
 * whether its background is light. */
struct colour_pair colour_of(enum role role, bool many, bool light);
/* Returns palette entry @number as 0xrrggbb: one of xterm's first 16 colours, of the colour cube,
 * or of the greys. */
uint32_t colour_rgb(short number);
/* Returns the contrast of two colours, from 1 to 21 (WCAG 2.1). */
double colour_contrast(uint32_t a, uint32_t b);
/* Returns whether black has more contrast with @background than white. */
bool colour_is_light(uint32_t background);

#endif
