/* Lanes: which systems they take, their numbers from the systems, and configurations back. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "ensemble/lanes_data.h"
#include "math/math.h"

enum { FREEDOMS_MAX = 64 };
static const double NEAR_LIMIT = 0.83; /* of the limit of turns */

/* --- what can be taken --------------------------------------------------------------------------------------------- */

static bool takes_body(const ac_node *node)
{
    if (node->kind != AC_NODE_BODY || node->held) return false;
    if (node->joint < 0) return true;
    for (int k = 0; k < node->walk.count; ++k)
        if (node->walk.step[k].kind == AC_MOTION_SWING) return false;
    return !node->walk.backward;
}

/* The freedom on which a load on a coordinate of a tree joint acts; NULL: none does. */
static const ac_walk_step *loaded_step(const ac_system *system, const ac_load_data *load, int *node)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *child = &system->nodes[i];
        if (child->joint < 0) continue;
        const ac_joint_data *joint = &system->joints[child->joint];
        int number = load->measure - joint->first_measure;
        if (joint->first_measure < 0 || number < 0 || number >= AC_ROW_MAX) continue;
        const ac_walk_step *step = ac_walk_coordinate(child, number);
        *node = i;
        if (step && step->freedoms == 1) return step;
    }
    return NULL;
}

static bool takes_load(const ac_system *system, const ac_load_data *load)
{
    int node;
    if (load->measure >= 0) return loaded_step(system, load, &node) != NULL;
    return load->before == AC_GROUND && load->node != AC_GROUND;
}

bool ac_lanes_take(const ac_system *system, const ac_simulation_settings *settings)
{
    if (strcmp(ac_scheme_for(system, settings->scheme), "midpoint") != 0 || settings->free_step) return false;
    if (strcmp(settings->formulation, "auto") != 0 && strcmp(settings->formulation, "reduced") != 0)
        return false;
    if (system->tree.loops > 0 || system->contact_count > 0 || system->relations.count > 0 ||
        ac_element_count(system) > 0 || system->mesh.mass_pair_count > 0)
        return false;
    if (system->tree.freedoms < 1 || system->tree.freedoms > FREEDOMS_MAX) return false;
    for (int i = 0; i < system->node_count; ++i)
        if (!takes_body(&system->nodes[i])) return false;
    for (int k = 0; k < system->load_count; ++k)
        if (!takes_load(system, &system->loads[k])) return false;
    return true;
}

/* --- making and freeing -------------------------------------------------------------------------------------------- */

static void add_freedoms(ac_lanes *lanes, const ac_node *node, int number, int before)
{
    ac_lane_link *body = &lanes->bodies[number];
    const ac_walk *walk = &node->walk;
    body->first = lanes->freedom_count;
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        body->ball = body->ball || step->kind == AC_MOTION_BALL;
        for (int j = 0; j < step->freedoms; ++j) {
            lanes->freedoms[lanes->freedom_count] = (ac_lane_freedom){
                .step = *step,
                .body = number,
                .axis = step->kind == AC_MOTION_BALL ? j : step->axis,
                .before = before,
                .in_system = node->u + step->freedom + j};
            before = lanes->freedom_count++;
        }
    }
    body->count = lanes->freedom_count - body->first;
}

/* The last freedom of a body or of what carries it; -1: it is fixed to the ground. */
static int last_freedom(const ac_lanes *lanes, int body)
{
    while (body >= 0 && lanes->bodies[body].count == 0) body = lanes->bodies[body].parent;
    return body < 0 ? -1 : lanes->bodies[body].first + lanes->bodies[body].count - 1;
}

static int body_of(const ac_lanes *lanes, int node)
{
    int k = lanes->body_count - 1;
    while (k >= 0 && lanes->bodies[k].node != node) --k;
    return k;
}

static void add_bodies(ac_lanes *lanes, const ac_system *system)
{
    for (int k = 0; k < system->node_count; ++k) {
        const ac_node *node = &system->nodes[system->tree.order[k]];
        int parent = node->parent == AC_GROUND ? -1 : body_of(lanes, node->parent);
        lanes->bodies[k] = (ac_lane_link){.node = system->tree.order[k],
                                          .parent = parent,
                                          .root = parent < 0 ? k : lanes->bodies[parent].root};
        ++lanes->body_count;
        add_freedoms(lanes, node, k, last_freedom(lanes, parent));
    }
}

static void add_loads(ac_lanes *lanes, const ac_system *system)
{
    for (int k = 0; k < system->load_count; ++k) {
        const ac_load_data *load = &system->loads[k];
        ac_lane_push *own = &lanes->loads[lanes->load_count++];
        *own = (ac_lane_push){.freedom = -1, .sign = 1.0};
        ac_lane_load_take(system, k, &own->load);
        if (load->measure < 0) {
            own->body = body_of(lanes, load->node);
            continue;
        }
        int node = 0;
        const ac_walk_step *step = loaded_step(system, load, &node);
        own->sign = system->joints[system->nodes[node].joint].reversed ? -1.0 : 1.0;
        own->freedom = lanes->bodies[body_of(lanes, node)].first + step->freedom;
    }
}

