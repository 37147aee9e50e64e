/* Values of parameters on a finished system.
 *
 * The file is read once more, with the parameters marked: how every number of the description follows from them is
 * recorded. Setting the parameters evaluates the records, and the description is built again by the very
 * functions that built it at first, in a block of memory that is taken back at once. So what is computed from the
 * description (places about centres of mass, quadratic maps, the mass matrix, the assembled start) has one
 * definition only.
 */
#include "problem/build/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "base/number/formula.h"
#include "base/signal.h"
#include "base/vector.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"
#include "problem/certify/certify.h"

/* --- the pool ---------------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 };

static void *pool_allocate(void *user, size_t size)
{
    ac_pool *pool = user;
    if (pool->lasting) return ac_allocate(pool->ctx, size, 1);
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pool->wanted += rounded;
    if (rounded <= pool->size - pool->used) {
        void *block = pool->block + pool->used;
        pool->used += rounded;
        return block;
    }
    void **further = ac_allocate(pool->ctx, size + ALIGNMENT, 1);
    if (!further) return NULL;
    *further = pool->further;
    pool->further = further;
    return (char *)further + ALIGNMENT;
}

static void pool_release(void *user, void *block)
{
    (void)user, (void)block;
}

static void pool_reset(ac_pool *pool)
{
    while (pool->further) {
        void **next = *pool->further;
        ac_release(pool->ctx, pool->further);
        pool->further = next;
    }
    pool->used = pool->wanted = 0;
}

/* --- slots ------------------------------------------------------------------------------------------------- */

/* The number of a piece with mass that a datum stands for. */
static double *number_of_node(ac_piece *piece, int datum, int component)
{
    switch (piece->kind) {
    case AC_PIECE_BODY:
        return datum == AC_DATUM_MASS       ? &piece->as.body.mass
               : datum == AC_DATUM_INERTIA  ? &piece->as.body.inertia[component]
               : datum == AC_DATUM_CENTRE   ? &piece->as.body.centre[component]
               : datum == AC_DATUM_POSITION ? &piece->as.body.pose.position[component]
               : datum == AC_START_ROTATION ? &piece->as.body.pose.rotation[component]
               : datum == AC_START_VELOCITY ? &piece->as.body.velocity[component]
                                            : &piece->as.body.angular_velocity[component];
    case AC_PIECE_PLANAR:
        return datum == AC_DATUM_MASS       ? &piece->as.planar.mass
               : datum == AC_DATUM_INERTIA  ? &piece->as.planar.inertia
               : datum == AC_DATUM_CENTRE   ? &piece->as.planar.centre[component]
               : datum == AC_DATUM_POSITION ? &piece->as.planar.position[component]
               : datum == AC_START_ANGLE    ? &piece->as.planar.angle
               : datum == AC_START_VELOCITY ? &piece->as.planar.velocity[component]
                                            : &piece->as.planar.angular_velocity;
    case AC_PIECE_POINT:
        return datum == AC_DATUM_MASS       ? &piece->as.point.mass
               : datum == AC_DATUM_POSITION ? &piece->as.point.position[component]
                                            : &piece->as.point.velocity[component];
    default: return NULL;
    }
}

static double *number_of_beam(ac_beam *beam, int datum, int component)
{
    double *const stiffness[6] = {&beam->shear[0],   &beam->shear[1],   &beam->axial,
                                  &beam->bending[0], &beam->bending[1], &beam->torsion};
    switch (datum) {
    case AC_DATUM_BEAM_STIFFNESS: return stiffness[component];
    case AC_DATUM_BEAM_MASS: return &beam->mass;
    case AC_DATUM_BEAM_INERTIA: return &beam->inertia[component];
    case AC_DATUM_BEAM_DAMPING: return &beam->damping;
    case AC_DATUM_BEAM_RELAXATION: return &beam->relaxation[component];
    case AC_BEAM_REST: return &beam->rest_length;
    case AC_BEAM_PRECURVATURE: return &beam->precurvature[component];
    case AC_BEAM_AMBIENT: return &beam->ambient[component];
    case AC_START_VELOCITY: return &beam->velocity[component];
    case AC_START_SPIN: return &beam->angular_velocity[component];
    default: return NULL;
    }
}

