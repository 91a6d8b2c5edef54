/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the parsers of usages, experiments, form names, compiler options and PMEvo
 * names. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/export_mapping.h"
#include "io/pmevo_names.h"
#include "isa/x86/parts.h"
#include "toolchain/compile.h"
#include "model/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void usages(const char *text)
{
    static struct ports ports;
    struct usage usage, again;
    struct str printed = {0};

    if (!ports.count) {
        ports_add(&ports, "0", NULL);
        ports_add(&ports, "A", NULL);
        ports_add(&ports, "DV", NULL);
    }
    if (usage_parse(text, &ports, &usage, NULL)) {
        usage_print(&usage, &ports, &printed);
        if (!usage_parse(str_text(&printed), &ports, &again, NULL) || !usage_equal(&usage, &again))
            abort();
        usage_done(&again);
        usage_done(&usage);
    }
    str_done(&printed);
}

static void experiments(const char *text)
{
    struct experiment e, again;
    struct str printed = {0};

    if (experiment_parse(text, &e, NULL)) {
        experiment_print(&e, &printed);
        if (!experiment_parse(str_text(&printed), &again, NULL) || !experiment_equal(&e, &again))
            abort();
        experiment_done(&again);
        experiment_done(&e);
    }
    str_done(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct spelling att;
    struct str name = {0};
    struct form_row row = {
        .form = (char *)"ADD (R64, R64)", .template = text, .extension = (char *)""};
    bool takes_next;

    usages(text);
    experiments(text);
    if (att_form(text, &att) &&
        (att.count > SPELLING_OPERANDS || att.name_count > SPELLING_NAMES || !att.name_count))
        abort();
    compile_option_allowed(text, &takes_next, NULL);
    pmevo_name_of(&row, &name);
    pmevo_form_name(text, &name);
    str_done(&name);
    free(text);
    return 0;
}
