/* Springs and dampers on a measure y (distance of two points, angle or slide of a joint): potential
 * stiffness/2 (y - rest)^2 and damping force.
 *
 * A spring between two points whose rest length is zero has the potential stiffness/2 kappa with the quadratic map
 * kappa = y^2, which is smooth also where the points meet and y is not. */
#include "action/element.h"

static int spring_count(const ac_system *system)
{
    return system->spring_count;
}

static const ac_measure *measure_of(const ac_system *system, int k)
{
    return &system->measures[system->springs[k].measure];
}

static int spring_nodes(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES])
{
    const ac_measure *m = measure_of(system, k);
    for (int i = 0; i < m->node_count; ++i) nodes[i] = m->nodes[i];
    return m->node_count;
}

static int spring_measure(const ac_system *system, int k, const double *places[AC_ELEMENT_NODES])
{
    const ac_spring_data *s = &system->springs[k];
    for (int e = 0, i = 0; e < 2 && s->between_points; ++e)
        if (s->end_node[e] != AC_GROUND) places[i++] = s->end_place[e];
    return s->measure;
}

static ac_status spring_describe(const ac_system *system, int k, ac_describing *to)
{
    const ac_part part = {.measure = system->springs[k].measure, .beam = -1, .element = -1};
    return to->part(to, &part, -1);
}

static void spring_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    const ac_spring_data *s = &system->springs[k];
    bool square = measure_of(system, k)->kind == AC_MEASURE_LENGTH && s->rest == 0.0;
    (void)part;
    *numbers = (ac_law_numbers){.law = square ? &ac_law_square : &ac_law_quadratic,
                                .data = {s->stiffness, s->rest},
                                .damping = s->damping,
                                .elastic = s->stiffness != 0.0};
}

double ac_spring_damper(const ac_system *system, int k, const double *x, const double *winding,
                        double *gradient)
{
    ac_law_numbers numbers;
    spring_numbers(system, k, 0, &numbers);
    ac_measure_evaluate(system, measure_of(system, k), x, winding[system->springs[k].measure], gradient,
                        NULL);
    return numbers.damping;
}

extern const ac_element_kind ac_element_spring;
const ac_element_kind ac_element_spring = {
    .name = "spring",
    .count = spring_count,
    .nodes = spring_nodes,
    .along_measure = spring_measure,
    .describe = spring_describe,
    .numbers = spring_numbers,
};
