/* The resolution adviser.
 *
 * The momentum of directors that turn by an angle a in a step is J sin(a) / h, so a body of angular velocity w turns by
 * a with sin(a) = h w, too fast by a / sin(a) - 1: 1.7 % at 20 steps for a turn, and no a at all belongs to h w > 1. Places far from the origin are rounded, and a damper that
 * stops its motion within less than a step rings (reversals.h); both may show as energy from nowhere. Oscillations by springs
 * and joint forces follow from the stiffness (observe/fastest.h), loads are compared with their values at both ends of a step.
 */
#include "task/resolution.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "action/inertia.h"
#include "base/signal.h"
#include "base/vector.h"
#include "math/math.h"

enum { FEW_STEPS = 20, MANY_NODES = 500, SELDOM = 16, OFTEN = 1024, FINEST = 1024, SAMPLES = 13 };
static const double PI = 3.14159265358979323846;
/* Rounding of places counts from FINE of the typical length on: from NOISY of the motion in a step it is remarked; from
 * COARSE of the length and LOST of the motion on nothing is left of it. */
static const double FINE = 1e-9, NOISY = 1e-3, COARSE = 1e-4, LOST = 0.1;
static const double FEATURE = 0.1; /* of a load: by how much its mean over a step exceeds both ends */

ac_status ac_resolution_open(ac_resolution *r, ac_context *ctx, const ac_system *system, double h)
{
    *r = (ac_resolution){.system = system, .h = h, .node = AC_GROUND, .load = -1, .fastest.node = AC_GROUND};
    return ac_reversals_open(&r->reversals, ctx, system);
}

void ac_resolution_close(ac_resolution *r)
{
    ac_reversals_close(&r->reversals);
}

/* Cosine of the angle between two orientations. */
static double turn_cosine(const ac_node *node, const double *a, const double *b)
{
    double x[3], from[9], to[9];
    ac_node_get_pose(node, a + node->q, x, from);
    ac_node_get_pose(node, b + node->q, x, to);
    return 0.5 * (dot3(from, to) + dot3(from + 3, to + 3) + dot3(from + 6, to + 6) - 1.0);
}

static void watch_turns(ac_resolution *r, const ac_simulation *simulation)
{
    const double *a = ac_simulation_previous(simulation), *b = ac_simulation_configuration(simulation);
    const ac_system *system = r->system;
    if (r->steps % SELDOM != 0 && system->node_count > MANY_NODES) return;
    double least = ac_cos(r->turn);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int c = 0; c < node->dimension; ++c) {
            r->far = ac_max(r->far, fabs(b[node->q + c]));
            r->moved = ac_max(r->moved, fabs(b[node->q + c] - a[node->q + c]));
        }
        if (ac_node_turns(node) == 0 || node->beam >= 0) continue;
        double cosine = turn_cosine(node, a, b);
        if (!(cosine < least)) continue;
        least = cosine;
        r->turn = ac_acos(ac_max(cosine, -1.0));
        r->node = i;
    }
}

/* How far the mean of a signal over [t, t + h] is outside of its values at both ends; of one that is sampled in the middle how far
 * its value there is, too, which stands for the mean. */
static double excess(const ac_signal *signal, double t, double h, double *mean)
{
    double a = ac_signal_value(signal, t), b = ac_signal_value(signal, t + h), low = ac_min(a, b),
           high = ac_max(a, b), over = 0.0, sum = 0.0;
    *mean = ac_signal_mean(signal, t, h);
    over = ac_max(*mean - high, low - *mean);
    if (!ac_signal_is_sampled(signal)) return over;
    for (int k = 0; k < SAMPLES; ++k) sum += ac_signal_value(signal, t + h * (k + 0.5) / SAMPLES) / SAMPLES;
    return ac_max(over, ac_max(sum - high, low - sum));
}

/* The longest part of the step in which the signal no longer rises and falls. */
static double resolving_part(const ac_signal *signal, double t, double h, double scale)
{
    for (int parts = 2; parts <= FINEST; parts *= 2) {
        bool resolved = true;
        double mean;
        for (int k = 0; k < parts && resolved; ++k)
            resolved = excess(signal, t + h * k / parts, h / parts, &mean) <=
                       FEATURE * ac_max(scale, fabs(mean));
        if (resolved) return h / parts;
    }
    return h / FINEST;
}

/* A load that rises and falls inside of one step: its shape is lost, sampled in the middle also its impulse. */
static void watch_loads(ac_resolution *r, double t)
{
    for (int k = 0; k < r->system->load_count; ++k) {
        const ac_load_data *load = &r->system->loads[k];
        for (int c = 0; c < 3 && !load->constant; ++c) {
            const ac_signal *signal = load->value[c];
            double mean, over;
            if (!signal) continue;
            over = excess(signal, t, r->h, &mean);
            r->load_scale = ac_max(r->load_scale, fabs(mean));
            if (!(over > FEATURE * r->load_scale)) continue;
            double part = resolving_part(signal, t, r->h, r->load_scale);
            if (r->load >= 0 && part >= r->feature) continue;
            r->load = k;
            r->feature = part;
            r->feature_time = t;
        }
    }
}

/* Products with a stiffness cost as much as some steps: at the start, and then seldom. */
static ac_status watch_oscillations(ac_resolution *r, ac_simulation *simulation)
{
    ac_fastest now;
    if (r->system->beam_count > 0 || (r->steps != 0 && r->steps % OFTEN != 0)) return AC_OK;
    AC_TRY(ac_simulation_fastest(simulation, &now));
    if (now.all > r->fastest.all) r->fastest = now;
    return AC_OK;
}

