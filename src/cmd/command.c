/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "work/job.h"

#define WORDS_MAX 1024   /* of one command */
#define VERBS_SHOWN 400  /* bytes of a message that lists commands */

const struct command commands[] = {
    {"kernel load", "FILE [--symbol S] [--syntax att|intel] [--isa x86-64|aarch64] [--lines A-B] [--loop N] [--skip-bad] [--compiler CC] [-O3 -march=native ...]",
     "load assembler text, a listing or an ELF file, or compile C, and find its loops", false, cmd_kernel_load, false},
    {"kernel paste", "[--syntax att|intel] [--isa x86-64|aarch64] [--skip-bad]", "read a kernel from the input until a line with a single dot", false, cmd_kernel_paste, false},
    {"kernel hex", "BYTES [--isa x86-64|aarch64]", "load a block of machine code", false, cmd_kernel_hex, false},
    {"kernel analyze", "[--machine ID]...", "bounds, bottleneck and pressure table, several machines side by side", false, cmd_kernel_analyze, true},
    {"kernel simulate", "[--machine ID]... [--iterations N]", "run the loop cycle by cycle until its state repeats, with a timeline", false, cmd_kernel_simulate, true},
    {"kernel whatif", "CHANGE... [--machine ID]", "the loop on a machine with a fact, usage:FORM or latency:FORM changed, or one swept (A..B)", false,
     cmd_kernel_whatif, true},
    {"kernel evaluate", "FILE [--machine ID] [--model bounds|simulate] [--measured-by bhive|portolan] [--arch NAME] [--threads N] [--blocks FILE]",
     "accuracy on a CSV of measured blocks, hex,cycles", false, cmd_kernel_evaluate, true},
    {"kernel show", "", "the instructions with their forms", false, cmd_kernel_show, true},
    {"kernel list", "", "the loops found", false, cmd_kernel_list, true},
    {"kernel use", "N", "take another loop of the list", false, cmd_kernel_use, false},
    {"kernel report", "FILE.html|FILE.md [--machine ID]...", "the analysis as a document that stands alone", false, cmd_kernel_report, true},
    {"kernel save", "FILE", "write the current loop as assembler text (x86-64: Intel syntax)", false, cmd_kernel_save, true},
    {"kernel measure", "[--file CSV [--out CSV]]", "cycles per iteration of the loaded kernel on this CPU, or of every block of a file", false, cmd_kernel_measure, false},
    {"kernel learn", "[FORM...] [--simulate ID]", "port usage and latency of forms that the machine does not know, measured beside those it knows", false, cmd_kernel_learn, false},
    {"mapping show", "[PATTERN]", "usage and latency of forms on the current machine", false, cmd_mapping_show, true},
    {"mapping diff", "A B [PATTERN] [--renamed]", "forms that two machines execute differently, ports matched by name or by use", false, cmd_mapping_diff, true},
    {"mapping list", "", "the mappings of this session and those that can be loaded", false, cmd_mapping_list, true},
    {"mapping use", "ID", "make a mapping the current one", false, cmd_mapping_use, false},
    {"mapping load", "DIRECTORY|FILE.csv|FILE.yml|FILE.json", "read a machine's tables, or a mapping alone", false, cmd_mapping_load, false},
    {"mapping save", "DIRECTORY|FILE.csv", "write the current machine's tables, or its mapping alone", false, cmd_mapping_save, true},
    {"mapping new", "PORTS [NAME]", "an empty mapping on so many ports, or on ports of these names", false, cmd_mapping_new, false},
    {"mapping import", "llvm|uops-info|osaca|pmevo|csv CPU|FILE... [--architecture A]",
     "a mapping from LLVM's scheduling models or another tool's file", false, cmd_mapping_import, false},
    {"mapping export", "uops-info|pmevo|pmevo-flat|osaca|csv FILE", "write the current mapping for another tool", false, cmd_mapping_export, true},
    {"mapping set", "FORM USAGE", "change a form's port usage in this session", false, cmd_mapping_set, false},
    {"throughput", "EXPERIMENT", "cycles of 2*ADD (R64, R64) + IMUL (R64, R64) on the current machine", true, cmd_throughput, true},
    {"forms list", "[PATTERN] [--isa x86-64|aarch64]", "instruction forms with templates, and why one cannot be measured here", false, cmd_forms_list, true},
    {"forms add", "FILE.csv", "add instruction forms of your own: form,template,extension", false, cmd_forms_add, false},
    {"forms select", "[PATTERN]...", "which forms experiments are made of; without a pattern: what is selected", false, cmd_forms_select, false},
    {"forms scan", "BINARY...", "the forms that ELF files use, how many a machine knows, and which are missing", false, cmd_forms_scan, true},
    {"experiments generate", "[--pairs] [--triples N] [--random N --size K] [--seed S]",
     "experiments of the selected forms: alone, and in pairs unless others are asked for", false, cmd_experiments_generate, false},
    {"experiments load", "FILE [--append]", "a table of experiments", false, cmd_experiments_load, false},
    {"experiments import", "FILE [--append]", "experiments in PMEvo's JSON", false, cmd_experiments_import, false},
    {"experiments save", "FILE.csv|FILE.json", "write the table, or PMEvo's JSON of it", false, cmd_experiments_save, true},
    {"experiments measure", "[--budget T] [--retry] [--one-length] [--journal FILE|none] [--simulate ID] [--cpu N] [FILTER]",
     "measure what has no cycles yet (--retry: what failed as well); results go to disk as they come", false, cmd_experiments_measure, false},
    {"experiments pause", "", "let measuring rest", false, cmd_experiments_pause, false},
    {"experiments resume", "", "go on measuring", false, cmd_experiments_resume, false},
    {"experiments show", "N", "one experiment: the code that was run, all samples, clock and spread", false, cmd_experiments_show, true},
    {"latency measure", "[PATTERN]", "latency of forms by dependency chains, per pair of operands", false, cmd_latency_measure, false},
    {"machine calibrate", "[--cpu N]", "learn this computer's clock, noise and quiet", false, cmd_machine_calibrate, false},
    {"machine list", "", "the machines that can be chosen", false, cmd_machine_list, true},
    {"machine info", "", "this computer's CPU and what can be measured on it", false, cmd_machine_info, true},
    {"machine show", "ID", "ports and facts of a machine", false, cmd_machine_show, true},
    {"experiments list", "[FILTER]", "the experiments and what was measured; cycles>2 & form~VADD", false, cmd_experiments_list, true},
    {"experiments clear", "", "forget them", false, cmd_experiments_clear, false},
    {"congruence", "[--epsilon E]", "forms that no measurement tells apart", false, cmd_congruence, true},
    {"evaluate", "[FILE] [--mapping ID]... [--heatmap]", "accuracy of mappings on measured experiments, and the worst of those", false, cmd_evaluate, true},
    {"evolve start", "[--ports N|NAMES|auto] [--algorithm memetic|pmevo] [--seconds T] [--generations G] [--seed S] [--population P] [--threads N] "
                     "[--issue-width W|auto] [--price-scale X|auto] [--uop-price X] [--volume-price X] [--usage-price X] [--volume-weight W] [--from ID] [--continue] "
                     "[--checkpoint FILE|none] [--tolerant] [--active] [--simulate ID] [--most N] [--size K] [--by-chance]",
     "infer a port mapping from the experiments, in the background", false, cmd_evolve_start, false},
    {"evolve status", "", "how far the runs are", false, cmd_evolve_status, true},
    {"evolve pause", "", "let the run rest", false, cmd_evolve_pause, true},
    {"evolve resume", "[CHECKPOINT]", "go on, or go on from a checkpoint", false, cmd_evolve_resume, false},
    {"evolve stop", "", "end the run with what it has", false, cmd_evolve_stop, true},
    {"evolve wait", "", "wait for the run's end; on the screen only what follows waits", false, cmd_evolve_wait, true},
    {"evolve set", "seconds|generations|uop-price|volume-price|usage-price|volume-weight VALUE", "change what the run was started with", false, cmd_evolve_set, true},
    {"evolve adopt", "", "make the best mapping the current machine, called evolved", false, cmd_evolve_adopt, false},
    {"jobs", "", "background jobs and how far they are", false, cmd_jobs, true},
    {"job cancel", "N", "end a background job", false, cmd_job_cancel, true},
    {"job wait", "[N]", "wait for a background job, or for all; on the screen only what follows waits", false, cmd_job_wait, true},
    {"view", "kernel|timeline|whatif|experiments|evolution|mapping|accuracy|machine|output|log|help|next|previous", "show another view; in batch it is printed", false, cmd_view, true},
    {"find", "TEXT | --next | --previous", "search in the view", true, cmd_view, true},
    {"sort", "[COLUMN]", "sort the view's rows; no column: as they come", true, cmd_view, true},
    {"filter", "[EXPRESSION]", "show only the rows that fit; none: all", true, cmd_view, true},
    {"session save", "DIRECTORY", "write kernel, machines, changes and settings; replaces an older session there", false, cmd_session_save, true},
    {"session load", "DIRECTORY", "take up a saved session", false, cmd_session_load, false},
    {"set", "[machine|format|color|ascii|keep-going|seed|threads VALUE]",
     "machine ID[,ID...], format text|csv|json, seed N, threads N|auto, the others on|off; alone: what is set", false, cmd_set, false},
    {"export", "FILE", "the last result into a file: .txt, .csv, .json, .md or .html", false, cmd_export, true},
    {"source", "FILE", "run the commands of a file", false, cmd_source, false},
    {"help", "[COMMAND]", "the commands", false, cmd_help, true},
    {"quit", "", "leave", false, cmd_quit, true},
    {NULL, NULL, NULL, false, NULL, false},
};

