/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the readers of machine.csv, mapping.csv and overrides.csv. The first byte selects
 * one. Accepted input must read back unchanged after printing, and rejected input must set an
 * error. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mapping *some_mapping(void)
{
    static const char *const names[] = {"0", "1", "5", "A", "DV", "FP0"};
    struct ports ports = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ports_add(&ports, names[i], NULL);
    struct mapping *m = mapping_new(&ports);
    struct mapping_entry entry = {.form = (char[]){"ADD (R64, R64)"}, .latency = 1, .micro_ops = 1};
    usage_add(&entry.usage, 7, 1);
    mapping_set(m, &entry);
    usage_done(&entry.usage);
    return m;
}

static void check_entry(const struct mapping *m, const struct mapping_entry *entry)
{
    struct str text = {0};
    struct usage again;

    usage_print(&entry->usage, mapping_ports(m), &text);
    if (!*entry->form || !usage_parse(str_text(&text), mapping_ports(m), &again, NULL) ||
        !usage_equal(&entry->usage, &again))
        abort();
    if (!isnan(entry->latency) && !(entry->latency >= 0 && isfinite(entry->latency)))
        abort();
    usage_done(&again);
    str_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    unsigned kind = size ? data[0] % 3 : 0;
    const char *text = (const char *)data + (size > 0);
    size_t length = size - (size > 0);
    bool ok;

    if (kind == 0) {
        struct ports none = {0}, ports = {0};
        struct machine *facts = machine_new("fuzz", &none);
        ok = machine_parse_facts(facts, &ports, "machine.csv", text, length, &err);
        if (ok && ports.pipes >> (ports.count - 1) >> 1)
            abort();
        machine_free(facts);
    } else {
        struct mapping *m = some_mapping();
        ok = machine_parse_mapping(m, "mapping.csv", text, length, kind == 2, &err);
        for (size_t i = 0; i < mapping_count(m); i++)
            check_entry(m, mapping_at(m, i));
        mapping_free(m);
    }
    if (!ok && err.code == ERR_NONE)
        abort();
    return 0;
}
