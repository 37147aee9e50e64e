/* Bodies, planar bodies and mass points of a problem file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/build/beams.h"
#include "problem/parameters/limits.h"
#include "problem/build/parameters.h"

static const double INERTIA_TOLERANCE = 1e-9; /* relative, for moments that were rounded */

/* ---- inertia ---- */

static ac_status read_inertia_rows(ac_builder *b, const ac_value *value, double inertia[9])
{
    int row = 0, count;
    for (const ac_value *child = value->first; child; child = child->next, ++row)
        AC_TRY(ac_read_numbers(&b->reader, child, "a row of inertia", AC_DIM_INERTIA, 3, 3, inertia + 3 * row,
                               &count));
    double scale = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) {
            if (!(fabs(inertia[3 * i + j] - inertia[3 * j + i]) <= INERTIA_TOLERANCE * scale))
                return ac_fail_at(b->ctx, value->place, "inertia must be symmetric");
            inertia[3 * i + j] = inertia[3 * j + i];
        }
    return AC_OK;
}

static ac_status read_inertia(ac_builder *b, const ac_value *value, double inertia[9])
{
    double x[6];
    int count;
    memset(inertia, 0, 9 * sizeof *inertia);
    if (value->kind == AC_LIST && value->count == 3 && value->first->kind == AC_LIST)
        return read_inertia_rows(b, value, inertia);
    if (value->kind != AC_LIST || (value->count != 3 && value->count != 6))
        return ac_fail_at(
            b->ctx, value->place,
            "inertia must be 3 principal moments, 6 numbers (xx, yy, zz, xy, yz, zx) or 3 rows");
    AC_TRY(ac_read_numbers(&b->reader, value, "inertia", AC_DIM_INERTIA, 3, 6, x, &count));
    for (int i = 0; i < 3; ++i) inertia[4 * i] = x[i];
    if (count == 6) {
        inertia[1] = inertia[3] = x[3];
        inertia[5] = inertia[7] = x[4];
        inertia[2] = inertia[6] = x[5];
    }
    return AC_OK;
}

static ac_status check_inertia(ac_builder *b, ac_place place, const double inertia[9])
{
    char words[240];
    return ac_inertia_wrong(inertia, words, sizeof words) ? ac_fail_at(b->ctx, place, "%s", words) : AC_OK;
}

/* ---- what bodies and planar bodies share ---- */

static ac_status mass_properties(ac_builder *b, const ac_value *entry, const ac_body_input *input,
                                 bool planar, ac_built_node *node, ac_mass_properties *p)
{
    bool given = planar ? input->planar_inertia.at != NULL : input->inertia != NULL;
    AC_TRY(ac_read_solids(b, entry, input, given, &node->solids, p));
    if (!given && !node->solids)
        return ac_fail_at(b->ctx, entry->key_place,
                          "'%s' needs %s, or a solid; a mass without extent belongs to points:", entry->key,
                          input->mass.at ? "an inertia" : "mass and inertia");
    if (given) {
        if (!input->mass.at)
            return ac_fail_at(b->ctx, entry->key_place, "'%s' has an inertia but no mass", entry->key);
        p->mass = input->mass.value;
        copy3(input->centre.x, p->centre);
        if (planar)
            p->inertia[8] = input->planar_inertia.value;
        else
            AC_TRY(read_inertia(b, input->inertia, p->inertia));
    }
    if (!planar)
        AC_TRY(check_inertia(b, given ? input->inertia->place : entry->key_place, p->inertia));
    else if (!(p->inertia[8] > 0))
        return ac_fail_at(b->ctx, entry->key_place,
                          "'%s' has no moment of inertia about z; lay its solid into the plane", entry->key);
    if (planar) p->centre[2] = 0;
    copy3(p->centre, node->centre);
    return AC_OK;
}

