/* Prints the cycles of an experiment: throughput MACHINE 'EXPERIMENT' */
#include <portolan.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    portolan_error error;
    double cycles;

    if (argc != 3)
        return 2;
    portolan_machine *machine = portolan_machine_load(argv[1], &error);
    if (!machine || !portolan_throughput(machine, argv[2], &cycles, &error)) {
        fprintf(stderr, "%s\n", error.text);
        portolan_machine_free(machine);
        return 1;
    }
    printf("%s: %.2f cycles\n", portolan_machine_title(machine), cycles);
    portolan_machine_free(machine);
    return 0;
}
