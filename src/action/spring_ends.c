/* Springs and dampers whose two points meet: they act along the line between them, which then has no
 * direction, and their forces are not numbers. A failure shows this at some node, so the spring is looked for
 * here. */
#include "action/spring_ends.h"

#include <math.h>
#include <stdio.h>

#include "model/system.h"

/* In parts of the typical length: what assembly and steps leave of a distance that is zero. */
static const double ROUNDING = 1e-13;

static double distance_at(const ac_system *system, const ac_measure *m, const double *qa, const double *qb)
{
    double x[AC_ELEMENT_MAX], end[AC_ELEMENT_MAX];
    ac_measure_gather(system, m, qa, x);
    ac_measure_gather(system, m, qb, end);
    for (int i = 0; i < ac_measure_size(system, m); ++i) x[i] = 0.5 * (x[i] + end[i]);
    return ac_measure_evaluate(system, m, x, 0.0, NULL, NULL);
}

/* Does the potential need a direction also where the points meet? That of length 0 is smooth there. */
static bool has_length(const ac_system *system, const ac_spring_data *s)
{
    return s->stiffness != 0.0 && fabs(s->rest) > ROUNDING * system->length_scale;
}

int ac_spring_without_direction(const ac_system *system, const double *qa, const double *qb, bool moving)
{
    double least = ROUNDING * system->length_scale;
    for (int k = 0; k < system->spring_count; ++k) {
        const ac_spring_data *s = &system->springs[k];
        bool directed = (moving && s->damping != 0.0) || has_length(system, s);
        if (!s->between_points || !directed) continue;
        if (distance_at(system, &system->measures[s->measure], qa, qb) <= least) return k;
    }
    return -1;
}

void ac_spring_words(const ac_system *system, int spring, char *text, size_t size)
{
    const ac_spring_data *s = &system->springs[spring];
    char label[AC_ACTION_LABEL_SIZE], a[AC_NODE_WORDS], b[AC_NODE_WORDS];
    snprintf(
        text, size,
        "the two points of spring '%.100s', on %s and on %s, coincide: %s has no direction there; attach it "
        "to points that stay apart",
        ac_spring_label(system, spring, label), ac_node_words(system, s->end_node[0], a),
        ac_node_words(system, s->end_node[1], b),
        has_length(system, s) ? "a spring whose length is not 0" : "a damper");
}

bool ac_spring_trouble(const ac_system *system, const double *qa, const double *qb, char *text, size_t size)
{
    int spring = ac_spring_without_direction(system, qa, qa, true);
    if (spring < 0) spring = ac_spring_without_direction(system, qb, qb, true);
    if (spring < 0) spring = ac_spring_without_direction(system, qa, qb, true);
    *text = '\0';
    if (spring >= 0) ac_spring_words(system, spring, text, size);
    return spring >= 0;
}
