/* Springs, dampers and loads of a problem file. */
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "base/vector.h"
#include "problem/build/parameters.h"
#include "action/spring_ends.h"
#include "model/system.h"

/* ---- what they share ---- */

static ac_status entry_name(ac_builder *b, const ac_given_word *given, const char *what, const char **name)
{
    *name = NULL;
    if (!given->at) return AC_OK;
    AC_TRY(ac_check_name(&b->reader, given->text, given->at->place, what));
    return ac_copy_name(&b->reader, given->text, name);
}

ac_status ac_find_force_coordinate(ac_builder *b, const ac_given_word *joint_word, const ac_given_word *word,
                                   int *joint, int *coordinate, bool *angular)
{
    AC_TRY(ac_find_joint(b, joint_word, joint));
    ac_joint_type type = b->joints[*joint].type;
    const char *type_name = ac_joint_type_names[type];
    int count = ac_joint_coordinate_count(type);
    if (count == 0 || ac_joint_is_ball(type))
        return ac_fail_at(b->ctx, joint_word->at->place,
                          "a %s joint has no coordinate that a force can act on", type_name);
    *coordinate = word->at ? ac_joint_coordinate(type, word->text) : 0;
    if (*coordinate < 0)
        return ac_fail_at(b->ctx, word->at->place, "a %s joint has no coordinate '%s'", type_name,
                          word->text);
    if (!word->at && count > 1)
        return ac_fail_at(b->ctx, joint_word->at->place,
                          "a %s joint has %d coordinates; say which with 'coordinate'", type_name, count);
    *angular = ac_joint_coordinate_turns(type, *coordinate);
    return AC_OK;
}

/* A number that must not be negative, `standard` when absent. */
static ac_status read_amount(ac_builder *b, const ac_value *value, const char *what, ac_dimension dimension,
                             double *amount)
{
    char shown[AC_NUMBER_SIZE];
    *amount = 0;
    if (!value) return AC_OK;
    AC_TRY(ac_read_number(&b->reader, value, what, dimension, amount));
    if (*amount < 0)
        return ac_fail_at(b->ctx, value->place, "%s must not be negative, but is %s", what,
                          ac_write_short(shown, *amount));
    return ac_note_limit(&b->reader, value, what, true);
}

/* ---- springs and dampers ---- */

/* Data of the spring that is added next. */
static ac_status depend_spring(ac_builder *b, const ac_spring_input *input)
{
    int number = b->system->spring_count;
    AC_TRY(ac_depend(b, AC_DATUM_STIFFNESS, number, 0, 0, input->stiffness));
    AC_TRY(ac_depend(b, AC_DATUM_DAMPING, number, 0, 0, input->damping));
    return ac_depend(b, AC_DATUM_REST, number, 0, 0, input->rest ? input->rest : input->length.at);
}

/* Its ends: given points, or the centres of mass. */
static ac_status depend_ends(ac_builder *b, const ac_spring_input *input, const ac_point ends[2])
{
    for (int side = 0; b->free && side < 2; ++side) {
        const ac_value *at = NULL;
        ac_nodes nodes;
        for (const ac_value *value = input->at ? input->at->first : NULL; value; value = value->next) {
            int node;
            AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
            if (node == ends[side].node) at = value;
        }
        AC_TRY(ac_follow_point(b, at, ends[side].node, &nodes));
        AC_TRY(ac_depend_nodes(b, AC_DATUM_SPRING_PLACE, b->system->spring_count, side, &nodes));
    }
    return AC_OK;
}

