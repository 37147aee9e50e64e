/* Free parameters of a problem file: from expressions in the file to dependences of the optimal control
 * problem. */
#include "problem/build/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/number/formula.h"
#include "model/system.h"
#include "optimize/problem/prepare.h"
#include "problem/build/beams.h"
#include "problem/keys/schema_optimize.h"

typedef struct dependence {
    ac_followed what;
    const char *text; /* as the file has it; NULL: it follows from several numbers */
    ac_place place;
    struct dependence *next;
} dependence;

typedef struct place_nodes {
    int number; /* of the named place */
    ac_nodes nodes;
    struct place_nodes *next;
} place_nodes;

typedef struct place_use {
    const ac_value *value;
    int index, number;
    struct place_use *next;
} place_use;

typedef struct centre {
    int node;
    ac_nodes nodes;
    struct centre *next;
} centre;

typedef struct rotation {
    int node;
    ac_num entry[9];
    struct rotation *next;
} rotation;

struct ac_free_data {
    const ac_value *section; /* optimize.parameters */
    dependence *first, *last;
    place_nodes *places;
    place_use *uses;
    centre *centres, *positions;
    rotation *rotations;
    const ac_value *initial_rest; /* a spring whose rest length is that of the initial state */
};

/* ---- beginning ---- */

bool ac_sets_values(const ac_builder *b)
{
    return b->free && !b->free->section;
}

static ac_status want_parameters(ac_builder *b)
{
    b->free = ac_arena_take(&b->reader.arena, 1, sizeof *b->free);
    if (!b->free) return AC_NO_MEMORY;
    *b->free = (struct ac_free_data){0};
    b->aliases = ac_arena_take(&b->reader.arena, (size_t)b->wanted_count, sizeof *b->aliases);
    if (!b->aliases) return AC_NO_MEMORY;
    for (int k = 0; k < b->wanted_count; ++k) {
        char alias[32];
        int length = snprintf(alias, sizeof alias, "_parameter_%d", k);
        b->aliases[k] = ac_arena_text(&b->reader.arena, alias, (size_t)length);
        if (!b->aliases[k]) return AC_NO_MEMORY;
        AC_TRY(ac_reader_free_parameter(&b->reader, b->wanted[k], b->place));
        ac_reader_set_wanted(&b->reader, b->wanted[k]);
    }
    return AC_OK;
}

static ac_status optimise_parameters(ac_builder *b, const ac_value *root)
{
    const ac_value *optimize = ac_value_find(root, "optimize");
    const ac_value *section = optimize && optimize->kind == AC_MAP ? ac_value_find(optimize, "parameters")
                                                                   : NULL;
    if (!section) return AC_OK;
    if (section->kind != AC_MAP)
        return ac_fail_at(
            b->ctx, section->place,
            "parameters of optimize must be a map of names to bounds: {name: {from: ..., to: ...}}");
    b->free = ac_arena_take(&b->reader.arena, 1, sizeof *b->free);
    if (!b->free) return AC_NO_MEMORY;
    *b->free = (struct ac_free_data){.section = section};
    for (const ac_value *entry = section->first; entry; entry = entry->next)
        AC_TRY(ac_reader_free_parameter(&b->reader, entry->key, entry->key_place));
    return AC_OK;
}

ac_status ac_free_parameters(ac_builder *b, const ac_value *root)
{
    b->place = root->place;
    AC_TRY(b->wanted ? want_parameters(b) : optimise_parameters(b, root));
    if (b->reader.graph) b->reader.time = ac_num_input(b->reader.graph, 0.0);
    return AC_OK;
}

/* ---- dependences ---- */

static ac_status keep_dependence(ac_builder *b, const ac_followed *what, const char *text, ac_place place)
{
    dependence *d = ac_arena_take(&b->reader.arena, 1, sizeof *d);
    if (!d) return AC_NO_MEMORY;
    *d = (dependence){*what, text, place, NULL};
    if (b->free->last) {
        b->free->last->next = d;
    } else {
        b->free->first = d;
    }
    b->free->last = d;
    return AC_OK;
}

ac_status ac_depend_number(ac_builder *b, const ac_followed *what, ac_place place)
{
    return keep_dependence(b, what, NULL, place);
}