/* How many leading words of @words name @command by prefixes, 0 when they do not; *@exact when letter by letter. */
static int words_match(const struct command *command, int count, char **words, bool *exact)
{
    const char *name = command->name;
    int used = 0;

    *exact = true;
    while (*name) {
        size_t span = strcspn(name, " ");
        if (used >= count || !*words[used] || strlen(words[used]) > span || strncmp(name, words[used], strlen(words[used])) != 0)
            return 0;
        *exact &= strlen(words[used]) == span;
        name += span + (name[span] == ' ');
        used++;
    }
    return used;
}

/* What could have been meant by words that begin no command: the verbs of the noun, if the first is one. */
static void refuse(int count, char **words, struct err *err)
{
    struct str verbs = {0};

    for (const struct command *c = commands; c->name; c++) {
        const char *space = strchr(c->name, ' ');
        size_t noun = space ? (size_t)(space - c->name) : 0;
        if (noun && *words[0] && strlen(words[0]) <= noun && strncmp(c->name, words[0], strlen(words[0])) == 0)
            str_addf(&verbs, "%s%s", verbs.length ? ", " : "it can be ", c->name);
    }
    err_set(err, ERR_USAGE, verbs.length && verbs.length < VERBS_SHOWN ? str_text(&verbs) : "help lists the commands", "there is no command \"%s%s%s\"", words[0],
            count > 1 ? " " : "", count > 1 ? words[1] : "");
    str_done(&verbs);
}

