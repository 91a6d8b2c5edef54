/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/colours.h"

#include <math.h>

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };   /* the palette of 8 colours */

#define OWN COLOUR_TERMINAL
#define HEATS (ROLE_HEAT_LAST - ROLE_HEAT_0 + 1)

/* Colours of roles in the 256-colour palette, for dark and light backgrounds. */
static const struct colour_pair many_colours[2][ROLE_HEAT_0] = {
    {[ROLE_TEXT] = {OWN, OWN},
     [ROLE_DIM] = {248, OWN},
     [ROLE_TITLE] = {80, OWN},
     [ROLE_HEADER] = {80, OWN},
     [ROLE_CURSOR] = {16, 80},
     [ROLE_KEY] = {252, 238},
     [ROLE_STATUS] = {OWN, OWN},
     [ROLE_ERROR] = {210, OWN},
     [ROLE_WARN] = {221, OWN},
     [ROLE_GOOD] = {114, OWN},
     [ROLE_ACCENT] = {183, OWN},
     [ROLE_MATCH] = {16, 221}},
    {[ROLE_TEXT] = {OWN, OWN},
     [ROLE_DIM] = {240, OWN},
     [ROLE_TITLE] = {24, OWN},
     [ROLE_HEADER] = {24, OWN},
     [ROLE_CURSOR] = {231, 24},
     [ROLE_KEY] = {16, 252},
     [ROLE_STATUS] = {OWN, OWN},
     [ROLE_ERROR] = {124, OWN},
     [ROLE_WARN] = {94, OWN},
     [ROLE_GOOD] = {22, OWN},
     [ROLE_ACCENT] = {90, OWN},
     [ROLE_MATCH] = {16, 221}},
};
static const struct colour_pair few_colours[2][ROLE_HEAT_0] = {
    {[ROLE_TEXT] = {OWN, OWN},
     [ROLE_DIM] = {OWN, OWN},
     [ROLE_TITLE] = {CYAN, OWN},
     [ROLE_HEADER] = {CYAN, OWN},
     [ROLE_CURSOR] = {BLACK, CYAN},
     [ROLE_KEY] = {BLACK, WHITE},
     [ROLE_STATUS] = {OWN, OWN},
     [ROLE_ERROR] = {WHITE, RED},
     [ROLE_WARN] = {YELLOW, OWN},
     [ROLE_GOOD] = {GREEN, OWN},
     [ROLE_ACCENT] = {CYAN, OWN},
     [ROLE_MATCH] = {BLACK, YELLOW}},
    {[ROLE_TEXT] = {OWN, OWN},
     [ROLE_DIM] = {OWN, OWN},
     [ROLE_TITLE] = {BLUE, OWN},
     [ROLE_HEADER] = {BLUE, OWN},
     [ROLE_CURSOR] = {WHITE, BLUE},
     [ROLE_KEY] = {BLACK, WHITE},
     [ROLE_STATUS] = {OWN, OWN},
     [ROLE_ERROR] = {WHITE, RED},
     [ROLE_WARN] = {RED, OWN},
     [ROLE_GOOD] = {OWN, OWN},
     [ROLE_ACCENT] = {BLUE, OWN},
     [ROLE_MATCH] = {BLACK, YELLOW}},
};
/* Background colours of the heat map, from cold to hot. */
static const short many_heats[2][HEATS] = {
    {236, 237, 238, 58, 94, 130, 166, 172, 208, 202, 196, 160},
    {255, 254, 253, 230, 229, 222, 215, 214, 208, 202, 196, 160}};
static const short few_heats[HEATS] = {OWN,  OWN,   OWN,    BLUE,   BLUE, CYAN,
                                       CYAN, GREEN, YELLOW, YELLOW, RED,  RED};

uint32_t colour_rgb(short number)
{
    static const uint32_t first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                       0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                       0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
    static const uint32_t steps[6] = {0, 0x5f, 0x87, 0xaf, 0xd7, 0xff};

    if (number < 16)
        return first[number];
    if (number >= 232)
        return (uint32_t)(8 + 10 * (number - 232)) * 0x010101u;
    number -= 16;
    return steps[number / 36] << 16 | steps[number / 6 % 6] << 8 | steps[number % 6];
}

static double luminance(uint32_t rgb)
{
    /* luminance weights: blue, green, red */
    static const double weights[3] = {0.0722, 0.7152, 0.2126};
    double sum = 0;

    for (int i = 0; i < 3; i++, rgb >>= 8) {
        const double part = (rgb & 255) / 255.;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double colour_contrast(uint32_t a, uint32_t b)
{
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

    return x > y ? x / y : y / x;
}

bool colour_is_light(uint32_t background)
{
    return colour_contrast(background, 0x000000) > colour_contrast(background, 0xffffff);
}

/* Returns black or white, whichever has more contrast with @bg; OWN for OWN. */
static short on(short bg, bool many)
{
    const short black = many ? 16 : BLACK, white = many ? 231 : WHITE;

    if (bg == OWN)
        return OWN;
    return colour_contrast(colour_rgb(black), colour_rgb(bg)) >
                   colour_contrast(colour_rgb(white), colour_rgb(bg))
               ? black
               : white;
}

struct colour_pair colour_of(enum role role, bool many, bool light)
{
    if (role < ROLE_HEAT_0)
        return (many ? many_colours : few_colours)[light][role];
    const short bg = many ? many_heats[light][role - ROLE_HEAT_0] : few_heats[role - ROLE_HEAT_0];
    return (struct colour_pair){on(bg, many), bg};
}
