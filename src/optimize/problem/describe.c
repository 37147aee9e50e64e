/* Describing an optimal control problem: controls, quantities, conditions, objectives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/interval.h"
#include "base/dual_quaternion.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "optimize/problem/quantity_slope.h"

const char *const *ac_optimization_formulations(void)
{
    static const char *const names[] = {"reduced",        "multipliers",    "minimal",
                                        "collocation-qp", "collocation-qv", NULL};
    return names;
}

const char *const *ac_optimization_hessians(void)
{
    static const char *const names[] = {"exact", "limited-memory", NULL};
    return names;
}

const char *const *ac_optimization_stresses(void)
{
    static const char *const names[] = {"unknown", "eliminated", NULL};
    return names;
}

void ac_optimization_defaults(ac_optimization_settings *s)
{
    *s = (ac_optimization_settings){
        .formulation = "reduced",
        .hessian = "exact",
        .stresses = "unknown",
        .scheme = "midpoint",
        .intervals = 50,
        .duration = 1.0,
        .turn_limit = 1.0,
        .tolerance = 1e-9,
        .max_iterations = 1000,
        .most_rounds = 30,
        .start_fixed = true,
        .start_velocity = true,
    };
}

static ac_status check(ac_context *ctx, const ac_optimization_settings *s)
{
    if (s->intervals < 1) return ac_fail(ctx, AC_BAD_INPUT, "there must be at least one interval");
    if (!(s->duration > 0.0) || !isfinite(s->duration))
        return ac_fail(ctx, AC_BAD_INPUT, "the duration must be positive");
    if (!(s->tolerance > 0.0)) return ac_fail(ctx, AC_BAD_INPUT, "the tolerance must be positive");
    if (s->free_duration && !(s->least_duration > 0.0 && s->least_duration < s->most_duration))
        return ac_fail(ctx, AC_BAD_INPUT, "a free duration needs bounds with 0 < least < most, not %g and %g",
                       s->least_duration, s->most_duration);
    if (s->periodic && s->end_rest)
        return ac_fail(ctx, AC_BAD_INPUT, "a periodic motion cannot be asked to end at rest too");
    return AC_OK;
}

static int word_number(const char *const *names, const char *word)
{
    for (int k = 0; names[k]; ++k)
        if (strcmp(names[k], word) == 0) return k;
    return -1;
}

ac_status ac_optimization_new(ac_context *ctx, const ac_system *system,
                              const ac_optimization_settings *settings, ac_optimization **optimization)
{
    ac_optimization_settings s = *settings;
    int formulation = word_number(ac_optimization_formulations(), s.formulation);
    *optimization = NULL;
    AC_TRY(ac_refuse_relations(ctx, system, "an optimisation"));
    if (formulation < 0)
        return ac_fail(ctx, AC_BAD_INPUT, "the formulation \"%s\" is not known", s.formulation);
    if (word_number(ac_optimization_hessians(), s.hessian) < 0)
        return ac_fail(ctx, AC_BAD_INPUT, "the Hessian \"%s\" is not known", s.hessian);
    if (word_number(ac_optimization_stresses(), s.stresses) < 0)
        return ac_fail(ctx, AC_BAD_INPUT, "stresses \"%s\" are not known", s.stresses);
    if (formulation >= AC_MINIMAL && strcmp(s.scheme, "midpoint") != 0)
        return ac_fail(ctx, AC_BAD_INPUT, "the formulation \"%s\" has the midpoint scheme only",
                       s.formulation);
    if (s.free_duration) {
        if (s.least_duration == 0.0) s.least_duration = 0.1 * s.duration;
        if (s.most_duration == 0.0) s.most_duration = 10.0 * s.duration;
    }
    AC_TRY(check(ctx, &s));
    ac_optimization *o;
    AC_NEW(ctx, o, 1);
    o->ctx = ctx;
    o->system = system;
    o->settings = s;
    o->transcription = (ac_transcription)formulation;
    ac_scalars_begin(&o->description.scalars, ctx);
    o->description.scalars.discrete = &o->description.discrete;
    ac_status status = ac_discrete_create(ctx, system, &o->description.discrete);
    if (status == AC_OK) status = ac_discrete_set_scheme(&o->description.discrete, s.scheme);
    if (status != AC_OK) {
        ac_optimization_free(o);
        return status;
    }
    o->found.outcome.words = "not solved yet";
    *optimization = o;
    return AC_OK;
}

void ac_optimization_free(ac_optimization *o)
{
    if (!o) return;
    ac_context *ctx = o->ctx;
    ac_layout_destroy(o);
    ac_phases_free(o);
    ac_release(ctx, o->description.phase.holds);
    ac_release(ctx, o->description.phase.pushes);
    ac_release(ctx, o->description.phase.cones);
    ac_quantity_slopes_free(o);
    ac_discrete_destroy(&o->description.discrete);
    ac_scalars_end(&o->description.scalars);
    ac_variation_end(&o->description.variation);
    ac_release(o->ctx, o->description.guess.parameters);
    for (int k = 0; k < o->description.condition_count; ++k) {
        ac_term_destroy(&o->description.conditions[k].term);
        ac_release(ctx, o->description.conditions[k].where);
    }
    ac_release(o->ctx, o->description.shapes.aparts);
    ac_release(o->ctx, o->description.shapes.pairs);
    for (int k = 0; k < o->description.objective_count; ++k) {
        ac_term_destroy(&o->description.objectives[k].term);
        ac_release(ctx, o->description.objectives[k].where);
    }
    ac_term_destroy(&o->description.aim.term);
    for (int k = 0; k < o->description.guess.count; ++k) {
        ac_release(ctx, o->description.guess.list[k].s);
        ac_release(ctx, o->description.guess.list[k].values);
    }
    for (int k = 0; k < o->description.signal_count; ++k) ac_signal_free(o->description.signals[k]);
    ac_release(ctx, o->description.signals);
    ac_release(ctx, o->formulation_where);
    ac_release(ctx, o->end_where);
    void *blocks[] = {o->description.names,
                      o->description.quantities.scalar,
                      o->description.quantities.measure,
                      o->description.quantities.names,
                      o->description.quantities.units,
                      o->description.controls,
                      o->description.conditions,
                      o->description.objectives,
                      o->description.guess.list,
                      o->description.guess.motion,
                      o->description.guess.motion_controls,
                      o->description.guess.turn_targets,
                      o->description.guess.motion_velocities,
                      o->description.totals};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_release(ctx, o);
}

/* --- names --- */

