/* The task optimize of a problem file: controls, quantities, conditions, objective, guess. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/optimize.h"
#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "control/prepare.h"
#include "io/problem_build.h"
#include "io/problem_guess.h"
#include "io/problem_hulls.h"
#include "io/problem_parameters.h"
#include "io/schema_optimize.h"

/* ---- small readers ---- */

static ac_status check_word(ac_builder *b, const char *word, ac_place place)
{
    bool good = isalpha((unsigned char)word[0]) || word[0] == '_';
    for (const char *c = word; *c; ++c) good = good && (isalnum((unsigned char)*c) || *c == '_');
    if (good && strcmp(word, "t") != 0 && strcmp(word, "T") != 0 && strcmp(word, "pi") != 0) return AC_OK;
    return ac_fail_at(
        b->ctx, place,
        "'%.60s' cannot be used in expressions; a name has letters, digits and _ (but not t, T or pi)", word);
}

/* Parameters of the file, for expressions. */
static int look_up(void *user, const char *name, double *value)
{
    const ac_builder *b = user;
    return ac_parameter_number(&b->reader, name, value);
}

/* Parameters that follow from free ones are written out. */
static ac_status expression_text(ac_builder *b, const ac_given_word *word, const char **text)
{
    const ac_value *quantities = ac_value_find(b->root.optimize, "quantities");
    const char *given = word->text[0] == '=' ? word->text + 1 : word->text;
    return ac_build_failed(b, ac_write_out(&b->reader, given, quantities, text), word->at->place);
}

/* x, y, z, or a vector. */
static ac_status read_along(ac_builder *b, const ac_value *value, const char *what, double direction[3])
{
    static const char *const words[] = {"x", "y", "z"};
    memset(direction, 0, 3 * sizeof *direction);
    for (int k = 0; value->kind == AC_SCALAR && k < 3; ++k) {
        if (strcmp(value->text, words[k]) != 0) continue;
        direction[k] = 1.0;
        return AC_OK;
    }
    if (value->kind == AC_SCALAR)
        return ac_fail_at(b->ctx, value->place, "%s must be x, y, z or a list of numbers", what);
    return ac_read_direction(b, value, what, 1, direction);
}

static ac_status find_coordinate(ac_builder *b, const ac_given_word *joint, const ac_given_word *coordinate,
                                 int *number, int *which)
{
    AC_TRY(ac_find_joint(b, joint, number));
    ac_joint_type type = b->joints[*number].type;
    int count = ac_joint_coordinate_count(type);
    *which = 0;
    if (type == AC_SPHERICAL || count == 0)
        return ac_fail_at(b->ctx, joint->at->place, "a %s joint has no coordinate that is a single number",
                          ac_joint_type_names[type]);
    if (!coordinate->at && count > 1)
        return ac_fail_at(b->ctx, joint->at->place, "which coordinate of the %s joint? add coordinate",
                          ac_joint_type_names[type]);
    if (!coordinate->at) return AC_OK;
    *which = ac_joint_coordinate(type, coordinate->text);
    if (*which >= 0) return AC_OK;
    return ac_fail_at(b->ctx, coordinate->at->place, "a %s joint has no coordinate '%s'",
                      ac_joint_type_names[type], coordinate->text);
}

/* A coordinate of any joint; `axis` belongs to swing and twist. */
static ac_status joint_quantity(ac_builder *b, const ac_given_word *joint, const ac_given_word *coordinate,
                                const ac_value *axis, ac_quantity *q)
{
    q->type = AC_QUANTITY_JOINT;
    AC_TRY(ac_find_joint(b, joint, &q->joint));
    bool ball = b->joints[q->joint].type == AC_SPHERICAL;
    bool swing = coordinate->at && strcmp(coordinate->text, "swing") == 0;
    bool twist = coordinate->at && strcmp(coordinate->text, "twist") == 0;
    if (axis && !swing && !twist)
        return ac_fail_at(b->ctx, axis->key_place, "axis goes with the coordinates swing and twist");
    if (!ball) return find_coordinate(b, joint, coordinate, &q->joint, &q->coordinate);
    if (!coordinate->at)
        return ac_fail_at(b->ctx, joint->at->place,
                          "which coordinate of the spherical joint? add coordinate: x, y, z, swing or twist");
    if (axis) {
        double given[3];
        AC_TRY(read_along(b, axis, "axis", given));
        apply_transposed3(b->joints[q->joint].frame_a.rotation, given, q->axis);
    }
    if (swing) q->type = AC_QUANTITY_SWING;
    if (twist) q->type = AC_QUANTITY_TWIST;
    if (swing || twist) return AC_OK;
    q->coordinate = coordinate->text[0] - 'x'; /* of the rotation vector */
    if (q->coordinate >= 0 && q->coordinate < 3) return AC_OK;
    return ac_fail_at(b->ctx, coordinate->at->place, "a spherical joint has no coordinate '%s'",
                      coordinate->text);
}

