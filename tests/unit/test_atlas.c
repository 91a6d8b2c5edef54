/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "atlas/atlas.h"
#include "base/file.h"
#include "base/file_calls.h"
#include "base/mem.h"
#include "../support/support.h"
#include "throughput/predict.h"

/* Names that end strings, scripts and tags, or contain invalid UTF-8. */
static const char *const hostile[] = {"</script><script>alert(1)</script> (R64)",
                                      "\"]});alert(1);// (R64)",
                                      "'><img src=x onerror=alert(1)> (R64)",
                                      "\xe2\x80\xa8\\u003c (R64)",
                                      "bad \xff\xfe bytes (R64)",
                                      "*/ alert(1) /* (R64)"};
#define HOSTILE (sizeof hostile / sizeof *hostile)

static struct machine *hostile_machine(const char *id)
{
    struct ports ports = {0};
    struct err err = {0};

    assert_true(ports_parse("0,1,DV", &ports, &err));
    ports.pipes = 4;
    struct machine *m = machine_new(id, &ports);
    free(m->title);
    m->title = mem_strdup(hostile[0]);
    machine_set_fact(m, "source", hostile[1], hostile[2], hostile[3]);
    machine_set_fact(m, "checked", hostile[2], "", "");
    for (size_t i = 0; i < HOSTILE; i++) {
        struct mapping_entry entry = {.form = (char *)hostile[i],
                                      .latency = i ? (double)i : NAN,
                                      .micro_ops = 1,
                                      .source = (char *)hostile[HOSTILE - 1 - i]};
        assert_true(usage_parse(i % 2 ? "1*p01+3*p[DV]" : "2*p0", &ports, &entry.usage, &err));
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
    }
    machine_add_latency(m, "* (R64)", 1, LATENCY_FLAGS, 2.5, hostile[0]);
    machine_add_latency(m, "* (R64)", 1, LATENCY_FLAGS, 9, "a later rule does not hold");
    return m;
}

static bool write_site(struct machine *const *machines, struct experiments *const *experiments,
                       size_t count, const char *path, struct atlas_size *size, struct err *err)
{
    struct atlas_set sets[ISA_COUNT] = {0};
    struct atlas_machine *list = mem_zero(count + 1, sizeof *list);

    for (size_t i = 0; i < count; i++)
        list[i] =
            (struct atlas_machine){machines[i], experiments ? experiments[i] : NULL, hostile[0]};
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        sets[isa].forms = shipped_forms()[isa];
    bool ok = atlas_write(&(struct atlas_options){list, count, sets, "1"}, path, size, err);
    free(list);
    return ok;
}

/* Returns the last argument of the only call in a script of the site. */
static json_t *payload(const char *site, const char *name, const char *begins)
{
    struct str text = {0}, path = {0};
    struct err err = {0};
    json_error_t fault;

    str_addf(&path, "%s/data/%s", site, name);
    assert_true(file_read(str_text(&path), (size_t)1 << 30, &text, &err));
    assert_true(str_has_prefix(str_text(&text), begins));
    /* There is no byte outside of ASCII, and no control character except newlines. */
    for (size_t i = 0; i < text.length; i++)
        assert_true(text.data[i] == '\n' || (text.data[i] >= ' ' && text.data[i] < 127));
    assert_string_equal(text.data + text.length - 3, ");\n");
    json_t *value =
        json_loadb(text.data + strlen(begins), text.length - strlen(begins) - 3, 0, &fault);
    assert_non_null(value);
    str_done(&text);
    str_done(&path);
    return value;
}

static const char *at(const json_t *array, size_t index)
{
    return json_string_value(json_array_get(array, index));
}

static size_t find(const json_t *names, const char *text)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (strcmp(at(names, i), text) == 0)
            return i;
    return SIZE_MAX;
}