static ac_status add_name(ac_optimization *o, const char *text, bool is_control, int index)
{
    if (!text || text[0] == '\0' || strlen(text) >= AC_LABEL_SIZE)
        return ac_fail(o->ctx, AC_BAD_INPUT, "a control or quantity needs a name of less than %d characters",
                       AC_LABEL_SIZE);
    for (int k = 0; k < o->description.name_count; ++k)
        if (strcmp(o->description.names[k].text, text) == 0)
            return ac_fail(o->ctx, AC_BAD_INPUT, "there are two controls or quantities with the name '%s'",
                           text);
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.names, &o->description.name_capacity,
                   o->description.name_count + 1, sizeof *o->description.names));
    ac_name *name = &o->description.names[o->description.name_count++];
    memset(name, 0, sizeof *name);
    snprintf(name->text, sizeof name->text, "%s", text);
    name->is_control = is_control;
    name->index = index;
    return AC_OK;
}

/* --- controls --- */

/* Direction k of the world, or of a node's body axes. */
static ac_affine3 axis_of(const ac_optimization *o, int node_number, bool follows, int k)
{
    double unit[3] = {0.0, 0.0, 0.0};
    const ac_node *node = node_number == AC_GROUND || !follows ? NULL : &o->system->nodes[node_number];
    unit[k] = 1.0;
    return ac_node_direction(node, node ? node->q : 0, unit);
}

/* From the user's frame of a node to places relative to its reference point. */
static void node_place(const ac_optimization *o, const ac_point *point, double place[3])
{
    for (int i = 0; i < 3; ++i)
        place[i] = point->place[i] -
                   (point->node == AC_GROUND ? 0.0 : o->system->nodes[point->node].centre[i]);
}

bool ac_optimization_weighs(const ac_optimization *o)
{
    bool weighs = false;
    for (int k = 0; k < o->description.objective_count; ++k) {
        const ac_objective_data *objective = &o->description.objectives[k];
        weighs = weighs || objective->type == AC_OBJECTIVE_ENERGY;
        for (int l = 0; l < objective->term.leaf_count; ++l)
            weighs = weighs || objective->term.leaves[l].kind == AC_LEAF_MOTION;
    }
    return weighs;
}

static ac_status joint_control(const ac_optimization *o, ac_discrete *d, const ac_control *c, int *input)
{
    if (c->joint < 0 || c->joint >= o->system->joint_count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': no such joint", c->name);
    const ac_joint_data *joint = &o->system->joints[c->joint];
    if (c->coordinate < 0 || c->coordinate >= ac_row_coordinates(joint->row))
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': joint '%s' has no coordinate %d to act on",
                       c->name, joint->name, c->coordinate + 1);
    if (joint->first_measure >= 0)
        return ac_discrete_add_joint_input(d, joint->first_measure + c->coordinate, 1.0, input);
    ac_affine3 direction = axis_of(o, joint->a.node, c->follows, c->coordinate);
    AC_TRY(ac_discrete_add_torque(d, joint->b.node, &direction, 1.0, input));
    return ac_discrete_add_torque(d, joint->a.node, &direction, -1.0, input);
}

