/* Comparing two systems of the same kind, number by number: whether values that were set give the system that is
 * read. Numbers that are small against their neighbours may differ by rounding of these. */
#include <math.h>

#include "math/math.h"
#include "problem/build/values.h"

static const double SAME = 1e-9;

static bool same(const double *a, const double *b, size_t count)
{
    double size = 0.0;
    for (size_t i = 0; i < count; ++i) size = ac_max(size, ac_max(fabs(a[i]), fabs(b[i])));
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= SAME * size)) return false;
    return true;
}

static bool same_number(double a, double b)
{
    return same(&a, &b, 1);
}

static bool same_forms(const ac_forms *a, const ac_forms *b, int k)
{
    int products = a->product_start[k + 1] - a->product_start[k];
    int linears = a->linear_start[k + 1] - a->linear_start[k];
    if (products != b->product_start[k + 1] - b->product_start[k] ||
        linears != b->linear_start[k + 1] - b->linear_start[k])
        return true; /* another pattern; the nodes are compared by their places */
    double size = ac_max(fabs(a->constant[k]), 1.0);
    bool all = fabs(a->constant[k] - b->constant[k]) <= SAME * size;
    for (int e = 0; e < products; ++e)
        all = all && fabs(a->products[a->product_start[k] + e].a - b->products[b->product_start[k] + e].a) <=
                         SAME * size;
    for (int e = 0; e < linears; ++e)
        all = all && fabs(a->linears[a->linear_start[k] + e].b - b->linears[b->linear_start[k] + e].b) <=
                         SAME * size;
    return all;
}

static const char *nodes_differ(const ac_system *a, const ac_system *b)
{
    for (int i = 0; i < a->node_count; ++i) {
        const ac_node *m = &a->nodes[i], *n = &b->nodes[i];
        if (!same_number(m->mass, n->mass)) return "a mass";
        if (!same(m->euler, n->euler, 9)) return "an inertia";
        if (!same(m->centre, n->centre, 3)) return "a centre of mass";
    }
    for (int k = 0; k < a->mesh.mass_pair_count; ++k)
        if (!same_number(a->mesh.mass_pairs[k].mass, b->mesh.mass_pairs[k].mass) ||
            !same(a->mesh.mass_pairs[k].euler, b->mesh.mass_pairs[k].euler, 3))
            return "the inertia of a beam";
    return same(a->gravity, b->gravity, 3) ? NULL : "gravity";
}

static const char *joints_differ(const ac_system *a, const ac_system *b)
{
    double length = a->length_scale;
    for (int j = 0; j < a->joint_count; ++j) {
        const ac_joint_data *m = &a->joints[j], *n = &b->joints[j];
        if (!same_number(m->length, n->length)) return "the length of a joint";
        for (int c = 0; c < 3; ++c)
            if (!(fabs(m->a.place[c] - n->a.place[c]) + fabs(m->b.place[c] - n->b.place[c]) <= SAME * length))
                return "the place of a joint";
        if (!same(m->a.axes, n->a.axes, 9) || !same(m->b.axes, n->b.axes, 9)) return "the axis of a joint";
        if (!same(m->coordinates, n->coordinates, 3)) return "a coordinate at the start";
        if (!same(m->rates, n->rates, 3)) return "a rate at the start";
    }
    for (int k = 0; k < a->constraints.count; ++k)
        if (!same_forms(&a->constraints.forms, &b->constraints.forms, k)) return "a constraint";
    return NULL;
}

static const char *forces_differ(const ac_system *a, const ac_system *b)
{
    static const double times[] = {0.0, 0.037, 0.41, 1.3, 7.9};
    for (int k = 0; k < a->spring_count; ++k) {
        const ac_spring_data *m = &a->springs[k], *n = &b->springs[k];
        if (!same_number(m->stiffness, n->stiffness)) return "a stiffness";
        if (!same_number(m->damping, n->damping)) return "a damping";
        if (!same_number(m->rest, n->rest)) return "the rest length of a spring";
        if (!same(m->end_place[0], n->end_place[0], 6)) return "the end of a spring";
    }
    for (int k = 0; k < a->load_count; ++k) {
        const ac_load_data *m = &a->loads[k], *n = &b->loads[k];
        for (int c = 0; c < 3; ++c)
            if (!(fabs(m->place[c] - n->place[c]) <= SAME * a->length_scale)) return "the place of a load";
        for (int c = 0; c < 3; ++c)
            for (int t = 0; m->value[c] && n->value[c] && t < 5; ++t)
                if (!same_number(ac_signal_value(m->value[c], times[t]),
                                 ac_signal_value(n->value[c], times[t])))
                    return "a load";
    }
    return NULL;
}

