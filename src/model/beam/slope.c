/* Derivatives of beams by a parameter: what follows from the places and frames of their nodes, and from values along them.
 *
 * Lengths:              l' = gap . gap' / l; elements of order 2 the same with the tangent at a point
 * Strains without stress are quadratic maps over the length (rods: a quotient of two), Q(x + y) - Q(x - y) = 2 dQ(x) y without
 *                       remainder; the length takes off l'/l times the strain
 * Masses:               lengths times densities
 *
 * Strains and lengths do not change with rigid motions: nodes move as they are seen from the first one.
 */
#include <math.h>
#include <string.h>

#include "base/dual_quaternion.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/beam/beam.h"
#include "model/beam/strain.h"
#include "model/slope.h"

static const double ROUNDED = 1e-13; /* places that move less along the beam stay */

typedef struct element_motion {
    double x[AC_ELEMENT_MAX], by[AC_ELEMENT_MAX]; /* coordinates of its nodes, and how they change */
    int size;
} element_motion;

static void look_at(const ac_system_slope *s, const ac_beam_data *beam, int node, int count,
                    element_motion *m)
{
    const ac_system *system = s->system;
    const double *R = system->nodes[beam->first_node].pose.rotation;
    memset(m, 0, sizeof *m); /* signs of dual quaternions are near those in x, unless that is zero */
    for (int a = 0; a < count; ++a) {
        const ac_node *own = &system->nodes[node + a];
        double twist[6];
        apply3(R, s->nodes[node + a].within_place, twist);
        apply3(R, s->nodes[node + a].within_turn, twist + 3);
        ac_node_set_pose(own, own->pose.position, own->pose.rotation, m->x + m->size);
        ac_node_tangent(own, m->x + m->size, twist, m->by + m->size);
        m->size += own->size;
    }
}

/* x + by and x - by, both of the same size; returns the factor of `by`, 0: nothing moves */
static double move_both_ways(const element_motion *m, double there[AC_ELEMENT_MAX],
                             double back[AC_ELEMENT_MAX])
{
    double size = 0.0, change = 0.0;
    for (int i = 0; i < m->size; ++i) {
        size = ac_max(size, fabs(m->x[i]));
        change = ac_max(change, fabs(m->by[i]));
    }
    double factor = change > 0.0 ? size / change : 0.0;
    for (int i = 0; i < m->size; ++i) {
        there[i] = m->x[i] + factor * m->by[i];
        back[i] = m->x[i] - factor * m->by[i];
    }
    return factor;
}

/* --- strains without stress --- */

/* Quadratic maps of the strains of an element, over its lengths as they are: six, and for rods the trace. */
static void quadratic_maps(const ac_system *system, int element, const double *x, double form[7])
{
    const ac_beam_element *e = &system->mesh.elements[element];
    ac_beam_model model = system->beams[e->beam].model;
    form[6] = 0.0;
    if (model == AC_BEAM_DIRECTOR || model == AC_BEAM_DUAL_QUATERNION) {
        ac_beam_strains(system, element, x, form);
        return;
    }
    double over = e->length > 0.0 ? 1.0 / e->length : 0.0;
    bool edge = model == AC_BEAM_EDGE;
    ac_rod_forms(edge ? over : 0.5 * over, edge ? 0.0 : 0.5 * over, 0.5 / e->bend, x, form);
}

static void element_strains(const ac_system *system, int element, const element_motion *m, double by[6])
{
    const ac_beam_element *e = &system->mesh.elements[element];
    ac_beam_model model = system->beams[e->beam].model;
    bool rod = model == AC_BEAM_VERTEX || model == AC_BEAM_EDGE;
    double there[AC_ELEMENT_MAX], back[AC_ELEMENT_MAX], plus[7], minus[7], here[7];
    double factor = move_both_ways(m, there, back);
    for (int i = 0; i < 6; ++i) by[i] = 0.0;
    if (factor == 0.0) return;
    quadratic_maps(system, element, m->x, here);
    quadratic_maps(system, element, there, plus);
    quadratic_maps(system, element, back, minus);
    double trace = 0.5 * (plus[6] - minus[6]) / factor;
    for (int i = e->length > 0.0 ? 0 : 3; i < 6; ++i) {
        by[i] = 0.5 * (plus[i] - minus[i]) / factor;
        if (rod && i >= 3) by[i] = ac_rod_curvature(by[i] - here[i] * trace / (1.0 + here[6]), here[6]);
    }
}

