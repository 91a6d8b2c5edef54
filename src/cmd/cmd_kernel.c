/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_source.h"
#include "report/report.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/kernel_load.h"
#include "cmd/options.h"
#include "base/csv.h"

static bool need_kernel(const struct session *s, struct err *err)
{
    return s->document.kernel || err_set(err, ERR_USAGE, "kernel load FILE, or kernel paste", "no kernel is loaded");
}

bool cmd_kernel_analyze(struct session *s, int argc, char **argv, struct err *err)
{
    struct option_list machines = {0};
    const struct legacy_option options[] = {{"--machine", OPTION_LIST, &machines}, {NULL, OPTION_FLAG, NULL}};
    size_t words, made = 0;
    bool ok = false;

    if (!options_parse(argc, argv, options, NULL, 0, &words, err) || !need_kernel(s, err))
        return false;
    size_t count = machines.count ? machines.count : s->document.selected_count;
    struct analysis **analyses = mem_zero(count, sizeof *analyses);
    for (; made < count; made++) {
        struct machine *m = session_machine(s, machines.count ? machines.items[made] : s->document.selected[made], err);
        if (!m || !session_fits(s, m, err))
            goto out;
        analyses[made] = analysis_new(s->document.kernel, m);
    }
    struct report_style style = {s->settings.color, s->settings.ascii, 0};
    if (s->settings.format == FORMAT_TEXT)
        report_text(s->document.kernel, analyses, count, &style, &s->output);
    else if (s->settings.format == FORMAT_CSV)
        report_csv(analyses, count, &s->output);
    for (size_t i = 0; s->settings.format == FORMAT_JSON && i < count; i++)
        session_json(s, report_json(analyses[i]));
    ok = true;
out:
    for (size_t i = 0; i < made; i++)
        analysis_free(analyses[i]);
    free(analyses);
    return ok;
}

static json_t *line_json(uint32_t line)
{
    return line ? json_integer(line) : json_null();
}

static void show_csv(struct session *s, const struct insn *insn, uint32_t line, const char *source)
{
    char number[LINE_TEXT];

    str_addf(&s->output, "%s,", insn_line_text(insn->line, number));
    csv_add_field(&s->output, insn->form, false);
    csv_add_field(&s->output, insn->text ? insn->text : "", false);
    csv_add_field(&s->output, insn_line_text(line, number), false);
    csv_add_field(&s->output, source ? source : "", true);
}

bool cmd_kernel_show(struct session *s, int argc, char **argv, struct err *err)
{
    size_t count;
    char number[LINE_TEXT];

    (void)argc;
    (void)argv;
    if (!need_kernel(s, err))
        return false;
    const struct insn *insns = kernel_insns(s->document.kernel, &count);
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "line,form,text,source_line,source\n");
    for (size_t i = 0; i < count; i++) {
        const char *source;
        uint32_t line = kernel_source_line(s->document.kernel, &insns[i], &source);
        if (rows) {
            json_t *row = json_pack("{s:o, s:s, s:s}", "line", line_json(insns[i].line), "text", insns[i].text ? insns[i].text : "", "form", insns[i].form);
            if (line)
                json_object_set_new(row, "source_line", json_integer(line));
            if (source)
                json_object_set_new(row, "source", json_string(source));
            json_array_append_new(rows, row);
            continue;
        }
        if (s->settings.format == FORMAT_CSV) {
            show_csv(s, &insns[i], line, source);
            continue;
        }
        if (source && (i == 0 || kernel_source_line(s->document.kernel, &insns[i - 1], NULL) != line))
            str_addf(&s->output, "%13u: %s\n", line, source + strspn(source, " \t"));
        str_addf(&s->output, "%5s  %-40s %s\n", insn_line_text(insns[i].line, number), insns[i].form, insns[i].text ? insns[i].text : "");
    }
    if (rows)
        session_json(s, json_pack("{s:s, s:o}", "kernel", s->document.kernel->name, "instructions", rows));
    return true;
}

bool cmd_kernel_list(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argc;
    (void)argv;
    if (!need_kernel(s, err))
        return false;
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "loop,current,instructions,first_line,last_line,why\n");
    for (size_t i = 0; i < s->document.kernel->loop_count; i++) {
        const struct kernel_loop *loop = &s->document.kernel->loops[i];
        char first[LINE_TEXT], last[LINE_TEXT];
        if (rows)
            json_array_append_new(rows, json_pack("{s:i, s:s, s:i, s:o, s:o}", "loop", (int)i + 1, "why", loop->why, "instructions", (int)loop->count,
                                                  "first_line", line_json(loop->first_line), "last_line", line_json(loop->last_line)));
        else if (s->settings.format == FORMAT_CSV) {
            str_addf(&s->output, "%zu,%d,%zu,%s,%s,", i + 1, i == s->document.kernel->current, loop->count, insn_line_text(loop->first_line, first),
                     insn_line_text(loop->last_line, last));
            csv_add_field(&s->output, loop->why, true);
        } else {
            str_addf(&s->output, "%c%3zu  %4zu instructions  ", i == s->document.kernel->current ? '*' : ' ', i + 1, loop->count);
            if (loop->first_line)
                str_addf(&s->output, "lines %u-%u  ", loop->first_line, loop->last_line);
            str_addf(&s->output, "%s\n", loop->why);
        }
    }
    if (rows)
        session_json(s, json_pack("{s:i, s:o}", "current", (int)s->document.kernel->current + 1, "loops", rows));
    return true;
}

bool cmd_kernel_use(struct session *s, int argc, char **argv, struct err *err)
{
    size_t number = 0;

    if (!need_kernel(s, err))
        return false;
    if (argc != 2)
        return err_set(err, ERR_USAGE, "kernel list shows the numbers", "the number of a loop was expected");
    if (!options_count(argv[1], &number, err))
        return false;
    if (!number || number > s->document.kernel->loop_count)
        return err_set(err, ERR_USAGE, "kernel list shows them", "there is no loop %zu: they are numbered from 1 to %zu", number, s->document.kernel->loop_count);
    s->document.kernel->current = number - 1;
    s->document.kernel_measured = NAN;
    kernel_print_loaded(s);
    return true;
}

/* A branch to the loop's head; what tests a register keeps it. */
static void add_branch(const struct insn *insn, struct str *out)
{
    const char *operands = strchr(insn->text, ' '), *place = operands ? strrchr(insn->text, ',') : NULL;
    bool relative = false;
    for (unsigned i = 0; i < insn->operand_count; i++)
        relative |= insn->operands[i].kind == OPERAND_RELATIVE;
    if (!relative)
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
    const struct insn *insns = kernel_insns(s->document.kernel, &count);
    if (count == 0)
        return err_set(err, ERR_DATA, "kernel use N takes another loop", "the loop has no instructions");
    const struct isa_ops *isa = isa_ops(s->document.kernel->isa);
    str_addf(&text, "%s %s\n%sloop:\n", isa->comment, s->document.kernel->loops[s->document.kernel->current].why, isa->text_head);
    for (size_t i = 0; i < count; i++) {
        struct insn again;
        if (!insn_decode(insns[i].isa, insns[i].bytes, insns[i].length, insns[i].offset, true, &again, err))
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
