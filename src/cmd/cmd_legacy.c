/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that read their words themselves and print: each row goes when its command gets a record of parameters beside its code. */
#include "cmd/command.h"

const struct command command_kernel_load = {.name = "kernel load", .help = "load assembler text, a listing or an ELF file, or compile C, and find its loops", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_load,
    .usage = "FILE [--symbol S] [--syntax att|intel] [--isa x86-64|aarch64] [--lines A-B] [--loop N] [--skip-bad] [--compiler CC] [-O3 -march=native ...]"};
const struct command command_kernel_paste = {.name = "kernel paste", .help = "read a kernel from the input until a line with a single dot", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_paste,
    .usage = "[--syntax att|intel] [--isa x86-64|aarch64] [--skip-bad]"};
const struct command command_kernel_hex = {.name = "kernel hex", .help = "load a block of machine code", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_hex,
    .usage = "BYTES [--isa x86-64|aarch64]"};
const struct command command_kernel_analyze = {.name = "kernel analyze", .help = "bounds, bottleneck and pressure table, several machines side by side", .flags = 0, .run_words = cmd_kernel_analyze,
    .usage = "[--machine ID]..."};
const struct command command_kernel_simulate = {.name = "kernel simulate", .help = "run the loop cycle by cycle until its state repeats, with a timeline", .flags = 0, .run_words = cmd_kernel_simulate,
    .usage = "[--machine ID]... [--iterations N]"};
const struct command command_kernel_whatif = {.name = "kernel whatif", .help = "the loop on a machine with a fact, usage:FORM or latency:FORM changed, or one swept (A..B)", .flags = 0, .run_words = cmd_kernel_whatif,
    .usage = "CHANGE... [--machine ID]"};
const struct command command_kernel_evaluate = {.name = "kernel evaluate", .help = "accuracy on a CSV of measured blocks, hex,cycles", .flags = 0, .run_words = cmd_kernel_evaluate,
    .usage = "FILE [--machine ID] [--model bounds|simulate] [--measured-by bhive|portolan] [--arch NAME] [--threads N] [--blocks FILE]"};
const struct command command_kernel_show = {.name = "kernel show", .help = "the instructions with their forms", .flags = 0, .run_words = cmd_kernel_show,
    .usage = ""};
const struct command command_kernel_list = {.name = "kernel list", .help = "the loops found", .flags = 0, .run_words = cmd_kernel_list,
    .usage = ""};
const struct command command_kernel_use = {.name = "kernel use", .help = "take another loop of the list", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_use,
    .usage = "N"};
const struct command command_kernel_report = {.name = "kernel report", .help = "the analysis as a document that stands alone", .flags = 0, .run_words = cmd_kernel_report,
    .usage = "FILE.html|FILE.md [--machine ID]..."};
const struct command command_kernel_save = {.name = "kernel save", .help = "write the current loop as assembler text (x86-64: Intel syntax)", .flags = 0, .run_words = cmd_kernel_save,
    .usage = "FILE"};
const struct command command_kernel_measure = {.name = "kernel measure", .help = "cycles per iteration of the loaded kernel on this CPU, or of every block of a file", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_measure,
    .usage = "[--file CSV [--out CSV]]"};
const struct command command_kernel_learn = {.name = "kernel learn", .help = "port usage and latency of forms that the machine does not know, measured beside those it knows", .flags = COMMAND_CHANGES, .run_words = cmd_kernel_learn,
    .usage = "[FORM...] [--simulate ID]"};
