/* Elements of beams of unit dual quaternions: strains are the pose of the second node seen from the first,
 *
 *   Xi = conj(q~_a) q~_b = (c + w) + eps (c' + w'),   K = 2 w / l,   Gamma = 2 w' / l
 *
 * with the potential l/2 sum C_i (y_i - y_i^ref)^2 of the six of them and, with the free numbers alpha_3 and alpha_4, of the
 * scalar parts 2 c / l and 2 c' / l beyond those without stress, whose limit is zero. Both signs of a unit are one pose; they are chosen once so that
 * neighbours are near each other, and continued along the motion.
 * Damping is of Kelvin-Voigt type, with the rate of a strain taken as its secant over the interval: the force at either end is
 * -l D_i (y_i(q_b) - y_i(q_a)) / h grad y_i, which keeps momentum.
 *
 * Xi is bilinear, so everything follows from s . Xi with stresses s and its derivatives (base/dual_quaternion.h).
 */
#include <string.h>

#include "action/element.h"
#include "base/dual_quaternion.h"
#include "base/vector.h"
#include "model/beam/strain.h"

enum { DUAL = 8, STRAINS = 6, SIZE = 2 * AC_NODE_MAX, TWISTS = 12, PARTS = 8 };

/* Place in Xi of part i: three shears and stretch, three curvatures, the two scalars. */
static const int PLACE[PARTS] = {5, 6, 7, 1, 2, 3, 0, 4};

static int first_of(const ac_system *system)
{
    return system->mesh.element_count - system->mesh.dual_elements;
}

static const ac_beam_element *element_of(const ac_system *system, int k)
{
    return &system->mesh.elements[first_of(system) + k];
}

static int dual_count(const ac_system *system)
{
    return system->mesh.dual_elements;
}

static int dual_nodes(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES])
{
    nodes[0] = element_of(system, k)->node;
    nodes[1] = nodes[0] + 1;
    return 2;
}

/* Parts of an element: the scalars only where they have a stiffness. */
static int part_count(const ac_beam_data *beam)
{
    return beam->ambient[0] > 0.0 || beam->ambient[1] > 0.0 ? PARTS : STRAINS;
}

static void part_numbers(const ac_system *system, const ac_beam_element *e, int i, double *stiffness,
                         double *reference, double *damping)
{
    const ac_beam_data *beam = &system->beams[e->beam];
    if (i >= STRAINS) {
        double scalars[2];
        ac_dual_scalars(e->length, e->reference, scalars);
        *stiffness = beam->ambient[i - STRAINS];
        *reference = scalars[i - STRAINS];
        *damping = 0.0;
        return;
    }
    *stiffness = e->stiffness[i];
    *reference = e->reference[i];
    *damping = *stiffness * ac_beam_relaxation(beam, i);
}

/* --- description --- */

/* The map factor Xi[component]. */
static ac_status add_map(ac_describing *to, const ac_node *a, int component, double factor)
{
    double s[DUAL] = {0.0};
    const ac_node *b = a + 1;
    s[component] = factor;
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
    for (int i = 0; i < DUAL; ++i) {
        double unit[DUAL] = {0.0}, row[DUAL];
        unit[i] = 1.0;
        ac_dual_pull_right(s, unit, row);
        for (int j = 0; j < DUAL; ++j)
            if (row[j] != 0.0)
                AC_TRY(ac_forms_add_product(to->ctx, to->forms, a->q + AC_DUAL_AT + i, b->q + AC_DUAL_AT + j,
                                            row[j]));
    }
    return AC_OK;
}

static ac_status dual_describe(const ac_system *system, int k, ac_describing *to)
{
    const ac_beam_element *e = element_of(system, k);
    for (int i = 0; i < part_count(&system->beams[e->beam]); ++i) {
        int first = to->forms->count;
        double stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        AC_TRY(add_map(to, &system->nodes[e->node], PLACE[i], 2.0 / e->length));
        const ac_part part = {
            -1, {.kind = AC_OUTER_VALUE}, e->beam, first_of(system) + k, i, e->length, reference, 0};
        AC_TRY(to->part(to, &part, first));
    }
    return AC_OK;
}

static void dual_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    const ac_beam_element *e = element_of(system, k);
    double stiffness, reference, damping;
    part_numbers(system, e, part, &stiffness, &reference, &damping);
    *numbers = (ac_law_numbers){.law = &ac_law_quadratic,
                                .data = {e->length * stiffness, reference},
                                .damping = e->length * damping,
                                .elastic = true,
                                .secant = true};
}

