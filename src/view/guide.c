/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/guide.h"

#include <string.h>

#include "cmd/command.h"
#include "cmd/key.h"

#define HEIGHT_MIN 16        /* minimum number of rows of a screen that shows hints */
#define CAPTION_ROWS 4       /* maximum number of rows of the caption below the title */
#define KEYCODE_SKIP (KEYCODE_F1 + 7)

/* A task for the user. Any of the listed actions completes it. */
struct deed {
    const char *title, *text;
    int keys[5];                /* keys that complete it when pressed in the kernel view */
    const char *commands[3];    /* commands that complete it when run */
    const char *view;           /* view that completes it when displayed */
    bool other_kernel;          /* whether loading another kernel completes it */
};

static const struct deed hints[] = {
    {.text = "Paste a loop, or press L to load a file, p to profile a program; ? lists the keys, "
             ":tutorial explains the workbench.",
     .commands = {"program profile", "tutorial", "demo"},
     .view = "help",
     .other_kernel = true},
};
#define HINTS (sizeof hints / sizeof *hints)
#define HINTS_ALL ((1u << HINTS) - 1)

static const struct deed steps[] = {
    {.title = "One instruction",
     .text = "Rows are instructions, columns are execution ports. A cell has the cycles per "
             "iteration for which the instruction occupies the port. Press j or the arrow down: "
             "the line below the table explains the selected instruction.",
     .keys = {'j', 'k', KEYCODE_DOWN, KEYCODE_UP}},
    {.title = "The bottleneck",
     .text = "The sentence names the limit of the loop; the bounds show the next limit. Press m "
             "for another machine, perhaps with another limit.",
     .keys = {'m'}},
    {.title = "All machines",
     .text = "Press c to compare the machines; < marks the limit of the loop on each machine. "
             "Press c again to go back.",
     .keys = {'c'}},
    {.title = "Cycle by cycle",
     .text = "Tab selects the next pane, h the previous pane. Press Tab until the timeline has the "
             "focus. The timeline shows when each instruction waits, executes and retires.",
     .view = "timeline"},
    {.title = "Three places",
     .text = "1 is the loop, 2 a program, 3 the laboratory. Press 3. Then q goes back to the "
             "previous place.",
     .view = "mapping"},
    {.title = "A command",
     .text =
         "Every action is also a command; Tab completes a command, Up recalls earlier commands. "
         "Type  :kernel list  and Enter to list the loops of this file. q closes the output.",
     .commands = {"kernel list"}},
    {.title = "Another loop",
     .text = "Type  :kernel load data/kernels/pi-O1.s  and Enter. You can also paste your own "
             "loop: compiler output, a listing, output of a debugger.",
     .other_kernel = true},
    {.title = "Before and after",
     .text = "Both loops are still open: [ and ] switch between them. Press d to compare them by "
             "instruction.",
     .commands = {"kernel compare", "kernel diff"}},
    {.title = "What if",
     .text = "Type  :kernel whatif issue_width=6  and Enter to analyse the loop on a hypothetical "
             "machine. A range, as in reorder_buffer=64..512, becomes a curve.",
     .commands = {"kernel whatif"}},
    {.title = "This CPU",
     .text = "Type  :kernel measure  and Enter: the loop runs on this CPU, without hardware "
             "counters or root privileges. If the measurement fails, F8 continues.",
     .commands = {"kernel measure"}},
    {.title = "Saved sessions",
     .text = "The session is saved automatically; the next start offers to resume it. Type  "
             ":session list  and Enter. session save DIRECTORY writes the session as text files.",
     .commands = {"session list", "session save"}},
    {.title = "Help",
     .text = "Press ? for the keys of the focused pane, and ? again for all keys and commands.",
     .view = "help"},
    {.title = "The end",
     .text = "q closes the help. Next:  :demo  infers the ports of a simulated CPU, then measures "
             "this CPU.",
     .commands = {"demo"}},
};
#define STEPS (sizeof steps / sizeof *steps)

static uint64_t loaded(const struct session *s)
{
    return s->document.kernel ? s->document.kernel->serial : 0;
}

void guide_done(struct guide *g)
{
    str_done(&g->title);
    str_done(&g->caption);
    str_done(&g->command);
    *g = (struct guide){0};
}

void guide_end(struct guide *g)
{
    g->kind = GUIDE_NONE;
}

static bool load_example(struct session *s, struct err *err)
{
    static char file[] = "data/kernels/triad-skl-O3.s";
    char *words[] = {file, NULL};

    return command_call(s, &command_kernel_load, words, 1, err);
}

void guide_welcome(struct guide *g, struct session *s, const char *caption, const char *command)
{
    struct err none = {0};
    bool example = load_example(s, &none);   /* Shows no hints without an example, which may take
                                              * too long to load on a busy machine. */

    g->before = loaded(s);
    g->done = 0;
    g->kind = caption ? GUIDE_OFFER : example ? GUIDE_HINTS : GUIDE_NONE;
    if (!caption)
        return;
    str_add(&g->caption, caption);
    str_add(&g->command, command);
}

void guide_tell(struct guide *g, const char *title, const char *caption)
{
    g->kind = GUIDE_DEMO;
    str_clear(&g->title);
    str_clear(&g->caption);
    str_add(&g->title, title);
    str_add(&g->caption, caption);
}

/* Shows step @step of the tutorial, or ends the tutorial after the last step. */
static void go_to(struct guide *g, const struct session *s, size_t step)
{
    g->kind = step < STEPS ? GUIDE_TUTORIAL : GUIDE_NONE;
    g->step = step;
    g->before = loaded(s);
}

