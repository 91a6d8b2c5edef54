/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_source.h"
#include "analysis/report.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "io/csv.h"
#include "isa/compile.h"

static bool need_value(int argc, char **argv, int at, struct err *err)
{
    return at + 1 < argc || err_set(err, ERR_USAGE, "give it a value", "%s stands alone", argv[at]);
}

static bool parse_whole(const char *text, size_t *out, struct err *err)
{
    char *end;
    *out = strtoul(text, &end, 10);
    return (*end == '\0' && end != text && text[0] != '-' && *out > 0) ||
           err_set(err, ERR_USAGE, "give a whole number from 1", "\"%s\" is no such number", text);
}

static bool parse_lines(const char *text, struct kernel_options *options, struct err *err)
{
    char *end;
    options->first_line = strtoul(text, &end, 10);
    if (*end == '-')
        options->last_line = strtoul(end + 1, &end, 10);
    if (*end || !options->first_line || options->last_line < options->first_line)
        return err_set(err, ERR_USAGE, "write --lines 10-25", "\"%s\" is no range of lines", text);
    return true;
}

/* What kernel load passes on to a compiler. */
struct compiler_words {
    const char *program;
    const char *flags[64];
    size_t count;
};

/* Options of load and paste; *@file gets the one free argument, @compiler (NULL: nothing of the kind) the rest. */
static bool parse_options(int argc, char **argv, struct kernel_options *options, const char **file, struct compiler_words *compiler, struct err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--skip-bad") == 0) {
            options->skip_bad = true;
        } else if (compiler && strcmp(word, "--compiler") == 0) {
            if (!need_value(argc, argv, i, err))
                return false;
            compiler->program = argv[++i];
        } else if (compiler && word[0] == '-' && word[1] != '-' && compiler->count + 2 < sizeof compiler->flags / sizeof *compiler->flags) {
            bool takes_next;
            if (!compile_option_allowed(word, &takes_next, err))
                return false;
            compiler->flags[compiler->count++] = word;
            if (takes_next && i + 1 < argc)
                compiler->flags[compiler->count++] = argv[++i];
        } else if (strcmp(word, "--symbol") == 0 || strcmp(word, "--syntax") == 0 || strcmp(word, "--lines") == 0 || strcmp(word, "--loop") == 0 ||
                   strcmp(word, "--isa") == 0) {
            if (!need_value(argc, argv, i, err))
                return false;
            const char *value = argv[++i];
            if (strcmp(word, "--symbol") == 0)
                options->symbol = value;
            else if (strcmp(word, "--lines") == 0 ? !parse_lines(value, options, err)
                                                  : strcmp(word, "--loop") == 0 && !parse_whole(value, &options->loop, err))
                return false;
            if (strcmp(word, "--isa") == 0) {
                if (!isa_parse(value, &options->isa))
                    return err_set(err, ERR_USAGE, "use x86-64 or aarch64", "there is no instruction set \"%s\"", value);
                options->isa_given = true;
            }
            if (strcmp(word, "--syntax") == 0) {
                if (strcmp(value, "att") != 0 && strcmp(value, "intel") != 0)
                    return err_set(err, ERR_USAGE, "use att or intel", "there is no syntax \"%s\"", value);
                options->syntax = value[0] == 'a' ? SYNTAX_ATT : SYNTAX_INTEL;
            }
        } else if (word[0] == '-' || *file) {
            return err_set(err, ERR_USAGE, "see help kernel", "\"%s\" is not expected here", word);
        } else {
            *file = word;
        }
    }
    return true;
}

