/* A live simulation, see simulation.h. */
#include "live/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "action/inertia.h"
#include "action/load.h"
#include "actio/state.h"
#include "actio/values.h"
#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "observe/choice.h"
#include "observe/energy.h"
#include "observe/simulation.h"
#include "problem/build/build.h"
#include "problem/build/values.h"
#include "problem/tasks.h"
#include "tree/kinematics.h"

static const double PULL_FREQUENCY = 9.0; /* rad/s: how quickly a body comes when it is pulled */
static const double STABLE = 0.25;        /* of an impulse: stiffness h^2 / mass, damping h / mass */
static const double CLOSED = 1e-9;        /* residual of constraints that hold */

struct ac_live_simulation {
    ac_context *ctx;
    const ac_problem *problem;
    const ac_system *system;
    ac_values *values; /* NULL: no parameter can be set */
    ac_simulation *simulation;
    ac_state *state;
    int counts[2]; /* parameters, inputs */
    ac_live_slider sliders[2][AC_LIVE_SLIDERS];
    bool grabbed;
    int pulled; /* node, and the place on it relative to its reference point */
    double place[3], goal[3], force[3], distance;
    double *row, *g;
    int residual; /* place in a row; -1: none */
    ac_energy_watch energy;
    char message[256];
};

/* ---- parameters ---- */

/* Whether a parameter can be set on the finished system, and changes it. */
static bool can_be_set(const ac_live_simulation *s, const char *name)
{
    ac_values *values = NULL;
    bool works = ac_values_new(s->ctx, s->problem, &name, 1, &values) == AC_OK &&
                 values->slot_count + values->signal_count > 0;
    ac_values_free(values);
    return works;
}

static void add_slider(ac_live_simulation *s, bool input, const char *name, const char *unit, double value,
                       double low, double high, int measure)
{
    if (s->counts[input] == AC_LIVE_SLIDERS) return;
    ac_live_slider *to = &s->sliders[input][s->counts[input]++];
    *to = (ac_live_slider){
        .unit = unit, .first = value, .value = value, .low = low, .high = high, .measure = measure};
    snprintf(to->name, sizeof to->name, "%s", name);
}

static ac_status find_parameters(ac_live_simulation *s)
{
    ac_builder b;
    ac_system *system = NULL;
    ac_builder_begin(&b, s->ctx);
    ac_status status = ac_problem_describe(s->problem, &b, &system);
    for (const ac_value *p = status == AC_OK && b.root.parameters ? b.root.parameters->first : NULL; p;
         p = p->next) {
        double value;
        if (p->kind != AC_SCALAR || p->text[0] == '=' || !ac_parameter_number(&b.reader, p->key, &value))
            continue;
        if (!can_be_set(s, p->key)) continue;
        double size = value == 0.0 ? 1.0 : fabs(value);
        add_slider(s, false, p->key, "", value, value > 0.0 ? 0.0 : -3.0 * size,
                   value < 0.0 ? 0.0 : 3.0 * size, -1);
    }
    ac_system_free(system);
    ac_builder_end(&b);
    return status;
}

/* All of them together; if that cannot be, none. */
static ac_status make_values(ac_live_simulation *s)
{
    const char *names[AC_LIVE_SLIDERS];
    s->system = ac_problem_system(s->problem);
    for (int k = 0; k < s->counts[0]; ++k) names[k] = s->sliders[0][k].name;
    if (s->counts[0] == 0) return AC_OK;
    ac_status status = ac_values_new(s->ctx, s->problem, names, s->counts[0], &s->values);
    if (status == AC_NO_MEMORY) return status;
    if (status == AC_OK)
        s->system = ac_values_system(s->values);
    else
        s->counts[0] = 0;
    return AC_OK;
}

/* ---- inputs ---- */

/* A force or torque in every joint coordinate, up to what would lift everything. */
static void find_inputs(ac_live_simulation *s)
{
    double weight = 9.81 * ac_total_mass(s->system);
    for (int j = 0; j < s->system->joint_count; ++j) {
        const ac_joint_data *joint = &s->system->joints[j];
        if (joint->first_measure < 0 || ac_joint_is_ball(joint->type)) continue;
        for (int c = 0; c < ac_joint_coordinate_count(joint->type); ++c) {
            bool turns = ac_joint_coordinate_turns(joint->type, c);
            double most = weight * (turns ? s->system->length_scale : 1.0);
            char name[AC_LIVE_NAME];
            snprintf(name, sizeof name, "%.80s%s%s", joint->name, c > 0 ? ", " : "",
                     c > 0 ? (turns ? "angle" : "way") : "");
            add_slider(s, true, name, turns ? "N m" : "N", 0.0, -most, most, joint->first_measure + c);
        }
    }
}

