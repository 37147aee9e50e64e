/* The strains of beams, described: every strain of every element is a function s(q), quadratic in the coordinates or, for
 * rods, a quotient of two quadratic maps, with the potential l D/2 (s - s_ref)^2 and the damping force
 * -l eta_i D (ds/dt) grad s. This is their definition; beam.c, rod.c and beam_order.c are loops for it. */
#include "action/beam/beam_describe.h"

#include "model/beam/strain.h"

enum { STRAINS = 6, DIRECTORS = 3 };

/* Three numbers of a node that begin at `start`, times a factor, added to a vector. */
static void add_triple(ac_affine3 *vector, const ac_node *node, int start, double factor)
{
    for (int c = 0; c < 3; ++c) ac_affine_add(&vector->part[c], node->q + start + c, factor);
}

static ac_affine3 director(const ac_node *node, int i, double factor)
{
    ac_affine3 d = {0};
    add_triple(&d, node, DIRECTORS + 3 * i, factor);
    return d;
}

static void strain_numbers(const ac_beam_data *beam, int i, double weight, double stiffness, double reference,
                           ac_law_numbers *numbers)
{
    *numbers = (ac_law_numbers){.law = &ac_law_quadratic,
                                .data = {weight * stiffness, reference},
                                .damping = weight * stiffness * ac_beam_relaxation(beam, i),
                                .elastic = true};
}

/* --- elements of order 1 --- */

/* (r_b - r_a) . d_i / length, d_i of the edge or the mean of both ends */
static ac_status stretch_map(const ac_system *system, int number, int i, ac_describing *to)
{
    const ac_beam_element *e = &system->mesh.elements[number];
    const ac_node *a = &system->nodes[e->node], *b = a + 1;
    bool edge = system->beams[e->beam].model == AC_BEAM_EDGE;
    ac_affine3 gap = {0}, frame = director(a, i, (edge ? 1.0 : 0.5) / e->length);
    add_triple(&gap, b, 0, 1.0);
    add_triple(&gap, a, 0, -1.0);
    if (!edge) add_triple(&frame, b, DIRECTORS + 3 * i, 0.5 / e->length);
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
    return ac_forms_add_dot(to->ctx, to->forms, &gap, &frame, 1.0);
}

static ac_status curvature_map(const ac_system *system, int number, int i, ac_describing *to)
{
    const ac_beam_element *e = &system->mesh.elements[number];
    const ac_node *a = &system->nodes[e->node], *b = a + 1;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double half = 0.5 / e->bend;
    ac_affine3 ak = director(a, k, 1.0), bj = director(b, j, 1.0), aj = director(a, j, 1.0),
               bk = director(b, k, 1.0);
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
    AC_TRY(ac_forms_add_dot(to->ctx, to->forms, &ak, &bj, half));
    return ac_forms_add_dot(to->ctx, to->forms, &aj, &bk, -half);
}

/* 1 + trace of the relative rotation */
static ac_status trace_map(const ac_system *system, int number, ac_describing *to)
{
    const ac_node *a = &system->nodes[system->mesh.elements[number].node], *b = a + 1;
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 1.0));
    for (int c = 0; c < 3; ++c) {
        ac_affine3 da = director(a, c, 1.0), db = director(b, c, 1.0);
        AC_TRY(ac_forms_add_dot(to->ctx, to->forms, &da, &db, 1.0));
    }
    return AC_OK;
}

static ac_status describe_stretch(const ac_system *system, int number, int i, ac_describing *to)
{
    const ac_beam_element *e = &system->mesh.elements[number];
    int first = to->forms->count;
    AC_TRY(stretch_map(system, number, i, to));
    const ac_part part = {-1, {.kind = AC_OUTER_VALUE}, e->beam, number, i, e->length, e->reference[i], 0};
    return to->part(to, &part, first);
}

static ac_status describe_bend(const ac_system *system, int number, int i, ac_describing *to)
{
    const ac_beam_element *e = &system->mesh.elements[number];
    int first = to->forms->count;
    bool rod = system->beams[e->beam].model != AC_BEAM_DIRECTOR;
    AC_TRY(curvature_map(system, number, i, to));
    if (rod) AC_TRY(trace_map(system, number, to));
    const ac_part part = {-1,
                          {.kind = rod ? AC_OUTER_CAYLEY : AC_OUTER_VALUE},
                          e->beam,
                          number,
                          3 + i,
                          e->bend,
                          e->reference[3 + i],
                          0};
    return to->part(to, &part, first);
}