static void print_loaded(struct session *s)
{
    const struct kernel *k = s->kernel;
    size_t count;

    kernel_insns(k, &count);
    for (size_t i = 0; i < k->refused_count; i++)
        str_addf(&s->output, "left out line %zu: %s: %s\n", k->refused[i].line, k->refused[i].text, k->refused[i].reason);
    if (s->format == FORMAT_JSON) {
        session_json(s, json_pack("{s:s, s:i, s:i, s:s}", "kernel", k->name, "instructions", (int)count, "loops", (int)k->loop_count, "loop",
                                  k->loops[k->current].why));
        return;
    }
    if (s->format == FORMAT_TEXT)
        str_addf(&s->output, "%s: %s, %zu instructions%s\n", k->name, k->loops[k->current].why, count,
                 k->loop_count > 1 ? "; kernel list shows the others" : "");
}

static bool take(struct session *s, struct kernel *k)
{
    if (!k)
        return false;
    session_set_kernel(s, k);
    print_loaded(s);
    return true;
}

bool cmd_kernel_load(struct session *s, int argc, char **argv, struct err *err)
{
    struct kernel_options options = {0};
    struct compiler_words compiler = {0};
    const char *file = NULL;

    if (!parse_options(argc, argv, &options, &file, &compiler, err))
        return false;
    if (!file)
        return err_set(err, ERR_USAGE, "name a file", "kernel load has nothing to load");
    /* The bundled kernels can be named as they stand in the source tree from anywhere. */
    char *bundled = access(file, F_OK) != 0 && str_has_prefix(file, "data/") ? file_data_path(file + 5) : NULL;
    bool source = compile_is_source(file), ok = source || !(compiler.count || compiler.program);
    if (!ok)
        err_set(err, ERR_USAGE, "give a .c or .cpp file", "compiler options are for source files, and %s is none", file);
    else if (source)
        ok = take(s, kernel_from_source(bundled ? bundled : file, compiler.program, compiler.flags, compiler.count, &options, err));
    else
        ok = take(s, kernel_load(bundled ? bundled : file, &options, err));
    free(bundled);
    return ok;
}

bool cmd_kernel_paste(struct session *s, int argc, char **argv, struct err *err)
{
    struct kernel_options options = {0};
    const char *file = NULL;
    struct str text = {0};
    char *line = NULL;
    size_t capacity = 0;

    if (!parse_options(argc, argv, &options, &file, NULL, err))
        return false;
    if (file)
        return err_set(err, ERR_USAGE, "kernel load reads files", "\"%s\" is not expected here", file);
    if (!s->input && s->interactive) {
        snprintf(s->paste_command, sizeof s->paste_command, "kernel paste%s%s%s%s", options.syntax == SYNTAX_ATT ? " --syntax att" : "",
                 options.syntax == SYNTAX_INTEL ? " --syntax intel" : "", options.skip_bad ? " --skip-bad" : "",
                 !options.isa_given ? "" : options.isa == ISA_AARCH64 ? " --isa aarch64" : " --isa x86-64");
        s->want_paste = true;
        return true;
    }
    if (!s->input)
        return err_set(err, ERR_USAGE, "paste the text itself into this screen", "there is no input to read from");
    for (ssize_t length; (length = getline(&line, &capacity, s->input)) >= 0;) {
        if (s->input_line)
            ++*s->input_line;
        if (strcmp(line, ".\n") == 0 || strcmp(line, ".") == 0)
            break;
        if (text.length + (size_t)length <= (size_t)32 << 20)   /* the loader says what is too large */
            str_add_bytes(&text, line, (size_t)length);
    }
    free(line);
    bool ok = take(s, kernel_from_text("pasted", str_text(&text), text.length, &options, err));
    str_done(&text);
    return ok;
}

bool cmd_kernel_hex(struct session *s, int argc, char **argv, struct err *err)
{
    struct kernel_options options = {0};
    const char *hex = NULL;

    if (!parse_options(argc, argv, &options, &hex, NULL, err))
        return false;
    if (!hex)
        return err_set(err, ERR_USAGE, "kernel hex 4801d8", "one block of hex digits was expected");
    return take(s, kernel_from_hex_isa(options.isa_given ? options.isa : ISA_X86_64, hex, err));
}