/* ---- life ---- */

static int find_channel(const ac_live_simulation *s, const char *name)
{
    int count, place = 0;
    const ac_channel *channels = ac_simulation_node_channels(s->simulation, &count);
    for (int k = 0; k < count; ++k) {
        if (strcmp(channels[k].name, name) == 0) return place;
        place += channels[k].width;
    }
    return -1;
}

static ac_status open(ac_live_simulation *s)
{
    int count, width = 0;
    AC_TRY(find_parameters(s));
    AC_TRY(make_values(s));
    find_inputs(s);
    ac_simulation_settings settings = *ac_problem_simulation(s->problem);
    double joints;
    AC_TRY(ac_choose_scheme(s->ctx, ac_problem_system(s->problem), &settings, &joints));
    AC_TRY(ac_simulation_new(s->ctx, s->system, &settings, &s->simulation));
    if (ac_state_new(s->ctx, s->simulation, &s->state) == AC_NO_MEMORY) return ac_out_of_memory(s->ctx);
    const ac_channel *channels = ac_simulation_node_channels(s->simulation, &count);
    for (int k = 0; k < count; ++k) width += channels[k].width;
    AC_NEW(s->ctx, s->row, width);
    AC_NEW(s->ctx, s->g, s->system->constraints.count + 1);
    ac_energy_watch_open(&s->energy, s->simulation);
    s->residual = find_channel(s, "residual/constraints");
    return AC_OK;
}

ac_status ac_live_simulation_new(ac_context *ctx, const ac_problem *problem, ac_live_simulation **simulation)
{
    ac_live_simulation *s;
    AC_NEW(ctx, s, 1);
    s->ctx = ctx;
    s->problem = problem;
    ac_status status = open(s);
    if (status == AC_OK)
        *simulation = s;
    else
        ac_live_simulation_free(s);
    return status;
}

void ac_live_simulation_free(ac_live_simulation *s)
{
    if (!s) return;
    ac_state_free(s->state);
    ac_simulation_free(s->simulation);
    ac_values_free(s->values);
    ac_release(s->ctx, s->row);
    ac_release(s->ctx, s->g);
    ac_release(s->ctx, s);
}

/* ---- steps ---- */

static void place_at(const ac_live_simulation *s, const double *q, double place[3])
{
    const ac_node *node = &s->system->nodes[s->pulled];
    double origin[3], rotation[9], arm[3] = {0};
    ac_node_get_pose(node, q + node->q, origin, rotation);
    if (ac_node_turns(node) > 0) apply3(rotation, s->place, arm);
    for (int i = 0; i < 3; ++i) place[i] = origin[i] + arm[i];
}

/* A spring and a damper from the point to its goal, as stiff as impulses allow. */
static void pull(ac_live_simulation *s, double h, const double *before, const double *q, double *p)
{
    const ac_node *node = &s->system->nodes[s->pulled];
    double last[3], now[3], lightest = ac_max(node->mass, 1e-9);
    double mass = ac_max(lightest, 0.3 * ac_total_mass(s->system)),
           stiffness = mass * PULL_FREQUENCY * PULL_FREQUENCY, damping = 1.2 * mass * PULL_FREQUENCY;
    stiffness = ac_min(stiffness, STABLE * lightest / (h * h));
    damping = ac_min(damping, STABLE * lightest / h);
    place_at(s, before, last);
    place_at(s, q, now);
    s->distance = 0.0;
    for (int i = 0; i < 3; ++i) {
        double gap = i < node->dimension ? s->goal[i] - now[i] : 0.0;
        s->force[i] = stiffness * gap - damping * (now[i] - last[i]) / h;
        s->distance = ac_hypot(s->distance, gap);
    }
    ac_node_add_force(node, s->place, s->force, h, p + node->q);
}