static ac_status node_control(ac_optimization *o, const ac_control *c, ac_control_data *data, int *input)
{
    int number = c->point.node;
    if (number < 0 || number >= o->system->node_count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': no such body", c->name);
    const ac_node *node = &o->system->nodes[number];
    int least = c->type == AC_LOAD_TORQUE && ac_node_turns(node) == 1 ? 2 : 0;
    int most = c->type == AC_LOAD_TORQUE ? (ac_node_turns(node) == 0 ? 0 : 3) : node->dimension;
    char words[AC_NODE_WORDS];
    if (c->coordinate < least || c->coordinate >= most)
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': %s has no component %d to act on", c->name,
                       ac_node_words(o->system, number, words), c->coordinate + 1);
    bool follows = c->follows && ac_node_turns(node) > 0;
    if (c->type == AC_LOAD_TORQUE)
        return ac_discrete_add_node_torque(&o->description.discrete, number, follows, c->coordinate, input);
    ac_affine3 direction = axis_of(o, number, follows, c->coordinate);
    double place[3];
    node_place(o, &c->point, place);
    AC_TRY(ac_parameters_control(o, c, place, input, &data->source, &data->moves));
    if (data->moves) return AC_OK;
    return ac_discrete_add_force(&o->description.discrete, number, place, &direction, 1.0, input);
}

ac_status ac_optimization_add_control(ac_optimization *o, const ac_control *c)
{
    int input = -1;
    ac_control_data made;
    memset(&made, 0, sizeof made);
    if (!(c->low <= c->high))
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': its lower bound %g is above its upper bound %g",
                       c->name, c->low, c->high);
    if (!(c->rate > 0.0))
        return ac_fail(o->ctx, AC_BAD_INPUT, "control '%s': the bound on its rate must be positive", c->name);
    AC_TRY(add_name(o, c->name, true, o->description.control_count));
    AC_TRY(c->type == AC_LOAD_JOINT ? joint_control(o, &o->description.discrete, c, &input)
                                    : node_control(o, c, &made, &input));
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.controls, &o->description.control_capacity,
                   o->description.control_count + 1, sizeof *o->description.controls));
    ac_control_data *data = &o->description.controls[o->description.control_count++];
    *data = made;
    snprintf(data->name, sizeof data->name, "%s", c->name);
    data->given = *c;
    data->given.name = NULL;
    memset(data->given.place_expression, 0, sizeof data->given.place_expression);
    data->input = input;
    return AC_OK;
}

ac_status ac_optimization_add_inputs(const ac_optimization *o, ac_discrete *d)
{
    for (int k = 0; k < o->description.control_count; ++k) {
        const ac_control *c = &o->description.controls[k].given;
        int input = -1;
        double place[3];
        if (o->description.controls[k].moves)
            return ac_fail(
                o->ctx, AC_BAD_INPUT,
                "control '%s': the place of its force depends on a free parameter, which a simulation cannot "
                "follow",
                o->description.controls[k].name);
        if (c->type == AC_LOAD_JOINT) {
            AC_TRY(joint_control(o, d, c, &input));
            continue;
        }
        bool follows = c->follows && o->system->nodes[c->point.node].kind != AC_NODE_POINT;
        if (c->type == AC_LOAD_TORQUE) {
            AC_TRY(ac_discrete_add_node_torque(d, c->point.node, follows, c->coordinate, &input));
            continue;
        }
        ac_affine3 direction = axis_of(o, c->point.node, follows, c->coordinate);
        node_place(o, &c->point, place);
        AC_TRY(ac_discrete_add_force(d, c->point.node, place, &direction, 1.0, &input));
    }
    return AC_OK;
}

/* --- quantities --- */

/* Whether a coordinate of a joint is an angle (or a component of a rotation vector). */
static bool joint_turns(const ac_optimization *o, int joint, int coordinate)
{
    const ac_joint_data *data = &o->system->joints[joint];
    return data->first_measure < 0 ||
           o->system->measures[data->first_measure + coordinate].kind == AC_MEASURE_ANGLE;
}

const char *ac_optimization_control_unit(const ac_optimization *o, int control)
{
    const ac_control *c = &o->description.controls[control].given;
    bool turns = c->type == AC_LOAD_TORQUE ||
                 (c->type == AC_LOAD_JOINT && joint_turns(o, c->joint, c->coordinate));
    return turns ? "N m" : "N";
}