ac_status ac_depend(ac_builder *b, ac_datum datum, int object, int side, int component, const ac_value *value)
{
    int node;
    if (!b->free || !value) return AC_OK;
    AC_TRY(ac_follow(&b->reader, value, &node));
    const ac_followed what = {datum, object, side, component, node};
    return node ? keep_dependence(b, &what, value->text + 1, value->place) : AC_OK;
}

ac_status ac_depend_start(ac_builder *b, int datum, int object, int side, int component,
                          const ac_value *value)
{
    return ac_sets_values(b) ? ac_depend(b, (ac_datum)datum, object, side, component, value) : AC_OK;
}

ac_status ac_depend_start_list(ac_builder *b, int datum, int object, int side, const ac_value *list)
{
    int c = 0;
    if (!list || list->kind != AC_LIST) return AC_OK;
    for (const ac_value *value = list->first; value; value = value->next)
        AC_TRY(ac_depend_start(b, datum, object, side, c++, value));
    return AC_OK;
}

ac_status ac_each_dependence(const ac_builder *b, ac_dependence_taker take, void *user)
{
    for (const dependence *d = b->free ? b->free->first : NULL; d; d = d->next)
        AC_TRY(take(user, &d->what, d->place));
    return AC_OK;
}

/* Where the file has all of them. */
static ac_place free_place(const ac_builder *b)
{
    return b->free->section ? b->free->section->place : b->place;
}

ac_status ac_depend_nodes(ac_builder *b, ac_datum datum, int object, int side, const ac_nodes *nodes)
{
    for (int c = 0; b->free && c < 3; ++c) {
        const ac_followed what = {datum, object, side, c, nodes->node[c]};
        if (nodes->node[c]) AC_TRY(ac_depend_number(b, &what, free_place(b)));
    }
    return AC_OK;
}

ac_status ac_follow_list(ac_builder *b, const ac_value *list, ac_nodes *nodes)
{
    int c = 0;
    memset(nodes, 0, sizeof *nodes);
    if (!b->free || !list || list->kind != AC_LIST) return AC_OK;
    for (const ac_value *value = list->first; value && c < 3; value = value->next, ++c)
        AC_TRY(ac_follow(&b->reader, value, &nodes->node[c]));
    return AC_OK;
}

/* ---- places ---- */

static bool any(const ac_nodes *nodes)
{
    return nodes->node[0] || nodes->node[1] || nodes->node[2];
}

ac_status ac_set_place_nodes(ac_builder *b, const ac_nodes *nodes)
{
    if (!b->free || !any(nodes)) return AC_OK;
    place_nodes *place = ac_arena_take(&b->reader.arena, 1, sizeof *place);
    if (!place) return AC_NO_MEMORY;
    *place = (place_nodes){b->place_count - 1, *nodes, b->free->places};
    b->free->places = place;
    return AC_OK;
}

static const ac_nodes *nodes_of(const ac_builder *b, int number)
{
    for (const place_nodes *place = b->free->places; place; place = place->next)
        if (place->number == number) return &place->nodes;
    return NULL;
}

ac_status ac_note_place(ac_builder *b, const ac_value *value, int number)
{
    if (!b->free || !nodes_of(b, number)) return AC_OK;
    place_use *use = ac_arena_take(&b->reader.arena, 1, sizeof *use);
    if (!use) return AC_NO_MEMORY;
    *use = (place_use){value, b->reader.index, number, b->free->uses};
    b->free->uses = use;
    return ac_add_use(&b->reader, value);
}

ac_status ac_follow_place(ac_builder *b, const ac_value *value, ac_nodes *nodes)
{
    memset(nodes, 0, sizeof *nodes);
    if (!b->free || !value) return AC_OK;
    if (value->kind != AC_SCALAR) return ac_follow_list(b, value, nodes);
    for (const place_use *use = b->free->uses; use; use = use->next) {
        if (use->value != value || use->index != b->reader.index) continue;
        *nodes = *nodes_of(b, use->number);
        ac_follow_drawing(&b->reader, value);
        return AC_OK;
    }
    return AC_OK;
}

ac_status ac_centre_nodes(ac_builder *b, int node, ac_nodes *nodes)
{
    memset(nodes, 0, sizeof *nodes);
    for (const centre *c = b->free ? b->free->centres : NULL; c; c = c->next)
        if (c->node == node) *nodes = c->nodes;
    return AC_OK;
}

/* ---- initial positions ---- */

