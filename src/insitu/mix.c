/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/paths.h"

#include <math.h>

#include "simulate/simulate.h"

#define SAMPLES 4u             /* number of samples of the recorded iterations */
/* minimum number of instructions per sample, if the recording has as many */
#define SAMPLE_INSNS 500u
#define SAMPLE_MOST 2000u

/* Returns the predicted cycles per repetition of the @count instructions. */
static double cycles_of(const struct region *r, struct insn *insns, size_t count,
                        const struct machine *m)
{
    struct kernel_loop loop = {.count = count, .depth = 1};
    const struct kernel k = {.isa = r->kernel->isa,
                             .insns = insns,
                             .insn_count = count,
                             .loops = &loop,
                             .loop_count = 1};
    struct simulation sim;
    struct bounds bounds;

    simulate_kernel(&k, 0, m, &(struct simulate_options){0}, &sim, &bounds);
    double cycles = isnan(sim.cycles) || sim.cycles < bounds.total ? bounds.total : sim.cycles;
    simulation_done(&sim);
    return cycles;
}

/* Omits calls, whose cycles are not part of the loop. */
size_t mix_append(const struct region *r, const struct path *path, struct insn *out, size_t count,
                  size_t most)
{
    for (size_t i = 0; i < path->insns.count && count < most; i++) {
        const struct region_insn *in = &r->list.items[path->insns.items[i]];
        if (in->in_place)
            continue;
        out[count] = *in->insn;
        if (in->insn->traits & INSN_BRANCH)
            out[count].traits |= INSN_FOLLOWED;
        count++;
    }
    return count;
}

double mix_predict_path(const struct region *r, const struct path *path, const struct machine *m)
{
    struct insn *insns = mem_try_alloc(SAMPLE_MOST * sizeof *insns);
    size_t count = insns ? mix_append(r, path, insns, 0, SAMPLE_MOST) : 0;
    double cycles = count ? cycles_of(r, insns, count, m) : NAN;

    free(insns);
    return cycles;
}

double mix_predict(const struct region *r, const struct paths *p, const struct machine *m)
{
    struct insn *insns = mem_try_alloc(SAMPLE_MOST * sizeof *insns);
    double cycles = 0;
    size_t iterations = 0;

    for (unsigned s = 0; insns && s < SAMPLES; s++) {
        size_t at = p->order.count * (2 * s + 1) / (2 * SAMPLES), count = 0, begun = at;
        for (; at < p->order.count && count < SAMPLE_INSNS; at++)
            count = mix_append(r, &p->list.items[p->order.items[at]], insns, count, SAMPLE_MOST);
        if (!count)
            continue;
        cycles += cycles_of(r, insns, count, m);
        iterations += at - begun;
    }
    free(insns);
    return iterations ? cycles / (double)iterations : NAN;
}
