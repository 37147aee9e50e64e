/* Derivatives of a system by a parameter: those of the numbers of its description, which are expressions, passed on to the
 * data of the system by the rules of the product. What follows is to describe.c and beam.c as a derivative is to its
 * function.
 */
#include "problem/build/slopes.h"

#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "base/expression.h"
#include "base/quadrature.h"
#include "base/signal.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/beam/beam.h"
#include "model/beam/strain.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

/* --- nodes --- */

/* E = tr(J)/2 1 - J; an inertia that is held about a thin axis (assembly/spins.c) keeps its shape. */
static void slope_inertia(const ac_piece *piece, int component, double by, const ac_node *node,
                          ac_node_slope *out)
{
    static const int PLACES[6][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {5, 7}, {2, 6}};
    if (piece->kind == AC_PIECE_PLANAR) {
        out->euler[0] += by;
        return;
    }
    if (node->held) {
        const double *J = piece->as.body.inertia;
        double share = component < 3 ? by / (J[0] + J[1] + J[2]) : 0.0;
        for (int k = 0; k < 9; ++k) out->euler[k] += share * node->euler[k];
        return;
    }
    for (int k = 0; k < 3 && component < 3; ++k) out->euler[4 * k] += 0.5 * by;
    out->euler[PLACES[component][0]] -= by;
    if (component >= 3) out->euler[PLACES[component][1]] -= by;
}

static const ac_pose *initial_pose(const ac_piece *piece, ac_pose *identity)
{
    *identity = ac_pose_identity();
    return piece->kind == AC_PIECE_BODY && piece->as.body.placed ? &piece->as.body.pose : identity;
}