static ac_status add_solid_points(ac_builder *b, int node, const ac_solid *solid, const char *prefix)
{
    const char *name;
    double own[3], place[3];
    bool fresh;
    for (int k = 0; ac_solid_point(solid, k, &name, own); ++k) {
        apply3(solid->pose.rotation, own, place);
        add3(place, solid->pose.position, place);
        if (prefix) {
            char full[AC_NAME_SIZE + 16];
            int length = snprintf(full, sizeof full, "%.63s.%s", prefix, name);
            name = ac_arena_text(&b->reader.arena, full, (size_t)length);
            if (!name) return AC_NO_MEMORY;
        }
        AC_TRY(ac_add_place(b, node, name, place, &fresh));
        ac_nodes nodes;
        AC_TRY(ac_solid_point_nodes(b, node, name, &nodes));
        if (fresh) AC_TRY(ac_set_place_nodes(b, &nodes));
    }
    return AC_OK;
}

/* origin, centre, the points of the solids, and those of the user */
static ac_status add_points(ac_builder *b, int node, const ac_value *points)
{
    static const double zero[3] = {0, 0, 0};
    const ac_solid *solids = ac_built(b, node)->solids;
    bool fresh;
    AC_TRY(ac_add_place(b, node, "origin", zero, &fresh));
    AC_TRY(ac_add_place(b, node, "centre", ac_built(b, node)->centre, &fresh));
    ac_nodes nodes;
    AC_TRY(ac_centre_nodes(b, node, &nodes));
    AC_TRY(ac_set_place_nodes(b, &nodes));
    for (const ac_solid *s = solids; s; s = s->next) {
        if (!solids->next) AC_TRY(add_solid_points(b, node, s, NULL));
        if (s->name) AC_TRY(add_solid_points(b, node, s, s->name));
    }
    return ac_add_places(b, node, points);
}

/* ---- rigid bodies ---- */

static ac_status body_pose(ac_builder *b, const ac_body_input *input, ac_built_node *node)
{
    node->placed = input->position.at || input->rotation || input->directors;
    copy3(input->position.x, node->pose.position);
    if (input->rotation && input->directors)
        return ac_fail_at(b->ctx, input->directors->key_place, "give either rotation or directors, not both");
    if (input->rotation) return ac_read_rotation(b, input->rotation, node->pose.rotation);
    if (input->directors) return ac_read_directors(b, input->directors, node->pose.rotation);
    return AC_OK;
}

/* What of the initial rotation depends on parameters. */
static ac_status depend_turn(ac_builder *b, const ac_body_input *input, int number)
{
    ac_num R[9];
    const ac_built_node *node = ac_built(b, number);
    const ac_value *given = input->rotation ? input->rotation : input->directors;
    AC_TRY(ac_follow_rotation(b, given, input->directors != NULL, node->pose.rotation, R));
    return ac_depend_rotation(b, number, AC_START_ROTATION, R);
}

/* The body in the frame of its simulated directors. */
static void body_in_directors(const ac_built_node *node, const ac_mass_properties *p, ac_body *body)
{
    double turned[9], J[9];
    transposed_multiply3(node->axes, p->inertia, turned);
    multiply3(turned, node->axes, J);
    const double entries[6] = {J[0], J[4], J[8], J[1], J[5], J[2]};
    memcpy(body->inertia, entries, sizeof entries);
    ac_to_directors(node, p->centre, body->centre);
    body->pose = node->pose;
    multiply3(node->pose.rotation, node->axes, body->pose.rotation);
}

