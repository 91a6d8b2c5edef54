/* 1 / |Q| for every set Q of up to PROBLEM_PORTS_MAX ports, 0 for the empty one. */
#ifndef PORTOLAN_INFER_SCORE_RECIPROCAL_H
#define PORTOLAN_INFER_SCORE_RECIPROCAL_H

#include "infer/problem.h"

extern _Alignas(64) const float score_reciprocal[1 << PROBLEM_PORTS_MAX];

#endif
