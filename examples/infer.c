/* Infers a port mapping from measurements: infer FILE.csv SECONDS PORTS. Stops when the mean error
 * is below 1 %. */
#include <portolan.h>
#include <stdio.h>
#include <stdlib.h>

static int watch(void *state, const portolan_progress *progress)
{
    unsigned *calls = state;
    ++*calls;
    return progress->error < 0.01;   /* Returns false while the error is NaN, before any mapping. */
}

int main(int argc, char **argv)
{
    portolan_error error;
    unsigned calls = 0;

    if (argc != 4)
        return 2;
    portolan_inference how = {
        .size = sizeof how, .seconds = atof(argv[2]), .ports = (unsigned)atoi(argv[3])};
    portolan_machine *machine = portolan_infer(argv[1], &how, watch, &calls, &error);
    if (!machine) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("watched: %s\n", calls ? "yes" : "no");
    portolan_accuracy accuracy = {.size = sizeof accuracy};
    if (portolan_evaluate(machine, argv[1], &accuracy, &error))
        printf("mean error: %.2f %% of %zu experiments\n", 100 * accuracy.error,
               accuracy.experiments);
    for (size_t i = 0; i < portolan_machine_forms(machine); i++) {
        char usage[256];
        if (portolan_machine_usage(machine, portolan_machine_form(machine, i), usage, sizeof usage,
                                   &error))
            printf("%s\t%s\n", portolan_machine_form(machine, i), usage);
    }
    portolan_machine_free(machine);
    return 0;
}
