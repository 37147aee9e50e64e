/* Monitors of a simulation.
 *
 *   E_d = 1/2 v^T M v + V on the interval,  H_d = 1/2 p^T M^{-1} p + V(q) at a node, with the constrained momentum
 *   p_n = 1/2 [D2 L_d(q_{n-1}, q_n) - D1 L_d(q_n, q_{n+1})] (equal steps), and with the projected one.
 *   Hidden constraints: G(mean) (q_b - q_a) / h on velocity level, G M^{-1} p on momentum level.
 */
#include "observe/monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/inertia.h"
#include "action/load.h"
#include "action/relative.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "observe/monitor_beams.h"
#include "observe/monitor_residuals.h"
#include "integrate/impacts/impacts.h"
#include "integrate/relations.h"
#include "linalg/condition.h"
#include "observe/actions.h"
#include "tree/decoupled.h"

/* Places of the numbers that every row of a node begins with; see build_channels. */
enum {
    TIME,
    HAMILTONIAN,
    HAMILTONIAN_PROJECTED,
    KINETIC,
    POTENTIAL,
    LINEAR,
    ANGULAR = LINEAR + 3,
    CONSTRAINTS = ANGULAR + 3,
    HIDDEN_CONSTRAINTS,
    HEAD
};

/* --- channels ------------------------------------------------------------------------------------------------------ */

static ac_status keep_text(ac_monitor *m, const char *text, const char **kept)
{
    AC_TRY(ac_grow(m->ctx, (void **)&m->texts, &m->text_capacity, m->text_count + 1, sizeof(char *)));
    char *copy = ac_copy_text(m->ctx, text);
    if (!copy) return ac_out_of_memory(m->ctx);
    m->texts[m->text_count++] = copy;
    *kept = copy;
    return AC_OK;
}

static ac_status add_channel(ac_monitor *m, bool node, const char *name, const char *unit, const char *labels,
                             int width)
{
    ac_channel **list = node ? &m->node_channels : &m->interval_channels;
    int *count = node ? &m->node_count : &m->interval_count,
        *capacity = node ? &m->node_capacity : &m->interval_capacity;
    AC_TRY(ac_grow(m->ctx, (void **)list, capacity, *count + 1, sizeof(ac_channel)));
    ac_channel *channel = &(*list)[*count];
    AC_TRY(keep_text(m, name, &channel->name));
    channel->unit = unit;
    channel->labels = labels;
    channel->width = width;
    ++*count;
    return AC_OK;
}

static ac_status add_named(ac_monitor *m, const char *group, const char *owner, const char *quantity,
                           const char *unit, const char *labels, int width)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%.300s%s%s", group, owner, quantity ? "/" : "", quantity ? quantity : "");
    return add_channel(m, true, name, unit, labels, width);
}

static ac_status node_body_channels(ac_monitor *m, const ac_node *node)
{
    static const char *const axes[] = {"x", "x y", "x y z"};
    const char *labels = axes[node->dimension - 1];
    int d = node->dimension;
    const ac_node_type *type = ac_node_type_of(node);
    if (d == 1) labels = "";
    AC_TRY(add_named(m, type->word, node->name, "position", "m", labels, d));
    if (type->channel)
        AC_TRY(add_named(m, type->word, node->name, type->channel, "1", type->components, type->width));
    AC_TRY(add_named(m, type->word, node->name, "velocity", "m/s", labels, d));
    if (type->turns == 0) return AC_OK;
    return add_named(m, type->word, node->name, "angular_velocity", "rad/s", type->turns == 3 ? labels : "",
                     type->turns);
}

static ac_status joint_channels(ac_monitor *m, const ac_joint_data *joint)
{
    if (ac_row_is_ball(joint->row)) {
        return add_named(m, "joint", joint->name, "rotation", "rad", "x y z", 3);
    }
    for (int c = 0; c < ac_row_coordinates(joint->row); ++c) {
        const ac_motion *motion = &joint->row->motion[c];
        AC_TRY(add_named(m, "joint", joint->name, motion->name, motion->kind == AC_MOTION_TURN ? "rad" : "m",
                         "", 1));
    }
    return AC_OK;
}

