/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/experiment_detail.h"

#include <stdlib.h>

#include "base/mem.h"
#include "measure/cpu_source.h"
#include "table/experiment_columns.h"

void experiment_detail_done(struct experiment_detail *d)
{
    record_samples_done(&d->samples);
    str_done(&d->text);
    str_done(&d->lengths);
    str_done(&d->code);
}

void experiment_code(const struct forms *forms, const struct experiment *e, struct str *text,
                     unsigned *executions, size_t *bytes)
{
    struct body *body = mem_zero(1, sizeof *body);
    struct err err = {0};

    if (source_code(forms, e, &(struct body_shape){.instructions = SOURCE_BODY}, body, &err)) {
        code_print(isa_host(), body->code, body->length, 0, text);
        *executions = body->executions;
        *bytes = body->length;
    }
    free(body);
}

void experiment_detail_collect(struct session *s, size_t row, size_t lines,
                               struct experiment_detail *out)
{
    const struct experiment_columns columns = {s->document.experiments, NULL};

    *out = (struct experiment_detail){.row = row, .e = &s->document.experiments->rows.items[row]};
    experiments_print(s->document.experiments, row, &out->text);
    experiment_column_text(&columns, row, EXPERIMENT_COLUMN_LENGTHS, &out->lengths);
    out->kept = record_find(s->document.record, str_text(&out->text), &out->samples);
    out->ran = out->samples.code != NULL;
    if (!out->ran)
        return;
    code_print(isa_host(), out->samples.code, out->samples.length, lines, &out->code);
    out->executions = out->samples.executions;
    out->bytes = out->samples.length;
}
