/* Conditions that keep two shapes apart, by a plane between them.
 *
 * The distance of two shapes with edges has kinks where faces become parallel. A plane that has one
 * shape above and the other below has none: its normal n and two levels are unknowns of every node of
 * time,
 *
 *   n . x >= a + radius for all corners x of the first,
 *   n . y <= b - radius for all corners y of the second,   a - b >= distance,   n . n <= 1,
 *
 * which can be satisfied if and only if the shapes are so far apart. With a half-space the normal is
 * known.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "optimize/problem/clearance.h"

enum { CORNERS = 8, NAMES = 8, LEVEL_A = 3, LEVEL_B = 4, POINT = 5 };

typedef struct building {
    ac_optimization *o;
    const ac_condition *given;
    ac_name names[NAMES]; /* normal, levels, a point; only those with text count */
    int dimension;
    int number; /* of the pair of shapes; -1: no plane is needed */
} building;

/* ---- corners ---- */

static int corners_of(const ac_optimization *o, const ac_hull *hull, ac_affine3 x[CORNERS])
{
    x[0] = ac_hull_place(o, hull->node, hull->place);
    if (hull->type == AC_HULL_SPHERE) return 1;
    if (hull->type == AC_HULL_CAPSULE) {
        x[1] = ac_hull_end(o, hull);
        return 2;
    }
    int count = hull->size[2] == 0.0 ? 4 : 8;
    for (int k = 0; k < count; ++k) {
        double place[3];
        ac_hull_corner(hull, k, place);
        x[k] = ac_hull_place(o, hull->node, place);
    }
    return count;
}

/* ---- conditions ---- */

static ac_status add_row(const building *b, const char *text, double low, double high, bool hidden)
{
    ac_optimization *o = b->o;
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.conditions, &o->description.condition_capacity,
                   o->description.condition_count + 1, sizeof *o->description.conditions));
    ac_condition_data *data = &o->description.conditions[o->description.condition_count];
    memset(data, 0, sizeof *data);
    snprintf(data->name, sizeof data->name, "%s", b->given->name ? b->given->name : "clearance");
    data->place = b->given->place;
    data->low = low;
    data->high = high;
    data->hidden = hidden;
    data->apart = hidden ? -1 : b->number;
    ac_status status = ac_term_create(o->ctx, text, false, b->names, NAMES, &o->description.scalars, NULL,
                                      NULL, &data->term);
    if (status != AC_OK) {
        ac_term_destroy(&data->term);
        return status;
    }
    ++o->description.condition_count;
    return AC_OK;
}

static void name_helper(building *b, int place, const char *text, int index)
{
    snprintf(b->names[place].text, sizeof b->names[place].text, "%s", text);
    b->names[place].is_helper = true;
    b->names[place].index = index;
}

static bool is_constant(const ac_affine3 *x)
{
    return x->part[0].count + x->part[1].count + x->part[2].count == 0;
}

/* The text of n . x; components of x that move become scalars called x0, x1, x2. */
static ac_status product_text(building *b, const ac_affine3 *x, char *text, size_t size)
{
    ac_optimization *o = b->o;
    size_t used = 0;
    for (int i = 0; i < b->dimension; ++i) {
        ac_name *name = &b->names[POINT + i];
        if (is_constant(x)) {
            used += (size_t)snprintf(text + used, size - used, "%sn%d*(%.17g)", i ? "+" : "", i,
                                     x->part[i].constant);
            continue;
        }
        int first = o->description.scalars.forms.count;
        AC_TRY(ac_forms_begin(o->ctx, &o->description.scalars.forms, 0.0));
        AC_TRY(ac_forms_add_affine(o->ctx, &o->description.scalars.forms, &x->part[i], 1.0));
        AC_TRY(ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, &name->index));
        snprintf(name->text, sizeof name->text, "x%d", i);
        used += (size_t)snprintf(text + used, size - used, "%sn%d*x%d", i ? "+" : "", i, i);
    }
    return AC_OK;
}

static ac_status corner_rows(building *b, const ac_hull *hull, bool above)
{
    ac_affine3 x[CORNERS];
    int count = corners_of(b->o, hull, x);
    for (int k = 0; k < count; ++k) {
        char product[160], text[192];
        AC_TRY(product_text(b, &x[k], product, sizeof product));
        snprintf(text, sizeof text, above ? "%s-a" : "b-(%s)", product);
        AC_TRY(add_row(b, text, hull->radius, INFINITY, true));
    }
    return AC_OK;
}

/* A box without end has its third axis in the plane. */
static ac_status endless_row(building *b, const ac_hull *hull)
{
    char text[160];
    if (hull->type != AC_HULL_BOX || hull->size[2] != 0.0 || b->dimension < 3) return AC_OK;
    ac_affine3 axis = ac_hull_axis(b->o, hull, 2, 1.0);
    AC_TRY(product_text(b, &axis, text, sizeof text));
    return add_row(b, text, 0.0, 0.0, true);
}

