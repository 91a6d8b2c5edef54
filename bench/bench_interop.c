/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times export and import of other tools' files, compared with the machine's own tables in the same
 * run. Best of seven runs with the largest shipped machine. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "io/export_mapping.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "io/pmevo_json.h"

#define ROUNDS 7

static struct machine *machine;
static struct forms *forms;
static struct str text;
static char path[] = "/tmp/bench-interop-XXXXXX";

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double best(void (*run)(void))
{
    double least = 1e300;
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_now();
        run();
        double spent = cpu_now() - start;
        least = spent < least ? spent : least;
    }
    return least;
}

static void load_own(void) { machine_free(machine_load(machine->id, NULL)); }
static void csv_out(void) { str_clear(&text); machine_mapping_csv(machine, &text); }
static void csv_in(void) { machine_free(machine_load_csv("x", path, NULL)); }
static void uops_out(void) { str_clear(&text); export_uops_info(machine, forms, &text); }
static void uops_in(void)
{
    machine_free(import_uops_parse("x", "x", text.data, text.length, NULL, forms, NULL));
}
static void pmevo_out(void) { str_clear(&text); export_pmevo(machine, forms, NULL, &text); }
static void pmevo_in(void) { mapping_free(pmevo_mapping_parse("x", text.data, text.length, NULL)); }
static void osaca_out(void) { str_clear(&text); export_osaca(machine, &text, NULL); }
static void osaca_in(void)
{
    machine_free(import_osaca_parse("x", "x", text.data, text.length,
                                    (const struct forms *const[ISA_COUNT]){[ISA_X86_64] = forms},
                                    NULL, NULL));
}

int main(void)
{
    static const struct { const char *name; void (*out)(void), (*in)(void);
    } formats[] = {{"mapping.csv", csv_out, csv_in},
                   {"uops.info", uops_out, uops_in},
                   {"PMEvo JSON", pmevo_out, pmevo_in},
                   {"OSACA YAML", osaca_out, osaca_in}};

    machine = machine_load("sapphirerapids", NULL);
    forms = forms_load(ISA_X86_64, NULL, NULL);
    if (!machine || !forms)
        return 1;
    close(mkstemp(path));
    double own = best(load_own);
    printf("%zu forms of %s; ms of CPU time, best of %d\n%-12s %8s %8s %8s  in / own tables\n",
           mapping_count(machine->mapping), machine->id, ROUNDS, "", "out", "in", "kB");
    printf("%-12s %8s %8.1f\n", "own tables", "", own);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        double out = best(formats[i].out);
        file_write(path, text.data, text.length, NULL);
        double in = best(formats[i].in);
        printf("%-12s %8.1f %8.1f %8zu  %.2f\n", formats[i].name, out, in, text.length / 1000,
               in / own);
    }
    unlink(path);
    str_done(&text);
    machine_free(machine);
    forms_free(forms);
    return 0;
}
