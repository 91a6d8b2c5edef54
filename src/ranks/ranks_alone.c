/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implementation without MPI: a single process. */
#include "ranks/ranks.h"

bool ranks_begin(int *argc, char ***argv, struct err *err)
{
    return true;
}

void ranks_end(void)
{
}

bool ranks_launched(void)
{
    return false;
}

unsigned ranks_count(void)
{
    return 1;
}

unsigned ranks_index(void)
{
    return 0;
}

unsigned ranks_share(unsigned processors)
{
    return processors;
}

void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes)
{
}

size_t ranks_unsent(unsigned to)
{
    return 0;
}

bool ranks_receive(double seconds, struct rank_message *out)
{
    return false;
}

void rank_message_done(struct rank_message *m)
{
    str_done(&m->bytes);
}

bool ranks_claim(void)
{
    return false;
}

void ranks_release(void)
{
}