/* A force or torque that can be drawn as an arrow. */
static ac_status action_channels(ac_monitor *m, const char *group, const char *owner, bool force, bool torque)
{
    AC_TRY(add_named(m, group, owner, "place", "m", "x y z", 3));
    if (force) AC_TRY(add_named(m, group, owner, "force", "N", "x y z", 3));
    return torque ? add_named(m, group, owner, "torque", "N m", "x y z", 3) : AC_OK;
}

static ac_status force_channels(ac_monitor *m, const ac_system *system)
{
    char label[AC_ACTION_LABEL_SIZE];
    for (int k = 0; k < system->load_count; ++k) {
        bool turns = ac_load_turns(system, k);
        AC_TRY(action_channels(m, "load", ac_load_label(system, k, label), !turns, turns));
    }
    for (int k = 0; k < system->spring_count; ++k) {
        bool turns = ac_measure_turns(system, system->springs[k].measure);
        AC_TRY(action_channels(m, "spring", ac_spring_label(system, k, label), !turns, turns));
    }
    return AC_OK;
}

/* Gap and normal force of a contact, and the force as an arrow where it has a place. */
static ac_status contact_channels(ac_monitor *m, const ac_system *system)
{
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_contact *contact = &system->contacts[c];
        bool limit = contact->surface == AC_SURFACE_LIMIT;
        const char *unit = limit ? "1" : "m";
        AC_TRY(add_named(m, "contact", contact->name, "gap", unit, "", 1));
        AC_TRY(add_named(m, "contact", contact->name, "normal_force", limit ? "1" : "N", "", 1));
        if (!limit && m->forces) AC_TRY(action_channels(m, "contact", contact->name, true, false));
    }
    return AC_OK;
}

static ac_status reaction_channels(ac_monitor *m, const ac_system *system)
{
    for (int j = 0; j < system->joint_count; ++j)
        AC_TRY(
            action_channels(m, "reaction", system->joints[j].name, true, ac_joint_turns(&system->joints[j])));
    return AC_OK;
}

static bool has_rotation(const ac_system *system, const ac_joint_data *joint)
{
    const int ends[2] = {joint->a.node, joint->b.node};
    for (int e = 0; e < 2; ++e)
        if (ends[e] != AC_GROUND && ac_node_turns(&system->nodes[ends[e]]) < 3) return false;
    return true;
}

enum { ENERGY_PARTS = 4 };

/* Parts of the energy, in the order of find_energies. */
static ac_status energy_channels(ac_monitor *m)
{
    static const char *const names[ENERGY_PARTS] = {"energy/translation", "energy/rotation", "energy/gravity",
                                                    "energy/elastic"};
    for (int k = 0; k < ENERGY_PARTS; ++k) AC_TRY(add_channel(m, true, names[k], "J", "", 1));
    return AC_OK;
}

typedef struct fixed_channel {
    const char *name, *unit, *labels;
    int width;
} fixed_channel;

static const fixed_channel COMMON[] = {
    {"time", "s", "", 1},
    {"energy/hamiltonian", "J", "", 1},
    {"energy/hamiltonian_projected", "J", "", 1},
    {"energy/kinetic", "J", "", 1},
    {"energy/potential", "J", "", 1},
    {"momentum/linear", "kg m/s", "x y z", 3},
    {"momentum/angular", "kg m^2/s", "x y z", 3},
    {"residual/constraints", "1", "", 1},
    {"residual/hidden_constraints", "1", "", 1},
};

static const fixed_channel INTERVAL[] = {
    {"time", "s", "", 1},
    {"energy/discrete", "J", "", 1},
    {"energy/kinetic_interval", "J", "", 1},
    {"energy/potential_interval", "J", "", 1},
    {"residual/velocity", "1", "", 1},
    {"speed", "1", "", 1},
    {"newton/iterations", "1", "", 1},
    {"newton/retries", "1", "", 1},
    {"newton/residual", "1", "", 1},
};

