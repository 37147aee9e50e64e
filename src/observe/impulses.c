/* Rates of joints, bodies and beams along the derivatives by the momentum. */
#include "observe/impulses.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

static const char LABELS[3][8] = {"", "x y", "x y z"};

static void add(ac_impulses *s, const char *group, const char *owner, const char *quantity, const char *unit,
                const char *labels, int width)
{
    snprintf(s->names[s->count], sizeof *s->names, "adjoint/%s/%.80s/%s", group, owner, quantity);
    s->channels[s->count] = (ac_channel){s->names[s->count], unit, labels, width};
    ++s->count;
    s->width += width;
}

static void add_node(ac_impulses *s, const ac_node *node)
{
    const ac_node_type *type = ac_node_type_of(node);
    add(s, type->word, node->name, "force", "1/(N s)", LABELS[node->dimension - 1], node->dimension);
    if (type->turns > 0)
        add(s, type->word, node->name, "torque", "1/(N m s)", type->turns == 3 ? LABELS[2] : "", type->turns);
}

static void add_joint(ac_impulses *s, const ac_joint_data *joint)
{
    for (int c = 0; !ac_row_is_ball(joint->row) && c < ac_row_coordinates(joint->row); ++c) {
        const ac_motion *motion = &joint->row->motion[c];
        add(s, "joint", joint->name, motion->name, motion->kind == AC_MOTION_TURN ? "1/(N m s)" : "1/(N s)",
            "", 1);
    }
}

ac_status ac_impulses_create(ac_context *ctx, const ac_system *system, ac_impulses *s)
{
    int most = 1 + 2 * system->node_count + system->beam_count + system->measure_count;
    *s = (ac_impulses){.ctx = ctx, .system = system};
    AC_NEW(ctx, s->channels, most);
    AC_NEW(ctx, s->names, most);
    s->channels[s->count++] = (ac_channel){"time", "s", "", 1};
    s->width = 1;
    for (int j = 0; j < system->joint_count; ++j) add_joint(s, &system->joints[j]);
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam < 0) add_node(s, &system->nodes[i]);
    for (int b = 0; b < system->beam_count; ++b)
        add(s, "beam", system->beams[b].name, "force", "1/(N s)", LABELS[2],
            3 * ac_beam_sites(&system->beams[b], AC_SITE_NODES));
    return AC_OK;
}

void ac_impulses_destroy(ac_impulses *s)
{
    if (!s->ctx) return;
    ac_release(s->ctx, s->channels);
    ac_release(s->ctx, s->names);
    *s = (ac_impulses){0};
}

static double rate(const ac_system *system, const ac_measure *measure, const double *q, const double *by)
{
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX], sum = 0.0;
    ac_measure_gather(system, measure, q, x);
    ac_measure_gather(system, measure, by, v);
    ac_measure_evaluate(system, measure, x, 0.0, gradient, NULL);
    for (int i = 0; i < ac_measure_size(system, measure); ++i) sum += gradient[i] * v[i];
    return sum;
}

static double *put_joint(const ac_system *system, const ac_joint_data *joint, const double *q,
                         const double *by, double *at)
{
    for (int c = 0; !ac_row_is_ball(joint->row) && c < ac_row_coordinates(joint->row); ++c)
        *at++ = rate(system, &system->measures[joint->first_measure + c], q, by);
    return at;
}

static double *put_node(const ac_node *node, const double *q, const double *by, double *at)
{
    double spin[3];
    int turns = ac_node_turns(node);
    for (int i = 0; i < node->dimension; ++i) *at++ = by[node->q + i];
    if (turns == 0) return at;
    ac_node_spin(node, q + node->q, by + node->q, spin);
    for (int i = 3 - turns; i < 3; ++i) *at++ = spin[i];
    return at;
}

void ac_impulses_put(const ac_impulses *s, double t, const double *q, const double *by, double *row)
{
    const ac_system *system = s->system;
    double *at = row;
    *at++ = t;
    for (int j = 0; j < system->joint_count; ++j) at = put_joint(system, &system->joints[j], q, by, at);
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam < 0) at = put_node(&system->nodes[i], q, by, at);
    for (int b = 0; b < system->beam_count; ++b)
        for (int k = 0; k < ac_beam_sites(&system->beams[b], AC_SITE_NODES); ++k, at += 3)
            memcpy(at, by + system->nodes[ac_beam_node(&system->beams[b], k)].q, 3 * sizeof *at);
}