static ac_status joint_spring(ac_builder *b, const ac_value *entry, const ac_spring_input *input)
{
    ac_joint_spring spring = {0};
    bool angular = false;
    if (input->at || input->length.at)
        return ac_fail_at(b->ctx, (input->at ? input->at : input->length.at)->key_place,
                          "'%s' belongs to springs between two points; in a joint use 'rest'",
                          input->at ? "at" : "length");
    AC_TRY(ac_find_force_coordinate(b, &input->joint, &input->coordinate, &spring.joint, &spring.coordinate,
                                    &angular));
    AC_TRY(read_amount(b, input->stiffness, "stiffness",
                       angular ? AC_DIM_ANGULAR_STIFFNESS : AC_DIM_STIFFNESS, &spring.stiffness));
    AC_TRY(read_amount(b, input->damping, "damping", angular ? AC_DIM_ANGULAR_DAMPING : AC_DIM_DAMPING,
                       &spring.damping));
    if (input->rest)
        AC_TRY(ac_read_number(&b->reader, input->rest, "rest", angular ? AC_DIM_ANGLE : AC_DIM_LENGTH,
                              &spring.rest));
    AC_TRY(entry_name(b, &input->name, "spring", &spring.name));
    AC_TRY(depend_spring(b, input));
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_JOINT_SPRING, .as.joint_spring = spring},
                          entry->place);
}

static ac_status spring_ends(ac_builder *b, const ac_spring_input *input, ac_point ends[2])
{
    int nodes[2] = {0};
    bool known[2] = {false, false};
    double places[2][3] = {{0}};
    AC_TRY(ac_read_pair(b, input->between, "between", nodes));
    if (input->at && input->at->kind != AC_MAP)
        return ac_fail_at(b->ctx, input->at->place,
                          "at must say where it is attached on each node: {node: point, ...}");
    if (input->at) AC_TRY(ac_read_sides(b, input->at, nodes, known, places));
    for (int side = 0; side < 2; ++side) {
        if (!known[side]) copy3(ac_built(b, nodes[side])->centre, places[side]);
        ends[side].node = nodes[side];
        copy3(places[side], ends[side].place);
    }
    return AC_OK;
}

static ac_status point_spring(ac_builder *b, const ac_value *entry, const ac_spring_input *input)
{
    ac_point ends[2] = {{0}};
    ac_spring spring = {.length = input->length.at ? input->length.value : -1};
    if (input->coordinate.at || input->rest)
        return ac_fail_at(b->ctx, (input->rest ? input->rest : input->coordinate.at)->key_place,
                          "'%s' belongs to springs in a joint%s", input->rest ? "rest" : "coordinate",
                          input->rest ? "; between two points use 'length'" : "");
    AC_TRY(spring_ends(b, input, ends));
    AC_TRY(read_amount(b, input->stiffness, "stiffness", AC_DIM_STIFFNESS, &spring.stiffness));
    AC_TRY(read_amount(b, input->damping, "damping", AC_DIM_DAMPING, &spring.damping));
    AC_TRY(entry_name(b, &input->name, "spring", &spring.name));

    AC_TRY(
        ac_grow(b->ctx, (void **)&b->springs, &b->spring_capacity, b->spring_count + 1, sizeof *b->springs));
    b->springs[b->spring_count++] = (ac_built_spring){spring.name, ends[0], ends[1], b->system->spring_count,
                                                      entry->place};
    spring.a.node = ends[0].node;
    spring.b.node = ends[1].node;
    ac_to_directors(ac_built(b, ends[0].node), ends[0].place, spring.a.place);
    ac_to_directors(ac_built(b, ends[1].node), ends[1].place, spring.b.place);
    AC_TRY(depend_spring(b, input));
    AC_TRY(depend_ends(b, input, ends));
    if (!input->length.at && spring.stiffness > 0) ac_note_initial_rest(b, entry);
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_SPRING, .as.spring = spring}, entry->place);
}

ac_status ac_check_springs(const ac_builder *b, bool moving)
{
    const double *start = b->system->initial.q;
    int found = ac_spring_without_direction(b->system, start, start, moving);
    for (int k = 0; k < b->spring_count; ++k) {
        if (b->springs[k].number != found) continue;
        char text[1024];
        ac_spring_words(b->system, found, text, sizeof text);
        return ac_fail_at(b->ctx, b->springs[k].place, "%s", text);
    }
    return AC_OK;
}

