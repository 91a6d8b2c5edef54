/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "work/job.h"
#include "screens.h"
#include "support.h"

const unsigned screen_sizes[SCREEN_SIZES][2] = {{40, 10}, {80, 24}, {120, 40}, {240, 80}};

static double no_time(void)
{
    return 0;
}

void screen_text(struct frame *f, unsigned width, unsigned height, bool roles, struct str *out)
{
    struct grid g;
    int x, y;

    grid_init(&g, width, height, f->session->settings.ascii);
    frame_draw(f, NULL, &g, &x, &y);
    grid_text(&g, roles, out);
    grid_done(&g);
}

/* Prints line by line because cmocka truncates messages. */
static void print_lines(const char *text)
{
    for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
        print_message("%.*s\n", (int)strcspn(at, "\n"), at);
}

bool golden_matches(const char *path, const char *text)
{
    struct str golden = {0};
    struct err err = {0};
    bool same;

    if (getenv("GENERATE"))
        return file_write(source_path(path), text, strlen(text), &err);
    if (!file_read(source_path(path), 1 << 20, &golden, &err)) {
        print_message("%s: %s\n", path, err.what);
        return false;
    }
    same = strcmp(text, str_text(&golden)) == 0;
    if (!same) {
        print_message("%s differs:\n", path);
        print_lines(text);
    }
    str_done(&golden);
    return same;
}

void view_text(struct frame *f, unsigned width, unsigned height, bool ascii, bool mono,
               struct str *out)
{
    const struct view_ops *v = views[f->current];
    struct str position = {0};
    struct grid g;

    grid_init(&g, width, height - FRAME_ROWS, ascii);
    g.mono = mono;
    v->draw(f->states[f->current], f->session, &g);
    grid_text(&g, true, out);
    frame_position(f, &position);
    if (position.length)
        str_addf(out, "---- position: %s\n", str_text(&position));
    str_done(&position);
    grid_done(&g);
}

void compare(struct frame *f, const char *name, unsigned width, unsigned height)
{
    struct str text = {0};
    char path[256];

    view_text(f, width, height, f->session->settings.ascii, false, &text);
    snprintf(path, sizeof path, "tests/screen/%s-%ux%u.txt", name, width, height);
    if (!golden_matches(path, str_text(&text)))
        fail_msg("%s differs", path);
    str_done(&text);
}

struct session session;
struct frame frame;

int setup(void **state)
{
    clock_set_source(no_time);
    session_init(&session);
    session.interactive = true;
    session.input = NULL;
    frame_init(&frame, &session);
    return 0;
}

int teardown(void **state)
{
    job_shutdown();
    frame_done(&frame);
    session_done(&session);
    return 0;
}

void press(const char *keys)
{
    const char *prefill;
    for (; *keys; keys++)
        frame_key(&frame, (unsigned char)*keys, &prefill);
}

bool screen_lacks(const char *text)
{
    struct str shown = {0};
    screen_text(&frame, 120, 40, false, &shown);
    bool lacks = strstr(str_text(&shown), text) == NULL;
    str_done(&shown);
    return lacks;
}

bool screen_holds(const char *text)
{
    struct str shown = {0};
    screen_text(&frame, 120, 40, false, &shown);
    bool found = strstr(str_text(&shown), text) != NULL;
    if (!found) {
        print_message("not on the screen: %s\n", text);
        print_lines(str_text(&shown));
    }
    str_done(&shown);
    return found;
}

/* Loads the kernel of the golden screens under a name that does not depend on the source
 * directory. */
void load(void)
{
    char line[4200];
    snprintf(line, sizeof line, "kernel load %s", source_path("data/kernels/triad-skl-O3.s"));
    frame_run(&frame, line);
    assert_false(frame.failed);
    str_clear(&frame.message);
    /* Loads the kernel again to rename it. */
    struct kernel *named = kernel_load(source_path("data/kernels/triad-skl-O3.s"), NULL, NULL);
    assert_non_null(named);
    free(named->name);
    named->name = mem_strdup("triad-skl-O3.s");
    shelf_done(&session.document.shelf);   /* Removes the kernel under its first name. */
    session_set_kernel(&session, named, session.document.loop);
}

void compare_sizes(const char *name)
{
    for (size_t i = 0; i < SCREEN_SIZES; i++)
        compare(&frame, name, screen_sizes[i][0], screen_sizes[i][1]);
}

void run_to_end(const char *line)
{
    frame_run(&frame, line);
    if (frame.failed)
        fail_msg("%s: %s", line, str_text(&frame.message));
    job_wait(0);
    frame_jobs(&frame);
    str_clear(&frame.message);
}
