/* Numbers with a past: values, tangents, bars and second derivatives of recorded numbers against differences of what is recorded anew;
 * records as expressions and back; names that stand for expressions; a depth that no text would bear. */
#include <stdlib.h>

#include "base/expression.h"
#include "base/number/formula.h"
#include "test.h"

enum { INPUTS = 4, OUTPUTS = 5, STEPS = 60 };

static ac_context *ctx;
static unsigned long state = 20261119;

static double drawn(double low, double high)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
}

/* Numbers in the order of `seed`, each from two earlier ones, by every operation; all of them stay between 0.2 and 5 or so. */
static void build(ac_graph *g, unsigned seed, const ac_num *x, ac_num *y)
{
    ac_num all[INPUTS + STEPS];
    unsigned dice = seed;
    for (int k = 0; k < INPUTS; ++k) all[k] = x[k];
    for (int k = INPUTS; k < INPUTS + STEPS; ++k) {
        dice = dice * 1103515245u + 12345u;
        const ac_num a = all[(dice >> 16) % (unsigned)k], b = all[(dice >> 8) % (unsigned)k],
                     one = ac_num_of(1.0);
        const ac_num s = ac_num_add(g, ac_num_unary(g, OP_SIN, a), ac_num_of(1.5));
        const operation unary[] = {OP_COS, OP_ATAN, OP_TANH, OP_SINH, OP_COSH, OP_EXP, OP_LOG, OP_SQRT};
        switch ((dice >> 20) % 7) {
        case 0: all[k] = ac_num_multiply(g, s, ac_num_unary(g, OP_TANH, b)); break;
        case 1: all[k] = ac_num_divide(g, s, ac_num_add(g, one, ac_num_multiply(g, b, b))); break;
        case 2: all[k] = ac_num_unary(g, unary[(dice >> 24) % 8], s); break;
        case 3: all[k] = ac_num_binary(g, OP_POWER, s, ac_num_unary(g, OP_COS, b)); break;
        case 4: all[k] = ac_num_binary(g, OP_ATAN2, s, ac_num_subtract(g, a, b)); break;
        case 5: all[k] = ac_num_power(g, ac_num_subtract(g, s, b), 2); break;
        default: all[k] = ac_num_scale(g, 0.7, ac_num_unary(g, OP_NEGATE, ac_num_binary(g, OP_MAX, s, b)));
        }
        all[k] = ac_num_unary(g, OP_TANH, all[k]);
    }
    for (int k = 0; k < OUTPUTS; ++k) y[k] = all[INPUTS + STEPS - 1 - k];
}

/* The weighted sum of the outputs by plain arithmetic. */
static double anew(unsigned seed, const double *x, const double *weights)
{
    ac_num in[INPUTS], out[OUTPUTS];
    double sum = 0.0;
    for (int k = 0; k < INPUTS; ++k) in[k] = ac_num_of(x[k]);
    build(NULL, seed, in, out);
    for (int k = 0; k < OUTPUTS; ++k) sum += weights[k] * out[k].v;
    return sum;
}

typedef struct recorded {
    ac_graph *g;
    ac_graph_work w;
    ac_num in[INPUTS], out[OUTPUTS];
} recorded;

static recorded record(unsigned seed)
{
    recorded r = {0};
    CHECK(ac_graph_new(ctx, &r.g) == AC_OK);
    for (int k = 0; k < INPUTS; ++k) r.in[k] = ac_num_input(r.g, 0.5 + 0.1 * k);
    build(r.g, seed, r.in, r.out);
    CHECK(ac_graph_fit(r.g, ctx, &r.w) == AC_OK);
    return r;
}

static void forget(recorded *r)
{
    ac_graph_work_free(&r->w);
    ac_graph_free(r->g);
}

static void weigh(recorded *r, const double *weights)
{
    ac_graph_clear(r->g, &r->w);
    for (int k = 0; k < OUTPUTS; ++k) r->w.bar[r->out[k].node] += weights[k];
}

