/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/histogram.h"

#include <stdbool.h>

void reuse_histogram_done(struct reuse_histogram *h)
{
    vec_done(&h->bins);
}

void reuse_histogram_add(struct reuse_histogram *h, double distance, double count)
{
    if (count > 0)
        vec_push(&h->bins, ((struct reuse_bin){distance, count}));
}

void reuse_histogram_merge(struct reuse_histogram *h, const struct reuse_histogram *from,
                           double factor)
{
    struct reuse_histogram sum = {0};
    size_t i = 0, k = 0;

    while (i < h->bins.count || k < from->bins.count) {
        bool mine =
            k == from->bins.count ||
            (i < h->bins.count && h->bins.items[i].distance <= from->bins.items[k].distance);
        struct reuse_bin next = mine ? h->bins.items[i++] : from->bins.items[k++];
        if (!mine)
            next.count *= factor;
        if (sum.bins.count && sum.bins.items[sum.bins.count - 1].distance == next.distance)
            sum.bins.items[sum.bins.count - 1].count += next.count;
        else
            reuse_histogram_add(&sum, next.distance, next.count);
    }
    reuse_histogram_done(h);
    *h = sum;
}

double reuse_histogram_total(const struct reuse_histogram *h)
{
    double total = 0;
    for (size_t i = 0; i < h->bins.count; i++)
        total += h->bins.items[i].count;
    return total;
}
