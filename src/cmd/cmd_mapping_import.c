/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/mem.h"
#include "cmd/cmd_mapping.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/import.h"
#include "work/job.h"

/* State of the job that runs llvm-mca on all forms, which takes some seconds */
struct llvm_importing {
    /* counted references to the session's tables; NULL: the worker loads the table */
    struct forms *forms[ISA_COUNT];
    char *cpu;
    struct machine *machine;
};

static bool read_llvm(struct llvm_importing *w, struct err *err)
{
    /* Uses the first instruction set that has the CPU, because a CPU name belongs to only one
     * instruction set. */
    for (int isa = 0; isa < ISA_COUNT && !w->machine; isa++) {
        if (!w->forms[isa] && !(w->forms[isa] = forms_load((enum isa)isa, NULL, err)))
            return false;
        w->machine = import_llvm(w->cpu, w->forms[isa], err);
        if (!w->machine && err->code != ERR_MISSING)
            return false;
    }
    return w->machine != NULL;
}

static bool llvm_run(void *state, struct result *result, struct err *err)
{
    job_progress(0, 0, "reading the tables of llvm-mca");
    child_watch(job_cancelled, NULL);
    bool ok = read_llvm(state, err);
    child_watch(NULL, NULL);
    return ok;
}

static bool llvm_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct llvm_importing *w = state;
    struct machine *m = w->machine;

    w->machine = NULL;
    return mapping_adopt(s, m, "mapping import llvm", result, err);
}

static void llvm_free(void *state)
{
    struct llvm_importing *w = state;
    machine_free(w->machine);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        forms_free(w->forms[isa]);
    free(w->cpu);
    free(w);
}

static bool import_llvm_cpu(struct session *s, const char *cpu, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"imports", llvm_run, llvm_finish, llvm_free,
                                        .title = "mapping import llvm", .listed = TASK_LISTED};
    struct llvm_importing *w = mem_zero(1, sizeof *w);

    w->cpu = mem_strdup(cpu);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        w->forms[isa] = s->document.forms[isa] ? forms_hold(s->document.forms[isa]) : NULL;
    return task_give(task, &ops, w);
}

/* Returns "uops-" and the name of the architecture (NULL: of the file) in lower case, with '-' for
 * each character other than letters and digits. The caller frees the result. */
static char *imported_id(const char *path, const char *architecture)
{
    const char *base = strrchr(path, '/');
    struct str id = {0};

    base = architecture ? architecture : base ? base + 1 : path;
    size_t length = architecture ? strlen(base) : strcspn(base, ".");
    str_add(&id, "uops-");
    for (size_t i = 0; i < length; i++)
        str_add_char(&id,
                     isalnum((unsigned char)base[i]) ? (char)tolower((unsigned char)base[i]) : '-');
    return str_take(&id);
}

/* State of the job that imports uops.info's XML. The worker reads all files before it adds the
 * machines. The file of all architectures has 150 MB. */
struct uops_import {
    char *architecture;   /* NULL: the only architecture of each file */
    char **paths;
    struct machine **machines;
    size_t count;
};

static bool uops_run(void *state, struct result *result, struct err *err)
{
    struct uops_import *w = state;
    struct forms *forms = forms_load(ISA_UNSAID, NULL, err);
    bool ok = forms != NULL;

    for (size_t i = 0; ok && i < w->count; i++) {
        char *id = imported_id(w->paths[i], w->architecture);
        job_progress((double)i, (double)w->count, "%s", w->paths[i]);
        w->machines[i] = import_uops(id, w->paths[i], w->architecture, forms, err);
        ok = w->machines[i] && (!job_cancelled(NULL) ||
                                err_set(err, ERR_INTERRUPTED, NULL, "the import was cancelled"));
        free(id);
    }
    forms_free(forms);
    return ok;
}

