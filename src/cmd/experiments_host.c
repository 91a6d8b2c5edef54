/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/experiments_host.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "measure/kept.h"

void experiments_host_fill(struct experiments *t)
{
    struct str cpu = {0}, signature = {0}, microcode = {0};
    char name[256] = "";
    uint32_t column = names_find(&t->extra, HOST_COLUMN);

    gethostname(name, sizeof name - 1);
    kept_identity(&cpu, &signature, &microcode);
    for (size_t i = 0; i < t->rows.count && !watch_steps(4); i++) {
        const char *known = column == UINT32_MAX ? NULL : experiments_extra(t, i, column);
        if (!experiments_measured(t, i) || (known && *known))
            continue;
        experiments_set_extra(t, i, HOST_COLUMN, *name ? name : "?");
        experiments_set_extra(t, i, HOST_CPU_COLUMN, str_text(&cpu));
        experiments_set_extra(t, i, HOST_MICROCODE_COLUMN, str_text(&microcode));
    }
    str_done(&cpu);
    str_done(&signature);
    str_done(&microcode);
}

ORDER_BY(order_terms, struct experiment_term, TEXTUAL(form))

void experiments_host_key(const struct experiments *t, size_t index, struct str *out)
{
    const struct flat_term *terms = experiments_terms(t, index);
    struct experiment e = {.count = t->rows.items[index].count};

    e.terms = mem_zero(e.count + 1, sizeof *e.terms);
    for (unsigned k = 0; k < e.count; k++)
        e.terms[k] = (struct experiment_term){t->forms.items[terms[k].form], terms[k].count};
    qsort(e.terms, e.count, sizeof *e.terms, order_terms);
    str_clear(out);
    experiment_print(&e, out);
    free(e.terms);
}