/* --- loops --- */

static bool dual_conservative(const ac_system *system, int k)
{
    (void)system;
    (void)k;
    return true;
}

static bool dual_dissipative(const ac_system *system, int k)
{
    return ac_beam_damped(&system->beams[element_of(system, k)->beam]);
}

/* Returns the derivative of the parts of y by Xi. */
static double strains_at(const ac_beam_element *e, const double *a, const double *b, double y[PARTS])
{
    double Xi[DUAL];
    ac_dual_relative(a, b, Xi);
    double by = 2.0 / e->length;
    for (int i = 0; i < PARTS; ++i) y[i] = by * Xi[PLACE[i]];
    return by;
}

/* s = derivative of the energy by Xi; returns the energy */
static double stresses_at(const ac_system *system, const ac_beam_element *e, const double *a, const double *b,
                          double s[DUAL])
{
    double y[PARTS], by = strains_at(e, a, b, y), sum = 0.0;
    const int count = part_count(&system->beams[e->beam]);
    memset(s, 0, DUAL * sizeof *s);
    for (int i = 0; i < count; ++i) {
        double stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        double beyond = y[i] - reference, stress = e->length * stiffness * beyond;
        sum += 0.5 * stress * beyond;
        s[PLACE[i]] = by * stress;
    }
    return sum;
}

static double dual_energy(const ac_system *system, int k, const double *x, const double *winding)
{
    double s[DUAL];
    (void)winding;
    return stresses_at(system, element_of(system, k), x + AC_DUAL_AT, x + AC_NODE_MAX + AC_DUAL_AT, s);
}

static const double *coordinates_of(const ac_system *system, const ac_beam_element *e, const double *q)
{
    return q + system->nodes[e->node].q;
}

static double dual_add_energies(const ac_system *system, const double *q, double sum)
{
    for (int k = 0; k < system->mesh.dual_elements; ++k)
        sum += dual_energy(system, k, coordinates_of(system, element_of(system, k), q), NULL);
    return sum;
}

/* out += factor times the derivative of s . Xi, at the coordinates x of both nodes */
static void add_pulls(const double s[DUAL], const double *x, double factor, double *out)
{
    double left[DUAL], right[DUAL];
    const double *a = x + AC_DUAL_AT, *b = a + AC_NODE_MAX;
    ac_dual_pull_left(s, b, left);
    ac_dual_pull_right(s, a, right);
    out += AC_DUAL_AT;
    for (int i = 0; i < DUAL; ++i) {
        out[i] += factor * left[i];
        out[AC_NODE_MAX + i] += factor * right[i];
    }
}

static void dual_gradient(const ac_system *system, int k, const double *x, const double *winding,
                          double *gradient)
{
    double s[DUAL];
    (void)winding;
    memset(gradient, 0, SIZE * sizeof *gradient);
    stresses_at(system, element_of(system, k), x + AC_DUAL_AT, x + AC_NODE_MAX + AC_DUAL_AT, s);
    add_pulls(s, x, 1.0, gradient);
}

static void dual_add_gradients(const ac_system *system, const double *q, double factor, double *out)
{
    for (int k = 0; k < system->mesh.dual_elements; ++k) {
        const ac_beam_element *e = element_of(system, k);
        const double *x = coordinates_of(system, e, q);
        double s[DUAL];
        stresses_at(system, e, x + AC_DUAL_AT, x + AC_NODE_MAX + AC_DUAL_AT, s);
        add_pulls(s, x, factor, out + (x - q));
    }
}

