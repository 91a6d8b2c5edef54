/* Charts a few forms of this CPU, or of a simulated CPU with --simulate: chart [--simulate MACHINE]
 * PATTERN... */
#include <portolan.h>
#include <stdio.h>
#include <string.h>

static int watch(void *state, const portolan_stage *stage)
{
    *(int *)state = stage->stage + 1;
    return 0;
}

int main(int argc, char **argv)
{
    portolan_error error;
    portolan_charting how = {.size = sizeof how};
    portolan_machine *simulated = NULL;
    int first = 1, stages = 0;

    if (argc > 2 && strcmp(argv[1], "--simulate") == 0) {
        how.simulated = simulated = portolan_machine_load(argv[2], &error);
        first = 3;
    }
    portolan_machine *m = argc > first && (first == 1 || simulated)
                              ? portolan_chart((const char *const *)argv + first,
                                               (size_t)(argc - first), &how, watch, &stages, &error)
                              : NULL;
    for (size_t i = 0; m && i < portolan_machine_forms(m); i++) {
        char usage[200];
        const char *form = portolan_machine_form(m, i);
        if (portolan_machine_usage(m, form, usage, sizeof usage, &error) && *usage)
            printf("%s: %s\n", form, usage);
    }
    if (m)
        printf("%d stages\n", stages);
    else
        fprintf(stderr, "chart: %s\n", argc > first ? error.text : "no pattern is given");
    portolan_machine_free(m);
    portolan_machine_free(simulated);
    return !m;
}