static ac_status keep_nodes(ac_builder *b, int node, const ac_nodes *nodes, centre **list)
{
    centre *c = ac_arena_take(&b->reader.arena, 1, sizeof *c);
    if (!c) return AC_NO_MEMORY;
    *c = (centre){node, *nodes, *list};
    *list = c;
    return AC_OK;
}

ac_status ac_draw_position(ac_builder *b, int node, const ac_nodes *nodes)
{
    if (!b->free || !any(nodes)) return AC_OK;
    return keep_nodes(b, node, nodes, &b->free->positions);
}

ac_status ac_depend_position(ac_builder *b, int node, const ac_value *position)
{
    ac_nodes nodes;
    if (!b->free) return AC_OK;
    AC_TRY(ac_follow_list(b, position, &nodes));
    AC_TRY(ac_draw_position(b, node, &nodes));
    return ac_depend_nodes(b, AC_DATUM_POSITION, node, 0, &nodes);
}

const ac_nodes *ac_position_nodes(const ac_builder *b, int node)
{
    static const ac_nodes none = {{0, 0, 0}};
    for (const centre *c = b->free ? b->free->positions : NULL; c; c = c->next)
        if (c->node == node) return &c->nodes;
    return &none;
}

/* ---- poses that follow from curves ---- */

/* The pose of a node of a beam, where it follows from parameters whose values are set; NULL: it does not. */
static const ac_num *curved_pose(const ac_builder *b, int node, bool turns)
{
    for (int k = 0; node >= 0 && ac_sets_values(b) && k < b->beam_count; ++k) {
        const ac_built_beam *beam = &b->beams[k];
        if (node < beam->first_node || node >= beam->first_node + beam->nodes) continue;
        bool follows = turns ? beam->drawn->turns : beam->drawn->depends;
        return follows ? beam->drawn->poses[node - beam->first_node] : NULL;
    }
    return NULL;
}

void ac_built_position(ac_builder *b, int node, ac_num out[3])
{
    const ac_nodes *nodes = ac_position_nodes(b, node);
    const ac_num *pose = any(nodes) ? NULL : curved_pose(b, node, false);
    for (int k = 0; k < 3; ++k)
        out[k] = (ac_num){ac_built(b, node)->pose.position[k], pose ? pose[k].node : nodes->node[k]};
}

/* ---- initial rotations ---- */

/* `datum`: its entries are set, in the axes that are simulated, or, where it is another one, follow from that. */
ac_status ac_depend_rotation(ac_builder *b, int node, int datum, const ac_num entries[9])
{
    bool depends = false;
    for (int k = 0; k < 9; ++k) depends = depends || entries[k].node;
    if (!b->free || !depends) return AC_OK;
    rotation *kept = ac_arena_take(&b->reader.arena, 1, sizeof *kept);
    if (!kept) return AC_NO_MEMORY;
    *kept = (rotation){.node = node, .next = b->free->rotations};
    memcpy(kept->entry, entries, sizeof kept->entry);
    b->free->rotations = kept;
    ac_num own[9]; /* R A = (A^T R^T)^T */
    for (int k = 0; k < 9; ++k) own[k] = entries[3 * (k % 3) + k / 3];
    AC_TRY(ac_axes_to_directors(b, node, own));
    for (int k = 0; datum == AC_START_ROTATION && k < 9; ++k) {
        const ac_followed what = {(ac_datum)datum, node, 0, k, own[3 * (k % 3) + k / 3].node};
        if (what.node) AC_TRY(ac_depend_number(b, &what, free_place(b)));
    }
    return AC_OK;
}

void ac_built_rotation(ac_builder *b, int node, ac_num out[9])
{
    const ac_num *pose = curved_pose(b, node, true);
    for (int k = 0; k < 9; ++k) out[k] = ac_num_of(ac_built(b, node)->pose.rotation[k]);
    for (const rotation *r = b->free ? b->free->rotations : NULL; r; r = r->next)
        if (r->node == node) memcpy(out, r->entry, sizeof r->entry);
    for (int k = 0; pose && k < 9; ++k) out[k].node = pose[3 + k].node;
}

/* ---- bodies ---- */

ac_status ac_depend_centre(ac_builder *b, int node, const ac_num place[3])
{
    ac_num own[3] = {place[0], place[1], place[2]};
    ac_nodes nodes = {{place[0].node, place[1].node, place[2].node}};
    if (!b->free || !any(&nodes)) return AC_OK;
    AC_TRY(keep_nodes(b, node, &nodes, &b->free->centres));
    AC_TRY(ac_place_to_directors(b, node, own));
    for (int k = 0; k < 3; ++k) nodes.node[k] = own[k].node;
    return ac_depend_nodes(b, AC_DATUM_CENTRE, node, 0, &nodes);
}

