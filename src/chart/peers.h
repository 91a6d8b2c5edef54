/* Peers: forms whose times agree in all experiments that both have. A form whose times no usage
 * explains is compared with peers that were measured with all saturators. */
#ifndef PORTOLAN_CHART_PEERS_H
#define PORTOLAN_CHART_PEERS_H

#include "chart/guess.h"

struct placer;
struct placing;

/* Compares a form whose times no usage explains with its peers. Requests experiments that decide
 * which peer behaves like the form, and gives the form that peer's usage. While a peer is measured,
 * the form waits. Returns false if there is no peer. */
bool peers_compare(struct placer *p, struct placing *f);

#endif
