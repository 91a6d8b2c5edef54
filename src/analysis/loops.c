/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/loops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dispatch.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/steps.h"
#include "base/vec.h"
#include "base/watch.h"
#include "toolchain/listing.h"

/* limit of the number of instructions of a loop or a function whose paths are examined */
#define PATH_LIMIT 20000
/* Limit of the instructions that all searches for arms of loops in a unit may visit: ARMS_LEAST,
 * plus ARMS_EACH per instruction of the unit. */
#define ARMS_LEAST 1000000
#define ARMS_EACH 1000
#define NO_TARGET SIZE_MAX
#define ENTRIES_MOST 16u /* a range must have fewer entries than this number; the head is one of the
                          * entries */
/* largest number of functions examined in the search for the function that contains an address */
#define ENCLOSING_MOST 64

static size_t index_at(const struct insn *insns, size_t count, uint64_t offset)
{
    const size_t low =
        first_from(insns, count, sizeof(struct insn), offsetof(struct insn, offset), offset);
    return low < count && insns[low].offset == offset ? low : NO_TARGET;
}

static bool changes_nothing(const struct insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].reg != REG_NONE &&
            insn->operands[i].access & ACCESS_WRITE)
            return false;
    return true;
}

size_t loop_branch_target(const struct insn *insns, size_t count, size_t at)
{
    const struct insn *insn = &insns[at];
    if (!(insn->traits & INSN_BRANCH) || (insn->traits & (INSN_CALL | INSN_RETURN | INSN_REFERS)))
        return NO_TARGET;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == OPERAND_RELATIVE) {
            const size_t target = index_at(insns, count, (uint64_t)insn->operands[i].displacement);
            /* A jump to itself has no effect and is a placeholder. On AArch64 a relocation sets its
             * target, and hexadecimal code has no relocations. */
            return target == at && changes_nothing(insn) ? NO_TARGET : target;
        }
    return NO_TARGET;
}

/* Returns whether the head reaches the closing branch within the region, which may have at most
 * PATH_LIMIT instructions. Otherwise the branch is in cold code after the function's end, and
 * closes no loop. */
static bool region_closes(const struct insn *insns, const size_t *targets, size_t first,
                          size_t last)
{
    size_t n = last - first + 1;
    if (n > PATH_LIMIT)
        return false;
    bool *seen = mem_zero(n, sizeof *seen);
    VEC(size_t) todo = {0};
    vec_push(&todo, first);
    seen[0] = true;
    while (todo.count && !seen[n - 1]) {
        size_t at = todo.items[--todo.count];
        seen[n - 1] |= loop_jumps_anywhere(&insns[at]);
        size_t next[2] = {loop_falls_through(&insns[at]) ? at + 1 : NO_TARGET, targets[at]};
        for (int i = 0; i < 2; i++)
            if (next[i] != NO_TARGET && next[i] >= first && next[i] <= last &&
                !seen[next[i] - first]) {
                seen[next[i] - first] = true;
                vec_push(&todo, next[i]);
            }
    }
    bool closes = seen[n - 1];
    free(seen);
    vec_done(&todo);
    return closes;
}

static size_t label_from(const struct label *labels, size_t count, uint64_t offset)
{
    const size_t low =
        first_from(labels, count, sizeof(struct label), offsetof(struct label, offset), offset);
    return low;
}

/* Returns the index of the first instruction after @first that begins a function; @count: none. */
static size_t function_end(const struct insn *insns, size_t count, const struct label *labels,
                           size_t label_count, size_t first)
{
    for (size_t i = label_from(labels, label_count, insns[first].offset + 1); i < label_count; i++)
        if (labels[i].function)
            return first_from(insns, count, sizeof *insns, offsetof(struct insn, offset),
                              labels[i].offset);
    return count;
}

static bool crosses_function(const struct insn *insns, size_t first, size_t last,
                             const struct label *labels, size_t count)
{
    for (size_t i = label_from(labels, count, insns[first].offset + 1);
         i < count && labels[i].offset <= insns[last].offset; i++)
        if (labels[i].function)
            return true;
    return false;
}

static int region_by_place(const void *a, const void *b)
{
    const struct loop_region *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last > y->last ? -1 : x->last < y->last;
}

struct index_list { VEC(size_t) list; };

struct code_flow {
    const struct insn *insns;
    const size_t *targets;
    /* per instruction: lowest and highest index of the direct jumps to it; @low SIZE_MAX: no
     * jump */
    size_t *low, *high;
    const struct label *labels;
    size_t count, label_count;
    size_t *budget; /* number of instructions that searches for arms may still visit */
};

