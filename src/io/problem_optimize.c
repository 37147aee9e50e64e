/* The task optimize of a problem file: controls, quantities, conditions, objective, guess. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/optimize.h"
#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "io/problem_build.h"
#include "io/problem_guess.h"
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
    ac_builder *b = user;
    char text[AC_NAME_SIZE + 2];
    ac_value scalar = {.kind = AC_SCALAR};
    snprintf(text, sizeof text, "=%.90s", name);
    scalar.text = text;
    return ac_read_number(&b->reader, &scalar, name, AC_DIM_ANY, value) == AC_OK;
}

static const char *expression_text(const ac_given_word *word)
{
    return word->text[0] == '=' ? word->text + 1 : word->text;
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
    return read_point(b,
                      input->point && input->point->kind == AC_SCALAR &&
                              strcmp(input->point->text, "centre") == 0
                          ? NULL
                          : input->point,
                      node, &q->point);
}

static ac_status read_quantity(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_quantity_input input;
    ac_quantity q = {.name = entry->key};
    AC_TRY(ac_section_read(&b->reader, &ac_section_quantity, entry, &input, sizeof input));
    AC_TRY(check_word(b, entry->key, entry->key_place));
    int kinds = (input.joint.at != NULL) + (input.point != NULL) + (input.distance != NULL) +
                (input.axis != NULL) + (input.turn_from != NULL);
    if (kinds != 1)
        return ac_fail_at(b->ctx, entry->place,
                          "a quantity needs exactly one of joint, point, distance, axis and turn_from");
    if (input.joint.at) {
        q.type = AC_QUANTITY_JOINT;
        AC_TRY(find_coordinate(b, &input.joint, &input.coordinate, &q.joint, &q.coordinate));
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
static ac_status made_condition(condition_reader *r, const ac_value *entry, ac_quantity *q, ac_condition *c)
{
    char name[32];
    snprintf(name, sizeof name, "_condition_%d", ++r->made);
    q->name = name;
    c->expression = name;
    AC_TRY(ac_build_failed(r->b, ac_optimization_add_quantity(r->o, q), entry->place));
    return ac_build_failed(r->b, ac_optimization_add_condition(r->o, c, NULL, NULL), entry->place);
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
        AC_TRY(made_condition(r, entry, &q, c));
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
    for (int i = 0; i < dimension; ++i) {
        ac_quantity q = {.type = AC_QUANTITY_POINT};
        q.direction[i] = 1.0;
        AC_TRY(read_point(b, input->point, node, &q.point));
        c->low = c->high = place[i];
        AC_TRY(made_condition(r, entry, &q, c));
    }
    return AC_OK;
}

static ac_status joint_condition(condition_reader *r, const ac_value *entry, const ac_condition_input *input,
                                 ac_condition *c)
{
    ac_quantity q = {.type = AC_QUANTITY_JOINT};
    AC_TRY(find_coordinate(r->b, &input->joint, &input->coordinate, &q.joint, &q.coordinate));
    AC_TRY(bounds_of(r->b, entry, input, is_angle(r->b, q.joint, q.coordinate) ? AC_DIM_ANGLE : AC_DIM_LENGTH,
                     c));
    AC_TRY(made_condition(r, entry, &q, c));
    if (c->place != AC_AT_END || c->low != c->high) return AC_OK;
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
                (input.orientation.at != NULL);
    if (kinds != 1)
        return ac_fail_at(b->ctx, entry->place,
                          "a condition needs exactly one of expression, joint, point and orientation");
    const ac_given_word *named = input.joint.at         ? &input.joint
                                 : input.orientation.at ? &input.orientation
                                 : input.of.at          ? &input.of
                                                        : NULL;
    if (!c.name && named) c.name = named->text;
    if (input.orientation.at) return orientation_condition(r, entry, &input, &c);
    if (input.point) return place_condition(r, entry, &input, &c);
    if (input.joint.at) return joint_condition(r, entry, &input, &c);
    AC_TRY(bounds_of(b, entry, &input, AC_DIM_ANY, &c));
    c.expression = expression_text(&input.expression);
    return ac_build_failed(b, ac_optimization_add_condition(r->o, &c, look_up, b),
                           input.expression.at->place);
}

/* ---- objective ---- */

/* The work of the controls in joint coordinates: sum of control times rate. */
static ac_status work_objective(ac_builder *b, ac_optimization *o, const ac_value *entry,
                                const ac_value *controls, double weight, bool absolute)
{
    for (const ac_value *c = controls->first; c; c = c->next) {
        ac_control_input input;
        ac_quantity q = {.type = AC_QUANTITY_JOINT};
        char name[AC_NAME_SIZE], text[2 * AC_NAME_SIZE];
        AC_TRY(ac_section_read(&b->reader, &ac_section_control, c, &input, sizeof input));
        if (!input.joint.at)
            return ac_fail_at(b->ctx, entry->place,
                              "the work of '%s' is not known: it does not act in a joint coordinate",
                              input.name.text);
        AC_TRY(find_coordinate(b, &input.joint, &input.coordinate, &q.joint, &q.coordinate));
        snprintf(name, sizeof name, "_%.70s_moves_%c", input.name.text, absolute ? 'a' : 'w');
        q.name = name;
        AC_TRY(ac_build_failed(b, ac_optimization_add_quantity(o, &q), entry->place));
        snprintf(text, sizeof text, "%.70s*%s_rate", input.name.text, name);
        ac_objective objective = {absolute ? AC_OBJECTIVE_ABSOLUTE : AC_OBJECTIVE_RUNNING, weight, text};
        AC_TRY(ac_build_failed(b, ac_optimization_add_objective(o, &objective, NULL, NULL), entry->place));
    }
    return AC_OK;
}

static ac_status read_objective(ac_builder *b, ac_optimization *o, const ac_value *entry,
                                const ac_value *controls)
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
        return work_objective(b, o, entry, controls, sign * numbers[number]->value, number == PLAIN + 1);
    if (number >= 0) {
        objective.type = plain[number];
        objective.weight = sign * numbers[number]->value;
    } else {
        objective.type = types[word];
        objective.expression = expression_text(words[word]);
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
    for (const ac_value *entry = input.controls->first; entry; entry = entry->next)
        AC_TRY(read_control(b, o, entry));
    for (const ac_value *entry = input.quantities ? input.quantities->first : NULL; entry;
         entry = entry->next)
        AC_TRY(read_quantity(b, o, entry));
    condition_reader reader = {b, o, plan, 0};
    for (const ac_value *entry = input.conditions ? input.conditions->first : NULL; entry;
         entry = entry->next)
        AC_TRY(read_condition(&reader, entry));
    for (const ac_value *entry = input.objective->first; entry; entry = entry->next)
        AC_TRY(read_objective(b, o, entry, input.controls));
    return input.guess ? ac_read_guess(b, o, input.guess, plan) : AC_OK;
}
