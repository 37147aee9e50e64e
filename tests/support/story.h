/* What happens along a path of equilibria: its last point, its events, the least and the greatest residual. */
#ifndef ACTIO_TESTS_SUPPORT_STORY_H
#define ACTIO_TESTS_SUPPORT_STORY_H

#include <math.h>

#include "support/path.h"

enum { STORY_EVENTS = 8 };

typedef struct story {
    ac_status status;
    ac_equilibrium_point last;
    int points, levels, limits, bifurcations;
    double limit[STORY_EVENTS], bifurcation[STORY_EVENTS], residual_min, residual_max;
    ac_equilibrium_point level; /* the last that was reached */
    char message[512];
} story;

static inline bool note_event(void *user, const ac_problem *problem, const ac_equilibrium *equilibrium)
{
    story *s = user;
    const ac_equilibrium_point *p = ac_equilibrium_at(equilibrium);
    (void)problem;
    s->last = *p;
    s->residual_min = s->points == 0 ? p->residual : fmin(s->residual_min, p->residual);
    s->residual_max = fmax(s->residual_max, p->residual);
    ++s->points;
    if (p->event == AC_EVENT_LEVEL) {
        ++s->levels;
        s->level = *p;
    }
    if (p->event == AC_EVENT_LIMIT && s->limits < STORY_EVENTS) s->limit[s->limits++] = p->factor;
    if (p->event == AC_EVENT_BIFURCATION && s->bifurcations < STORY_EVENTS)
        s->bifurcation[s->bifurcations++] = p->factor;
    return true;
}

/* Solves the problem with up to two replaced values. */
static inline story story_of(const char *text, const char *one, const char *two)
{
    const char *const settings[2] = {one, two};
    story s = {0};
    s.status = follow_path(text, settings, one ? two ? 2 : 1 : 0, note_event, &s, s.message,
                           sizeof s.message);
    return s;
}

/* An arch between two hinges under a load at its top, less what it is asked for. */
#define HINGED_ARCH                                                                                 \
    "beams:\n"                                                                                      \
    "  b:\n"                                                                                        \
    "    arc: {from: [-1, 0, 0], centre: [0, 0, -0.75], axis: [0, 1, 0], angle: =2*atan(1/0.75)}\n" \
    "    d1: [0, 1, 0]\n"                                                                           \
    "    elements: 20\n"                                                                            \
    "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 100], torsion: 100}\n"             \
    "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"                                                \
    "joints:\n"                                                                                     \
    "  - {revolute: [ground, b.start], axis: [0, 1, 0]}\n"                                          \
    "  - {revolute: [ground, b.end], axis: [0, 1, 0]}\n"                                            \
    "loads:\n"                                                                                      \
    "  - {force: [0, 0, -1], on: b.middle}\n"

#endif