/* Subtracts @visits from the budget, which remains at least 0. */
static void spend(const struct code_flow *f, size_t visits)
{
    steps_add(1 + visits / 16);
    *f->budget -= visits < *f->budget ? visits : *f->budget;
}

static struct code_flow flow_of(const struct insn *insns, size_t count, const size_t *targets)
{
    struct code_flow f = {.insns = insns, .targets = targets, .count = count};

    f.low = mem_alloc((count + 1) * sizeof *f.low);
    f.high = mem_zero(count + 1, sizeof *f.high);
    memset(f.low, 0xff, (count + 1) * sizeof *f.low);
    f.budget = mem_alloc(sizeof *f.budget);
    *f.budget = ARMS_LEAST + ARMS_EACH * count;
    for (size_t i = 0; i < count; i++)
        if (targets[i] < count) {
            f.low[targets[i]] = f.low[targets[i]] < i ? f.low[targets[i]] : i;
            f.high[targets[i]] = i;
        }
    return f;
}

static void flow_done(struct code_flow *f)
{
    free(f->low);
    free(f->high);
    free(f->budget);
}

/* Returns whether execution from outside may enter the range @first to @last at instruction @at. */
static bool enters(const struct code_flow *f, size_t at, size_t first, size_t last)
{
    size_t before = at;

    if (f->low[at] != NO_TARGET && (f->low[at] < first || f->high[at] > last))
        return true;
    if (at != first)
        return false;
    for (size_t i = label_from(f->labels, f->label_count, f->insns[at].offset);
         i < f->label_count && f->labels[i].offset == f->insns[at].offset; i++)
        if (f->labels[i].function)
            return true;
    /* Skips padding before an aligned block, because it is no predecessor. */
    while (before > 0 && f->insns[before - 1].traits & INSN_NOP)
        before--;
    return before == 0 || loop_falls_through(&f->insns[before - 1]);
}

/* Marks the instructions of @first to @last that execution reaches from @from within this range,
 * without passing @avoided. Marks @from only if it reaches itself. */
static void mark_reached(const struct code_flow *f, size_t first, size_t last, size_t from,
                         size_t avoided, bool *marks)
{
    VEC(size_t) todo = {0};

    spend(f, last - first + 1);
    vec_push(&todo, from);
    while (todo.count) {
        const size_t at = todo.items[--todo.count];
        const size_t next[2] = {loop_falls_through(&f->insns[at]) ? at + 1 : NO_TARGET,
                                f->targets[at]};
        for (int i = 0; i < 2; i++)
            if (next[i] != NO_TARGET && next[i] >= first && next[i] <= last &&
                next[i] != avoided && !marks[next[i] - first]) {
                marks[next[i] - first] = true;
                vec_push(&todo, next[i]);
            }
    }
    vec_done(&todo);
}

/* Returns whether execution reaches @to from @from within @first to @last without @avoided. */
static bool leads(const struct code_flow *f, size_t first, size_t last, size_t from, size_t to,
                  size_t avoided)
{
    bool *marks = mem_zero(last - first + 1, sizeof *marks);

    if (from != avoided)
        mark_reached(f, first, last, from, avoided, marks);
    const bool found = marks[to - first];
    free(marks);
    return found;
}

/* Sets *@begin and *@end to the first and last instruction of the function that contains
 * instruction @at. */
static void function_range(const struct code_flow *f, size_t at, size_t *begin, size_t *end)
{
    size_t i = label_from(f->labels, f->label_count, f->insns[at].offset + 1);

    *end = function_end(f->insns, f->count, f->labels, f->label_count, at) - 1;
    while (i > 0 && !f->labels[i - 1].function)
        i--;
    *begin = i ? first_from(f->insns, f->count, sizeof *f->insns, offsetof(struct insn, offset),
                            f->labels[i - 1].offset)
               : 0;
}

/* Returns the last instruction of the natural loop of @head in the function @begin to @end. The
 * loop is the code that @head dominates and from which execution can return to @head. Considers
 * only the part found before the budget is spent. */