/* The rotation of a placed body. */
static void initial_rotation(const ac_piece *piece, double R[9])
{
    ac_pose identity;
    if (piece->kind == AC_PIECE_PLANAR) {
        double c = ac_cos(piece->as.planar.angle), s = ac_sin(piece->as.planar.angle);
        const double turned[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
        memcpy(R, turned, sizeof turned);
        return;
    }
    memcpy(R, initial_pose(piece, &identity)->rotation, 9 * sizeof *R);
}

/* Reference point x + R c, its velocity v + w x R c. */
static void slope_centre(const ac_piece *piece, int component, double by, ac_node_slope *out)
{
    double R[9], change[3] = {0.0, 0.0, 0.0}, offset[3], spin[3] = {0.0, 0.0, 0.0};
    bool follows = piece->kind == AC_PIECE_PLANAR ? piece->as.planar.moving && piece->as.planar.spin_follows
                                                  : piece->as.body.moving && piece->as.body.spin_follows;
    change[component] = by;
    out->centre[component] += by;
    initial_rotation(piece, R);
    apply3(R, change, offset);
    for (int i = 0; i < 3; ++i) out->place[i] += offset[i];
    if (follows) return;
    if (piece->kind == AC_PIECE_PLANAR)
        spin[2] = piece->as.planar.angular_velocity;
    else
        copy3(piece->as.body.angular_velocity, spin);
    add_cross3(spin, offset, out->velocity);
}

static void slope_spin(const ac_piece *piece, int component, double by, ac_node_slope *out)
{
    double R[9], change[3] = {0.0, 0.0, 0.0}, offset[3], centre[3] = {0.0, 0.0, 0.0};
    bool planar = piece->kind == AC_PIECE_PLANAR;
    bool follows = planar ? piece->as.planar.spin_follows : piece->as.body.spin_follows;
    if (piece->kind == AC_PIECE_POINT || follows) return;
    change[planar ? 2 : component] = by;
    for (int i = 0; i < (planar ? 2 : 3); ++i)
        centre[i] = planar ? piece->as.planar.centre[i] : piece->as.body.centre[i];
    initial_rotation(piece, R);
    apply3(R, centre, offset);
    for (int i = 0; i < 3; ++i) out->spin[i] += change[i];
    add_cross3(change, offset, out->velocity);
}

/* R' R^T of an entry of R, as a turn; what is no turn of it is rounding. */
static void add_turn(const double R[9], int entry, double by, double turn[3])
{
    int i = entry / 3, j = entry % 3;
    double W[9] = {0.0};
    for (int k = 0; k < 3; ++k) W[3 * i + k] = by * R[3 * k + j];
    turn[0] += 0.5 * (W[7] - W[5]);
    turn[1] += 0.5 * (W[2] - W[6]);
    turn[2] += 0.5 * (W[3] - W[1]);
}

/* The initial rotation turns by w: the reference point with it, and its velocity. */
static void slope_rotation(const ac_piece *piece, const double w[3], ac_node_slope *out)
{
    bool planar = piece->kind == AC_PIECE_PLANAR;
    bool follows = planar ? piece->as.planar.spin_follows : piece->as.body.spin_follows;
    double R[9], centre[3] = {0.0, 0.0, 0.0}, arm[3], by[3], spin[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < (planar ? 2 : 3); ++i)
        centre[i] = planar ? piece->as.planar.centre[i] : piece->as.body.centre[i];
    initial_rotation(piece, R);
    apply3(R, centre, arm);
    cross3(w, arm, by);
    add3(out->turn, w, out->turn);
    add3(out->place, by, out->place);
    if (follows) return;
    if (planar)
        spin[2] = piece->as.planar.angular_velocity;
    else
        copy3(piece->as.body.angular_velocity, spin);
    add_cross3(spin, by, out->velocity);
}

static void slope_turn(const ac_piece *piece, const ac_data_slope *d, ac_node_slope *out)
{
    double w[3] = {0.0, 0.0, 0.0};
    if (d->datum == AC_START_ANGLE)
        w[2] = d->slope;
    else
        add_turn(piece->as.body.pose.rotation, d->component, d->slope, w);
    slope_rotation(piece, w, out);
}

static void slope_node(const ac_piece *piece, const ac_data_slope *d, const ac_node *node, ac_node_slope *out)
{
    switch (d->datum) {
    case AC_DATUM_MASS: out->mass += d->slope; break;
    case AC_DATUM_INERTIA: slope_inertia(piece, d->component, d->slope, node, out); break;
    case AC_DATUM_CENTRE: slope_centre(piece, d->component, d->slope, out); break;
    case AC_DATUM_POSITION: out->place[d->component] += d->slope; break;
    case AC_START_VELOCITY: out->velocity[d->component] += d->slope; break;
    case AC_START_ROTATION:
    case AC_START_ANGLE: slope_turn(piece, d, out); break;
    default: slope_spin(piece, d->component, d->slope, out); break;
    }
}

/* --- beams --- */

/* Values of the whole beam (side 0), or at one of the points where they are taken. */
static void slope_values(const ac_data_slope *d, const ac_beam_data *beam, ac_system_slope *s)
{
    bool stiffness = d->datum == AC_DATUM_BEAM_STIFFNESS;
    int count = stiffness ? ac_beam_points(beam) : beam->mass_points, first = d->side > 0 ? d->side - 1 : 0,
        end = d->side > 0 ? d->side : count;
    for (int k = first; k < end && k < count; ++k) {
        ac_mass_point_slope *point = &s->mass_points[beam->first_mass_point + k];
        if (stiffness)
            s->strains[ac_beam_strain_point(s->system, beam, k)].stiffness[d->component] += d->slope;
        else if (d->datum == AC_DATUM_BEAM_MASS)
            point->density += d->slope;
        else
            point->inertia[d->component] += d->slope;
    }
}

static void slope_beam(const ac_data_slope *d, const ac_beam_data *beam, ac_system_slope *s)
{
    switch (d->datum) {
    case AC_DATUM_BEAM_DAMPING: s->beams[d->object].damping += d->slope; break;
    case AC_DATUM_BEAM_RELAXATION: s->beams[d->object].relaxation[d->component] += d->slope; break;
    case AC_DATUM_BEAM_LENGTH: break; /* it follows from the curve */
    case AC_BEAM_REST: s->beams[d->object].rest += d->slope; break;
    case AC_BEAM_AMBIENT: s->beams[d->object].ambient[d->component] += d->slope; break;
    case AC_BEAM_ENERGY: s->beams[d->object].named[d->side][d->component] += d->slope; break;
    case AC_BEAM_PRECURVATURE:
        for (int k = 0; k < ac_beam_points(beam); ++k)
            s->strains[ac_beam_strain_point(s->system, beam, k)].reference[3 + d->component] += d->slope;
        break;
    default: slope_values(d, beam, s); break;
    }
}

/* Velocities of a beam that moves as a rigid body about its first node. */
static void slope_motion(const ac_piece *piece, const ac_data_slope *d, const ac_beam_data *beam,
                         ac_node_slope *nodes)
{
    for (int k = 0; k < beam->nodes; ++k) {
        ac_node_slope *out = &nodes[beam->first_node + k];
        double change[3] = {0.0, 0.0, 0.0}, arm[3];
        change[d->component] = d->slope;
        if (d->datum == AC_START_VELOCITY) {
            add3(out->velocity, change, out->velocity);
            continue;
        }
        sub3(piece->frames[k].position, piece->frames[0].position, arm);
        add3(out->spin, change, out->spin);
        add_cross3(change, arm, out->velocity);
    }
}

/* Initial poses, in the world and as the first node sees them. */
static void move_nodes(const ac_piece *piece, const ac_beam_data *beam, const ac_curve_motion *motion,
                       ac_node_slope *nodes)
{
    const double *R = piece->frames[0].rotation, *spin = piece->as.beam.angular_velocity;
    for (int k = 0; k < beam->nodes; ++k) {
        ac_node_slope *out = &nodes[beam->first_node + k];
        double arm[3], by_arm[3], turn[3], carried[3];
        sub3(piece->frames[k].position, piece->frames[0].position, arm);
        sub3(motion[k].place, motion[0].place, by_arm);
        sub3(motion[k].turn, motion[0].turn, turn);
        add3(out->place, motion[k].place, out->place);
        add3(out->turn, motion[k].turn, out->turn);
        add_cross3(spin, by_arm, out->velocity);
        cross3(motion[0].turn, arm, carried);
        sub3(by_arm, carried, by_arm);
        apply_transposed3(R, by_arm, out->within_place);
        apply_transposed3(R, turn, out->within_turn);
    }
}

/* Fixed joints at sharp corners keep the frames of both pieces as they are given. */
static void turn_corners(const ac_piece *piece, const ac_beam_data *beam, const ac_curve_motion *motion,
                         ac_system_slope *s)
{
    for (int j = s->system->user_joints; j < s->system->joint_count; ++j) {
        const ac_joint_data *joint = &s->system->joints[j];
        int k = joint->a.node - beam->first_node;
        double turn[3], own[3];
        if (joint->type != AC_FIXED || k < 0 || k + 1 >= beam->nodes) continue;
        sub3(motion[k + 1].turn, motion[k].turn, turn);
        apply_transposed3(piece->frames[k].rotation, turn, own);
        add3(s->joints[j].turn[0], own, s->joints[j].turn[0]);
    }
}

static ac_status move_curve(ac_values *v, int number, ac_system_slope *s)
{
    const ac_piece *piece = ac_description_beam(&v->description, number);
    const ac_beam_data *beam = &s->system->beams[number];
    ac_curve_motion *motion;
    AC_NEW(v->ctx, motion, beam->nodes);
    ac_values_curve_motion(v, number, motion);
    move_nodes(piece, beam, motion, s->nodes);
    turn_corners(piece, beam, motion, s);
    ac_release(v->ctx, motion);
    return AC_OK;
}

/* Derivatives of the values along a beam by the share of the length, which is an input for a moment. */
static ac_status profile_rate(ac_values *v, const ac_profile *p, double share, ac_beam_values *rate)
{
    ac_graph *g = v->builder.reader.graph;
    const int known = g->count;
    const double *d;
    ac_beam_formula f;
    ac_profile_formula(g, p, ac_num_input(g, share), &f);
    ac_status status = ac_graph_fit(g, v->ctx, &v->work);
    if (status == AC_OK) {
        memset(v->dx, 0, (size_t)v->inputs * sizeof *v->dx);
        v->x[v->inputs] = share;
        v->dx[v->inputs] = 1.0;
        ac_graph_evaluate(g, &v->work, v->x);
        ac_graph_tangent(g, &v->work, v->dx);
        d = v->work.d;
        for (int i = 0; i < 6; ++i) rate->stiffness[i] = d[f.stiffness[i].node];
        for (int i = 0; i < 2; ++i) rate->inertia[i] = d[f.inertia[i].node];
        rate->mass = d[f.mass.node];
    }
    ac_graph_cut(g, known);
    return status;
}

/* Values along the beam at places that move along it. */
static ac_status move_values(ac_values *v, int number, ac_system_slope *s)
{
    const ac_profile *profile = v->builder.beams[number].profile;
    const ac_beam_data *beam = &s->system->beams[number];
    for (int k = 0; k < ac_beam_points(beam); ++k) {
        ac_strain_slope *own = &s->strains[ac_beam_strain_point(s->system, beam, k)];
        double share[2];
        ac_system_beam_stiffness_shares(s->system, number, k, share);
        for (int c = 0; c < 2; ++c) {
            ac_beam_values rate;
            if (own->share[c] == 0.0) continue;
            AC_TRY(profile_rate(v, profile, share[c], &rate));
            for (int i = 3 * c; i < 3 * c + 3; ++i) own->stiffness[i] += rate.stiffness[i] * own->share[c];
        }
    }
    for (int k = 0; k < beam->mass_points; ++k) {
        ac_mass_point_slope *own = &s->mass_points[beam->first_mass_point + k];
        ac_beam_values rate;
        double share;
        ac_system_beam_mass_share(s->system, number, k, &share);
        if (own->share == 0.0) continue;
        AC_TRY(profile_rate(v, profile, share, &rate));
        own->density += rate.mass * own->share;
        for (int i = 0; i < 2; ++i) own->inertia[i] += rate.inertia[i] * own->share;
    }
    return AC_OK;
}

static ac_status refuse(ac_values *v, const char *what)
{
    return ac_fail(v->ctx, AC_BAD_INPUT, "%s", what);
}

/* Where the energy is a function, its second derivatives are the stiffness, which damping alone needs: the function of a point is the
 * energy less the quadratic one. */
static ac_status stiffen(ac_values *v, int number, ac_system_slope *s)
{
    const ac_beam_data *beam = &s->system->beams[number];
    const ac_named_energy *energy = v->builder.beams[number].energy;
    const ac_profile *profile = v->builder.beams[number].profile;
    for (int k = 0; k < ac_beam_points(beam); ++k) {
        ac_strain_slope *own = &s->strains[ac_beam_strain_point(s->system, beam, k)];
        double share[2], slope[AC_BEAM_STRAINS];
        ac_system_beam_stiffness_shares(s->system, number, k, share);
        for (int c = 0; c < 2; ++c) {
            ac_beam_energy_stiffness_slope(energy->whole, energy->names, energy->values,
                                           share[c] * profile->length, s->beams[number].named[0], slope);
            for (int i = 3 * c; i < 3 * c + 3; ++i) own->stiffness[i] += slope[i];
        }
        bool moves = own->stretch != 0.0 || own->share[0] != 0.0 || own->share[1] != 0.0;
        if (moves && ac_beam_damped(beam) && ac_expression_has(energy->whole, AC_BEAM_STRAINS))
            return refuse(v, "it changes the length of a beam with damping whose energy depends on s; leave "
                             "out the damping, or s");
    }
    return AC_OK;
}

/* What follows from values and from the curve: masses, lengths, strains without stress, initial places. */
static ac_status finish_beam(ac_values *v, int number, ac_system_slope *s)
{
    const ac_piece *piece = ac_description_beam(&v->description, number);
    double rest = piece->as.beam.rest_length;
    ac_beam_slope_geometry(s, number, rest > 0.0, rest > 0.0 ? s->beams[number].rest / rest : 0.0);
    if (s->system->beams[number].energy)
        AC_TRY(stiffen(v, number, s));
    else if (ac_profile_varies(v->builder.beams[number].profile))
        AC_TRY(move_values(v, number, s));
    ac_beam_slope_masses(s, number);
    return AC_OK;
}

/* --- joints, springs, loads --- */

static void slope_joint(const ac_joint_data *joint, const ac_data_slope *d, ac_joint_slope *out)
{
    switch (d->datum) {
    case AC_JOINT_AXES:
        add_turn(d->side == 0 ? joint->a.axes : joint->b.axes, d->component, d->slope, out->turn[d->side]);
        break;
    case AC_DATUM_JOINT_PLACE: out->place[d->side][d->component] += d->slope; break;
    case AC_DATUM_JOINT_LENGTH: out->length += d->slope; break;
    case AC_DATUM_START_COORDINATE: out->coordinates[d->component] += d->slope; break;
    default: out->rates[d->component] += d->slope; break;
    }
}

static void slope_spring(const ac_data_slope *d, ac_spring_slope *out)
{
    switch (d->datum) {
    case AC_DATUM_STIFFNESS: out->stiffness += d->slope; break;
    case AC_DATUM_DAMPING: out->damping += d->slope; break;
    case AC_DATUM_REST: out->rest += d->slope; break;
    default: out->place[d->side][d->component] += d->slope; break;
    }
}

static void slope_contact(const ac_data_slope *d, ac_contact_slope *out)
{
    double *const numbers[AC_CONTACT_NUMBERS] = {&out->radius, &out->other_radius, &out->limit,
                                                 &out->restitution, &out->loss};
    if (d->datum == AC_CONTACT_NUMBER)
        *numbers[d->component] += d->slope;
    else
        out->place[d->side][d->component] += d->slope;
}

/* A place is measured from the centre of mass; a point has none. */
void ac_slope_off_centre(const ac_system_slope *s, int node, double place[3])
{
    if (node == AC_GROUND) return;
    sub3(place, s->nodes[node].centre, place);
    if (ac_node_turns(&s->system->nodes[node]) == 0) memset(place, 0, 3 * sizeof *place);
}

static void take_off_centres(ac_system_slope *s)
{
    const ac_system *system = s->system;
    for (int j = 0; j < system->joint_count; ++j) {
        ac_slope_off_centre(s, system->joints[j].a.node, s->joints[j].place[0]);
        ac_slope_off_centre(s, system->joints[j].b.node, s->joints[j].place[1]);
    }
    for (int k = 0; k < system->spring_count; ++k)
        for (int e = 0; e < 2 && system->springs[k].between_points; ++e)
            ac_slope_off_centre(s, system->springs[k].end_node[e], s->springs[k].place[e]);
    for (int k = 0; k < system->load_count; ++k)
        if (system->loads[k].type == AC_LOAD_FORCE)
            ac_slope_off_centre(s, system->loads[k].node, s->loads[k]);
    for (int k = 0; k < system->contact_count; ++k) {
        if (system->contacts[k].surface == AC_SURFACE_LIMIT) continue;
        ac_slope_off_centre(s, system->contacts[k].point.node, s->contacts[k].place[0]);
        ac_slope_off_centre(s, system->contacts[k].other.node, s->contacts[k].place[1]);
    }
}

/* --- all --- */

static ac_status take_datum(ac_values *v, const ac_data_slope *d, ac_system_slope *s)
{
    const ac_description *from = &v->description;
    const ac_system *system = s->system;
    switch (d->datum) {
    case AC_DATUM_GRAVITY: s->gravity[d->component] += d->slope; return AC_OK;
    case AC_DATUM_MASS:
    case AC_DATUM_INERTIA:
    case AC_DATUM_CENTRE:
    case AC_DATUM_POSITION:
    case AC_START_VELOCITY:
    case AC_START_SPIN:
    case AC_START_ROTATION:
    case AC_START_ANGLE:
        if (d->side == 1 && (d->datum == AC_START_VELOCITY || d->datum == AC_START_SPIN))
            slope_motion(ac_description_beam(from, d->object), d, &system->beams[d->object], s->nodes);
        else
            slope_node(ac_description_node(from, d->object), d, &system->nodes[d->object],
                       &s->nodes[d->object]);
        return AC_OK;
    case AC_DATUM_BEAM_STIFFNESS:
    case AC_DATUM_BEAM_MASS:
    case AC_DATUM_BEAM_INERTIA:
    case AC_DATUM_BEAM_DAMPING:
    case AC_DATUM_BEAM_LENGTH:
    case AC_DATUM_BEAM_RELAXATION:
    case AC_BEAM_REST:
    case AC_BEAM_PRECURVATURE:
    case AC_BEAM_AMBIENT:
    case AC_BEAM_ENERGY: slope_beam(d, &system->beams[d->object], s); return AC_OK;
    case AC_DATUM_JOINT_PLACE:
    case AC_DATUM_JOINT_LENGTH:
    case AC_JOINT_AXES:
    case AC_DATUM_START_COORDINATE:
    case AC_DATUM_START_RATE: slope_joint(&system->joints[d->object], d, &s->joints[d->object]); return AC_OK;
    case AC_DATUM_STIFFNESS:
    case AC_DATUM_DAMPING:
    case AC_DATUM_REST:
    case AC_DATUM_SPRING_PLACE: slope_spring(d, &s->springs[d->object]); return AC_OK;
    case AC_CONTACT_PLACE:
    case AC_CONTACT_NUMBER: slope_contact(d, &s->contacts[d->object]); return AC_OK;
    case AC_DATUM_LOAD_PLACE: s->loads[d->object][d->component] += d->slope; return AC_OK;
    case AC_LOAD_TIME:
    case AC_LOAD_POINT: return AC_OK; /* loads over time: below */
    default: return refuse(v, "it changes a datum whose derivative is not known");
    }
}

/* The law of a spring is another one where its rest length is zero. */
static ac_status check_springs(ac_values *v, const ac_system_slope *s)
{
    for (int k = 0; k < s->system->spring_count; ++k) {
        const ac_spring_data *spring = &s->system->springs[k];
        bool length = s->system->measures[spring->measure].kind == AC_MEASURE_LENGTH && spring->rest == 0.0;
        if (length && s->springs[k].rest != 0.0)
            return refuse(v,
                          "the kind of an element changes: a spring of length zero at rest has another law");
        if (length && spring->damping == 0.0 && s->springs[k].damping != 0.0)
            return refuse(v, "the kind of an element changes: a spring gets a damper");
    }
    return AC_OK;
}

/* Scalar parts of dual quaternions are elements only where they resist. */
static ac_status check_ambient(ac_values *v, const ac_system_slope *s)
{
    for (int k = 0; k < s->system->beam_count; ++k) {
        const double *by = s->beams[k].ambient + 2, *now = s->system->beams[k].ambient;
        if ((by[0] != 0.0 || by[1] != 0.0) && now[0] == 0.0 && now[1] == 0.0)
            return refuse(v, "the kind of an element changes: ambient_stiffness is zero");
    }
    return AC_OK;
}

/* --- slopes of slopes --- */

/* Sum over the parameters k of weight_k times the derivative by k, and by a further parameter unless that is -1. */
static double weighted(const ac_values *v, const ac_expression *e, const double *weights, int further)
{
    double sum = 0.0;
    for (int k = 0; k < v->count; ++k) {
        double first, second;
        if (weights[k] == 0.0 || !ac_expression_has(e, k)) continue;
        ac_expression_along(e, v->x, k, further < 0 ? k : further, &first, &second);
        sum += weights[k] * (further < 0 ? first : second);
    }
    return sum;
}

/* Where curves and what follows from them move, there are no slopes of slopes yet. */
static ac_status check_curves(ac_values *v)
{
    for (int k = 0; k < v->builder.beam_count; ++k) {
        const ac_beam_data *beam = &v->system.beams[k];
        if (v->builder.beams[k].drawn->depends) return refuse(v, "the curve of a beam changes");
        if (beam->energy || beam->potential) return refuse(v, "the energy of a beam is a function along it");
    }
    for (int k = 0; k < v->slot_count; ++k)
        if (v->slots[k].datum == AC_BEAM_REST) return refuse(v, "the rest length of a beam changes");
    return AC_OK;
}

/* Changes of all numbers along weights, or those of their derivatives by a further parameter. */
static ac_status find_changes(ac_values *v, const double *weights, int further, const double **changes)
{
    const ac_graph *g = v->builder.reader.graph;
    AC_TRY(ac_values_evaluate(v));
    memset(v->dx, 0, (size_t)v->inputs * sizeof *v->dx);
    memcpy(v->dx, weights, (size_t)v->count * sizeof *v->dx);
    ac_graph_tangent(g, &v->work, v->dx);
    *changes = v->work.d;
    if (further < 0) return AC_OK;
    memset(v->dx, 0, (size_t)v->inputs * sizeof *v->dx);
    v->dx[further] = 1.0;
    ac_graph_mixed(g, &v->work, v->dx);
    *changes = v->work.dbar;
    return AC_OK;
}

static ac_status fill_weighted(ac_values *v, const double *weights, int further, ac_system_slope *s)
{
    const double *changes;
    AC_TRY(check_curves(v));
    AC_TRY(find_changes(v, weights, further, &changes));
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        const ac_data_slope d = {.datum = slot->datum,
                                 .object = slot->object,
                                 .side = slot->side,
                                 .component = slot->component,
                                 .slope = changes[slot->node]};
        if (slot->datum != AC_BEAM_PROFILE && d.slope != 0.0) AC_TRY(take_datum(v, &d, s));
    }
    for (int b = 0; b < s->system->beam_count; ++b) ac_beam_slope_masses(s, b);
    take_off_centres(s);
    AC_TRY(check_springs(v, s));
    AC_TRY(check_ambient(v, s));
    return s->of ? ac_start_bends(s) : AC_OK;
}