static bool is_angle(const ac_builder *b, int joint, int coordinate)
{
    const char *name = ac_joint_coordinate_name(b->joints[joint].type, coordinate);
    return name && strcmp(name, "angle") == 0;
}

/* Body axes to the axes that are simulated. */
static void to_node_axes(const ac_builder *b, int node, const double direction[3], double out[3])
{
    if (node == AC_GROUND) {
        copy3(direction, out);
    } else {
        ac_to_directors(ac_drawn(b, node), direction, out);
    }
}

/* The same as expressions of free parameters. */
static ac_status point_expressions(ac_builder *b, const ac_value *value, int node, const char *out[3])
{
    ac_texts texts;
    AC_TRY(value ? ac_follow_place(b, value, node, &texts) : ac_centre_texts(b, node, &texts));
    for (int c = 0; c < 3; ++c) out[c] = texts.part[c];
    return AC_OK;
}

static ac_status read_point(ac_builder *b, const ac_value *value, int node, ac_point *point)
{
    double place[3];
    point->node = node;
    if (value) {
        AC_TRY(ac_read_place(b, value, node, place));
    } else {
        copy3(ac_drawn(b, node)->centre, place);
    }
    to_node_axes(b, node, place, point->place);
    return AC_OK;
}

/* ---- controls ---- */

static ac_status control_numbers(ac_builder *b, const ac_control_input *input, ac_dimension dimension,
                                 ac_control *control)
{
    double limit;
    control->low = -INFINITY;
    control->high = INFINITY;
    control->rate = INFINITY;
    if (input->limit) {
        if (input->low || input->high)
            return ac_fail_at(b->ctx, input->limit->key_place, "give either limit, or low and high");
        AC_TRY(ac_read_number(&b->reader, input->limit, "limit", dimension, &limit));
        control->low = -limit;
        control->high = limit;
    }
    if (input->low) AC_TRY(ac_read_number(&b->reader, input->low, "low", dimension, &control->low));
    if (input->high) AC_TRY(ac_read_number(&b->reader, input->high, "high", dimension, &control->high));
    if (input->rate) AC_TRY(ac_read_number(&b->reader, input->rate, "rate", AC_DIM_NUMBER, &control->rate));
    if (input->guess) AC_TRY(ac_read_number(&b->reader, input->guess, "guess", dimension, &control->guess));
    return AC_OK;
}

/* One control for each component that is asked for. */
static ac_status add_components(ac_builder *b, ac_optimization *o, const ac_value *entry,
                                const ac_control_input *input, ac_control *control, int first, int count)
{
    static const char letters[] = "xyz";
    for (int k = first; k < first + count; ++k) {
        char name[AC_NAME_SIZE];
        if (input->component.at && input->component.choice != k) continue;
        snprintf(name, sizeof name, "%.80s_%c", input->name.text, letters[k]);
        control->name = input->component.at || count == 1 ? input->name.text : name;
        control->coordinate = k;
        AC_TRY(ac_build_failed(b, ac_optimization_add_control(o, control), entry->place));
    }
    return AC_OK;
}