static ac_status read_body(ac_builder *b, const ac_value *entry)
{
    ac_body_input input;
    ac_mass_properties p;
    ac_body body = {0};
    int number;
    AC_TRY(ac_section_read(&b->reader, &ac_section_body, entry, &input, sizeof input));
    AC_TRY(ac_add_built_node(b, entry, AC_BUILT_BODY, &number));
    ac_built_node *node = &b->nodes[number];
    AC_TRY(mass_properties(b, entry, &input, false, node, &p));
    AC_TRY(body_pose(b, &input, node));
    double moments[3] = {0};
    node->principal = input.axes.choice == 1;
    if (node->principal) ac_principal_axes(p.inertia, moments, node->axes);
    if (node->principal && b->kept_axes) memcpy(node->axes, b->kept_axes[number], sizeof node->axes);

    body_in_directors(node, &p, &body);
    if (node->principal && !b->kept_axes)
        for (int i = 0; i < 6; ++i) body.inertia[i] = i < 3 ? moments[i] : 0;
    body.name = node->name;
    body.mass = p.mass;
    body.placed = node->placed;
    body.moving = input.velocity.at || input.angular_velocity.at;
    body.velocity_follows = !input.velocity.at;
    body.spin_follows = !input.angular_velocity.at;
    copy3(input.velocity.x, body.velocity);
    copy3(input.angular_velocity.x, body.angular_velocity);
    AC_TRY(ac_depend_body(b, &input, false, number, p.inertia));
    AC_TRY(depend_turn(b, &input, number));
    AC_TRY(ac_depend_start_list(b, AC_START_VELOCITY, number, 0, input.velocity.at));
    AC_TRY(ac_depend_start_list(b, AC_START_SPIN, number, 0, input.angular_velocity.at));
    AC_TRY(add_points(b, number, input.points));
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_BODY, .as.body = body}, entry->key_place);
}

/* ---- planar bodies and points ---- */

static ac_status depend_angle(ac_builder *b, const ac_body_input *input, int number)
{
    ac_graph *g = b->reader.graph;
    ac_num R[9], angle = ac_num_of(input->angle.value);
    if (!ac_sets_values(b)) return AC_OK;
    AC_TRY(ac_depend_start(b, AC_START_ANGLE, number, 0, 0, input->angle.at));
    AC_TRY(ac_follow(&b->reader, input->angle.at, &angle.node));
    ac_num c = ac_num_unary(g, OP_COS, angle), s = ac_num_unary(g, OP_SIN, angle);
    ac_built_rotation(b, number, R);
    R[0] = R[4] = c;
    R[1] = ac_num_scale(g, -1.0, s);
    R[3] = s;
    return ac_graph_failed(g) ? AC_NO_MEMORY : ac_depend_rotation(b, number, AC_START_ANGLE, R);
}

static ac_status read_planar_body(ac_builder *b, const ac_value *entry)
{
    ac_body_input input;
    ac_mass_properties p;
    int number;
    AC_TRY(ac_section_read(&b->reader, &ac_section_planar_body, entry, &input, sizeof input));
    AC_TRY(ac_add_built_node(b, entry, AC_BUILT_PLANAR, &number));
    ac_built_node *node = &b->nodes[number];
    AC_TRY(mass_properties(b, entry, &input, true, node, &p));
    node->placed = input.position.at || input.angle.at;
    copy3(input.position.x, node->pose.position);
    double c = ac_cos(input.angle.value), s = ac_sin(input.angle.value);
    const double rotation[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(node->pose.rotation, rotation, sizeof rotation);

    ac_planar_body body = {.name = node->name,
                           .mass = p.mass,
                           .inertia = p.inertia[8],
                           .placed = node->placed,
                           .angle = input.angle.value,
                           .angular_velocity = input.spin.value};
    body.moving = input.velocity.at || input.spin.at;
    body.velocity_follows = !input.velocity.at;
    body.spin_follows = !input.spin.at;
    for (int i = 0; i < 2; ++i) {
        body.centre[i] = p.centre[i];
        body.position[i] = input.position.x[i];
        body.velocity[i] = input.velocity.x[i];
    }
    AC_TRY(ac_depend_body(b, &input, true, number, p.inertia));
    AC_TRY(depend_angle(b, &input, number));
    AC_TRY(ac_depend_start_list(b, AC_START_VELOCITY, number, 0, input.velocity.at));
    AC_TRY(ac_depend_start(b, AC_START_SPIN, number, 0, 0, input.spin.at));
    AC_TRY(add_points(b, number, input.points));
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_PLANAR, .as.planar = body}, entry->key_place);
}

