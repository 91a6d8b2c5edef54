/* Usages that the experiments of a chart do not tell apart, and the experiments that would: beside every form whose usage is known, not the core's alone. Kept in a file from
 * one program to the next. */
#ifndef PORTOLAN_CHART_AMBIGUITIES_H
#define PORTOLAN_CHART_AMBIGUITIES_H

#include "chart/chart.h"

/* Fills c->checks, c->doubts, and of each form the experiment that would tell its most likely other usage (settle, rival); the confidence of a form falls to the share of its usage among
 * those. What no experiment tells is the same to all who use the machine, and no doubt. */
void ambiguities_find(struct chart *c);

/* Appends what is not known of @f to its source: ", not observable: ...", ", not tested against ...". */
void ambiguities_note(const struct chart *c, const struct chart_form *f, struct str *out);
/* Appends ", not tested against p12" to a source; nothing without ports. What a source says of them; 0: nothing. */
void untested_print(portset ports, const struct ports *names, struct str *out);
portset untested_parse(const char *source, const struct ports *names);
/* Why ports do not show beside the core, and whether anything tells. */
const char *ambiguities_hidden_reason(const struct chart_form *f);

/* The same by names, as a file has it. */
struct ambiguity {
    char *form;
    struct usage usage;           /* the other one, over the machine's ports */
    unsigned slots;
    double weight;
    struct experiment experiment;
};
/* Whether @d only measures the form beside ports that it was not tested against: its usage is that of @entry, the form's. */
bool ambiguity_is_check(const struct ambiguity *d, const struct mapping_entry *entry);

struct ambiguities {
    VEC(struct ambiguity) list;       /* those of a form together */
    double noise;                 /* relative, of a time beside what the right usage says */
    bool late;                    /* such a time may be late (chart/residual.h) */
    char *simulated;              /* machine that was charted; "": a real CPU */
};

/* In the order of c->doubts; @checks: with c->checks among them. */
void ambiguities_of_chart(const struct chart *c, const char *simulated, bool checks, struct ambiguities *out);
/* Both whole or not at all, false with err. A file of no doubts can be read. @ports: of the machine. */
bool ambiguities_save(const struct ambiguities *d, const struct ports *ports, const char *path, struct err *err);
bool ambiguities_load(const char *path, const struct ports *ports, struct ambiguities *out, struct err *err);
void doubt_done(struct ambiguity *d);
void ambiguities_done(struct ambiguities *d);

#endif
