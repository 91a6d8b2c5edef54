/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes the session's kernel: files, pasted text, source that is compiled, machine code in hex. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_source.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/child.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/kernel_load.h"
#include "cmd/task.h"
#include "isa/isa.h"
#include "toolchain/compile.h"
#include "toolchain/plain.h"
#include "work/job.h"

#define PASTE_LIMIT ((size_t)32 << 20)   /* read at most; the loader says what is too large */
#define EDIT_LIMIT ((size_t)1 << 20)     /* of refused text that is given back to be corrected */

/* What is to be loaded, with the strings that its options point to. */
struct kernel_loading {
    struct session *session;
    struct job *job;                /* NULL: not in the background */
    struct kernel_options options;
    char *symbol;
    char *path;                     /* NULL: text */
    bool source;                    /* path is to be compiled */
    char *compiler;
    VEC(char *) flags;              /* for it */
    struct str text;
    double begun;
    const struct kernel *kernel;    /* the result */
};

static void loading_free(void *state)
{
    struct kernel_loading *l = state;
    free(l->symbol);
    free(l->path);
    free(l->compiler);
    for (size_t i = 0; i < l->flags.count; i++)
        free(l->flags.items[i]);
    vec_done(&l->flags);
    str_done(&l->text);
    kernel_free(l->kernel);
    free(l);
}

static bool load(struct kernel_loading *l, struct err *err)
{
    if (l->source)
        l->kernel = kernel_from_source(l->path, l->compiler, (const char *const *)l->flags.items, l->flags.count, &l->options, err);
    else if (l->path)
        l->kernel = kernel_load(l->path, &l->options, err);
    else
        l->kernel = kernel_from_text("pasted", str_text(&l->text), l->text.length, &l->options, err);
    return l->kernel != NULL;
}

static bool cancelled(void *state)
{
    const struct kernel_loading *l = state;
    job_progress(l->job, clock_seconds() - l->begun, 0, "%s has been running for %.1f s", l->source ? "the compiler" : "the assembler", clock_seconds() - l->begun);
    return job_cancelled(l->job);
}

static bool interrupted(void *state)
{
    (void)state;
    return job_interrupted();
}

static bool load_run(struct job *job, void *state, struct err *err)
{
    struct kernel_loading *l = state;

    l->job = job;
    l->begun = clock_seconds();
    child_watch(cancelled, l);
    bool ok = load(l, err);
    /* What was read by then may be wrong in another way, too. */
    ok = (!job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "loading was cancelled")) && ok;
    child_watch(NULL, NULL);
    return ok;
}

/* The lines that were not taken: those that --skip-bad skipped are told, the others counted. */
static void add_left_out(struct result *result, const struct kernel *k)
{
    static const struct result_column columns[] = {
        {.key = "line", .kind = CELL_COUNT}, {.key = "text", .kind = CELL_TEXT}, {.key = "reason", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "left_out", columns, sizeof columns / sizeof *columns);

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < k->refused_count + k->left_out_count; i++) {
        bool refused = i < k->refused_count;
        const struct diagnostic *d = refused ? &k->refused[i] : &k->left_out[i - k->refused_count];
        if (refused)
            result_line(result, "skipped line %zu: %s: %s", d->line, d->text, d->reason);
        cell_count(t, (int64_t)d->line);
        cell_text(t, d->text);
        cell_text(t, d->reason);
    }
}

void kernel_tell_loaded(struct session *s, struct result *result)
{
    const struct kernel *k = s->document.kernel;
    size_t count;

    kernel_insns(k, s->document.loop, &count);
    struct str rest = {0};
    if (k->left_out_count)
        str_addf(&rest, "; %zu line%s left out, see kernel omitted", k->left_out_count, k->left_out_count == 1 ? "" : "s");
    if (k->refused_count + k->left_out_count)
        add_left_out(result, k);
    if (!k->refused_count)
        result_set_confirmation(result);
    result_line(result, "%s: %s, %zu instruction%s%s%s%s", k->name, k->loops[s->document.loop].why, count, count == 1 ? "" : "s",
                k->loop_count > 1 ? "; kernel list shows the other loops" : "", k->of_many ? "; --symbol takes another function" : "", str_text(&rest));
    str_done(&rest);
    result_text(result, "kernel", k->name);
    result_count(result, "instructions", (int64_t)count);
    result_count(result, "loops", (int64_t)k->loop_count);
    result_text(result, "loop", k->loops[s->document.loop].why);
}