static void test_texts_come_back_as_they_were(void **state)
{
    struct machine *m = hostile_machine("\"><b>id</b>");
    struct experiments *t = experiments_new();
    struct experiment e = {0};
    struct atlas_size size;
    struct err err = {0};
    const char *site = work_path("hostile");

    experiment_add(&e, hostile[1], 2);
    experiments_set(t, experiments_add_named(t, &e), 3.5, 0.25, 4, NULL);
    /* The last one of duplicates counts. */
    experiments_set(t, experiments_add_named(t, &e), 4.5, 0.5, 4, NULL);
    experiment_add(&e, "unknown", 1);
    experiments_set(t, experiments_add_named(t, &e), 1, 0, 4, NULL);
    experiment_done(&e);
    assert_true(write_site(&m, &t, 1, site, &size, &err));
    assert_int_equal(size.left_out, 1);
    assert_int_equal(size.rows, HOSTILE);

    json_t *index = payload(site, "index.js", "atlas.begin("),
           *machine = json_array_get(json_object_get(index, "machines"), 0);
    assert_string_equal(json_string_value(json_object_get(machine, "id")), m->id);
    assert_string_equal(json_string_value(json_object_get(machine, "title")), hostile[0]);
    assert_string_equal(json_string_value(json_object_get(machine, "source")), hostile[1]);
    assert_string_equal(json_string_value(json_object_get(machine, "checked")), hostile[2]);
    assert_string_equal(json_string_value(json_object_get(machine, "experiments")), hostile[0]);
    assert_string_equal(at(json_array_get(json_object_get(machine, "facts"), 0), 3), hostile[3]);

    json_t *forms = payload(site, "forms-x86-64.js", "atlas.forms(\"x86-64\","),
           *names = json_object_get(forms, "names");
    json_t *rows = payload(site, "machine-0.js", "atlas.machine(0,"),
           *sources = json_object_get(rows, "sources");
    assert_int_equal(json_array_size(names), forms_count(shipped_forms()[ISA_X86_64]) + HOSTILE);
    for (size_t i = 0; i < HOSTILE; i++) {
        const char *form = strstr(hostile[i], "\xff") ? "bad \\xff\\xfe bytes (R64)" : hostile[i];
        const char *source = strstr(hostile[HOSTILE - 1 - i], "\xff") ? "bad \\xff\\xfe bytes (R64)"
                                                                      : hostile[HOSTILE - 1 - i];
        size_t k = find(names, form);
        assert_int_not_equal(k, SIZE_MAX);
        assert_int_equal(json_integer_value(json_array_get(json_object_get(rows, "form"), i)), k);
        assert_string_equal(at(sources, (size_t)json_integer_value(
                                            json_array_get(json_object_get(rows, "source"), i))),
                            source);
    }
    char key[32];
    snprintf(key, sizeof key, "%zu", find(names, hostile[1]));
    json_t *rules = json_object_get(json_object_get(rows, "operands"), key),
           *rule = json_array_get(rules, 0);
    assert_int_equal(json_array_size(rules), 1);
    assert_string_equal(at(rule, 1), "flags");
    assert_true(json_number_value(json_array_get(rule, 2)) == 2.5);
    assert_string_equal(at(sources, (size_t)json_integer_value(json_array_get(rule, 3))),
                        hostile[0]);

    char name[64], begins[64];
    size_t chunk =
        find(names, hostile[1]) / (size_t)json_integer_value(json_object_get(index, "chunk"));
    snprintf(name, sizeof name, "experiments-0-%zu.js", chunk);
    snprintf(begins, sizeof begins, "atlas.experiments(0,%zu,", chunk);
    json_t *measured = payload(site, name, begins), *list = json_object_get(measured, key);
    /* one experiment, and the number of omitted ones */
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_number_value(json_array_get(json_array_get(list, 0), 0)) == 4.5);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(list, 0), 3)), 2);
    assert_int_equal(json_integer_value(json_array_get(list, 1)), 0);
    json_decref(index);
    json_decref(forms);
    json_decref(rows);
    json_decref(measured);
    machine_free(m);
    experiments_free(t);
}