static const ac_node *node_at(const ac_optimization *o, int node)
{
    return node == AC_GROUND ? NULL : &o->system->nodes[node];
}

static ac_affine3 point_affine(const ac_optimization *o, const ac_point *point)
{
    const ac_node *node = node_at(o, point->node);
    double place[3];
    node_place(o, point, place);
    return ac_node_point(node, node ? node->q : 0, place);
}

/* A map that is the component of an affine vector along a constant direction. */
static ac_status component(ac_optimization *o, const ac_affine3 *vector, const double direction[3])
{
    AC_TRY(ac_forms_begin(o->ctx, &o->description.scalars.forms, 0.0));
    for (int i = 0; i < 3; ++i)
        AC_TRY(ac_forms_add_affine(o->ctx, &o->description.scalars.forms, &vector->part[i], direction[i]));
    return AC_OK;
}

/* Axial vector of R R*^T along e: 1/2 sum_I e . (d*_I x d_I) = 1/2 sum_I (e x d*_I) . d_I */
static ac_status turn_form(ac_optimization *o, const ac_quantity *quantity)
{
    const ac_node *node = node_at(o, quantity->point.node);
    ac_forms *forms = &o->description.scalars.forms;
    const double *e = quantity->direction;
    AC_TRY(ac_forms_begin(o->ctx, forms, 0.0));
    for (int I = 0; I < 3; ++I) {
        double unit[3] = {0.0, 0.0, 0.0}, star[3], weight[3];
        unit[I] = 1.0;
        ac_affine3 d = ac_node_direction(node, node->q, unit);
        for (int i = 0; i < 3; ++i) star[i] = quantity->rotation[3 * i + I];
        weight[0] = e[1] * star[2] - e[2] * star[1];
        weight[1] = e[2] * star[0] - e[0] * star[2];
        weight[2] = e[0] * star[1] - e[1] * star[0];
        for (int i = 0; i < 3; ++i) AC_TRY(ac_forms_add_affine(o->ctx, forms, &d.part[i], 0.5 * weight[i]));
    }
    return AC_OK;
}

static ac_status keep_target(ac_optimization *o, const ac_quantity *quantity, int scalar)
{
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.guess.turn_targets,
                   &o->description.guess.turn_target_capacity, o->description.guess.turn_target_count + 1,
                   sizeof *o->description.guess.turn_targets));
    ac_turn_target *target = &o->description.guess.turn_targets[o->description.guess.turn_target_count++];
    *target = (ac_turn_target){.scalar = scalar, .node = quantity->point.node};
    memcpy(target->direction, quantity->direction, sizeof target->direction);
    memcpy(target->rotation, quantity->rotation, sizeof target->rotation);
    return AC_OK;
}

/* |q~|^2 + |q~*|^2 - 2 |q~ . q~*| with the sign of the real parts */
static ac_status pose_scalar(ac_optimization *o, const ac_quantity *q, const ac_node *node, int *scalar)
{
    ac_forms *forms = &o->description.scalars.forms;
    const ac_outer outer = {.kind = AC_OUTER_SIGNED, .factor = 1.0};
    double target[8] = {0.0}, size = 0.0;
    int first = forms->count;
    if (!node || node->kind != AC_NODE_DUAL)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "quantity '%s': the distance from a pose is known to nodes of beams with model: "
                       "dual_quaternion only",
                       q->name);
    ac_dual_from_pose(q->place, q->rotation, target);
    for (int i = 0; i < 8; ++i) size += target[i] * target[i];
    AC_TRY(ac_forms_begin(o->ctx, forms, size));
    for (int i = node->q + AC_DUAL_AT; i < node->q + AC_DUAL_AT + 8; ++i)
        AC_TRY(ac_forms_add_product(o->ctx, forms, i, i, 1.0));
    for (int part = 0; part < 8; part += 4) {
        AC_TRY(ac_forms_begin(o->ctx, forms, 0.0));
        for (int i = part; i < part + 4; ++i)
            AC_TRY(ac_forms_add_linear(o->ctx, forms, node->q + AC_DUAL_AT + i, target[i]));
    }
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}

static ac_status joint_scalar(ac_optimization *o, const ac_quantity *q, int *scalar, int *measure)
{
    const ac_joint_data *joint = &o->system->joints[q->joint];
    if (ac_row_is_ball(joint->row) && q->coordinate >= 0 && q->coordinate < 3)
        return ac_ball_scalar(o, q, scalar);
    if (joint->first_measure < 0 || q->coordinate < 0 || q->coordinate >= ac_row_coordinates(joint->row))
        return ac_fail(o->ctx, AC_BAD_INPUT, "quantity '%s': joint '%s' has no such coordinate", q->name,
                       joint->name);
    *measure = joint->first_measure + q->coordinate;
    return ac_scalars_add_measure(&o->description.scalars, o->system, *measure,
                                  o->system->measures[*measure].kind, scalar);
}