static void point_strains(const ac_high_element *e, const ac_beam_point *point, const element_motion *m,
                          double by[6])
{
    double there[AC_ELEMENT_MAX], back[AC_ELEMENT_MAX], fields[AC_BEAM_FIELDS], plus[6], minus[6];
    double factor = move_both_ways(m, there, back);
    for (int i = 0; i < 6; ++i) by[i] = 0.0;
    if (factor == 0.0) return;
    ac_beam_fields(point, e->order, there, fields);
    ac_beam_field_strains(fields, plus);
    ac_beam_fields(point, e->order, back, fields);
    ac_beam_field_strains(fields, minus);
    for (int i = 0; i < 6; ++i) by[i] = 0.5 * (plus[i] - minus[i]) / factor;
}

/* --- lengths --- */

/* Of the tangent sum dN x, by its value. */
static double tangent_rate(const element_motion *m, int order, const double *dN)
{
    double t[3] = {0.0, 0.0, 0.0}, by[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a <= order; ++a)
        for (int i = 0; i < 3; ++i) {
            t[i] += dN[a] * (m->x[AC_BODY_SIZE * a + i] - m->x[i]);
            by[i] += dN[a] * (m->by[AC_BODY_SIZE * a + i] - m->by[i]);
        }
    return dot3(t, by) / dot3(t, t);
}

static double gap_rate(const element_motion *m)
{
    double gap[3], by[3];
    const int b = m->size / 2;
    sub3(m->x + b, m->x, gap);
    sub3(m->by + b, m->by, by);
    return dot3(gap, by) / dot3(gap, gap);
}

/* Edge model: the curvature at a vertex stands for half of both edges. */
static void share_edges(const ac_system *system, const ac_beam_data *beam, ac_strain_slope *s)
{
    const ac_beam_element *e = system->mesh.elements + beam->first_element;
    for (int k = 0; k < beam->elements; ++k) {
        double next = k + 1 < beam->elements ? 0.5 * e[k + 1].length * s[k + 1].stretch : 0.0;
        s[k].bend = (0.5 * e[k].length * s[k].stretch + next) / e[k].bend;
    }
}

/* Mass points of an element: one after another, as many in each. */
typedef struct point_range {
    int first, end;
} point_range;

static point_range points_of(const ac_beam_data *beam, int k)
{
    int each = beam->mass_points / beam->elements, first = beam->first_mass_point + k * each;
    return (point_range){first, first + each};
}

/* Lengths at mass points and strain points of one element; a rest length of its own changes all alike. */
static void element_lengths(ac_system_slope *s, const ac_beam_data *beam, int k, const double *rest)
{
    const ac_system *system = s->system;
    bool high = beam->order > 1;
    const ac_high_element *e = high ? &system->mesh.high[beam->first_element + k] : NULL;
    element_motion m;
    look_at(s, beam, high ? e->node : system->mesh.elements[beam->first_element + k].node, beam->order + 1,
            &m);
    for (int p = 0; p < beam->order; ++p) {
        ac_strain_slope *own = &s->strains[ac_beam_strain_point(system, beam, k * beam->order + p)];
        bool stretches = high || system->mesh.elements[beam->first_element + k].length > 0.0;
        own->stretch = !stretches ? 0.0
                       : rest     ? *rest
                       : high     ? tangent_rate(&m, e->order, e->points[p].dN)
                                  : gap_rate(&m);
        own->bend = own->stretch;
    }
    point_range range = points_of(beam, k);
    for (int p = range.first; p < range.end; ++p) {
        double N[AC_ELEMENT_NODES], dN[AC_ELEMENT_NODES];
        ac_mass_point_slope *own = &s->mass_points[p];
        const ac_strain_slope *strain = &s->strains[ac_beam_strain_point(system, beam, k * beam->order)];
        own->stretch = strain->stretch;
        if (!high || rest) continue;
        ac_beam_shapes(e->order, ac_gauss_rule(e->order + 1)->at[p - range.first], N, dN);
        own->stretch = tangent_rate(&m, e->order, dN);
    }
}

/* --- shares of the length --- */