static const char *contacts_differ(const ac_system *a, const ac_system *b)
{
    for (int k = 0; k < a->contact_count; ++k) {
        const ac_contact *m = &a->contacts[k], *n = &b->contacts[k];
        const double own[] = {m->radius, m->other_radius, m->limit, m->axes[0], m->axes[1], m->axes[2]};
        const double others[] = {n->radius, n->other_radius, n->limit, n->axes[0], n->axes[1], n->axes[2]};
        double length = a->length_scale;
        for (int c = 0; c < 3; ++c)
            if (!(fabs(m->point.place[c] - n->point.place[c]) + fabs(m->other.place[c] - n->other.place[c]) <=
                  SAME * length))
                return "the place of a contact";
        if (!same(own, others, 6) || !same(m->normal, n->normal, 3)) return "the shape of a contact";
        if (!same_number(m->restitution, n->restitution) || !same_number(m->tangential, n->tangential) ||
            !same_number(m->loss, n->loss) || !same_number(m->friction, n->friction))
            return "the behaviour of a contact";
        if (m->window_count > 0 && !same(m->windows[0], n->windows[0], 2 * AC_CONTACT_WINDOWS))
            return "the windows of a contact";
    }
    return NULL;
}

static const char *beams_differ(const ac_system *a, const ac_system *b)
{
    for (int k = 0; k < a->beam_count; ++k)
        if (!same_number(a->beams[k].damping, b->beams[k].damping) ||
            !same(a->beams[k].relaxation, b->beams[k].relaxation, 2))
            return "the damping of a beam";
    for (int k = 0; k < a->mesh.element_count; ++k) {
        const ac_beam_element *m = &a->mesh.elements[k], *n = &b->mesh.elements[k];
        if (!same_number(m->length, n->length) || !same_number(m->bend, n->bend))
            return "the length of a beam";
        if (!same(m->stiffness, n->stiffness, 6)) return "the stiffness of a beam";
    }
    for (int k = 0; k < a->mesh.high_count; ++k)
        for (int p = 0; p < a->mesh.high[k].order; ++p) {
            const ac_beam_point *m = &a->mesh.high[k].points[p], *n = &b->mesh.high[k].points[p];
            if (!same_number(m->weight, n->weight)) return "the length of a beam";
            if (!same(m->stiffness, n->stiffness, 6)) return "the stiffness of a beam";
        }
    return NULL;
}

const char *ac_system_difference(const ac_system *a, const ac_system *b)
{
    if (a->n != b->n || a->joint_count != b->joint_count || a->spring_count != b->spring_count ||
        a->load_count != b->load_count || a->contact_count != b->contact_count ||
        a->constraints.count != b->constraints.count)
        return "the parts of the system";
    const char *difference = nodes_differ(a, b);
    if (!difference) difference = joints_differ(a, b);
    if (!difference) difference = forces_differ(a, b);
    if (!difference) difference = beams_differ(a, b);
    if (!difference) difference = contacts_differ(a, b);
    double length = ac_max(1.0, a->length_scale), speed = 0.0;
    for (int i = 0; i < a->n; ++i) speed = ac_max(speed, fabs(a->initial.v[i]));
    for (int i = 0; !difference && i < a->n; ++i) {
        if (!(fabs(a->initial.q[i] - b->initial.q[i]) <= 1e-8 * length))
            difference = "the configuration at the start";
        if (!(fabs(a->initial.v[i] - b->initial.v[i]) <= 1e-8 * speed))
            difference = "the velocity at the start";
    }
    return difference;
}