static double *number_of_joint(ac_joint *joint, const ac_followed *what)
{
    switch ((int)what->datum) {
    case AC_DATUM_JOINT_PLACE:
        return &(what->side == 0 ? &joint->frame_a : &joint->frame_b)->position[what->component];
    case AC_DATUM_JOINT_LENGTH: return &joint->length;
    case AC_JOINT_AXES:
        return &(what->side == 0 ? &joint->frame_a : &joint->frame_b)->rotation[what->component];
    case AC_DATUM_START_COORDINATE: return &joint->coordinates[what->component];
    default: return &joint->rates[what->component];
    }
}

static double *number_of_spring(ac_piece *piece, const ac_followed *what)
{
    bool between = piece->kind == AC_PIECE_SPRING;
    ac_spring *spring = &piece->as.spring;
    ac_joint_spring *in_joint = &piece->as.joint_spring;
    switch (what->datum) {
    case AC_DATUM_STIFFNESS: return between ? &spring->stiffness : &in_joint->stiffness;
    case AC_DATUM_DAMPING: return between ? &spring->damping : &in_joint->damping;
    case AC_DATUM_REST: return between ? &spring->length : &in_joint->rest;
    default: return between ? &(what->side == 0 ? &spring->a : &spring->b)->place[what->component] : NULL;
    }
}

static double *number_of_load(ac_load *load, const ac_followed *what)
{
    double *time, *value;
    if (what->datum == AC_DATUM_LOAD_PLACE) return &load->point.place[what->component];
    if (what->component >= ac_signal_points(load->value[what->side], &time, &value)) return NULL;
    return &((int)what->datum == AC_LOAD_TIME ? time : value)[what->component];
}

static double *number_of_contact(ac_contact *contact, const ac_followed *what)
{
    double *const numbers[AC_CONTACT_NUMBERS] = {&contact->radius, &contact->other_radius, &contact->limit,
                                                 &contact->restitution, &contact->loss};
    if ((int)what->datum == AC_CONTACT_NUMBER) return numbers[what->component];
    return &(what->side == 0 ? &contact->point : &contact->other)->place[what->component];
}

/* NULL: the description has no such number. */
static double *number_of(const ac_values *v, const ac_followed *what)
{
    const ac_description *d = &v->description;
    int datum = (int)what->datum;
    bool of_beam = (datum >= AC_DATUM_BEAM_STIFFNESS && datum <= AC_DATUM_BEAM_RELAXATION) ||
                   datum == AC_BEAM_REST || datum == AC_BEAM_PRECURVATURE || datum == AC_BEAM_AMBIENT;
    ac_piece *piece = NULL;
    if (datum == AC_BEAM_CURVE) return ac_drawn_number(v->builder.beams[what->object].drawn, what->component);
    if (datum == AC_BEAM_PROFILE)
        return &ac_profile_number(v->builder.beams[what->object].profile, what->component)->v;
    if (datum == AC_BEAM_ENERGY)
        return &(what->side == 0 ? v->builder.beams[what->object].energy
                                 : v->builder.beams[what->object].potential)
                    ->values[what->component];
    if (datum == AC_DATUM_GRAVITY) return (double *)&d->gravity[what->component];
    if (of_beam || ((datum == AC_START_VELOCITY || datum == AC_START_SPIN) && what->side == 1)) {
        piece = ac_description_beam(d, what->object);
        return piece ? number_of_beam(&piece->as.beam, datum, what->component) : NULL;
    }
    switch (datum) {
    case AC_DATUM_MASS:
    case AC_DATUM_INERTIA:
    case AC_DATUM_CENTRE:
    case AC_DATUM_POSITION:
    case AC_START_VELOCITY:
    case AC_START_SPIN:
    case AC_START_ROTATION:
    case AC_START_ANGLE:
        piece = ac_description_node(d, what->object);
        if (piece && piece->kind == AC_PIECE_BEAM)
            return datum == AC_DATUM_MASS ? &piece->point_masses[what->object - piece->first_node] : NULL;
        return piece ? number_of_node(piece, datum, what->component) : NULL;
    case AC_DATUM_JOINT_PLACE:
    case AC_DATUM_JOINT_LENGTH:
    case AC_JOINT_AXES:
    case AC_DATUM_START_COORDINATE:
    case AC_DATUM_START_RATE:
        piece = ac_description_joint(d, what->object);
        return piece ? number_of_joint(&piece->as.joint, what) : NULL;
    case AC_DATUM_STIFFNESS:
    case AC_DATUM_DAMPING:
    case AC_DATUM_REST:
    case AC_DATUM_SPRING_PLACE:
        piece = ac_description_spring(d, what->object);
        return piece ? number_of_spring(piece, what) : NULL;
    case AC_CONTACT_PLACE:
    case AC_CONTACT_NUMBER:
        piece = ac_description_contact(d, what->object);
        return piece ? number_of_contact(&piece->as.contact, what) : NULL;
    default:
        piece = ac_description_load(d, what->object);
        return piece ? number_of_load(&piece->as.load, what) : NULL;
    }
}