static ac_status read_spring_like(ac_builder *b, const ac_value *entry, const ac_section *section)
{
    ac_spring_input input;
    AC_TRY(ac_section_read(&b->reader, section, entry, &input, sizeof input));
    if (input.between && input.joint.at)
        return ac_fail_at(b->ctx, input.joint.at->key_place, "give either between or joint, not both");
    if (input.between) return point_spring(b, entry, &input);
    if (input.joint.at) return joint_spring(b, entry, &input);
    return ac_fail_at(b->ctx, entry->place, "an entry of %s needs between: [first, second] or joint: name",
                      section->title);
}

static ac_status read_spring(ac_builder *b, const ac_value *entry)
{
    return read_spring_like(b, entry, &ac_section_spring);
}

static ac_status read_damper(ac_builder *b, const ac_value *entry)
{
    return read_spring_like(b, entry, &ac_section_damper);
}

/* ---- loads ---- */

static ac_status read_components(ac_builder *b, const ac_value *list, const char *what,
                                 ac_dimension dimension, int wanted, ac_signal **signals)
{
    int k = 0;
    if (wanted == 1 && list->kind != AC_LIST)
        return ac_read_signal(&b->reader, list, what, dimension, &signals[0]);
    if (list->kind != AC_LIST || list->count != wanted)
        return ac_fail_at(b->ctx, list->place, "%s must be a list of %d component%s", what, wanted,
                          wanted == 1 ? "" : "s");
    for (const ac_value *value = list->first; value; value = value->next, ++k)
        AC_TRY(ac_read_signal(&b->reader, value, what, dimension, &signals[k]));
    return AC_OK;
}

static ac_status joint_load(ac_builder *b, const ac_value *entry, const ac_load_input *input, ac_load *load)
{
    bool angular = false;
    if (input->on.at || input->at || input->frame.at)
        return ac_fail_at(b->ctx,
                          (input->on.at ? input->on.at
                           : input->at  ? input->at
                                        : input->frame.at)
                              ->key_place,
                          "'%s' belongs to forces and torques on a node, not to a load in a joint",
                          input->on.at ? "on"
                          : input->at  ? "at"
                                       : "frame");
    if (!input->value)
        return ac_fail_at(b->ctx, entry->place, "'value' is missing: the force or torque in the joint");
    load->type = AC_LOAD_JOINT;
    AC_TRY(ac_find_force_coordinate(b, &input->joint, &input->coordinate, &load->joint, &load->coordinate,
                                    &angular));
    return ac_read_signal(&b->reader, input->value, "value", angular ? AC_DIM_TORQUE : AC_DIM_FORCE,
                          &load->value[0]);
}

static ac_status node_load(ac_builder *b, const ac_value *entry, const ac_load_input *input, ac_load *load)
{
    int node = AC_GROUND;
    if (input->value || input->coordinate.at)
        return ac_fail_at(b->ctx, (input->value ? input->value : input->coordinate.at)->key_place,
                          "'%s' belongs to a load in a joint", input->value ? "value" : "coordinate");
    if (!input->on.at)
        return ac_fail_at(b->ctx, entry->place, "'on' is missing: the body or point that the load acts on");
    AC_TRY(ac_find_node(b, input->on.text, input->on.at->place, &node));
    if (node == AC_GROUND)
        return ac_fail_at(b->ctx, input->on.at->place,
                          "a load on the ground moves nothing; name a body or point");
    const ac_built_node *built = ac_built(b, node);
    load->type = input->force ? AC_LOAD_FORCE : AC_LOAD_TORQUE;
    load->point.node = node;
    load->follows = input->frame.choice == 1;
    if (built->kind == AC_BUILT_POINT && (input->torque || load->follows))
        return ac_fail_at(b->ctx, input->on.at->place,
                          "the mass point '%s' cannot turn, so it takes no torque and has no body axes",
                          built->name);
    if (load->follows && built->principal)
        return ac_fail_at(b->ctx, input->frame.at->place,
                          "frame: body cannot be combined with axes: principal of '%s'", built->name);
    if (input->torque) {
        if (input->at)
            return ac_fail_at(b->ctx, input->at->key_place,
                              "a torque acts on the whole body; leave 'at' out");
        bool planar = built->kind == AC_BUILT_PLANAR; /* about z */
        return read_components(b, input->torque, "torque", AC_DIM_TORQUE, planar ? 1 : 3,
                               load->value + (planar ? 2 : 0));
    }
    double place[3];
    copy3(built->centre, place);
    if (input->at) AC_TRY(ac_read_place(b, input->at, node, place));
    ac_to_directors(built, place, load->point.place);
    return read_components(b, input->force, "force", AC_DIM_FORCE, built->dimension, load->value);
}

