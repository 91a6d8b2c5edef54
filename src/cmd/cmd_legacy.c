/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that read their words themselves and print: each row goes when its command gets a record of parameters beside its code. */
#include "cmd/command.h"