const struct command *command_find(int count, char **words, int *used, struct err *err)
{
    const struct command *found = NULL;
    struct str names = {0};
    int matches = 0;
    bool found_optional = false;

    for (const struct command *c = commands; c->name; c++) {
        bool exact, optional = c->arguments[0] == '[';
        int n = words_match(c, count, words, &exact);
        /* What follows tells `k l x.s` (load) from `k l` (list). */
        if (!n || (!exact && (c->arguments[0] == '\0') != (n == count) && !optional))
            continue;
        /* One that goes either way (`kernel learn`) stands back behind both. */
        if (!exact && optional && matches && !found_optional)
            continue;
        if (!exact && !optional && matches && found_optional) {
            matches = 0;
            str_clear(&names);
        }
        found_optional = optional;
        *used = n;
        if (exact) {
            str_done(&names);
            return c;
        }
        str_addf(&names, "%s%s", matches++ ? ", " : "", c->name);
        found = c;
    }
    if (matches > 1) {
        err_set(err, ERR_USAGE, "type more of it", "\"%s\" could be %s", words[0], str_text(&names));
        found = NULL;
    } else if (!matches) {
        refuse(count, words, err);
    }
    str_done(&names);
    return found;
}

/* Splits [text, end) into words: blanks separate, quotes and backslash protect. */
static bool split_words(const char *text, const char *end, struct str *storage, size_t starts[WORDS_MAX], int *count, struct err *err)
{
    *count = 0;
    for (const char *at = text; at < end;) {
        if (*at == ' ' || *at == '\t') {
            at++;
            continue;
        }
        if (*at == '#')
            return true;
        if (*count == WORDS_MAX - 1)
            return err_set(err, ERR_USAGE, "split the command", "more than %d words", WORDS_MAX - 1);
        starts[(*count)++] = storage->length;
        char quote = 0;
        const char *home = at[0] == '~' && (at + 1 == end || at[1] == '/' || at[1] == ' ') ? getenv("HOME") : NULL;
        if (home) {   /* as a shell has it: the user's own */
            str_add(storage, home);
            at++;
        }
        for (; at < end && (quote || (*at != ' ' && *at != '\t')); at++) {
            if (quote ? *at == quote : (*at == '"' || *at == '\''))
                quote = quote ? 0 : *at;
            else if (*at == '\\' && quote != '\'' && at + 1 < end)
                str_add_char(storage, *++at);
            else
                str_add_char(storage, *at);
        }
        if (quote)
            return err_set(err, ERR_USAGE, "close it", "a %c quote is open", quote);
        str_add_char(storage, '\0');
    }
    return true;
}

