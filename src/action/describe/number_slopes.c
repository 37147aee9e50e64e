/* Derivatives of the numbers of an interval by one parameter, from those of the data of its system: product rules over
 * what finish.c, the kinds of elements and discrete_inputs.c compute.
 *
 *   inertia      of nodes and of coupled nodes; gravity m g
 *   rows         linear in places, or the square of a gap
 *   springs      stiffness, rest and damping themselves; the measure by its places
 *   strains      maps are inverse to the length: k = -l'/l kappa; stiffness l D, damping l D eta, value without stress
 *   functions    of the user along beams: weight, maps, references, stiffness, place and parameters
 *   forces       A^T F with the matrix A of the place, linear in it
 */
#include "action/describe/numbers.h"
#include "model/beam/strain.h"

typedef struct slope_pass {
    const ac_discrete *d;
    const ac_system_slope *slope;
    const ac_system *system;
    ac_number_sink sink;
    void *user;
    ac_forms forms; /* derivatives of maps */
} slope_pass;

static ac_status put(const slope_pass *s, ac_number_key key, double value)
{
    return value == 0.0 ? AC_OK : s->sink(s->user, &key, value);
}

/* A map times a factor; `at` gives the coordinates of its indices, NULL: they are coordinates. */
static ac_status put_map(const slope_pass *s, const ac_forms *forms, int map, const int *at, double factor,
                         ac_number_key key)
{
    key.i = key.j = -1;
    AC_TRY(put(s, key, factor * forms->constant[map]));
    for (int e = forms->linear_start[map]; e < forms->linear_start[map + 1]; ++e) {
        key.i = at ? at[forms->linears[e].i] : forms->linears[e].i;
        AC_TRY(put(s, key, factor * forms->linears[e].b));
    }
    for (int e = forms->product_start[map]; e < forms->product_start[map + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        int i = at ? at[p->i] : p->i, j = at ? at[p->j] : p->j;
        key.i = i < j ? i : j;
        key.j = i < j ? j : i;
        AC_TRY(put(s, key, factor * p->a));
    }
    return AC_OK;
}

/* --- inertia and gravity --- */

static ac_status put_block(const slope_pass *s, int row, int column, int dimension, double value)
{
    for (int c = 0; c < dimension; ++c)
        AC_TRY(put(s, (ac_number_key){AC_NUMBER_MASS, 0, 0, row + c, column + c}, value));
    return AC_OK;
}

/* (m g)', and of a slope of a slope m' g` + m` g' with both first derivatives; `by_mass`: by the slope, and by those. */
static ac_status put_weight(const slope_pass *s, int node, double mass, const double by_mass[3])
{
    const ac_node *own = &s->system->nodes[node];
    for (int k = 0; k < own->dimension; ++k) {
        double by = by_mass[0] * s->system->gravity[k] + mass * s->slope->gravity[k];
        if (s->slope->of)
            by += by_mass[1] * s->slope->along->gravity[k] + by_mass[2] * s->slope->of->gravity[k];
        AC_TRY(put(s, (ac_number_key){AC_NUMBER_GRAVITY, 0, 0, own->q + k, -1}, by));
    }
    return AC_OK;
}

static ac_status put_node(const slope_pass *s, int number)
{
    const ac_node *node = &s->system->nodes[number];
    const ac_node_slope *by = &s->slope->nodes[number];
    int d = node->dimension, first = node->q + d, directors = ac_node_type_of(node)->directors;
    AC_TRY(put_block(s, node->q, node->q, d, by->mass));
    for (int I = 0; I < directors; ++I)
        for (int J = 0; J < directors; ++J)
            AC_TRY(put_block(s, first + d * I, first + d * J, d, by->euler[3 * I + J]));
    for (int k = 0; k < 2 && ac_node_type_of(node)->relative; ++k) {
        int at = node->q + AC_DUAL_AT + 4 * k;
        AC_TRY(put(s, (ac_number_key){AC_NUMBER_MASS, 1, 0, at, at}, by->ambient[k]));
    }
    const ac_system_slope *of = s->slope->of, *along = s->slope->along;
    return put_weight(
        s, number, node->mass,
        (double[3]){by->mass, of ? of->nodes[number].mass : 0.0, of ? along->nodes[number].mass : 0.0});
}

static ac_status put_pair(const slope_pass *s, int number)
{
    const ac_mass_pair *pair = &s->system->mesh.mass_pairs[number];
    const ac_node *a = &s->system->nodes[pair->a], *b = &s->system->nodes[pair->b];
    const ac_pair_slope *by = &s->slope->pairs[number];
    const double part[4] = {by->mass, by->euler[0], by->euler[1], by->euler[2]};
    for (int k = 0; k < 4; ++k) {
        AC_TRY(put_block(s, a->q + 3 * k, b->q + 3 * k, 3, part[k]));
        AC_TRY(put_block(s, b->q + 3 * k, a->q + 3 * k, 3, part[k]));
    }
    const ac_system_slope *of = s->slope->of, *along = s->slope->along;
    const double mass[3] = {by->mass, of ? of->pairs[number].mass : 0.0,
                            of ? along->pairs[number].mass : 0.0};
    AC_TRY(put_weight(s, pair->a, pair->mass, mass));
    return put_weight(s, pair->b, pair->mass, mass);
}

static ac_status put_inertia(const slope_pass *s)
{
    for (int i = 0; i < s->system->node_count; ++i) AC_TRY(put_node(s, i));
    for (int p = 0; p < s->system->mesh.mass_pair_count; ++p) AC_TRY(put_pair(s, p));
    return AC_OK;
}

/* --- constraints --- */

static ac_status put_rows(slope_pass *s)
{
    for (int j = 0; j < s->system->joint_count; ++j) {
        int first = s->forms.count;
        if (!ac_joint_varies(s->slope, j)) continue;
        AC_TRY(ac_joint_row_slopes(s->slope, j, s->d->ctx, &s->forms));
        for (int k = 0; k < s->system->joints[j].rows; ++k)
            AC_TRY(put_map(
                s, &s->forms, first + k, NULL, 1.0,
                (ac_number_key){AC_NUMBER_CONSTRAINT, s->system->joints[j].first_row + k, 0, -1, -1}));
    }
    return AC_OK;
}

/* --- elements --- */

static ac_status put_spring(const slope_pass *s, int k)
{
    const ac_discrete_spring *part = &s->d->springs[k];
    const ac_spring_slope *by = &s->slope->springs[part->source];
    const ac_spring_data *spring = &s->system->springs[part->source];
    bool square = part->law->of_square,
         length = s->system->measures[spring->measure].kind == AC_MEASURE_LENGTH,
         twin = !square && length && spring->rest == 0.0; /* the damper of a spring of length zero */
    if (!twin) AC_TRY(put(s, (ac_number_key){AC_NUMBER_LAW, k, 0, -1, -1}, by->stiffness));
    if (!square) AC_TRY(put(s, (ac_number_key){AC_NUMBER_LAW, k, 1, -1, -1}, by->rest));
    return square ? AC_OK : put(s, (ac_number_key){AC_NUMBER_DAMPING, k, 0, -1, -1}, by->damping);
}

static double relaxation_slope(const ac_system_slope *slope, int beam, int strain)
{
    const ac_beam_slope *by = &slope->beams[beam];
    return by->damping + by->relaxation[ac_beam_viscosity(strain)];
}

/* (D eta)'' without D'' and eta'', where the lengths stay. */
static double mixed_damping(const slope_pass *s, int point, int beam, int strain)
{
    const ac_system_slope *of = s->slope->of, *along = s->slope->along;
    if (!of) return 0.0;
    return of->strains[point].stiffness[strain] * relaxation_slope(along, beam, strain) +
           along->strains[point].stiffness[strain] * relaxation_slope(of, beam, strain);
}

/* Of the lengths and strains without stress of an element: by one parameter, or by two. */
typedef struct element_slope {
    double length; /* of its logarithm */
    ac_triple W, K;
    double scalar[2];
} element_slope;

static element_slope element_slope_of(const ac_strain_slope *by)
{
    return (element_slope){
        .length = by->stretch, .W = ac_triple_of(by->reference), .K = ac_triple_of(by->reference + 3)};
}

/* r_0^2 = 4/l^2 - K^2 and r_0 r_1 = -K . W of the scalars without stress, differentiated once, or by a and b. */
static void scalar_slopes(const ac_beam_element *e, const element_slope *a, const element_slope *b,
                          element_slope *by)
{
    const ac_triple W = ac_triple_of(e->reference), K = ac_triple_of(e->reference + 3);
    const double inverse = 4.0 / (e->length * e->length);
    double r[2], first = -inverse * by->length - ac_triple_dot(K, by->K),
                 second = -ac_triple_dot(by->K, W) - ac_triple_dot(K, by->W);
    ac_dual_scalars(e->length, e->reference, r);
    by->scalar[0] = by->scalar[1] = 0.0;
    if (!(r[0] > 0.0)) return;
    if (a) {
        first += 3.0 * inverse * a->length * b->length - ac_triple_dot(a->K, b->K) -
                 a->scalar[0] * b->scalar[0];
        second -= ac_triple_dot(a->K, b->W) + ac_triple_dot(b->K, a->W) + a->scalar[1] * b->scalar[0] +
                  b->scalar[1] * a->scalar[0];
    }
    by->scalar[0] = first / r[0];
    by->scalar[1] = (second - r[1] * by->scalar[0]) / r[0];
}

/* Of the value without stress of a scalar part of a dual quaternion beam, 0 or 1. */
static double scalar_reference_slope(const slope_pass *s, int point, int which)
{
    const ac_beam_element *e = &s->system->mesh.elements[point];
    const ac_system_slope *of = s->slope->of, *along = s->slope->along;
    element_slope by = element_slope_of(&s->slope->strains[point]), a, b;
    if (of) {
        a = element_slope_of(&of->strains[point]);
        b = element_slope_of(&along->strains[point]);
        scalar_slopes(e, NULL, NULL, &a);
        scalar_slopes(e, NULL, NULL, &b);
    }
    scalar_slopes(e, of ? &a : NULL, &b, &by);
    return by.scalar[which];
}

static ac_status put_strain(const slope_pass *s, int k, int number)
{
    enum { STRAINS = 6 }; /* those behind them are scalar parts of dual quaternions */
    const ac_discrete_spring *part = &s->d->springs[k];
    const int point = ac_strain_point(s->system, part->element, part->point);
    const ac_strain_slope *by = &s->slope->strains[point];
    const ac_scalar *scalar = &s->d->scalars.list[part->scalar];
    int i = part->strain;
    bool strain = i < STRAINS;
    double l = part->weight, D = part->data[0] / l, by_l = strain && i >= 3 ? by->bend : by->stretch,
           by_D = strain ? by->stiffness[i] : s->slope->beams[number].ambient[2 + i - STRAINS],
           product = l * (by_l * D + by_D),
           eta = strain ? ac_beam_relaxation(&s->system->beams[number], i) : 0.0,
           by_eta = strain ? relaxation_slope(s->slope, number, i) : 0.0;
    AC_TRY(put(s, (ac_number_key){AC_NUMBER_LAW, k, 0, -1, -1}, product));
    AC_TRY(put(s, (ac_number_key){AC_NUMBER_LAW, k, 1, -1, -1},
               strain ? by->reference[i] : scalar_reference_slope(s, point, i - STRAINS)));
    if (strain)
        AC_TRY(put(s, (ac_number_key){AC_NUMBER_DAMPING, k, 0, -1, -1},
                   product * eta + l * D * by_eta + l * mixed_damping(s, point, number, i)));
    return put_map(s, &s->d->scalars.forms, scalar->first_form,
                   ac_scalar_coordinates(&s->d->scalars, part->scalar), -by_l,
                   (ac_number_key){AC_NUMBER_MAP, part->scalar, 0, -1, -1});
}

/* A function of the user along a beam: its weight, the maps of strains, which are inverse to lengths, and its own numbers. */
static ac_status put_function(const slope_pass *s, int k)
{
    const ac_discrete_spring *part = &s->d->springs[k];
    const ac_function_data *f = &s->system->mesh.functions[part->number];
    const ac_beam_data *beam = &s->system->beams[f->beam];
    const ac_scalar *scalar = &s->d->scalars.list[part->scalar];
    ac_number_key key = {AC_NUMBER_FUNCTION, part->scalar, AC_FUNCTION_PLACE, -1, -1};
    double weight, at;
    bool strains = f->node < 0;
    ac_beam_function_slope(s->slope, part->number, &weight, &at);
    AC_TRY(put(s, (ac_number_key){AC_NUMBER_LAW, k, 0, -1, -1}, weight));
    AC_TRY(put(s, key, at));
    for (int j = 0; j < f->function.names; ++j) {
        key.row = AC_FUNCTION_NAME + j;
        AC_TRY(put(s, key, s->slope->beams[f->beam].named[!strains][j]));
    }
    if (!strains) return AC_OK;
    const ac_strain_slope *by = &s->slope->strains[ac_beam_strain_point(
        s->system, beam, (f->element - beam->first_element) * beam->order + f->point)];
    for (int i = 0; i < f->function.variables; ++i) {
        key.row = AC_FUNCTION_REFERENCE + i;
        AC_TRY(put(s, key, by->reference[i]));
        key.row = AC_FUNCTION_STIFFNESS + i;
        AC_TRY(put(s, key, by->stiffness[i]));
        AC_TRY(put_map(s, &s->d->scalars.forms, scalar->first_form + i,
                       ac_scalar_coordinates(&s->d->scalars, part->scalar), i < 3 ? -by->stretch : -by->bend,
                       (ac_number_key){AC_NUMBER_MAP, part->scalar, i, -1, -1}));
    }
    return AC_OK;
}

static ac_status put_parts(const slope_pass *s)
{
    for (int k = 0; k < s->d->spring_count; ++k) {
        int beam = s->d->springs[k].beam;
        if (s->d->scalars.list[s->d->springs[k].scalar].outer.kind == AC_OUTER_FUNCTION)
            AC_TRY(put_function(s, k));
        if (s->d->springs[k].source >= 0) AC_TRY(put_spring(s, k));
        if (beam >= 0) AC_TRY(put_strain(s, k, beam));
    }
    return AC_OK;
}

/* --- scalars that are measures --- */

static ac_status put_measures(slope_pass *s)
{
    for (int k = 0; k < s->d->scalars.count; ++k) {
        int measure = s->d->scalars.list[k].measure, at[AC_ELEMENT_MAX], first = s->forms.count;
        bool varies;
        if (measure < 0) continue;
        const ac_measure *m = &s->system->measures[measure];
        AC_TRY(ac_measure_slope(s->slope, measure, s->d->ctx, &s->forms, &varies));
        if (!varies) continue;
        ac_block_coordinates(s->system, m->nodes, m->node_count, at);
        for (int row = 0; first + row < s->forms.count; ++row)
            AC_TRY(
                put_map(s, &s->forms, first + row, at, 1.0, (ac_number_key){AC_NUMBER_MAP, k, row, -1, -1}));
    }
    return AC_OK;
}

/* --- forces at places --- */

/* Input k, which is a component of a force on a node, by its place. */
static ac_status put_push(const slope_pass *s, int k, int number, int component, bool follows,
                          const double by_place[3])
{
    const ac_node *node = &s->system->nodes[number];
    double unit[3] = {0.0, 0.0, 0.0};
    bool turns = follows && ac_node_turns(node) > 0;
    unit[component] = 1.0;
    ac_affine3 direction = ac_node_direction(turns ? node : NULL, turns ? node->q : 0, unit),
               by = ac_node_direction(node, node->q, by_place);
    for (int i = 0; i < node->dimension; ++i)
        for (int e = 0; e < by.part[i].count; ++e) {
            ac_number_key key = {AC_NUMBER_INPUT, k, by.part[i].index[e], -1, -1};
            const ac_affine *F = &direction.part[i];
            double factor = by.part[i].coefficient[e];
            AC_TRY(put(s, key, factor * F->constant));
            for (int c = 0; c < F->count; ++c) {
                key.i = F->index[c];
                AC_TRY(put(s, key, factor * F->coefficient[c]));
            }
        }
    return AC_OK;
}

static ac_status put_force(const slope_pass *s, int k)
{
    const ac_input *input = &s->d->inputs[k];
    const ac_load_data *load = &s->system->loads[input->load_number];
    return put_push(s, k, load->node, input->component, load->follows, s->slope->loads[input->load_number]);
}

static ac_status put_forces(const slope_pass *s)
{
    for (int k = 0; k < s->d->control_count && k < s->slope->control_count; ++k) {
        const ac_control_slope *by = &s->slope->controls[k];
        if (by->node >= 0) AC_TRY(put_push(s, k, by->node, by->component, by->follows, by->place));
    }
    for (int k = s->d->control_count; k < s->d->input_count; ++k) {
        const ac_input *input = &s->d->inputs[k];
        if (input->load && s->system->loads[input->load_number].type == AC_LOAD_FORCE)
            AC_TRY(put_force(s, k));
    }
    return AC_OK;
}

static ac_status put_all(slope_pass *s)
{
    AC_TRY(put_inertia(s));
    AC_TRY(put_rows(s));
    AC_TRY(put_parts(s));
    AC_TRY(put_measures(s));
    return put_forces(s);
}

ac_status ac_number_slopes(const ac_discrete *d, const ac_system_slope *slope, ac_number_sink sink,
                           void *user)
{
    slope_pass s = {.d = d, .slope = slope, .system = slope->system, .sink = sink, .user = user};
    ac_status status = put_all(&s);
    ac_forms_free(d->ctx, &s.forms);
    return status;
}
