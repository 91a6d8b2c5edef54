/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/source.h"

#include <math.h>
#include <stddef.h>

static const struct { double at, logarithm;
} seen[] = {
    {0, -0.40436},     {0.0001, -0.15250}, {0.0002, -0.13001}, {0.0005, -0.05922},
    {0.001, -0.02801}, {0.002, -0.01505},  {0.003, -0.00961},  {0.005, -0.00509},
    {0.007, -0.00276}, {0.01, -0.00166},   {0.02, -0.00101},   {0.05, -0.00064},
    {0.1, -0.00036},   {0.25, 0.00010},    {0.5, 0.00044},     {0.75, 0.00084},
    {0.9, 0.00126},    {0.95, 0.00147},    {0.98, 0.00182},    {0.985, 0.00194},
    {0.99, 0.00233},   {0.993, 0.00356},   {0.995, 0.00558},   {0.997, 0.01179},
    {0.998, 0.02218},  {0.999, 0.04537},   {0.9995, 0.05498},  {0.9998, 0.11287},
    {0.9999, 0.15398}, {1, 0.40588},
};

double observed_deviation(double at)
{
    size_t i = 1;

    while (i + 1 < sizeof seen / sizeof *seen && seen[i].at < at)
        i++;
    const double part = (fmin(fmax(at, 0), 1) - seen[i - 1].at) / (seen[i].at - seen[i - 1].at);
    return exp(seen[i - 1].logarithm + part * (seen[i].logarithm - seen[i - 1].logarithm)) - 1;
}