ac_status ac_depend_inertia(ac_builder *b, int node, const ac_num inertia[9], ac_place place)
{
    static const int places[6] = {0, 4, 8, 1, 5, 2};
    ac_graph *s = b->reader.graph;
    ac_num J[9], half[9], turned[9];
    bool depends = false;
    memcpy(J, inertia, sizeof J);
    for (int k = 0; k < 9; ++k) depends = depends || J[k].node;
    if (!depends) return AC_OK;
    if (ac_built(b, node)->principal) { /* A^T J A */
        b->keeps_axes = true;
        ac_num *kept = ac_arena_take(&b->reader.arena, 9, sizeof *kept);
        if (!kept) return AC_NO_MEMORY;
        memcpy(kept, J, sizeof J);
        b->nodes[node].inertia = kept;
        memcpy(half, J, sizeof half);
        AC_TRY(ac_axes_to_directors(b, node, half));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) turned[3 * i + j] = half[3 * j + i];
        AC_TRY(ac_axes_to_directors(b, node, turned));
        memcpy(J, turned, sizeof J);
    }
    for (int k = 0; k < 6; ++k) {
        const ac_followed what = {AC_DATUM_INERTIA, node, 0, k, J[places[k]].node};
        if (what.node) AC_TRY(ac_depend_number(b, &what, place));
    }
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* Numbers of a body that are given without a solid. */
static ac_status depend_given(ac_builder *b, const ac_body_input *input, bool planar, int node,
                              const double inertia[9])
{
    static const int places[6][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {5, 7}, {2, 6}};
    const ac_built_node *built = ac_built(b, node);
    ac_num J[9], place[3];
    ac_nodes nodes;
    int c = 0;
    for (int k = 0; k < 9; ++k) J[k] = ac_num_of(inertia[k]);
    AC_TRY(ac_depend(b, AC_DATUM_MASS, node, 0, 0, input->mass.at));
    if (planar) AC_TRY(ac_depend(b, AC_DATUM_INERTIA, node, 0, 0, input->planar_inertia.at));
    for (const ac_value *value = planar ? NULL : input->inertia->first; value && c < 6;
         value = value->next, ++c)
        for (int e = 0; e < 2; ++e) AC_TRY(ac_follow(&b->reader, value, &J[places[c][e]].node));
    if (!planar) AC_TRY(ac_depend_inertia(b, node, J, input->inertia->place));
    AC_TRY(ac_follow_list(b, input->centre.at, &nodes));
    for (int k = 0; k < 3; ++k) place[k] = (ac_num){built->centre[k], nodes.node[k]};
    return ac_depend_centre(b, node, place);
}

ac_status ac_depend_body(ac_builder *b, const ac_body_input *input, bool planar, int node,
                         const double inertia[9])
{
    if (!b->free) return AC_OK;
    AC_TRY(ac_depend_position(b, node, input->position.at));
    bool given = planar ? input->planar_inertia.at != NULL : input->inertia != NULL;
    if (!given) return ac_depend_solids(b, input, planar, node);
    AC_TRY(ac_follow_solids(b, input, node)); /* drawn only, but points of it may carry joints */
    ac_follow_drawing(&b->reader, input->solid);
    ac_follow_drawing(&b->reader, input->solids);
    return depend_given(b, input, planar, node, inertia);
}

void ac_note_initial_rest(ac_builder *b, const ac_value *entry)
{
    if (b->free && !b->free->initial_rest) b->free->initial_rest = entry;
}

/* ---- conditions ---- */

/* expression - bound, compared with zero */
static ac_status add_difference(ac_builder *b, ac_optimization *o, const ac_condition *c,
                                const ac_value *bound, double number, double low, double high,
                                ac_constant_lookup lookup)
{
    const char *text;
    char plain[40];
    int node;
    if (!bound) return AC_OK;
    AC_TRY(ac_follow(&b->reader, bound, &node));
    AC_TRY(ac_number_name(b, node, &text));
    if (!text) {
        snprintf(plain, sizeof plain, "%.17g", number);
        text = plain;
    }
    size_t size = strlen(c->expression) + strlen(text) + 8;
    char *difference = ac_allocate(b->ctx, size, 1);
    if (!difference) return ac_out_of_memory(b->ctx);
    snprintf(difference, size, "(%s)-(%s)", c->expression, text);
    ac_condition part = *c;
    if (!part.name) part.name = c->expression;
    part.expression = difference;
    part.low = low;
    part.high = high;
    ac_status status = ac_optimization_add_condition(o, &part, lookup, b);
    ac_release(b->ctx, difference);
    return status;
}

