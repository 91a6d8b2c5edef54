/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds text to the parsers of usages and experiments. Accepted text must read back unchanged after
 * printing. The column of an error must be within the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/experiment.h"
#include "model/usage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_fault(const struct err *err, const char *text)
{
    if (err->code == ERR_NONE || err->column < 1 || err->column > strlen(text) + 1)
        abort();
}

static void check_usage(const char *text)
{
    static const char *const names[] = {"0", "1", "5", "A", "DV", "FP0", "a"};
    struct ports ports = {0};
    struct usage usage, again;
    struct str out = {0};
    struct err err = {0};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ports_add(&ports, names[i], NULL);
    if (!usage_parse(text, &ports, &usage, &err)) {
        check_fault(&err, text);
        if (usage.count)
            abort();
        return;
    }
    for (unsigned i = 0; i < usage.count; i++)
        if (!usage.uops[i].ports || !usage.uops[i].count ||
            (i && usage.uops[i].ports <= usage.uops[i - 1].ports))
            abort();
    usage_print(&usage, &ports, &out);
    if (!usage_parse(str_text(&out), &ports, &again, &err) || !usage_equal(&usage, &again))
        abort();
    usage_done(&usage);
    usage_done(&again);
    str_done(&out);
}

static void check_experiment(const char *text)
{
    struct experiment e, again;
    struct str out = {0};
    struct err err = {0};

    if (!experiment_parse(text, &e, &err)) {
        check_fault(&err, text);
        if (e.count)
            abort();
        return;
    }
    experiment_print(&e, &out);
    if (!e.count || !experiment_parse(str_text(&out), &again, &err) ||
        !experiment_equal(&e, &again))
        abort();
    experiment_done(&e);
    experiment_done(&again);
    str_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    check_usage(text);
    check_experiment(text);
    free(text);
    return 0;
}
