/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "analysis/fusion.h"
#include "cmd/command.h"
#include "isa/scan.h"

#define MISSING_SHOWN 30

/* A zero µop form that needs no entry: what decodes as a nop costs no port. */
static bool knows(const struct machine *m, const struct scan_form *form)
{
    struct insn insn = {.traits = form->traits};
    memcpy(insn.form, form->form, sizeof insn.form);
    return (form->traits & INSN_NOP) || fusion_resolve(m, &insn);
}

static double coverage(const struct machine *m, const struct scan *scan)
{
    uint64_t known = 0, all = 0;
    for (size_t i = 0; i < scan->forms.count; i++) {
        all += scan->forms.items[i].count;
        known += knows(m, &scan->forms.items[i]) ? scan->forms.items[i].count : 0;
    }
    return all ? (double)known / (double)all : 0;
}

/* Two that stand for the instruction set, then the selected machines of it that are others. */
static size_t machines_of(struct session *s, enum isa isa, struct machine *out[32], struct err *err)
{
    static const char *const always[ISA_COUNT][2] = {{"skylake-avx512", "sapphirerapids"}, {"cortex-a72", "neoverse-v2"}};
    size_t n = 0;
    for (size_t i = 0; i < 2 + s->kept[isa].count && n < 32; i++) {
        struct machine *m = session_machine(s, i < 2 ? always[isa][i] : s->kept[isa].ids[i - 2], err);
        if (!m)
            return 0;
        bool there = false;
        for (size_t k = 0; k < n; k++)
            there |= out[k] == m;
        if (!there)
            out[n++] = m;
    }
    return n;
}

static void print_scan(struct session *s, const struct scan *scan, struct machine *const *machines, size_t n)
{
    json_t *fractions = json_object(), *missing = json_array();
    size_t shown = 0;

    if (s->format != FORMAT_JSON)
        str_addf(&s->output, "%llu instructions, %zu forms; set aside as %s: %llu; bytes that are no code: %llu\n",
                 (unsigned long long)scan->instructions, scan->forms.count, scan->isa == ISA_AARCH64 ? "system" : "x87, MMX or system", (unsigned long long)scan->set_aside, (unsigned long long)scan->skipped_bytes);
    for (size_t i = 0; i < n; i++) {
        double fraction = coverage(machines[i], scan);
        json_object_set_new(fractions, machines[i]->id, json_real(fraction));
        if (s->format != FORMAT_JSON)
            str_addf(&s->output, "%-18s %8.4f %% of occurrences have a usage\n", machines[i]->id, 100 * fraction);
    }
    for (size_t i = 0; i < scan->forms.count; i++) {
        struct str lacking = {0};
        for (size_t k = 0; k < n; k++)
            if (!knows(machines[k], &scan->forms.items[i]))
                str_addf(&lacking, "%s%s", lacking.length ? ", " : "", machines[k]->id);
        if (lacking.length && s->format == FORMAT_JSON)
            json_array_append_new(missing, json_pack("{s:s, s:I, s:s}", "form", scan->forms.items[i].form, "count",
                                                     (json_int_t)scan->forms.items[i].count, "machines", str_text(&lacking)));
        else if (lacking.length && shown++ < MISSING_SHOWN)
            str_addf(&s->output, "missing %10llu  %-40s %s\n", (unsigned long long)scan->forms.items[i].count, scan->forms.items[i].form, str_text(&lacking));
        str_done(&lacking);
    }
    if (s->format == FORMAT_JSON)
        session_json(s, json_pack("{s:I, s:i, s:O, s:O, s:I}", "instructions", (json_int_t)scan->instructions, "forms", (int)scan->forms.count, "coverage",
                                  fractions, "missing", missing, "set_aside", (json_int_t)scan->set_aside));
    else if (shown > MISSING_SHOWN)
        str_addf(&s->output, "and %zu rarer ones\n", shown - MISSING_SHOWN);
    json_decref(fractions);
    json_decref(missing);
}

bool cmd_forms_scan(struct session *s, int argc, char **argv, struct err *err)
{
    struct scan scan = {0};
    struct machine *machines[32];
    bool ok = false;

    if (argc < 2)
        return err_set(err, ERR_USAGE, "forms scan /bin/ls", "an ELF file was expected");
    for (int i = 1; i < argc; i++)
        if (!scan_file(&scan, argv[i], err))
            goto out;
    scan_sort(&scan);
    size_t n = machines_of(s, scan.isa, machines, err);
    if (!n)
        goto out;
    print_scan(s, &scan, machines, n);
    ok = true;
out:
    scan_done(&scan);
    return ok;
}