ac_status ac_add_condition(ac_builder *b, ac_optimization *o, const ac_condition *c, const ac_bounds *bounds,
                           ac_constant_lookup lookup)
{
    bool depends = b->free && bounds &&
                   (ac_depends(&b->reader, bounds->equals) || ac_depends(&b->reader, bounds->at_least) ||
                    ac_depends(&b->reader, bounds->at_most));
    if (!depends) return ac_optimization_add_condition(o, c, lookup, b);
    AC_TRY(add_difference(b, o, c, bounds->equals, c->low, 0.0, 0.0, lookup));
    AC_TRY(add_difference(b, o, c, bounds->at_least, c->low, 0.0, INFINITY, lookup));
    return add_difference(b, o, c, bounds->at_most, c->high, -INFINITY, 0.0, lookup);
}

/* ---- at the end ---- */

ac_status ac_check_free_parameters(ac_builder *b, const ac_optimization *o)
{
    bool geometry = false;
    int number = 0;
    if (!b->free) return AC_OK;
    AC_TRY(ac_check_followed(&b->reader));
    if (!b->free->section) return AC_OK;
    for (const ac_value *entry = b->free->section->first; entry; entry = entry->next)
        if (!ac_optimization_parameter_used(o, number++))
            return ac_fail_at(b->ctx, entry->key_place, "nothing depends on the free parameter '%s'",
                              entry->key);
    for (const dependence *d = b->free->first; d; d = d->next)
        geometry = geometry || d->what.datum == AC_DATUM_CENTRE || d->what.datum == AC_DATUM_JOINT_PLACE ||
                   d->what.datum == AC_DATUM_JOINT_LENGTH || d->what.datum == AC_DATUM_SPRING_PLACE ||
                   d->what.datum == AC_DATUM_BEAM_LENGTH || d->what.datum == AC_DATUM_START_COORDINATE;
    if (geometry && b->free->initial_rest)
        return ac_fail_at(b->ctx, b->free->initial_rest->place,
                          "the rest length of this spring is that of the initial state, which changes with "
                          "free parameters; give its length");
    return AC_OK;
}

ac_place ac_parameter_place(const ac_builder *b, int parameter, int bound)
{
    const ac_value *entry = b->free->section->first;
    while (parameter-- > 0 && entry->next) entry = entry->next;
    const ac_value *value = bound < 0 ? NULL : ac_value_find(entry, bound == 0 ? "from" : "to");
    return value ? value->place : entry->key_place;
}

static ac_status add_parameter(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_parameter_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_parameter, entry, &input, sizeof input));
    ac_parameter parameter = {.name = entry->key};
    ac_parameter_number(&b->reader, entry->key, &parameter.value);
    AC_TRY(ac_read_number(&b->reader, input.from, "from", AC_DIM_ANY, &parameter.low));
    AC_TRY(ac_read_number(&b->reader, input.to, "to", AC_DIM_ANY, &parameter.high));
    bool from = ac_depends(&b->reader, input.from);
    if (from || ac_depends(&b->reader, input.to))
        return ac_fail_at(b->ctx, from ? input.from->place : input.to->place,
                          "the bounds of a free parameter must be fixed numbers");
    bool ordered = parameter.low < parameter.high,
         below = parameter.value<parameter.low, above = parameter.value> parameter.high;
    ac_place place = ordered && below    ? input.from->place
                     : !ordered || above ? input.to->place
                                         : entry->place;
    return ac_build_failed(b, ac_optimization_add_parameter(o, &parameter), place);
}

/* ---- names of numbers ---- */

static const char NUMBER_NAME[] = "_number_";

ac_status ac_number_name(ac_builder *b, int node, const char **name)
{
    char text[32];
    *name = NULL;
    if (node == 0) return AC_OK;
    int length = snprintf(text, sizeof text, "%s%d", NUMBER_NAME, node);
    *name = ac_arena_text(&b->reader.arena, text, (size_t)length);
    return *name ? AC_OK : AC_NO_MEMORY;
}