static void publish(struct kernel_loading *l)
{
    session_set_kernel(l->session, l->kernel, kernel_loop_wanted(&l->options));
    l->kernel = NULL;
    kernel_tell_loaded(l->session, l->session->result);
}

/* The screen is to show pasted text again that could not be loaded. */
static void give_back(struct kernel_loading *l, const struct err *err)
{
    struct session *s = l->session;
    struct str plain = {0};

    if (!s->interactive || l->path || l->text.length > EDIT_LIMIT)
        return;
    str_clear(&s->refused);
    if (plain_text(str_text(&l->text), l->text.length, &plain))
        str_add_bytes(&s->refused, str_text(&plain), plain.length);
    else
        str_add_bytes(&s->refused, str_text(&l->text), l->text.length);
    s->refused_line = err->line;
    str_done(&plain);
}

static void load_finish(void *state, const struct job_info *info)
{
    if (info->state == JOB_DONE)
        publish(state);
    else if (info->state == JOB_FAILED)
        give_back(state, &info->err);
}

/* Takes @l. The screen does not wait for long: the newest kernel asked for is the one that comes. */
static bool start(struct session *s, struct kernel_loading *take_l, struct err *err)
{
    static const struct job_ops ops = {.run = load_run, .finish = load_finish, .free = loading_free};
    static unsigned last;

    take_l->session = s;
    if (!s->interactive || isinf(s->patience)) {   /* no thread: signals and speed are those of a plain program */
        struct watch before = watch_begin(interrupted, NULL);
        bool ok = load(take_l, err);
        ok = watch_goes_on(err) && ok;
        watch_restore(before);
        if (ok)
            publish(take_l);
        else
            give_back(take_l, err);
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

struct kernel_load_values {
    const char *file, *symbol, *syntax, *isa, *compiler;
    struct line_range lines;
    struct word_list flags;
    size_t loop;
    bool skip_bad;
};

#define OPTION_SYNTAX \
    {.name = "--syntax", .kind = PARAMETER_CHOICE, .at = offsetof(struct kernel_load_values, syntax), .choices = "att|intel", .otherwise = "detected", \
     .help = "syntax of x86-64 assembler text"}
#define OPTION_SKIP_BAD \
    {.name = "--skip-bad", .kind = PARAMETER_FLAG, .at = offsetof(struct kernel_load_values, skip_bad), \
     .help = "skip lines the assembler rejects, and list them"}

static const struct parameter load_arguments[] = {
    {.name = "FILE", .kind = PARAMETER_TEXT, .at = offsetof(struct kernel_load_values, file), .required = true, .complete = COMPLETE_FILE,
     .help = "assembler text, a listing, an object or program (ELF), or C or C++ source; - reads standard input"},
    {.name = "FLAG", .kind = PARAMETER_WORDS, .at = offsetof(struct kernel_load_values, flags),
     .help = "compiler options for C or C++ source: -O*, -m*, -std=, -D, -U, -I, -W* and code-generating -f options"},
    {0},
};

static const struct parameter load_options[] = {
    {.name = "--symbol", .kind = PARAMETER_TEXT, .at = offsetof(struct kernel_load_values, symbol), .value = "S", .otherwise = "the whole file",
     .help = "function to search for loops"},
    OPTION_SYNTAX,
    {.name = "--isa", .kind = PARAMETER_CHOICE, .at = offsetof(struct kernel_load_values, isa), .choices = ISA_CHOICES, .otherwise = "detected",
     .help = "the instruction set"},
    {.name = "--lines", .kind = PARAMETER_LINES, .at = offsetof(struct kernel_load_values, lines), .value = "A-B", .otherwise = "all lines",
     .help = "only these lines of the text or source"},
    {.name = "--loop", .kind = PARAMETER_COUNT, .at = offsetof(struct kernel_load_values, loop), .value = "N", .least = 1, .most = 1e9, .otherwise = "the hottest-looking loop",
     .help = "loop number, see kernel list"},
    OPTION_SKIP_BAD,
    {.name = "--compiler", .kind = PARAMETER_TEXT, .at = offsetof(struct kernel_load_values, compiler), .value = "CC", .otherwise = "cc, or c++ for C++",
     .complete = COMPLETE_FILE, .help = "compiler for C or C++ source"},
    {0},
};

static void take_options(const struct kernel_load_values *v, struct kernel_options *o)
{
    o->loop = v->loop == NOT_GIVEN ? 0 : v->loop;
    o->skip_bad = v->skip_bad;
    o->first_line = v->lines.first;
    o->last_line = v->lines.last;
    o->isa_given = v->isa && isa_parse(v->isa, &o->isa);
    if (v->syntax)
        o->syntax = v->syntax[0] == 'a' ? SYNTAX_ATT : SYNTAX_INTEL;
}

/* One word of the command: the file, or something for the compiler; *@takes_next: its value is the next word (-D NAME). */
static bool take_word(struct kernel_loading *l, const char *word, bool *takes_next, struct err *err)
{
    *takes_next = false;
    if (word[0] == '-' && word[1]) {
        if (!compile_option_allowed(word, takes_next, err))
            return false;
        vec_push(&l->flags, mem_strdup(word));
        return true;
    }
    if (l->path)
        return err_set(err, ERR_USAGE, "load one at a time", "unexpected second file \"%s\"", word);
    l->path = mem_strdup(word[0] == '-' ? "/dev/stdin" : word);
    return true;
}

/* The file and the flags may come in any order. */
static bool take_words(struct kernel_loading *l, const struct kernel_load_values *v, struct err *err)
{
    bool takes_next = false;

    for (size_t i = 0; i <= v->flags.count; i++) {
        const char *word = i ? v->flags.items[i - 1] : v->file;
        if (takes_next) {
            vec_push(&l->flags, mem_strdup(word));
            takes_next = false;
        } else if (!take_word(l, word, &takes_next, err)) {
            return false;
        }
    }
    return l->path || err_set(err, ERR_USAGE, "kernel load FILE", "no file given");
}

/* The bundled kernels can be named as they stand in the source tree from anywhere. */
static void find_bundled(struct kernel_loading *l)
{
    if (access(l->path, F_OK) == 0 || !str_has_prefix(l->path, "data/"))
        return;
    char *bundled = file_data_path(l->path + 5);
    if (bundled) {
        free(l->path);
        l->path = bundled;
    }
}

static bool names_target(const char *flag)
{
    return str_has_prefix(flag, "-march=") || str_has_prefix(flag, "-mcpu=") || str_has_prefix(flag, "-mtune=");
}

/* Source is compiled for this CPU while its machine is the current one and no flag says otherwise. */
static void target_here(struct kernel_loading *l, const struct document *d)
{
    bool current = d->here.id && d->here.isa == isa_host() && strcmp(d->selected[0], d->here.id) == 0;

    for (size_t i = 0; current && i < l->flags.count; i++)
        current = !names_target(l->flags.items[i]);
    if (current)
        vec_push(&l->flags, mem_strdup("-march=native"));
}

static bool fill(struct kernel_loading *l, const struct document *d, const struct kernel_load_values *v, struct err *err)
{
    take_options(v, &l->options);
    if (!take_words(l, v, err))
        return false;
    l->source = compile_is_source(l->path);
    if (!l->source && (l->flags.count || v->compiler))
        return err_set(err, ERR_USAGE, "give a .c or .cpp file", "%s is not a source file; compiler options apply to C or C++ only", l->path);
    if (l->source)
        target_here(l, d);
    find_bundled(l);
    l->options.symbol = l->symbol = v->symbol ? mem_strdup(v->symbol) : NULL;
    l->compiler = v->compiler ? mem_strdup(v->compiler) : NULL;
    return true;
}

static bool run_load(struct session *s, const void *values, struct result *result, struct err *err)
{
    struct kernel_loading *l = mem_zero(1, sizeof *l);

    (void)result;   /* filled when the kernel is there, which may be at the end of a job */
    if (fill(l, &s->document, values, err))
        return start(s, l, err);
    loading_free(l);
    return false;
}

static const char *const load_examples[] = {"kernel load triad.s", "kernel load libm.so.6 --symbol __sin_fma", "kernel load dot.c -O3 -march=native", NULL};

const struct command command_kernel_load = {
    .name = "kernel load",
    .help = "load assembler text, a listing or an ELF file, or compile C, and find its loops",
    .description = "Regions marked for IACA, LLVM-MCA or OSACA come first, then innermost loops. C and C++ are compiled without a shell; source "
                   "lines are shown above their instructions. While the current machine is this CPU's (native), -march=native is the default.",
    .arguments = load_arguments,
    .options = load_options,
    .examples = load_examples,
    .values_size = sizeof(struct kernel_load_values),
    .flags = COMMAND_CHANGES,
    .run = run_load,
};

/* The lines up to one with a single dot. */
static void read_pasted(struct session *s, struct str *out)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    while ((length = getline(&line, &capacity, s->input)) >= 0) {
        if (s->input_line)
            ++*s->input_line;
        if (strcmp(line, ".\n") == 0 || strcmp(line, ".") == 0)
            break;
        if (out->length + (size_t)length <= PASTE_LIMIT)
            str_add_bytes(out, line, (size_t)length);
    }
    if (length < 0 && !feof(s->input))
        shortage_lose(capacity);
    free(line);
}

/* The screen is to collect text and come back with the same options. */
static void ask_for_text(struct session *s, const struct kernel_load_values *v)
{
    snprintf(s->paste_command, sizeof s->paste_command, "kernel paste%s%s%s%s%s", v->syntax ? " --syntax " : "", v->syntax ? v->syntax : "", v->isa ? " --isa " : "",
             v->isa ? v->isa : "", v->skip_bad ? " --skip-bad" : "");
    s->want_paste = true;
}

static const struct parameter paste_options[] = {
    OPTION_SYNTAX,
    {.name = "--isa", .kind = PARAMETER_CHOICE, .at = offsetof(struct kernel_load_values, isa), .choices = ISA_CHOICES, .otherwise = "detected from the registers",
     .help = "the instruction set"},
    OPTION_SKIP_BAD,
    {0},
};

static bool run_paste(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct kernel_load_values *v = values;

    (void)result;   /* as for kernel load */
    if (!s->input && s->interactive) {
        ask_for_text(s, v);
        return true;
    }
    if (!s->input)
        return err_set(err, ERR_USAGE, "paste the text itself into the workbench", "no standard input here");
    struct kernel_loading *l = mem_zero(1, sizeof *l);
    take_options(v, &l->options);
    read_pasted(s, &l->text);
    return start(s, l, err);
}

static const char *const paste_examples[] = {"kernel paste", "kernel paste --syntax intel --skip-bad", NULL};

const struct command command_kernel_paste = {
    .name = "kernel paste",
    .help = "read assembler text from standard input up to a line with a single dot",
    .description = "In the workbench pasted text ends by itself; typed text ends with Ctrl-D. Text is taken as it is: with addresses, bytes, percentages, line numbers, quotation marks "
                   "or source between the instructions; kernel omitted lists what was left out. Refused text can be corrected and tried again.",
    .options = paste_options,
    .examples = paste_examples,
    .values_size = sizeof(struct kernel_load_values),
    .flags = COMMAND_CHANGES,
    .run = run_paste,
};

struct hex_values {
    const char *bytes, *isa;
};

static const struct parameter hex_arguments[] = {
    {.name = "BYTES", .kind = PARAMETER_JOINED, .at = offsetof(struct hex_values, bytes), .required = true, .help = "pairs of hex digits, blanks allowed"},
    {0},
};
static const struct parameter hex_options[] = {
    {.name = "--isa", .kind = PARAMETER_CHOICE, .at = offsetof(struct hex_values, isa), .choices = ISA_CHOICES, .initial = ISA_UNSAID_NAME, .help = "the instruction set"},
    {0},
};

struct hex_reading {
    char *bytes;
    enum isa isa;
    const struct kernel *kernel;
};

static void hex_free(void *state)
{
    struct hex_reading *h = state;
    kernel_free(h->kernel);
    free(h->bytes);
    free(h);
}

static bool hex_work(void *state, struct result *result, struct err *err)
{
    struct hex_reading *h = state;

    (void)result;
    h->kernel = kernel_from_hex(h->isa, h->bytes, err);
    return h->kernel != NULL;
}

static bool hex_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct hex_reading *h = state;

    (void)err;
    session_set_kernel(s, h->kernel, 0);
    h->kernel = NULL;
    kernel_tell_loaded(s, result);
    return true;
}

static bool run_hex(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct task_ops ops = {hex_work, hex_publish, hex_free};
    const struct hex_values *v = values;
    struct hex_reading *h = mem_zero(1, sizeof *h);

    (void)result;   /* the job fills it */
    h->bytes = mem_try_strndup(v->bytes, strlen(v->bytes));
    if (!h->bytes) {
        hex_free(h);
        return err_memory_for(err, "the hex block", strlen(v->bytes));
    }
    isa_parse(v->isa, &h->isa);
    return task_start_passing(s, "kernel hex", "decodes", &ops, h, err);
}

static const char *const hex_examples[] = {"kernel hex 4801d8", "kernel hex 8b000091 --isa aarch64", NULL};

const struct command command_kernel_hex = {
    .name = "kernel hex",
    .help = "load a block of machine code",
    .arguments = hex_arguments,
    .options = hex_options,
    .examples = hex_examples,
    .values_size = sizeof(struct hex_values),
    .flags = COMMAND_CHANGES,
    .run = run_hex,
};