ac_status ac_lanes_new(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                       ac_lanes **lanes)
{
    ac_lanes *own;
    AC_NEW(ctx, own, 1);
    *own = (ac_lanes){.ctx = ctx,
                      .h = settings->step,
                      .turn_limit = settings->turn_limit,
                      .most_turned = settings->turn_limit >= M_PI ? 2.0 : 1.0 - ac_cos(settings->turn_limit),
                      .near_limit = ac_lanes_near_limit(settings->turn_limit),
                      .tolerance = settings->tolerance,
                      .max_iterations = settings->max_iterations};
    size_t n = (size_t)system->tree.freedoms;
    own->bodies = ac_allocate(ctx, (size_t)system->node_count, sizeof *own->bodies);
    own->freedoms = ac_allocate(ctx, n, sizeof *own->freedoms);
    own->loads = ac_allocate(ctx, (size_t)system->load_count + 1, sizeof *own->loads);
    own->matrix = ac_allocate(ctx, n * n, sizeof *own->matrix);
    if (!own->bodies || !own->freedoms || !own->loads || !own->matrix) {
        ac_lanes_free(own);
        return ac_out_of_memory(ctx);
    }
    add_bodies(own, system);
    add_loads(own, system);
    *lanes = own;
    return AC_OK;
}

void ac_lanes_free(ac_lanes *lanes)
{
    if (!lanes) return;
    ac_release(lanes->ctx, lanes->bodies);
    ac_release(lanes->ctx, lanes->freedoms);
    ac_release(lanes->ctx, lanes->loads);
    ac_release(lanes->ctx, lanes->matrix);
    ac_release(lanes->ctx, lanes);
}

/* --- numbers of the systems ---------------------------------------------------------------------------------------- */

static void put(ac_lane *to, int lane, int count, const double *from)
{
    for (int i = 0; i < count; ++i) to[i][lane] = from[i];
}

static void gather_frames(ac_lane_link *body, int lane, const ac_system *system, const ac_node *node)
{
    static const ac_side world = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
    const ac_side *carrier = joint ? ac_parent_side(joint) : &world,
                  *own = joint ? ac_child_side(joint) : &world;
    put(body->place, lane, 3, carrier->place);
    put(body->axes, lane, 9, carrier->axes);
    put(body->own_place, lane, 3, own->place);
    put(body->own_axes, lane, 9, own->axes);
}

static void gather_body(ac_lanes *lanes, ac_lane_link *body, int lane, const ac_system *system)
{
    const ac_node *node = &system->nodes[body->node];
    const ac_joint_state *state = &system->initial.state[body->node];
    ac_lane_body_take(system, body->node, lane, &body->body, body->wrench);
    gather_frames(body, lane, system, node);
    put(body->turn_b, lane, 9, state->turn);
    for (int f = body->first; f < body->first + body->count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        const ac_walk_step *step = &freedom->step;
        bool shift = step->kind == AC_MOTION_SHIFT;
        freedom->unit[lane] = shift ? 1.0 / system->length_scale : 1.0;
        freedom->b[lane] = shift                          ? state->shift[step->axis]
                           : step->kind == AC_MOTION_TURN ? state->coordinate[step->number]
                                                          : 0.0;
        freedom->past[0][lane] = lanes->h * system->initial.u[freedom->in_system]; /* the first guess */
    }
}

static void gather_lane(ac_lanes *lanes, int lane, const ac_system *system)
{
    double size = system->length_scale;
    for (int i = 0; i < system->n; ++i) size = ac_max(size, fabs(system->initial.q[i]));
    lanes->goal[lane] = ac_max(lanes->tolerance, 4.0 * DBL_EPSILON * size / system->length_scale);
    lanes->length[lane] = system->length_scale;
    for (int k = 0; k < lanes->body_count; ++k) gather_body(lanes, &lanes->bodies[k], lane, system);
    for (int k = 0; k < lanes->load_count; ++k) ac_lane_load_place(system, lane, &lanes->loads[k].load);
}

void ac_lanes_start(ac_lanes *lanes, const ac_system *const systems[AC_LANES])
{
    for (int l = 0; l < AC_LANES; ++l) {
        lanes->systems[l] = systems[l];
        gather_lane(lanes, l, systems[l]);
    }
    ac_lanes_restart(lanes);
}

/* --- configurations ------------------------------------------------------------------------------------------------ */

double ac_lanes_near_limit(double turn_limit)
{
    return ac_cos(NEAR_LIMIT * ac_min(turn_limit, M_PI));
}

double ac_lanes_tight(const ac_lanes *lanes, int lane)
{
    return lanes->tight[lane];
}

bool ac_lanes_failed(const ac_lanes *lanes, int lane)
{
    return lanes->failed[lane] != 0;
}

void ac_lanes_configuration(const ac_lanes *lanes, int lane, double *q)
{
    for (int k = 0; k < lanes->body_count; ++k) {
        const ac_lane_body *body = &lanes->bodies[k].body;
        double *own = q + lanes->systems[lane]->nodes[lanes->bodies[k].node].q;
        for (int i = 0; i < 3; ++i) {
            own[i] = body->x_b[i][lane];
            for (int I = 0; I < 3; ++I) own[3 + 3 * I + i] = body->R_b[3 * i + I][lane];
        }
    }
}
