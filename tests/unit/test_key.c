/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terminal sequences of keys. Common ones are known for any TERM, and others are consumed
 * completely. */
#include <string.h>

#include "cmd/key.h"
#include "../support/support.h"

static void test_known_keys(void **state)
{
    static const struct { const char *bytes; int key;
    } keys[] = {
        {"[A", KEYCODE_UP},         {"OB", KEYCODE_DOWN},     {"[1~", KEYCODE_HOME},
        {"[4~", KEYCODE_END},       {"[7~", KEYCODE_HOME},    {"OF", KEYCODE_END},
        {"[H", KEYCODE_HOME},       {"[3~", KEYCODE_DELETE},  {"[5~", KEYCODE_PAGE_UP},
        {"[6~", KEYCODE_PAGE_DOWN}, {"OP", KEYCODE_F1},       {"[11~", KEYCODE_F1},
        {"[15~", KEYCODE_F1 + 4},   {"[17~", KEYCODE_F1 + 5}, {"[21~", KEYCODE_F1 + 9},
        {"[24~", KEYCODE_F12},      {"[[C", KEYCODE_F1 + 2},  {"[Z", KEYCODE_BACKTAB},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char bytes[16];
        size_t used;
        strcpy(bytes, keys[i].bytes);
        strcat(bytes, "q");   /* The next key is not part of the sequence. */
        assert_int_equal(key_of_sequence(bytes, strlen(bytes), &used), keys[i].key);
        assert_int_equal(used, strlen(keys[i].bytes));
    }
}

static void test_others_are_swallowed_whole(void **state)
{
    static const char *const sequences[] = {"[1;5D",   "[1;2A",      "[2~",   "[3;5~",
                                            "[200;3~", "[25~",       "[E",    "Ox",
                                            "[?1;2c",  "[<0;10;10M", "[M !!", "[I"};
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        size_t used, length = strlen(sequences[i]);
        char bytes[32];
        strcpy(bytes, sequences[i]);
        strcat(bytes, "q");
        assert_int_equal(key_of_sequence(bytes, length + 1, &used), KEYCODE_NONE);
        assert_int_equal(used, length);
        for (size_t cut = 1; cut < length; cut++) {   /* This is an incomplete sequence. */
            assert_int_equal(key_of_sequence(bytes, cut, &used), KEYCODE_NONE);
            assert_int_equal(used, 0);
        }
    }
}

static void test_an_escape_of_its_own(void **state)
{
    static const char *const others[] = {"", "q", "1", ":", "[\r", "[1\033"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t used;
        assert_int_equal(key_of_sequence(others[i], strlen(others[i]), &used), KEYCODE_ESCAPE);
        assert_int_equal(used, 0);
    }
    char longest[64];
    size_t used;
    memset(longest, '1', sizeof longest);
    longest[0] = '[';
    assert_int_equal(key_of_sequence(longest, sizeof longest, &used), KEYCODE_ESCAPE);
    assert_int_equal(used, 0);
}

static void test_mouse_reports(void **state)
{
    static const struct { const char *bytes; int key, x, y;
    } reports[] = {
        {"[M !!", KEYCODE_CLICK, 0, 0},           {"[M 6\xc3", KEYCODE_CLICK, 21, 162},
        {"[M#6!", KEYCODE_SWALLOWED, 21, 0},      {"[M`6!", KEYCODE_WHEEL_UP, 21, 0},
        {"[Ma6!", KEYCODE_WHEEL_DOWN, 21, 0},     {"[<0;10;20M", KEYCODE_CLICK, 9, 19},
        {"[<0;10;20m", KEYCODE_SWALLOWED, 9, 19}, {"[<16;300;1M", KEYCODE_CLICK, 299, 0},
        {"[<2;1;1M", KEYCODE_SWALLOWED, 0, 0},    {"[<64;1;1M", KEYCODE_WHEEL_UP, 0, 0},
        {"[<65;1;1M", KEYCODE_WHEEL_DOWN, 0, 0},  {"[<32;1;1M", KEYCODE_SWALLOWED, 0, 0},
    };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const size_t length = strlen(reports[i].bytes);
        char bytes[32];
        size_t used;
        int x = -1, y = -1;
        strcpy(bytes, reports[i].bytes);
        strcat(bytes, "q");   /* The next key is not part of the sequence. */
        assert_int_equal(key_of_mouse(bytes, length + 1, &used, &x, &y), reports[i].key);
        assert_int_equal(used, length);
        assert_int_equal(x, reports[i].x);
        assert_int_equal(y, reports[i].y);
        for (size_t cut = 1; cut < length; cut++) {   /* This is an incomplete sequence. */
            assert_int_equal(key_of_mouse(bytes, cut, &used, &x, &y), KEYCODE_NONE);
            assert_int_equal(used, 0);
        }
    }
    static const char *const others[] = {
        "", "[", "[A", "[<0;1M", "[<0;1;2;3M", "[<0;1;2x", "[<999999999;1;1M", "q"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t used;
        int x, y;
        assert_int_equal(key_of_mouse(others[i], strlen(others[i]), &used, &x, &y), KEYCODE_NONE);
        assert_int_equal(used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_keys), cmocka_unit_test(test_others_are_swallowed_whole),
        cmocka_unit_test(test_an_escape_of_its_own), cmocka_unit_test(test_mouse_reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