/* Values at one place along a beam follow from its profile, and its length from its curve: they have derivatives and are not
 * set. */
static bool is_derived(const ac_followed *what)
{
    if (what->datum == AC_DATUM_BEAM_LENGTH) return true;
    return (int)what->datum >= AC_DATUM_BEAM_STIFFNESS && (int)what->datum <= AC_DATUM_BEAM_INERTIA &&
           what->side > 0;
}

/* --- the graph --- */

ac_status ac_values_evaluate(ac_values *v)
{
    const ac_graph *g = v->builder.reader.graph;
    AC_TRY(ac_graph_fit(g, v->ctx, &v->work));
    ac_graph_evaluate(g, &v->work, v->x);
    return AC_OK;
}

ac_status ac_values_tangent(ac_values *v, int parameter)
{
    AC_TRY(ac_values_evaluate(v));
    memset(v->dx, 0, (size_t)v->inputs * sizeof *v->dx);
    v->dx[parameter] = 1.0;
    ac_graph_tangent(v->builder.reader.graph, &v->work, v->dx);
    return AC_OK;
}

static ac_status list_inputs(const ac_values *v, int **list)
{
    AC_NEW(v->ctx, *list, v->inputs + 1);
    for (int k = 0; k < v->inputs; ++k) (*list)[k] = k;
    return AC_OK;
}

ac_status ac_values_expression(const ac_values *v, int node, ac_expression **expression)
{
    int *list;
    AC_TRY(list_inputs(v, &list));
    ac_status status = ac_graph_expression(v->ctx, v->builder.reader.graph, node, list, v->inputs,
                                           expression);
    ac_release(v->ctx, list);
    return status;
}

ac_status ac_values_named(ac_values *v, const char *name, ac_expression **expression)
{
    int *list;
    AC_TRY(list_inputs(v, &list));
    ac_status status = ac_named_expression(&v->builder, name, list, v->inputs, expression);
    ac_release(v->ctx, list);
    return status;
}

/* A component of a load: a signal of its own, which looks at the present parameters. */
static ac_status take_load(ac_values *v, const ac_followed *what)
{
    ac_signal *signal = NULL;
    ac_expression *expression;
    ac_piece *piece = ac_description_load(&v->description, what->object);
    AC_TRY(
        ac_grow(v->ctx, (void **)&v->signals, &v->signal_capacity, v->signal_count + 1, sizeof(ac_signal *)));
    AC_TRY(ac_grow(v->ctx, (void **)&v->loads, &v->load_capacity, v->signal_count + 1, sizeof *v->loads));
    AC_TRY(ac_values_expression(v, what->node, &expression));
    AC_TRY(ac_signal_of_numbers(v->ctx, expression, v->count, v->x, &signal));
    const ac_signal *before = piece->as.load.value[what->component];
    if (before && ac_signal_is_sampled(before)) ac_signal_sample_middle(signal);
    v->loads[v->signal_count] = (struct ac_driven_load){what->object, what->component, expression};
    v->signals[v->signal_count++] = signal;
    piece->as.load.value[what->component] = signal;
    return AC_OK;
}