/* Is a motion prescribed? */
static bool is_driven(const ac_system *system)
{
    for (int k = 0; k < system->relations.count; ++k)
        if (system->relations.list[k].kind != AC_RELATION_CONSTANT) return true;
    return false;
}

static ac_status fixed_channels(ac_monitor *m, const ac_system *system,
                                const ac_simulation_settings *settings)
{
    for (size_t k = 0; k < sizeof COMMON / sizeof *COMMON; ++k)
        AC_TRY(add_channel(m, true, COMMON[k].name, COMMON[k].unit, COMMON[k].labels, COMMON[k].width));
    if (is_driven(system)) AC_TRY(add_channel(m, true, "energy/drives", "J", "", 1));
    for (int k = 0; k < m->point_count; ++k)
        AC_TRY(add_named(m, "momentum/angular_about", settings->momentum_points[k].name, NULL, "kg m^2/s",
                         "x y z", 3));
    for (size_t k = 0; k < sizeof INTERVAL / sizeof *INTERVAL; ++k)
        AC_TRY(
            add_channel(m, false, INTERVAL[k].name, INTERVAL[k].unit, INTERVAL[k].labels, INTERVAL[k].width));
    return m->condition ? add_channel(m, false, "newton/condition", "1", "", 1) : AC_OK;
}

static ac_status beam_channels(ac_monitor *m, const ac_beam_data *beam)
{
    for (int c = 0; c < AC_BEAM_CHANNELS; ++c)
        if (ac_beam_channel_width(beam, c) > 0)
            AC_TRY(add_named(m, "beam", beam->name, ac_beam_channels[c].quantity, ac_beam_channels[c].unit,
                             ac_beam_channels[c].labels, ac_beam_channel_width(beam, c)));
    return AC_OK;
}

/* The forces that prescribe a motion or couple coordinates. */
static ac_status relation_channels(ac_monitor *m, const ac_system *system)
{
    for (int k = 0; k < system->relations.count; ++k) {
        const ac_relation_data *r = &system->relations.list[k];
        bool turns = ac_measure_turns(system, r->measures[0]), coupled = r->kind == AC_RELATION_CONSTANT;
        const char *unit = turns ? "N m" : "N";
        if (coupled) {
            AC_TRY(add_named(m, "coupling", r->name, "force", unit, "", 1));
            continue;
        }
        AC_TRY(add_named(m, "joint", r->name, "drive", unit, "", 1));
        AC_TRY(add_named(m, "joint", r->name, "drive_power", "W", "", 1));
    }
    return AC_OK;
}

static ac_status momentum_channels(ac_monitor *m, const ac_system *system)
{
    int freedoms = system->tree.freedoms;
    AC_TRY(add_channel(m, true, "momentum/constrained", "1", "", system->n));
    AC_TRY(add_channel(m, true, "momentum/projected", "1", "", system->n));
    if (freedoms == 0) return AC_OK;
    AC_TRY(add_channel(m, true, "momentum/reduced", "1", "", freedoms));
    AC_TRY(add_channel(m, true, "velocity/reduced", "1", "", freedoms));
    return ac_is_loaded(system) ? add_channel(m, true, "force/reduced", "1", "", freedoms) : AC_OK;
}

static ac_status build_channels(ac_monitor *m, const ac_system *system,
                                const ac_simulation_settings *settings)
{
    AC_TRY(fixed_channels(m, system, settings));
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam < 0) AC_TRY(node_body_channels(m, &system->nodes[i]));
    for (int b = 0; b < system->beam_count; ++b) AC_TRY(beam_channels(m, &system->beams[b]));
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (!ac_row_is_ball(joint->row) || has_rotation(system, joint)) AC_TRY(joint_channels(m, joint));
    }
    if (m->forces) AC_TRY(force_channels(m, system));
    AC_TRY(contact_channels(m, system));
    AC_TRY(relation_channels(m, system));
    if (m->multipliers && system->constraints.count > 0)
        AC_TRY(add_channel(m, true, "multipliers", "1", "", system->constraints.count));
    if (m->momenta) AC_TRY(momentum_channels(m, system));
    if (m->massive.matrix) AC_TRY(add_channel(m, true, "energy/hamiltonian_massive", "J", "", 1));
    if (m->energies) AC_TRY(energy_channels(m));
    return m->reactions ? reaction_channels(m, system) : AC_OK;
}

