/* Peers: forms whose times agree in all experiments that both have. A form that no usage explains
 * is compared with forms of this kind that were measured with all saturators. */
#ifndef PORTOLAN_CHART_PEERS_H
#define PORTOLAN_CHART_PEERS_H

#include "chart/guess.h"

/* maximum number of peers that are compared at once */
#define PEERS_MOST 64

/* Returns whether the two forms are peers: their times in isolation and with at least one saturator
 * agree within noise, and none of their common experiments differs. */
bool peers_agree(const struct sights *a, const struct sights *b);
/* Returns the experiment of the first of the @n peers @of in which their times differ most. Ignores
 * experiments that @own has. NULL: no times differ by more than noise. */
const struct sight *peers_distinguish(const struct sights *own, const struct sights *const *of,
                                      size_t n);
/* Returns the time of experiment @like in @s; NULL if @s lacks it. */
const struct sight *sights_find(const struct sights *s, const struct sight *like);

#endif
