/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input from a terminal without paste marks. Distinguishes text from keys. */
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "view/clipboard.h"
#include "../support/support.h"

static void test_text(void **state)
{
    static const char *const texts[] = {"\tvmovapd\t(%r15,%rax), %ymm0\r",
                                        "addq $1, %rax",
                                        "mov eax, [rdi]\r",
                                        "  ldr q0, [x1], #16",
                                        ".L3:\r\tincq %rax\r\tjne .L3\r",
                                        "for (long i = 0; i < n; i++)\n    s += a[i];\n",
                                        "# a comment\nand its end\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(pasted_text(texts[i], strlen(texts[i])));
}

static void test_keys(void **state)
{
    static const char *const keys[] = {"",
                                       "q",
                                       "jjjjjjjjjjjjjjjj",
                                       "j\rj\rj\r",
                                       "\t\t\t",
                                       "2p--measure 0 --output f 'a b'\r",
                                       ":kernel load a b\r:view why\r",
                                       "j:set machine skylake\r:kernel measure\r",
                                       "\033[A\033[B",
                                       "\033[200~addq $1, %rax\r\033[201~",
                                       "\004",
                                       "p ./hot x y\r",
                                       "/vmov\rnnn",
                                       "L a.s\rt",
                                       "    "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (pasted_text(keys[i], strlen(keys[i])))
            fail_msg("taken for a paste: %s", keys[i]);
}

/* Recognises each kernel of the source tree, complete and after its first read only. */
static void test_kernels(void **state)
{
    struct str path = {0}, text = {0};
    struct err err = {0};
    str_addf(&path, "%s", source_path("data/kernels"));
    DIR *all = opendir(str_text(&path));
    unsigned seen = 0;
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        const size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".s") != 0)
            continue;
        str_clear(&path);
        str_clear(&text);
        str_addf(&path, "%s/%s", source_path("data/kernels"), entry->d_name);
        assert_true(file_read(str_text(&path), 1 << 20, &text, &err));
        assert_true(pasted_text(text.data, text.length));
        assert_true(pasted_text(text.data, text.length < 200 ? text.length : 200));
        seen++;
    }
    assert_true(seen > 5);
    closedir(all);
    str_done(&path);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests_name("pasted", tests, NULL, NULL);
}
