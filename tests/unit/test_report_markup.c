/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports are well-formed for any text of the kernel, and have the numbers of the analysis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_markup.h"
#include "base/mem.h"
#include "io/machine_file.h"
#include "../support/support.h"

static const char hostile[] = "<script>alert('&\"')</script> | `x` \xff\xc3 *a* [b](c)";

struct fixture {
    struct kernel *k;
    struct machine *machines[2];
    struct analysis *analyses[2];
};

static struct fixture make(bool dirty)
{
    static const char text[] =
        "1: vmulpd %ymm0, %ymm1, %ymm2\n vdivpd %ymm2, %ymm3, %ymm4\n addq $8, %rax\n jne 1b\n";
    static const char *const ids[] = {"skylake", "znver4"};
    struct fixture f = {.k = kernel_of(text)};

    if (dirty) {
        free(f.k->name);
        f.k->name = mem_strdup(hostile);
        free(f.k->insns[0].text);
        f.k->insns[0].text = mem_strdup(hostile);
    }
    for (int i = 0; i < 2; i++) {
        f.machines[i] = machine_load(ids[i], NULL);
        assert_non_null(f.machines[i]);
        f.analyses[i] = analysis_new(f.k, 0, f.machines[i]);
    }
    return f;
}

static void done(struct fixture *f)
{
    for (int i = 0; i < 2; i++) {
        analysis_free(f->analyses[i]);
        machine_free(f->machines[i]);
    }
    kernel_free(f->k);
}

/* Every tag is closed in order. There is no stray '<', no script, and no external reference. */
static void assert_well_formed(const char *page)
{
    char open[64][16];
    unsigned depth = 0;

    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        char name[16];
        if (at[1] == '!')
            continue;
        bool closes = at[1] == '/';
        assert_true(sscanf(at + 1 + closes, "%15[a-z0-9]", name) == 1);
        assert_true(strchr(at, '>') != NULL);
        if (strcmp(name, "meta") == 0)
            continue;
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "<link"));
    assert_null(strstr(page, "src="));
}

static bool is_utf8(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        unsigned follow = *s < 0x80                 ? 0
                          : *s >= 0xc2 && *s < 0xe0 ? 1
                          : (*s & 0xf0) == 0xe0     ? 2
                          : *s >= 0xf0 && *s < 0xf5 ? 3
                                                    : 9;
        if (follow == 9)
            return false;
        for (s++; follow; follow--)
            if ((*s++ & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static void test_html(void **state)
{
    struct fixture f = make(false);
    struct str page = {0};

    report_html(f.k, 0, f.analyses, 2, &page);
    assert_well_formed(page.data);
    assert_true(strstr(page.data, "Intel Skylake (client)") && strstr(page.data, "AMD Zen 4"));
    /* The divider is blocked for eight cycles, so its column has the hottest cell. */
    assert_true(f.analyses[0]->cycles == 8);
    assert_non_null(strstr(page.data, "<td style=\"background:#c3281e;color:#fff\">8.00</td>"));
    assert_non_null(strstr(page.data, f.analyses[0]->sentence));
    str_clear(&page);
    report_html(f.k, 0, f.analyses, 1, &page);
    assert_null(strstr(page.data, "<caption>Machines"));
    str_done(&page);
    done(&f);
}

static void test_hostile_text(void **state)
{
    struct fixture f = make(true);
    struct str page = {0};

    report_html(f.k, 0, f.analyses, 2, &page);
    assert_well_formed(page.data);
    assert_true(is_utf8(page.data));
    assert_non_null(strstr(page.data, "&#60;script&#62;alert(&#39;&#38;&#34;&#39;)"));
    str_clear(&page);
    report_markdown(f.k, 0, f.analyses, 2, &page);
    /* In a heading, all markup is escaped. In a cell, the code's fence is longer than any backticks
     * within it, and bars are escaped. */
    assert_non_null(strstr(page.data, "# \\<script\\>alert('\\&\"')\\</script\\> \\| \\`x\\`"));
    assert_non_null(strstr(page.data, "`` <script>alert('&\"')</script> \\| `x`"));
    str_done(&page);
    done(&f);
}

/* All rows of a Markdown table have as many cells as its head. */
static void test_markdown_tables(void **state)
{
    struct fixture f = make(false);
    struct str page = {0};
    unsigned columns = 0, tables = 0;

    report_markdown(f.k, 0, f.analyses, 2, &page);
    for (char *line = strtok(page.data, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned bars = 0;
        for (const char *p = line; *p; p++)
            bars += *p == '|' && (p == line || p[-1] != '\\');
        if (line[0] != '|') {
            columns = 0;
            continue;
        }
        tables += columns == 0 || (strncmp(line, "| line", 6) == 0);
        columns = strncmp(line, "| line", 6) == 0 || columns == 0 ? bars : columns;
        assert_int_equal(bars, columns);
    }
    assert_int_equal(tables, 3);
    str_done(&page);
    done(&f);
}

/* Idle ports have no column but are named, to make a machine of twenty ports readable. */
static void test_idle_ports(void **state)
{
    struct fixture f = make(false);
    struct str page = {0};

    report_html(f.k, 0, &f.analyses[1], 1, &page);
    assert_non_null(strstr(page.data, "<th>FP0</th>"));
    assert_null(strstr(page.data, "<th>AGU0</th>"));
    assert_non_null(strstr(page.data, "; idle: ALU1, ALU2, ALU3, AGU0, "));
    str_clear(&page);
    report_markdown(f.k, 0, &f.analyses[1], 1, &page);
    assert_non_null(strstr(page.data, " FP0 |"));
    assert_null(strstr(page.data, " AGU0 |"));
    assert_non_null(strstr(page.data, "\nIdle: ALU1, ALU2, ALU3, AGU0, "));
    str_done(&page);
    done(&f);
}

/* A Markdown table is readable as plain text: the bars of all rows are aligned, however many bytes
 * a character has. */
static void test_markdown_is_aligned(void **state)
{
    struct fixture f = make(false);
    struct str page = {0};
    size_t bars[64], columns = 0, rows = 0;

    free(f.k->insns[0].text);
    f.k->insns[0].text = mem_strdup("vmulpd µ | ymm0");
    report_markdown(f.k, 0, f.analyses, 2, &page);
    for (char *line = strtok(page.data, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != '|' || strncmp(line, "| line", 6) == 0 || strncmp(line, "| machine", 9) == 0)
            columns = 0;
        if (line[0] != '|')
            continue;
        size_t at = 0, n = 0;
        for (const char *p = line; *p; p++) {
            if (*p == '|' && (p == line || p[-1] != '\\')) {
                if (columns)
                    assert_int_equal(bars[n], at);
                bars[n++] = at;
            }
            at += ((unsigned char)*p & 0xc0) != 0x80;
        }
        columns = n;
        rows++;
    }
    /* one table per machine: header, rule, four instructions, sum */
    assert_int_equal(rows, 4 + 2 * 7);
    str_done(&page);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_markdown_tables),
        cmocka_unit_test(test_idle_ports),
        cmocka_unit_test(test_markdown_is_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