ac_status ac_values_slope_along(ac_values *v, const double *direction, ac_system_slope **slope)
{
    AC_TRY(ac_system_slope_new(v->ctx, &v->system, slope));
    ac_status status = fill_weighted(v, direction, -1, *slope);
    if (status == AC_OK) return AC_OK;
    ac_system_slope_free(*slope);
    *slope = NULL;
    return status;
}

ac_status ac_values_bend(ac_values *v, const double *direction, const ac_system_slope *along, int parameter,
                         ac_system_slope **slope)
{
    ac_system_slope *of = NULL;
    double *one;
    *slope = NULL;
    AC_NEW(v->ctx, one, v->count + 1);
    one[parameter] = 1.0;
    ac_status status = ac_values_slope_along(v, one, &of);
    if (status == AC_OK) status = ac_system_slope_new(v->ctx, &v->system, slope);
    if (status == AC_OK) {
        (*slope)->of = of;
        (*slope)->along = along;
        status = fill_weighted(v, direction, parameter, *slope);
    }
    ac_release(v->ctx, one);
    if (status == AC_OK) return AC_OK;
    ac_system_slope_free(of);
    ac_system_slope_free(*slope);
    *slope = NULL;
    return status;
}

/* --- slopes --- */

static ac_status fill(ac_values *v, int parameter, ac_system_slope *s)
{
    AC_TRY(ac_values_check_axes(v));
    AC_TRY(ac_values_tangent(v, parameter));
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        const ac_data_slope d = {.datum = slot->datum,
                                 .object = slot->object,
                                 .side = slot->side,
                                 .component = slot->component,
                                 .slope = v->work.d[slot->node]};
        if (ac_slot_has_slopes(slot) && d.slope != 0.0) AC_TRY(take_datum(v, &d, s));
    }
    for (int b = 0; b < s->system->beam_count; ++b)
        if (v->builder.beams[b].drawn->depends) AC_TRY(move_curve(v, b, s));
    for (int b = 0; b < s->system->beam_count; ++b) AC_TRY(finish_beam(v, b, s));
    take_off_centres(s);
    AC_TRY(check_springs(v, s));
    AC_TRY(check_ambient(v, s));
    return ac_start_slopes(s);
}