static ac_status take_slot(void *user, const ac_followed *what, ac_place place)
{
    ac_values *v = user;
    if (what->datum == AC_DATUM_LOAD) return take_load(v, what);
    ac_slot slot = {.node = what->node,
                    .datum = (int)what->datum,
                    .object = what->object,
                    .side = what->side,
                    .component = what->component};
    if (!is_derived(what)) slot.number = number_of(v, what);
    if (!slot.number && !is_derived(what))
        return ac_fail_at(v->ctx, place, "a parameter acts here on something that cannot be set");
    AC_TRY(ac_grow(v->ctx, (void **)&v->slots, &v->slot_capacity, v->slot_count + 1, sizeof slot));
    if (slot.datum == AC_LOAD_TIME || slot.datum == AC_LOAD_POINT)
        AC_TRY(ac_values_expression(v, what->node, &slot.expression));
    if (what->datum == AC_DATUM_INERTIA)
        ac_description_node(&v->description, what->object)->inertia_varies = true;
    v->slots[v->slot_count++] = slot;
    return AC_OK;
}

/* --- building ---------------------------------------------------------------------------------------------- */

/* Numbers of curves, or all others. */
static void fill(ac_values *v, bool curves)
{
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        if (slot->number && curves == (slot->datum == AC_BEAM_CURVE)) *slot->number = v->work.v[slot->node];
    }
}

/* Lengths along which energies of beams are given: without stress, as far as the nodes show it. */
static void measure_beams(ac_values *v)
{
    for (int k = 0; k < v->builder.beam_count; ++k) {
        const ac_piece *piece = ac_description_beam(&v->description, k);
        ac_profile *profile = v->builder.beams[k].profile;
        if (!profile->energy) continue;
        profile->length = piece->as.beam.rest_length;
        for (int i = 1; piece->as.beam.rest_length <= 0.0 && i < v->builder.beams[k].nodes; ++i) {
            double gap[3];
            sub3(piece->frames[i].position, piece->frames[i - 1].position, gap);
            profile->length += norm3(gap);
        }
    }
}

/* The description at the present values: poses of nodes follow from curves, and numbers from them. */
static ac_status describe(ac_values *v)
{
    pool_reset(&v->pool);
    ac_values_restore_pieces(v);
    AC_TRY(ac_values_evaluate(v));
    fill(v, true);
    AC_TRY(ac_values_lay_curves(v));
    fill(v, false);
    measure_beams(v);
    ac_values_turn_axes(v);
    return AC_OK;
}

static ac_status build(ac_values *v)
{
    ac_system *system = NULL;
    AC_TRY(ac_description_build(&v->description, v->inside, &system));
    v->system = *system;
    return AC_OK;
}

/* What changed about the kind of a system, in words; NULL: nothing. */
static const char *other_kind(const ac_values *v)
{
    const ac_system *a = v->given, *b = &v->system;
    if (a->initial.closure_rank != b->initial.closure_rank) return "the rank of the constraints changes";
    bool same = a->n == b->n && a->tree.freedoms == b->tree.freedoms && a->tree.loops == b->tree.loops &&
                a->constraints.count == b->constraints.count && a->measure_count == b->measure_count;
    for (int i = 0; same && i < a->node_count; ++i)
        same = a->nodes[i].joint == b->nodes[i].joint && a->nodes[i].parent == b->nodes[i].parent;
    return same ? NULL : "the tree of joints changes";
}

/* The parameters that are not as they were, with their values. */
static void write_changes(const ac_values *v, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < v->count && used + 1 < size; ++k) {
        if (v->x[k] == v->good[k]) continue;
        int more = snprintf(text + used, size - used, "%s%s = %.10g", used > 0 ? ", " : "", v->names[k],
                            v->x[k]);
        used += more > 0 ? (size_t)more : 0;
    }
}

static ac_status report(ac_values *v, ac_status status, const char *reason)
{
    char changes[256], message[1200];
    if (status == AC_NO_MEMORY) return ac_out_of_memory(v->ctx);
    write_changes(v, changes, sizeof changes);
    snprintf(message, sizeof message, "%s", reason);
    return ac_fail(v->ctx, status, "with %s: %s", changes, message);
}

static ac_status rebuild(ac_values *v)
{
    ac_status status = ac_limits_check(&v->limits, v->x);
    if (status != AC_OK) return report(v, status, ac_context_message(v->ctx));
    status = describe(v);
    if (status != AC_OK) return report(v, status, ac_context_message(v->inside));
    status = ac_description_check(v->ctx, &v->description);
    if (status != AC_OK) return report(v, status, ac_context_message(v->ctx));
    status = build(v);
    if (status != AC_OK) return report(v, status, ac_context_message(v->inside));
    const char *other = other_kind(v);
    return other ? report(v, AC_BAD_INPUT, other) : AC_OK;
}

