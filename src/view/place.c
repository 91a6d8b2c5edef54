/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/place.h"

#include <string.h>

#include "view/lab_steps.h"

const struct place_table places[PLACE_COUNT] = {
    [PLACE_loop] = {.name = "LOOP",
                    .help = "a loop: ports, limit, faster versions, other machines, timeline",
                    .panes = {{.views = {&kernel_view}, .band = 0, .share = 64, .least = 60},
                              {.views = {&why_view}, .band = 0, .share = 36, .least = 36},
                              {.views = {&faster_view, &whatif_view, &compare_view},
                               .band = 1,
                               .share = 64,
                               .least = 60},
                              {.views = {&machines_view}, .band = 1, .share = 36, .least = 36},
                              {.views = {&timeline_view}, .band = 2, .share = 64, .least = 60},
                              {.views = {&source_view}, .band = 2, .share = 36, .least = 36}},
                    .bands = {{50, 18}, {20, 8}, {30, 8}}},
    [PLACE_program] =
        {.name = "PROGRAM",
         .help = "a program: its hot loops with code, cost and source",
         .panes = {{.views = {&program_view, &functions_view}, .band = 0, .share = 48, .least = 50},
                   {.views = {&code_view}, .band = 0, .share = 52, .least = 44},
                   {.views = {&cost_view}, .band = 1, .share = 100, .least = 50},
                   {.views = {&lines_view}, .band = 2, .share = 100, .least = 50}},
         .bands = {{48, 16}, {26, 9}, {26, 8}}},
    [PLACE_lab] =
        {.name = "LAB",
         .help = "the laboratory: forms, experiments, measurements, and the inferred mapping",
         .panes =
             {{.views = {&mapping_view, &matrix_view}, .band = 0, .share = 55, .least = 60},
              {.views = {&evolution_view, &accuracy_view}, .band = 0, .share = 45, .least = 50},
              {.views = {&search_view}, .band = 1, .share = 55, .least = 60},
              {.views = {&tables_view}, .band = 1, .share = 45, .least = 50},
              {.views = {&experiments_view, &check_view}, .band = 2, .share = 66, .least = 60},
              {.views = {&machine_view}, .band = 2, .share = 34, .least = 40}},
         .bands = {{48, 16}, {26, 9}, {26, 8}},
         .draw_head = lab_steps_draw},
};

unsigned place_panes(const struct place_table *p)
{
    unsigned count = 0;

    while (count < PLACE_PANES && p->panes[count].views[0])
        count++;
    return count;
}

const struct view_ops *place_view(const struct place_table *p, const struct place_state *state,
                                  unsigned pane)
{
    return p->panes[pane].views[state->shown[pane]];
}

bool place_of(const struct view_ops *view, unsigned *place, unsigned *pane, unsigned *at)
{
    for (*place = 0; *place < PLACE_COUNT; ++*place)
        for (*pane = 0; *pane < place_panes(&places[*place]); ++*pane)
            for (*at = 0; *at < PLACE_VIEWS && places[*place].panes[*pane].views[*at]; ++*at)
                if (places[*place].panes[*pane].views[*at] == view)
                    return true;
    return false;
}

unsigned place_find(const char *name)
{
    unsigned i = 0;

    while (i < PLACE_COUNT && strcmp(places[i].name, name) != 0)
        i++;
    return i;
}