static bool need_kernel(const struct session *s, struct err *err)
{
    return s->kernel || err_set(err, ERR_USAGE, "kernel load FILE, or kernel paste", "no kernel is loaded");
}

bool cmd_kernel_analyze(struct session *s, int argc, char **argv, struct err *err)
{
    char **ids = mem_alloc((size_t)argc * sizeof *ids);
    size_t count = 0, made = 0;
    bool ok = false;

    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--machine") != 0) {
            err_set(err, ERR_USAGE, "kernel analyze [--machine ID]...", "\"%s\" is not expected here", argv[i]);
            goto bad;
        }
        if (!need_value(argc, argv, i, err))
            goto bad;
        ids[count++] = argv[i + 1];
    }
    char **chosen = count ? ids : s->selected;
    count = count ? count : s->selected_count;
    struct analysis **analyses = mem_zero(count, sizeof *analyses);
    if (!need_kernel(s, err))
        goto out;
    for (; made < count; made++) {
        struct machine *m = session_machine(s, chosen[made], err);
        if (!m || !session_fits(s, m, err))
            goto out;
        analyses[made] = analysis_new(s->kernel, m);
    }
    struct report_style style = {s->color, s->ascii, 0};
    if (s->format == FORMAT_TEXT)
        report_text(s->kernel, analyses, count, &style, &s->output);
    else if (s->format == FORMAT_CSV)
        report_csv(analyses, count, &s->output);
    for (size_t i = 0; s->format == FORMAT_JSON && i < count; i++)
        session_json(s, report_json(analyses[i]));
    ok = true;
out:
    for (size_t i = 0; i < made; i++)
        analysis_free(analyses[i]);
    free(analyses);
bad:
    free(ids);
    return ok;
}

static void show_csv(struct session *s, const struct insn *insn, uint32_t line, const char *source)
{
    char number[16] = "";

    if (line)
        snprintf(number, sizeof number, "%u", line);
    str_addf(&s->output, "%u,", insn->line);
    csv_add_field(&s->output, insn->form, false);
    csv_add_field(&s->output, insn->text ? insn->text : "", false);
    csv_add_field(&s->output, number, false);
    csv_add_field(&s->output, source ? source : "", true);
}

bool cmd_kernel_show(struct session *s, int argc, char **argv, struct err *err)
{
    size_t count;

    (void)argc;
    (void)argv;
    if (!need_kernel(s, err))
        return false;
    const struct insn *insns = kernel_insns(s->kernel, &count);
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "line,form,text,source_line,source\n");
    for (size_t i = 0; i < count; i++) {
        const char *source;
        uint32_t line = kernel_source_line(s->kernel, &insns[i], &source);
        if (rows) {
            json_t *row = json_pack("{s:i, s:s, s:s}", "line", (int)insns[i].line, "text", insns[i].text ? insns[i].text : "", "form", insns[i].form);
            if (line)
                json_object_set_new(row, "source_line", json_integer(line));
            if (source)
                json_object_set_new(row, "source", json_string(source));
            json_array_append_new(rows, row);
            continue;
        }
        if (s->format == FORMAT_CSV) {
            show_csv(s, &insns[i], line, source);
            continue;
        }
        if (source && (i == 0 || kernel_source_line(s->kernel, &insns[i - 1], NULL) != line))
            str_addf(&s->output, "%13u: %s\n", line, source + strspn(source, " \t"));
        str_addf(&s->output, "%5u  %-40s %s\n", insns[i].line, insns[i].form, insns[i].text ? insns[i].text : "");
    }
    if (rows)
        session_json(s, json_pack("{s:s, s:o}", "kernel", s->kernel->name, "instructions", rows));
    return true;
}

