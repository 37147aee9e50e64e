/* Closed contacts as constraint rows.
 *
 * A sliding contact has one row, its gap. A sticking one has a row for each direction of its space: the gap, and
 * e_i . (x - y) = 0 along the surface, where x and y are the places on the two nodes that touched, and e_i is fixed in the
 * node of y. A joint limit has its gap.
 *
 * A point that sticks keeps the place of its impact. A sphere rolls: x and y are taken anew at every node, so that the row
 * is a discrete form of the velocity constraint of rolling, with the force of rolling at q_a (Lagrange-d'Alembert). The place x
 * of a sphere of radius r that turns by w relative to the other body, and spins about the normal n, comes to rest at q_a with
 * the acceleration
 *
 *   a = -c r (n . w) w  along the surface,   c = 1 on a plane, R / (R + r) on a sphere, R / (R - r) within,
 *
 * so that it is h^2/2 a away at q_b: without this term rolling would be of first order in the step.
 */
#include <string.h>

#include "base/vector.h"
#include "integrate/impacts/impacts.h"

void ac_touch_count(ac_impacts *im)
{
    int count = 0;
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (im->touches[c].closed) count += im->touches[c].rows > 0 ? im->touches[c].rows : 1;
    im->stepper->more.count = count;
}

int ac_touch_first_row(const ac_impacts *im, int contact)
{
    int row = im->stepper->system->constraints.count - im->stepper->system->constraints.closure;
    for (int c = 0; c < contact; ++c)
        if (im->touches[c].closed) row += im->touches[c].rows > 0 ? im->touches[c].rows : 1;
    return row;
}

/* The places and directions at which a contact touches in q; returns the number of directions. */
static int touching(const ac_impacts *im, int contact, const double *q, ac_touch *touch)
{
    const ac_system *system = im->stepper->system;
    const ac_contact *c = &system->contacts[contact];
    double x[3], normal[3], tangents[2][3];
    ac_gap_place(system, c, q, x, normal);
    int count = 1 + ac_gap_tangents(system, c, normal, tangents);
    const int nodes[2] = {c->point.node, c->other.node};
    for (int e = 0; e < 2; ++e) {
        touch->anchor[e].node = nodes[e];
        ac_place_of(system, nodes[e], q, x, touch->anchor[e].place);
    }
    for (int k = 0; k < count; ++k) {
        touch->direction[k].node = nodes[1];
        ac_direction_of(system, nodes[1], q, k == 0 ? normal : tangents[k - 1], touch->direction[k].place);
    }
    return count;
}

void ac_touch_close(ac_impacts *im, int contact, const double *q, bool sticks)
{
    ac_touch *touch = &im->touches[contact];
    touch->closed = true;
    touch->rows = 0;
    memset(touch->creep, 0, sizeof touch->creep);
    if (sticks && im->stepper->system->contacts[contact].surface != AC_SURFACE_LIMIT)
        touch->rows = touching(im, contact, q, touch);
    ac_touch_count(im);
}

static bool rolls(const ac_impacts *im, int contact)
{
    const ac_touch *touch = &im->touches[contact];
    return touch->closed && touch->rows > 0 && im->stepper->system->contacts[contact].radius > 0.0;
}

void ac_touch_roll(ac_impacts *im, const double *q)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        if (!rolls(im, c)) continue;
        touch->rows = touching(im, c, q, touch);
        memset(touch->creep, 0, sizeof touch->creep);
    }
}

/* w of the striking node relative to the other, world axes. */
static void relative_turn(const ac_impacts *im, const ac_contact *c, double w[3])
{
    const double *twists = im->jump.twists;
    copy3(twists + 6 * c->point.node + 3, w);
    for (int i = 0; c->other.node != AC_GROUND && i < 3; ++i) w[i] -= twists[6 * c->other.node + 3 + i];
}

void ac_touch_spin(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    bool turned = false;
    for (int k = 0; k < s->system->contact_count; ++k) {
        const ac_contact *c = &s->system->contacts[k];
        ac_touch *touch = &im->touches[k];
        double w[3], e[3], curved = 1.0;
        if (!rolls(im, k)) continue;
        if (!turned) ac_tree_twists(s->system, im->jump.columns, s->qa, im->rates, im->jump.twists);
        turned = true;
        relative_turn(im, c, w);
        if (c->surface == AC_SURFACE_SPHERE)
            curved = c->other_radius / (c->other_radius + (c->inside ? -c->radius : c->radius));
        ac_direction_value(s->system, &touch->direction[0], s->qa, e);
        double spin = dot3(e, w);
        for (int i = 1; i < touch->rows; ++i) {
            ac_direction_value(s->system, &touch->direction[i], s->qa, e);
            touch->creep[i] = -0.5 * curved * c->radius * spin * dot3(e, w);
        }
    }
}

void ac_touch_open(ac_impacts *im, int contact)
{
    im->touches[contact].closed = false;
    im->touches[contact].rows = 0;
    ac_touch_count(im);
}

/* The contact of a row that holds, and which of its rows it is. */
static int contact_of(const ac_impacts *im, int row, int *own)
{
    int c = 0;
    for (; c < im->stepper->system->contact_count; ++c) {
        int rows = !im->touches[c].closed ? 0 : im->touches[c].rows > 0 ? im->touches[c].rows : 1;
        if (row < rows) break;
        row -= rows;
    }
    *own = row;
    return c;
}

