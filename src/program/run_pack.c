/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/runs.h"

#include <math.h>

#include "base/mem.h"

void run_pack(const struct program *p, const struct program_run *run, struct str *out)
{
    pack_count(out, p->block_count);
    pack_count(out, p->reference_count);
    pack_count(out, run->mode);
    pack_array(out, run->inputs, INPUTS_MAX, sizeof *run->inputs);
    pack_array(out, run->counts, p->block_count, sizeof *run->counts);
    pack_array(out, run->taken, p->block_count, sizeof *run->taken);
    pack_array(out, run->mispredicted, p->block_count, sizeof *run->mispredicted);
    pack_array(out, run->calls, p->block_count, sizeof *run->calls);
    pack_number(out, run->faults);
    pack_number(out, run->faults_beyond);
    for (size_t i = 0; i < p->reference_count; i++) {
        const struct run_reference *r = &run->references[i];
        pack_number(out, r->references);
        pack_count(out, r->bin_count);
        pack_array(out, r->bins, r->bin_count, sizeof *r->bins);
        pack_count(out, r->from);
        pack_count(out, r->from_age);
        pack_count(out, r->lead);
        pack_number(out, r->apart);
        pack_count(out, r->rows);
    }
}

bool run_unpack(const struct program *p, struct unpacking *from, struct program_run *out)
{
    *out = (struct program_run){.seconds = NAN, .faults = NAN};
    out->counts = mem_zero(p->block_count + 1, sizeof *out->counts);
    out->taken = mem_zero(p->block_count + 1, sizeof *out->taken);
    out->mispredicted = mem_zero(p->block_count + 1, sizeof *out->mispredicted);
    out->calls = mem_zero(p->block_count + 1, sizeof *out->calls);
    out->references = mem_zero(p->reference_count + 1, sizeof *out->references);
    if (unpack_count(from) != p->block_count || unpack_count(from) != p->reference_count)
        return false;
    uint64_t mode = unpack_count(from);
    out->mode = mode <= TRACE_EXACT ? (enum trace_mode)mode : TRACE_COUNTS;
    unpack_array(from, out->inputs, INPUTS_MAX, sizeof *out->inputs);
    unpack_array(from, out->counts, p->block_count, sizeof *out->counts);
    unpack_array(from, out->taken, p->block_count, sizeof *out->taken);
    unpack_array(from, out->mispredicted, p->block_count, sizeof *out->mispredicted);
    unpack_array(from, out->calls, p->block_count, sizeof *out->calls);
    out->faults = unpack_number(from);
    out->faults_beyond = unpack_number(from);
    for (size_t i = 0; i < p->reference_count && !from->broken; i++) {
        struct run_reference *r = &out->references[i];
        r->references = unpack_number(from);
        uint64_t count = unpack_count(from);
        if (!unpack_holds(from, count, sizeof *r->bins))
            break;
        r->bins = mem_zero(count + 1, sizeof *r->bins);
        r->bin_count = count;
        unpack_array(from, r->bins, count, sizeof *r->bins);
        r->from = (uint32_t)unpack_count(from);
        r->from_age = (uint32_t)unpack_count(from);
        r->lead = (uint32_t)unpack_count(from);
        r->apart = unpack_number(from);
        r->rows = (uint32_t)unpack_count(from);
        from->broken |= r->from > p->reference_count || r->lead > p->reference_count ||
                        r->rows > p->reference_count;
    }
    return !from->broken && mode <= TRACE_EXACT;
}