/* Evaluated elsewhere, a record has the bits of arithmetic there. */
TEST(values_are_those_of_plain_arithmetic)
{
    for (unsigned seed = 1; seed < 200; ++seed) {
        recorded r = record(seed);
        double x[INPUTS], weights[OUTPUTS], sum = 0.0;
        for (int k = 0; k < INPUTS; ++k) x[k] = drawn(0.2, 1.5);
        for (int k = 0; k < OUTPUTS; ++k) weights[k] = drawn(-1.0, 1.0);
        ac_graph_evaluate(r.g, &r.w, x);
        for (int k = 0; k < OUTPUTS; ++k)
            sum += weights[k] * (r.out[k].node ? r.w.v[r.out[k].node] : r.out[k].v);
        CHECK(sum == anew(seed, x, weights));
        forget(&r);
    }
}

TEST(tangents_and_bars_agree_with_differences)
{
    int wrong = 0;
    for (unsigned seed = 1; seed < 100; ++seed) {
        recorded r = record(seed);
        double x[INPUTS], dx[INPUTS], weights[OUTPUTS], bar[INPUTS], along = 0.0, sum = 0.0, moved[INPUTS];
        const double h = 1e-3;
        for (int k = 0; k < INPUTS; ++k) x[k] = drawn(0.3, 1.4), dx[k] = drawn(-1.0, 1.0);
        for (int k = 0; k < OUTPUTS; ++k) weights[k] = drawn(-1.0, 1.0);
        ac_graph_evaluate(r.g, &r.w, x);
        ac_graph_tangent(r.g, &r.w, dx);
        for (int k = 0; k < OUTPUTS; ++k) along += weights[k] * r.w.d[r.out[k].node];
        weigh(&r, weights);
        ac_graph_reverse(r.g, &r.w, bar);
        for (int k = 0; k < INPUTS; ++k) sum += bar[k] * dx[k];
        CHECK_NEAR(sum, along, 1e-12 * (1.0 + fabs(along)));
        double difference = 0.0;
        for (int s = -2; s <= 2; ++s) {
            const double weight[5] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
            for (int k = 0; k < INPUTS; ++k) moved[k] = x[k] + s * h * dx[k];
            difference += weight[s + 2] * anew(seed, moved, weights) / h;
        }
        wrong += fabs(difference - along) > 1e-7 * (1.0 + fabs(along));
        printf("seed %u: %.12g against %.12g\n", seed, along, difference);
        forget(&r);
    }
    CHECK(wrong <= 3); /* where a maximum changes sides within the step, differences are wrong */
}

/* After a tangent: second derivatives of all numbers by each input, against those of the weighted sum. */
static void check_mixed(recorded *r, const double *weights, const double *change)
{
    for (int j = 0; j < INPUTS; ++j) {
        const double e[INPUTS] = {j == 0, j == 1, j == 2, j == 3};
        double sum = 0.0;
        ac_graph_mixed(r->g, &r->w, e);
        for (int k = 0; k < OUTPUTS; ++k) sum += weights[k] * r->w.dbar[r->out[k].node];
        CHECK_NEAR(sum, change[j], 1e-11 * (1.0 + fabs(change[j])));
    }
}