ac_status ac_beam_describe_strains(const ac_system *system, int k, ac_describing *to)
{
    for (int i = 0; i < 3; ++i) AC_TRY(stretch_map(system, k, i, to));
    for (int i = 0; i < 3; ++i) AC_TRY(curvature_map(system, k, i, to));
    bool rod = system->beams[system->mesh.elements[k].beam].model != AC_BEAM_DIRECTOR;
    return rod ? trace_map(system, k, to) : AC_OK;
}

/* An element without length has no stretch. */
ac_status ac_beam_describe(const ac_system *system, int k, ac_describing *to)
{
    for (int i = 0; i < 3; ++i) {
        if (system->mesh.elements[k].length > 0.0) AC_TRY(describe_stretch(system, k, i, to));
        AC_TRY(describe_bend(system, k, i, to));
    }
    return AC_OK;
}

void ac_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    const ac_beam_element *e = &system->mesh.elements[k];
    bool stretches = e->length > 0.0, stretch = stretches && part % 2 == 0;
    int i = !stretches ? 3 + part : stretch ? part / 2 : 3 + part / 2;
    strain_numbers(&system->beams[e->beam], i, stretch ? e->length : e->bend, e->stiffness[i],
                   e->reference[i], numbers);
}

/* --- elements of higher order: fields are interpolated between their nodes --- */

static ac_affine3 field(const ac_system *system, const ac_high_element *e, const double *weights, int start)
{
    ac_affine3 sum = {0};
    for (int n = 0; n <= e->order; ++n) add_triple(&sum, &system->nodes[e->node + n], start, weights[n]);
    return sum;
}

/* Strain i at a strain point. */
static ac_status point_map(const ac_system *system, const ac_high_element *e, const ac_beam_point *p, int i,
                           ac_describing *to)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
    if (i < 3) {
        ac_affine3 slope = field(system, e, p->dN, 0), frame = field(system, e, p->N, DIRECTORS + 3 * i);
        return ac_forms_add_dot(to->ctx, to->forms, &frame, &slope, 1.0);
    }
    ac_affine3 dj = field(system, e, p->N, DIRECTORS + 3 * j), dk = field(system, e, p->N, DIRECTORS + 3 * k),
               bend_j = field(system, e, p->dN, DIRECTORS + 3 * j),
               bend_k = field(system, e, p->dN, DIRECTORS + 3 * k);
    AC_TRY(ac_forms_add_dot(to->ctx, to->forms, &dk, &bend_j, 0.5));
    return ac_forms_add_dot(to->ctx, to->forms, &dj, &bend_k, -0.5);
}

ac_status ac_high_beam_describe_strains(const ac_system *system, int k, int point, ac_describing *to)
{
    const ac_high_element *e = &system->mesh.high[k];
    for (int i = 0; i < STRAINS; ++i) AC_TRY(point_map(system, e, &e->points[point], i, to));
    return AC_OK;
}

static ac_status describe_point(const ac_system *system, int number, int point, ac_describing *to)
{
    const ac_high_element *e = &system->mesh.high[number];
    const ac_beam_point *p = &e->points[point];
    for (int i = 0; i < STRAINS; ++i) {
        int first = to->forms->count;
        AC_TRY(point_map(system, e, p, i, to));
        const ac_part part = {
            -1,        {.kind = AC_OUTER_VALUE}, e->beam, system->mesh.element_count + number, i,
            p->weight, p->reference[i],          point};
        AC_TRY(to->part(to, &part, first));
    }
    return AC_OK;
}

ac_status ac_high_beam_describe(const ac_system *system, int k, ac_describing *to)
{
    const ac_high_element *e = &system->mesh.high[k];
    for (int p = 0; p < e->order; ++p) AC_TRY(describe_point(system, k, p, to));
    return AC_OK;
}

void ac_high_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    const ac_high_element *e = &system->mesh.high[k];
    const ac_beam_point *p = &e->points[part / STRAINS];
    int i = part % STRAINS;
    strain_numbers(&system->beams[e->beam], i, p->weight, p->stiffness[i], p->reference[i], numbers);
}
