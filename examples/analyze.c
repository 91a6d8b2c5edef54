/* Analyses a loop given as bytes: analyze MACHINE HEX */
#include <portolan.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned char code[4096];
    size_t length = 0;
    portolan_error error;
    portolan_analysis analysis = {.size = sizeof analysis};
    int ok;

    if (argc != 3)
        return 2;
    for (const char *p = argv[2]; length < sizeof code && sscanf(p, "%2hhx", &code[length]) == 1;
         p += 2)
        length++;
    portolan_machine *machine = portolan_machine_load(argv[1], &error);
    ok = machine && portolan_analyze(machine, code, length, &analysis, &error);
    if (ok) {
        printf("%.2f cycles per iteration, bound by %s; simulated %.2f\n", analysis.cycles,
               portolan_bound_name(analysis.bottleneck), analysis.simulated);
        for (int bound = 0; bound < PORTOLAN_BOUNDS; bound++)
            printf("  %-13s %.2f\n", portolan_bound_name(bound), analysis.bounds[bound]);
        printf("%s\n", analysis.sentence);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    portolan_machine_free(machine);
    return !ok;
}