ac_status ac_values_slope(ac_values *v, int parameter, ac_system_slope **slope)
{
    AC_TRY(ac_system_slope_new(v->ctx, &v->system, slope));
    ac_status status = fill(v, parameter, *slope);
    if (status == AC_OK) return AC_OK;
    ac_system_slope_free(*slope);
    *slope = NULL;
    return status;
}

/* --- loads over time --- */

static bool is_point(const ac_slot *slot, int load, int component)
{
    return (slot->datum == AC_LOAD_TIME || slot->datum == AC_LOAD_POINT) && slot->object == load &&
           slot->side == component;
}

bool ac_values_load_varies(const ac_values *v, int parameter, int load, int component)
{
    for (int k = 0; k < v->signal_count; ++k)
        if (v->loads[k].load == load && v->loads[k].component == component &&
            ac_expression_has(v->loads[k].expression, parameter))
            return true;
    for (int k = 0; k < v->slot_count; ++k)
        if (is_point(&v->slots[k], load, component) && ac_expression_has(v->slots[k].expression, parameter))
            return true;
    return false;
}

typedef struct driven { /* a load as an expression of parameters and time */
    ac_values *values;
    const ac_expression *expression;
    int parameter;
    const double *direction; /* NULL: the first derivative */
} driven;

static double driven_slope(const void *user, double t)
{
    const driven *d = user;
    double slope, second;
    d->values->x[d->values->count] = t;
    if (d->direction) return weighted(d->values, d->expression, d->direction, d->parameter);
    ac_expression_along(d->expression, d->values->x, d->parameter, d->parameter, &slope, &second);
    return slope;
}