static ac_status distance_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    ac_scalars *scalars = &o->description.scalars;
    int first = scalars->forms.count;
    ac_affine3 x = point_affine(o, &q->point), y = point_affine(o, &q->second_point),
               gap = ac_affine_difference(&y, &x);
    AC_TRY(ac_forms_begin(o->ctx, &scalars->forms, 0.0));
    AC_TRY(ac_forms_add_dot(o->ctx, &scalars->forms, &gap, &gap, 1.0));
    return ac_scalars_close(scalars, AC_MEASURE_LENGTH, first, scalar);
}

static ac_status turn_scalar(ac_optimization *o, const ac_quantity *q, const ac_node *node, int *scalar)
{
    int first = o->description.scalars.forms.count;
    if (!node || ac_node_turns(node) < 3)
        return ac_fail(o->ctx, AC_BAD_INPUT, "quantity '%s': only rigid bodies have an orientation in space",
                       q->name);
    AC_TRY(turn_form(o, q));
    AC_TRY(ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, scalar));
    return keep_target(o, q, *scalar);
}

ac_status ac_quantity_scalar(ac_optimization *o, const ac_quantity *q, int *scalar, int *measure)
{
    int first = o->description.scalars.forms.count;
    bool one = q->point.node >= 0 && q->point.node < o->system->node_count;
    const ac_node *node = one ? node_at(o, q->point.node) : NULL;
    ac_affine3 x;
    bool varied;
    *measure = -1;
    AC_TRY(ac_parameters_quantity(o, q, scalar, measure, &varied));
    if (varied) return AC_OK;
    switch (q->type) {
    case AC_QUANTITY_JOINT: return joint_scalar(o, q, scalar, measure);
    case AC_QUANTITY_POINT:
        x = point_affine(o, &q->point);
        AC_TRY(component(o, &x, q->direction));
        return ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, scalar);
    case AC_QUANTITY_DISTANCE: return distance_scalar(o, q, scalar);
    case AC_QUANTITY_DIRECTION:
        x = ac_node_direction(node, node ? node->q : 0, q->axis);
        AC_TRY(component(o, &x, q->direction));
        return ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, scalar);
    case AC_QUANTITY_ANGLE:
        x = ac_node_direction(node, node ? node->q : 0, q->axis);
        AC_TRY(component(o, &x, q->direction));
        AC_TRY(component(o, &x, q->second));
        return ac_scalars_close(&o->description.scalars, AC_MEASURE_ANGLE, first, scalar);
    case AC_QUANTITY_SWING:
    case AC_QUANTITY_SWING_COSINE:
    case AC_QUANTITY_TWIST:
        if (!ac_row_is_ball(o->system->joints[q->joint].row))
            return ac_fail(o->ctx, AC_BAD_INPUT, "quantity '%s': swing and twist belong to spherical joints",
                           q->name);
        return ac_ball_scalar(o, q, scalar);
    case AC_QUANTITY_CLEARANCE: return ac_clearance_scalar(o, q, scalar);
    case AC_QUANTITY_MOMENTUM:
    case AC_QUANTITY_ANGULAR_MOMENTUM:
    case AC_QUANTITY_KINETIC_ENERGY:
    case AC_QUANTITY_POTENTIAL_ENERGY:
    case AC_QUANTITY_ENERGY: return ac_balance_quantity(o, q, scalar);
    case AC_QUANTITY_SIGNAL: break; /* no scalar */
    case AC_QUANTITY_POSE: return pose_scalar(o, q, node, scalar);
    case AC_QUANTITY_TURN: return turn_scalar(o, q, node, scalar);
    }
    return AC_OK;
}

static const char *quantity_unit(const ac_optimization *o, const ac_quantity *q)
{
    static const char *const units[] = {
        [AC_QUANTITY_JOINT] = "m",          [AC_QUANTITY_POINT] = "m",
        [AC_QUANTITY_DISTANCE] = "m",       [AC_QUANTITY_DIRECTION] = "1",
        [AC_QUANTITY_ANGLE] = "rad",        [AC_QUANTITY_TURN] = "1",
        [AC_QUANTITY_SWING] = "rad",        [AC_QUANTITY_SWING_COSINE] = "1",
        [AC_QUANTITY_TWIST] = "rad",        [AC_QUANTITY_CLEARANCE] = "m",
        [AC_QUANTITY_MOMENTUM] = "kg m/s",  [AC_QUANTITY_ANGULAR_MOMENTUM] = "kg m^2/s",
        [AC_QUANTITY_KINETIC_ENERGY] = "J", [AC_QUANTITY_POTENTIAL_ENERGY] = "J",
        [AC_QUANTITY_ENERGY] = "J",         [AC_QUANTITY_SIGNAL] = "",
        [AC_QUANTITY_POSE] = "1",
    };
    if (q->type == AC_QUANTITY_SIGNAL && q->unit) return q->unit;
    if (q->type != AC_QUANTITY_JOINT) return units[q->type];
    return joint_turns(o, q->joint, q->coordinate) ? "rad" : "m";
}