static void push_joint(const ac_live_simulation *s, const ac_live_slider *input, double h, const double *q,
                       const double *winding, double *p)
{
    const ac_measure *m = &s->system->measures[input->measure];
    double x[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    ac_measure_gather(s->system, m, q, x);
    ac_measure_evaluate(s->system, m, x, winding[input->measure], f, NULL);
    for (int e = 0, at = 0; e < m->node_count; at += s->system->nodes[m->nodes[e++]].size) {
        const ac_node *node = &s->system->nodes[m->nodes[e]];
        for (int i = 0; i < node->size; ++i) p[node->q + i] += h * input->value * f[at + i];
    }
}

/* The momentum that the next step begins with gets the impulses of the user. */
static void kick(ac_live_simulation *s)
{
    ac_stepper *stepper = &s->simulation->stepper;
    memset(s->force, 0, sizeof s->force);
    if (!s->simulation->solved) return;
    if (s->grabbed) pull(s, stepper->h, stepper->qa, stepper->qb, stepper->right);
    for (int k = 0; k < s->counts[1]; ++k)
        if (s->sliders[1][k].value != 0.0)
            push_joint(s, &s->sliders[1][k], stepper->h, stepper->qb, stepper->winding, stepper->right);
}

bool ac_live_simulation_step(ac_live_simulation *s)
{
    if (s->message[0]) return false;
    kick(s);
    if (ac_simulation_step(s->simulation) == AC_OK) return true;
    snprintf(s->message, sizeof s->message, "%s", ac_context_message(s->ctx));
    return false;
}

void ac_live_simulation_reset(ac_live_simulation *s)
{
    s->message[0] = '\0';
    s->grabbed = false;
    if (ac_simulation_restart(s->simulation) != AC_OK)
        snprintf(s->message, sizeof s->message, "%s", ac_context_message(s->ctx));
}

/* ---- what the user does ---- */

void ac_live_simulation_grab(ac_live_simulation *s, int node, const double place[3])
{
    s->pulled = node;
    copy3(place, s->place);
    place_at(s, ac_simulation_configuration(s->simulation), s->goal);
    s->grabbed = true;
}

void ac_live_simulation_pull_to(ac_live_simulation *s, const double goal[3])
{
    copy3(goal, s->goal);
}

void ac_live_simulation_let_go(ac_live_simulation *s)
{
    s->grabbed = false;
    s->distance = 0.0;
}

int ac_live_sliders(const ac_live_simulation *s, bool inputs, const ac_live_slider **list)
{
    *list = s->sliders[inputs];
    return s->counts[inputs];
}

void ac_live_set_input(ac_live_simulation *s, int input, double value)
{
    ac_live_slider *slider = &s->sliders[1][input];
    slider->value = ac_min(slider->high, ac_max(slider->low, value));
}

/* The motion goes on from the state before, if its constraints hold in the changed system. */
static bool continue_motion(ac_live_simulation *s)
{
    const double *q = ac_state_configuration(s->state);
    double most = 0.0;
    ac_constraints_value(s->system, q, 0, s->g);
    for (int k = 0; k < s->system->constraints.count; ++k) most = ac_max(most, fabs(s->g[k]));
    return most <= CLOSED * ac_max(1.0, s->system->length_scale * s->system->length_scale) &&
           ac_simulation_set_state(s->simulation, s->state) == AC_OK;
}

/* All parameters at once. */
static bool set_parameters(ac_live_simulation *s, const double *numbers)
{
    bool moving = s->state && s->message[0] == '\0' && ac_simulation_steps_taken(s->simulation) > 0 &&
                  ac_simulation_get_state(s->simulation, s->state) == AC_OK;
    bool set = ac_values_set(s->values, numbers) == AC_OK; /* else the system is as it was */
    for (int k = 0; k < s->counts[0] && set; ++k) s->sliders[0][k].value = numbers[k];
    bool begun = ac_simulation_restart(s->simulation) == AC_OK;
    if (begun) s->message[0] = '\0';
    if (begun && moving) continue_motion(s);
    return set;
}

bool ac_live_set_parameter(ac_live_simulation *s, int parameter, double value)
{
    double numbers[AC_LIVE_SLIDERS];
    for (int k = 0; k < s->counts[0]; ++k) numbers[k] = k == parameter ? value : s->sliders[0][k].value;
    return set_parameters(s, numbers);
}

/* ---- recorded sessions ---- */

static int find_slider(const ac_live_simulation *s, bool input, const char *name)
{
    for (int k = 0; k < s->counts[input]; ++k)
        if (strcmp(s->sliders[input][k].name, name) == 0) return k;
    return -1;
}

static ac_status refuse_act(const ac_live_simulation *s, const ac_recorded *recorded, int number,
                            const char *reason)
{
    const ac_act *act = &recorded->acts[number];
    bool named;
    int numbers;
    return ac_fail(s->ctx, AC_BAD_INPUT, "event %d, %s at step %ld: %s %s", number + 1,
                   ac_act_word((int)act->kind, &named, &numbers), act->step, reason, act->name);
}

/* Parameters that are set one after the other count together: only their last values need to fit each other. */
static ac_status replay_parameters(ac_live_simulation *s, const ac_recorded *recorded, int *done)
{
    double numbers[AC_LIVE_SLIDERS];
    long step = recorded->acts[*done].step;
    int first = *done;
    for (int k = 0; k < s->counts[0]; ++k) numbers[k] = s->sliders[0][k].value;
    for (; *done < recorded->count; ++*done) {
        const ac_act *act = &recorded->acts[*done];
        if (act->step != step || act->kind != AC_ACT_SET || (step > 0 && *done > first)) break;
        int k = find_slider(s, false, act->name);
        if (k < 0) return refuse_act(s, recorded, *done, "there is no such parameter:");
        numbers[k] = act->x[0];
    }
    if (!set_parameters(s, numbers)) return AC_BAD_INPUT;
    if (ac_simulation_steps_taken(s->simulation) == step) return AC_OK;
    return refuse_act(s, recorded, first, "the motion would start again with another value of");
}

static ac_status replay_one(ac_live_simulation *s, const ac_recorded *recorded, int *done)
{
    const ac_act *act = &recorded->acts[*done];
    const double *x = act->x;
    int number;
    switch (act->kind) {
    case AC_ACT_SET: return replay_parameters(s, recorded, done);
    case AC_ACT_INPUT:
        number = find_slider(s, true, act->name);
        if (number < 0) return refuse_act(s, recorded, *done, "there is no such input:");
        ac_live_set_input(s, number, x[0]);
        break;
    case AC_ACT_GRAB:
        if (!(x[0] >= 0 && x[0] < s->system->node_count) || x[0] != floor(x[0]))
            return refuse_act(s, recorded, *done, "there is no such node");
        ac_live_simulation_grab(s, (int)x[0], x + 1);
        ac_live_simulation_pull_to(s, x + 4);
        break;
    case AC_ACT_MOVE: ac_live_simulation_pull_to(s, x); break;
    default: ac_live_simulation_let_go(s); break;
    }
    ++*done;
    return AC_OK;
}

ac_status ac_live_replay(ac_live_simulation *s, const ac_recorded *recorded, int *done)
{
    long step = ac_simulation_steps_taken(s->simulation);
    while (*done < recorded->count && recorded->acts[*done].step == step)
        AC_TRY(replay_one(s, recorded, done));
    return AC_OK;
}

uint64_t ac_live_checksum(const ac_live_simulation *s)
{
    const ac_stepper *stepper = &s->simulation->stepper;
    bool solved = s->simulation->solved;
    uint64_t sum = ac_checksum_numbers(UINT64_C(1469598103934665603), solved ? stepper->qb : stepper->qa,
                                       s->system->n);
    return ac_checksum_numbers(sum, solved ? stepper->right : stepper->p, s->system->n);
}

ac_simulation *ac_live_integrator(const ac_live_simulation *s)
{
    return s->simulation;
}

/* ---- what is seen ---- */

ac_live_reading ac_live_read(ac_live_simulation *s)
{
    ac_live_reading r = {.t = ac_simulation_time(s->simulation),
                         .step = s->simulation->stepper.h,
                         .steps = ac_simulation_steps_taken(s->simulation),
                         .force = norm3(s->force),
                         .distance = s->distance,
                         .message = s->message};
    if (!s->simulation->solved) return r;
    bool whole = ac_simulation_node_row(s->simulation, false, s->row) == AC_OK;
    if (!whole) ac_simulation_watch_node(s->simulation, s->row);
    ac_energy_watch_row(&s->energy, s->row, whole);
    r.energy = s->row[ac_energy_is_across(&s->energy) ? s->energy.projected : s->energy.hamiltonian];
    if (s->residual >= 0) r.residual = s->row[s->residual];
    return r;
}

void ac_live_pose(const ac_live_simulation *s, int node, double position[3], double rotation[9])
{
    const ac_node *n = &s->system->nodes[node];
    ac_node_get_pose(n, ac_simulation_configuration(s->simulation) + n->q, position, rotation);
}
