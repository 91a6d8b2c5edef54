/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timeline view: the simulated instructions of the first iterations by cycle, with a colour per
 * stage. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/compare.h"
#include "simulate/simulate.h"
#include "base/mem.h"
#include "view/view.h"

#define PLACES 5             /* number of columns of the iteration, and of the line or address */
#define TEXT 30              /* number of columns of the instruction in each row */
/* minimum width of a screen with instructions in each row; a narrower screen shows only the
 * selected instruction, below */
#define TEXTS_LEAST 100
#define OWN_ROW_LEAST 16   /* minimum number of rows of a screen that shows the selected instruction
                            * below */
#define TEXT_WIDE 46
#define CYCLES_WIDTH 16      /* number of columns of the cycles in the title line */

struct timeline_view_state {
    uint64_t kernel;              /* serial number of the displayed kernel */
    /* row indices: iteration * picked + index among the picked instructions */
    size_t cursor, top, height;
    uint32_t *pick;               /* indices of the displayed instructions */
    size_t picked;
    /* PICK_LIMIT: the chain if it limits the loop, else all. PICK_CHAIN: the chain in any case.
     * PICK_ALL: all instructions. */
    enum { PICK_LIMIT, PICK_CHAIN, PICK_ALL } mode;
    int32_t left;                 /* first visible cycle */
    bool pinned;                  /* whether @left remains when the cursor moves */
};

static void timeline_close(void *state)
{
    free(((struct timeline_view_state *)state)->pick);
}

/* Colour and name of each stage, indexed by enum stage. */
static const struct { enum role role; const char *name;
} stages[] = {
    {ROLE_DIM, "fetched"}, {ROLE_DIM, "queued"},      {ROLE_TITLE, "renamed"},
    {ROLE_WARN, "waits"},  {ROLE_GOOD, "dispatched"}, {ROLE_GOOD, "runs"},
    {ROLE_DIM, "done"},    {ROLE_ACCENT, "retired"},
};

/* Returns whether only the limiting dependence chain is displayed. */
static bool only_chain(const struct timeline_view_state *v, const struct analysis *a)
{
    return a->limit.chain.count > 0 &&
           (v->mode == PICK_CHAIN ||
            (v->mode == PICK_LIMIT && a->bottleneck == BOUND_DEPENDENCIES));
}

static void pick(struct timeline_view_state *v, const struct analysis *a, size_t count)
{
    const bool chain = only_chain(v, a);
    const size_t most = chain ? a->limit.chain.count : count;

    v->pick = mem_resize(v->pick, (most + 1) * sizeof *v->pick);
    for (size_t i = 0; i < most; i++)
        v->pick[i] = chain ? a->limit.chain.links[i].row : (uint32_t)i;
    qsort(v->pick, most, sizeof *v->pick, compare_uint32);
    v->picked = 0;
    /* The simulation has several iterations. A chain over several iterations contains an
     * instruction more than once. */
    for (size_t i = 0; i < most; i++)
        if (v->pick[i] < count && (!v->picked || v->pick[v->picked - 1] != v->pick[i]))
            v->pick[v->picked++] = v->pick[i];
}

static size_t insn_of(const struct timeline_view_state *v, size_t row)
{
    return v->pick[row % v->picked];
}

static size_t step_of(const struct timeline_view_state *v, size_t row, size_t count)
{
    return row / v->picked * count + insn_of(v, row);
}

/* Returns the simulation of the displayed machine; NULL: none. */
static const struct simulation *shown(struct timeline_view_state *v, struct session *s,
                                      const struct insn **insns, size_t *count)
{
    size_t machines;

    session_analyses(s, &machines);
    if (!s->document.kernel || !machines)
        return NULL;
    s->document.in_view = s->document.in_view < machines ? s->document.in_view : 0;
    *insns = kernel_insns(s->document.kernel, s->document.loop, count);
    const struct simulation *sim = session_simulation(s, s->document.in_view);
    if (!sim || !sim->step_iterations || !*count)
        return NULL;
    pick(v, session_analyses(s, &machines)[s->document.in_view], *count);
    if (!v->picked)
        return NULL;
    if (v->kernel != s->document.kernel->serial) {
        v->kernel = s->document.kernel->serial;
        v->cursor = v->top = 0;
        v->left = 0;
    }
    size_t rows = sim->step_iterations * v->picked;
    v->cursor = v->cursor < rows ? v->cursor : rows - 1;
    for (size_t i = 0; i < v->picked; i++)
        /* Follows the cursor of another view, in the same iteration. */
        if (v->pick[i] == s->document.row && v->cursor % v->picked != i) {
            v->cursor = v->cursor / v->picked * v->picked + i;
            v->pinned = false;
        }
    return sim;
}