/* --- making and freeing -------------------------------------------------------------------------------------------- */

ac_status ac_monitor_create(ac_monitor *m, const ac_stepper *stepper, const ac_simulation_settings *settings)
{
    const ac_system *system = stepper->system;
    m->ctx = stepper->ctx;
    m->multipliers = settings->multipliers;
    m->momenta = settings->momenta;
    m->energies = settings->energies;
    m->condition = settings->condition;
    m->forces = settings->forces;
    m->reactions = settings->reactions;
    copy3(settings->momentum_about, m->about);
    m->point_count = settings->momentum_point_count;
    for (int k = 0; k < m->point_count; ++k) copy3(settings->momentum_points[k].place, m->points[k]);
    AC_TRY(ac_legendre_create(m->ctx, system, m->multipliers || m->reactions, &m->legendre));
    if (m->momenta && system->beam_count > 0)
        AC_TRY(ac_massive_create(m->ctx, system, m->legendre.massless, &m->massive));
    AC_NEW(m->ctx, m->p, system->n);
    AC_NEW(m->ctx, m->velocity, system->n);
    AC_NEW(m->ctx, m->g, system->constraints.count);
    AC_NEW(m->ctx, m->lambda, system->constraints.count);
    return build_channels(m, system, settings);
}

void ac_monitor_destroy(ac_monitor *m)
{
    if (!m->ctx) return;
    ac_legendre_destroy(&m->legendre);
    ac_massive_destroy(m->ctx, &m->massive);
    for (int k = 0; k < m->text_count; ++k) ac_release(m->ctx, m->texts[k]);
    void *blocks[] = {m->node_channels, m->interval_channels, m->texts, m->p, m->velocity, m->g, m->lambda};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(m->ctx, blocks[k]);
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double *put_node(const ac_node *node, const double *q, const double *twist, double *at)
{
    const double *own = q + node->q;
    int d = node->dimension;
    for (int i = 0; i < d; ++i) *at++ = own[i];
    at = ac_node_put_orientation(node, own, at);
    for (int i = 0; i < d; ++i) *at++ = twist[i];
    for (int i = 3 - ac_node_turns(node); i < 3; ++i) *at++ = twist[3 + i];
    return at;
}

/* Rotation of frame b in frame a, as a rotation vector. */
static void relative_rotation(const ac_system *system, const ac_joint_data *joint, const double *q,
                              double theta[3])
{
    const ac_side *side[2] = {&joint->a, &joint->b};
    double axes[2][9], relative[9];
    for (int e = 0; e < 2; ++e) {
        memcpy(axes[e], side[e]->axes, sizeof axes[e]);
        if (side[e]->node == AC_GROUND) continue;
        const ac_node *node = &system->nodes[side[e]->node];
        double position[3], rotation[9];
        ac_node_get_pose(node, q + node->q, position, rotation);
        multiply3(rotation, side[e]->axes, axes[e]);
    }
    transposed_multiply3(axes[0], axes[1], relative);
    ac_rotation_log(relative, theta);
}

static double *put_joint(const ac_stepper *s, const ac_joint_data *joint, const double *q, double *at)
{
    const ac_system *system = s->system;
    if (ac_row_is_ball(joint->row)) {
        if (!has_rotation(system, joint)) return at;
        relative_rotation(system, joint, q, at);
        return at + 3;
    }
    for (int c = 0; c < ac_row_coordinates(joint->row); ++c) {
        double x[AC_ELEMENT_MAX];
        const ac_measure *measure = &system->measures[joint->first_measure + c];
        ac_measure_gather(system, measure, q, x);
        *at++ = ac_measure_evaluate(system, measure, x, s->winding[joint->first_measure + c], NULL, NULL);
    }
    return at;
}

/* The part of the step equation that the constraints carry, c h G^T lambda = p + left. At the last node no
 * step follows; there lambda is what makes the momentum consistent with the velocity constraints: h/2 G^T
 * lambda = D2 L_d - Q D2 L_d. */
static ac_status node_multipliers(ac_monitor *m, ac_stepper *s, const double *q, bool last)
{
    const ac_system *system = s->system;
    memset(m->lambda, 0, (size_t)system->constraints.count * sizeof *m->lambda);
    if (system->constraints.count == 0) return AC_OK;
    bool mean = s->scheme->at_mean;
    double factor = 1.0 / (ac_stepper_multiplier_factor(s) * s->h);
    if (last && !mean) factor = 2.0 / s->h;
    for (int i = 0; i < system->n; ++i) {
        double carried = last && !mean ? m->handed[i] - m->legendre.projected[i] : s->p[i] + s->left[i];
        m->velocity[i] = factor * carried;
    }
    ac_relations_take_off(s, mean ? s->interval.mean : q, last, factor, m->velocity);
    return ac_legendre_multipliers(&m->legendre, mean ? s->interval.mean : q, m->velocity, m->lambda);
}

static double *put_action(const ac_action *action, bool force, bool torque, double *at)
{
    copy3(action->place, at);
    at += 3;
    if (force) {
        copy3(action->force, at);
        at += 3;
    }
    if (!torque) return at;
    copy3(action->torque, at);
    return at + 3;
}

static double *put_forces(const ac_monitor *m, const ac_stepper *s, const double *q, double t, double *at)
{
    const ac_system *system = s->system;
    ac_action action;
    for (int k = 0; k < system->load_count; ++k) {
        bool turns = ac_load_turns(system, k);
        ac_load_action(system, k, t, q, s->winding, 1.0, &action);
        at = put_action(&action, !turns, turns, at);
    }
    for (int k = 0; k < system->spring_count; ++k) {
        bool turns = ac_measure_turns(system, system->springs[k].measure);
        ac_spring_action(system, k, q, m->legendre.velocity, s->winding, &action);
        at = put_action(&action, !turns, turns, at);
    }
    return at;
}

/* Contacts at q; the forces are those of the newest node that has a step after it. */
static double *put_contacts(const ac_monitor *m, const ac_stepper *s, const double *q, double *at)
{
    const ac_system *system = s->system;
    for (int c = 0; s->impacts && c < system->contact_count; ++c) {
        const ac_contact *contact = &system->contacts[c];
        const ac_touch *touch = &s->impacts->touches[c];
        double normal[3];
        *at++ = ac_gap_value(system, contact, q, s->winding, NULL);
        *at++ = touch->normal_force;
        if (contact->surface == AC_SURFACE_LIMIT || !m->forces) continue;
        ac_gap_place(system, contact, q, at, normal);
        copy3(touch->force, at + 3);
        at += 6;
    }
    return at;
}

static double *put_relations(const ac_stepper *s, double t, bool last, double *at)
{
    const ac_system *system = s->system;
    for (int k = 0; k < system->relations.count; ++k) {
        const ac_relation_data *r = &system->relations.list[k];
        double force = ac_relations_force(s, k, last);
        *at++ = force / r->unit;
        if (r->kind != AC_RELATION_CONSTANT) *at++ = force * ac_relation_rate(r, t);
    }
    return at;
}

static void put_reactions(const ac_monitor *m, const ac_system *system, const double *q, double *at)
{
    for (int j = 0; j < system->joint_count; ++j) {
        ac_action action;
        ac_joint_action(system, j, q, m->lambda, &action);
        at = put_action(&action, true, ac_joint_turns(&system->joints[j]), at);
    }
}

/* P^T f for the forces f on the coordinates, in the convention of the stepper. */
static void put_projected(ac_monitor *m, const ac_stepper *s, const double *q, const double *f, double *at)
{
    (s->decoupled ? ac_decoupled_project : ac_tree_project)(s->system, m->legendre.columns, q, f,
                                                            m->legendre.own, at);
}

/* Momenta, velocities and loads, as the null space matrix gives them. */
static double *put_momenta(ac_monitor *m, const ac_stepper *s, const double *q, double t, double *at)
{
    const ac_system *system = s->system;
    size_t n = (size_t)system->n, freedoms = (size_t)system->tree.freedoms;
    memcpy(at, m->p, n * sizeof *at);
    memcpy(at + n, m->legendre.projected, n * sizeof *at);
    at += 2 * n;
    if (freedoms == 0) return at;
    ac_legendre_columns(&m->legendre, q); /* multipliers may have left those of another q */
    put_projected(m, s, q, m->p, at);
    at += freedoms;
    memcpy(at, m->legendre.u, freedoms * sizeof *at);
    if (s->decoupled)
        ac_decoupled_rates(system, m->legendre.columns, q, m->legendre.u, m->legendre.twists, at);
    at += freedoms;
    if (!ac_is_loaded(system)) return at;
    memset(m->velocity, 0, n * sizeof *m->velocity);
    ac_loads_add(system, t, 0.0, q, s->winding, 1.0, m->velocity);
    put_projected(m, s, q, m->velocity, at);
    return at + freedoms;
}

/* What needs no projection, the head of a row for node q with momentum m->p; returns the place after it. */
static double *put_watched(ac_monitor *m, const ac_stepper *s, const double *q, double t, bool last,
                           double *at)
{
    const ac_system *system = s->system;
    ac_inverse_mass_apply(&m->legendre, m->p, m->velocity);
    double potential = ac_potential_energy(system, q, s->winding);
    double kinetic = 0.5 * dot(system->n, m->p, m->velocity);
    at[TIME] = t;
    at[HAMILTONIAN] = kinetic + potential;
    at[KINETIC] = kinetic;
    at[POTENTIAL] = potential;
    ac_momentum_maps(system, q, m->p, m->about, at + LINEAR, at + ANGULAR);
    at[CONSTRAINTS] = ac_largest_violation(system, q, m->g);
    at[HIDDEN_CONSTRAINTS] = ac_largest_rate(system, q, m->velocity, m->legendre.massless);
    at += HEAD;
    if (is_driven(system)) *at++ = ac_relations_work(s, last);
    return at;
}

/* The kinetic energy of places and of turns, the potential of gravity and of everything else; p and the velocity are those of the row. */
static void find_energies(const ac_monitor *m, const ac_system *system, const double *q, const double *row,
                          double parts[ENERGY_PARTS])
{
    double translation = 0.0, gravity = ac_gravity_energy(system, q);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        translation += 0.5 * dot(node->dimension, m->p + node->q, m->velocity + node->q);
    }
    parts[0] = translation;
    parts[1] = row[KINETIC] - translation;
    parts[2] = gravity;
    parts[3] = row[POTENTIAL] - gravity;
}