static size_t natural_end(const struct code_flow *f, size_t begin, size_t end, size_t head)
{
    const size_t count = end - begin + 1;
    bool *reached = mem_zero(count, sizeof *reached), *without = mem_zero(count, sizeof *without),
         *body = mem_zero(count, sizeof *body), more = true;
    size_t last = head;

    mark_reached(f, begin, end, head, NO_TARGET, reached);
    if (head != begin) {
        mark_reached(f, begin, end, begin, head, without);
        without[0] = true;
    }
    body[head - begin] = true;
    while (more && *f->budget) {
        more = false;
        spend(f, count);
        for (size_t i = end + 1; i-- > begin;) {
            const size_t next[2] = {loop_falls_through(&f->insns[i]) ? i + 1 : NO_TARGET,
                                    f->targets[i]};
            bool leads_back = false;
            for (int k = 0; k < 2; k++)
                leads_back |= next[k] >= begin && next[k] <= end && body[next[k] - begin];
            if (leads_back && !body[i - begin] && reached[i - begin] && !without[i - begin]) {
                body[i - begin] = more = true;
                last = i > last ? i : last;
            }
        }
    }
    free(reached);
    free(without);
    free(body);
    return last;
}

/* Returns the entry in @entries that is on all paths from the function's start to the other
 * entries; NO_TARGET: none. @begin and @end are the range of the function. */
static size_t dominator(const struct code_flow *f, size_t begin, size_t end,
                        const struct index_list *entries)
{
    size_t found = NO_TARGET;

    for (size_t i = 0; i < entries->list.count && found == NO_TARGET && *f->budget; i++) {
        const size_t entry = entries->list.items[i];
        bool all = entry == begin || leads(f, begin, end, begin, entry, NO_TARGET);
        for (size_t k = 0; k < entries->list.count && all; k++)
            all = k == i || !leads(f, begin, end, begin, entries->list.items[k], entry);
        found = all ? entry : NO_TARGET;
    }
    return found;
}

/* Returns the entry of the range @first to *@last that is on a cycle with @first. If there are
 * several, returns the one that dominates the others. Arms after the range then jump to the others,
 * and *@last is set to the end of these arms. NO_TARGET: no such entry. */
static size_t entry_of(const struct code_flow *f, size_t first, size_t *last)
{
    bool *reached = mem_zero(*last - first + 1, sizeof *reached);
    struct index_list entries = {{0}};
    size_t entry = NO_TARGET, begin, end;

    mark_reached(f, first, *last, first, NO_TARGET, reached);
    for (size_t i = first; i <= *last && entries.list.count < ENTRIES_MOST && *f->budget; i++)
        if (reached[i - first] && enters(f, i, first, *last) &&
            leads(f, first, *last, i, first, NO_TARGET))
            vec_push(&entries.list, i);
    free(reached);
    if (entries.list.count == 1)
        entry = entries.list.items[0];
    function_range(f, first, &begin, &end);
    if (entries.list.count > 1 && entries.list.count < ENTRIES_MOST && end - begin < PATH_LIMIT) {
        entry = dominator(f, begin, end, &entries);
        const size_t natural = entry == NO_TARGET ? 0 : natural_end(f, begin, end, entry);
        *last = natural > *last ? natural : *last;
    }
    vec_done(&entries.list);
    return entry;
}

/* Returns whether the code from the end of @a to @last is an arm of loop @a. The loop must be
 * entered at its first instruction and continue in that code, and the code must return to the loop.
 * Cold code after the loop is not an arm. Neither is code that consists only of jumps. */
static bool continues(const struct code_flow *f, const struct loop_region *a, size_t last)
{
    bool works = false;

    for (size_t i = a->last + 1; i <= last; i++)
        works |= !(f->insns[i].traits & (INSN_BRANCH | INSN_NOP));
    return works && leads(f, a->first, last, a->last + 1, a->first, NO_TARGET);
}

/* Natural loop that contains two regions */
struct joined {
    size_t head; /* an instruction on every cycle through the first region's first instruction */
    size_t last;
    bool inner;  /* whether the second region is an inner loop with another head */
};

/* Finds the natural loop that contains regions @a and @b, up to instruction @most. @b begins within
 * @a, after its start. The head is NO_TARGET if there is no such loop, or if PATH_LIMIT,
 * ENTRIES_MOST or the budget ends the search. The head is also NO_TARGET if an indirect jump makes
 * the control flow unknown. */
static struct joined join(const struct code_flow *f, const struct loop_region *a,
                          const struct loop_region *b, size_t most)
{
    const size_t first = a->first, end = a->last > b->last ? a->last : b->last;
    struct joined j = {NO_TARGET, end, false};
    bool inside = false;

    if (b->last > most || end - first >= PATH_LIMIT || !*f->budget)
        return j;
    spend(f, end - first + 1);
    for (size_t i = first; i <= end; i++) {
        inside |= i > first && enters(f, i, first, end);
        if (loop_jumps_anywhere(&f->insns[i]))
            return j;
    }
    const size_t head = inside ? entry_of(f, first, &j.last) : first;
    j.last = j.last <= most ? j.last : end;
    bool one = head != NO_TARGET && (head != first || continues(f, a, end));
    for (size_t i = end + 1; one && i <= j.last; i++)
        one = !loop_jumps_anywhere(&f->insns[i]);
    one = one && leads(f, first, j.last, first, b->first, NO_TARGET) &&
          leads(f, first, j.last, b->first, first, NO_TARGET) &&
          !leads(f, first, j.last, first, first, head);
    j.inner = one && leads(f, first, j.last, b->first, b->first, head);
    j.head = one && *f->budget ? head : NO_TARGET;
    return j;
}

