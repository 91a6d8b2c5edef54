/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands for views, which the handler of the views executes. */
#include <string.h>

#include "cmd/action.h"
#include "cmd/command.h"

/* Values of each command in this file: the words after the verb */
struct verb_values {
    const char *text;
};

static bool run_verb(struct session *s, const void *values, struct result *result, struct err *err)
{
    return session_view(s, result_command(result), ((const struct verb_values *)values)->text,
                        result, err);
}

const struct command command_view = {
    .name = "view",
    .help =
        "show a view in its pane, or a place (LOOP, PROGRAM, LAB); in batch mode, print the view",
    .description =
        "In batch mode the variables COLUMNS and LINES set the size (default 120 by 38).",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "NAME", struct verb_values, text), .required = true,
         .complete = COMPLETE_VIEW,
         .help = "name of a view or place, or an unambiguous abbreviation"}),
    .examples = EXAMPLES("view timeline", "view experiments"),
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct verb_values),
    .run = run_verb,
};

const struct command command_pane = {
    .name = "pane",
    .help = "move the keyboard focus to another pane of the place",
    .description = "On a large screen the panes of a place are next to each other; set panes off "
                   "shows only the pane with the focus.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "NAME", struct verb_values, text), .required = true,
         .complete = COMPLETE_VIEW, .help = "next, previous, or a view of the place"}),
    .examples = EXAMPLES("pane next", "pane timeline"),
    .flags = COMMAND_SHOWN,
    .values_size = sizeof(struct verb_values),
    .run = run_verb,
};

const struct command command_find = {
    .name = "find",
    .help = "search in the view",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "TEXT | --next | --previous", struct verb_values, text), .required = true,
         .verbatim = true, .help = "text to search for, or the direction of the next match"}),
    .examples = EXAMPLES("find vfmadd", "find --next"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run_verb,
};

const struct command command_jump = {
    .name = "jump",
    .help = "show the selected form in another view, or go back",
    .description = "From an instruction, an experiment (its first form) or a checked form the jump "
                   "leads to its row in the mapping. From the mapping the jump leads to the "
                   "experiments with the form, or to the lines of the loop. jump swap alternates "
                   "between the inferred mapping and the machine's tables, at the same form. jump "
                   "back and jump forward follow the history of jumps and views.",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "WHERE", struct verb_values, text),
         .choices = "back|forward|mapping|experiments|kernel|swap",
         .fallback = "the mapping, or the experiments if the view is mapping",
         .help = "view in which to show the selected form, or direction in the history of jumps"}),
    .examples = EXAMPLES("jump", "jump kernel", "jump back"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_SILENT,
    .run = run_verb,
};

const struct command command_sort = {
    .name = "sort",
    .help = "sort the rows of the view",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "COLUMN", struct verb_values, text), .fallback = "original order",
         .complete = COMPLETE_SORT,
         .help = "columns to sort by, at most four, the most important first; -COLUMN for "
                 "descending order"}),
    .examples = EXAMPLES("sort error", "sort -cycles", "sort state -error", "sort"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run_verb,
};

const struct command command_filter = {
    .name = "filter",
    .help = "show only the rows that match",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "EXPRESSION", struct verb_values, text), .fallback = "show all rows",
         .complete = COMPLETE_FILTER,
         .help = "conditions on columns, joined by & and |, such as cycles>2 & form~VADD | "
                 "error>40%, or words to find in any column; quotes make text literal"}),
    .examples = EXAMPLES("filter cycles>2 & form~VADD", "filter error>40% | error<-40%", "filter"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_RAW | COMMAND_SHOWN,
    .run = run_verb,
};

/* Command `do`: performs an action that keys are bound to in the displayed view. */

#define ACTION_WORD(value, name) name,
static const char *const words[] = {ACTIONS(ACTION_WORD)};

enum action action_find(const char *name)
{
    enum action a = 0;

    while (a < ACTION_COUNT && strcmp(words[a], name) != 0)
        a++;
    return a;
}

const struct command command_do = {
    .name = "do",
    .help = "move in the view, or run another action of its keys",
    .arguments = PARAMETERS(
        {PARAMETER(CHOICE, "ACTION", struct verb_values, text), .required = true,
         .choices = ACTION_CHOICES, .help = "action; keys lists its effect in each view"}),
    .examples = EXAMPLES("do page-down", "do sort-next"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_SILENT,
    .run = run_verb,
};

const struct command command_prompt = {
    .name = "prompt",
    .help = "open the command prompt",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "TEXT", struct verb_values, text), .fallback = "an empty prompt",
         .verbatim = true,
         .help = "initial text of the prompt; if TEXT is filter, the current filter is appended"}),
    .examples = EXAMPLES("prompt", "prompt kernel load"),
    .values_size = sizeof(struct verb_values),
    .flags = COMMAND_RAW | COMMAND_SILENT,
    .run = run_verb,
};
