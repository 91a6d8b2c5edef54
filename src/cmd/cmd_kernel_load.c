/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes the session's kernel: files, pasted text, source that is compiled, machine code in hex. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_source.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/kernel_load.h"
#include "cmd/options.h"
#include "base/child.h"
#include "isa/isa.h"
#include "toolchain/compile.h"
#include "work/job.h"

#define PASTE_LIMIT ((size_t)32 << 20)   /* read at most; the loader says what is too large */
#define HEX_WORDS 1024
#define WORDS_MAX 70                     /* a file and options for the compiler */

/* What is to be loaded, with the strings that its options point to. */
struct loading {
    struct session *session;
    struct job *job;                /* NULL: not in the background */
    struct kernel_options options;
    char *symbol;
    char *path;                     /* NULL: text */
    bool source;                    /* path is to be compiled */
    char *compiler, *flags[WORDS_MAX];
    size_t flag_count;
    struct str text;
    double begun;
    struct kernel *kernel;          /* the result */
};

static void loading_free(void *state)
{
    struct loading *l = state;
    free(l->symbol);
    free(l->path);
    free(l->compiler);
    for (size_t i = 0; i < l->flag_count; i++)
        free(l->flags[i]);
    str_done(&l->text);
    kernel_free(l->kernel);
    free(l);
}

static bool load(struct loading *l, struct err *err)
{
    if (l->source)
        l->kernel = kernel_from_source(l->path, l->compiler, (const char *const *)l->flags, l->flag_count, &l->options, err);
    else if (l->path)
        l->kernel = kernel_load(l->path, &l->options, err);
    else
        l->kernel = kernel_from_text("pasted", str_text(&l->text), l->text.length, &l->options, err);
    return l->kernel != NULL;
}

static bool cancelled(void *state)
{
    const struct loading *l = state;
    job_progress(l->job, clock_seconds() - l->begun, 0, "%s runs for %.1f s", l->source ? "the compiler" : "the assembler", clock_seconds() - l->begun);
    return job_cancelled(l->job);
}

static bool load_run(struct job *job, void *state, struct err *err)
{
    struct loading *l = state;

    l->job = job;
    l->begun = clock_seconds();
    child_watch(cancelled, l);
    bool ok = load(l, err) && (!job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "loading was ended"));
    child_watch(NULL, NULL);
    return ok;
}

void kernel_print_loaded(struct session *s)
{
    const struct kernel *k = s->document.kernel;
    size_t count;

    kernel_insns(k, &count);
    for (size_t i = 0; i < k->refused_count; i++)
        str_addf(&s->output, "left out line %zu: %s: %s\n", k->refused[i].line, k->refused[i].text, k->refused[i].reason);
    if (s->settings.format == FORMAT_JSON) {
        session_json(s, json_pack("{s:s, s:i, s:i, s:s}", "kernel", k->name, "instructions", (int)count, "loops", (int)k->loop_count, "loop",
                                  k->loops[k->current].why));
        return;
    }
    if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %s, %zu instruction%s%s%s\n", k->name, k->loops[k->current].why, count, count == 1 ? "" : "s",
                 k->loop_count > 1 ? "; kernel list shows the other loops" : "", k->of_many ? "; --symbol takes another function" : "");
}

static void publish(struct loading *l)
{
    session_set_kernel(l->session, l->kernel);
    l->kernel = NULL;
    kernel_print_loaded(l->session);
}

static void load_finish(void *state, const struct job_info *info)
{
    if (info->state == JOB_DONE)
        publish(state);
}

/* Takes @l. The screen does not wait for long: the newest kernel asked for is the one that comes. */
static bool start(struct session *s, struct loading *take_l, struct err *err)
{
    static const struct job_ops ops = {load_run, load_finish, loading_free};
    static unsigned last;

    take_l->session = s;
    if (!s->interactive || isinf(s->patience)) {   /* no thread: signals and speed are those of a plain program */
        bool ok = load(take_l, err);
        if (ok)
            publish(take_l);
        loading_free(take_l);
        return ok;
    }
    if (job_cancel(last))
        session_drop_waiting(s);
    bool source = take_l->source;
    bool ok = session_job(s, source ? "kernel load (compiles)" : take_l->path ? "kernel load" : "kernel paste", source ? "compiles" : "assembles", &ops, take_l, err);
    last = s->waiting.now ? s->waiting.job : 0;
    return ok;
}

static bool parse_lines(const char *text, struct kernel_options *options, struct err *err)
{
    char *end;
    options->first_line = strtoul(text, &end, 10);
    options->last_line = options->first_line;
    if (*end == '-')
        options->last_line = strtoul(end + 1, &end, 10);
    if (*end || !options->first_line || options->last_line < options->first_line)
        return err_set(err, ERR_USAGE, "write --lines 10-25", "\"%s\" is no range of lines", text);
    return true;
}

/* What the options' words say. */
struct words {
    const char *symbol, *syntax, *isa, *lines, *compiler;
    size_t loop;
};

static bool take_words(const struct words *w, struct kernel_options *o, struct err *err)
{
    o->loop = w->loop;
    if (w->lines && !parse_lines(w->lines, o, err))
        return false;
    o->isa_given = w->isa && isa_parse(w->isa, &o->isa);
    if (w->syntax)
        o->syntax = w->syntax[0] == 'a' ? SYNTAX_ATT : SYNTAX_INTEL;
    return true;
}

#define OPTION_ISA "--isa=x86-64|aarch64"
#define OPTION_SYNTAX "--syntax=att|intel"