/* The bar at another point, along dx, against the change that `second` gives. */
TEST(second_derivatives_agree_with_differences_of_bars)
{
    int wrong = 0;
    for (unsigned seed = 1; seed < 100; ++seed) {
        recorded r = record(seed);
        double x[INPUTS], dx[INPUTS], weights[OUTPUTS], bar[INPUTS], change[INPUTS], difference[INPUTS] = {0};
        const double h = 1e-3;
        for (int k = 0; k < INPUTS; ++k) x[k] = drawn(0.3, 1.4), dx[k] = drawn(-1.0, 1.0);
        for (int k = 0; k < OUTPUTS; ++k) weights[k] = drawn(-1.0, 1.0);
        for (int s = -2; s <= 2; ++s) {
            const double weight[5] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
            double moved[INPUTS], own[INPUTS];
            for (int k = 0; k < INPUTS; ++k) moved[k] = x[k] + s * h * dx[k];
            ac_graph_evaluate(r.g, &r.w, moved);
            weigh(&r, weights);
            ac_graph_reverse(r.g, &r.w, own);
            for (int k = 0; k < INPUTS; ++k) difference[k] += weight[s + 2] * own[k] / h;
        }
        ac_graph_evaluate(r.g, &r.w, x);
        ac_graph_tangent(r.g, &r.w, dx);
        weigh(&r, weights);
        ac_graph_second(r.g, &r.w, bar, change);
        check_mixed(&r, weights, change);
        for (int k = 0; k < INPUTS; ++k)
            wrong += !(fabs(change[k] - difference[k]) <= 1e-6 * (1.0 + fabs(difference[k])));
        forget(&r);
    }
    CHECK(wrong <= 12); /* entries at which a maximum changes sides within the step */
}

/* Where nothing moves, infinite slopes do no harm; a square has one for negative numbers, too. */
TEST(edges_are_those_of_expressions)
{
    recorded r = {0};
    double x[2] = {0.0, -3.0}, dx[2] = {0.0, 1.0}, bar[2], change[2];
    CHECK(ac_graph_new(ctx, &r.g) == AC_OK);
    ac_num a = ac_num_input(r.g, 0.0), b = ac_num_input(r.g, -3.0);
    ac_num y = ac_num_add(r.g, ac_num_unary(r.g, OP_SQRT, a), ac_num_power(r.g, b, 2));
    CHECK(ac_graph_fit(r.g, ctx, &r.w) == AC_OK);
    ac_graph_evaluate(r.g, &r.w, x);
    ac_graph_tangent(r.g, &r.w, dx);
    CHECK(r.w.v[y.node] == 9.0);
    CHECK(r.w.d[y.node] == -6.0);
    ac_graph_clear(r.g, &r.w);
    r.w.bar[y.node] = 1.0;
    ac_graph_second(r.g, &r.w, bar, change);
    CHECK(bar[1] == -6.0);
    CHECK(change[1] == 2.0);
    CHECK(isinf(bar[0])); /* it has no slope here, and that is said */
    forget(&r);
}

TEST(numbers_without_a_past_leave_no_record)
{
    ac_graph *g;
    CHECK(ac_graph_new(ctx, &g) == AC_OK);
    ac_num a = ac_num_input(g, 2.0), one = ac_num_of(1.0), none = ac_num_of(0.0);
    int count = g->count;
    CHECK(ac_num_multiply(g, ac_num_of(3.0), ac_num_of(4.0)).v == 12.0);
    CHECK(ac_num_add(g, a, none).node == a.node);
    CHECK(ac_num_multiply(g, one, a).node == a.node);
    CHECK(ac_num_scale(g, 0.0, a).node == 0);
    CHECK(g->count == count);
    ac_num_multiply(g, a, a);
    ac_num_input(g, 1.0);
    ac_graph_cut(g, count);
    CHECK(g->count == count && g->inputs == 1);
    bool inputs[1] = {true}, reached[2];
    ac_graph_reach(g, inputs, reached);
    CHECK(reached[a.node] && !reached[0]);
    ac_graph_free(g);
}

/* --- expressions --- */

/* What is used several times stays once: fifty squares of sums, one in the other, are fifty records. */
TEST(records_become_an_expression_that_is_no_longer)
{
    const int order[1] = {0};
    double x = 0.01, gradient, hessian, y = x, by = 1.0;
    ac_expression *e = NULL;
    ac_graph *g;
    CHECK(ac_graph_new(ctx, &g) == AC_OK);
    ac_num a = ac_num_input(g, x), b = a;
    for (int k = 0; k < 50; ++k) {
        b = ac_num_scale(g, 0.4, ac_num_add(g, ac_num_multiply(g, b, b), b));
        by *= 0.4 * (2.0 * y + 1.0);
        y = 0.4 * (y * y + y);
    }
    CHECK(ac_graph_expression(ctx, g, b.node, order, 1, &e) == AC_OK);
    CHECK(ac_expression_value(e, &x) == y);
    ac_expression_derivatives(e, &x, &gradient, &hessian);
    CHECK_NEAR(gradient, by, 1e-14 * by);
    CHECK(ac_expression_has(e, 0));
    const int none[1] = {-1};
    ac_expression *other = NULL;
    CHECK(ac_graph_expression(ctx, g, b.node, none, 1, &other) == AC_BAD_INPUT && !other);
    ac_expression_free(e);
    ac_graph_free(g);
}