static bool driven_switches(const void *user, double from, double to)
{
    const driven *d = user;
    return ac_expression_switches(d->expression, d->values->x, d->values->count, from, to);
}

static double driven_impulse(const void *user, double from, double to)
{
    const driven *d = user;
    return ac_expression_impulse(d->expression, d->values->x, d->parameter, d->values->count, from, to);
}

static double mean_slope(ac_values *v, int parameter, const ac_expression *expression,
                         const ac_signal *signal, double t, double h)
{
    const driven d = {v, expression, parameter, NULL};
    const ac_integrand f = {&d, driven_slope, ac_expression_is_smooth(expression) ? NULL : driven_switches,
                            driven_impulse};
    if (ac_signal_is_sampled(signal)) return driven_slope(&d, t + 0.5 * h);
    return h > 0.0 ? ac_mean_over(&f, t, h) : driven_slope(&d, t);
}

double ac_values_load_slope(ac_values *v, int parameter, int load, int component, double t, double h)
{
    ac_signal *signal = v->system.loads[load].value[component];
    double sum = 0.0;
    for (int k = 0; k < v->signal_count; ++k)
        if (v->loads[k].load == load && v->loads[k].component == component)
            return mean_slope(v, parameter, v->loads[k].expression, signal, t, h);
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        double slope, second;
        if (!is_point(slot, load, component)) continue;
        ac_expression_along(slot->expression, v->x, parameter, parameter, &slope, &second);
        if (slope != 0.0)
            sum += slope *
                   ac_signal_mean_by_point(signal, slot->component, slot->datum == AC_LOAD_TIME, t, h);
    }
    return sum;
}