static void draw_ruler(const struct timeline_view_state *v, const struct insn *insns, size_t count,
                       struct grid *g, int y, int width)
{
    const int begin = PLACES + (int)insn_place_width(insns, count);

    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    grid_printf(g, 0, y, (unsigned)begin, ROLE_HEADER, 0, "iter %s", insn_place_title(insns));
    for (int x = 0; x < width; x++)
        if ((v->left + x) % 10 == 0)
            grid_printf(g, begin + 1 + x, y, 6, ROLE_HEADER, 0, "%d", v->left + x);
}

static void draw_row(const struct simulated_step *step, const struct insn *insn, unsigned places,
                     size_t iteration, bool first, bool cursor, int32_t left, struct grid *g, int y,
                     int width)
{
    enum role role = cursor ? ROLE_CURSOR : first ? ROLE_TITLE : ROLE_DIM;
    const int begin = PLACES + (int)places;
    char number[PLACE_TEXT];

    if (cursor)
        grid_fill(g, 0, y, g->width, 1, ROLE_CURSOR, 0, ' ');
    grid_printf(g, 0, y, (unsigned)begin, role, 0, "%4zu %*s", iteration, (int)places,
                insn_place_text(insn, number));
    for (int x = 0; x < width; x++) {
        enum stage stage = stage_at(step, left + x);
        char glyph[2] = {stage_glyph(stage), 0};
        if (stage != STAGE_NONE)
            grid_put(g, begin + 1 + x, y, 1, cursor ? ROLE_CURSOR : stages[stage].role,
                     stage == STAGE_EXECUTES || stage == STAGE_DISPATCHED ? ATTR_BOLD : 0, glyph);
        else if (first && (left + x) % 10 == 0)
            grid_put(g, begin + 1 + x, y, 1, role, 0, "·");
    }
    if (width + begin + 2 < (int)g->width)
        grid_put(g, begin + 2 + width, y, 0, cursor ? ROLE_CURSOR : ROLE_TEXT, 0, insn_shown(insn));
}

static void timeline_draw(void *state, struct session *s, struct grid *g)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count, machines;
    const struct simulation *sim = shown(v, s, &insns, &count);

    if (!sim) {
        view_draw_empty(s, &timeline_view, g,
                        "First iterations of the loop, cycle by cycle, with a row per instruction.",
                        "prompt kernel load", "loads a loop");
        return;
    }
    struct analysis *const *analyses = session_analyses(s, &machines);
    const struct machine *m = analyses[s->document.in_view]->machine;
    /* The id is drawn instead of a long title. */
    bool roomy = grid_columns(g, m->title) + CYCLES_WIDTH <= g->width;
    unsigned used = grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, roomy ? m->title : m->id);
    if (sim->period)
        used += grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, ATTR_BOLD,
                            sim->period == 1 ? "%.2f cycles (repeats every iteration)"
                                             : "%.2f cycles (repeats every %u iterations)",
                            sim->cycles, sim->period) +
                2;
    else
        used += grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, ATTR_BOLD,
                            sim->bounded    ? "%.2f cycles (the bound, simulated in part)"
                            : sim->replayed ? "%.2f cycles (replayed loads)"
                                            : "about %.2f cycles (the state did not repeat)",
                            sim->cycles) +
                2;
    const unsigned places = insn_place_width(insns, count);
    const bool texts = g->width >= TEXTS_LEAST, own = !texts && g->height >= OWN_ROW_LEAST;
    static const char *const buffers[] = {"scheduler", "load buffer", "store buffer"};
    unsigned fullest = 0;
    for (unsigned i = 1; i < sizeof buffers / sizeof *buffers; i++)
        if (sim->stalls[STALL_SCHEDULER + i] > sim->stalls[STALL_SCHEDULER + fullest])
            fullest = i;
    char stalls[80];
    snprintf(stalls, sizeof stalls, "stalls: front end %.2f, ROB %.2f, %s %.2f",
             sim->stalls[STALL_FRONT], sim->stalls[STALL_REORDER], buffers[fullest],
             sim->stalls[STALL_SCHEDULER + fullest]);
    const bool fits = used + 2 + strlen(stalls) <= g->width;
    if (fits)
        grid_put(g, (int)used + 2, 0, 0, ROLE_DIM, 0, stalls);
    int width = (int)g->width - PLACES - (int)places - 1 -
                (g->width >= 160 ? TEXT_WIDE
                 : texts         ? TEXT
                                 : 0);
    const unsigned others = 4 + own;
    v->height = g->height > others ? g->height - others : 1;
    if (v->cursor < v->top)
        v->top = v->cursor;
    if (v->cursor >= v->top + v->height)
        v->top = v->cursor - v->height + 1;
    const struct simulated_step *current = &sim->steps[step_of(v, v->cursor, count)];
    if (!v->pinned && (current->issue < v->left || current->retire >= v->left + width))
        v->left = current->fetch > 2 ? current->fetch - 2 : 0;
    draw_ruler(v, insns, count, g, 1, width);
    for (size_t r = 0; r < v->height && v->top + r < sim->step_iterations * v->picked; r++) {
        size_t row = v->top + r;
        draw_row(&sim->steps[step_of(v, row, count)], &insns[insn_of(v, row)], places,
                 row / v->picked, row % v->picked == 0, row == v->cursor, v->left, g, 2 + (int)r,
                 width);
    }
    int y = (int)g->height - 2;
    if (own) {
        const char *text = insn_shown(&insns[insn_of(v, v->cursor)]);
        grid_put(g, 0, y - 1, 0, ROLE_ACCENT, 0, text);
        if (!fits && grid_columns(g, text) + 2 + strlen(stalls) <= g->width)
            grid_put(g, (int)(g->width - strlen(stalls)), y - 1, 0, ROLE_DIM, 0, stalls);
    }
    grid_printf(g, 0, y, 0, ROLE_ACCENT, 0,
                "fetched %d  renamed %d  dispatched %d  done %d  retired %d", current->fetch,
                current->issue, current->dispatch, current->done, current->retire);
    for (size_t i = 0, x = 0; i < sizeof stages / sizeof *stages; i++)
        x += grid_printf(g, (int)x, y + 1, 0, stages[i].role, 0, texts ? "%c %s  " : "%c %s ",
                         stage_glyph((enum stage)i), stages[i].name);
}