static ac_status read_control(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_control_input input;
    ac_control control = {0};
    AC_TRY(ac_section_read(&b->reader, &ac_section_control, entry, &input, sizeof input));
    AC_TRY(check_word(b, input.name.text, input.name.at->place));
    if ((input.joint.at != NULL) + (input.force.at != NULL) + (input.torque.at != NULL) != 1)
        return ac_fail_at(b->ctx, entry->place, "a control needs exactly one of joint, force and torque");
    control.follows = input.frame.choice == 1;
    if (input.joint.at) {
        int which;
        control.type = AC_LOAD_JOINT;
        AC_TRY(ac_find_joint(b, &input.joint, &control.joint));
        if (b->joints[control.joint].type == AC_SPHERICAL) {
            AC_TRY(control_numbers(b, &input, AC_DIM_TORQUE, &control));
            return add_components(b, o, entry, &input, &control, 0, 3);
        }
        AC_TRY(find_coordinate(b, &input.joint, &input.coordinate, &control.joint, &which));
        AC_TRY(control_numbers(b, &input, is_angle(b, control.joint, which) ? AC_DIM_TORQUE : AC_DIM_FORCE,
                               &control));
        control.coordinate = which;
        control.name = input.name.text;
        return ac_build_failed(b, ac_optimization_add_control(o, &control), entry->place);
    }
    const ac_given_word *on = input.force.at ? &input.force : &input.torque;
    if (input.coordinate.at)
        return ac_fail_at(b->ctx, input.coordinate.at->key_place,
                          "coordinate goes with joint; a force or torque has a component");
    int node;
    AC_TRY(ac_find_node(b, on->text, on->at->place, &node));
    if (node == AC_GROUND)
        return ac_fail_at(b->ctx, on->at->place,
                          "a control on the ground moves nothing; name a body or point");
    const ac_drawn_node *drawn = ac_drawn(b, node);
    control.type = input.force.at ? AC_LOAD_FORCE : AC_LOAD_TORQUE;
    AC_TRY(read_point(b, input.at, node, &control.point));
    AC_TRY(control_numbers(b, &input, input.force.at ? AC_DIM_FORCE : AC_DIM_TORQUE, &control));
    bool flat_torque = input.torque.at && drawn->kind == AC_DRAWN_PLANAR;
    if (input.torque.at && drawn->kind == AC_DRAWN_POINT)
        return ac_fail_at(b->ctx, on->at->place, "the mass point '%s' cannot turn, so it takes no torque",
                          drawn->name);
    return add_components(b, o, entry, &input, &control, flat_torque ? 2 : 0,
                          flat_torque       ? 1
                          : input.torque.at ? 3
                                            : drawn->dimension);
}

/* ---- quantities ---- */

static ac_status read_distance(ac_builder *b, const ac_quantity_input *input, ac_quantity *q)
{
    int nodes[2] = {0};
    bool known[2] = {false, false};
    double places[2][3] = {{0}};
    AC_TRY(ac_read_pair(b, input->distance, "distance", nodes));
    if (input->at && input->at->kind != AC_MAP)
        return ac_fail_at(b->ctx, input->at->place, "at must name the points: {node: point, ...}");
    if (input->at) AC_TRY(ac_read_sides(b, input->at, nodes, known, places));
    ac_point *points[2] = {&q->point, &q->second_point};
    for (int k = 0; k < 2; ++k) {
        if (!known[k]) copy3(ac_drawn(b, nodes[k])->centre, places[k]);
        points[k]->node = nodes[k];
        to_node_axes(b, nodes[k], places[k], points[k]->place);
        const ac_value *given = NULL;
        for (const ac_value *value = known[k] && input->at ? input->at->first : NULL; value;
             value = value->next) {
            int node;
            AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
            if (node == nodes[k]) given = value;
        }
        AC_TRY(point_expressions(b, given, nodes[k], q->place_expression[k]));
    }
    q->type = AC_QUANTITY_DISTANCE;
    return AC_OK;
}

/* Kinds that belong to one node. */
static ac_status read_of_node(ac_builder *b, const ac_value *entry, const ac_quantity_input *input,
                              ac_quantity *q)
{
    int node;
    double axis[3], rotation[9];
    if (!input->of.at) return ac_fail_at(b->ctx, entry->place, "'of' is missing: the body or point");
    AC_TRY(ac_find_node(b, input->of.text, input->of.at->place, &node));
    q->point.node = node;
    if (input->axis && input->from && input->to) {
        q->type = AC_QUANTITY_ANGLE;
        AC_TRY(read_along(b, input->axis, "axis", axis));
        to_node_axes(b, node, axis, q->axis);
        AC_TRY(read_along(b, input->from, "from", q->direction));
        return read_along(b, input->to, "to", q->second);
    }
    if (!input->along)
        return ac_fail_at(b->ctx, entry->place, "'along' is missing: a direction of the world");
    AC_TRY(read_along(b, input->along, "along", q->direction));
    if (input->turn_from) {
        q->type = AC_QUANTITY_TURN;
        AC_TRY(ac_read_rotation(b, input->turn_from, rotation));
        multiply3(rotation, ac_drawn(b, node)->axes, q->rotation);
        return AC_OK;
    }
    if (input->axis) {
        q->type = AC_QUANTITY_DIRECTION;
        AC_TRY(read_along(b, input->axis, "axis", axis));
        to_node_axes(b, node, axis, q->axis);
        return AC_OK;
    }
    q->type = AC_QUANTITY_POINT;
    bool centre = input->point->kind == AC_SCALAR && strcmp(input->point->text, "centre") == 0;
    AC_TRY(read_point(b, centre ? NULL : input->point, node, &q->point));
    return point_expressions(b, centre ? NULL : input->point, node, q->place_expression[0]);
}

