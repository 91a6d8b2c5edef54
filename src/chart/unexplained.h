/* Forms whose measurements no usage explains. */
#ifndef PORTOLAN_CHART_UNEXPLAINED_H
#define PORTOLAN_CHART_UNEXPLAINED_H

#include "chart/chart.h"

/* An unexplained form whose usage contradicts even its time alone by more than @off (relative) takes, in c->machine, the usage that most forms have which are explained and take as long
 * or nearly as long alone, of those with the same operands where there are any, or else of the same kind (memory or not, vectors or not). It stays unexplained. Where there are none it stays as it is. Returns how many changed. */
size_t unexplained_mend(struct chart *c, double off);

#endif
