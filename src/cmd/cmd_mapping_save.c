/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/file.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "io/export_mapping.h"
#include "io/machine_save.h"

struct mapping_save_values {
    const char *path;
};

static bool run_save(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct mapping_save_values *v = values;
    struct machine *m = session_current(s, err);
    struct str text = {0};
    bool ok;

    if (!m)
        return false;
    size_t length = strlen(v->path);
    if (length < 4 || strcmp(v->path + length - 4, ".csv") != 0) {
        ok = machine_save(m, v->path, err);
    } else {
        machine_mapping_csv(m, &text);
        ok = watch_goes_on(err) && file_write(v->path, text.data, text.length, err);
        str_done(&text);
    }
    if (ok) {
        result_confirm(result, "%s saved to %s", m->id, v->path);
        result_text(result, "mapping", m->id);
        result_text(result, "file", v->path);
        result_count(result, "forms", (int64_t)mapping_count(m->mapping));
    }
    return ok;
}

const struct command command_mapping_save = {
    .name = "mapping save",
    .help = "save the current machine, or only its mapping",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "DIRECTORY|FILE.csv", struct mapping_save_values, path), .required = true,
         .complete = COMPLETE_FILE,
         .help = "DIRECTORY/ saves all tables and facts; FILE.csv saves form,usage,latency only"}),
    .examples = EXAMPLES("mapping save mymachine/", "mapping save mine.csv"),
    .values_size = sizeof(struct mapping_save_values),
    .read = run_save,
};

struct mapping_export_values {
    const char *format, *path;
};

static bool format_text(const struct mapping_export_values *v, const struct machine *m,
                        const struct forms *forms, const struct experiments *e, struct str *text,
                        struct err *err)
{
    if (strcmp(v->format, "pmevo-flat") == 0)
        return export_pmevo_flat(m, forms, e, text, err);
    if (strcmp(v->format, "osaca") == 0)
        return export_osaca(m, text, err);
    if (strcmp(v->format, "csv") == 0)
        machine_mapping_csv(m, text);
    else if (strcmp(v->format, "uops-info") == 0)
        export_uops_info(m, forms, text);
    else
        export_pmevo(m, forms, e, text);
    return true;
}

static bool run_export(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    const struct mapping_export_values *v = values;
    const struct machine *m = session_current(s, err);
    const struct forms *forms = m ? session_forms(s, s->document.isa, err) : NULL;
    struct str text = {0};

    if (!forms)
        return false;
    bool ok = format_text(v, m, forms, s->document.experiments, &text, err) && watch_goes_on(err) &&
              file_write(v->path, text.data, text.length, err);
    if (ok) {
        result_confirm(result, "%s: %zu form%s exported to %s", m->id, mapping_count(m->mapping),
                       plural(mapping_count(m->mapping)), v->path);
        result_text(result, "mapping", m->id);
        result_text(result, "format", v->format);
        result_text(result, "file", v->path);
        result_count(result, "forms", (int64_t)mapping_count(m->mapping));
    }
    str_done(&text);
    return ok;
}

const struct command command_mapping_export = {
    .name = "mapping export",
    .help = "export the current mapping for another tool",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "FORMAT", struct mapping_export_values, format), .required = true,
         .choices = "uops-info|pmevo|pmevo-flat|osaca|csv",
         .help = "uops-info: a uops.info table; pmevo, pmevo-flat: PMEvo's three-level or "
                 "two-level mapping; osaca: a machine file; csv: columns form,usage,latency"},
        {PARAMETER(TEXT, "FILE", struct mapping_export_values, path), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write"}),
    .examples = EXAMPLES("mapping export osaca mine.yml", "mapping export uops-info mine.csv"),
    .values_size = sizeof(struct mapping_export_values),
    .read = run_export,
};