/* Momentum and energy of a node or of everything. */
static ac_status read_motion(ac_builder *b, const ac_value *entry, const ac_quantity_input *input,
                             const ac_given_word *of, ac_quantity *q)
{
    bool angular = q->type == AC_QUANTITY_ANGULAR_MOMENTUM;
    bool directed = angular || q->type == AC_QUANTITY_MOMENTUM;
    bool whole = strcmp(of->text, "system") == 0;
    int dimension = 3, count;
    q->point.node = AC_WHOLE_SYSTEM;
    if (!whole) {
        AC_TRY(ac_find_node(b, of->text, of->at->place, &q->point.node));
        if (q->point.node == AC_GROUND)
            return ac_fail_at(b->ctx, of->at->place,
                              "the ground does not move; name a body or point, or system");
        const ac_drawn_node *drawn = ac_drawn(b, q->point.node);
        dimension = drawn->dimension;
        if (angular && drawn->kind == AC_DRAWN_POINT && !input->about)
            return ac_fail_at(b->ctx, of->at->place,
                              "a mass point does not turn; 'about' is missing: the place that its angular "
                              "momentum is about");
    }
    if (directed && !input->along)
        return ac_fail_at(b->ctx, entry->place, "'along' is missing: a direction of the world");
    if (!directed && input->along)
        return ac_fail_at(b->ctx, input->along->key_place, "an energy has no direction");
    if (directed) AC_TRY(read_along(b, input->along, "along", q->direction));
    q->about_centre = angular && !whole && !input->about;
    if (!input->about) return AC_OK;
    return ac_read_numbers(&b->reader, input->about, "about", AC_DIM_LENGTH, dimension < 3 ? dimension : 2, 3,
                           q->place, &count);
}

static ac_status read_quantity(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_quantity_input input;
    ac_quantity q = {.name = entry->key};
    AC_TRY(ac_section_read(&b->reader, &ac_section_quantity, entry, &input, sizeof input));
    AC_TRY(check_word(b, entry->key, entry->key_place));
    int kinds = (input.joint.at != NULL) + (input.point != NULL) + (input.distance != NULL) +
                (input.axis && !input.joint.at) + (input.turn_from != NULL) + (input.clearance != NULL);
    const ac_given_word *moving[] = {&input.momentum, &input.angular_momentum, &input.kinetic_energy,
                                     &input.potential_energy};
    static const ac_quantity_type moving_types[] = {AC_QUANTITY_MOMENTUM, AC_QUANTITY_ANGULAR_MOMENTUM,
                                                    AC_QUANTITY_KINETIC_ENERGY, AC_QUANTITY_POTENTIAL_ENERGY};
    const ac_given_word *motion = NULL;
    for (int k = 0; k < 4; ++k) {
        kinds += moving[k]->at != NULL;
        if (!moving[k]->at) continue;
        motion = moving[k];
        q.type = moving_types[k];
    }
    if (kinds != 1)
        return ac_fail_at(
            b->ctx, entry->place,
            "a quantity needs exactly one of joint, point, distance, axis, turn_from, clearance, "
            "momentum, angular_momentum, kinetic_energy and potential_energy");
    if (input.about && q.type != AC_QUANTITY_ANGULAR_MOMENTUM)
        return ac_fail_at(b->ctx, input.about->key_place, "about goes with angular_momentum");
    if (motion) {
        AC_TRY(read_motion(b, entry, &input, motion, &q));
        return ac_build_failed(b, ac_optimization_add_quantity(o, &q), entry->key_place);
    }
    if (input.joint.at) {
        AC_TRY(joint_quantity(b, &input.joint, &input.coordinate, input.axis, &q));
    } else if (input.clearance) {
        AC_TRY(ac_read_clearance(b, input.clearance, &q));
    } else if (input.distance) {
        AC_TRY(read_distance(b, &input, &q));
    } else {
        AC_TRY(read_of_node(b, entry, &input, &q));
    }
    return ac_build_failed(b, ac_optimization_add_quantity(o, &q), entry->key_place);
}

