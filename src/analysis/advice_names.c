/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <string.h>

#include "analysis/port_groups.h"

#define NAMED 6 /* maximum number of links of a chain in a sentence */
/* maximum number of ports that are always listed singly; more are printed as a short name, such as
 * ALU0-4, if it has no blank */
#define PORTS_LISTED 4

void advice_ports(const struct analysis *a, portset set, struct str *out)
{
    struct str name = {0};

    str_add(out, portset_size(set) == 1 ? "port " : "ports ");
    port_group_name(set, &a->ports, &name);
    if (portset_size(set) > PORTS_LISTED && !strchr(str_text(&name), ' '))
        str_add(out, str_text(&name));
    else
        portset_list(set, &a->ports, ", ", " and ", out);
    str_done(&name);
}

static void insn_name(const struct insn *insn, struct str *out)
{
    str_addf(out, "%s%s", insn->traits & INSN_LOCK ? "lock " : "", insn->mnemonic);
}

void advice_row(const struct analysis *a, size_t row, struct str *out)
{
    insn_name(a->rows[row].insn, out);
    insn_place_note(a->rows[row].insn, out);
}

double advice_load(const struct analysis *a, size_t row, portset set)
{
    double sum = 0;

    for (unsigned j = 0; j < PORTS_MAX && set >> j; j++)
        sum += set >> j & 1 ? a->rows[row].pressure[j] : 0;
    return sum;
}

void advice_rows(const struct analysis *a, portset set, int most, struct str *out)
{
    bool taken[ADVICE_ROWS] = {false};
    size_t chosen[ADVICE_ROWS] = {0};

    for (int rank = 0; rank < most; rank++) {
        double largest = 0;
        for (size_t i = 0; i < a->count; i++) {
            bool used = false;
            for (int k = 0; k < rank; k++)
                used |= taken[k] && chosen[k] == i;
            const double sum = advice_load(a, i, set);
            if (!used && sum > largest + ADVICE_EQUAL) {
                largest = sum;
                chosen[rank] = i;
                taken[rank] = true;
            }
        }
        if (!taken[rank])
            return;
        str_add(out, rank ? ", " : "");
        insn_name(a->rows[chosen[rank]].insn, out);
        str_addf(out, " %.2f", largest);
        insn_place_note(a->rows[chosen[rank]].insn, out);
    }
}

unsigned advice_bottlenecks(const struct analysis *a, portset parts[PORTS_MAX])
{
    unsigned count = 0;

    for (size_t i = 0; i < a->count; i++)
        for (unsigned k = 0; k < a->rows[i].usage.count; k++) {
            portset set = a->rows[i].usage.uops[k].ports;
            unsigned kept = 0;
            if (set & ~a->bottleneck_ports || !set)
                continue;
            for (unsigned p = 0; p < count; p++)
                if (parts[p] & set)
                    set |= parts[p];
                else
                    parts[kept++] = parts[p];
            parts[kept++] = set;
            count = kept;
        }
    if (!count)
        parts[count++] = a->bottleneck_ports;
    return count;
}

void advice_name_bottlenecks(const struct analysis *a, const char *last, struct str *out)
{
    portset parts[PORTS_MAX];
    const unsigned count = advice_bottlenecks(a, parts);

    for (unsigned p = 0; p < count; p++) {
        str_add(out, !p ? "" : p + 1 == count ? last : ", ");
        advice_ports(a, parts[p], out);
        str_add(out, " (");
        advice_rows(a, parts[p], count > 1 ? ADVICE_ROWS - 1 : ADVICE_ROWS, out);
        str_add_char(out, ')');
    }
}

void advice_chain(const struct advice *s, const struct limit_chain *chain, bool cycles)
{
    size_t named = 0, links = 0;

    for (size_t i = 0; i < chain->count; i++)
        links += chain->links[i].cycles > 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct limit_link *link = &chain->links[i];
        if (links && !(link->cycles > 0))
            continue;
        if (named == NAMED) {
            str_addf(s->out, " and %zu more", links - NAMED);
            return;
        }
        str_add(s->out, named++ ? ", " : "");
        insn_name(s->a->rows[link->row].insn, s->out);
        if (cycles)
            str_addf(s->out, " %g", link->cycles);
        insn_place_note(s->a->rows[link->row].insn, s->out);
    }
}

bool advice_chain_names_several(const struct limit_chain *chain)
{
    size_t timed = 0;

    for (size_t i = 0; i < chain->count; i++)
        timed += chain->links[i].cycles > 0;
    return (timed ? timed : chain->count) > 1;
}

void advice_links(const struct advice *s, bool cycles)
{
    advice_chain(s, &s->l->chain, cycles);
}

bool advice_is_predecode(const struct frontend *f)
{
    return f->predecode >= f->decode || isnan(f->decode);
}

const char *advice_frontend_part(const struct frontend *f)
{
    return f->source == SOURCE_UOP_CACHE     ? "\302\265op cache"
           : f->source == SOURCE_LOOP_BUFFER ? "loop buffer"
           : advice_is_predecode(f)          ? "predecoding"
                                             : "decoders";
}

