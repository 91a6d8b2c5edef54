/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that read their words themselves and print: each row goes when its command gets a record of parameters beside its code. */
#include "cmd/command.h"

const struct command command_forms_list = {.name = "forms list", .help = "instruction forms with templates, and why one cannot be measured here", .flags = 0, .run_words = cmd_forms_list,
    .usage = "[PATTERN] [--isa x86-64|aarch64]"};
const struct command command_forms_add = {.name = "forms add", .help = "add instruction forms of your own: form,template,extension", .flags = COMMAND_CHANGES, .run_words = cmd_forms_add,
    .usage = "FILE.csv"};
const struct command command_forms_select = {.name = "forms select", .help = "which forms experiments are made of; without a pattern: what is selected", .flags = COMMAND_CHANGES, .run_words = cmd_forms_select,
    .usage = "[PATTERN]..."};
const struct command command_forms_scan = {.name = "forms scan", .help = "the forms that ELF files use, how many a machine knows, and which are missing", .flags = 0, .run_words = cmd_forms_scan,
    .usage = "BINARY..."};
const struct command command_evolve_start = {.name = "evolve start", .help = "infer a port mapping from the experiments, in the background", .flags = COMMAND_CHANGES, .run_words = cmd_evolve_start,
    .usage = "[--ports N|NAMES|auto] [--algorithm memetic|pmevo] [--seconds T] [--generations G] [--seed S] [--population P] [--threads N] " "[--issue-width W|auto] [--price-scale X|auto] [--uop-price X] [--volume-price X] [--usage-price X] [--volume-weight W] [--from ID] [--continue] " "[--checkpoint FILE|none] [--tolerant] [--active] [--simulate ID] [--most N] [--size K] [--by-chance]"};
const struct command command_evolve_status = {.name = "evolve status", .help = "how far the runs are", .flags = 0, .run_words = cmd_evolve_status,
    .usage = ""};
const struct command command_evolve_pause = {.name = "evolve pause", .help = "let the run rest", .flags = 0, .run_words = cmd_evolve_pause,
    .usage = ""};
const struct command command_evolve_resume = {.name = "evolve resume", .help = "go on, or go on from a checkpoint", .flags = COMMAND_CHANGES, .run_words = cmd_evolve_resume,
    .usage = "[CHECKPOINT]"};
const struct command command_evolve_stop = {.name = "evolve stop", .help = "end the run with what it has", .flags = 0, .run_words = cmd_evolve_stop,
    .usage = ""};
const struct command command_evolve_wait = {.name = "evolve wait", .help = "wait for the run's end; on the screen only what follows waits", .flags = 0, .run_words = cmd_evolve_wait,
    .usage = ""};
const struct command command_evolve_set = {.name = "evolve set", .help = "change what the run was started with", .flags = 0, .run_words = cmd_evolve_set,
    .usage = "seconds|generations|uop-price|volume-price|usage-price|volume-weight VALUE"};
const struct command command_evolve_adopt = {.name = "evolve adopt", .help = "make the best mapping the current machine, called evolved", .flags = COMMAND_CHANGES, .run_words = cmd_evolve_adopt,
    .usage = ""};
const struct command command_view = {.name = "view", .help = "show another view; in batch it is printed", .flags = 0, .run_words = cmd_view,
    .usage = "kernel|timeline|whatif|experiments|evolution|mapping|accuracy|machine|output|log|help|next|previous"};
const struct command command_find = {.name = "find", .help = "search in the view", .flags = COMMAND_RAW, .run_words = cmd_view,
    .usage = "TEXT | --next | --previous"};
const struct command command_sort = {.name = "sort", .help = "sort the view's rows; no column: as they come", .flags = COMMAND_RAW, .run_words = cmd_view,
    .usage = "[COLUMN]"};
const struct command command_filter = {.name = "filter", .help = "show only the rows that fit; none: all", .flags = COMMAND_RAW, .run_words = cmd_view,
    .usage = "[EXPRESSION]"};
const struct command command_session_save = {.name = "session save", .help = "write kernel, machines, changes and settings; replaces an older session there", .flags = 0, .run_words = cmd_session_save,
    .usage = "DIRECTORY"};
const struct command command_session_load = {.name = "session load", .help = "take up a saved session", .flags = COMMAND_CHANGES, .run_words = cmd_session_load,
    .usage = "DIRECTORY"};
const struct command command_source = {.name = "source", .help = "run the commands of a file", .flags = COMMAND_CHANGES, .run_words = cmd_source,
    .usage = "FILE"};
const struct command command_quit = {.name = "quit", .help = "leave", .flags = 0, .run_words = cmd_quit,
    .usage = ""};
