/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every pair of colours is legible: it has a contrast of at least 4.5 to 1 on common dark and light
 * terminal backgrounds. */
#include <math.h>
#include <stdlib.h>

#include "view/colours.h"
#include "../support/support.h"

#define LEAST 4.5

/* Dark backgrounds: black and those of common schemes. Light ones: white and those of the same
 * schemes. */
static const uint32_t grounds[2][4] = {{0x000000, 0x1e1e1e, 0x282c34, 0x002b36},
                                       {0xffffff, 0xfdf6e3, 0xfafafa, 0xf5f5f5}};
static const uint32_t texts[2] = {0xc8c8c8, 0x303030};   /* default text colours of terminals */

static void check(enum role role, bool many, bool light)
{
    const struct colour_pair pair = colour_of(role, many, light);

    /* With 8 colours the terminal defines the colours. Checks xterm's colours on xterm's
     * background. */
    for (size_t i = 0; i < (many ? 4u : 1u); i++) {
        const uint32_t fg = pair.fg == COLOUR_TERMINAL ? texts[light] : colour_rgb(pair.fg),
                       bg = pair.bg == COLOUR_TERMINAL ? grounds[light][i] : colour_rgb(pair.bg);
        const double contrast = colour_contrast(fg, bg);
        if (contrast < LEAST && !(pair.fg == COLOUR_TERMINAL && pair.bg == COLOUR_TERMINAL))
            fail_msg("role %d of %s colours on %06x: %06x on %06x has %.2f", (int)role,
                     many ? "256" : "8", grounds[light][i], fg, bg, contrast);
    }
}

static void test_each_pair(void **state)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int many = 0; many < 2; many++)
            for (int light = 0; light < 2; light++)
                check((enum role)role, many, light);
}

/* The contrasts are those of the WCAG recommendation and of independent calculators. */
static void test_contrast(void **state)
{
    assert_true(fabs(colour_contrast(0x000000, 0xffffff) - 21) < 1e-9);
    assert_true(fabs(colour_contrast(0x777777, 0xffffff) - 4.48) < 0.01);
    assert_true(fabs(colour_contrast(0xff0000, 0xffffff) - 4.00) < 0.01);
    assert_true(colour_contrast(0x123456, 0x123456) == 1);
    assert_int_equal(colour_rgb(196), 0xff0000);
    assert_int_equal(colour_rgb(244), 0x808080);
    assert_true(colour_is_light(0xfdf6e3) && !colour_is_light(0x282c34));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_pair),
                                       cmocka_unit_test(test_contrast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
