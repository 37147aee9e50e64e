/* The conditions of the task optimize: what must hold at the start, at the end, at nodes or on intervals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "math/math.h"
#include "optimize/problem/prepare.h"
#include "problem/build/guess.h"
#include "problem/shape/hulls.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_optimize.h"

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
static ac_status made_condition(ac_condition_reader *r, const ac_value *entry, ac_quantity *q,
                                ac_condition *c, const ac_bounds *bounds)
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

static ac_status orientation_condition(ac_condition_reader *r, const ac_value *entry,
                                       const ac_condition_input *input, ac_condition *c)
{
    ac_builder *b = r->b;
    double rotation[9], wanted[9];
    int node;
    if (!input->rotation)
        return ac_fail_at(b->ctx, entry->place,
                          "'rotation' is missing: the orientation that the body must have");
    AC_TRY(ac_find_node(b, input->orientation.text, input->orientation.at->place, &node));
    if (node == AC_GROUND || ac_built(b, node)->kind != AC_BUILT_BODY)
        return ac_fail_at(b->ctx, input->orientation.at->place,
                          "only a rigid body has an orientation in space");
    AC_TRY(ac_read_rotation(b, input->rotation, rotation));
    multiply3(rotation, ac_built(b, node)->axes, wanted);
    c->low = c->high = 0.0;
    for (int i = 0; i < 3; ++i) {
        ac_quantity q = {.type = AC_QUANTITY_TURN, .point = {node, {0}}};
        q.direction[i] = 1.0;
        memcpy(q.rotation, wanted, sizeof wanted);
        AC_TRY(made_condition(r, entry, &q, c, NULL));
    }
    if ((c->place != AC_AT_END && c->place != AC_AT_START) ||
        r->plan->orientation_count == AC_ORIENTATIONS_MAX)
        return AC_OK;
    int k = r->plan->orientation_count++;
    r->plan->orientations[k].node = node;
    r->plan->orientations[k].at_start = c->place == AC_AT_START;
    memcpy(r->plan->orientations[k].rotation, wanted, sizeof wanted);
    return c->place == AC_AT_END ? ac_guess_orientation(b, r->o, node, rotation) : AC_OK;
}

static ac_status place_condition(ac_condition_reader *r, const ac_value *entry,
                                 const ac_condition_input *input, ac_condition *c)
{
    ac_builder *b = r->b;
    int node, count;
    double place[3] = {0.0, 0.0, 0.0};
    if (!input->of.at || !input->place)
        return ac_fail_at(b->ctx, entry->place,
                          "a point needs 'of' (its body) and 'place' (where it must be)");
    AC_TRY(ac_find_node(b, input->of.text, input->of.at->place, &node));
    int dimension = ac_built(b, node)->dimension;
    AC_TRY(ac_read_numbers(&b->reader, input->place, "place", AC_DIM_LENGTH, dimension, dimension, place,
                           &count));
    const ac_value *part = input->place->first;
    for (int i = 0; i < dimension; ++i, part = part->next) {
        const ac_bounds target = {part, NULL, NULL};
        ac_quantity q = {.type = AC_QUANTITY_POINT};
        q.direction[i] = 1.0;
        AC_TRY(ac_read_point(b, input->point, node, &q.point));
        AC_TRY(ac_point_expressions(b, input->point, node, q.place_expression[0]));
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
    c->high = low <= 0.0 ? INFINITY : ac_cos(low);
    c->low = high >= half_turn ? -INFINITY : ac_cos(high);
    return AC_OK;
}

static ac_status clearance_condition(ac_condition_reader *r, const ac_value *entry,
                                     const ac_condition_input *input, ac_condition *c)
{
    ac_shapes shapes[2];
    char name[AC_NAME_SIZE];
    const ac_bounds bounds = given_bounds(input);
    bool bounded = input->equals || input->at_least || input->at_most;
    AC_TRY(ac_read_shapes(r->b, input->clearance, shapes));
    c->low = 0.0;
    c->high = INFINITY;
    if (bounded) AC_TRY(bounds_of(r->b, entry, input, AC_DIM_LENGTH, c));
    if (!c->name) {
        snprintf(name, sizeof name, "clearance of %.30s and %.30s", shapes[0].name, shapes[1].name);
        c->name = name;
    }
    for (int i = 0; i < shapes[0].count; ++i)
        for (int k = 0; k < shapes[1].count; ++k) {
            ac_quantity q = {.type = AC_QUANTITY_CLEARANCE, .hull = {shapes[0].list[i], shapes[1].list[k]}};
            AC_TRY(made_condition(r, entry, &q, c, &bounds));
        }
    return AC_OK;
}

static ac_status joint_condition(ac_condition_reader *r, const ac_value *entry,
                                 const ac_condition_input *input, ac_condition *c)
{
    ac_quantity q = {0};
    AC_TRY(ac_read_joint_quantity(r->b, &input->joint, &input->coordinate, input->axis, &q));
    bool ball = ac_joint_is_ball(r->b->joints[q.joint].type);
    AC_TRY(bounds_of(r->b, entry, input,
                     ball || ac_is_angle(r->b, q.joint, q.coordinate) ? AC_DIM_ANGLE : AC_DIM_LENGTH, c));
    if (q.type == AC_QUANTITY_SWING) AC_TRY(bound_cosine(r->b, entry, &q, c));
    const ac_bounds bounds = given_bounds(input);
    AC_TRY(made_condition(r, entry, &q, c, ball ? NULL : &bounds));
    if (c->place != AC_AT_END || c->low != c->high || ball) return AC_OK;
    return ac_guess_coordinate(r->b, r->o, q.joint, q.coordinate, c->low);
}

static bool name_taken(const ac_optimization *o, const char *name)
{
    for (int k = 0; k < ac_optimization_conditions(o); ++k)
        if (strcmp(ac_optimization_condition_name(o, k), name) == 0) return true;
    return false;
}

/* What a condition without a name is called: as what it is about, its coordinate, and a number when that
 * name is taken. */