static ac_status describe_load(ac_builder *b, const ac_value *entry, const ac_load_input *input,
                               ac_load *load)
{
    int kinds = (input->force != NULL) + (input->torque != NULL) + (input->joint.at != NULL);
    if (kinds != 1)
        return ac_fail_at(b->ctx, entry->place, "a load needs exactly one of force, torque and joint");
    if (input->constant.at && !b->root.task[AC_TASK_equilibrium] && !b->root.task[AC_TASK_modes])
        return ac_fail_at(
            b->ctx, input->constant.at->key_place,
            "'constant' belongs to the tasks equilibrium and modes, where loads grow with the load factor");
    load->constant = input->constant.on;
    AC_TRY(entry_name(b, &input->name, "load", &load->name));
    return input->joint.at ? joint_load(b, entry, input, load) : node_load(b, entry, input, load);
}

/* A component of the load that is added next: a number, an expression of t, or a table. */
static ac_status depend_component(ac_builder *b, int number, int component, const ac_value *value)
{
    const ac_value *table = value->kind == AC_MAP ? value->first : NULL; /* or steps; checked by now */
    int k = 0;
    if (!table) return ac_depend(b, AC_DATUM_LOAD, number, 0, component, value);
    for (const ac_value *point = table->first; point; point = point->next, ++k) {
        AC_TRY(ac_depend_start(b, AC_LOAD_TIME, number, component, k, point->first));
        AC_TRY(ac_depend_start(b, AC_LOAD_POINT, number, component, k, point->last));
    }
    return AC_OK;
}

/* Values of the load that is added next; a constant of a list, or an expression of t. */
static ac_status depend_load(ac_builder *b, const ac_load_input *input, const ac_load *load)
{
    const ac_value *value = input->force ? input->force : input->torque ? input->torque : input->value;
    int number = b->system->load_count, component = 0;
    ac_nodes nodes;
    if (!b->free) return AC_OK;
    if (input->force && input->at) {
        AC_TRY(ac_follow_point(b, input->at, load->point.node, &nodes));
        AC_TRY(ac_depend_nodes(b, AC_DATUM_LOAD_PLACE, number, 0, &nodes));
    }
    if (input->force && !input->at && ac_sets_values(b)) {
        AC_TRY(ac_follow_point(b, NULL, load->point.node, &nodes));
        AC_TRY(ac_depend_nodes(b, AC_DATUM_LOAD_PLACE, number, 0, &nodes));
    }
    if (value->kind != AC_LIST) return depend_component(b, number, input->torque ? 2 : 0, value);
    bool single = value->count == 1 && input->torque;
    for (const ac_value *part = value->first; part; part = part->next, ++component)
        AC_TRY(depend_component(b, number, single ? 2 : component, part));
    return AC_OK;
}

static ac_status read_load(ac_builder *b, const ac_value *entry)
{
    ac_load_input input;
    ac_load load = {0};
    AC_TRY(ac_section_read(&b->reader, &ac_section_load, entry, &input, sizeof input));
    ac_status status = describe_load(b, entry, &input, &load);
    for (int k = 0; k < 3 && input.sampled.at && input.sampled.choice == 1; ++k)
        if (load.value[k]) ac_signal_sample_middle(load.value[k]);
    if (status == AC_OK) status = depend_load(b, &input, &load);
    if (status != AC_OK) {
        for (int k = 0; k < 3; ++k) ac_signal_free(load.value[k]);
        return status;
    }
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_LOAD, .as.load = load}, entry->place);
}

ac_status ac_build_forces(ac_builder *b)
{
    AC_TRY(ac_build_entries(b, b->root.springs, read_spring));
    AC_TRY(ac_build_entries(b, b->root.dampers, read_damper));
    return ac_build_entries(b, b->root.loads, read_load);
}
