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

typedef struct noting {
    int *at, count;
} noting;

static void note_row(void *user, int row, double value)
{
    noting *list = user;
    (void)value;
    note(list->at, &list->count, row);
}

static void note_column(void *user, int row, int column, double value)
{
    note_row(user, row, value);
    note_row(user, column, value);
}

int ac_speed_coordinates(const ac_discrete *d, int control, int *at)
{
    const ac_input *input = &d->inputs[control];
    noting list = {at, 0};
    if (input->scalar >= 0) {
        list.count = d->scalars.list[input->scalar].count;
        memcpy(at, ac_scalar_coordinates(&d->scalars, input->scalar), (size_t)list.count * sizeof *at);
        return list.count;
    }
    ac_input_force(d, AC_AT_TIME_NODE, control, d->system->initial.q, note_row, &list);
    ac_input_slopes(d, AC_AT_TIME_NODE, control, d->system->initial.q, note_column, &list);
    return list.count;
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

/* Speed of a control that is no joint coordinate: (B(a) + B(b))/2 . delta / h with delta = b - a. At one end x:
 * phi(x, delta) = B(x) . delta / (2 h), with derivatives by x and by delta = b - a. */
typedef struct end_of_speed {
    const int *at;
    int n, side, stride;
    const double *delta; /* of all coordinates */
    double factor;       /* 1 / 2h */
    double value, *g, *H;
} end_of_speed;

/* By delta: to b with its sign, to a with the opposite one. */
static void add_force(void *user, int row, double value)
{
    end_of_speed *s = user;
    int i = find(s->at, s->n, row);
    s->value += s->factor * value * s->delta[row];
    s->g[i] -= s->factor * value;
    s->g[s->n + i] += s->factor * value;
}

static void put(const end_of_speed *s, int i, int j, double value)
{
    s->H[i * s->stride + j] += value;
    s->H[j * s->stride + i] += value;
}

/* By x and delta, and the gradient by x. */
static void add_slope(void *user, int row, int column, double value)
{
    end_of_speed *s = user;
    int i = find(s->at, s->n, row), j = s->side * s->n + find(s->at, s->n, column);
    s->g[j] += s->factor * value * s->delta[row];
    put(s, j, i, -s->factor * value);
    put(s, j, s->n + i, s->factor * value);
}

/* Twice by x; each pair comes once. */
static void add_bend(void *user, int row, int column, double value)
{
    end_of_speed *s = user;
    int i = s->side * s->n + find(s->at, s->n, row), j = s->side * s->n + find(s->at, s->n, column);
    put(s, i, j, (i == j ? 0.5 : 1.0) * s->factor * value);
}

double ac_speed_evaluate(const ac_discrete *d, int control, const int *at, int n, const double *a,
                         const double *b, double h, double *g, double *H, int stride)
{
    const ac_input *input = &d->inputs[control];
    double value = 0.0;
    memset(g, 0, (size_t)(2 * n + 1) * sizeof *g);
    for (int i = 0; i <= 2 * n; ++i) memset(H + i * stride, 0, (size_t)(2 * n + 1) * sizeof *H);
    if (input->scalar >= 0) {
        value = joint_speed(d, input, n, a, b, h, g, H, stride);
    } else {
        double *delta = d->common; /* workspace */
        for (int i = 0; i < n; ++i) delta[at[i]] = b[at[i]] - a[at[i]];
        for (int side = 0; side < 2; ++side) {
            const double *q = side == 0 ? a : b;
            end_of_speed s = {at, n, side, stride, delta, 0.5 / h, 0.0, g, H};
            ac_input_force(d, AC_AT_TIME_NODE, control, q, add_force, &s);
            ac_input_slopes(d, AC_AT_TIME_NODE, control, q, add_slope, &s);
            ac_input_curvature(d, AC_AT_TIME_NODE, control, q, delta, add_bend, &s);
            value += s.value;
        }
    }
    by_step(2 * n, value, h, g, H, stride);
    return value;
}

/* --- value alone --- */

typedef struct way {
    const double *a, *b;
    double sum;
} way;

static void add_way(void *user, int row, double value)
{
    way *w = user;
    w->sum += value * (w->b[row] - w->a[row]);
}

double ac_speed_way(const ac_discrete *d, int control, const double *a, const double *b)
{
    const ac_input *input = &d->inputs[control];
    if (input->scalar >= 0) {
        double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX];
        double before = ac_scalar_evaluate(&d->scalars, input->scalar, a, 0.0, g, H);
        return input->sign * (ac_scalar_evaluate(&d->scalars, input->scalar, b, before, g, H) - before);
    }
    way w = {a, b, 0.0};
    ac_input_force(d, AC_AT_TIME_NODE, control, a, add_way, &w);
    ac_input_force(d, AC_AT_TIME_NODE, control, b, add_way, &w);
    return 0.5 * w.sum;
}

/* --- by numbers --- */

double ac_speed_by_numbers(const ac_discrete *d, int control, const double *a, const double *b, double h,
                           const ac_varying *v, const double *slopes)
{
    const ac_input *input = &d->inputs[control];
    double sum = 0.0, before;
    if (input->scalar >= 0) {
        double by_a = ac_scalar_by_numbers(&d->scalars, input->scalar, a, 0.0, v, slopes, &before);
        double by_b = ac_scalar_by_numbers(&d->scalars, input->scalar, b, before, v, slopes, NULL);
        return input->sign * (by_b - by_a) / h;
    }
    for (int e = v->input[control]; e < v->input[control + 1]; ++e) {
        const ac_number_key *key = &v->keys[e];
        sum += 0.5 * slopes[e] * (ac_number_monomial(key, a) + ac_number_monomial(key, b)) *
               (b[key->row] - a[key->row]) / h;
    }
    return sum;
}