/* ---- conditions ---- */

typedef struct condition_reader {
    ac_builder *b;
    ac_optimization *o;
    ac_optimization_plan *plan;
    int made; /* names of quantities made for conditions */
} condition_reader;

static ac_status bounds_of(ac_builder *b, const ac_value *entry, const ac_condition_input *input,
                           ac_dimension dimension, ac_condition *c)
{
    c->low = -INFINITY;
    c->high = INFINITY;
    if (input->equals) {
        if (input->at_least || input->at_most)
            return ac_fail_at(b->ctx, input->equals->key_place,
                              "give either equals, or at_least and at_most");
        AC_TRY(ac_read_number(&b->reader, input->equals, "equals", dimension, &c->low));
        c->high = c->low;
        return AC_OK;
    }
    if (!input->at_least && !input->at_most)
        return ac_fail_at(b->ctx, entry->place, "what must hold? give equals, at_least or at_most");
    if (input->at_least) AC_TRY(ac_read_number(&b->reader, input->at_least, "at_least", dimension, &c->low));
    if (input->at_most) AC_TRY(ac_read_number(&b->reader, input->at_most, "at_most", dimension, &c->high));
    return AC_OK;
}

/* A quantity made for a condition, and the condition on it. */
static ac_status made_condition(condition_reader *r, const ac_value *entry, ac_quantity *q, ac_condition *c,
                                const ac_bounds *bounds)
{
    char name[32];
    snprintf(name, sizeof name, "_condition_%d", ++r->made);
    q->name = name;
    c->expression = name;
    AC_TRY(ac_build_failed(r->b, ac_optimization_add_quantity(r->o, q), entry->place));
    return ac_build_failed(r->b, ac_add_condition(r->b, r->o, c, bounds, NULL), entry->place);
}

static ac_bounds given_bounds(const ac_condition_input *input)
{
    return (ac_bounds){input->equals, input->at_least, input->at_most};
}

static ac_status orientation_condition(condition_reader *r, const ac_value *entry,
                                       const ac_condition_input *input, ac_condition *c)
{
    ac_builder *b = r->b;
    double rotation[9], wanted[9];
    int node;
    if (!input->rotation)
        return ac_fail_at(b->ctx, entry->place,
                          "'rotation' is missing: the orientation that the body must have");
    AC_TRY(ac_find_node(b, input->orientation.text, input->orientation.at->place, &node));
    if (node == AC_GROUND || ac_drawn(b, node)->kind != AC_DRAWN_BODY)
        return ac_fail_at(b->ctx, input->orientation.at->place,
                          "only a rigid body has an orientation in space");
    AC_TRY(ac_read_rotation(b, input->rotation, rotation));
    multiply3(rotation, ac_drawn(b, node)->axes, wanted);
    c->low = c->high = 0.0;
    for (int i = 0; i < 3; ++i) {
        ac_quantity q = {.type = AC_QUANTITY_TURN, .point = {node, {0}}};
        q.direction[i] = 1.0;
        memcpy(q.rotation, wanted, sizeof wanted);
        AC_TRY(made_condition(r, entry, &q, c, NULL));
    }
    if (c->place != AC_AT_END || r->plan->orientation_count == 8) return AC_OK;
    int k = r->plan->orientation_count++;
    r->plan->orientations[k].node = node;
    memcpy(r->plan->orientations[k].rotation, wanted, sizeof wanted);
    return ac_guess_orientation(b, r->o, node, rotation);
}

