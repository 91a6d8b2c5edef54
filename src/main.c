/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program_options.h"
#include "cmd/rc.h"
#include "cmd/autosave.h"
#include "cmd/rank_worker.h"
#include "cmd/session_file.h"
#include "ranks/ranks.h"
#include "tui/mainloop.h"
#include "tui/timing.h"
#include "view/frame.h"
#include "work/job.h"

#define SCRIPT_LIMIT ((size_t)64 << 20)

static const char usage_text[] =
    "usage: portolan [OPTION]... [FILE]...       open the workbench; FILE: a kernel, a script "
    "(.pf) or a session\n       portolan -b [OPTION]... [SCRIPT]     run a script, or standard "
    "input\n       portolan -e 'COMMAND; COMMAND'... [FILE]...   run commands, on FILE if "
    "given\n\n";
static const char usage_end[] = "\nExit status: 0 success, 1 a command failed, 2 incorrect usage, "
                                "130 interrupted. The command help lists the commands.\n";

static void print_usage(void)
{
    struct str options = {0};

    program_options_print(&options);
    printf("%s%s%s", usage_text, str_text(&options), usage_end);
    str_done(&options);
}

static unsigned size_from(const char *variable, unsigned fallback)
{
    const char *text = getenv(variable);
    unsigned long value = text ? strtoul(text, NULL, 10) : 0;
    return value >= 20 && value <= 1000 ? (unsigned)value : fallback;
}

static json_t *lines_json(const char *text)
{
    json_t *lines = json_array();

    for (const char *end; *text; text = *end ? end + 1 : end) {
        char *line;
        end = text + strcspn(text, "\n");
        line = mem_strndup(text, (size_t)(end - text));
        json_array_append_new(lines, json_text(line));
        free(line);
    }
    return lines;
}

/* Prints the content of view NAME, for `view NAME` without a screen. */
static bool print_view(struct session *s, const char *verb, const char *argument,
                       struct result *result, struct err *err)
{
    size_t index = view_find(argument);
    struct str text = {0};
    struct grid g;

    if (strcmp(verb, "view") != 0)
        return err_set(err, ERR_USAGE, "open the workbench", "%s needs a view of the workbench",
                       verb);
    if (index >= view_count())
        return view_refuse(argument, err);
    void *state = view_open(index);
    grid_init(&g, size_from("COLUMNS", 120), size_from("LINES", 38), s->settings.ascii);
    g.mono = true;   /* The grid is printed as text only. */
    views[index]->draw(state, s, &g);
    grid_text(&g, false, &text);
    result_block(result, str_text(&text));
    result_text(result, "view", views[index]->name);
    result_nested(result, "screen", lines_json(str_text(&text)));
    str_done(&text);
    grid_done(&g);
    view_close(index, state);
    return true;
}

static void name_views(struct session *s, const char *verb, void (*add)(void *to, const char *word),
                       void *to)
{
    (void)s;
    if (strcmp(verb, "view") == 0)
        view_words(add, to);
}

static const struct session_views batch_views = {.command = print_view, .words = name_views};

struct arguments {
    VEC(char *) commands, machines, files;
    bool batch, no_rc;
    struct str rc_fault;            /* errors in the rc file */
    const char *session;
    struct settings given;          /* values of the settings in `set`, from options */
    const struct setting *set[16];
    size_t set_count;
};

static int misuse(const char *what)
{
    utf8_say(stderr, "portolan: %s; portolan --help lists the options\n", what);
    return 2;
}

static int misuse_of(const char *word)
{
    utf8_say(
        stderr,
        "portolan: unknown option %s, or its value is missing; portolan --help lists the options\n",
        word);
    return 2;
}

static int report(const struct err *err)
{
    char text[2048];
    utf8_say(stderr, "portolan: %s\n", err_text(err, text, sizeof text));
    return 1;
}

/* Stores a setting given as an option. @value is NULL for a switch. Returns like take_option. */
static int take_setting(const struct setting *setting, const char *value, struct arguments *a)
{
    struct err err = {0};
    char text[2048];

    if (!setting_set(&a->given, setting, value ? value : "on", &err)) {
        utf8_say(stderr, "portolan: %s\n", err_text(&err, text, sizeof text));
        return 2;
    }
    a->set[a->set_count % (sizeof a->set / sizeof *a->set)] = setting;
    a->set_count += a->set_count < sizeof a->set / sizeof *a->set;
    return -1;
}

