/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/steps.h"

_Thread_local uint64_t steps_taken;