/* The length of element k, and its derivative. */
static double span_of(const ac_system_slope *s, const ac_beam_data *beam, int k, double *by)
{
    const ac_system *system = s->system;
    double sum = 0.0;
    *by = 0.0;
    if (beam->order == 1) {
        const ac_beam_element *e = &system->mesh.elements[beam->first_element + k];
        *by = e->length * s->strains[ac_beam_strain_point(system, beam, k)].stretch;
        return e->length;
    }
    point_range range = points_of(beam, k);
    for (int p = range.first; p < range.end; ++p) {
        const ac_mass_point *point = &system->mesh.mass_points[p];
        double length = 0.0; /* shape functions add up to one */
        for (int a = 0; a <= point->order; ++a) length += point->mass[a];
        for (int c = 0; c < point->order * (point->order + 1) / 2; ++c) length += 2.0 * point->pair[c];
        sum += length;
        *by += length * s->mass_points[p].stretch;
    }
    return sum;
}

typedef struct share_span { /* of the element, from its start to its end along the beam, and derivatives */
    double from, to, by_from, by_to, whole, by_whole;
} share_span;

/* share = (from + x (to - from)) / whole */
static double share_slope(const share_span *e, double share)
{
    double at = share * e->whole, x = e->to > e->from ? (at - e->from) / (e->to - e->from) : 1.0,
           by = e->by_from + x * (e->by_to - e->by_from);
    double slope = (by - share * e->by_whole) / e->whole;
    return fabs(slope) > ROUNDED * fabs(e->by_whole / e->whole) ? slope : 0.0;
}

static void move_shares(ac_system_slope *s, const ac_beam_data *beam)
{
    const ac_system *system = s->system;
    share_span e = {0};
    double by;
    for (int k = 0; k < beam->elements; ++k) {
        e.whole += span_of(s, beam, k, &by);
        e.by_whole += by;
    }
    for (int k = 0; k < beam->elements; ++k) {
        e.from = e.to;
        e.by_from = e.by_to;
        e.to += span_of(s, beam, k, &by);
        e.by_to += by;
        for (int p = 0; p < beam->order; ++p) {
            ac_strain_slope *own = &s->strains[ac_beam_strain_point(system, beam, k * beam->order + p)];
            const ac_beam_element *low = &system->mesh.elements[beam->first_element + k];
            const ac_high_element *high = &system->mesh.high[beam->first_element + k];
            for (int c = 0; c < 2; ++c)
                own->share[c] = share_slope(&e, beam->order > 1 ? high->points[p].share : low->share[c]);
        }
        point_range range = points_of(beam, k);
        for (int p = range.first; p < range.end; ++p)
            s->mass_points[p].share = share_slope(&e, system->mesh.mass_points[p].share);
    }
}

/* --- all --- */

/* Strains of the given shape are those without stress. */
static void follow_references(ac_system_slope *s, const ac_beam_data *beam)
{
    const ac_system *system = s->system;
    for (int k = 0; k < beam->elements * beam->order; ++k) {
        ac_strain_slope *own = &s->strains[ac_beam_strain_point(system, beam, k)];
        int number = beam->first_element + k / beam->order;
        double by[6], strain[6];
        element_motion m;
        if (beam->order > 1) {
            const ac_high_element *e = &system->mesh.high[number];
            const ac_beam_point *point = &e->points[k % beam->order];
            double fields[AC_BEAM_FIELDS];
            look_at(s, beam, e->node, e->order + 1, &m);
            point_strains(e, point, &m, by);
            ac_beam_fields(point, e->order, m.x, fields);
            ac_beam_field_strains(fields, strain);
        } else {
            look_at(s, beam, system->mesh.elements[number].node, 2, &m);
            element_strains(system, number, &m, by);
            ac_beam_strains(system, number, m.x, strain);
        }
        for (int i = 0; i < 6; ++i)
            own->reference[i] += by[i] - (i < 3 ? own->stretch : own->bend) * strain[i];
    }
}

void ac_beam_slope_geometry(ac_system_slope *s, int number, bool has_rest, double rest)
{
    const ac_system *system = s->system;
    const ac_beam_data *beam = &system->beams[number];
    for (int k = 0; k < beam->elements; ++k) element_lengths(s, beam, k, has_rest ? &rest : NULL);
    if (beam->model == AC_BEAM_EDGE) {
        share_edges(system, beam, s->strains + beam->first_element);
        for (int p = beam->first_mass_point; p < beam->first_mass_point + beam->mass_points; ++p)
            s->mass_points[p].bend =
                s->strains[beam->first_element + system->mesh.mass_points[p].element].bend;
    }
    if (!has_rest) follow_references(s, beam);
    move_shares(s, beam);
}