static bool timeline_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count, machines;
    const struct simulation *sim = shown(v, s, &insns, &count);
    long rows = sim ? (long)(sim->step_iterations * v->picked) : 0, at = (long)v->cursor,
         page = (long)(v->height ? v->height : 1);

    if (!sim)
        return false;
    switch (action) {
    case ACTION_CHAIN:
        if (!session_analyses(s, &machines)[s->document.in_view]->limit.chain.count)
            return false;
        v->mode = only_chain(v, session_analyses(s, &machines)[s->document.in_view]) ? PICK_ALL
                                                                                     : PICK_CHAIN;
        v->top = v->cursor = 0;
        v->pinned = false;
        return true;
    case ACTION_NEXT: at += (long)v->picked; break;
    case ACTION_PREVIOUS: at -= (long)v->picked; break;
    case ACTION_RIGHT: v->left += 5; v->pinned = true; return true;
    case ACTION_LEFT: v->left -= v->left < 5 ? v->left : 5; v->pinned = true; return true;
    case ACTION_NEXT_MACHINE: case ACTION_PREVIOUS_MACHINE:
        v->pinned = false;
        view_next_machine(s, action == ACTION_NEXT_MACHINE ? 1 : -1);
        return true;
    default:
        if (!view_row(action, &at, page, rows - 1))
            return false;
    }
    v->pinned = false;
    v->cursor = at < 0 ? 0 : at < rows ? (size_t)at : (size_t)(rows - 1);
    s->document.row = insn_of(v, v->cursor);
    return true;
}

static void timeline_click(void *state, struct session *s, int x, int y)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count;
    const struct simulation *sim = shown(v, s, &insns, &count);

    if (!sim || y < 2 || (size_t)(y - 2) >= v->height ||
        v->top + (size_t)(y - 2) >= sim->step_iterations * v->picked)
        return;
    v->cursor = v->top + (size_t)(y - 2);
    s->document.row = insn_of(v, v->cursor);
}

static bool timeline_find(void *state, struct session *s, const char *text, int direction)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count;
    const struct simulation *sim = shown(v, s, &insns, &count);
    size_t rows = sim ? sim->step_iterations * v->picked : 0;

    for (size_t step = 1; *text && step <= rows; step++) {
        size_t at = direction > 0 ? (v->cursor + step) % rows : (v->cursor + rows - step) % rows;
        const struct insn *insn = &insns[insn_of(v, at)];
        if (insn->text && strcasestr(insn->text, text)) {
            v->cursor = at;
            s->document.row = insn_of(v, at);
            v->pinned = false;
            return true;
        }
    }
    return false;
}

static void timeline_status(void *state, struct session *s, struct str *out)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count;
    const struct simulation *sim = shown(v, s, &insns, &count);

    if (sim)
        str_addf(out, "%zu/%zu  iteration %zu (last: %u)", insn_of(v, v->cursor) + 1, count,
                 v->cursor / v->picked, sim->step_iterations - 1);
}

static void timeline_title(void *state, struct session *s, struct str *out)
{
    struct timeline_view_state *v = state;
    const struct insn *insns;
    size_t count, machines;

    if (shown(v, s, &insns, &count) &&
        only_chain(v, session_analyses(s, &machines)[s->document.in_view]))
        str_add(out, ": the chain");
}

const struct view_ops timeline_view = {.title = timeline_title,
                                       .name = "timeline",
                                       .label = "Timeline",
                                       .help =
                                           "first iterations of the loop, simulated cycle by cycle",
                                       .act = timeline_act,
                                       .marks = "cursor\tthe window follows the instruction",
                                       .state_size = sizeof(struct timeline_view_state),
                                       .close = timeline_close,
                                       .draw = timeline_draw,
                                       .click = timeline_click,
                                       .find = timeline_find,
                                       .status = timeline_status};