bool guide_teach(struct guide *g, struct session *s, size_t step, struct err *err)
{
    if (step < 1 || step > STEPS)
        return err_set(err, ERR_USAGE, NULL, "the tutorial has %zu steps", STEPS);
    if (!load_example(s, err))
        return false;
    g->went_on = false;
    go_to(g, s, step - 1);
    return true;
}

static bool was_done(const struct guide *g, const struct deed *d, const struct session *s,
                     const char *view, int key, const char *name)
{
    for (size_t i = 0; key && i < sizeof d->keys / sizeof *d->keys; i++)
        if (d->keys[i] == key && strcmp(view, "kernel") == 0)
            return true;
    for (size_t i = 0; name && i < sizeof d->commands / sizeof *d->commands && d->commands[i]; i++)
        if (strcmp(d->commands[i], name) == 0)
            return true;
    return (d->view && strcmp(d->view, view) == 0) ||
           (d->other_kernel && loaded(s) && loaded(s) != g->before);
}

void guide_notice(struct guide *g, const struct session *s, const char *view, int key,
                  const char *name)
{
    if (!g->before)
        g->before = loaded(s);
    if (g->kind == GUIDE_OFFER && loaded(s) != g->before)
        guide_end(g);
    if (g->kind == GUIDE_TUTORIAL && was_done(g, &steps[g->step], s, view, key, name)) {
        g->went_on = true;
        go_to(g, s, g->step + 1);
    }
    if (g->kind != GUIDE_HINTS)
        return;
    for (size_t i = 0; i < HINTS; i++)
        if (was_done(g, &hints[i], s, view, key, name))
            g->done |= 1u << i;
    if (g->done == HINTS_ALL)
        guide_end(g);
}

bool guide_key(struct guide *g, const struct session *s, const char *view, int key,
               const char **command)
{
    bool enter = key == KEYCODE_ENTER || key == '\n';

    *command = NULL;
    if (g->kind == GUIDE_TUTORIAL && key == KEYCODE_SKIP) {
        g->went_on = false;
        go_to(g, s, g->step + 1);
        return true;
    }
    if (g->kind == GUIDE_OFFER && enter && strcmp(view, "kernel") == 0) {
        *command = str_text(&g->command);
        guide_end(g);
        return true;
    }
    if (key != KEYCODE_ESCAPE || g->kind == GUIDE_NONE || g->kind == GUIDE_DEMO || s->queue.job)
        return false;
    guide_end(g);
    return true;
}

/* Returns the caption of the tutorial step or of the demo. */
static const char *caption_of(const struct guide *g)
{
    return g->kind == GUIDE_TUTORIAL ? steps[g->step].text : str_text(&g->caption);
}

static unsigned caption_rows(const char *text, unsigned width)
{
    struct grid tall;

    grid_init(&tall, width, CAPTION_ROWS, false);
    unsigned rows =
        grid_wrap(&tall, 1, 0, width > 2 ? width - 2 : 1, CAPTION_ROWS, ROLE_TEXT, 0, text);
    grid_done(&tall);
    return rows;
}

static unsigned hint_rows(const struct guide *g, unsigned width)
{
    unsigned rows = 0;

    for (size_t i = 0; i < HINTS; i++)
        rows += g->done & 1u << i ? 0 : caption_rows(hints[i].text, width);
    return rows;
}

unsigned guide_rows(const struct guide *g, unsigned width, unsigned height)
{
    if (g->kind == GUIDE_NONE || height < HEIGHT_MIN || width < 40)
        return 0;
    return 1 + (g->kind == GUIDE_HINTS ? hint_rows(g, width) : caption_rows(caption_of(g), width));
}

static void draw_title(const struct guide *g, struct grid *grid, int y)
{
    const char *keys = g->kind == GUIDE_TUTORIAL ? "F8 skips, Esc ends "
                       : g->kind == GUIDE_DEMO   ? "any key ends the demo "
                       : g->kind == GUIDE_OFFER  ? "Esc drops this line "
                                                 : "Esc hides the hints ";
    unsigned room = grid->width - (unsigned)strlen(keys) - 1;

    grid_fill(grid, 0, y, grid->width, 1, ROLE_HEADER, 0, ' ');
    grid_put(grid, (int)room, y, 0, ROLE_HEADER, 0, keys);
    if (g->kind == GUIDE_TUTORIAL)
        grid_printf(grid, 1, y, room - 1, ROLE_ACCENT, ATTR_BOLD, "%sTutorial, %zu of %zu: %s",
                    g->went_on ? "Done. " : "", g->step + 1, STEPS, steps[g->step].title);
    else
        grid_put(grid, 1, y, room - 1, ROLE_ACCENT, ATTR_BOLD,
                 g->kind == GUIDE_DEMO    ? str_text(&g->title)
                 : g->kind == GUIDE_OFFER ? "Last session"
                                          : "An example. What next?");
}

void guide_draw(const struct guide *g, struct grid *grid, int y)
{
    draw_title(g, grid, y++);
    if (g->kind != GUIDE_HINTS) {
        grid_wrap(grid, 1, y, grid->width - 2, CAPTION_ROWS, ROLE_TEXT, 0, caption_of(g));
        return;
    }
    for (size_t i = 0; i < HINTS; i++)
        if (!(g->done & 1u << i))
            y += (int)grid_wrap(grid, 1, y, grid->width - 2, CAPTION_ROWS, ROLE_TEXT, 0,
                                hints[i].text);
}
