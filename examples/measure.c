/* Measures a loop on this CPU: measure 4801d8480fafc3 [SECONDS OF PATIENCE] */
#include <portolan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned char code[256];
    size_t length = 0;
    portolan_error error;
    portolan_measurement m = {.size = sizeof m};

    for (const char *hex = argc > 1 ? argv[1] : ""; strlen(hex) >= 2 && length < sizeof code;
         hex += 2) {
        char byte[3] = {hex[0], hex[1], 0};
        code[length++] = (unsigned char)strtoul(byte, NULL, 16);
    }
    if (!portolan_measure(code, length, argc > 2 ? atof(argv[2]) : 0, &m, &error)) {
        fprintf(stderr, "measure: %s\n", error.text);
        return error.code == PORTOLAN_MISSING || error.code == PORTOLAN_LIMIT ? 2 : 1;
    }
    printf("%.2f cycles per iteration at %.2f GHz%s%s\n", m.cycles, m.clock_hz / 1e9,
           m.confirmed ? "" : ", unconfirmed: ", m.reason);
    return 0;
}