/* The file among @words, and what is for the compiler: "-O3", "-D NAME". */
static bool sort_words(struct loading *l, const char *const *words, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        bool takes_next;
        if (words[i][0] != '-' || !words[i][1]) {
            if (l->path)
                return err_set(err, ERR_USAGE, "load one at a time", "\"%s\" is a second file", words[i]);
            l->path = mem_strdup(words[i][0] == '-' ? "/dev/stdin" : words[i]);
            continue;
        }
        if (!compile_option_allowed(words[i], &takes_next, err))
            return false;
        l->flags[l->flag_count++] = mem_strdup(words[i]);
        if (takes_next && i + 1 < count)
            l->flags[l->flag_count++] = mem_strdup(words[++i]);
    }
    return l->path || err_set(err, ERR_USAGE, "kernel load FILE", "no file is named");
}

/* The bundled kernels can be named as they stand in the source tree from anywhere. */
static void find_bundled(struct loading *l)
{
    if (access(l->path, F_OK) == 0 || !str_has_prefix(l->path, "data/"))
        return;
    char *bundled = file_data_path(l->path + 5);
    if (bundled) {
        free(l->path);
        l->path = bundled;
    }
}

static bool load_arguments(struct loading *l, int argc, char **argv, struct err *err)
{
    struct words w = {0};
    const struct legacy_option options[] = {
        {"--symbol", OPTION_TEXT, &w.symbol}, {OPTION_SYNTAX, OPTION_CHOICE, &w.syntax}, {OPTION_ISA, OPTION_CHOICE, &w.isa}, {"--lines", OPTION_TEXT, &w.lines},
        {"--loop", OPTION_COUNT, &w.loop},    {"--skip-bad", OPTION_FLAG, &l->options.skip_bad}, {"--compiler", OPTION_TEXT, &w.compiler}, {NULL, OPTION_FLAG, NULL},
    };
    const char *words[WORDS_MAX];
    size_t count;

    if (!options_parse(argc, argv, options, words, WORDS_MAX, &count, err) || !take_words(&w, &l->options, err) || !sort_words(l, words, count, err))
        return false;
    l->source = compile_is_source(l->path);
    if (!l->source && (l->flag_count || w.compiler))
        return err_set(err, ERR_USAGE, "give a .c or .cpp file", "compiler options are for source files, and %s is none", l->path);
    find_bundled(l);
    l->options.symbol = l->symbol = w.symbol ? mem_strdup(w.symbol) : NULL;
    l->compiler = w.compiler ? mem_strdup(w.compiler) : NULL;
    return true;
}

bool cmd_kernel_load(struct session *s, int argc, char **argv, struct err *err)
{
    struct loading *l = mem_zero(1, sizeof *l);

    if (load_arguments(l, argc, argv, err))
        return start(s, l, err);
    loading_free(l);
    return false;
}

/* The lines up to one with a single dot. */
static void read_pasted(struct session *s, struct str *out)
{
    char *line = NULL;
    size_t capacity = 0;

    for (ssize_t length; (length = getline(&line, &capacity, s->input)) >= 0;) {
        if (s->input_line)
            ++*s->input_line;
        if (strcmp(line, ".\n") == 0 || strcmp(line, ".") == 0)
            break;
        if (out->length + (size_t)length <= PASTE_LIMIT)
            str_add_bytes(out, line, (size_t)length);
    }
    free(line);
}

/* The screen is to collect text and come back with the same options. */
static void ask_for_text(struct session *s, const struct words *w, bool skip_bad)
{
    snprintf(s->paste_command, sizeof s->paste_command, "kernel paste%s%s%s%s%s", w->syntax ? " --syntax " : "", w->syntax ? w->syntax : "", w->isa ? " --isa " : "",
             w->isa ? w->isa : "", skip_bad ? " --skip-bad" : "");
    s->want_paste = true;
}

bool cmd_kernel_paste(struct session *s, int argc, char **argv, struct err *err)
{
    struct words w = {0};
    struct kernel_options o = {0};
    const struct legacy_option options[] = {
        {OPTION_SYNTAX, OPTION_CHOICE, &w.syntax}, {OPTION_ISA, OPTION_CHOICE, &w.isa}, {"--skip-bad", OPTION_FLAG, &o.skip_bad}, {NULL, OPTION_FLAG, NULL}};
    size_t count;

    if (!options_parse(argc, argv, options, NULL, 0, &count, err) || !take_words(&w, &o, err))
        return false;
    if (!s->input && s->interactive) {
        ask_for_text(s, &w, o.skip_bad);
        return true;
    }
    if (!s->input)
        return err_set(err, ERR_USAGE, "paste the text itself into this screen", "there is no input to read from");
    struct loading *l = mem_zero(1, sizeof *l);
    l->options = o;
    read_pasted(s, &l->text);
    return start(s, l, err);
}

bool cmd_kernel_hex(struct session *s, int argc, char **argv, struct err *err)
{
    const char *name = NULL, *words[HEX_WORDS];
    const struct legacy_option options[] = {{OPTION_ISA, OPTION_CHOICE, &name}, {NULL, OPTION_FLAG, NULL}};
    enum isa isa = ISA_UNSAID;
    struct str hex = {0};
    size_t count;

    if (!options_parse(argc, argv, options, words, HEX_WORDS, &count, err))
        return false;
    if (!count)
        return err_set(err, ERR_USAGE, "kernel hex 4801d8", "a block of hex digits was expected");
    if (name)
        isa_parse(name, &isa);
    for (size_t i = 0; i < count; i++)
        str_addf(&hex, "%s%s", i ? " " : "", words[i]);
    struct kernel *k = kernel_from_hex(isa, str_text(&hex), err);
    str_done(&hex);
    if (k) {
        session_set_kernel(s, k);
        kernel_print_loaded(s);
    }
    return k != NULL;
}