static ac_status place_condition(condition_reader *r, const ac_value *entry, const ac_condition_input *input,
                                 ac_condition *c)
{
    ac_builder *b = r->b;
    int node, count;
    double place[3] = {0.0, 0.0, 0.0};
    if (!input->of.at || !input->place)
        return ac_fail_at(b->ctx, entry->place,
                          "a point needs 'of' (its body) and 'place' (where it must be)");
    AC_TRY(ac_find_node(b, input->of.text, input->of.at->place, &node));
    int dimension = ac_drawn(b, node)->dimension;
    AC_TRY(ac_read_numbers(&b->reader, input->place, "place", AC_DIM_LENGTH, dimension, dimension, place,
                           &count));
    const ac_value *part = input->place->first;
    for (int i = 0; i < dimension; ++i, part = part->next) {
        const ac_bounds target = {part, NULL, NULL};
        ac_quantity q = {.type = AC_QUANTITY_POINT};
        q.direction[i] = 1.0;
        AC_TRY(read_point(b, input->point, node, &q.point));
        AC_TRY(point_expressions(b, input->point, node, q.place_expression[0]));
        c->low = c->high = place[i];
        AC_TRY(made_condition(r, entry, &q, c, &target));
    }
    return AC_OK;
}

/* A bound on a swing is one on its cosine, which is smooth where both axes coincide. */
static ac_status bound_cosine(ac_builder *b, const ac_value *entry, ac_quantity *q, ac_condition *c)
{
    static const double half_turn = 3.141592653589793;
    double low = c->low, high = c->high;
    if (low > high || low > half_turn || high < 0.0 || (low == high && low <= 0.0))
        return ac_fail_at(
            b->ctx, entry->place,
            "a swing is between 0 and half a turn; for none at all give x, y or z of the joint");
    q->type = AC_QUANTITY_SWING_COSINE;
    c->high = low <= 0.0 ? INFINITY : cos(low);
    c->low = high >= half_turn ? -INFINITY : cos(high);
    return AC_OK;
}

static ac_status clearance_condition(condition_reader *r, const ac_value *entry,
                                     const ac_condition_input *input, ac_condition *c)
{
    ac_quantity q = {0};
    char name[AC_NAME_SIZE];
    bool bounded = input->equals || input->at_least || input->at_most;
    AC_TRY(ac_read_clearance(r->b, input->clearance, &q));
    c->low = 0.0;
    c->high = INFINITY;
    if (bounded) AC_TRY(bounds_of(r->b, entry, input, AC_DIM_LENGTH, c));
    if (!c->name) {
        snprintf(name, sizeof name, "clearance of %.30s and %.30s", ac_drawn(r->b, q.hull[0].node)->name,
                 ac_drawn(r->b, q.hull[1].node)->name);
        c->name = name;
    }
    const ac_bounds bounds = given_bounds(input);
    return made_condition(r, entry, &q, c, &bounds);
}

static ac_status joint_condition(condition_reader *r, const ac_value *entry, const ac_condition_input *input,
                                 ac_condition *c)
{
    ac_quantity q = {0};
    AC_TRY(joint_quantity(r->b, &input->joint, &input->coordinate, input->axis, &q));
    bool ball = r->b->joints[q.joint].type == AC_SPHERICAL;
    AC_TRY(bounds_of(r->b, entry, input,
                     ball || is_angle(r->b, q.joint, q.coordinate) ? AC_DIM_ANGLE : AC_DIM_LENGTH, c));
    if (q.type == AC_QUANTITY_SWING) AC_TRY(bound_cosine(r->b, entry, &q, c));
    const ac_bounds bounds = given_bounds(input);
    AC_TRY(made_condition(r, entry, &q, c, ball ? NULL : &bounds));
    if (c->place != AC_AT_END || c->low != c->high || ball) return AC_OK;
    return ac_guess_coordinate(r->b, r->o, q.joint, q.coordinate, c->low);
}

static ac_status read_condition(condition_reader *r, const ac_value *entry)
{
    static const ac_condition_place places[] = {AC_AT_START, AC_AT_END, AC_AT_NODES, AC_ON_INTERVALS};
    ac_builder *b = r->b;
    ac_condition_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_condition, entry, &input, sizeof input));
    ac_condition c = {.name = input.name.at ? input.name.text : NULL,
                      .place = input.where.at ? places[input.where.choice] : AC_AT_NODES};
    int kinds = (input.expression.at != NULL) + (input.joint.at != NULL) + (input.point != NULL) +
                (input.orientation.at != NULL) + (input.clearance != NULL);
    if (kinds != 1)
        return ac_fail_at(
            b->ctx, entry->place,
            "a condition needs exactly one of expression, joint, point, orientation and clearance");
    const ac_given_word *named = input.joint.at         ? &input.joint
                                 : input.orientation.at ? &input.orientation
                                 : input.of.at          ? &input.of
                                                        : NULL;
    if (!c.name && named) c.name = named->text;
    if (input.orientation.at) return orientation_condition(r, entry, &input, &c);
    if (input.point) return place_condition(r, entry, &input, &c);
    if (input.joint.at) return joint_condition(r, entry, &input, &c);
    if (input.clearance) return clearance_condition(r, entry, &input, &c);
    AC_TRY(bounds_of(b, entry, &input, AC_DIM_ANY, &c));
    AC_TRY(expression_text(b, &input.expression, &c.expression));
    const ac_bounds bounds = given_bounds(&input);
    return ac_build_failed(b, ac_add_condition(b, r->o, &c, &bounds, look_up), input.expression.at->place);
}