/* Two sequences that feed each other for thousands of records: what is no longer needed gives its place to the next. */
TEST(places_of_what_was_used_are_used_again)
{
    const int order[2] = {0, 1};
    const double x[2] = {0.3, 0.4};
    double gradient[2], by[2] = {0.0}, u = x[0], v = x[1], du[2] = {1, 0}, dv[2] = {0, 1};
    ac_expression *e = NULL;
    ac_graph *g;
    CHECK(ac_graph_new(ctx, &g) == AC_OK);
    ac_num a = ac_num_input(g, x[0]), b = ac_num_input(g, x[1]);
    for (int k = 0; k < 2000; ++k) {
        ac_num c = ac_num_scale(g, 0.5, ac_num_add(g, a, ac_num_multiply(g, a, b)));
        b = ac_num_unary(g, OP_COS, ac_num_multiply(g, a, b));
        a = c;
        double uv = u * v, next = 0.5 * (u + uv);
        for (int i = 0; i < 2; ++i) {
            double duv = du[i] * v + u * dv[i], step = 0.5 * (du[i] + duv);
            dv[i] = -sin(uv) * duv;
            du[i] = step;
        }
        v = cos(uv);
        u = next;
    }
    CHECK(ac_graph_expression(ctx, g, ac_num_add(g, a, b).node, order, 2, &e) == AC_OK);
    CHECK_NEAR(ac_expression_value(e, x), u + v, 1e-14);
    ac_expression_derivatives(e, x, gradient, NULL);
    for (int i = 0; i < 2; ++i) by[i] = du[i] + dv[i];
    for (int i = 0; i < 2; ++i) CHECK_NEAR(gradient[i], by[i], 1e-13 * (1.0 + fabs(by[i])));
    ac_expression_free(e);
    ac_graph_free(g);
}

/* A text on a graph, and from there an expression again: the same in value, slope and curvature. */
TEST(expressions_survive_the_way_to_records_and_back)
{
    static const char *const texts[] = {
        "x*y + sin(x)^2/(1 + y^2)", "min(x, 2*y) + abs(x - y)*step(x)", "atan2(x, y)^x - exp(-x*y)",
        "sqrt(x + y)*log(1 + x) + tanh(y)*(x + y)*(x + y)", "-x^2 + asin(x/3) - acos(y/4)"};
    static const char *const names[] = {"x", "y"};
    const double at[2] = {0.7, 1.3};
    const int order[2] = {0, 1};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        ac_expression *e = NULL, *back = NULL;
        ac_graph *g;
        double gradient[2][2], hessian[2][4];
        CHECK(ac_expression_parse(ctx, texts[k], names, 2, NULL, NULL, NULL, &e) == AC_OK);
        CHECK(ac_graph_new(ctx, &g) == AC_OK);
        const ac_num x[2] = {ac_num_input(g, at[0]), ac_num_input(g, at[1])};
        ac_num y = ac_graph_record(g, e, x);
        CHECK(y.v == ac_expression_value(e, at));
        CHECK(ac_graph_expression(ctx, g, y.node, order, 2, &back) == AC_OK);
        CHECK(ac_expression_derivatives(e, at, gradient[0], hessian[0]) ==
              ac_expression_derivatives(back, at, gradient[1], hessian[1]));
        for (int i = 0; i < 2; ++i) CHECK(gradient[0][i] == gradient[1][i]);
        for (int i = 0; i < 4; ++i) CHECK(hessian[0][i] == hessian[1][i]);
        ac_expression_free(e);
        ac_expression_free(back);
        ac_graph_free(g);
    }
}

