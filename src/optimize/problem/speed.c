/* Speeds of controls with exact derivatives. */
#include "optimize/problem/speed.h"

#include <string.h>

static int find(const int *at, int count, int coordinate)
{
    for (int i = 0; i < count; ++i)
        if (at[i] == coordinate) return i;
    return -1;
}

static void note(int *at, int *count, int coordinate)
{
    if (find(at, *count < AC_SCALAR_MAX ? *count : AC_SCALAR_MAX, coordinate) >= 0) return;
    if (*count < AC_SCALAR_MAX) at[*count] = coordinate;
    ++*count;
}

int ac_speed_coordinates(const ac_discrete *d, int control, int *at)
{
    const ac_input *input = &d->inputs[control];
    int count = 0;
    if (input->scalar >= 0) {
        count = d->scalars.list[input->scalar].count;
        memcpy(at, ac_scalar_coordinates(&d->scalars, input->scalar), (size_t)count * sizeof *at);
        return count;
    }
    for (int e = input->first; e < input->first + input->count; ++e) {
        int form = d->entries[e].form;
        note(at, &count, d->entries[e].coordinate);
        for (int t = d->forms.linear_start[form]; t < d->forms.linear_start[form + 1]; ++t)
            note(at, &count, d->forms.linears[t].i);
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            note(at, &count, d->forms.products[t].i);
            note(at, &count, d->forms.products[t].j);
        }
    }
    return count;
}

/* By h: the speed is something without h, divided by it. */
static void by_step(int last, double value, double h, double *g, double *H, int stride)
{
    g[last] = -value / h;
    H[last * stride + last] = 2.0 * value / (h * h);
    for (int i = 0; i < last; ++i) H[i * stride + last] = H[last * stride + i] = -g[i] / h;
}

static double joint_speed(const ac_discrete *d, const ac_input *input, int n, const double *a,
                          const double *b, double h, double *g, double *H, int stride)
{
    double bend[AC_SCALAR_MAX * AC_SCALAR_MAX], y[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        double factor = input->sign * (side == 0 ? -1.0 : 1.0) / h, *own = g + side * n;
        y[side] = ac_scalar_evaluate(&d->scalars, input->scalar, side == 0 ? a : b, y[0], own, bend);
        for (int i = 0; i < n; ++i) {
            own[i] *= factor;
            for (int j = 0; j < n; ++j) H[(side * n + i) * stride + side * n + j] = factor * bend[i * n + j];
        }
    }
    return input->sign * (y[1] - y[0]) / h;
}

/* One push: force f(q), a quadratic map, on coordinate c: (f(a) + f(b))/2 (b_c - a_c)/h */
typedef struct push {
    const ac_discrete *d;
    const int *at;
    int n, c, form, stride;
    double way, h; /* way: b_c - a_c */
    double *g, *H;
} push;

static void add_slope(const push *p, int side, int i, double value)
{
    double half = 0.5 * value / p->h;
    int row = side * p->n + i, a = p->c, b = p->n + p->c;
    p->g[row] += half * p->way;
    p->H[row * p->stride + b] += half;
    p->H[b * p->stride + row] += half;
    p->H[row * p->stride + a] -= half;
    p->H[a * p->stride + row] -= half;
}

static void add_bend(const push *p, int side, int i, int j, double value)
{
    double half = 0.5 * value * p->way / p->h;
    p->H[(side * p->n + i) * p->stride + side * p->n + j] += half;
    p->H[(side * p->n + j) * p->stride + side * p->n + i] += half;
}

static double add_push(const push *p, const double *const q[2])
{
    const ac_forms *forms = &p->d->forms;
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        sum += ac_form_value(forms, p->form, q[side]);
        for (int t = forms->linear_start[p->form]; t < forms->linear_start[p->form + 1]; ++t)
            add_slope(p, side, find(p->at, p->n, forms->linears[t].i), forms->linears[t].b);
        for (int t = forms->product_start[p->form]; t < forms->product_start[p->form + 1]; ++t) {
            const ac_product *e = &forms->products[t];
            int i = find(p->at, p->n, e->i), j = find(p->at, p->n, e->j);
            add_slope(p, side, i, e->a * q[side][e->j]);
            add_slope(p, side, j, e->a * q[side][e->i]);
            add_bend(p, side, i, j, e->a);
        }
    }
    p->g[p->c] -= 0.5 * sum / p->h;
    p->g[p->n + p->c] += 0.5 * sum / p->h;
    return 0.5 * sum * p->way / p->h;
}

double ac_speed_evaluate(const ac_discrete *d, int control, const int *at, int n, const double *a,
                         const double *b, double h, double *g, double *H, int stride)
{
    const ac_input *input = &d->inputs[control];
    const double *q[2] = {a, b};
    double value = 0.0;
    memset(g, 0, (size_t)(2 * n + 1) * sizeof *g);
    for (int i = 0; i <= 2 * n; ++i) memset(H + i * stride, 0, (size_t)(2 * n + 1) * sizeof *H);
    if (input->scalar >= 0) value = joint_speed(d, input, n, a, b, h, g, H, stride);
    for (int e = input->first; input->scalar < 0 && e < input->first + input->count; ++e) {
        int c = d->entries[e].coordinate;
        push p = {d, at, n, find(at, n, c), d->entries[e].form, stride, b[c] - a[c], h, g, H};
        value += add_push(&p, q);
    }
    by_step(2 * n, value, h, g, H, stride);
    return value;
}
