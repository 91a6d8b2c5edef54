/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/paper/nalu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

#define LEAST 1e-7          /* value added to the argument of a logarithm to avoid log(0) */
#define STARTS 6
#define STEPS 3000
#define RATE 0.2            /* initial learning rate; it falls to a hundredth of this value */
#define DECAY_FIRST 0.9     /* decay of the running means of Adam (Kingma and Ba 2015) */
#define DECAY_SECOND 0.999
#define SMALL 1e-8
#define FOLDS 4
#define SEED 62

/* Parameters of a cell; each array has one number per input */
struct nalu_cell { const double *a, *b, *g; };

/* Intermediate values in the computation of one cell */
struct passed { double sum, product, gate, value; };

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double weight(const struct nalu_cell *c, size_t k)
{
    return tanh(c->a[k]) * logistic(c->b[k]);
}

/* Returns cell @i of a layer whose parameters start at @from. */
static struct nalu_cell cell_at(const double *from, size_t width, size_t cells, size_t i)
{
    return (struct nalu_cell){from + i * width, from + (cells + i) * width,
                              from + (2 * cells + i) * width};
}

static struct passed pass(const struct nalu_cell *c, const double *x, size_t width)
{
    struct passed p = {0};
    double power = 0, gate = 0;

    for (size_t k = 0; k < width; k++) {
        double w = weight(c, k);
        p.sum += w * x[k];
        power += w * log(fabs(x[k]) + LEAST);
        gate += c->g[k] * x[k];
    }
    p.product = exp(power);
    p.gate = logistic(gate);
    p.value = p.gate * p.sum + (1 - p.gate) * p.product;
    return p;
}

/* Adds @by times the derivatives of the cell's value to @to (with respect to the parameters) and to
 * @inputs (with respect to the inputs; may be NULL). */
static void pass_back(const struct nalu_cell *c, const double *x, size_t width, size_t cells,
                      const struct passed *p, double by, double *to, double *inputs)
{
    double gate = (p->sum - p->product) * p->gate * (1 - p->gate);

    for (size_t k = 0; k < width; k++) {
        double t = tanh(c->a[k]), s = logistic(c->b[k]), size = fabs(x[k]) + LEAST,
               by_weight = p->gate * x[k] + (1 - p->gate) * p->product * log(size);
        to[k] += by * by_weight * (1 - t * t) * s;
        to[cells * width + k] += by * by_weight * t * s * (1 - s);
        to[2 * cells * width + k] += by * gate * x[k];
        if (inputs)
            inputs[k] += by * (p->gate * t * s +
                               (1 - p->gate) * p->product * t * s * (x[k] < 0 ? -1 : 1) / size +
                               gate * c->g[k]);
    }
}

size_t nalu_parameter_count(const struct nalu *n)
{
    return 3 * n->hidden * (n->inputs + 1);
}

/* Returns the values of the output cell at @inputs. Also stores the scaled inputs in @x, the
 * intermediate values of the first layer in @hidden, and its results in @values. */
static struct passed forward(const struct nalu *n, const double *inputs, double x[INPUTS_MAX],
                             struct passed hidden[NALU_HIDDEN], double values[NALU_HIDDEN])
{
    for (size_t k = 0; k < n->inputs; k++)
        x[k] = inputs[k] / n->input_scale[k];
    for (size_t i = 0; i < n->hidden; i++) {
        struct nalu_cell c = cell_at(n->parameters, n->inputs, n->hidden, i);
        hidden[i] = pass(&c, x, n->inputs);
        values[i] = hidden[i].value;
    }
    struct nalu_cell last = cell_at(n->parameters + 3 * n->hidden * n->inputs, n->hidden, 1, 0);
    return pass(&last, values, n->hidden);
}

double nalu_value(const struct nalu *n, const double *inputs)
{
    double x[INPUTS_MAX], values[NALU_HIDDEN];
    struct passed hidden[NALU_HIDDEN];
    return n->scale * forward(n, inputs, x, hidden, values).value;
}