/* Handles an option. Returns -1 to continue, otherwise the exit status. */
static int take_option(int option, struct arguments *a, struct session *s)
{
    struct str text = {0};

    switch (option) {
    case 'b':
        a->batch = true;
        return -1;
    case 'e':
        vec_push(&a->commands, optarg);
        return -1;
    case OPTION_MACHINE:
        vec_push(&a->machines, optarg);
        return -1;
    case OPTION_SESSION:
        a->session = optarg;
        return -1;
    case OPTION_NO_RC:
        a->no_rc = true;
        return -1;
    case OPTION_NO_COLOR:
        s->settings.color = false;
        return -1;
    case OPTION_COMPLETE:
        s->views = &batch_views;
        program_complete(s, optarg, &text);
        fputs(str_text(&text), stdout);
        str_done(&text);
        return 0;
    case 'h':
        print_usage();
        return 0;
    case 'V':
        puts("portolan " PACKAGE_VERSION);
        return 0;
    default:
        if (option >= OPTION_SETTINGS)
            return take_setting(&settings_table[option - OPTION_SETTINGS], optarg, a);
        return misuse("unknown option");
    }
}

/* Parses the arguments. Returns -1 to continue, otherwise the exit status. */
static int parse(int argc, char **argv, struct arguments *a, struct session *s)
{
    VEC(struct option) options = {0};
    struct str letters = {0};
    int status = -1;

    for (const struct program_option *o = program_options; o->name; o++) {
        vec_push(&options, ((struct option){o->name, o->takes ? required_argument : no_argument,
                                            NULL, o->value}));
        if (o->value < OPTION_MACHINE)
            str_addf(&letters, "%c%s", o->value, o->takes ? ":" : "");
    }
    for (int i = 0; settings_table[i].name; i++) {
        const struct setting *setting = &settings_table[i];
        struct option option = {setting->name,
                                setting->kind == SETTING_SWITCH ? no_argument : required_argument,
                                NULL, OPTION_SETTINGS + i};
        vec_push(&options, option);
    }
    vec_push(&options, (struct option){0});
    settings_init(&a->given);
    opterr = 0;   /* getopt's own messages would print the argument unescaped */
    for (int option; status < 0 && (option = getopt_long(argc, argv, str_text(&letters),
                                                         options.items, NULL)) != -1;)
        status = option == '?' ? misuse_of(argv[optind - 1]) : take_option(option, a, s);
    vec_done(&options);
    str_done(&letters);
    if (status >= 0)
        return status;
    if (a->batch && argc - optind > 1)
        return misuse("-b allows only one script");
    /* An argument may be a session directory instead of a file. The first such directory is the
     * session. */
    for (; optind < argc; optind++)
        if (!a->session && session_is_directory(argv[optind]))
            a->session = argv[optind];
        else
            vec_push(&a->files, argv[optind]);
    return -1;
}

static void on_interrupt(int number)
{
    (void)number;
    job_interrupt();
}

/* Makes the first Ctrl-C of a batch run end jobs and script properly. The second Ctrl-C kills the
 * process. */
static void watch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
}

static bool run_script(struct session *s, const char *file, struct err *err)
{
    struct str text = {0};
    bool ok = file_read(file ? file : "/dev/stdin", SCRIPT_LIMIT, &text, err) &&
              command_script(s, file ? file : "standard input", str_text(&text), stdout, err);
    str_done(&text);
    return ok;
}

/* Opens a file from the command line: runs a script, or loads any other file as a kernel. Sets
 * *@kernel to whether it loads a kernel. Returns false with err on failure. */
static bool open_file(struct session *s, const char *file, bool *kernel, struct err *err)
{
    struct str path = {0};
    const char *dot = strrchr(file, '.');

    /* With "./", the command does not parse a path that begins with '-' as an option. */
    str_addf(&path, "%s%s", *file == '-' ? "./" : "", file);
    char *words[] = {path.data, NULL};

    *kernel = !dot || strcmp(dot, ".pf") != 0;
    const bool ok =
        *kernel ? command_call(s, &command_kernel_load, words, 1, err) : run_script(s, file, err);
    str_done(&path);
    return ok;
}

/* Loads the files from the command line, then opens the workbench. Sets *@status to the exit
 * status. Returns false with err on failure. */
static bool open_workbench(struct session *s, char **files, size_t count, bool welcome,
                           const char *notice, int *status, struct err *err)
{
    bool kernel;

    for (size_t i = 0; i < count && !s->quit; i++)
        if (!open_file(s, files[i], &kernel, err))
            return false;
    /* Displays the first file. The others follow it on the shelf. */
    if (count > 1 && s->document.shelf.list.count > 1 && !s->quit)
        session_use_shelved(s, 0, s->document.shelf.list.items[0].loop);
    s->views = NULL;
    if (!s->quit)
        *status = mainloop_run(s, welcome, notice);
    return true;
}

/* Opens the files. Prints the analysis of each kernel, because there is no screen to display it. */
static bool run_files(struct session *s, char **files, size_t count, struct err *err)
{
    bool ok = true, kernel;

    for (size_t i = 0; ok && i < count && !s->quit; i++)
        ok = open_file(s, files[i], &kernel, err) &&
             (!kernel || command_run(s, "kernel analyze", stdout, err));
    return ok;
}

