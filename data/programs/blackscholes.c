/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prices of N European options by the formula of Black and Scholes, the cumulative normal
 * distribution by Abramowitz and Stegun 26.2.17, a hundred rounds: blackscholes N */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 100

static double normal(double x)
{
    double z = fabs(x), k = 1 / (1 + 0.2316419 * z);
    double tail =
        exp(-0.5 * z * z) * 0.39894228040143268 *
        (k * (0.319381530 +
              k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return x < 0 ? tail : 1 - tail;
}

static double price(double spot, double strike, double rate, double volatility, double years,
                    int put)
{
    double spread = volatility * sqrt(years),
           d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread,
           d2 = d1 - spread;
    double later = strike * exp(-rate * years);
    return put ? later * (1 - normal(d2)) - spot * (1 - normal(d1))
               : spot * normal(d1) - later * normal(d2);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n < 1)
        return 2;
    double *spot = malloc((size_t)n * sizeof *spot), *strike = malloc((size_t)n * sizeof *strike),
           *years = malloc((size_t)n * sizeof *years);
    double *value = malloc((size_t)n * sizeof *value), sum = 0;
    if (!spot || !strike || !years || !value)
        return 3;

    for (int i = 0; i < n; i++) {
        spot[i] = 80 + i % 41;
        strike[i] = 90 + i % 23;
        years[i] = 0.25 + 0.125 * (i % 8);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n; i++)
            value[i] = price(spot[i], strike[i], 0.02, 0.3, years[i], i & 1);
    for (int i = 0; i < n; i++)
        sum += value[i];
    printf("sum %.6f\n", sum);
    free(spot);
    free(strike);
    free(years);
    free(value);
    return 0;
}
