/* Peers: forms whose times agree in all experiments that both have. A form that no usage explains
 * is compared with forms of this kind that were measured with all saturators. */
#ifndef PORTOLAN_CHART_PEERS_H
#define PORTOLAN_CHART_PEERS_H

#include "chart/guess.h"

struct placer;
struct placing;

/* Returns whether the two forms are peers: their times in isolation and with at least one saturator
 * agree within noise, and none of their common experiments differs. */
bool peers_agree(const struct sights *a, const struct sights *b);
/* Compares a form that no usage explains with its peers. Requests experiments that decide which
 * peer behaves like the form, and gives it that peer's usage. While a peer is measured, the form
 * waits. Returns false if there is no peer. */
bool peers_compare(struct placer *p, struct placing *f);

#endif
