/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>


/* Appends @text for a double-quoted string: escapes quotes and backslashes, and replaces control
 * characters with blanks. */
static void add_quoted(const char *text, struct str *out)
{
    for (; *text; text++)
        str_addf(out,
                 *text == '"' || *text == '\\' ? "\\%c"
                 : (unsigned char)*text < ' '  ? " "
                                               : "%c",
                 *text);
}

static void add_node(const struct analysis_row *row, size_t index, struct str *out)
{
    const struct insn *insn = row->insn;

    str_addf(out, "  i%zu [label=\"", index);
    if (insn->line)
        str_addf(out, "%zu: ", (size_t)insn->line);
    else if (insn->placed)
        str_addf(out, "%llx: ", (unsigned long long)insn->address);
    add_quoted(insn->text ? insn->text : insn->mnemonic, out);
    if (row->flags & ROW_UNKNOWN)
        str_add(out, "\\nunknown form");
    else if (!isnan(row->latency))
        str_addf(out, "\\nlatency %g", row->latency);
    str_addf(out, "\"%s];\n", row->flags & ROW_CHAIN ? ", color=red" : "");
}

void report_dot(const struct analysis *a, struct str *out)
{
    str_add(out, "digraph loop {\n  label=\"");
    add_quoted(a->machine->title ? a->machine->title : a->machine->id, out);
    str_addf(out, ": %s%.2f cycles per iteration, bound by %s",
             cycles_words(a->lower_bound, a->estimate), a->cycles, bound_name(a->bottleneck));
    if (!isnan(a->critical_path))
        str_addf(out, "; longest path %.2f", a->critical_path);
    str_add(out, "\";\n  node [shape=box, fontname=monospace];\n");
    for (size_t i = 0; i < a->count; i++)
        add_node(&a->rows[i], i, out);
    for (size_t i = 0; i < a->edge_count; i++) {
        const struct analysis_edge *e = &a->edges[i];
        bool chain = a->rows[e->from].flags & a->rows[e->to].flags & ROW_CHAIN;
        str_addf(out, "  i%u -> i%u", (unsigned)e->from, (unsigned)e->to);
        if (e->distance)
            str_addf(out, " [style=dashed, constraint=false, label=\"%u later\"%s]",
                     (unsigned)e->distance, chain ? ", color=red" : "");
        else if (chain)
            str_add(out, " [color=red]");
        str_add(out, ";\n");
    }
    str_add(out, "}\n");
}