/* Rows, port sets and cycles in the atlas equal those of the shipped machine. */
static void test_rows_are_those_of_the_machine(void **state)
{
    struct machine *machines[] = {load_machine("skylake"), load_machine("cortex-a72"),
                                  load_machine("zen5-charted")};
    struct atlas_size size;
    struct err err = {0};
    const char *site = work_path("shipped");

    assert_true(write_site(machines, NULL, 3, site, &size, &err));
    size_t rows_expected = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct mapping *mapping = machines[i]->mapping;
        char name[64], begins[64], script[64];
        snprintf(name, sizeof name, "machine-%zu.js", i);
        snprintf(begins, sizeof begins, "atlas.machine(%zu,", i);
        snprintf(script, sizeof script, "forms-%s.js", machines[i]->isa);
        json_t *rows = payload(site, name, begins), *usages = json_object_get(rows, "usages"),
               *forms;
        snprintf(begins, sizeof begins, "atlas.forms(\"%s\",", machines[i]->isa);
        forms = payload(site, script, begins);
        assert_int_equal(json_array_size(json_object_get(rows, "form")), mapping_count(mapping));
        rows_expected += mapping_count(mapping);
        for (size_t k = 0; k < mapping_count(mapping); k++) {
            const struct mapping_entry *e = mapping_at(mapping, k);
            struct str text = {0};
            usage_print(&e->usage, mapping_ports(mapping), &text);
            json_t *usage = json_array_get(usages, (size_t)json_integer_value(json_array_get(
                                                       json_object_get(rows, "usage"), k)));
            assert_string_equal(at(usage, 0), str_text(&text));
            assert_int_equal(json_array_size(usage), 1 + 2 * e->usage.count);
            assert_string_equal(
                at(json_object_get(forms, "names"),
                   (size_t)json_integer_value(json_array_get(json_object_get(rows, "form"), k))),
                e->form);
            json_t *latency = json_array_get(json_object_get(rows, "latency"), k);
            assert_true(isnan(e->latency) ? json_is_null(latency)
                                          : fabs(json_number_value(latency) - e->latency) <=
                                                1e-4 * fabs(e->latency));
            str_done(&text);
            if (k % 97)
                continue;
            struct experiments *one = experiments_new();
            struct experiment single = {0};
            double cycles;
            experiment_add(&single, e->form, 1);
            experiments_add_named(one, &single);
            machine_predict(machines[i], one, &cycles);
            json_t *written = json_array_get(json_object_get(rows, "cycles"), k);
            assert_true(isnan(cycles) ? json_is_null(written)
                                      : fabs(json_number_value(written) - cycles) <= 1e-4 * cycles);
            experiment_done(&single);
            experiments_free(one);
        }
        json_decref(rows);
        json_decref(forms);
        machine_free(machines[i]);
    }
    assert_int_equal(size.rows, rows_expected);
    assert_int_equal(size.files, 4 + 1 + ISA_COUNT + 3);
}

/* Every file that the page refers to exists, and none is external. */
static void test_links_lead_to_files(void **state)
{
    struct str page = {0};
    struct err err = {0};
    size_t links = 0;

    assert_true(file_read(work_path("shipped/index.html"), 1 << 20, &page, &err));
    for (const char *text = str_text(&page); (text = strpbrk(text, "hs")); text++) {
        bool found = str_has_prefix(text, "href=\"") || str_has_prefix(text, "src=\"");
        if (!found || strchr(text, '"')[1] == '#')
            continue;
        const char *begin = strchr(text, '"') + 1;
        char name[128];
        snprintf(name, sizeof name, "shipped/%.*s", (int)strcspn(begin, "\""), begin);
        assert_true(work_has(name));
        links++;
    }
    assert_int_equal(links, 4);
    str_done(&page);
}

static int failing_rename(int from_dir, const char *from, int to_dir, const char *to)
{
    errno = EACCES;
    return -1;
}

static void test_nothing_else_is_touched(void **state)
{
    struct machine *m = hostile_machine("other");
    struct atlas_size size;
    struct err err = {0};

    assert_true(write_site(&m, NULL, 1, work_path("again"), &size, &err));
    /* Replaces an existing atlas. */
    assert_true(write_site(&m, NULL, 1, work_path("again/"), &size, &err));
    int before = entries_in(work_path(""));
    struct file_calls kept = file_calls;
    file_calls.rename = failing_rename;
    assert_false(write_site(&m, NULL, 1, work_path("again"), &size, &err));
    file_calls = kept;
    assert_true(work_has("again/index.html"));
    assert_int_equal(entries_in(work_path("")), before);   /* No partial output remains. */
    work_put("again/data/mine.txt", "kept");
    assert_false(write_site(&m, NULL, 1, work_path("again"), &size, &err));
    assert_non_null(strstr(err.what, "mine.txt"));
    assert_true(work_holds("again/data/mine.txt", "kept"));
    work_put("file", "kept");
    assert_false(write_site(&m, NULL, 1, work_path("file"), &size, &err));
    assert_true(work_holds("file", "kept"));
    assert_int_equal(mkdir(work_path("empty"), 0777), 0);
    assert_true(write_site(&m, NULL, 1, work_path("empty"), &size, &err));
    assert_true(work_has("empty/data/machine-0.js"));
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_come_back_as_they_were),
        cmocka_unit_test(test_rows_are_those_of_the_machine),
        cmocka_unit_test(test_links_lead_to_files),
        cmocka_unit_test(test_nothing_else_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
