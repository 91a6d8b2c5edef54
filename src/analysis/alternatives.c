/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/alternatives.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "throughput/throughput.h"

/* What the immediate must be for the other instruction to do the same. */
enum requirement {
    ALWAYS,
    KEEPS_SINGLES,   /* a shuffle of singles that leaves each element in its place: a blend */
    KEEPS_DOUBLES,
    KEEPS_HALVES,    /* of 256 bits */
    IN_PAIRS,        /* a blend of words that takes whole doublewords */
    IS_ONE,
    IS_LEA_FACTOR,   /* 3, 5 or 9: base and index the same */
};

struct rule {
    const char *from, *to;        /* mnemonics of the form; the operands stay unless given */
    const char *from_operands;    /* prefix of the list that the rule is for; NULL: any */
    const char *to_operands;      /* NULL: the same; "R": as many registers of the first one's type as @registers */
    unsigned registers;
    enum requirement requirement;
    bool loses_flags;             /* the other leaves other flags */
    const char *note;             /* what it takes, NULL: nothing */
};

static const struct rule rules[] = {
    {"XORPS", "PXOR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"XORPD", "PXOR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDPS", "PAND", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDPD", "PAND", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDNPS", "PANDN", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ANDNPD", "PANDN", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ORPS", "POR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"ORPD", "POR", NULL, NULL, 0, ALWAYS, false, NULL},
    {"SHUFPS", "BLENDPS", NULL, NULL, 0, KEEPS_SINGLES, false, NULL},
    {"SHUFPD", "BLENDPD", NULL, NULL, 0, KEEPS_DOUBLES, false, NULL},
    {"VPERM2F128", "VBLENDPD", NULL, NULL, 0, KEEPS_HALVES, false, NULL},
    {"VPERM2I128", "VPBLENDD", NULL, NULL, 0, KEEPS_HALVES, false, NULL},
    {"VPBLENDW", "VPBLENDD", NULL, NULL, 0, IN_PAIRS, false, NULL},
    {"MOVSS", "BLENDPS", "(XMM, XMM", "(XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"MOVSD", "BLENDPD", "(XMM, XMM", "(XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"VMOVSS", "VBLENDPS", "(XMM, XMM", "(XMM, XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"VMOVSD", "VBLENDPD", "(XMM, XMM", "(XMM, XMM, XMM, I8)", 0, ALWAYS, false, NULL},
    {"PSLLW", "PADDW", NULL, "R", 2, IS_ONE, false, NULL},
    {"PSLLD", "PADDD", NULL, "R", 2, IS_ONE, false, NULL},
    {"PSLLQ", "PADDQ", NULL, "R", 2, IS_ONE, false, NULL},
    {"VPSLLW", "VPADDW", NULL, "R", 3, IS_ONE, false, NULL},
    {"VPSLLD", "VPADDD", NULL, "R", 3, IS_ONE, false, NULL},
    {"VPSLLQ", "VPADDQ", NULL, "R", 3, IS_ONE, false, NULL},
    {"SHL", "ADD", "(R", "R", 2, IS_ONE, false, NULL},
    {"SHL", "SHLX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHL", "SHLX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHR", "SHRX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SHR", "SHRX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"SAR", "SARX", "(R32, CL)", "R", 3, ALWAYS, true, NULL},
    {"SAR", "SARX", "(R64, CL)", "R", 3, ALWAYS, true, NULL},
    {"IMUL", "LEA_B_IS", "(R32, R32, I", "R", 1, IS_LEA_FACTOR, true, NULL},
    {"IMUL", "LEA_B_IS", "(R64, R64, I", "R", 1, IS_LEA_FACTOR, true, NULL},
    {"VADDPS", "VFMADD213PS", NULL, NULL, 0, ALWAYS, false, "a factor of one"},
    {"VADDPD", "VFMADD213PD", NULL, NULL, 0, ALWAYS, false, "a factor of one"},
};

#define KINDS 8

/* One kind of replacement found in the loop. */
struct kind {
    const struct rule *rule;
    const struct mapping_entry *entry;
    const char *mnemonic;
    unsigned count;
};

static bool immediate_of(const struct insn *insn, int64_t *value)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_IMMEDIATE) {
            *value = insn->operands[i].immediate;
            return true;
        }
    return false;
}

/* Element i of the result of a shuffle comes from element i of one of its sources; the first half takes from the first. */
static bool keeps_places(unsigned immediate, unsigned elements, unsigned bits)
{
    for (unsigned i = 0; i < elements; i++)
        if ((immediate >> i * bits & ((1u << bits) - 1)) != i % (1u << bits))
            return false;
    return true;
}

static bool holds(enum requirement requirement, const struct insn *insn)
{
    int64_t value = 0;
    bool given = immediate_of(insn, &value);
    unsigned low = (unsigned)value & 0xff;

    switch (requirement) {
    case ALWAYS:
        return true;
    case KEEPS_SINGLES:
        return given && keeps_places(low, 4, 2);
    case KEEPS_DOUBLES:
        return given && keeps_places(low, strstr(insn->form, "YMM") ? 4 : 2, 1);
    case KEEPS_HALVES:
        return given && !(low & 0x88) && !(low & 1) && low >> 4 & 1;
    case IN_PAIRS:
        return given && (low & 0x55) == (low >> 1 & 0x55);
    case IS_ONE:
        return given ? value == 1 : strstr(insn->form, ", 1)") != NULL;
    case IS_LEA_FACTOR:
        return given && (value == 3 || value == 5 || value == 9);
    }
    return false;
}

/* The flags of row @at are read before they are written anew, going round the loop. */
static bool flags_used(const struct analysis *a, size_t at)
{
    uint32_t left = a->rows[at].insn->flags_written;

    for (size_t k = 1; k < a->count && left; k++) {
        const struct insn *next = a->rows[(at + k) % a->count].insn;
        if (next->flags_read & left)
            return true;
        left &= ~next->flags_written;
    }
    return false;
}

/* The name of the form that @rule makes of @form; false when the rule is not for it. */
static bool rename_form(const struct rule *rule, const char *form, char *out, size_t size)
{
    const char *list = strchr(form, '(');
    bool vex = form[0] == 'V' && rule->from[0] != 'V';
    const char *name = form + vex;

    size_t length = strlen(rule->from);
    if (!list || strncmp(name, rule->from, length) != 0 || name[length] != ' ' || (rule->from_operands && strncmp(list, rule->from_operands, strlen(rule->from_operands)) != 0))
        return false;
    if (!rule->to_operands) {
        snprintf(out, size, "%s%s %s", vex ? "V" : "", rule->to, list);
    } else if (rule->registers) {
        char type[16];
        snprintf(type, sizeof type, "%.*s", (int)strcspn(list + 1, ",)"), list + 1);
        int used = snprintf(out, size, "%s (%s", rule->to, type);
        for (unsigned i = 1; i < rule->registers; i++)
            used += snprintf(out + used, size - (size_t)used, ", %s", type);
        snprintf(out + used, size - (size_t)used, ")");
    } else {
        snprintf(out, size, "%s %s", rule->to, rule->to_operands);
    }
    return true;
}

static unsigned mass_within(const struct usage *usage, portset set)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].ports & ~set ? 0 : usage->uops[i].count;
    return sum;
}

/* The first rule whose instruction this machine has and that puts less on the ports that bind. */
static bool find_alternative(const struct analysis *a, size_t row, struct kind *out)
{
    const struct analysis_row *r = &a->rows[row];
    unsigned now = mass_within(&r->usage, a->bottleneck_ports);

    for (size_t i = 0; now && i < sizeof rules / sizeof *rules; i++) {
        char form[FORM_MAX];
        if (!rename_form(&rules[i], r->insn->form, form, sizeof form) || !holds(rules[i].requirement, r->insn) || (rules[i].loses_flags && flags_used(a, row)))
            continue;
        const struct mapping_entry *entry = mapping_find(a->machine->mapping, form);
        if (!entry || !entry->usage.count || mass_within(&entry->usage, a->bottleneck_ports) >= now)
            continue;
        *out = (struct kind){&rules[i], entry, rules[i].to, 1};
        return true;
    }
    return false;
}

static void add_masses(const struct usage *usage, portset pipes, struct mass *masses, size_t *count)
{
    for (unsigned i = 0; i < usage->count; i++)
        if (!(usage->uops[i].ports & pipes))
            masses[(*count)++] = (struct mass){usage->uops[i].ports, usage->uops[i].count};
}

static void name_kind(const struct analysis *a, const struct kind *kind, const char *form, struct str *out)
{
    char name[64];
    size_t n = 0;
    const char *text = kind->mnemonic;

    if (form[0] == 'V' && kind->rule->from[0] != 'V')
        name[n++] = 'v';
    for (; *text && *text != '_' && n + 1 < sizeof name; text++)
        name[n++] = (char)tolower((unsigned char)*text);
    name[n] = '\0';
    str_addf(out, "%u of them could be %s (", kind->count, name);
    usage_print(&kind->entry->usage, mapping_ports(a->machine->mapping), out);
    str_addf(out, "%s%s)", kind->rule->note ? "; with " : "", kind->rule->note ? kind->rule->note : "");
}

void alternatives_add(const struct analysis *a, struct str *out)
{
    struct kind kinds[KINDS];
    const char *forms[KINDS];
    size_t kind_count = 0, mass_count = 0, capacity = 1;
    const struct ports *ports = mapping_ports(a->machine->mapping);

    for (size_t i = 0; i < a->count; i++)
        capacity += a->rows[i].usage.count + 8;
    struct mass *masses = mem_alloc(capacity * sizeof *masses);
    for (size_t i = 0; i < a->count; i++) {
        struct kind found;
        size_t k = KINDS;
        if (find_alternative(a, i, &found) && found.entry->usage.count <= 8)
            for (k = 0; k < kind_count && kinds[k].entry != found.entry; k++)
                ;
        if (k == KINDS) {
            add_masses(&a->rows[i].usage, ports->pipes, masses, &mass_count);
            continue;
        }
        if (k == kind_count) {
            forms[kind_count] = a->rows[i].insn->form;
            kinds[kind_count++] = found;
        } else {
            kinds[k].count++;
        }
        add_masses(&found.entry->usage, ports->pipes, masses, &mass_count);
    }
    if (kind_count) {
        struct throughput *t = throughput_new(ports->count);
        double cycles = throughput_of_masses(t, masses, mass_count);
        throughput_free(t);
        if (cycles < a->bounds[BOUND_PORTS] - 1e-9) {
            for (size_t k = 0; k < kind_count; k++) {
                str_add(out, k ? ", " : " ");
                name_kind(a, &kinds[k], forms[k], out);
            }
            str_addf(out, ": the ports would take %.2f cycles.", cycles);
        }
    }
    free(masses);
}