void advice_limit(const struct advice *s, enum limit_kind kind)
{
    portset parts[PORTS_MAX];

    switch (kind) {
    case LIMIT_PORTS:
        for (unsigned p = 0, count = advice_bottlenecks(s->a, parts); p < count; p++) {
            str_add(s->out, !p ? "" : p + 1 == count ? " and " : ", ");
            advice_ports(s->a, parts[p], s->out);
        }
        break;
    case LIMIT_FRONTEND:
        str_addf(s->out, "the front end (%s%s)", advice_frontend_part(&s->a->frontend),
                 s->a->frontend.jcc_erratum ? "; a jump crosses or ends at a 32-byte boundary"
                                            : "");
        break;
    case LIMIT_MEMORY: str_add(s->out, "a chain through memory"); break;
    case LIMIT_DIVIDER: advice_name_pipes(s); break;
    case LIMIT_MICROCODE:
        str_add(s->out, advice_least_times(s->a) ? advice_least_times(s->a) : limit_name(kind));
        break;
    case LIMIT_INDUCTION:
    case LIMIT_REDUCTION:
    case LIMIT_SCAN:
    case LIMIT_RECURRENCE:
    case LIMIT_POINTER_CHASE:
    case LIMIT_SELECT:
    case LIMIT_PARTIAL:
    case LIMIT_FALSE:
    case LIMIT_BRANCH: str_addf(s->out, "the %s", limit_name(kind)); break;
    default: str_add(s->out, limit_name(kind)); break;
    }
}

const char *advice_aligning_option(const struct analysis *a)
{
    const uint32_t at = a->frontend.at;
    const unsigned traits = at < a->count ? a->rows[at].insn->traits : 0;

    return traits & INSN_CALL     ? "-Wa,-malign-branch-boundary=32,-malign-branch=call"
           : traits & INSN_RETURN ? "-Wa,-malign-branch-boundary=32,-malign-branch=ret"
                                  : "-Wa,-mbranches-within-32B-boundaries";
}

/* Returns whether a memory operand of @bits could replace the operand @reg of @insn. */
static bool takes_memory(const struct insn *insn, uint8_t reg, unsigned bits)
{
    unsigned reads = 0, fits = 0;

    if (insn_memory(insn) || insn->operation == OPERATION_MOVE ||
        insn->operation == OPERATION_VECTOR_MOVE || insn->traits & INSN_BRANCH)
        return false;
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const struct operand *op = &insn->operands[k];
        if (op->kind != OPERAND_REGISTER || op->reg != reg)
            continue;
        reads++;
        /* The operand must only be read, because a memory operand cannot replace a destination. A
         * scalar in a vector register has the width of the load. */
        fits += op->access == ACCESS_READ && !op->implicit &&
                (op->bits == bits || op->file == FILE_VECTOR);
    }
    return reads == 1 && fits == 1;
}

bool advice_folds(const struct analysis *a, uint32_t row)
{
    const struct insn *load = a->rows[row].insn;
    const struct operand *memory = insn_memory(load);
    uint32_t user = LIMIT_NO_ROW;
    unsigned uses = 0;

    if (isa_ops((enum isa)load->isa)->load_store || !(load->traits & INSN_LOAD) || !memory ||
        a->rows[row].flags & ROW_SKIPPED || load->operands[0].kind != OPERAND_REGISTER ||
        (load->operation != OPERATION_MOVE && load->operation != OPERATION_VECTOR_MOVE))
        return false;
    for (size_t i = 0; i < a->edge_count; i++)
        if (a->edges[i].from == row) {
            uses++;
            user = a->edges[i].to;
        }
    return uses == 1 && takes_memory(a->rows[user].insn, load->operands[0].reg, memory->bits);
}

bool advice_could_widen(const struct analysis *a)
{
    const struct mapping *m = a->machine->mapping;
    const struct isa_ops *isa = isa_ops((enum isa)a->rows[0].insn->isa);
    const unsigned widest = isa->add_512_form && mapping_find(m, isa->add_512_form)   ? 512
                            : isa->add_256_form && mapping_find(m, isa->add_256_form) ? 256
                                                                                      : 128;
    unsigned bits = 0;

    if (!a->limit.streams || a->limit.gaps || a->limit.serial || a->irregular ||
        a->not_modelled[UNMODELLED_BRANCHES])
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        if (a->rows[i].flags & ROW_SKIPPED)
            continue;
        if (insn->traits & INSN_STACK)
            return false;
        for (unsigned k = 0; k < insn->operand_count; k++) {
            const struct operand *op = &insn->operands[k];
            if (op->kind != OPERAND_MEMORY || !(insn->traits & (INSN_LOAD | INSN_STORE)))
                continue;
            if (op->index >= isa->vectors && op->index != REG_NONE)
                return false; /* A gather cannot be replaced, because its index is a vector. */
            bits = op->bits > bits ? op->bits : bits;
        }
        for (unsigned k = 0; k < insn->operand_count; k++) {
            /* A scalar may be in an operand with 128 bits. */
            const struct operand *op = &insn->operands[k];
            if (op->kind == OPERAND_REGISTER && op->file == FILE_VECTOR && op->bits > 128)
                bits = op->bits > bits ? op->bits : bits;
        }
    }
    return bits && bits < widest;
}

void advice_next(const struct advice *s)
{
    if (!(s->l->next_cycles > 0))
        return;
    str_add(s->out, " Next limit: ");
    advice_limit(s, s->l->next);
    str_addf(s->out, ", %.2f cycles.", s->l->next_cycles);
}