static ac_status plane_rows(building *b, const ac_hull hull[2])
{
    double keep = b->given->low + hull[0].radius + hull[1].radius;
    for (int k = 0; k < 2; ++k) {
        AC_TRY(corner_rows(b, &hull[k], k == 0));
        AC_TRY(endless_row(b, &hull[k]));
    }
    /* a shorter normal makes distances look smaller, but overlaps, too */
    AC_TRY(add_row(b, b->dimension < 3 ? "n0^2+n1^2" : "n0^2+n1^2+n2^2", keep > 0.0 ? -INFINITY : 1.0, 1.0,
                   true));
    return add_row(b, "a-b", b->given->low, INFINITY, false);
}

/* Heights above a half-space, and the least of them. */
static ac_status height_rows(building *b, const ac_hull *hull, const ac_hull *plane)
{
    ac_optimization *o = b->o;
    ac_affine3 x[CORNERS];
    int count = corners_of(o, hull, x);
    ac_name *name = &b->names[POINT];
    snprintf(name->text, sizeof name->text, "x0");
    for (int k = 0; k < count; ++k) {
        AC_TRY(ac_height_scalar(o, plane, &x[k], &name->index));
        AC_TRY(add_row(b, "x0-a", hull->radius, INFINITY, true));
    }
    return add_row(b, "a", b->given->low, INFINITY, false);
}

static int dimension_of(const ac_optimization *o, const ac_hull hull[2])
{
    int most = 0;
    for (int k = 0; k < 2; ++k)
        if (hull[k].node != AC_GROUND && o->system->nodes[hull[k].node].dimension > most)
            most = o->system->nodes[hull[k].node].dimension;
    return most == 2 ? 2 : 3;
}

/* Distances of spheres from anything are smooth where they are positive, and need no plane. */
static ac_status plain_row(ac_optimization *o, const ac_condition *c, int scalar)
{
    building b = {.o = o, .given = c, .number = -1};
    snprintf(b.names[0].text, sizeof b.names[0].text, "y");
    b.names[0].index = scalar;
    return add_row(&b, "y", c->low, INFINITY, false);
}

ac_status ac_keep_apart(ac_optimization *o, const ac_condition *c, const ac_hull shapes[2], int scalar)
{
    const ac_hull hull[2] = {shapes[0], shapes[1]}; /* the list that they stand in may grow */
    if (hull[0].type == AC_HULL_SPHERE || hull[1].type == AC_HULL_SPHERE) return plain_row(o, c, scalar);
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.shapes.aparts, &o->description.shapes.apart_capacity,
                   o->description.shapes.apart_count + 1, sizeof *o->description.shapes.aparts));
    ac_apart *apart = &o->description.shapes.aparts[o->description.shapes.apart_count];
    *apart = (ac_apart){{hull[0], hull[1]},
                        c->place,
                        c->low,
                        scalar,
                        dimension_of(o, hull),
                        o->description.shapes.helper_count};
    building b = {
        .o = o, .given = c, .dimension = apart->dimension, .number = o->description.shapes.apart_count};
    int half_space = hull[0].type == AC_HULL_HALF_SPACE ? 0 : hull[1].type == AC_HULL_HALF_SPACE ? 1 : -1;
    if (half_space >= 0) apart->dimension = 0;
    for (int i = 0; i < apart->dimension; ++i) {
        char text[3] = {'n', (char)('0' + i), '\0'};
        name_helper(&b, i, text, o->description.shapes.helper_count++);
    }
    name_helper(&b, LEVEL_A, "a", o->description.shapes.helper_count++);
    if (half_space < 0) name_helper(&b, LEVEL_B, "b", o->description.shapes.helper_count++);
    ++o->description.shapes.apart_count;
    if (half_space >= 0) return height_rows(&b, &hull[1 - half_space], &hull[half_space]);
    return plane_rows(&b, hull);
}

ac_status ac_optimization_add_clearance(ac_optimization *o, const ac_condition *c, const ac_hull hull[2])
{
    ac_quantity q = {
        .name = c->name ? c->name : "clearance", .type = AC_QUANTITY_CLEARANCE, .hull = {hull[0], hull[1]}};
    int scalar, measure;
    bool varied;
    if (c->place == AC_ON_INTERVALS || !isfinite(c->low))
        return ac_fail(o->ctx, AC_BAD_INPUT, "'%s': a clearance is at least a number, and is posed at nodes",
                       q.name);
    AC_TRY(ac_parameters_quantity(o, &q, &scalar, &measure, &varied));
    AC_TRY(ac_clearance_scalar(o, &q, &scalar));
    return ac_keep_apart(o, c, hull, scalar);
}