static void dual_hessian(const ac_system *system, int k, const double *x, const double *winding,
                         double *hessian)
{
    const ac_beam_element *e = element_of(system, k);
    const double *a = x + AC_DUAL_AT, *b = a + AC_NODE_MAX;
    double s[DUAL], y[PARTS], by = strains_at(e, a, b, y);
    (void)winding;
    memset(hessian, 0, (size_t)(SIZE * SIZE) * sizeof *hessian);
    stresses_at(system, e, a, b, s);
    for (int i = 0; i < part_count(&system->beams[e->beam]); ++i) {
        double g[SIZE] = {0.0}, unit[DUAL] = {0.0}, stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        unit[PLACE[i]] = by;
        add_pulls(unit, x, 1.0, g);
        for (int m = 0; m < SIZE; ++m)
            for (int n = 0; g[m] != 0.0 && n < SIZE; ++n)
                hessian[m * SIZE + n] += e->length * stiffness * g[m] * g[n];
    }
    for (int i = 0; i < DUAL; ++i) { /* s . Xi is bilinear */
        double unit[DUAL] = {0.0}, row[DUAL];
        unit[i] = 1.0;
        ac_dual_pull_right(s, unit, row);
        for (int j = 0; j < DUAL; ++j) {
            int m = AC_DUAL_AT + i, n = AC_NODE_MAX + AC_DUAL_AT + j;
            hessian[m * SIZE + n] += row[j];
            hessian[n * SIZE + m] += row[j];
        }
    }
}

static bool dual_along(const ac_system *system, int k, const double *q, const double *w,
                       double y[AC_ELEMENT_PARTS], double slope[AC_ELEMENT_PARTS])
{
    const ac_beam_element *e = element_of(system, k);
    const ptrdiff_t at = system->nodes[e->node].q + AC_DUAL_AT;
    const double *a = q + at, *b = a + AC_NODE_MAX;
    double first[DUAL], second[DUAL], by = strains_at(e, a, b, y);
    ac_dual_relative(w + at, b, first);
    ac_dual_relative(a, w + at + AC_NODE_MAX, second);
    for (int i = 0; i < PARTS; ++i) slope[i] = by * (first[PLACE[i]] + second[PLACE[i]]);
    return true;
}

/* With t = derivative of s along w, (d2V) w is the derivative of t . Xi and that of s . Xi along w. */
static bool dual_add_bent(const ac_system *system, int k, const double *q, const double *w, double factor,
                          double *out)
{
    const ac_beam_element *e = element_of(system, k);
    const ptrdiff_t at = system->nodes[e->node].q + AC_DUAL_AT;
    const double *a = q + at, *b = a + AC_NODE_MAX, *wa = w + at, *wb = wa + AC_NODE_MAX;
    double y[PARTS], along[PARTS], s[DUAL] = {0.0}, t[DUAL] = {0.0}, first[DUAL], pull[DUAL];
    dual_along(system, k, q, w, y, along);
    for (int i = 0; i < part_count(&system->beams[e->beam]); ++i) { /* l times 2 / l */
        double stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        s[PLACE[i]] = 2.0 * factor * stiffness * (y[i] - reference);
        t[PLACE[i]] = 2.0 * factor * stiffness * along[i];
    }
    ac_dual_pull_left(t, b, first);
    ac_dual_pull_left(s, wb, pull);
    for (int i = 0; i < DUAL; ++i) out[at + i] += first[i] + pull[i];
    ac_dual_pull_right(t, a, first);
    ac_dual_pull_right(s, wa, pull);
    for (int i = 0; i < DUAL; ++i) out[at + AC_NODE_MAX + i] += first[i] + pull[i];
    return true;
}

/* --- damping --- */

static void dual_add_secant_forces(const ac_system *system, const double *qa, const double *qb,
                                   const double *q, double factor, double *out)
{
    for (int k = 0; k < system->mesh.dual_elements; ++k) {
        if (!dual_dissipative(system, k)) continue;
        const ac_beam_element *e = element_of(system, k);
        const ptrdiff_t at = system->nodes[e->node].q, a = at + AC_DUAL_AT, b = a + AC_NODE_MAX;
        double ya[PARTS], yb[PARTS], y[PARTS], s[DUAL] = {0.0}, by = strains_at(e, q + a, q + b, y);
        strains_at(e, qa + a, qa + b, ya);
        strains_at(e, qb + a, qb + b, yb);
        for (int i = 0; i < STRAINS; ++i) {
            double stiffness, reference, damping;
            part_numbers(system, e, i, &stiffness, &reference, &damping);
            s[PLACE[i]] = -by * e->length * damping * (yb[i] - ya[i]);
        }
        add_pulls(s, q + at, factor, out + at);
    }
}