/* One row for node q with momentum m->p. */
static ac_status put_row(ac_monitor *m, ac_stepper *s, const double *q, double t, bool last, double *row)
{
    const ac_system *system = s->system;
    AC_TRY(ac_legendre_project(&m->legendre, q, m->p));
    double *at = put_watched(m, s, q, t, last, row), potential = row[POTENTIAL];
    row[HAMILTONIAN_PROJECTED] = 0.5 * dot(system->n, m->legendre.projected, m->legendre.velocity) +
                                 potential;
    double parts[ENERGY_PARTS] = {0.0};
    if (m->energies) find_energies(m, system, q, row, parts); /* before the velocity is used for others */
    for (int k = 0; k < m->point_count; ++k, at += 3) {
        double linear[3];
        ac_momentum_maps(system, q, m->p, m->points[k], linear, at);
    }
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam < 0) at = put_node(&system->nodes[i], q, m->legendre.twists + 6 * i, at);
    for (int b = 0; b < system->beam_count; ++b)
        at = ac_beam_put_row(system, &system->beams[b], q, m->legendre.twists, at);
    for (int j = 0; j < system->joint_count; ++j) at = put_joint(s, &system->joints[j], q, at);
    if (m->forces) at = put_forces(m, s, q, t, at);
    at = put_contacts(m, s, q, at);
    at = put_relations(s, t, last, at);
    if (m->multipliers || m->reactions) AC_TRY(node_multipliers(m, s, q, last));
    if (m->multipliers) {
        memcpy(at, m->lambda, (size_t)system->constraints.count * sizeof *at);
        at += system->constraints.count;
    }
    if (m->momenta) at = put_momenta(m, s, q, t, at);
    if (m->massive.matrix) {
        AC_TRY(ac_massive_energy(&m->massive, q, m->p, at));
        *at++ += potential;
    }
    for (int k = 0; m->energies && k < ENERGY_PARTS; ++k) *at++ = parts[k];
    if (m->reactions) put_reactions(m, system, q, at);
    return AC_OK;
}