/* ---- the guess ---- */

static void value_of(const ac_affine3 *x, const double *q, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = x->part[i].constant;
        for (int k = 0; k < x->part[i].count; ++k)
            out[i] += x->part[i].coefficient[k] * q[x->part[i].index[k]];
    }
}

/* How the clearance changes when the nodes of a shape are shifted. */
static void add_shift(const ac_optimization *o, const ac_apart *p, const double *gradient, int node,
                      double sign, double n[3])
{
    if (node == AC_GROUND) return;
    const ac_node *data = &o->system->nodes[node];
    const int *at = ac_scalar_coordinates(&o->description.scalars, p->scalar);
    for (int s = 0; s < o->description.scalars.list[p->scalar].plain; ++s)
        if (at[s] >= data->q && at[s] < data->q + data->dimension) n[at[s] - data->q] += sign * gradient[s];
}

/* The unit normal from the second shape to the first. */
static void normal_of(const ac_optimization *o, const ac_apart *p, const double *q, double n[3])
{
    double gradient[AC_SCALAR_MAX], size;
    int moving = p->hull[0].node != AC_GROUND ? 0 : 1;
    const ac_hull *hull = &p->hull[moving];
    memset(n, 0, 3 * sizeof *n);
    ac_scalar_evaluate(&o->description.scalars, p->scalar, q, 0.0, gradient, NULL);
    add_shift(o, p, gradient, hull->node, moving == 0 ? 1.0 : -1.0, n);
    if (hull->stretched) add_shift(o, p, gradient, hull->end_node, moving == 0 ? 1.0 : -1.0, n);
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(size > 0.1)) { /* axes that cross: any direction parts them */
        n[0] = n[2] = 0.0;
        n[1] = size = 1.0;
    }
    for (int i = 0; i < 3; ++i) n[i] /= size;
}

static double lowest(const ac_optimization *o, const ac_hull *hull, const double *q, const double n[3])
{
    ac_affine3 x[CORNERS];
    int count = corners_of(o, hull, x);
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        double place[3];
        value_of(&x[k], q, place);
        least = ac_min(least, n[0] * place[0] + n[1] * place[1] + n[2] * place[2]);
    }
    return least - hull->radius;
}

/* The levels share the room that is left beyond the distance to keep, so that none is at its bound. */
static void guess_plane(const ac_optimization *o, const ac_apart *p, const double *q, double *x)
{
    double n[3], back[3];
    normal_of(o, p, q, n);
    for (int i = 0; i < 3; ++i) back[i] = -n[i];
    double above = lowest(o, &p->hull[0], q, n), below = -lowest(o, &p->hull[1], q, back);
    double share = ac_max(0.0, above - below - p->low) / 3.0;
    memcpy(x, n, (size_t)p->dimension * sizeof *x);
    x[p->dimension] = above - share;
    x[p->dimension + 1] = below + share;
}

void ac_apart_guess(ac_optimization *o)
{
    for (int k = 0; k < o->description.shapes.apart_count; ++k)
        for (int node = 0; node <= o->layout.N; ++node) {
            const ac_apart *p = &o->description.shapes.aparts[k];
            double *x = o->point.x + ac_helper(o, node) + p->helper;
            const double *q = ac_q(o, node);
            if (!ac_apart_at(o, p, node)) continue;
            if (p->dimension > 0) {
                guess_plane(o, p, q, x);
            } else {
                double height = ac_scalar_evaluate(&o->description.scalars, p->scalar, q, 0.0, NULL, NULL);
                x[0] = height > p->low ? 0.5 * (height + p->low) : height;
            }
        }
}

bool ac_apart_at(const ac_optimization *o, const ac_apart *p, int node)
{
    return p->place == AC_AT_NODES || (p->place == AC_AT_INNER_NODES && node > 0 && node < o->layout.N) ||
           (p->place == AC_AT_START && node == 0) || (p->place == AC_AT_END && node == o->layout.N);
}

/* Where nothing is kept apart, the plane is not needed. */
void ac_apart_bound(ac_optimization *o)
{
    for (int k = 0; k < o->description.shapes.apart_count; ++k) {
        const ac_apart *p = &o->description.shapes.aparts[k];
        int count = p->dimension == 0 ? 1 : p->dimension + 2;
        for (int node = 0; node <= o->layout.N; ++node)
            for (int i = 0; i < count; ++i) {
                int at = ac_helper(o, node) + p->helper + i;
                if (!ac_apart_at(o, p, node)) o->layout.bounds.lower[at] = o->layout.bounds.upper[at] = 0.0;
            }
    }
}
