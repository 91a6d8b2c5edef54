/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/split.h"

#include <math.h>

#define MODEL_OFF 0.1          /* relative uncertainty of a prediction */
/* minimum number of mispredictions per iteration that is a possible cause */
#define MISSES_LEAST 0.003
/* minimum number of new cache lines per iteration, after irregular strides, that is a possible
 * cause */
#define FRESH_LEAST 0.003
/* minimum number of sequential lines per iteration that is a possible cause; a prefetcher hides the
 * cost of fewer lines */
#define STREAMED_LEAST 0.5
/* maximum cycles per misprediction, and per new line, at which a cause can explain the
 * difference */
#define MISS_MOST 100.0
#define LINE_MOST 3000.0
/* maximum cycles per sequential line, which prefetchers load */
#define STREAM_MOST 100.0
/* smallest number of iterations per visit at which a visit's time is used; the time of a shorter
 * visit includes the code before the next visit */
#define TRIP_LEAST 8.0

static struct split refused(struct split s, const char *why)
{
    s.cause = SPLIT_REFUSED;
    s.why = why;
    return s;
}

/* Returns a result without terms, like refused. */
static struct split unsplit(struct split s, const char *why)
{
    s.branch = s.cache = s.rest = (struct split_term){NAN, NAN};
    return refused(s, why);
}

/* Computes the terms from replays. The largest one is the cause. */
static struct split of_replays(struct split s, const struct split_facts *f)
{
    const struct split_replays *r = f->replays;
    /* This is the uncertainty of the mean, not of one block. */
    double live_off = fmax((f->high - f->low) / 4, 0);

    s.cache = (struct split_term){r->live - r->warm, live_off + r->warm_off};
    s.branch = (struct split_term){r->warm - r->trained, r->warm_off + r->trained_off};
    /* Replays begin with an untrained predictor. If they take longer than the program, the
     * program's predictor was better trained. The difference between the program and trained
     * replays is then the sum of both terms. */
    if (s.cache.cycles < 0 && f->fresh < FRESH_LEAST && f->streamed < STREAMED_LEAST) {
        s.cache.cycles = 0;
        s.branch = (struct split_term){r->live - r->trained, live_off + r->trained_off};
    } else if (s.cache.cycles < -s.cache.off && isnan(f->fresh))
        return unsplit(s, "replays take longer than the program, and too few iterations were "
                          "recorded to find the cause");
    else if (s.cache.cycles < -s.cache.off)
        return unsplit(s, "replays take longer than the program, because the program's branch "
                          "predictor was better trained, and loads reach lines not used recently");
    if (s.cache.cycles - s.cache.off > f->fresh * LINE_MOST + f->streamed * STREAM_MOST)
        return unsplit(s, "replays are faster than the program by more than the new lines of loads "
                          "can cost");
    s.rest = (struct split_term){r->trained - f->predicted - f->besides,
                                 r->trained_off + MODEL_OFF * f->predicted + f->extra};
    s.off = live_off + MODEL_OFF * f->predicted + f->extra;
    s.cause = s.branch.cycles >= s.cache.cycles && s.branch.cycles >= s.rest.cycles ? SPLIT_BRANCH
              : s.cache.cycles >= s.rest.cycles                                     ? SPLIT_CACHE
                                                                                    : SPLIT_REST;
    const struct split_term *largest = s.cause == SPLIT_BRANCH  ? &s.branch
                                       : s.cause == SPLIT_CACHE ? &s.cache
                                                                : &s.rest;
    return largest->cycles > largest->off ? s
                                          : refused(s, "the times vary by as much as the "
                                                       "difference");
}

struct split split_of(const struct split_facts *f)
{
    struct split s = {.cause = SPLIT_NONE,
                      .missing = f->live - f->predicted,
                      .off = fmax((f->high - f->low) / 2, 0) + MODEL_OFF * f->predicted + f->extra,
                      .branch = {NAN, NAN},
                      .cache = {NAN, NAN},
                      .rest = {NAN, NAN}};

    if (isnan(s.missing))
        return refused(s, isnan(f->live) ? "too few iterations were timed"
                          : isnan(f->missed) ? "too few iterations were recorded"
                                             : "no prediction for this CPU");
    if (f->low - f->predicted <= MODEL_OFF * f->predicted + f->extra)
        return s;
    if (f->unseen)
        return refused(s, "the loop loads from addresses that are not recorded (gather or string "
                          "instruction)");
    if (f->detours && !f->alone && f->trip < TRIP_LEAST)
        return refused(s, "the loop exits through an indirect jump after few iterations, and the "
                          "time includes the return to the timed copy");
    if (f->replays && !(f->calls && !f->alone))
        return of_replays(s, f);
    if (s.off > s.missing / 2)
        return refused(s, f->extra > s.missing / 4
                              ? "the return to the timed copy after the loop's indirect jump costs "
                                "about as much as the difference"
                              : "the times vary by as much as the difference");
    if (f->calls && !f->alone)
        return refused(s, "the time includes functions that the loop calls");
    if (!f->alone && f->trip < TRIP_LEAST)
        return refused(s, "the loop exits after too few iterations, and the time includes the code "
                          "between its executions");
    if (isnan(f->missed) || isnan(f->fresh))
        return refused(s, "too few iterations were recorded");
    bool branch = f->missed >= MISSES_LEAST,
         cache = f->fresh >= FRESH_LEAST || f->streamed >= STREAMED_LEAST;
    if (branch && cache)
        return refused(s, "branches are mispredicted, and loads reach lines not used recently: "
                          "their overlap depends on their order");
    if (!f->alone && !branch && !cache)
        return refused(s, "the time includes the code between short executions of the loop");
    if (branch && f->missed * MISS_MOST < s.missing)
        return refused(s, "the unexplained cycles exceed the cost of mispredictions");
    if (cache && (f->fresh + f->streamed) * LINE_MOST < s.missing)
        return refused(s, "the unexplained cycles exceed the cost of new cache lines");
    s.cause = branch ? SPLIT_BRANCH : cache ? SPLIT_CACHE : SPLIT_REST;
    return s;
}