/* The momentum of the left node, p_n = p - h_before/2 G^T lambda where the constraints carry (h_before + h)/2 G^T lambda = p + left: the
 * mean of both sides when the steps beside the node are equal, p itself at the start and after an impact. */
static void take_momentum(ac_monitor *m, const ac_stepper *s)
{
    double part = s->scheme->at_mean ? 0.0 : s->h_before / (s->h_before + s->h);
    for (int i = 0; i < s->system->n; ++i) m->p[i] = s->p[i] - part * (s->p[i] + s->left[i]);
    ac_relative_lift(s->system, s->qa, m->p);
}

void ac_monitor_restart(ac_monitor *m)
{
    m->stale = true;
}

static void refresh(ac_monitor *m, const ac_stepper *s)
{
    if (!m->stale) return;
    m->stale = false;
    ac_legendre_restart(&m->legendre);
    if (m->massive.matrix) ac_massive_restart(&m->massive, s->system);
}

ac_status ac_monitor_node(ac_monitor *m, ac_stepper *s, double *row)
{
    refresh(m, s);
    take_momentum(m, s);
    return put_row(m, s, s->qa, s->t, false, row);
}

void ac_monitor_watch_node(ac_monitor *m, const ac_stepper *s, double *row)
{
    refresh(m, s);
    take_momentum(m, s);
    put_watched(m, s, s->qa, s->t, false, row);
}