/* What `export` writes: the line and what it printed. */
static void keep_result(struct session *s, const struct command *command, const char *text, const char *end)
{
    if (command->run == cmd_export || command->run == cmd_help)
        return;
    free(s->last_line);
    text += strspn(text, " \t");
    s->last_line = mem_strndup(text, (size_t)(end - text));
    s->last_format = s->format;
    str_clear(&s->last_output);
    str_add_bytes(&s->last_output, s->output.data, s->output.length);
}

void command_keep_result(struct session *s, const char *title, const char *text)
{
    struct str line = {0};

    str_addf(&line, "job: %s", title);   /* no command's name: it is not run again for another format */
    free(s->last_line);
    s->last_line = str_take(&line);
    s->last_format = s->format;
    str_clear(&s->last_output);
    str_add(&s->last_output, text);
}

static bool run_one(struct session *s, const char *text, const char *end, FILE *out, struct err *err)
{
    struct str storage = {0};
    size_t starts[WORDS_MAX];
    char *words[WORDS_MAX + 1];
    int count, used = 0;
    bool ok = false;

    if (!split_words(text, end, &storage, starts, &count, err))
        goto out;
    for (int i = 0; i < count; i++)
        words[i] = storage.data + starts[i];
    ok = count == 0;
    const struct command *command = count ? command_find(count, words, &used, err) : NULL;
    if (!command)
        goto out;
    char *argv[WORDS_MAX + 1] = {(char *)command->name};
    int argc = 1;
    char *rest = NULL;
    if (command->raw) {
        const char *at = text;
        for (int i = 0; i < used; i++) {
            at += strspn(at, " \t");
            at += strcspn(at, " \t;");
        }
        at = at < end ? at : end;
        rest = mem_strndup(at, (size_t)(end - at));
        argv[argc++] = rest + strspn(rest, " \t");
    } else {
        for (int i = used; i < count; i++)
            argv[argc++] = words[i];
    }
    argv[argc] = NULL;
    str_clear(&s->output);
    s->out = out;
    ok = command->arguments[0] || argc == 1 || err_set(err, ERR_USAGE, "leave it out", "%s takes no argument, and \"%s\" is one", command->name, argv[1]);
    ok = ok && command->run(s, argc, argv, err);
    s->revision += !command->looks;
    if (ok && s->output.length)
        keep_result(s, command, text, end);
    fwrite(str_text(&s->output), 1, s->output.length, out);
    if (fflush(out) != 0 && ok)
        ok = err_set(err, ERR_IO, NULL, "the output cannot be written");
    free(rest);
out:
    str_done(&storage);
    return ok;
}