/* The signal belongs to the problem from here on. */
static ac_status keep_signal(ac_optimization *o, ac_signal *signal)
{
    ac_status status = ac_grow(o->ctx, (void **)&o->description.signals, &o->description.signal_capacity,
                               o->description.signal_count + 1, sizeof *o->description.signals);
    if (status != AC_OK) {
        ac_signal_free(signal);
        return status;
    }
    o->description.signals[o->description.signal_count++] = signal;
    return AC_OK;
}

ac_status ac_optimization_add_quantity(ac_optimization *o, const ac_quantity *q)
{
    int scalar, measure = -1, k = o->description.quantities.count;
    if (q->type == AC_QUANTITY_SIGNAL) {
        AC_TRY(keep_signal(o, q->signal));
        scalar = -o->description.signal_count;
        AC_TRY(add_name(o, q->name, false, -1));
        o->description.names[o->description.name_count - 1].signal = q->signal;
    } else {
        ac_quantity own = *q;
        ac_quantity_settle_axis(&own);
        AC_TRY(ac_quantity_scalar(o, &own, &scalar, &measure));
        bool of_joint = q->type == AC_QUANTITY_JOINT || q->type == AC_QUANTITY_SWING ||
                        q->type == AC_QUANTITY_SWING_COSINE || q->type == AC_QUANTITY_TWIST;
        o->description.scalars.list[scalar].joint = of_joint ? q->joint : -1;
        o->description.scalars.list[scalar].coordinate = q->coordinate;
        AC_TRY(add_name(o, q->name, false, scalar));
    }
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.quantities.scalar, &o->description.quantities.capacity[0],
                   k + 1, sizeof *o->description.quantities.scalar));
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.quantities.measure,
                   &o->description.quantities.capacity[1], k + 1, sizeof *o->description.quantities.measure));
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.quantities.names, &o->description.quantities.capacity[2],
                   k + 1, sizeof *o->description.quantities.names));
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.quantities.units, &o->description.quantities.capacity[3],
                   k + 1, sizeof *o->description.quantities.units));
    o->description.quantities.units[k] = quantity_unit(o, q);
    o->description.quantities.scalar[k] = scalar;
    o->description.quantities.measure[k] = measure;
    snprintf(o->description.quantities.names[k], AC_LABEL_SIZE, "%s", q->name);
    o->description.quantities.count = k + 1;
    return AC_OK;
}

/* --- conditions and objectives --- */

/* The shapes of the clearance that a condition bounds from below and nothing else; NULL: it is another condition. */
static const ac_shape_pair *bounded_shapes(const ac_optimization *o, const ac_condition *c)
{
    if (c->place == AC_ON_INTERVALS || c->high != INFINITY || !isfinite(c->low)) return NULL;
    for (int k = 0; k < o->description.name_count; ++k) {
        const ac_name *name = &o->description.names[k];
        if (!name->is_control && !name->is_parameter && !name->signal &&
            strcmp(name->text, c->expression) == 0)
            return ac_clearance_shapes(o, name->index);
    }
    return NULL;
}

ac_status ac_optimization_add_condition(ac_optimization *o, const ac_condition *c, ac_constant_lookup lookup,
                                        void *user)
{
    const char *name = c->name ? c->name : c->expression;
    const ac_shape_pair *shapes = bounded_shapes(o, c);
    if (shapes) {
        ac_condition apart = *c;
        apart.name = name;
        return ac_keep_apart(o, &apart, shapes->hull, shapes->scalar);
    }
    if (!(c->low <= c->high))
        return ac_fail(o->ctx, AC_BAD_INPUT, "condition '%s': its lower bound %g is above its upper bound %g",
                       name, c->low, c->high);
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.conditions, &o->description.condition_capacity,
                   o->description.condition_count + 1, sizeof *o->description.conditions));
    ac_condition_data *data = &o->description.conditions[o->description.condition_count];
    memset(data, 0, sizeof *data);
    ac_status status = ac_term_create(o->ctx, c->expression, c->place == AC_ON_INTERVALS,
                                      o->description.names, o->description.name_count,
                                      &o->description.scalars, lookup, user, &data->term);
    if (status != AC_OK) {
        ac_term_destroy(&data->term);
        return status;
    }
    ++o->description.condition_count;
    snprintf(data->name, sizeof data->name, "%s", name);
    data->place = c->place;
    data->low = c->low;
    data->high = c->high;
    data->apart = -1;
    if ((c->place == AC_AT_NODES || c->place == AC_AT_INNER_NODES) && data->term.velocities)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "condition '%s': rates, momenta and kinetic energies along the path are those of "
                       "intervals (at: intervals)",
                       name);
    return ac_keep_turns(o, o->description.condition_count - 1);
}