ac_status ac_monitor_last_node(ac_monitor *m, ac_stepper *s, bool solved, double *row)
{
    const double *q = solved ? s->qb : s->qa, *p = solved ? s->right : s->p;
    double t = solved ? s->end : s->t;
    refresh(m, s);
    m->handed = p;
    if (!s->scheme
             ->at_mean) { /* the constrained momentum would need a further step: the projected one stands for it */
        AC_TRY(ac_legendre_project(&m->legendre, q, p));
        p = m->legendre.projected;
        if (s->impacts) {
            AC_TRY(ac_impacts_project(s, q, p, m->p));
            p = m->p;
        }
    }
    if (p != m->p) memcpy(m->p, p, (size_t)s->system->n * sizeof *m->p);
    if (s->relations && !s->scheme->at_mean) AC_TRY(ac_relations_project(s, &m->legendre, q, t, m->p));
    ac_relative_lift(s->system, q, m->p);
    return put_row(m, s, q, t, true, row);
}

static ac_status condition_number(const ac_monitor *m, ac_stepper *s, double *condition)
{
    double *matrix;
    int size;
    AC_TRY(s->formulation->matrix(s, &matrix, &size));
    ac_status status = ac_condition_number(m->ctx, size, matrix, condition);
    ac_release(m->ctx, matrix);
    return status;
}

ac_status ac_monitor_interval(ac_monitor *m, ac_stepper *s, double *row)
{
    const ac_system *system = s->system;
    const ac_interval *iv = &s->interval;
    double kinetic = ac_stepper_kinetic(s), potential = s->scheme->potential(iv);
    *row++ = s->t + 0.5 * s->h;
    *row++ = kinetic + potential;
    *row++ = kinetic;
    *row++ = potential;
    *row++ = ac_largest_rate(system, iv->mean, iv->velocity, NULL);
    *row++ = sqrt(dot(system->n, iv->velocity, iv->velocity));
    *row++ = s->last.iterations;
    *row++ = s->last.retries;
    *row++ = s->last.residual;
    if (m->condition) AC_TRY(condition_number(m, s, row));
    return AC_OK;
}