static void dual_secant_slope(const ac_system *system, int k, const double *xa, const double *xb,
                              double factor, double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double y[PARTS], by_a = strains_at(e, xa + AC_DUAL_AT, xa + AC_NODE_MAX + AC_DUAL_AT, y),
                     by_b = strains_at(e, xb + AC_DUAL_AT, xb + AC_NODE_MAX + AC_DUAL_AT, y);
    for (int i = 0; i < STRAINS; ++i) {
        double ga[SIZE] = {0.0}, gb[SIZE] = {0.0}, unit[DUAL] = {0.0}, stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        unit[PLACE[i]] = 1.0;
        add_pulls(unit, xa, by_a * factor * e->length * damping, ga);
        add_pulls(unit, xb, by_b, gb);
        for (int m = 0; m < SIZE; ++m)
            for (int n = 0; ga[m] != 0.0 && n < SIZE; ++n) block[m * SIZE + n] += ga[m] * gb[n];
    }
}

static void dual_add_secant_bent(const ac_system *system, int k, const double *qa, const double *qb, int side,
                                 const double *w, double factor, double *out_a, double *out_b)
{
    const ac_beam_element *e = element_of(system, k);
    const ptrdiff_t at = system->nodes[e->node].q, a = at + AC_DUAL_AT, b = a + AC_NODE_MAX;
    double y[2][PARTS], along[PARTS], s[DUAL] = {0.0}, t[DUAL] = {0.0}, *own = side == 0 ? out_a : out_b;
    dual_along(system, k, side == 0 ? qa : qb, w, y[side], along);
    const double *other = side == 0 ? qb : qa;
    strains_at(e, other + a, other + b, y[1 - side]);
    for (int i = 0; i < STRAINS; ++i) { /* l times 2 / l */
        double stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        s[PLACE[i]] = -2.0 * factor * damping * (y[1][i] - y[0][i]);
        t[PLACE[i]] = -2.0 * factor * damping * along[i];
    }
    if (own) add_pulls(s, w + at, 1.0, own + at);
    if (out_a) add_pulls(t, qa + at, -1.0, out_a + at);
    if (out_b) add_pulls(t, qb + at, 1.0, out_b + at);
}

/* Derivative of Xi[component] by the twists of both nodes. */
static void twist_gradient(int component, const double *x, double out[TWISTS])
{
    double unit[DUAL] = {0.0}, pull[DUAL];
    const double *a = x + AC_DUAL_AT, *b = a + AC_NODE_MAX;
    unit[component] = 1.0;
    memset(out, 0, TWISTS * sizeof *out);
    ac_dual_pull_left(unit, b, pull);
    ac_dual_add_wrench(a, x, pull, out);
    ac_dual_pull_right(unit, a, pull);
    ac_dual_add_wrench(b, x + AC_NODE_MAX, pull, out + 6);
}

static void dual_twist_secant(const ac_system *system, int k, const double *xa, const double *xb,
                              double factor, double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double y[PARTS], by_a = strains_at(e, xa + AC_DUAL_AT, xa + AC_NODE_MAX + AC_DUAL_AT, y),
                     by_b = strains_at(e, xb + AC_DUAL_AT, xb + AC_NODE_MAX + AC_DUAL_AT, y);
    memset(block, 0, (size_t)(TWISTS * TWISTS) * sizeof *block);
    for (int i = 0; i < STRAINS; ++i) {
        double ga[TWISTS], gb[TWISTS], stiffness, reference, damping;
        part_numbers(system, e, i, &stiffness, &reference, &damping);
        twist_gradient(PLACE[i], xa, ga);
        twist_gradient(PLACE[i], xb, gb);
        double weight = by_a * by_b * factor * e->length * damping;
        for (int m = 0; m < TWISTS; ++m)
            for (int n = 0; n < TWISTS; ++n) block[m * TWISTS + n] += weight * ga[m] * gb[n];
    }
}

extern const ac_element_kind ac_element_dual_beam;
const ac_element_kind ac_element_dual_beam = {
    .name = "dual quaternion beam",
    .count = dual_count,
    .nodes = dual_nodes,
    .describe = dual_describe,
    .numbers = dual_numbers,
    .conservative = dual_conservative,
    .dissipative = dual_dissipative,
    .energy = dual_energy,
    .add_energies = dual_add_energies,
    .gradient = dual_gradient,
    .add_gradients = dual_add_gradients,
    .hessian = dual_hessian,
    .add_bent = dual_add_bent,
    .along = dual_along,
    .add_secant_forces = dual_add_secant_forces,
    .secant_slope = dual_secant_slope,
    .add_secant_bent = dual_add_secant_bent,
    .twist_secant = dual_twist_secant,
};