TEST(names_stand_for_expressions)
{
    static const char *const names[] = {"u", "p"}, *const own[] = {"p"};
    const int variable[] = {1};
    const double at[2] = {3.0, 0.5};
    double gradient[2], hessian[4];
    ac_expression *inner = NULL, *whole = NULL;
    int column = -1;
    CHECK(ac_expression_parse(ctx, "p^2 + p", own, 1, NULL, NULL, NULL, &inner) == AC_OK);
    const ac_definition q = {"q", inner, variable};
    CHECK(ac_expression_parse_defined(ctx, "u*q + q^2", names, 2, &q, 1, NULL, NULL, &column, &whole) ==
          AC_OK);
    CHECK(ac_expression_derivatives(whole, at, gradient, hessian) == 3.0 * 0.75 + 0.75 * 0.75);
    CHECK(gradient[0] == 0.75);
    CHECK_NEAR(gradient[1], 3.0 * 2.0 + 2.0 * 0.75 * 2.0, 1e-15);
    CHECK(hessian[1] == 2.0);
    CHECK_NEAR(hessian[3], 6.0 + 2.0 * (4.0 + 2.0 * 0.75), 1e-14);
    ac_expression_free(whole);
    CHECK(ac_expression_parse_defined(ctx, "u*", names, 2, &q, 1, NULL, NULL, &column, &whole) ==
          AC_BAD_INPUT);
    CHECK(column == 3);
    ac_expression_free(inner);
}

/* A jump whose argument is used twice: its impulse is that of the same text. */
TEST(jumps_are_found_in_what_is_shared)
{
    static const char *const names[] = {"p", "t"};
    const int order[2] = {0, 1};
    double x[2][2] = {{0.5, 0.0}, {0.5, 0.0}};
    ac_expression *e = NULL, *shared = NULL;
    ac_graph *g;
    CHECK(ac_expression_parse(ctx, "(3 + (t - 2*p))*step(t - 2*p)", names, 2, NULL, NULL, NULL, &e) == AC_OK);
    CHECK(ac_graph_new(ctx, &g) == AC_OK);
    ac_num p = ac_num_input(g, 0.5), t = ac_num_input(g, 0.0),
           late = ac_num_subtract(g, t, ac_num_scale(g, 2.0, p));
    ac_num y = ac_num_multiply(g, ac_num_add(g, ac_num_of(3.0), late), ac_num_unary(g, OP_STEP, late));
    CHECK(ac_graph_expression(ctx, g, y.node, order, 2, &shared) == AC_OK);
    CHECK(ac_expression_switches(shared, x[1], 1, 0.9, 1.1) &&
          !ac_expression_switches(shared, x[1], 1, 1.1, 1.2));
    CHECK_NEAR(ac_expression_impulse(shared, x[1], 0, 1, 1.0 - 1e-9, 1.0 + 1e-9),
               ac_expression_impulse(e, x[0], 0, 1, 1.0 - 1e-9, 1.0 + 1e-9), 1e-12);
    ac_expression_free(e);
    ac_expression_free(shared);
    ac_graph_free(g);
}

static void begin(void)
{
    ctx = ac_context_new(NULL);
}

static void end(void)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(begin), CASE(values_are_those_of_plain_arithmetic),
          CASE(tangents_and_bars_agree_with_differences),
          CASE(second_derivatives_agree_with_differences_of_bars), CASE(edges_are_those_of_expressions),
          CASE(numbers_without_a_past_leave_no_record), CASE(records_become_an_expression_that_is_no_longer),
          CASE(places_of_what_was_used_are_used_again), CASE(expressions_survive_the_way_to_records_and_back),
          CASE(names_stand_for_expressions), CASE(jumps_are_found_in_what_is_shared), CASE(end))