static ac_status read_point(ac_builder *b, const ac_value *entry)
{
    ac_point_input input;
    int number;
    AC_TRY(ac_section_read(&b->reader, &ac_section_point, entry, &input, sizeof input));
    AC_TRY(ac_add_built_node(b, entry, AC_BUILT_POINT, &number));
    if (input.velocity.at && input.velocity.count != input.position.count)
        return ac_fail_at(b->ctx, input.velocity.at->place,
                          "velocity must have as many numbers as position (%d), not %d", input.position.count,
                          input.velocity.count);
    ac_built_node *node = &b->nodes[number];
    node->dimension = input.position.count;
    node->placed = true;
    copy3(input.position.x, node->pose.position);

    ac_point_mass point = {.name = node->name,
                           .mass = input.mass.value,
                           .dimension = node->dimension,
                           .placed = true,
                           .moving = input.velocity.at != NULL};
    copy3(input.position.x, point.position);
    copy3(input.velocity.x, point.velocity);
    b->spatial = b->spatial || node->dimension == 3;
    AC_TRY(ac_depend(b, AC_DATUM_MASS, number, 0, 0, input.mass.at));
    AC_TRY(ac_depend_position(b, number, input.position.at));
    AC_TRY(ac_depend_start_list(b, AC_START_VELOCITY, number, 0, input.velocity.at));
    AC_TRY(add_points(b, number, NULL));
    return ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_POINT, .as.point = point}, entry->key_place);
}

/* ---- all of them ---- */

static ac_status read_ground(ac_builder *b)
{
    static const double zero[3] = {0, 0, 0};
    ac_ground_input input = {0};
    bool fresh;
    b->ground = (ac_built_node){.name = "ground", .kind = AC_BUILT_GROUND, .dimension = 3, .placed = true};
    b->ground.pose = ac_pose_identity();
    identity3(b->ground.axes);
    AC_TRY(ac_add_place(b, AC_GROUND, "origin", zero, &fresh));
    if (!b->root.ground) return AC_OK;
    AC_TRY(ac_section_read(&b->reader, &ac_section_ground, b->root.ground, &input, sizeof input));
    return ac_add_places(b, AC_GROUND, input.points);
}

static ac_status set_gravity(ac_builder *b)
{
    const ac_given_vector *g = &b->root.gravity;
    if (!g->at) return AC_OK;
    if (g->count < 3 && b->spatial)
        return ac_fail_at(b->ctx, g->at->place,
                          "gravity must have 3 numbers because the system moves in space, not %d", g->count);
    if (g->count == 3 && !b->spatial && g->x[2] != 0)
        return ac_fail_at(b->ctx, g->at->place,
                          "gravity must stay in the plane z = 0 because the whole system does; write for "
                          "example [0, -9.81]");
    copy3(g->x, b->gravity);
    ac_nodes nodes;
    AC_TRY(ac_follow_list(b, g->at, &nodes));
    AC_TRY(ac_depend_nodes(b, AC_DATUM_GRAVITY, 0, 0, &nodes));
    return ac_build_failed(b, ac_system_set_gravity(b->system, b->gravity), g->at->place);
}

ac_status ac_build_nodes(ac_builder *b)
{
    AC_TRY(read_ground(b));
    b->spatial = b->root.bodies && b->root.bodies->count > 0;
    AC_TRY(ac_build_entries(b, b->root.bodies, read_body));
    AC_TRY(ac_build_entries(b, b->root.planar_bodies, read_planar_body));
    AC_TRY(ac_build_entries(b, b->root.points, read_point));
    AC_TRY(ac_build_beams(b));
    if (b->node_count == 0)
        return ac_fail_at(b->ctx, b->place,
                          "there is nothing that moves; give bodies, planar_bodies or points");
    return set_gravity(b);
}