/* End of the command at @at: a line's end, a ';' outside quotes and parentheses, or the end. */
static const char *command_end(const char *at)
{
    char quote = 0;
    int depth = 0;
    for (; *at; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '(')
            depth++;
        else if (*at == ')' && depth)
            depth--;
        else if ((*at == ';' && depth == 0) || *at == '\n')
            break;
    }
    return at;
}

/* With keep-going a fault is told and the run goes on; its exit status will say so. On the screen, where the lower line shows
 * the fault of what was typed, that is for scripts only. */
static bool goes_on(struct session *s, const char *script, size_t number, FILE *out, struct err *err)
{
    char text[2048];

    if (script && !err->file[0])
        err_at(err, script, number, err->column);
    if (!s->keep_going || job_interrupted() || (s->interactive && !script))
        return false;
    s->any_failed = true;
    err_text(err, text, sizeof text);
    if (s->interactive)
        fprintf(out, "%s\n", text);
    else
        fprintf(stderr, "portolan: %s\n", text);
    return true;
}

/* What follows waits for a job. */
static void keep_rest(struct session *s, const char *script, size_t number, const char *text, bool lines)
{
    if (!*text)
        return;
    s->rests = mem_resize(s->rests, (s->rest_count + 1) * sizeof *s->rests);
    s->rests[s->rest_count++] = (struct rest){script ? mem_strdup(script) : NULL, number, mem_strdup(text), lines};
}

/* Line @number of @script, NULL: what was typed or given as an argument. */
static bool run_line(struct session *s, const char *script, size_t number, const char *line, FILE *out, struct err *err)
{
    while (*line && !s->quit) {
        const char *end = command_end(line);
        if (job_interrupted())
            return err_set(err, ERR_LIMIT, NULL, "interrupted");
        if (!run_one(s, line, end, out, err) && !goes_on(s, script, number, out, err))
            return false;
        line = *end ? end + 1 : end;
        if (s->awaited_now) {
            keep_rest(s, script, number, line, false);
            return true;
        }
    }
    return true;
}

bool command_run(struct session *s, const char *line, FILE *out, struct err *err)
{
    s->awaited_now = false;
    return run_line(s, NULL, 0, line, out, err);
}

/* Lines of a script from line @first on. */
static bool run_lines(struct session *s, const char *name, size_t first, const char *text, FILE *out, struct err *err)
{
    size_t number = first - 1;
    FILE *lines = fmemopen((void *)text, strlen(text), "r"), *before = s->input;
    size_t *line_before = s->input_line;
    char *line = NULL;
    size_t capacity = 0;
    bool ok = true;

    if (!lines)
        return true;   /* an empty script */
    s->input = lines;
    s->input_line = &number;
    for (ssize_t length; ok && !s->quit && (length = getline(&line, &capacity, lines)) >= 0;) {
        size_t at = ++number;
        if (length && line[length - 1] == '\n')
            line[length - 1] = '\0';
        ok = run_line(s, name, at, line, out, err);
        if (ok && s->awaited_now) {
            keep_rest(s, name, number + 1, text + ftell(lines), true);
            break;
        }
    }
    s->input = before;
    s->input_line = line_before;
    free(line);
    fclose(lines);
    return ok;
}

bool command_script(struct session *s, const char *name, const char *text, FILE *out, struct err *err)
{
    return run_lines(s, name, 1, text, out, err);
}

bool command_go_on(struct session *s, FILE *out, struct err *err)
{
    struct rest *rests = s->rests;
    size_t count = s->rest_count, done = 0;
    bool ok = true;

    s->rests = NULL;
    s->rest_count = 0;
    s->awaited_now = false;
    for (; ok && done < count && !s->awaited_now; done++) {
        const struct rest *r = &rests[done];
        ok = r->lines ? run_lines(s, r->script, r->line, r->text, out, err) : run_line(s, r->script, r->line, r->text, out, err);
    }
    for (size_t i = 0; i < count; i++) {
        if (ok && i >= done)
            keep_rest(s, rests[i].script, rests[i].line, rests[i].text, rests[i].lines);
        free(rests[i].script);
        free(rests[i].text);
    }
    free(rests);
    return ok;
}
