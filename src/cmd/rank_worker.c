/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/rank_worker.h"

#include "work/islands.h"

/* maximum seconds of a wait for a message, after which the wait begins again */
#define WAIT 0.2

void rank_worker_run(void)
{
    struct rank_message m = {0};

    for (bool on = true; on;) {
        if (!ranks_receive(WAIT, &m))
            continue;
        switch (m.kind) {
        case RANK_QUIT:
            on = false;
            break;
        case RANK_EVOLVE:
            islands_serve(&m);
            break;
        case RANK_EVALUATE:
            farm_serve(&m, &kernel_evaluate_farm);
            break;
        case RANK_SCAN:
            farm_serve(&m, &forms_scan_farm);
            break;
        case RANK_SWEEP:
            farm_serve(&m, &program_sweep_farm);
            break;
        default:   /* Ignores a message about work that has already ended. */
            break;
        }
    }
    rank_message_done(&m);
}

void rank_worker_end(void)
{
    struct str nothing = {0};
    for (unsigned rank = 1; rank < ranks_count(); rank++)
        ranks_send(rank, RANK_QUIT, &nothing);
}