double nalu_loss(const struct nalu *n, const struct fit_data *data, double *gradient)
{
    const double *second = n->parameters + 3 * n->hidden * n->inputs;
    double x[INPUTS_MAX], values[NALU_HIDDEN], back[NALU_HIDDEN], loss = 0;
    struct passed hidden[NALU_HIDDEN];

    if (gradient)
        memset(gradient, 0, nalu_parameter_count(n) * sizeof *gradient);
    for (size_t r = 0; r < data->run_count; r++) {
        struct passed out = forward(n, data->inputs + r * data->input_count, x, hidden, values);
        double factor = n->scale / fmax(fabs(data->values[r]), 1e-3 * n->scale),
               error = (out.value - data->values[r] / n->scale) * factor;
        loss += error * error / (double)data->run_count;
        if (!gradient)
            continue;
        struct nalu_cell last = cell_at(second, n->hidden, 1, 0);
        memset(back, 0, sizeof back);
        pass_back(&last, values, n->hidden, 1, &out, 2 * error * factor / (double)data->run_count,
                  gradient + 3 * n->hidden * n->inputs, back);
        for (size_t i = 0; i < n->hidden; i++) {
            struct nalu_cell c = cell_at(n->parameters, n->inputs, n->hidden, i);
            pass_back(&c, x, n->inputs, n->hidden, &hidden[i], back[i], gradient + i * n->inputs,
                      NULL);
        }
    }
    return loss;
}

/* Performs gradient descent from the parameters in @n. Stores the best parameters in @n. Returns
 * their loss. */
static double descend(struct nalu *n, const struct fit_data *data)
{
    double gradient[NALU_PARAMETERS], first[NALU_PARAMETERS] = {0}, second[NALU_PARAMETERS] = {0},
                                      least = INFINITY, decay1 = 1, decay2 = 1;
    size_t count = nalu_parameter_count(n);
    struct nalu best = *n;

    for (unsigned step = 0; step < STEPS; step++) {
        double loss = nalu_loss(n, data, gradient), rate = RATE * pow(0.01, (double)step / STEPS);
        if (!isfinite(loss))
            break;
        if (loss < least) {
            least = loss;
            best = *n;
        }
        decay1 *= DECAY_FIRST;
        decay2 *= DECAY_SECOND;
        for (size_t i = 0; i < count; i++) {
            first[i] = DECAY_FIRST * first[i] + (1 - DECAY_FIRST) * gradient[i];
            second[i] = DECAY_SECOND * second[i] + (1 - DECAY_SECOND) * gradient[i] * gradient[i];
            n->parameters[i] -=
                rate * first[i] / (1 - decay1) / (sqrt(second[i] / (1 - decay2)) + SMALL);
        }
    }
    *n = best;
    return least;
}

static void train(const struct fit_data *data, struct nalu *out)
{
    double least = INFINITY;
    struct rng rng;

    *out = (struct nalu){.inputs = data->input_count, .hidden = NALU_HIDDEN};
    for (size_t r = 0; r < data->run_count; r++) {
        out->scale = fmax(out->scale, fabs(data->values[r]));
        for (size_t k = 0; k < data->input_count; k++)
            out->input_scale[k] =
                fmax(out->input_scale[k], fabs(data->inputs[r * data->input_count + k]));
    }
    out->scale += out->scale == 0;
    for (size_t k = 0; k < data->input_count; k++)
        out->input_scale[k] += out->input_scale[k] == 0;
    rng_seed(&rng, SEED);
    for (unsigned start = 0; start < STARTS; start++) {
        struct nalu one = *out;
        for (size_t i = 0; i < nalu_parameter_count(&one); i++)
            one.parameters[i] = 2 * rng_unit(&rng) - 1;
        double loss = descend(&one, data);
        if (loss < least) {
            least = loss;
            memcpy(out->parameters, one.parameters, sizeof one.parameters);
        }
    }
}

/* Returns the index of the fold in which a run is held out. If the runs are all combinations of
 * input values, each value occurs in all folds. */
static size_t fold_of(size_t run)
{
    return (run + run / FOLDS) % FOLDS;
}

double nalu_fit(const struct fit_data *data, struct nalu *out)
{
    size_t width = data->input_count;
    double *inputs = mem_alloc(data->run_count * width * sizeof *inputs),
           *values = mem_alloc(data->run_count * sizeof *values), sum = 0, most = 0;

    for (size_t r = 0; r < data->run_count; r++)
        most = fmax(most, fabs(data->values[r]));
    for (size_t fold = 0; fold < FOLDS && data->run_count >= FOLDS; fold++) {
        size_t n = 0;
        for (size_t r = 0; r < data->run_count; r++)
            if (fold_of(r) != fold) {
                memcpy(inputs + n * width, data->inputs + r * width, width * sizeof *inputs);
                values[n++] = data->values[r];
            }
        train(&(struct fit_data){inputs, width, n, values}, out);
        for (size_t r = 0; r < data->run_count; r++)
            if (fold_of(r) == fold)
                sum += fabs(nalu_value(out, data->inputs + r * width) - data->values[r]) /
                       fmax(fabs(data->values[r]), 1e-3 * most);
    }
    train(data, out);
    free(inputs);
    free(values);
    return data->run_count >= FOLDS ? sum / (double)data->run_count : NAN;
}