bool cmd_kernel_list(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argc;
    (void)argv;
    if (!need_kernel(s, err))
        return false;
    json_t *rows = s->format == FORMAT_JSON ? json_array() : NULL;
    if (s->format == FORMAT_CSV)
        str_add(&s->output, "loop,current,instructions,first_line,last_line,why\n");
    for (size_t i = 0; i < s->kernel->loop_count; i++) {
        const struct kernel_loop *loop = &s->kernel->loops[i];
        if (rows)
            json_array_append_new(rows, json_pack("{s:i, s:s, s:i, s:i, s:i}", "loop", (int)i + 1, "why", loop->why, "instructions", (int)loop->count,
                                                  "first_line", (int)loop->first_line, "last_line", (int)loop->last_line));
        else if (s->format == FORMAT_CSV) {
            str_addf(&s->output, "%zu,%d,%zu,%u,%u,", i + 1, i == s->kernel->current, loop->count, loop->first_line, loop->last_line);
            csv_add_field(&s->output, loop->why, true);
        } else
            str_addf(&s->output, "%c%3zu  %4zu instructions  lines %u-%u  %s\n", i == s->kernel->current ? '*' : ' ', i + 1, loop->count,
                     loop->first_line, loop->last_line, loop->why);
    }
    if (rows)
        session_json(s, json_pack("{s:i, s:o}", "current", (int)s->kernel->current + 1, "loops", rows));
    return true;
}

bool cmd_kernel_use(struct session *s, int argc, char **argv, struct err *err)
{
    size_t number;

    if (!need_kernel(s, err))
        return false;
    if (argc != 2)
        return err_set(err, ERR_USAGE, "kernel list shows the numbers", "the number of a loop was expected");
    if (!parse_whole(argv[1], &number, err))
        return false;
    if (number > s->kernel->loop_count)
        return err_set(err, ERR_USAGE, "kernel list shows them", "there are %zu loops, not %zu", s->kernel->loop_count, number);
    s->kernel->current = number - 1;
    s->kernel_measured = NAN;
    print_loaded(s);
    return true;
}

/* A branch to the loop's head; what tests a register keeps it. */
static void add_branch(const struct insn *insn, struct str *out)
{
    const char *operands = strchr(insn->text, ' '), *place = operands ? strrchr(insn->text, ',') : NULL;
    bool relative = false;
    for (unsigned i = 0; i < insn->operand_count; i++)
        relative |= insn->operands[i].kind == OPERAND_RELATIVE;
    if (insn->isa != ISA_AARCH64)
        str_addf(out, "\t%s loop\n", insn->mnemonic);
    else if (!relative)
        str_addf(out, "\t%s\n", insn->text);
    else
        str_addf(out, "\t%s%.*s loop\n", insn->mnemonic, place ? (int)(place - operands + 1) : 0, place ? operands : "");
}

bool cmd_kernel_save(struct session *s, int argc, char **argv, struct err *err)
{
    struct str text = {0};
    size_t count;

    if (!need_kernel(s, err))
        return false;
    if (argc != 2)
        return err_set(err, ERR_USAGE, "kernel save FILE", "one file name was expected");
    const struct insn *insns = kernel_insns(s->kernel, &count);
    if (count == 0)
        return err_set(err, ERR_DATA, "kernel use N takes another loop", "the loop has no instructions");
    bool arm = s->kernel->isa == ISA_AARCH64;
    str_addf(&text, "%s %s\n%sloop:\n", arm ? "//" : "#", s->kernel->loops[s->kernel->current].why, arm ? "" : "\t.intel_syntax noprefix\n");
    for (size_t i = 0; i < count; i++) {
        struct insn again;
        if (!insn_decode_isa(insns[i].isa, insns[i].bytes, insns[i].length, insns[i].offset, true, &again, err))
            BUG("a decoded instruction does not decode");
        if (again.traits & INSN_BRANCH)
            add_branch(&again, &text);
        else
            str_addf(&text, "\t%s\n", again.text);
        insn_done(&again);
    }
    bool ok = file_write(argv[1], text.data, text.length, err);
    str_done(&text);
    return ok;
}