ac_status ac_values_set(ac_values *v, const double *numbers)
{
    for (int k = 0; k < v->count; ++k)
        if (!isfinite(numbers[k]))
            return ac_fail(v->ctx, AC_BAD_INPUT, "the value of parameter '%s' is not a finite number",
                           v->names[k]);
    size_t bytes = (size_t)v->count * sizeof *v->x;
    memcpy(v->x, numbers, bytes);
    ac_status status = rebuild(v);
    if (status == AC_OK) {
        memcpy(v->good, v->x, bytes);
        return AC_OK;
    }
    memcpy(v->x, v->good, bytes);
    if (describe(v) != AC_OK || build(v) != AC_OK) return ac_out_of_memory(v->ctx); /* it was built before */
    return status;
}

/* --- making and freeing ------------------------------------------------------------------------------------ */

static ac_status copy_names(ac_values *v, const char *const *names, int count)
{
    AC_NEW(v->ctx, v->names, count);
    AC_NEW(v->ctx, v->good, count + 1);
    for (; v->count < count; ++v->count) {
        v->names[v->count] = ac_copy_text(v->ctx, names[v->count]);
        if (!v->names[v->count]) return ac_out_of_memory(v->ctx);
    }
    return AC_OK;
}

/* Contacts are described in the frames of the user again. */
static ac_status keep_contacts(ac_values *v)
{
    for (int k = 0; k < v->given->contact_count; ++k) {
        ac_piece piece = {.kind = AC_PIECE_CONTACT, .as.contact = v->given->contacts[k]};
        ac_point *const ends[] = {&piece.as.contact.point, &piece.as.contact.other};
        for (int e = 0; piece.as.contact.surface != AC_SURFACE_LIMIT && e < 2; ++e)
            if (ends[e]->node != AC_GROUND)
                add3(ends[e]->place, v->given->nodes[ends[e]->node].centre, ends[e]->place);
        AC_TRY(ac_description_keep(&v->description, &piece));
    }
    return AC_OK;
}

/* Values of parameters and t. */
static ac_status list_inputs_of(ac_values *v)
{
    v->inputs = v->builder.reader.graph->inputs;
    AC_NEW(v->ctx, v->x, v->inputs + 1);
    AC_NEW(v->ctx, v->dx, v->inputs + 1);
    return AC_OK;
}

/* Which datum depends on which parameter. */
static void list_slopes_by(ac_values *v, int parameter, bool *inputs, bool *reached)
{
    for (int k = 0; k < v->inputs; ++k) inputs[k] = k == parameter;
    ac_graph_reach(v->builder.reader.graph, inputs, reached);
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *s = &v->slots[k];
        if (!ac_slot_has_slopes(s) || !reached[s->node]) continue;
        if (v->slopes)
            v->slopes[v->slope_count] = (ac_data_slope){s->datum,  s->object, s->side, s->component,
                                                        parameter, 0.0,       0.0};
        ++v->slope_count;
    }
}

static ac_status list_slopes(ac_values *v)
{
    bool *inputs, *reached;
    AC_NEW(v->ctx, inputs, v->inputs + v->builder.reader.graph->count);
    reached = inputs + v->inputs;
    ac_status status = AC_OK;
    for (int pass = 0; status == AC_OK && pass < 2; ++pass) {
        v->slope_count = 0;
        for (int j = 0; j < v->count; ++j) list_slopes_by(v, j, inputs, reached);
        if (pass > 0) break;
        v->slopes = ac_allocate(v->ctx, (size_t)v->slope_count + 1, sizeof *v->slopes);
        if (!v->slopes) status = ac_out_of_memory(v->ctx);
    }
    ac_release(v->ctx, inputs);
    return status;
}