/* Scalar parts of dual quaternions have inertia by the length alone, the same along the beam. */
static void slope_ambient(ac_system_slope *s, const ac_beam_data *beam, const double by[2])
{
    const ac_mass_point *points = s->system->mesh.mass_points;
    double length = 0.0, sum[2] = {0.0, 0.0};
    for (int p = beam->first_mass_point; p < beam->first_mass_point + beam->mass_points; ++p)
        length += points[p].mass[0] + points[p].mass[1];
    for (int n = beam->first_node; n < beam->first_node + beam->nodes; ++n)
        for (int i = 0; i < 2; ++i) sum[i] += s->system->nodes[n].ambient[i];
    for (int p = beam->first_mass_point; p < beam->first_mass_point + beam->mass_points; ++p)
        for (int end = 0; end < 2; ++end)
            for (int i = 0; i < 2; ++i)
                s->nodes[points[p].node + end].ambient[i] +=
                    (sum[i] / length * s->mass_points[p].stretch + by[i]) * points[p].mass[end];
}

void ac_beam_slope_masses(ac_system_slope *s, int number)
{
    const ac_system *system = s->system;
    const ac_beam_data *beam = &system->beams[number];
    for (int p = beam->first_mass_point; p < beam->first_mass_point + beam->mass_points; ++p) {
        const ac_mass_point *point = &system->mesh.mass_points[p];
        const ac_mass_point_slope *by = &s->mass_points[p];
        double density = by->density + point->density * by->stretch;
        for (int a = 0; a <= point->order; ++a) {
            double turning = point->turning[a] * by->stretch + point->bending[a] * by->bend;
            ac_node_slope *node = &s->nodes[point->node + a];
            node->mass += point->mass[a] * density;
            for (int i = 0; i < 2; ++i)
                node->euler[4 * i] += turning * point->inertia[i] +
                                      (point->turning[a] + point->bending[a]) * by->inertia[i];
        }
        for (int k = 0; point->first_pair >= 0 && k < point->order * (point->order + 1) / 2; ++k) {
            ac_pair_slope *pair = &s->pairs[point->first_pair + k];
            pair->mass += point->pair[k] * density;
            for (int i = 0; i < 2; ++i)
                pair->euler[i] += point->pair[k] * (by->inertia[i] + by->stretch * point->inertia[i]);
        }
    }
    if (beam->model == AC_BEAM_DUAL_QUATERNION) slope_ambient(s, beam, s->beams[number].ambient);
}

/* Lengths of the elements before one, and of that one. */
static void span_slopes(const ac_system_slope *s, const ac_beam_data *beam, int element, double *before,
                        double *own)
{
    *before = *own = 0.0;
    for (int k = beam->first_element; k <= element; ++k) {
        *before += *own;
        *own = 0.0;
        for (int p = 0; p < beam->order; ++p) {
            int at = (k - beam->first_element) * beam->order + p;
            double length = beam->order > 1 ? s->system->mesh.high[k].points[p].weight
                                            : s->system->mesh.elements[k].length;
            *own += length * s->strains[ac_beam_strain_point(s->system, beam, at)].stretch;
        }
    }
}

void ac_beam_function_slope(const ac_system_slope *s, int function, double *weight, double *at)
{
    static const double share[2][3] = {{0.5, 0.5}, {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0}};
    const ac_function_data *f = &s->system->mesh.functions[function];
    const ac_beam_data *beam = &s->system->beams[f->beam];
    double before, own;
    span_slopes(s, beam, f->element, &before, &own);
    if (f->node >= 0) {
        *weight = share[beam->order - 1][f->point] * own;
        *at = before + own * f->point / beam->order;
        return;
    }
    const ac_strain_slope *by = &s->strains[ac_beam_strain_point(
        s->system, beam, (f->element - beam->first_element) * beam->order + f->point)];
    *weight = f->weight * by->stretch;
    *at = before + (beam->order > 1 ? 0.5 * (1.0 + ac_gauss_rule(beam->order)->at[f->point]) : 0.5) * own;
}