/* The integral of the energy is a running objective: the energy of the whole system, on intervals. */
static ac_status energy_term(ac_optimization *o, ac_objective_data *data)
{
    const ac_quantity energy = {
        .name = "energy", .type = AC_QUANTITY_ENERGY, .point = {.node = AC_WHOLE_SYSTEM}};
    ac_name name = {.text = "energy"};
    data->type = AC_OBJECTIVE_RUNNING;
    AC_TRY(ac_balance_quantity(o, &energy, &name.index));
    return ac_term_create(o->ctx, name.text, true, &name, 1, &o->description.scalars, NULL, NULL,
                          &data->term);
}

ac_status ac_optimization_add_total(ac_optimization *o, const char *name, double low, double high, int *total)
{
    if (!(low <= high))
        return ac_fail(o->ctx, AC_BAD_INPUT, "condition '%s': no number is at least %g and at most %g", name,
                       low, high);
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.totals, &o->description.total_capacity,
                   o->description.total_count + 1, sizeof *o->description.totals));
    ac_total_data *data = &o->description.totals[o->description.total_count];
    *data = (ac_total_data){.low = low, .high = high};
    snprintf(data->name, sizeof data->name, "%.*s", (int)sizeof data->name - 1, name);
    *total = o->description.total_count++;
    return AC_OK;
}

static ac_status check_total(const ac_optimization *o, int total, const ac_objective *given)
{
    if (total < 0 || total >= o->description.total_count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "there is no sum %d", total);
    if (given->maximise)
        return ac_fail(o->ctx, AC_BAD_INPUT, "a sum that has bounds is not maximised; give a weight of -1");
    if (given->type == AC_OBJECTIVE_ABSOLUTE && isfinite(o->description.totals[total].low))
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "condition '%s': a sum of absolute values has an upper bound only",
                       o->description.totals[total].name);
    return AC_OK;
}

ac_status ac_optimization_add_to_total(ac_optimization *o, int total, const ac_objective *given,
                                       ac_constant_lookup lookup, void *user)
{
    AC_TRY(check_total(o, total, given));
    AC_TRY(ac_optimization_add_objective(o, given, lookup, user));
    o->description.objectives[o->description.objective_count - 1].total = total;
    return AC_OK;
}

int ac_minimised_count(const ac_optimization *o)
{
    int count = 0;
    for (int k = 0; k < o->description.objective_count; ++k) count += o->description.objectives[k].total < 0;
    return count;
}

ac_status ac_optimization_add_objective(ac_optimization *o, const ac_objective *given,
                                        ac_constant_lookup lookup, void *user)
{
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.objectives, &o->description.objective_capacity,
                   o->description.objective_count + 1, sizeof *o->description.objectives));
    ac_objective_data *data = &o->description.objectives[o->description.objective_count];
    memset(data, 0, sizeof *data);
    data->total = -1;
    data->type = given->type;
    data->weight = given->maximise ? -given->weight : given->weight;
    data->maximise = given->maximise;
    data->slack = -1;
    if (given->type == AC_OBJECTIVE_ABSOLUTE && data->weight < 0.0)
        return ac_fail(o->ctx, AC_BAD_INPUT, "an absolute value can be minimised but not maximised");
    ac_status status = AC_OK;
    if (given->type == AC_OBJECTIVE_ENERGY) status = energy_term(o, data);
    if (given->type >= AC_OBJECTIVE_START) {
        if (!given->expression)
            return ac_fail(o->ctx, AC_BAD_INPUT, "an objective of this kind needs an expression");
        bool interval = given->type == AC_OBJECTIVE_RUNNING || given->type == AC_OBJECTIVE_ABSOLUTE;
        status = ac_term_create(o->ctx, given->expression, interval, o->description.names,
                                o->description.name_count, &o->description.scalars, lookup, user,
                                &data->term);
    }
    if (status != AC_OK) {
        ac_term_destroy(&data->term);
        return status;
    }
    if (given->type == AC_OBJECTIVE_ABSOLUTE) data->slack = o->layout.slack_count++;
    ++o->description.objective_count;
    return AC_OK;
}

