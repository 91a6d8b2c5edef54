/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/detours.h"

/* maximum number of instructions after a patch among which a jump is searched for */
#define DISPLACED_MORE 8u

static bool is_patched(const struct region *r, uint32_t at)
{
    bool found = false;

    for (size_t i = 0; i <= r->resumed.count; i++)
        found |= region_site(r, i) == at;
    return found;
}

/* Returns the end of the instructions that a patch at @at displaces. These are the overwritten
 * instructions and those up to a nearby jump, if there is one. The jump returns to the original. */
static uint32_t displaced_end(const struct region *r, uint32_t at)
{
    uint32_t end = at + region_covered(r, at), i = end;

    if (!region_falls(&r->list.items[end - 1]))
        return end;
    while (i < end + DISPLACED_MORE && maker_next_follows(r, i - 1) && !r->list.items[i].in_place &&
           !is_patched(r, i)) {
        if (r->list.items[i].insn->traits & INSN_BRANCH)
            return i + 1;
        i++;
    }
    return end;
}

static void displace(struct copy_maker *m, uint32_t at)
{
    const struct region *r = m->r;
    uint32_t end = displaced_end(r, at);

    for (uint32_t i = at; i < end; i++) {
        /* The pivot or part was counted in the copy, and will be counted again in the original. */
        int32_t unfinished = i == r->pivot || (r->dispatch && i == at);
        maker_point(m, i, unfinished);
        maker_instruction(m, i, 0, unfinished);
    }
    const struct insn *last = r->list.items[end - 1].insn;
    if (region_falls(&r->list.items[end - 1]))
        maker_outside(m, last->offset + last->length + m->bias);
}

uint32_t detours_anchor(struct copy_maker *m, uint32_t at, bool twice)
{
    uint32_t label = code_label(m->c);

    m->stamp.flags_free = region_flags_free(m->r, at);
    m->stamp.here = code_label(m->c);
    m->stamp.go = code_label(m->c);
    code_label_here(m->c, label);
    if (twice) {
        uint32_t next = code_label(m->c);
        maker_count_up(m, SLOT_AGAIN);
        code_jump(m->c, next);
        for (unsigned i = 0; i < CODE_LINE; i++)
            BYTES(m->c, 0xcc);
        code_label_here(m->c, next);
    }
    if (m->r->dispatch)
        maker_count_up(m, SLOT_PASSES);
    stamps_step_down(m->c, &m->stamp);
    displace(m, at);
    maker_end_stamp(m);
    return label;
}

static void make_part(struct copy_maker *m, size_t i)
{
    const uint32_t at = region_site(m->r, i);
    struct code *c = m->c;
    struct copies *out = m->out;

    m->stamp.flags_free = region_flags_free(m->r, at);
    m->stamp.here = code_label(c);
    m->stamp.go = code_label(c);
    maker_point(m, at, 0);
    switch (m->mode) {
    case COPY_TIME: stamps_step_down(c, &m->stamp); break;
    case COPY_RECORD:
        stamps_count_down(c, SLOT_RECORDS_LEFT, m->stamp.here, true);
        events_add(c, EVENT_PART, i);
        break;
    case COPY_FOLLOW: maker_count_up(m, SLOT_PASSES); break;
    default: maker_count_up(m, SLOT_PARTS + 8 * (uint32_t)i);
    }
    displace(m, at);
    if (m->mode == COPY_TIME)
        maker_end_stamp(m);
    if (m->mode == COPY_RECORD) {   /* Adds the code that follows a complete recording. */
        code_label_here(c, m->stamp.here);
        code_load(c, CODE_RCX, SLOT_FREE2);
        code_jump(c, i ? out->resumes[COPY_COUNT].items[i - 1] : out->entry[COPY_COUNT]);
    }
}

void detours_parts(struct copy_maker *m)
{
    m->times = m->out->times[m->mode] = 1;
    if (m->mode == COPY_TIME)
        maker_share_stamp(m);
    for (size_t i = 0; i <= m->r->resumed.count; i++) {
        const uint32_t label = code_label(m->c);
        code_label_here(m->c, label);
        if (i)
            vec_push(&m->out->resumes[m->mode], label);
        else
            m->out->entry[m->mode] = label;
        make_part(m, i);
    }
}

void detours_pivot(struct copy_maker *m)
{
    const struct region *r = m->r;

    m->times = m->out->times[m->mode] = 1;
    m->stamp.here = code_label(m->c);
    m->stamp.go = code_label(m->c);
    m->out->entry[m->mode] = code_label(m->c);
    code_label_here(m->c, m->out->entry[m->mode]);
    maker_point(m, r->pivot, 0);
    maker_arrive(m);
    displace(m, r->pivot);
    for (size_t i = 0; i < r->resumed.count; i++) {
        uint32_t label = code_label(m->c);
        code_label_here(m->c, label);
        displace(m, r->resumed.items[i]);
        vec_push(&m->out->resumes[m->mode], label);
    }
    if (m->mode == COPY_TIME)
        stamps_make(m->c, &m->stamp);
}
