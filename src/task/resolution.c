/* The resolution adviser.
 *
 * A body that turns by an angle a in one step is known after n steps with an error of about n a^3 / 12 in its angle: at
 * 20 steps for a turn the angular velocity is wrong by 0.8 %. Places far from the origin are rounded, and a damper that
 * stops its motion within less than a step rings; both show as energy from nowhere.
 */
#include "task/resolution.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/vector.h"

enum { FEW_STEPS = 20, MANY_NODES = 500, SELDOM = 16 };
static const double PI = 3.14159265358979323846;
static const double ROUNDED = 1e-6;   /* of the typical length: places rounded by more spoil a motion */
static const double OVERDAMPED = 100; /* damping times step beside the inertia that it could stop */

void ac_resolution_open(ac_resolution *r, const ac_system *system, double h)
{
    *r = (ac_resolution){.system = system, .h = h, .node = AC_GROUND};
}

/* Cosine of the angle between two orientations. */
static double turn_cosine(const ac_node *node, const double *a, const double *b)
{
    double x[3], from[9], to[9];
    ac_node_get_pose(node, a + node->q, x, from);
    ac_node_get_pose(node, b + node->q, x, to);
    return 0.5 * (dot3(from, to) + dot3(from + 3, to + 3) + dot3(from + 6, to + 6) - 1.0);
}

void ac_resolution_watch(ac_resolution *r, const ac_simulation *simulation)
{
    const double *a = ac_simulation_previous(simulation), *b = ac_simulation_configuration(simulation);
    const ac_system *system = r->system;
    if (r->steps++ % SELDOM != 0 && system->node_count > MANY_NODES) return;
    double least = cos(r->turn);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int c = 0; c < node->dimension; ++c) r->far = fmax(r->far, fabs(b[node->q + c]));
        if (ac_node_turns(node) == 0 || node->beam >= 0) continue;
        double cosine = turn_cosine(node, a, b);
        if (!(cosine < least)) continue;
        least = cosine;
        r->turn = acos(fmax(cosine, -1.0));
        r->node = i;
    }
}

/* A damper whose motion stops within far less than a step. */
static const ac_spring_data *overdamped(const ac_resolution *r)
{
    const ac_system *system = r->system;
    double mass = 0.0;
    for (int i = 0; i < system->node_count; ++i) mass += system->nodes[i].mass;
    for (int k = 0; k < system->spring_count; ++k) {
        const ac_spring_data *s = &system->springs[k];
        bool turns = system->measures[s->measure].kind == AC_MEASURE_ANGLE;
        double inertia = turns ? mass * system->length_scale * system->length_scale : mass;
        if (s->damping * r->h > OVERDAMPED * inertia) return s;
    }
    return NULL;
}

bool ac_resolution_cause(const ac_resolution *r, char *text, size_t size)
{
    double rounded = DBL_EPSILON * r->far;
    const ac_spring_data *damper = overdamped(r);
    if (rounded > ROUNDED * r->system->length_scale) {
        snprintf(text, size,
                 "coordinates of %.2g m are rounded to %.2g m, and the motion with them: draw the system "
                 "near the origin",
                 r->far, rounded);
        return true;
    }
    if (!damper) return false;
    snprintf(text, size,
             "the damper %s%.80s%s stops its motion within far less than a step, which then rings from step "
             "to step: use a "
             "smaller step or less damping",
             damper->name[0] ? "'" : "", damper->name, damper->name[0] ? "'" : "");
    return true;
}

void ac_resolution_remarks(const ac_resolution *r, ac_summary *summary)
{
    char node[AC_NODE_WORDS];
    if (r->node == AC_GROUND || !(r->turn > 2.0 * PI / FEW_STEPS)) return;
    ac_summary_note(summary, AC_NOTE_REMARK,
                    "%s turns by %.2g rad in one step, %.1f steps for a turn: its speed is wrong by about "
                    "%.1g %%; a step "
                    "of %.2g s makes %d",
                    ac_node_words(r->system, r->node, node), r->turn, 2.0 * PI / r->turn,
                    100.0 * (2.0 * tan(0.5 * fmin(r->turn, 2.5)) / r->turn - 1.0),
                    r->h * 2.0 * PI / FEW_STEPS / r->turn, FEW_STEPS);
}
