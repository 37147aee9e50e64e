/* Beam elements by quadrature: shape functions, strain points of elements of order 2.
 *
 * Positions and directors are interpolated by the same polynomials, r = sum N_a x^a, d_i = sum N_a d_i^a.
 * With the length as parameter the strains are, for (i, j, k) cyclic,
 *   Gamma_i = d_i . r',     K_i = (d_k . d_j' - d_j . d_k') / 2,
 * quadratic in the coordinates and unchanged by rigid motions, because interpolation and rotation can be
 * exchanged. Taken at `order` Gauss points they do not lock. Masses need one point more to be exact.
 * Nothing below depends on the order, but order 3 would gain little: with large rotations its error falls
 * with the fourth power of the element length, too, because interpolated directors are not quite
 * orthonormal.
 */
#include "base/vector.h"
#include "model/beam/beam.h"

const ac_gauss *ac_gauss_rule(int points)
{
    static const ac_gauss rules[AC_GAUSS_MAX] = {
        {1, {0.0}, {2.0}},
        {2, {-0.57735026918962576451, 0.57735026918962576451}, {1.0, 1.0}},
        {3,
         {-0.77459666924148337704, 0.0, 0.77459666924148337704},
         {0.55555555555555555556, 0.88888888888888888889, 0.55555555555555555556}},
    };
    return &rules[points - 1];
}

void ac_beam_shapes(int order, double xi, double N[AC_ELEMENT_NODES], double dN[AC_ELEMENT_NODES])
{
    for (int a = 0; a <= order; ++a) {
        double own = -1.0 + 2.0 * a / order, value = 1.0, slope = 0.0;
        for (int b = 0; b <= order; ++b) {
            if (b == a) continue;
            double other = -1.0 + 2.0 * b / order;
            slope = (slope * (xi - other) + value) / (own - other);
            value *= (xi - other) / (own - other);
        }
        N[a] = value;
        dN[a] = slope;
    }
}

/* --- strains -------------------------------------------------------------------------------------------- */

void ac_beam_fields(const ac_beam_point *point, int order, const double *x, double fields[AC_BEAM_FIELDS])
{
    for (int c = 0; c < AC_BEAM_FIELDS; ++c) fields[c] = 0.0;
    for (int a = 0; a <= order; ++a) {
        const double *own = x + 12 * a, N = point->N[a], dN = point->dN[a];
        /* seen from the first node: slopes of shapes add up to zero; far from the origin nothing cancels */
        for (int c = 0; c < 3; ++c) fields[c] += dN * (own[c] - x[c]);
        for (int c = 0; c < 9; ++c) {
            fields[3 + c] += N * own[3 + c];
            fields[12 + c] += dN * own[3 + c];
        }
    }
}

void ac_beam_field_strains(const double fields[AC_BEAM_FIELDS], double strain[6])
{
    const double *d = fields + 3, *slope = fields + 12;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        strain[i] = dot3(d + 3 * i, fields);
        strain[3 + i] = 0.5 * (dot3(d + 3 * k, slope + 3 * j) - dot3(d + 3 * j, slope + 3 * k));
    }
}

/* --- elements ------------------------------------------------------------------------------------------- */

static void initial_coordinates(const ac_system *system, const ac_beam_span *span, double x[AC_ELEMENT_MAX])
{
    for (int a = 0; a <= span->order; ++a) {
        const ac_node *node = &system->nodes[span->node + a];
        ac_node_set_pose(node, node->pose.position, node->pose.rotation, x + 12 * a);
    }
}

/* |dr/dxi| of the given curve, negative where it runs backwards against the chord. */
static double initial_stretch(const ac_beam_span *span, const double *x, const double *dN)
{
    double tangent[3] = {0, 0, 0}, chord[3];
    for (int a = 0; a <= span->order; ++a)
        for (int i = 0; i < 3; ++i) tangent[i] += dN[a] * (x[12 * a + i] - x[i]);
    sub3(x + 12 * span->order, x, chord);
    return dot3(tangent, chord) > 0.0 ? norm3(tangent) : -1.0;
}

ac_status ac_high_element_measure(ac_system *system, const ac_beam *beam, int k, ac_beam_span *span)
{
    const ac_gauss *rule = ac_gauss_rule(span->order + 1);
    double x[AC_ELEMENT_MAX], N[AC_ELEMENT_NODES], dN[AC_ELEMENT_NODES];
    initial_coordinates(system, span, x);
    span->length = 0.0;
    for (int g = 0; g < rule->count; ++g) {
        ac_beam_shapes(span->order, rule->at[g], N, dN);
        double initial = initial_stretch(span, x, dN);
        if (!(initial > 0.0))
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "beam '%s': the nodes of element %d coincide, are not in a row or turn back",
                           ac_beam_name(beam), k);
        span->stretch[g] = beam->rest_length > 0.0 ? 0.5 * beam->rest_length / beam->elements : initial;
        span->length += rule->weight[g] * span->stretch[g];
    }
    return AC_OK;
}

double ac_beam_share(const ac_beam_span *span, double xi)
{
    return span->from + 0.5 * (xi + 1.0) * (span->to - span->from);
}

ac_status ac_high_element_fill(ac_system *system, const ac_beam *beam, const ac_beam_span *span,
                               ac_high_element *element)
{
    static const double straight[6] = {0, 0, 1, 0, 0, 0};
    const ac_gauss *rule = ac_gauss_rule(span->order);
    double x[AC_ELEMENT_MAX], fields[AC_BEAM_FIELDS];
    *element = (ac_high_element){.beam = system->beam_count, .node = span->node, .order = span->order};
    initial_coordinates(system, span, x);
    for (int g = 0; g < rule->count; ++g) {
        ac_beam_point *point = &element->points[g];
        ac_beam_values values;
        ac_beam_shapes(span->order, rule->at[g], point->N, point->dN);
        double stretch = beam->rest_length > 0.0 ? 0.5 * beam->rest_length / beam->elements
                                                 : initial_stretch(span, x, point->dN);
        point->weight = rule->weight[g] * stretch;
        for (int a = 0; a <= span->order; ++a) point->dN[a] /= stretch;
        point->share = ac_beam_share(span, rule->at[g]);
        AC_TRY(ac_beam_values_at(system, beam, point->share, &values));
        memcpy(point->stiffness, values.stiffness, sizeof values.stiffness);
        memcpy(point->reference, straight, sizeof straight);
        if (!(beam->rest_length > 0.0)) {
            ac_beam_fields(point, span->order, x, fields);
            ac_beam_field_strains(fields, point->reference);
        }
        for (int i = 0; i < 3; ++i) point->reference[3 + i] += beam->precurvature[i];
    }
    return AC_OK;
}