ac_status ac_resolution_watch(ac_resolution *r, ac_simulation *simulation)
{
    watch_turns(r, simulation);
    watch_loads(r, ac_simulation_time(simulation) - r->h);
    AC_TRY(watch_oscillations(r, simulation));
    ++r->steps;
    return ac_reversals_watch(&r->reversals, simulation);
}

/* Rounding of the largest coordinate. */
static double rounding(const ac_resolution *r)
{
    return DBL_EPSILON * r->far;
}

/* How far anything moves in a step. */
static double motion(const ac_resolution *r)
{
    return ac_max(r->moved, r->turn * r->system->length_scale);
}

static bool rounds_by(const ac_resolution *r, double of_length, double of_motion)
{
    return r->steps > 0 && rounding(r) > of_length * r->system->length_scale &&
           rounding(r) > of_motion * motion(r);
}

static bool rounding_text(const ac_resolution *r, char *text, size_t size)
{
    if (!rounds_by(r, FINE, NOISY)) return false;
    snprintf(text, size,
             "coordinates of %.2g m are rounded to %.2g m, which is %.2g %% of the largest motion in a step: "
             "place the system near the origin",
             r->far, rounding(r), ac_min(100.0, 100.0 * rounding(r) / motion(r)));
    return true;
}

ac_status ac_resolution_refuse(ac_context *ctx, const ac_resolution *r)
{
    if (!rounds_by(r, COARSE, LOST)) return AC_OK;
    return ac_fail(ctx, AC_NOT_CONVERGED,
                   "rounding destroys the motion: coordinates of %.2g m are rounded to %.2g m, and nothing "
                   "moves by more than %.2g m in a step: place the system near the origin",
                   r->far, rounding(r), motion(r));
}

double ac_resolution_energy(const ac_resolution *r)
{
    double speed = DBL_EPSILON * ac_max(r->far, r->system->length_scale) / r->h;
    return ac_total_mass(r->system) * speed * speed;
}

bool ac_resolution_cause(ac_resolution *r, const ac_simulation *simulation, char *text, size_t size)
{
    if (rounding_text(r, text, size)) return true;
    ac_reversals_search(&r->reversals, simulation);
    return ac_reversals_damper(&r->reversals, text, size);
}

static void remark_turns(const ac_resolution *r, ac_summary *summary)
{
    char node[AC_NODE_WORDS];
    if (r->node == AC_GROUND || !(r->turn > 2.0 * PI / FEW_STEPS)) return;
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "%s turns by %.2g rad in one step, %.1f steps for a turn: it turns too fast by %s%.2g %%; "
        "a step of %.2g s makes %d",
        ac_node_words(r->system, r->node, node), r->turn, 2.0 * PI / r->turn,
        r->turn < 0.5 * PI ? "about " : "more than ",
        100.0 * (ac_min(r->turn, 0.5 * PI) / ac_sin(ac_min(r->turn, 0.5 * PI)) - 1.0),
        r->h * 2.0 * PI / FEW_STEPS / r->turn, FEW_STEPS);
}

/* With the midpoint and trapezoidal schemes the period of an oscillation is wrong by (h omega)^2 / 24 and more. */
static void remark_oscillation(const ac_resolution *r, ac_summary *summary)
{
    char node[AC_NODE_WORDS];
    double part = r->h * r->fastest.all; /* rad in a step */
    bool joints = r->fastest.joints > 0.9 * r->fastest.all;
    if (r->fastest.node == AC_GROUND || !(part > 2.0 * PI / FEW_STEPS)) return;
    ac_summary_add(summary, "steps_per_oscillation", 2.0 * PI / part, "1");
    ac_summary_note(summary, AC_NOTE_REMARK,
                    "the fastest oscillation, by %s, most at %s, has a period of %.2g s: %.2g steps do not "
                    "resolve it; a step of %.2g s makes %d",
                    joints ? "the forces of the joints" : "a spring",
                    ac_node_words(r->system, r->fastest.node, node), 2.0 * PI / r->fastest.all,
                    2.0 * PI / part, r->h * 2.0 * PI / FEW_STEPS / part, FEW_STEPS);
}

static void remark_loads(const ac_resolution *r, ac_summary *summary)
{
    if (r->load < 0) return;
    const char *name = r->system->loads[r->load].name;
    bool named = name && name[0];
    char number[16];
    bool sampled = false;
    for (int c = 0; c < 3; ++c) {
        const ac_signal *signal = r->system->loads[r->load].value[c];
        sampled = sampled || (signal && ac_signal_is_sampled(signal));
    }
    snprintf(number, sizeof number, "%d", r->load + 1);
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "load %s%.80s%s rises and falls within one step at t = %.6g s: %s; a step of %.2g s resolves it",
        named ? "'" : "number ", named ? name : number, named ? "'" : "", r->feature_time,
        sampled ? "its value in the middle of the step stands for all of it"
                : "its impulse is exact, its shape is not",
        r->feature);
}

void ac_resolution_remarks(const ac_resolution *r, ac_summary *summary)
{
    char text[AC_REMARK_SIZE];
    if (!rounds_by(r, COARSE, LOST) && rounding_text(r, text, sizeof text))
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
    if (ac_reversals_damper(&r->reversals, text, sizeof text))
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
    ac_reversals_remarks(&r->reversals, r->h, summary);
    remark_turns(r, summary);
    remark_oscillation(r, summary);
    remark_loads(r, summary);
}
