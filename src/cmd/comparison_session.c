/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/mem.h"
#include "cmd/comparison.h"
#include "cmd/parameter.h"
#include "cmd/session.h"

/* Maximum number of instructions per loop. The alignment needs memory for the product of both
 * numbers. */
#define ROWS_MOST 2000

/* Selects the two kernels on the shelf. @other: see comparison_new. With two machines both sides
 * may be the same kernel. Returns false with err if kernel @other does not exist, or if there is no
 * other kernel. Also returns false with more than two machines. */
static bool choose(struct paired_loops *c, struct session *s, size_t other, size_t machines,
                   struct err *err)
{
    const struct shelf *shelf = &s->document.shelf;

    other = other != NOT_GIVEN ? other - 1
            : machines == 2    ? shelf->at
            : shelf->at        ? shelf->at - 1
                               : shelf->list.count - 1;
    if (machines > 2)
        return err_set(err, ERR_USAGE, "give one machine, or two",
                       "two machines can be compared, "
                       "not %zu",
                       machines);
    if (other >= shelf->list.count)
        return err_set(err, ERR_USAGE, "kernel opened lists the kernels",
                       "no kernel %zu; numbers are 1 to %zu", other + 1, shelf->list.count);
    if (other == shelf->at && machines < 2)
        return err_set(err, ERR_USAGE,
                       "kernel opened lists the kernels; kernel load and kernel paste add kernels",
                       "no other kernel to compare with");
    for (int i = 0; i < 2; i++) {
        size_t at = i ? shelf->at : other;
        c->side[i].item = shelf->list.items[at];
        c->side[i].item.loop = at == shelf->at ? s->document.loop : c->side[i].item.loop;
        kernel_hold(c->side[i].item.kernel);
    }
    return true;
}

static bool take_machine(struct comparison_side *side, struct session *s, const char *id,
                         struct err *err)
{
    const struct kernel *k = side->item.kernel;
    struct machine *m = session_machine(s, id, err);
    size_t insns;

    if (!m)
        return false;
    if (strcmp(m->isa, isa_name(k->isa)) != 0)
        return err_set(err, ERR_USAGE, "select a machine for each kernel with --machine",
                       "%s is a machine for %s, but %s has %s code", m->id, m->isa, k->name,
                       isa_name(k->isa));
    kernel_insns(k, side->item.loop, &insns);
    if (insns > ROWS_MOST)
        return err_set(err, ERR_LIMIT, "kernel use selects another loop",
                       "%s: the loop has %zu instructions; a comparison accepts at most %d",
                       k->name, insns, ROWS_MOST);
    side->machine = machine_hold(m);
    return true;
}

struct paired_loops *comparison_new(struct session *s, size_t other, const char *const *ids,
                                    size_t count, struct err *err)
{
    static uint64_t last;
    struct paired_loops *c = mem_zero(1, sizeof *c);
    bool ok = session_has_kernel(s, err) && choose(c, s, other, count, err);

    for (int i = 0; ok && i < 2; i++)
        ok = take_machine(
            &c->side[i], s,
            count ? ids[count == 2 ? i : 0] : s->document.selected[s->document.in_view], err);
    if (!ok) {
        comparison_free(c);
        return NULL;
    }
    c->serial = ++last;
    for (int i = 0; i < 2; i++) {
        shelf_name(&c->side[i].item, &c->side[i].name);
        c->side[i].times = c->side[i].item.kernel->times > 1 ? c->side[i].item.kernel->times : 1;
    }
    return c;
}

bool comparison_is_current(const struct paired_loops *c, const struct session *s)
{
    bool current = true;

    for (int i = 0; i < 2; i++)
        for (size_t m = 0; m < s->document.machine_count; m++)
            current &= strcmp(s->document.machines[m]->id, c->side[i].machine->id) != 0 ||
                       s->document.machines[m] == c->side[i].machine;
    return current;
}