int ac_touch_slot(const void *user, int row)
{
    int own, contact = contact_of(user, row, &own);
    return AC_TOUCH_ROWS * contact + own;
}

int ac_touch_nodes(const void *user, int slot, int nodes[AC_MORE_NODES])
{
    const ac_impacts *im = user;
    return ac_gap_nodes(im->stepper->system, &im->stepper->system->contacts[slot / AC_TOUCH_ROWS], nodes);
}

static double row_value(const ac_system *system, const ac_touch *touch, int k, const double *q)
{
    double x[3], y[3], d[3], e[3];
    ac_place_value(system, &touch->anchor[0], q, x);
    ac_place_value(system, &touch->anchor[1], q, y);
    ac_direction_value(system, &touch->direction[k], q, e);
    sub3(x, y, d);
    return dot3(e, d);
}

static void row_gradient(const ac_system *system, const ac_touch *touch, int k, const double *q, double *out)
{
    double x[3], y[3], d[3], e[3], back[3];
    memset(out, 0, (size_t)system->n * sizeof *out);
    ac_place_value(system, &touch->anchor[0], q, x);
    ac_place_value(system, &touch->anchor[1], q, y);
    ac_direction_value(system, &touch->direction[k], q, e);
    sub3(x, y, d);
    for (int i = 0; i < 3; ++i) back[i] = -e[i];
    ac_place_gradient(system, &touch->anchor[0], e, out);
    ac_place_gradient(system, &touch->anchor[1], back, out);
    ac_direction_gradient(system, &touch->direction[k], d, out);
}

void ac_touch_gradient(void *user, int row, const double *q, double *gradient)
{
    const ac_impacts *im = user;
    const ac_system *system = im->stepper->system;
    int own, c = contact_of(im, row, &own);
    if (own == 0) {
        ac_gap_value(system, &system->contacts[c], q, im->stepper->winding, gradient);
    } else {
        row_gradient(system, &im->touches[c], own, q, gradient);
    }
}

void ac_touch_curvature(const void *user, int row, const double *q, double *block)
{
    const ac_impacts *im = user;
    const ac_system *system = im->stepper->system;
    int own, c = contact_of(im, row, &own);
    const ac_touch *touch = &im->touches[c];
    if (own == 0) {
        ac_gap_curvature(system, &system->contacts[c], q, im->stepper->winding, block);
    } else {
        ac_product_curvature(system, &touch->anchor[0], &touch->anchor[1], &touch->direction[own], block);
    }
}

void ac_touch_values(const void *user, const double *q, double *g)
{
    const ac_impacts *im = user;
    const ac_system *system = im->stepper->system;
    double square = im->stepper->h * im->stepper->h;
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_touch *touch = &im->touches[c];
        if (!touch->closed) continue;
        *g++ = ac_gap_value(system, &system->contacts[c], q, im->stepper->winding, NULL);
        for (int k = 1; k < touch->rows; ++k)
            *g++ = row_value(system, touch, k, q) - touch->creep[k] * square;
    }
}

void ac_touch_jacobian(void *user, const double *columns, const double *q, double *J)
{
    ac_impacts *im = user;
    const ac_system *system = im->stepper->system;
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_touch *touch = &im->touches[c];
        if (!touch->closed) continue;
        for (int k = 0; k < (touch->rows > 0 ? touch->rows : 1); ++k, J += system->tree.freedoms) {
            if (k == 0) {
                ac_gap_value(system, &system->contacts[c], q, im->stepper->winding, im->gradient);
            } else {
                row_gradient(system, touch, k, q, im->gradient);
            }
            ac_tree_project(system, columns, q, im->gradient, im->jump.twists, J);
        }
    }
}

int ac_touch_rates(ac_impacts *im, int contact, const double *q, bool tangential, double *rows)
{
    const ac_system *system = im->stepper->system;
    const ac_contact *c = &system->contacts[contact];
    size_t width = (size_t)system->tree.freedoms;
    ac_gap_value(system, c, q, im->stepper->winding, im->gradient);
    ac_tree_project(system, im->jump.columns, q, im->gradient, im->jump.twists, rows);
    double steepness = ac_gap_steepness(system, c, q);
    for (size_t i = 0; i < width; ++i) rows[i] /= steepness;
    if (!tangential || c->surface == AC_SURFACE_LIMIT) return 1;
    ac_touch here = {0};
    int count = touching(im, contact, q, &here);
    for (int k = 1; k < count; ++k) {
        row_gradient(system, &here, k, q, im->gradient);
        ac_tree_project(system, im->jump.columns, q, im->gradient, im->jump.twists, rows + (size_t)k * width);
    }
    return count;
}

void ac_touch_impulse(const ac_impacts *im, int contact, const double *q, const double *lambda, int rows,
                      double world[3])
{
    const ac_system *system = im->stepper->system;
    ac_touch here = {0};
    world[0] = world[1] = world[2] = 0.0;
    if (system->contacts[contact].surface == AC_SURFACE_LIMIT) return;
    int count = touching(im, contact, q, &here);
    for (int k = 0; k < rows && k < count; ++k) {
        double e[3];
        ac_direction_value(system, &here.direction[k], q, e);
        for (int i = 0; i < 3; ++i) world[i] += lambda[k] * e[i];
    }
}