/* ---- objective ---- */

/* The work of the controls: the sum of control times its speed. */
static ac_status work_objective(ac_builder *b, ac_optimization *o, const ac_value *entry, double weight,
                                bool absolute)
{
    for (int k = 0; k < ac_optimization_controls(o); ++k) {
        char text[2 * AC_NAME_SIZE];
        const char *name = ac_optimization_control_name(o, k);
        snprintf(text, sizeof text, "%.80s*%.80s_speed", name, name);
        ac_objective objective = {absolute ? AC_OBJECTIVE_ABSOLUTE : AC_OBJECTIVE_RUNNING, weight, text};
        AC_TRY(ac_build_failed(b, ac_optimization_add_objective(o, &objective, NULL, NULL), entry->place));
    }
    return AC_OK;
}

static ac_status read_objective(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_objective_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_objective, entry, &input, sizeof input));
    const ac_given_number *numbers[] = {&input.effort, &input.duration, &input.energy, &input.work,
                                        &input.absolute_work};
    static const ac_objective_type plain[] = {AC_OBJECTIVE_EFFORT, AC_OBJECTIVE_DURATION,
                                              AC_OBJECTIVE_ENERGY};
    enum { NUMBERS = 5, WORDS = 4, PLAIN = 3 };
    const ac_given_word *words[] = {&input.start, &input.end, &input.running, &input.absolute};
    static const ac_objective_type types[] = {AC_OBJECTIVE_START, AC_OBJECTIVE_END, AC_OBJECTIVE_RUNNING,
                                              AC_OBJECTIVE_ABSOLUTE};
    int kinds = 0, number = -1, word = -1;
    for (int k = 0; k < NUMBERS; ++k) {
        kinds += numbers[k]->at != NULL;
        if (numbers[k]->at) number = k;
    }
    for (int k = 0; k < WORDS; ++k) {
        kinds += words[k]->at != NULL;
        if (words[k]->at) word = k;
    }
    if (kinds != 1)
        return ac_fail_at(b->ctx, entry->place,
                          "an objective needs exactly one of effort, duration, energy, start, end, running, "
                          "absolute, work and absolute_work");
    double sign = input.maximise.on ? -1.0 : 1.0;
    ac_objective objective = {.weight = sign * (input.weight.at ? input.weight.value : 1.0)};
    if (number >= PLAIN)
        return work_objective(b, o, entry, objective.weight * numbers[number]->value, number == PLAIN + 1);
    if (number >= 0) {
        objective.type = plain[number];
        objective.weight *= numbers[number]->value;
    } else {
        objective.type = types[word];
        AC_TRY(expression_text(b, words[word], &objective.expression));
    }
    return ac_build_failed(b, ac_optimization_add_objective(o, &objective, look_up, b), entry->place);
}

/* ---- the section ---- */

static ac_status read_settings(ac_builder *b, const ac_optimize_input *input, ac_optimization_settings *s)
{
    ac_optimization_defaults(s);
    s->intervals = (int)input->intervals.value;
    s->duration = input->duration.value;
    s->free_duration = input->free_duration.on;
    if (!s->free_duration && (input->least_duration.at || input->most_duration.at))
        return ac_fail_at(
            b->ctx,
            (input->least_duration.at ? input->least_duration.at : input->most_duration.at)->key_place,
            "bounds on the duration go with free_duration: true");
    if (input->least_duration.at) s->least_duration = input->least_duration.value;
    if (input->most_duration.at) s->most_duration = input->most_duration.value;
    if (input->formulation.at) s->formulation = ac_optimization_formulations()[input->formulation.choice];
    if (input->hessian.at) s->hessian = ac_optimization_hessians()[input->hessian.choice];
    s->start_fixed = input->start.choice == 0;
    s->start_velocity = input->start_velocity.choice == 0;
    s->end_rest = input->end_velocity.choice == 1;
    s->periodic = input->periodic.on;
    if (s->periodic) s->start_velocity = false;
    if (s->periodic && !input->start.at) s->start_fixed = false;
    if (input->tolerance.at) s->tolerance = input->tolerance.value;
    if (input->turn_limit.at) s->turn_limit = input->turn_limit.value;
    if (s->turn_limit >= 3.14159)
        return ac_fail_at(b->ctx, input->turn_limit.at->place, "turn_limit must be below pi; 0 means none");
    if (input->max_iterations.at) s->max_iterations = (int)input->max_iterations.value;
    if (input->rounds.at) s->most_rounds = (int)input->rounds.value;
    if (input->print.at) s->print = (int)input->print.value;
    return AC_OK;
}