static bool on_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !ranks_launched();
}

/* Returns whether the terminal is the console of Linux, whose fonts lack most of the symbols. */
static bool on_console(void)
{
    const char *term = getenv("TERM");

    return term && strcmp(term, "linux") == 0 && on_terminal();
}

/* Runs the user's rc, but only for the workbench, because a script must behave the same for all
 * users. */
static void begin_as_user_wants(struct arguments *a, struct session *s)
{
    if (a->no_rc || a->batch || a->commands.count || !on_terminal())
        return;
    s->views = &batch_views;
    rc_run(s, &a->rc_fault);
}

/* Loads the session, then applies the remaining options. Returns false with err on failure. */
static bool settle(struct arguments *a, struct session *s, struct err *err)
{
    bool ascii = s->settings.ascii;   /* true if the locale or the console only has ASCII */

    if (a->session && !session_load(s, a->session, err))
        return false;
    s->settings.ascii |= ascii;
    for (size_t i = 0; i < a->set_count; i++)
        setting_take(&s->settings, &a->given, a->set[i]);
    return !a->machines.count || session_choose(s, a->machines.items, a->machines.count, err);
}

/* Runs commands, a script, files or the workbench. *@status is the workbench's exit status. */
static bool run(struct arguments *a, struct session *s, int *status, struct err *err)
{
    bool ok = true, terminal = on_terminal();

    s->views = &batch_views;
    if (a->commands.count || a->batch || !isatty(STDIN_FILENO))
        watch_interrupt();
    log_to_stderr(a->commands.count || a->batch || !terminal);
    for (size_t i = 0; ok && a->commands.count && !a->batch && i < a->files.count && !s->quit; i++)
        ok = open_file(s, a->files.items[i], &(bool){false}, err);
    for (size_t i = 0; ok && i < a->commands.count && !s->quit; i++)
        ok = command_run(s, a->commands.items[i], stdout, err);
    if (a->commands.count)
        return ok;
    if (!a->batch && terminal)
        return timing_open(getenv("PORTOLAN_TIMING"), err) &&
               open_workbench(s, a->files.items, a->files.count, !a->files.count && !a->session,
                              str_text(&a->rc_fault), status, err) &&
               timing_close(stdout, err);
    if (!a->batch && a->files.count)
        return run_files(s, a->files.items, a->files.count, err);
    return run_script(s, a->files.count ? a->files.items[0] : NULL, err);
}

/* Opens standard input, output or error if it is closed. Otherwise a file opened later would get
 * the same descriptor, and its contents would be read or overwritten. Reads and writes of these
 * descriptors fail, like those of closed ones. Returns false on failure. */
static bool standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Warns of background work that ends with the program, because a script may expect it to be
 * finished. */
static void tell_unfinished(void)
{
    struct job_info info;

    if (!job_interrupted() && job_working(&info))
        utf8_say(stderr,
                 "portolan: %s has not finished and ends with the last command; add job wait to "
                 "wait for it\n",
                 info.title);
}

/* Runs the program as rank 0 or without ranks. Returns the exit status. */
static int run_program(int argc, char **argv)
{
    struct arguments a = {0};
    struct session s;
    struct err err = {0};

    session_init(&s);
    rescue_set(&s);
    const char *no_color = getenv("NO_COLOR");
    s.settings.color = isatty(STDOUT_FILENO) && !ranks_launched() && !(no_color && *no_color);
    s.settings.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || on_console();
    int status = parse(argc, argv, &a, &s);
    if (status < 0) {
        status = 0;
        begin_as_user_wants(&a, &s);
        if (!settle(&a, &s, &err) || !run(&a, &s, &status, &err)) {
            if (a.rc_fault.length)
                utf8_say(stderr, "portolan: %s\n", str_text(&a.rc_fault));
            status = report(&err);
        }
        else if (s.any_failed)
            status = 1;
        if (job_interrupted())
            status = 130;
    }
    rescue_set(NULL);
    tell_unfinished();
    job_shutdown();
    str_done(&a.rc_fault);
    vec_done(&a.commands);
    vec_done(&a.machines);
    vec_done(&a.files);
    session_done(&s);
    return status;
}

int main(int argc, char **argv)
{
    struct err err = {0};

    clock_wall();   /* starts the clock */
    if (!standard_files())
        return 1;
    setlocale(LC_CTYPE, "");
    /* A write that exceeds the file size limit then fails instead of ending the program. */
    signal(SIGXFSZ, SIG_IGN);
    if (!ranks_begin(&argc, &argv, &err))
        return report(&err);
    if (ranks_index() > 0) {
        log_to_stderr(true);
        rank_worker_run();
        ranks_end();
        return 0;
    }
    int status = run_program(argc, argv);
    rank_worker_end();
    ranks_end();
    return status;
}