static bool uops_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "forms", .kind = CELL_COUNT},
        {.key = "ports", .kind = CELL_COUNT},
    };
    struct uops_import *w = state;

    struct result_table *t = RESULT_TABLE(result, "machines", columns);
    t->hide = NOT_TEXT;
    t->shape = TABLE_SPREAD;
    for (size_t i = 0; i < w->count; i++) {
        struct machine *m = w->machines[i];
        mapping_describe(m, result);
        cell_text(t, m->id);
        cell_count(t, (int64_t)mapping_count(m->mapping));
        cell_count(t, mapping_ports(m->mapping)->count);
        w->machines[i] = NULL;
        undo_note_result(s, m, "mapping import uops-info", i > 0);
        session_add_machine(s, m);
        /* The call cannot fail, because the machine was just added. */
        session_select(s, &m->id, 1, err);
        undo_note_arrived(s, m->id);
    }
    return true;
}

static void uops_free(void *state)
{
    struct uops_import *w = state;
    for (size_t i = 0; i < w->count; i++) {
        free(w->paths[i]);
        machine_free(w->machines[i]);
    }
    free(w->paths);
    free(w->machines);
    free(w->architecture);
    free(w);
}

static bool import_uops_files(const struct word_list *files, const char *architecture,
                              struct task *task)
{
    static const struct task_ops ops = {"imports", uops_run, uops_finish, uops_free,
                                        .title = "mapping import uops-info", .listed = TASK_LISTED};
    struct uops_import *w = mem_zero(1, sizeof *w);

    w->architecture = mem_strdup(architecture);
    w->paths = mem_zero(files->count, sizeof *w->paths);
    w->machines = mem_zero(files->count, sizeof(struct machine *));
    for (size_t i = 0; i < files->count; i++)
        w->paths[w->count++] = mem_strdup(files->items[i]);
    return task_give(task, &ops, w);
}

struct import_values {
    const char *format, *architecture;
    struct word_list sources;
};

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct import_values *v = values;

    if (strcmp(v->format, "uops-info") == 0)
        return import_uops_files(&v->sources, v->architecture, task);
    if (v->sources.count != 1)
        return err_set(err, ERR_USAGE, "import one file at a time", "%s imports one file, not %zu",
                       v->format, v->sources.count);
    if (v->architecture)
        return err_set(err, ERR_USAGE, "omit --architecture",
                       "--architecture applies to uops-info, not to %s", v->format);
    const char *source = v->sources.items[0];
    if (strcmp(v->format, "llvm") == 0)
        return import_llvm_cpu(s, source, task, err);
    if (strcmp(v->format, "osaca") == 0)
        return mapping_read(s, "mapping import osaca", source, MAPPING_OSACA, task);
    if (strcmp(v->format, "pmevo") == 0)
        return mapping_read(s, "mapping import pmevo", source, MAPPING_PMEVO, task);
    return mapping_read(s, "mapping import csv", source, MAPPING_CSV, task);
}

const struct command command_mapping_import = {
    .name = "mapping import",
    .help = "import a mapping from LLVM's scheduling models or another tool's file",
    .description = "The mapping becomes the current mapping. It has the name of the file or the "
                   "CPU.",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "FORMAT", struct import_values, format), .required = true,
         .choices = "llvm|uops-info|osaca|pmevo|csv",
         .help = "source: LLVM's scheduling model of a CPU (needs llvm-mca), a uops.info table "
                 "(CSV or XML), an OSACA machine file, PMEvo's JSON, or CSV with "
                 "form,usage,latency"},
        {PARAMETER(WORDS, "CPU|FILE", struct import_values, sources), .required = true,
         .complete = COMPLETE_FILE,
         .help = "llvm: LLVM's name of the CPU, with +FEATURE for each additional feature; "
                 "otherwise a file (uops-info: several files)"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--architecture", struct import_values, architecture), .value = "A",
         .fallback = "the only architecture of the file",
         .help = "microarchitecture in uops.info's XML, such as SKL"}),
    .examples = EXAMPLES("mapping import llvm znver3", "mapping import uops-info skylake.csv",
                         "mapping import osaca skx.yml"),
    .values_size = sizeof(struct import_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