static ac_status read_again(ac_values *v)
{
    ac_builder *b = &v->builder;
    v->description.ctx = v->ctx;
    b->description = &v->description;
    b->wanted = (const char *const *)v->names;
    b->wanted_count = v->count;
    AC_TRY(ac_problem_describe(v->problem, b, &v->given));
    memcpy(v->description.gravity, b->gravity, sizeof b->gravity);
    AC_TRY(list_inputs_of(v));
    for (int k = 0; k < v->count; ++k) ac_parameter_number(&b->reader, v->names[k], &v->x[k]);
    memcpy(v->good, v->x, (size_t)v->count * sizeof *v->x);
    AC_TRY(keep_contacts(v)); /* before pointers into the description are taken */
    AC_TRY(ac_each_dependence(b, take_slot, v));
    AC_TRY(ac_limits_take(v->ctx, &b->reader, &v->limits));
    return list_slopes(v);
}

/* Another number near the present one. */
static double near_by(double x)
{
    return x + 1e-3 * (fabs(x) > 1e-3 ? x : 1.0);
}

/* The problem with the present values of one parameter, or of all (-1). */
static ac_status vary(const ac_values *v, int parameter, ac_problem **variation)
{
    enum { SIZE = AC_NAME_SIZE + 48 };
    int count = 0;
    *variation = NULL;
    char(*text)[SIZE] = ac_allocate(v->ctx, (size_t)v->count, sizeof *text);
    const char **settings = ac_allocate(v->ctx, (size_t)v->count, sizeof *settings);
    ac_status status = text && settings ? AC_OK : ac_out_of_memory(v->ctx);
    for (int k = 0; status == AC_OK && k < v->count; ++k) {
        if (parameter >= 0 && k != parameter) continue;
        snprintf(text[count], SIZE, "parameters.%s=%.17g", v->names[k], v->x[k]);
        settings[count] = text[count];
        ++count;
    }
    if (status == AC_OK) status = ac_problem_vary(v->ctx, v->problem, settings, count, variation);
    ac_release(v->ctx, text);
    ac_release(v->ctx, settings);
    return status;
}

/* Do all parameters, changed at once, give the system of the problem built again? */
static bool agree_at_once(ac_values *v)
{
    ac_problem *other = NULL;
    size_t bytes = (size_t)v->count * sizeof *v->x;
    for (int k = 0; k < v->count; ++k) v->x[k] = near_by(v->good[k]);
    bool agree = vary(v, -1, &other) == AC_OK && rebuild(v) == AC_OK &&
                 !ac_system_difference(ac_problem_system(other), &v->system);
    memcpy(v->x, v->good, bytes);
    ac_problem_free(other);
    return agree;
}

/* The system at another value of a parameter is that of the problem built again; where there is no problem, nothing is
 * compared. */
static ac_status verify(ac_values *v, int parameter)
{
    ac_problem *other = NULL;
    v->x[parameter] = near_by(v->good[parameter]);
    ac_status status = vary(v, parameter, &other);
    if (status != AC_OK) v->x[parameter] = v->good[parameter];
    if (status == AC_NO_MEMORY) return status;
    if (status != AC_OK) return AC_OK;
    status = rebuild(v);
    if (status == AC_OK) {
        const char *difference = ac_system_difference(ac_problem_system(other), &v->system);
        if (difference)
            status = ac_fail(v->ctx, AC_BAD_INPUT,
                             "the parameter '%s' changes %s in a way that cannot be set", v->names[parameter],
                             difference);
    }
    v->x[parameter] = v->good[parameter];
    ac_problem_free(other);
    return status;
}

/* The first build shows how much memory the others need; a quarter more is for loops that are harder to close. */
static ac_status make_pool(ac_values *v)
{
    const ac_allocator allocator = {pool_allocate, pool_release, &v->pool};
    v->pool.ctx = v->ctx;
    v->pool.lasting = true;
    v->inside = ac_context_new(&allocator);
    v->pool.lasting = false;
    if (!v->inside) return ac_out_of_memory(v->ctx);
    ac_status status = describe(v);
    if (status == AC_OK) status = build(v);
    if (status != AC_OK) return report(v, status, ac_context_message(v->inside));
    size_t size = v->pool.wanted + v->pool.wanted / 4 + ALIGNMENT;
    pool_reset(&v->pool);
    AC_NEW(v->ctx, v->pool.block, size);
    v->pool.size = size;
    return rebuild(v);
}