/* Sets the depths of regions sorted by position. If several regions have the same first
 * instruction, keeps the longest that nests with the others. With @f (may be NULL), joins regions
 * that are arms of one natural loop. Removes regions that partly overlap an earlier region. Returns
 * the number of remaining regions. */
static size_t regions_nest(const struct code_flow *f, struct loop_region *regions, size_t count)
{
    VEC(size_t) open = {0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct loop_region r = regions[i], *around = NULL;
        while (open.count && regions[open.items[open.count - 1]].last < r.first)
            open.count--;
        if (open.count)
            around = &regions[open.items[open.count - 1]];
        if (around && around->first == r.first)
            continue;
        const bool overlaps = around && around->last < r.last;
        const size_t most = open.count > 1 ? regions[open.items[open.count - 2]].last : NO_TARGET;
        const struct joined j = around && f ? join(f, around, &r, most)
                                            : (struct joined){NO_TARGET, 0, false};
        if (j.head != NO_TARGET) {
            around->head = j.head;
            around->last = j.last;
        }
        if (j.head != NO_TARGET ? !j.inner : overlaps)
            continue;
        r.head = r.first;
        r.depth = (unsigned)open.count + 1;
        if (around)
            around->innermost = false;
        regions[kept] = r;
        vec_push(&open, kept);
        kept++;
    }
    vec_done(&open);
    return kept;
}

static size_t find_nest(const struct code_flow *f, struct loop_region *regions, size_t count)
{
    if (count)
        qsort(regions, count, sizeof *regions, region_by_place);
    return regions_nest(f, regions, count);
}

size_t loops_nest(struct loop_region *regions, size_t count)
{
    return find_nest(NULL, regions, count);
}

static void region_weigh(struct loop_region *r, const struct insn *insns)
{
    for (size_t i = r->first; i <= r->last; i++) {
        unsigned bits = 0;
        for (unsigned k = 0; k < insns[i].operand_count; k++) {
            const struct operand *o = &insns[i].operands[k];
            if (o->kind == OPERAND_REGISTER && o->file == FILE_VECTOR && o->bits > bits)
                bits = o->bits;
        }
        r->vector_bits += bits;
        r->size += !(insns[i].traits & (INSN_NOP | INSN_BRANCH));
    }
}

static int region_by_worth(const void *a, const void *b)
{
    const struct loop_region *x = a, *y = b;
    if (x->innermost != y->innermost)
        return x->innermost ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->vector_bits != y->vector_bits)
        return x->vector_bits > y->vector_bits ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Appends the name of the loop head: a label, the address in a listing, or an offset in a
 * function. */
static void head_name(const struct label *labels, size_t count, uint64_t offset, struct str *out)
{
    const char *address = NULL;
    for (size_t i = label_from(labels, count, offset); i < count && labels[i].offset == offset;
         i++) {
        if (!str_has_prefix(labels[i].name, LISTING_ADDRESS_LABEL)) {
            str_add(out, labels[i].name);
            return;
        }
        address = strrchr(labels[i].name, '_') + 1;
    }
    if (address) {
        str_addf(out, isxdigit((unsigned char)*address) ? "0x%s" : "%s", address);
        return;
    }
    for (size_t i = label_from(labels, count, offset), tries = 0; i-- > 0 && tries < ENCLOSING_MOST;
         tries += labels[i].function)
        /* Skips a function that ends before the offset. */
        if (labels[i].function && labels[i].size && offset - labels[i].offset >= labels[i].size) {
            continue;
        } else if (labels[i].function &&
                   str_has_prefix(labels[i].name,
                                  "0x")) { /* The address is the function's only name. */
            str_addf(out, "0x%llx",
                     strtoull(labels[i].name, NULL, 16) +
                         (unsigned long long)(offset - labels[i].offset));
            return;
        } else if (labels[i].function) {
            str_addf(out, "%s+0x%llx", labels[i].name,
                     (unsigned long long)(offset - labels[i].offset));
            return;
        }
}

