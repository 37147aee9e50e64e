/* A simulation: the stepper together with what is observed of it. */
#include <math.h>
#include <string.h>

#include "observe/simulation.h"
#include "action/beam/beam_trouble.h"
#include "action/load.h"
#include "integrate/extended.h"
#include "integrate/impacts/impacts.h"
#include "action/spring_ends.h"
#include "integrate/state.h"

void ac_simulation_defaults(ac_simulation_settings *settings)
{
    *settings = (ac_simulation_settings){
        .scheme = "auto",
        .formulation = "auto",
        .step = 1e-3,
        .steps = 1000,
        .tolerance = 1e-15,
        .max_iterations = 30,
        .turn_limit = 1.2,
        .forces = true,
    };
}

static ac_status check_settings(ac_context *ctx, const ac_simulation_settings *settings)
{
    if (!(settings->step > 0.0) || !isfinite(settings->step)) {
        return ac_fail(ctx, AC_BAD_INPUT, "the time step must be positive");
    }
    if (settings->steps < 0) return ac_fail(ctx, AC_BAD_INPUT, "the number of steps must not be negative");
    if (!(settings->tolerance > 0.0)) return ac_fail(ctx, AC_BAD_INPUT, "the tolerance must be positive");
    if (settings->max_iterations < 1) return ac_fail(ctx, AC_BAD_INPUT, "at least one iteration is needed");
    if (!(settings->turn_limit > 0.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the limit of turns must be positive");
    return AC_OK;
}

static ac_status create(ac_simulation *sim, ac_context *ctx, const ac_system *system,
                        const ac_simulation_settings *settings)
{
    if (!system->finished) return ac_fail(ctx, AC_BAD_INPUT, "the system is not finished");
    AC_TRY(check_settings(ctx, settings));
    AC_TRY(ac_stepper_create(&sim->stepper, ctx, system, settings));
    return ac_monitor_create(&sim->monitor, &sim->stepper, settings);
}

ac_status ac_simulation_new(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                            ac_simulation **simulation)
{
    ac_simulation *sim;
    AC_NEW(ctx, sim, 1);
    sim->ctx = ctx;
    ac_status status = create(sim, ctx, system, settings);
    if (status != AC_OK) {
        ac_simulation_free(sim);
        return status;
    }
    *simulation = sim;
    return AC_OK;
}

void ac_simulation_free(ac_simulation *sim)
{
    if (!sim) return;
    ac_monitor_destroy(&sim->monitor);
    ac_stepper_destroy(&sim->stepper);
    ac_release(sim->ctx, sim);
}

ac_status ac_simulation_step(ac_simulation *sim)
{
    ac_stepper *s = &sim->stepper;
    if (sim->solved) {
        ac_impacts_advance(s);
        ac_stepper_advance(s);
    }
    sim->solved = false;
    AC_TRY(s->impacts ? ac_impacts_solve(s) : s->extended ? ac_extended_solve(s) : ac_stepper_solve(s));
    sim->solved = true;
    return AC_OK;
}

long ac_simulation_steps_taken(const ac_simulation *sim)
{
    return sim->stepper.step + (sim->solved ? 1 : 0);
}

double ac_simulation_time(const ac_simulation *sim)
{
    return sim->solved ? sim->stepper.end : sim->stepper.t;
}

long ac_simulation_mesh_steps(const ac_simulation *sim)
{
    if (sim->stepper.extended) return ac_extended_mesh_steps(&sim->stepper, ac_simulation_time(sim));
    if (!sim->stepper.impacts) return ac_simulation_steps_taken(sim);
    return ac_impacts_mesh_steps(&sim->stepper, sim->solved);
}

int ac_simulation_contact_events(const ac_simulation *sim)
{
    return sim->stepper.impacts ? sim->stepper.impacts->event_count : 0;
}

const ac_contact_event *ac_simulation_contact_event(const ac_simulation *sim, int number)
{
    bool there = number >= 0 && number < ac_simulation_contact_events(sim);
    return there ? &sim->stepper.impacts->events[number] : NULL;
}

int ac_simulation_contact_violations(const ac_simulation *sim)
{
    ac_contact_violation lasting;
    if (!sim->stepper.impacts) return 0;
    int count = 0;
    while (ac_impacts_doubt(sim->stepper.impacts, count, &lasting)) ++count;
    return sim->stepper.impacts->ended_count + count;
}

ac_contact_violation ac_simulation_contact_violation(const ac_simulation *sim, int number)
{
    ac_contact_violation found = {.contact = -1};
    const ac_impacts *im = sim->stepper.impacts;
    if (!im || number < 0) return found;
    if (number < im->ended_count) return im->ended[number];
    ac_impacts_doubt(im, number - im->ended_count, &found);
    return found;
}

bool ac_simulation_contact_remark(const ac_simulation *sim, int k, char *text, size_t size)
{
    char unread[1];
    bool wanted = text && size > 0;
    return sim->stepper.impacts &&
           ac_impacts_remark(sim->stepper.impacts, k, wanted ? text : unread, wanted ? size : sizeof unread);
}

int ac_simulation_unknowns(const ac_simulation *sim)
{
    return sim->stepper.formulation->unknowns(&sim->stepper);
}

double ac_simulation_largest_bend(const ac_simulation *sim)
{
    return sim->stepper.bends.largest;
}

double ac_simulation_yielding_bend(const ac_simulation *sim)
{
    return sim->stepper.bends.yielding;
}

bool ac_simulation_kink(const ac_simulation *sim, char *text, size_t size)
{
    char unread[1];
    bool wanted = text && size > 0;
    return ac_seen_kink_text(sim->stepper.system, &sim->stepper.bends.kink, wanted ? text : unread,
                             wanted ? size : sizeof unread);
}

bool ac_simulation_spring_trouble(const ac_simulation *sim, char *text, size_t size)
{
    const ac_stepper *s = &sim->stepper;
    return ac_spring_trouble(s->system, s->qa, sim->solved ? s->qb : s->qa, text, size);
}

const char *ac_simulation_scheme(const ac_simulation *sim)
{
    return sim->stepper.scheme->name;
}

const char *ac_simulation_formulation(const ac_simulation *sim)
{
    return sim->stepper.formulation->name;
}

const double *ac_simulation_configuration(const ac_simulation *sim)
{
    return sim->solved ? sim->stepper.qb : sim->stepper.qa;
}

const double *ac_simulation_previous(const ac_simulation *sim)
{
    return sim->solved ? sim->stepper.qa : sim->stepper.before;
}

const ac_channel *ac_simulation_node_channels(const ac_simulation *sim, int *count)
{
    *count = sim->monitor.node_count;
    return sim->monitor.node_channels;
}

const ac_channel *ac_simulation_interval_channels(const ac_simulation *sim, int *count)
{
    *count = sim->monitor.interval_count;
    return sim->monitor.interval_channels;
}

ac_status ac_simulation_node_row(ac_simulation *sim, bool last, double *row)
{
    /* without a solved interval the newest node is the left one, and its momentum is what was handed to it */
    if (last) return ac_monitor_last_node(&sim->monitor, &sim->stepper, sim->solved, row);
    return ac_monitor_node(&sim->monitor, &sim->stepper, row);
}

void ac_simulation_watch_node(ac_simulation *sim, double *row)
{
    ac_monitor_watch_node(&sim->monitor, &sim->stepper, row);
}

ac_status ac_simulation_interval_row(ac_simulation *sim, double *row)
{
    return ac_monitor_interval(&sim->monitor, &sim->stepper, row);
}

bool ac_simulation_keeps_energy(const ac_simulation *sim)
{
    return sim->stepper.scheme->at_mean;
}

double ac_simulation_load_work(const ac_simulation *sim)
{
    const ac_stepper *s = &sim->stepper;
    const ac_interval *iv = &s->interval;
    double *force = s->scratch[0], work = 0.0;
    if (!ac_is_loaded(s->system)) return 0.0;
    memset(force, 0, (size_t)s->system->n * sizeof *force);
    ac_loads_add(s->system, s->t, s->h, iv->mean, s->winding, 1.0, force);
    for (int i = 0; i < s->system->n; ++i) work += force[i] * (s->qb[i] - s->qa[i]);
    return work;
}

ac_status ac_state_new(ac_context *ctx, ac_simulation *sim, ac_state **state)
{
    return ac_stepper_new_state(ctx, &sim->stepper, sim->solved, state);
}

ac_status ac_simulation_get_state(ac_simulation *sim, ac_state *state)
{
    return ac_stepper_get_state(&sim->stepper, sim->solved, state);
}

ac_status ac_simulation_set_state(ac_simulation *sim, const ac_state *state)
{
    AC_TRY(ac_stepper_set_state(&sim->stepper, state));
    sim->solved = false;
    return AC_OK;
}

ac_status ac_simulation_restart(ac_simulation *sim)
{
    sim->solved = false;
    ac_monitor_restart(&sim->monitor);
    return ac_stepper_restart(&sim->stepper);
}