/* --- guesses --- */

static ac_status add_guess(ac_optimization *o, int node, ac_guess_kind kind, int width, int count,
                           const double *s, const double *values)
{
    if (count < 1) return ac_fail(o->ctx, AC_BAD_INPUT, "a guess needs at least one point");
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.guess.list, &o->description.guess.capacity,
                   o->description.guess.count + 1, sizeof *o->description.guess.list));
    ac_guess_data *data = &o->description.guess.list[o->description.guess.count];
    *data = (ac_guess_data){.node = node, .kind = kind, .count = count};
    data->s = ac_allocate(o->ctx, (size_t)count, sizeof *data->s);
    data->values = ac_allocate(o->ctx, 3 * (size_t)count, sizeof *data->values);
    ++o->description.guess.count;
    if (!data->s || !data->values) return ac_out_of_memory(o->ctx);
    for (int k = 0; k < count; ++k) {
        data->s[k] = s[k];
        for (int i = 0; i < width; ++i) data->values[3 * k + i] = values[width * k + i];
        if (k > 0 && !(s[k] > s[k - 1]))
            return ac_fail(o->ctx, AC_BAD_INPUT, "the points of a guess must follow one another");
    }
    return AC_OK;
}

ac_status ac_optimization_guess_joint(ac_optimization *o, int joint, int count, const double *s,
                                      const double *coordinates)
{
    const ac_joint_data *data = &o->system->joints[joint];
    if (!data->in_tree) return AC_OK; /* it closes a loop: its coordinates follow */
    int child = data->reversed ? data->a.node : data->b.node;
    return add_guess(o, child, AC_GUESS_JOINT, ac_row_coordinates(data->row), count, s, coordinates);
}

ac_status ac_optimization_guess_turn(ac_optimization *o, int node, int count, const double *s,
                                     const double *turns)
{
    if (o->system->nodes[node].joint >= 0)
        return ac_fail(o->ctx, AC_BAD_INPUT, "'%s' hangs on a joint; guess its coordinates",
                       o->system->nodes[node].name);
    return add_guess(o, node, AC_GUESS_TURN, 3, count, s, turns);
}

ac_status ac_optimization_guess_place(ac_optimization *o, const ac_point *point, int count, const double *s,
                                      const double *places)
{
    const ac_node *node = &o->system->nodes[point->node];
    bool swings = node->joint >= 0 && o->system->joints[node->joint].type == AC_DISTANCE;
    if (node->joint >= 0 && !swings)
        return ac_fail(o->ctx, AC_BAD_INPUT, "'%s' hangs on a joint; guess its coordinates", node->name);
    AC_TRY(add_guess(o, point->node, AC_GUESS_PLACE, node->dimension, count, s, places));
    memcpy(o->description.guess.list[o->description.guess.count - 1].point, point->place,
           sizeof point->place);
    return AC_OK;
}

void ac_optimization_guesses_follow(ac_optimization *o)
{
    o->description.guess.of_conditions = o->description.guess.count;
}

ac_status ac_optimization_guess_motion(ac_optimization *o, int nodes, const double *q, const double *controls,
                                       double duration)
{
    size_t n = (size_t)o->system->n, c = (size_t)o->description.control_count, count = (size_t)nodes;
    if (nodes < 2) return ac_fail(o->ctx, AC_BAD_INPUT, "an earlier motion needs at least two nodes");
    ac_release(o->ctx, o->description.guess.motion);
    ac_release(o->ctx, o->description.guess.motion_controls);
    AC_NEW(o->ctx, o->description.guess.motion, count * n);
    AC_NEW(o->ctx, o->description.guess.motion_controls, (count - 1) * c + 1);
    memcpy(o->description.guess.motion, q, count * n * sizeof *q);
    if (controls && c > 0)
        memcpy(o->description.guess.motion_controls, controls, (count - 1) * c * sizeof *controls);
    o->description.guess.motion_nodes = nodes;
    o->description.guess.motion_duration = duration;
    return AC_OK;
}

void ac_optimization_guess_inverse(ac_optimization *o, bool on)
{
    o->description.guess.inverse_dynamics = on;
}

void ac_optimization_guess_near(ac_optimization *o, bool on)
{
    o->description.guess.close = on;
}

bool ac_optimization_guessed_near(const ac_optimization *o)
{
    return o->description.guess.close;
}

void ac_optimization_disturb(ac_optimization *o, unsigned long seed, double size)
{
    o->description.guess.seed = seed;
    o->description.guess.disturbance = size;
}
