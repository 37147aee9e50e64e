/* Beams as springs of the discrete mechanics: every strain of every element is a scalar s(q), quadratic
 * in the coordinates
 * or, for rods, a quotient of two quadratic maps, with the potential l D/2 (s - s_ref)^2 and the damping
 * force
 * -l eta D (ds/dt) grad s. So all that springs have, exact second and third derivatives included, beams
 * have too. */
#include "action/describe/discrete.h"

enum { STRAINS = 6, DIRECTORS = 3 };

int ac_discrete_beam_springs(const ac_system *system)
{
    int count = STRAINS * system->beam_element_count;
    for (int k = 0; k < system->high_element_count; ++k) count += STRAINS * system->high_elements[k].order;
    return count;
}

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

/* One strain of an element: 0 to 2 against shear and stretch, 3 to 5 against bending and torsion. */
typedef struct strain {
    const ac_beam_data *beam;
    int element, number;
    double weight, stiffness, reference;
} strain;

/* The maps added since first_form become a strain. */
static ac_status add_strain(ac_discrete *d, ac_outer_kind kind, int first_form, const strain *e)
{
    ac_discrete_spring *s = &d->springs[d->spring_count];
    const ac_outer outer = {.kind = kind, .factor = 1.0};
    *s = (ac_discrete_spring){.measure = -1,
                              .stiffness = e->weight * e->stiffness,
                              .damping = e->weight * e->stiffness * e->beam->damping,
                              .rest = e->reference,
                              .beam = (int)(e->beam - d->system->beams),
                              .element = e->element,
                              .strain = e->number,
                              .weight = e->weight,
                              .reference = e->reference,
                              .stretch = e->number < 3,
                              .stress = -1};
    AC_TRY(ac_scalars_close_outer(&d->scalars, &outer, first_form, &s->scalar));
    ++d->spring_count;
    return AC_OK;
}

/* --- elements of order 1 --- */

static ac_status add_stretch(ac_discrete *d, const ac_beam_element *e, int i)
{
    const ac_beam_data *beam = &d->system->beams[e->beam];
    const ac_node *a = &d->system->nodes[e->node], *b = a + 1;
    int first = d->scalars.forms.count;
    bool edge = beam->model == AC_BEAM_EDGE;
    if (!(e->length > 0.0)) return AC_OK;
    ac_affine3 gap = {0}, frame = director(a, i, (edge ? 1.0 : 0.5) / e->length);
    add_triple(&gap, b, 0, 1.0);
    add_triple(&gap, a, 0, -1.0);
    if (!edge) add_triple(&frame, b, DIRECTORS + 3 * i, 0.5 / e->length);
    AC_TRY(ac_forms_begin(d->ctx, &d->scalars.forms, 0.0));
    AC_TRY(ac_forms_add_dot(d->ctx, &d->scalars.forms, &gap, &frame, 1.0));
    const strain own = {beam,           (int)(e - d->system->beam_elements), i, e->length, e->stiffness[i],
                        e->reference[i]};
    return add_strain(d, AC_OUTER_VALUE, first, &own);
}

static ac_status add_bend(ac_discrete *d, const ac_beam_element *e, int i)
{
    const ac_beam_data *beam = &d->system->beams[e->beam];
    const ac_node *a = &d->system->nodes[e->node], *b = a + 1;
    ac_forms *forms = &d->scalars.forms;
    int first = forms->count, j = (i + 1) % 3, k = (i + 2) % 3;
    bool rod = beam->model != AC_BEAM_DIRECTOR;
    double half = 0.5 / e->bend;
    ac_affine3 ak = director(a, k, 1.0), bj = director(b, j, 1.0), aj = director(a, j, 1.0),
               bk = director(b, k, 1.0);
    AC_TRY(ac_forms_begin(d->ctx, forms, 0.0));
    AC_TRY(ac_forms_add_dot(d->ctx, forms, &ak, &bj, half));
    AC_TRY(ac_forms_add_dot(d->ctx, forms, &aj, &bk, -half));
    if (rod) { /* 1 + trace of the relative rotation */
        AC_TRY(ac_forms_begin(d->ctx, forms, 1.0));
        for (int c = 0; c < 3; ++c) {
            ac_affine3 da = director(a, c, 1.0), db = director(b, c, 1.0);
            AC_TRY(ac_forms_add_dot(d->ctx, forms, &da, &db, 1.0));
        }
    }
    const strain own = {
        beam, (int)(e - d->system->beam_elements), 3 + i, e->bend, e->stiffness[3 + i], e->reference[3 + i]};
    return add_strain(d, rod ? AC_OUTER_CAYLEY : AC_OUTER_VALUE, first, &own);
}

/* --- elements of higher order: fields are interpolated between their nodes --- */

static ac_affine3 field(const ac_discrete *d, const ac_high_element *e, const double *weights, int start)
{
    ac_affine3 sum = {0};
    for (int n = 0; n <= e->order; ++n) add_triple(&sum, &d->system->nodes[e->node + n], start, weights[n]);
    return sum;
}

static ac_status add_point(ac_discrete *d, const ac_high_element *e, const ac_beam_point *p)
{
    const ac_beam_data *beam = &d->system->beams[e->beam];
    ac_forms *forms = &d->scalars.forms;
    int element = d->system->beam_element_count + (int)(e - d->system->high_elements);
    ac_affine3 slope = field(d, e, p->dN, 0), frame[3], bend[3];
    for (int i = 0; i < 3; ++i) {
        frame[i] = field(d, e, p->N, DIRECTORS + 3 * i);
        bend[i] = field(d, e, p->dN, DIRECTORS + 3 * i);
    }
    for (int i = 0; i < STRAINS; ++i) {
        int first = forms->count, j = (i + 1) % 3, k = (i + 2) % 3;
        AC_TRY(ac_forms_begin(d->ctx, forms, 0.0));
        if (i < 3) {
            AC_TRY(ac_forms_add_dot(d->ctx, forms, &frame[i], &slope, 1.0));
        } else {
            AC_TRY(ac_forms_add_dot(d->ctx, forms, &frame[k], &bend[j], 0.5));
            AC_TRY(ac_forms_add_dot(d->ctx, forms, &frame[j], &bend[k], -0.5));
        }
        const strain own = {beam, element, i, p->weight, p->stiffness[i], p->reference[i]};
        AC_TRY(add_strain(d, AC_OUTER_VALUE, first, &own));
    }
    return AC_OK;
}

ac_status ac_discrete_add_beams(ac_discrete *d)
{
    const ac_system *system = d->system;
    for (int k = 0; k < system->beam_element_count; ++k)
        for (int i = 0; i < 3; ++i) {
            AC_TRY(add_stretch(d, &system->beam_elements[k], i));
            AC_TRY(add_bend(d, &system->beam_elements[k], i));
        }
    for (int k = 0; k < system->high_element_count; ++k)
        for (int p = 0; p < system->high_elements[k].order; ++p)
            AC_TRY(add_point(d, &system->high_elements[k], &system->high_elements[k].points[p]));
    return AC_OK;
}