static ac_status make(ac_values *v, const char *const *names, int count)
{
    if (count < 1) return ac_fail(v->ctx, AC_BAD_INPUT, "name at least one parameter");
    AC_TRY(copy_names(v, names, count));
    AC_TRY(read_again(v));
    AC_TRY(ac_values_keep_pieces(v));
    AC_TRY(make_pool(v));
    /* where a body keeps its principal axes, the problem that is read again has others */
    bool agree = (v->builder.keeps_axes && v->keeps_axes) || agree_at_once(v);
    for (int k = 0; !agree && k < count; ++k) AC_TRY(verify(v, k));
    return rebuild(v);
}

ac_status ac_values_new(ac_context *ctx, const ac_problem *problem, const char *const *names, int count,
                        ac_values **values)
{
    return ac_values_open(ctx, problem, names, count, false, values);
}

ac_status ac_values_open(ac_context *ctx, const ac_problem *problem, const char *const *names, int count,
                         bool keeps_axes, ac_values **values)
{
    ac_values *v;
    AC_NEW(ctx, v, 1);
    v->ctx = ctx;
    v->keeps_axes = keeps_axes;
    v->problem = problem;
    ac_builder_begin(&v->builder, ctx);
    ac_status status = make(v, names, count);
    if (status != AC_OK) {
        ac_values_free(v);
        return status;
    }
    *values = v;
    return AC_OK;
}

void ac_values_free(ac_values *v)
{
    if (!v) return;
    ac_context *ctx = v->ctx;
    v->pool.ctx = ctx;
    ac_limits_free(&v->limits);
    ac_values_free_pieces(v);
    pool_reset(&v->pool);
    ac_release(ctx, v->pool.block);
    ac_release(ctx, v->inside);
    for (int k = 0; k < v->slot_count; ++k) ac_expression_free(v->slots[k].expression);
    for (int k = 0; k < v->signal_count; ++k) ac_signal_free(v->signals[k]);
    for (int k = 0; k < v->count; ++k) ac_release(ctx, v->names[k]);
    v->description.ctx = ctx;
    ac_description_end(&v->description);
    ac_builder_end(&v->builder);
    ac_system_free(v->given);
    ac_graph_work_free(&v->work);
    void *blocks[] = {v->slots, v->signals, v->loads, v->slopes, v->names, v->x, v->dx, v->good};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_release(ctx, v);
}

int ac_values_count(const ac_values *v)
{
    return v->count;
}

const char *ac_values_name(const ac_values *v, int parameter)
{
    return v->names[parameter];
}

const double *ac_values_numbers(const ac_values *v)
{
    return v->x;
}

const ac_system *ac_values_system(const ac_values *v)
{
    return &v->system;
}

ac_status ac_values_check_axes(const ac_values *v)
{
    if (!v->pieces) return AC_OK;
    return ac_fail(
        v->ctx, AC_BAD_INPUT,
        "there are no derivatives of data in principal axes that turn with a parameter; leave out axes: "
        "principal");
}

static ac_status fill_slopes(ac_values *v)
{
    AC_TRY(ac_values_check_axes(v));
    ac_data_slope *at = v->slopes;
    for (int j = 0; j < v->count; ++j) {
        AC_TRY(ac_values_tangent(v, j));
        for (int k = 0; k < v->slot_count && at < v->slopes + v->slope_count; ++k) {
            const ac_slot *s = &v->slots[k];
            if (at->parameter != j || at->datum != s->datum || at->object != s->object ||
                at->side != s->side || at->component != s->component)
                continue;
            at->value = v->work.v[s->node];
            at->slope = v->work.d[s->node];
            ++at;
        }
    }
    return AC_OK;
}

const ac_data_slope *ac_values_slopes(ac_values *v, int *count)
{
    ac_status status = fill_slopes(v);
    *count = status == AC_OK ? v->slope_count : 0;
    return status == AC_OK ? v->slopes : NULL;
}

double ac_values_load_slopes(const ac_values *v, int load, int component, double t, double *slopes)
{
    const ac_signal *signal = v->system.loads[load].value[component];
    memset(slopes, 0, (size_t)v->count * sizeof *slopes);
    for (int k = 0; k < v->signal_count; ++k) {
        if (v->loads[k].load != load || v->loads[k].component != component) continue;
        v->x[v->count] = t;
        for (int j = 0; j < v->count; ++j) {
            double second;
            ac_expression_along(v->loads[k].expression, v->x, j, j, &slopes[j], &second);
        }
    }
    return signal ? ac_signal_value(signal, t) : 0.0;
}