struct kernel_loop loop_make(const struct insn *insns, size_t first, size_t count,
                             const char *label, const char *why)
{
    struct kernel_loop loop = {.first = first,
                               .count = count,
                               .head = first,
                               .depth = 1,
                               .label = mem_strdup(label),
                               .why = mem_strdup(why)};
    for (size_t i = first; i < first + count; i++) {
        uint32_t line = insns[i].line;
        if (line && (loop.first_line == 0 || line < loop.first_line))
            loop.first_line = line;
        if (line > loop.last_line)
            loop.last_line = line;
    }
    return loop;
}

struct region_list {
    VEC(struct loop_region) list;
};

/* Adds the loops of computed gotos. Removes the regions within these loops that contain a jump
 * through a table, because they are parts of the loops. */
static void add_dispatch(const struct insn *insns, size_t count, const size_t *targets,
                         const struct label *labels, size_t label_count, struct region_list *found)
{
    struct dispatch_range r;

    for (size_t first = 0, end; first < count && !watch_steps(1); first = end) {
        size_t kept = 0;
        end = function_end(insns, count, labels, label_count, first);
        if (!dispatch_find(insns, targets, first, end, &r))
            continue;
        for (size_t i = 0; i < found->list.count; i++) {
            const struct loop_region *own = &found->list.items[i];
            bool part = false;
            for (size_t at = own->first;
                 own->first >= r.first && own->last <= r.last && at <= own->last && !part; at++)
                part = dispatch_jumps(insns, at);
            if (!part)
                found->list.items[kept++] = *own;
        }
        found->list.count = kept;
        vec_push(&found->list,
                 ((struct loop_region){
                     .first = r.first, .last = r.last, .innermost = true, .dispatch = true}));
    }
}

size_t loops_find(const struct insn *insns, size_t count, const struct label *labels,
                  size_t label_count, struct kernel_loop **out)
{
    struct region_list found = {{0}};
    size_t *targets = mem_alloc((count + 1) * sizeof *targets);
    for (size_t i = 0; i < count; i++)
        targets[i] = loop_branch_target(insns, count, i);
    for (size_t i = 0; i < count; i++)
        if (targets[i] <= i && !crosses_function(insns, targets[i], i, labels, label_count) &&
            region_closes(insns, targets, targets[i], i)) {
            struct loop_region r = {.first = targets[i], .last = i, .innermost = true};
            vec_push(&found.list, r);
        }
    add_dispatch(insns, count, targets, labels, label_count, &found);
    struct code_flow flow = flow_of(insns, count, targets);
    flow.labels = labels;
    flow.label_count = label_count;
    const size_t kept = find_nest(&flow, found.list.items, found.list.count);
    flow_done(&flow);
    free(targets);
    for (size_t i = 0; i < kept; i++)
        region_weigh(&found.list.items[i], insns);
    if (kept)
        qsort(found.list.items, kept, sizeof *found.list.items, region_by_worth);
    *out = mem_alloc((kept + 1) * sizeof **out);
    for (size_t i = 0; i < kept; i++) {
        const struct loop_region *r = &found.list.items[i];
        struct str label = {0}, why = {0};
        head_name(labels, label_count, insns[r->first].offset, &label);
        str_addf(&why, "%s loop", r->innermost ? "innermost" : "outer");
        if (label.length)
            str_addf(&why, " %s", label.data);
        (*out)[i] =
            loop_make(insns, r->first, r->last - r->first + 1, str_text(&label), str_text(&why));
        (*out)[i].depth = r->depth;
        (*out)[i].head = r->head;
        (*out)[i].dispatch = r->dispatch;
        str_done(&label);
        str_done(&why);
    }
    vec_done(&found.list);
    return kept;
}

void loops_done(struct kernel_loop *loops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(loops[i].label);
        free(loops[i].why);
    }
    free(loops);
}

void loops_add_part(struct kernel *k, size_t within, size_t first, size_t last)
{
    struct str label = {0}, why = {0};
    char end[PLACE_TEXT + 2];
    const char *address = insn_address_text(&k->insns[last], end);

    str_addf(&label, "%s to %s", k->loops[within].label,
             address ? address : k->insns[last].mnemonic);
    str_addf(&why, "part %s", str_text(&label));
    k->loops = mem_resize(k->loops, (k->loop_count + 1) * sizeof *k->loops);
    struct kernel_loop part =
        loop_make(k->insns, first, last - first + 1, str_text(&label), str_text(&why));
    part.depth = k->loops[within].depth + 1;
    k->loops[k->loop_count++] = part;
    str_done(&label);
    str_done(&why);
}