static void default_name(const ac_optimization *o, const ac_condition_input *input,
                         const ac_given_word *named, char name[AC_NAME_SIZE])
{
    bool coordinate = named == &input->joint && input->coordinate.at;
    char base[AC_NAME_SIZE];
    snprintf(base, sizeof base, "%.40s%s%.8s", named->text, coordinate ? "." : "",
             coordinate ? input->coordinate.text : "");
    snprintf(name, AC_NAME_SIZE, "%s", base);
    for (int number = 2; name_taken(o, name); ++number)
        snprintf(name, AC_NAME_SIZE, "%.52s (%d)", base, number);
}

/* A sum over the motion. */
static ac_status total_condition(ac_condition_reader *r, const ac_value *entry,
                                 const ac_condition_input *input, ac_condition *c)
{
    ac_builder *b = r->b;
    int total;
    if (input->where.at)
        return ac_fail_at(b->ctx, input->where.at->key_place,
                          "a total is a sum over the whole motion: it has no 'at'");
    AC_TRY(bounds_of(b, entry, input, AC_DIM_ANY, c));
    if (!input->total->first) return ac_fail_at(b->ctx, input->total->place, "total is empty");
    AC_TRY(ac_build_failed(
        b, ac_optimization_add_total(r->o, c->name ? c->name : "total", c->low, c->high, &total),
        entry->place));
    for (const ac_value *part = input->total->first; part; part = part->next)
        AC_TRY(ac_read_sum(b, r->o, total, part));
    return AC_OK;
}

static ac_status balance_condition(ac_condition_reader *r, const ac_value *entry,
                                   const ac_condition_input *input)
{
    const ac_value *stray = input->where.at   ? input->where.at
                            : input->equals   ? input->equals
                            : input->at_least ? input->at_least
                                              : input->at_most;
    if (stray)
        return ac_fail_at(r->b->ctx, stray->key_place,
                          "energy_balance is a bound by itself: it goes without '%s'", stray->key);
    return ac_build_failed(r->b, ac_optimization_balance_energy(r->o, input->energy_balance.value),
                           entry->place);
}

static ac_status read_condition(ac_condition_reader *r, const ac_value *entry)
{
    static const ac_condition_place places[] = {AC_AT_START, AC_AT_END, AC_AT_NODES, AC_ON_INTERVALS,
                                                AC_AT_INNER_NODES};
    ac_builder *b = r->b;
    ac_condition_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_condition, entry, &input, sizeof input));
    ac_condition c = {.name = input.name.at ? input.name.text : NULL,
                      .place = input.where.at ? places[input.where.choice] : AC_AT_NODES};
    int kinds = (input.expression.at != NULL) + (input.joint.at != NULL) + (input.point != NULL) +
                (input.orientation.at != NULL) + (input.clearance != NULL) + (input.total != NULL) +
                (input.energy_balance.at != NULL);
    if (kinds != 1)
        return ac_fail_at(
            b->ctx, entry->place,
            "a condition needs exactly one of expression, joint, point, orientation, clearance, total and "
            "energy_balance");
    const ac_given_word *named = input.joint.at         ? &input.joint
                                 : input.orientation.at ? &input.orientation
                                 : input.of.at          ? &input.of
                                                        : NULL;
    char name[AC_NAME_SIZE];
    if (!c.name && named) {
        default_name(r->o, &input, named, name);
        c.name = name;
    }
    if (input.total) return total_condition(r, entry, &input, &c);
    if (input.energy_balance.at) return balance_condition(r, entry, &input);
    if (input.orientation.at) return orientation_condition(r, entry, &input, &c);
    if (input.point) return place_condition(r, entry, &input, &c);
    if (input.joint.at) return joint_condition(r, entry, &input, &c);
    if (input.clearance) return clearance_condition(r, entry, &input, &c);
    AC_TRY(bounds_of(b, entry, &input, AC_DIM_ANY, &c));
    c.expression = ac_expression_text(&input.expression);
    const ac_bounds bounds = given_bounds(&input);
    return ac_build_failed(b, ac_add_condition(b, r->o, &c, &bounds, ac_look_up), input.expression.at->place);
}

ac_status ac_read_condition(ac_condition_reader *r, const ac_value *entry)
{
    char text[AC_WHERE_SIZE];
    AC_TRY(read_condition(r, entry));
    return ac_optimization_terms_from(r->o, ac_where(entry, text));
}
