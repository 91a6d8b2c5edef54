/* Compares a machine's predictions with measured experiments: evaluate MACHINE FILE.csv */
#include <portolan.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    portolan_error error;
    portolan_accuracy accuracy = {.size = sizeof accuracy};

    if (argc != 3)
        return 2;
    portolan_machine *machine = portolan_machine_load(argv[1], &error);
    int ok = machine && portolan_evaluate(machine, argv[2], &accuracy, &error);
    if (ok)
        printf("%zu experiments, %zu not known, mean error %.1f %%, Pearson %.4f, Spearman %.4f\n",
               accuracy.experiments, accuracy.unknown, 100 * accuracy.error, accuracy.pearson,
               accuracy.spearman);
    else
        fprintf(stderr, "%s\n", error.text);
    portolan_machine_free(machine);
    return !ok;
}