static ac_status read_continuation(ac_builder *b, const ac_value *section, ac_optimization_plan *plan)
{
    ac_continuation_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_continuation, section, &input, sizeof input));
    const ac_value *parameters = b->root.parameters;
    if (!parameters || !ac_value_find(parameters, input.parameter.text))
        return ac_fail_at(b->ctx, input.parameter.at->place, "there is no parameter '%.60s' in parameters",
                          input.parameter.text);
    snprintf(plan->parameter, sizeof plan->parameter, "%s", input.parameter.text);
    return ac_read_numbers(&b->reader, input.values, "values", AC_DIM_ANY, 1, AC_REFINE_MAX, plan->values,
                           &plan->value_count);
}

static ac_status read_plan(ac_builder *b, const ac_optimize_input *input, ac_optimization_plan *plan)
{
    plan->forces = !input->forces.at || input->forces.on;
    plan->reactions = input->reactions.on;
    plan->resimulated = !input->resimulated.at || input->resimulated.on;
    plan->starts = input->starts.at ? (int)input->starts.value : 1;
    plan->seed = input->seed.at ? (unsigned long)input->seed.value : 1;
    plan->disturbance = input->disturbance.at ? input->disturbance.value : 0.3;
    if (input->continuation) AC_TRY(read_continuation(b, input->continuation, plan));
    if (!input->refine) return AC_OK;
    if (input->refine->kind != AC_LIST)
        return ac_fail_at(b->ctx, input->refine->place, "refine must be a list of numbers of intervals");
    for (const ac_value *value = input->refine->first; value; value = value->next) {
        long count;
        if (plan->refine_count == AC_REFINE_MAX)
            return ac_fail_at(b->ctx, value->place, "refine takes at most %d meshes", AC_REFINE_MAX);
        AC_TRY(ac_read_integer(&b->reader, value, "refine", 1, 10000000, &count));
        plan->refine[plan->refine_count++] = (int)count;
    }
    return AC_OK;
}

ac_status ac_build_optimization(ac_builder *b, const ac_value *section, ac_optimization **optimization,
                                ac_optimization_plan *plan)
{
    ac_optimize_input input;
    ac_optimization_settings settings;
    AC_TRY(ac_section_read(&b->reader, &ac_section_optimize, section, &input, sizeof input));
    AC_TRY(read_settings(b, &input, &settings));
    AC_TRY(read_plan(b, &input, plan));
    AC_TRY(ac_build_failed(b, ac_optimization_new(b->ctx, b->system, &settings, optimization),
                           section->key_place));
    ac_optimization *o = *optimization;
    AC_TRY(ac_add_free_parameters(b, o));
    for (const ac_value *entry = input.controls->first; entry; entry = entry->next)
        AC_TRY(read_control(b, o, entry));
    for (const ac_value *entry = input.quantities ? input.quantities->first : NULL; entry;
         entry = entry->next)
        AC_TRY(read_quantity(b, o, entry));
    condition_reader reader = {b, o, plan, 0};
    for (const ac_value *entry = input.conditions ? input.conditions->first : NULL; entry;
         entry = entry->next)
        AC_TRY(read_condition(&reader, entry));
    if (!input.objective->first)
        return ac_fail_at(b->ctx, input.objective->place, "objective is empty; there is nothing to minimise");
    for (const ac_value *entry = input.objective->first; entry; entry = entry->next)
        AC_TRY(read_objective(b, o, entry));
    ac_optimization_guesses_follow(o);
    return input.guess ? ac_read_guess(b, o, input.guess, plan) : AC_OK;
}