ac_status ac_named_expression(ac_builder *b, const char *name, const int *variable, int variables,
                              ac_expression **expression)
{
    const size_t prefix = sizeof NUMBER_NAME - 1;
    int node = 0;
    *expression = NULL;
    if (strncmp(name, NUMBER_NAME, prefix) == 0)
        node = (int)strtol(name + prefix, NULL, 10);
    else
        AC_TRY(ac_parameter_node(&b->reader, name, &node));
    if (node == 0) return AC_OK;
    return ac_graph_expression(b->ctx, b->reader.graph, node, variable, variables, expression);
}

/* For the optimal control problem, whose parameters are the free ones; t stands behind them. */
static ac_status find_number(void *user, const char *name, int parameters, ac_expression **expression)
{
    ac_builder *b = user;
    int *variable;
    AC_NEW(b->ctx, variable, parameters + 1);
    for (int k = 0; k <= parameters; ++k) variable[k] = k;
    ac_status status = ac_named_expression(b, name, variable, parameters + 1, expression);
    ac_release(b->ctx, variable);
    return status;
}

static ac_status add_dependence(ac_builder *b, ac_optimization *o, const dependence *d)
{
    const ac_followed *f = &d->what;
    ac_dependence what = {f->datum, f->object, f->side, f->component, d->text};
    const char *name;
    AC_TRY(ac_number_name(b, f->node, &name));
    if (!what.expression) what.expression = "a formula of parameters";
    return ac_optimization_add_number(o, &what, name);
}

/* Does a datum enter quantities, energies or momenta? The start and the loads do not, and no place of a point. */
static bool is_measured(const ac_builder *b, const ac_followed *what)
{
    switch ((int)what->datum) {
    case AC_DATUM_MASS:
    case AC_DATUM_INERTIA:
    case AC_DATUM_CENTRE:
    case AC_DATUM_GRAVITY:
    case AC_DATUM_STIFFNESS:
    case AC_DATUM_DAMPING:
    case AC_DATUM_REST:
    case AC_DATUM_SPRING_PLACE:
    case AC_DATUM_BEAM_STIFFNESS:
    case AC_DATUM_BEAM_MASS:
    case AC_DATUM_BEAM_INERTIA:
    case AC_DATUM_BEAM_DAMPING:
    case AC_DATUM_BEAM_LENGTH:
    case AC_DATUM_BEAM_RELAXATION: return true;
    case AC_DATUM_JOINT_PLACE: {
        const ac_joint_data *joint = &b->system->joints[what->object];
        int node = what->side == 0 ? joint->a.node : joint->b.node;
        return node == AC_GROUND || ac_node_turns(&b->system->nodes[node]) > 0;
    }
    default: return false;
    }
}

/* Of a functional, whose derivatives by parameters are wanted: they have no bounds. */
static ac_status add_wanted(ac_builder *b, ac_optimization *o)
{
    ac_optimization_gather(o);
    for (int k = 0; k < b->wanted_count; ++k) {
        ac_parameter parameter = {.name = b->aliases[k], .low = -INFINITY, .high = INFINITY};
        ac_parameter_number(&b->reader, b->wanted[k], &parameter.value);
        AC_TRY(ac_optimization_add_parameter(o, &parameter));
    }
    ac_optimization_find_numbers(o, find_number, b);
    for (const dependence *d = b->free->first; d; d = d->next)
        if (is_measured(b, &d->what)) AC_TRY(add_dependence(b, o, d));
    return ac_optimization_gathered(o);
}

ac_status ac_add_free_parameters(ac_builder *b, ac_optimization *o)
{
    if (!b->free) return AC_OK;
    if (ac_sets_values(b)) return add_wanted(b, o);
    for (const ac_value *entry = b->free->section->first; entry; entry = entry->next)
        AC_TRY(add_parameter(b, o, entry));
    ac_optimization_find_numbers(o, find_number, b);
    for (const dependence *d = b->free->first; d; d = d->next) {
        bool position = d->what.datum ==
                        AC_DATUM_POSITION; /* what a joint holds is where the joint puts it */
        if (position && b->system->nodes[d->what.object].joint >= 0) continue;
        AC_TRY(ac_build_failed(b, add_dependence(b, o, d), d->place));
    }
    return AC_OK;
}
