/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that read their words themselves and print: each row goes when its command gets a record of parameters beside its code. */
#include "cmd/command.h"

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
