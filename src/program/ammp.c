/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/ammp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "throughput/throughput.h"

static bool pipes_of_form(const struct machine *m, struct throughput *throughput, const char *form,
                          struct pipe_kind *out, struct err *err)
{
    const struct mapping_entry *e = mapping_find(m->mapping, form);
    VEC(struct mass) masses = {0};
    unsigned fewest = PORTS_MAX;

    if (!e || !e->usage.count)
        return err_set(err, ERR_MISSING, "use --model steady, or another machine",
                       "%s has no port usage for %s", m->id, form);
    for (size_t i = 0; i < e->usage.count; i++) {
        unsigned ports = (unsigned)__builtin_popcount(e->usage.uops[i].ports);
        fewest = ports < fewest ? ports : fewest;
        vec_push(&masses, ((struct mass){e->usage.uops[i].ports, e->usage.uops[i].count}));
    }
    double cycles = throughput_of_masses(throughput, masses.items, masses.count);
    vec_done(&masses);
    *out = (struct pipe_kind){fewest, isnan(e->latency) ? 1 : e->latency, cycles * fewest};
    return true;
}

bool ammp_pipes(const struct machine *m, struct pipe_kind kinds[OP_CLASSES], struct err *err)
{
    char *path = file_data_path("programs/pipes.csv");
    struct csv_table *t = path ? csv_table_read(path, err) : NULL;
    struct throughput *throughput = throughput_new(mapping_ports(m->mapping)->count);
    bool ok = t != NULL || (path ? false
                                 : err_set(err, ERR_MISSING, "install Portolan's data",
                                           "data/programs/pipes.csv not found"));

    for (unsigned i = 0; i < OP_CLASSES; i++)
        kinds[i] = (struct pipe_kind){1, 1, 1};
    for (size_t i = 0; ok && i < t->count; i++) {
        enum op_class class;
        if (strcmp(t->rows[i][0], m->isa) == 0 &&
            op_class_find(t->rows[i][1], strlen(t->rows[i][1]), &class))
            ok = pipes_of_form(m, throughput, t->rows[i][2], &kinds[class], err);
    }
    throughput_free(throughput);
    csv_table_free(t);
    free(path);
    return ok;
}

/* Memory behaviour of a block: number of references, sum of their latencies, and sum of their
 * cycles per line */
struct block_memory { double references, latency, lines; };

static struct block_memory *memory_by_block(const struct program *p, const struct program_run *run,
                                            const struct memory *memory, struct program_time *out)
{
    struct block_memory *list = mem_zero(p->block_count + 1, sizeof *list);

    for (size_t i = 0; i < p->reference_count; i++) {
        const struct run_reference *r = &run->references[i];
        struct block_memory *b = &list[p->references[i].block];
        b->references += r->references;
        out->references += r->references;
        for (size_t k = 0; k < r->bin_count; k++) {
            double served[MEMORY_LEVELS + 1], behind = 1;
            memory_served(memory, r->bins[k].distance, 0, 1, served);
            b->latency += r->bins[k].count * memory_latency(memory, served);
            b->lines += r->bins[k].count * memory_line_cycles(memory, served);
            for (size_t l = 0; l < memory->count; l++) {
                behind -= served[l];
                out->misses[l] += r->bins[k].count * fmax(0, behind);
            }
        }
    }
    return list;
}

static double time_block(const struct program_block *b, const struct pipe_kind *kinds,
                         const struct block_memory *memory, struct call_costs *calls,
                         struct part_time *out, double busy[OP_CLASSES])
{
    struct pipe_kind own[OP_CLASSES];
    double cost = 0;

    memcpy(own, kinds, sizeof own);
    if (memory->references > 0) {
        own[OP_LOAD].latency = memory->latency / memory->references;
        own[OP_LOAD].interval = fmax(own[OP_LOAD].interval, memory->lines / memory->references);
        own[OP_STORE].interval = fmax(own[OP_STORE].interval, memory->lines / memory->references);
    }
    for (size_t i = 0; i < b->call_count; i++) {
        double one = calls ? call_cost_of(calls, b->calls[i]) : NAN;
        cost += isnan(one) ? 0 : one;
    }
    out->calls = cost * out->executions;
    out->core = graphlet_cycles(b->ops, b->op_count, own, busy);
    out->insns = b->op_count;
    return out->core + cost;
}

static int by_cycles(const void *a, const void *b)
{
    double x = ((const struct part_time *)a)->cycles, y = ((const struct part_time *)b)->cycles;
    return (x < y) - (x > y);
}

void ammp_time(const struct program *p, const struct program_run *run,
               const struct pipe_kind kinds[OP_CLASSES], const struct memory *memory,
               struct call_costs *calls, struct program_time *out)
{
    *out = (struct program_time){.cycles = 0};
    struct block_memory *by_block = memory_by_block(p, run, memory, out);

    for (size_t b = 0; b < p->block_count; b++) {
        struct part_time part = {.block = (uint32_t)b,
                                 .unit = p->blocks[b].unit,
                                 .loop = UINT32_MAX,
                                 .line = p->blocks[b].line,
                                 .executions = run->counts[b],
                                 .bottleneck = BOUND_DEPENDENCIES};
        if (!(part.executions > 0))
            continue;
        double busy[OP_CLASSES];
        part.cycles =
            part.executions * time_block(&p->blocks[b], kinds, &by_block[b], calls, &part, busy);
        for (unsigned class = 0; class < OP_CLASSES; class++)
            out->busy[class] += part.executions * busy[class];
        out->cycles += part.cycles;
        vec_push(&out->parts, part);
    }
    free(by_block);
    if (out->parts.count)
        qsort(out->parts.items, out->parts.count, sizeof *out->parts.items, by_cycles);
    out->seconds = out->cycles / memory->clock_hz;
}
