/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/simulate_kernel.h"

void simulate_kernel(const struct kernel *k, size_t loop, const struct machine *m, const struct simulate_options *options, struct simulation *out, struct bounds *bounds)
{
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);
    struct block_work *work = block_work_new(m);
    struct simulator *simulator = simulator_new();
    struct block_options block = {.shape = shape_of(insns, count), .align = count ? (unsigned)(insns[0].offset % 64) : 0};
    struct bounds own;

    bounds_of(work, insns, count, &block, false, bounds ? bounds : &own);
    simulate(simulator, work, insns, count, &block, options, out);
    simulator_free(simulator);
    block_work_free(work);
}
