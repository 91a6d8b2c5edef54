/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Built-in machines equal their text in every part, and are used only if the text is unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "../support/support.h"
#include "io/machine_image.h"

static const char *const names[] = {"machine.csv",   "facts.csv",     "mapping.csv",
                                    "overrides.csv", "latencies.csv", "advances.csv"};
#define NAMES (sizeof names / sizeof *names)

/* Copies the files of the shipped machine @id, and appends @extra to the file named @changed. */
static void copy_machine(const char *id, const char *changed, const char *extra)
{
    for (size_t i = 0; i < NAMES; i++) {
        struct str from = {0}, to = {0}, bytes = {0};
        str_addf(&from, "machines/%s/%s", id, names[i]);
        str_add(&to, work_path(names[i]));
        char *path = file_data_path(str_text(&from));
        unlink(str_text(&to));
        if (path) {
            assert_true(file_read(path, (size_t)16 << 20, &bytes, NULL));
            if (strcmp(names[i], changed) == 0)
                str_add(&bytes, extra);
            assert_true(file_write(str_text(&to), bytes.data, bytes.length, NULL));
        }
        free(path);
        str_done(&bytes);
        str_done(&from);
        str_done(&to);
    }
}

/* Compares machines, including the order of forms. */
static void assert_same_image(const struct machine *a, const struct machine *b)
{
    assert_same_machine(a, b);
    for (size_t i = 0; i < mapping_count(a->mapping); i++) {
        assert_string_equal(mapping_at(a->mapping, i)->form, mapping_at(b->mapping, i)->form);
        assert_int_equal(mapping_index(a->mapping, mapping_at(b->mapping, i)->form), i);
    }
}

/* Returns the image that matches the copy's files, or NULL. */
static struct machine *image_of(const char *id)
{
    struct machine *m;
    assert_true(machine_image_load(id, work_path(""), &m, NULL));
    return m;
}

static bool large_fails(size_t size)
{
    return size > MEM_SMALL;
}

static void test_no_memory(void **state)
{
    struct err err = {0};
    struct machine *m;

    if (!machine_images_size)
        return;
    copy_machine("skylake", "", "");
    mem_fault = large_fails;
    bool ok = machine_image_load("skylake", work_path(""), &m, &err);
    struct machine *loaded = machine_load(work_path(""), NULL);
    mem_fault = NULL;
    assert_false(ok);
    assert_null(m);
    assert_null(loaded);
    assert_int_equal(err.code, ERR_MEMORY);
}

/* A machine with a base has no image, because the base's files would have to be compared as well. A
 * blank line has no meaning, but makes the text differ from that of the image. */
static void test_same_as_text(void **state)
{
    char **ids = machine_ids();

    if (!machine_images_size)
        skip();   /* This image was built for another instruction set than the host's. */
    for (size_t i = 0; ids[i]; i++) {
        struct machine *shipped = load_machine(ids[i]);
        bool based = machine_fact(shipped, "base") != NULL;
        machine_free(shipped);
        copy_machine(ids[i], "", "");
        struct machine *image = image_of(ids[i]);
        if (based) {
            assert_null(image);
            free(ids[i]);
            continue;
        }
        if (!image)
            fail_msg("no image of %s", ids[i]);
        copy_machine(ids[i], "mapping.csv", "\n");
        assert_null(image_of(ids[i]));
        struct machine *text = load_machine(work_path(""));
        assert_same_image(image, text);
        machine_free(image);
        machine_free(text);
        free(ids[i]);
    }
    free(ids);
}

/* A change in any file, a new file or a missing file invalidates the image. */
static void test_changed(void **state)
{
    static const char *const rows[] = {"title,Mine,,\n",         "loads_per_cycle,7,,\n",
                                       "MINE (R64),1*p0,1,1,\n", "\"ADD (R64, R64)\",3*p1,,,\n",
                                       "MINE (R64),1,1,5,\n",    "MINE (X),1,1,5,\n"};

    for (size_t i = 0; i < NAMES; i++) {
        const char *id = strcmp(names[i], "advances.csv") == 0 ? "neoverse-v2" : "skylake";
        copy_machine(id, names[i], rows[i]);
        assert_null(image_of(id));
    }
    copy_machine("skylake", "overrides.csv", rows[3]);
    struct machine *m = load_machine(work_path(""));
    assert_int_equal(mapping_find(m->mapping, "ADD (R64, R64)")->usage.uops[0].count, 3);
    machine_free(m);
    copy_machine("skylake", "", "");
    assert_int_equal(unlink(work_path("latencies.csv")), 0);
    assert_null(image_of("skylake"));
    m = load_machine(work_path(""));
    assert_int_equal(m->latency_count, 0);
    machine_free(m);
}

/* Entries of the image can be replaced, copied and added. The image itself does not change. */
static void test_edited(void **state)
{
    struct uop uop = {1, 9};
    struct mapping_entry entry = {"ADD (R64, R64)", {&uop, 1}, 5, 1, "mine"},
                         fresh = {"MINE (R64)", {&uop, 1}, 5, 1, "mine"};

    struct machine *m = load_machine("skylake"), *again = load_machine("skylake"),
                   *copied = machine_copy(m);
    size_t count = mapping_count(m->mapping);
    assert_same_image(m, copied);
    mapping_set(m->mapping, &entry);
    mapping_set(m->mapping, &entry);
    mapping_set(m->mapping, &fresh);
    assert_int_equal(mapping_count(m->mapping), count + 1);
    assert_int_equal(mapping_find(m->mapping, "ADD (R64, R64)")->usage.uops[0].count, 9);
    assert_int_equal(mapping_index(m->mapping, "MINE (R64)"), count);
    assert_same_image(again, copied);
    const size_t replaced = mapping_index(again->mapping, "ADD (R64, R64)");
    for (size_t i = 0; i <= count; i++) {
        assert_true(mapping_shares(again->mapping, copied->mapping, i) == (i < count));
        assert_true(mapping_shares(m->mapping, again->mapping, i) == (i < count && i != replaced));
    }
    /* A copy of the changed mapping has its entries, and changes of the copy do not affect it. */
    struct mapping *second = mapping_copy(m->mapping);
    assert_true(mapping_equal(second, m->mapping));
    assert_int_equal(mapping_index(second, "MINE (R64)"), count);
    entry.latency = 6;
    mapping_set(second, &entry);
    assert_false(mapping_equal(second, m->mapping));
    assert_true(mapping_find(m->mapping, "ADD (R64, R64)")->latency == 5);
    machine_free(m);
    assert_true(mapping_find(second, "ADD (R64, R64)")->latency == 6);
    assert_string_equal(mapping_find(second, "MINE (R64)")->source, "mine");
    mapping_free(second);
    machine_free(again);
    machine_free(copied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_text),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