bool ac_values_load_bends(const ac_values *v, int load)
{
    for (int k = 0; k < v->signal_count; ++k)
        if ((load < 0 || v->loads[k].load == load) && !ac_expression_is_smooth(v->loads[k].expression))
            return false;
    for (int k = 0; k < v->slot_count; ++k) {
        bool point = v->slots[k].datum == AC_LOAD_TIME || v->slots[k].datum == AC_LOAD_POINT;
        if (point && (load < 0 || v->slots[k].object == load)) return false;
    }
    return true;
}

/* Jumps and kinks of a driven load, interval by interval. */
static bool switch_alike(const ac_values *a, const ac_values *b, int load, long steps, double h)
{
    const ac_expression *own = a->loads[load].expression, *other = b->loads[load].expression;
    bool alike = true;
    for (long k = 0; k < steps && alike && !ac_expression_is_smooth(own); ++k) {
        double t = (double)k * h;
        alike = ac_expression_switches(own, a->x, a->count, t, t + h) ==
                ac_expression_switches(other, b->x, b->count, t, t + h);
    }
    return alike;
}

bool ac_values_loads_switch_alike(const ac_values *a, const ac_values *b, long steps, double h)
{
    bool alike = true;
    for (int k = 0; k < a->signal_count && alike; ++k) alike = switch_alike(a, b, k, steps, h);
    for (int k = 0; k < a->slot_count && alike; ++k)
        if (a->slots[k].datum == AC_LOAD_TIME)
            alike = floor(*a->slots[k].number / h) == floor(*b->slots[k].number / h);
    return alike;
}

double ac_values_load_bend(ac_values *v, const double *direction, int parameter, int load, int component,
                           double t, double h)
{
    for (int k = 0; k < v->signal_count; ++k) {
        const driven d = {v, v->loads[k].expression, parameter, direction};
        const ac_integrand f = {&d, driven_slope, NULL, NULL};
        if (v->loads[k].load != load || v->loads[k].component != component) continue;
        bool sampled = ac_signal_is_sampled(v->system.loads[load].value[component]);
        return sampled   ? driven_slope(&d, t + 0.5 * h)
               : h > 0.0 ? ac_mean_over(&f, t, h)
                         : driven_slope(&d, t);
    }
    return 0.0;
}
