/* Solids of a body whose sizes depend on parameters: mass, centre, inertia and points as expressions, by the formulas of
 * solids.c, and those of several solids together. Solids turn with parameters whose values are set, not with free ones. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

static ac_status follow(ac_builder *b, const ac_value *value, double number, ac_num *num)
{
    num->v = number;
    return ac_follow(&b->reader, value, &num->node);
}

/* Its rotation: how it is laid along an axis, then turned. */
static ac_status read_turn(ac_builder *b, const ac_solid *solid, const ac_solid_input *input, ac_sizes *z)
{
    ac_graph *s = b->reader.graph;
    double turn[9];
    ac_num turned[9], whole[9], laid[9];
    for (int k = 0; k < 9; ++k) z->rotation[k] = ac_num_of(solid->pose.rotation[k]);
    if (!input->rotation || !ac_sets_values(b) || !ac_depends(&b->reader, input->rotation)) return AC_OK;
    AC_TRY(ac_read_rotation(b, input->rotation, turn));
    AC_TRY(ac_follow_rotation(b, input->rotation, false, turn, turned));
    for (int k = 0; k < 9; ++k) whole[k] = ac_num_of(turn[k]);
    ac_num_multiply3(s, whole, true, z->rotation, laid);
    for (int k = 0; k < 9; ++k) laid[k].v = laid[k].v > 0.5 ? 1.0 : 0.0;
    ac_num_multiply3(s, turned, false, laid, z->rotation);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

static ac_status read_corners(ac_builder *b, const ac_solid *solid, const ac_value *corners, ac_sizes *z)
{
    int number = 0;
    for (const ac_value *corner = corners ? corners->first : NULL; corner; corner = corner->next, ++number) {
        const ac_value *value = corner->first;
        for (int k = 0; k < 3; ++k, value = value->next)
            AC_TRY(follow(b, value, solid->corners[number][k], &z->corners[number][k]));
    }
    return AC_OK;
}

/* Edges of a tetrahedron from its first corner: its volume is a sixth of |e1 . (e2 x e3)|. */
static ac_num tetrahedron_volume(ac_graph *s, const ac_sizes *z)
{
    ac_num edge[3][3], across[3];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) edge[k][i] = ac_num_subtract(s, z->corners[k + 1][i], z->corners[0][i]);
    ac_num_cross3(s, edge[1], edge[2], across);
    ac_num product = ac_num_dot3(s, edge[0], across);
    return ac_num_scale(s, product.v < 0.0 ? -1.0 / 6.0 : 1.0 / 6.0, product);
}

static ac_status read_sizes(ac_builder *b, const ac_body_input *body, const ac_solid *solid,
                            const ac_value *shape, const ac_solid_input *input, ac_sizes *z)
{
    ac_shape_input in;
    ac_graph *s = b->reader.graph;
    AC_TRY(ac_section_read(&b->reader, ac_shape_sections[solid->shape], shape, &in, sizeof in));
    const ac_value *side = in.size.at ? in.size.at->first : NULL,
                   *at = input->position.at ? input->position.at->first : NULL;
    for (int k = 0; k < 3; ++k, side = side ? side->next : NULL, at = at ? at->next : NULL) {
        AC_TRY(follow(b, side, solid->size[k], &z->size[k]));
        AC_TRY(follow(b, at, solid->pose.position[k], &z->position[k]));
    }
    AC_TRY(follow(b, in.radius.at, solid->radius, &z->radius));
    AC_TRY(follow(b, in.inner_radius.at, solid->inner_radius, &z->inner_radius));
    AC_TRY(follow(b, in.height.at ? in.height.at : in.length.at, solid->length, &z->length));
    AC_TRY(follow(b, in.edge.at, solid->edge, &z->edge));
    AC_TRY(read_corners(b, solid, in.corners, z));
    AC_TRY(read_turn(b, solid, input, z));
    if (!in.density.at) return follow(b, in.mass.at ? in.mass.at : body->mass.at, solid->mass, &z->mass);
    ac_num density;
    AC_TRY(follow(b, in.density.at, in.density.value, &density));
    z->mass = ac_num_multiply(s, density,
                              solid->shape == AC_SHAPE_TETRAHEDRON ? tetrahedron_volume(s, z)
                                                                   : ac_volume_formula(s, solid->shape, z));
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* A place of the solid in the body frame. */
static void place_of(ac_graph *s, const ac_sizes *z, const ac_num place[3], ac_num out[3])
{
    ac_num turned[3];
    ac_num_apply3(s, z->rotation, false, place, turned);
    for (int i = 0; i < 3; ++i) out[i] = ac_num_add(s, z->position[i], turned[i]);
}

/* A point of a solid by its name; false: it has none. */
static bool point_of(ac_graph *s, const ac_solid *solid, const char *name, ac_num place[3])
{
    static const char *const corners[] = {"corner1", "corner2", "corner3", "corner4"};
    const char *own;
    for (int k = 0; solid->shape == AC_SHAPE_TETRAHEDRON && k < 4; ++k)
        if (strcmp(name, corners[k]) == 0) {
            memcpy(place, solid->sizes->corners[k], sizeof solid->sizes->corners[k]);
            return true;
        }
    if (solid->shape == AC_SHAPE_TETRAHEDRON) return false;
    for (int k = 0; ac_point_formula(s, solid->shape, solid->sizes, k, &own, place); ++k)
        if (strcmp(name, own) == 0) return true;
    return false;
}

/* The solid that a point "solid.point" belongs to; one solid has its points without its name, too. */
static const ac_solid *owner(const ac_solid *solids, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (const ac_solid *s = solids; dot && s; s = s->next)
        if (s->name && strlen(s->name) == (size_t)(dot - name) &&
            strncmp(s->name, name, (size_t)(dot - name)) == 0)
            return s;
    return dot ? NULL : solids;
}

ac_status ac_solid_point_nodes(ac_builder *b, int node, const char *name, ac_nodes *nodes)
{
    const ac_built_node *built = ac_built(b, node);
    const ac_solid *solid = owner(built->solids, name);
    ac_graph *s = b->reader.graph;
    ac_num own[3], place[3];
    const char *plain = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
    memset(nodes, 0, sizeof *nodes);
    if (!b->free || !solid || !solid->sizes || !point_of(s, solid, plain, own)) return AC_OK;
    place_of(s, solid->sizes, own, place);
    for (int i = 0; i < (built->kind == AC_BUILT_PLANAR ? 2 : 3); ++i) nodes->node[i] = place[i].node;
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* --- mass, centre and inertia about it, in the body frame --- */

typedef struct weight {
    ac_num mass, centre[3], inertia[9];
} weight;

/* m (|d|^2 1 - d d^T) */
static void add_arm(ac_graph *s, ac_num mass, const ac_num d[3], ac_num inertia[9])
{
    ac_num square = ac_num_dot3(s, d, d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            ac_num product = ac_num_multiply(s, d[i], d[j]),
                   entry = i == j ? ac_num_subtract(s, square, product) : ac_num_scale(s, -1.0, product);
            inertia[3 * i + j] = ac_num_add(s, inertia[3 * i + j], ac_num_multiply(s, mass, entry));
        }
}

/* A fourth of the corners, and a twentieth of the mass at each of them (about the centre). */
static void weigh_tetrahedron(ac_graph *s, const ac_sizes *z, ac_num centre[3], ac_num inertia[9])
{
    for (int i = 0; i < 3; ++i) {
        centre[i] = z->corners[0][i];
        for (int k = 1; k < 4; ++k) centre[i] = ac_num_add(s, centre[i], z->corners[k][i]);
        centre[i] = ac_num_scale(s, 0.25, centre[i]);
    }
    for (int k = 0; k < 4; ++k) {
        ac_num d[3];
        for (int i = 0; i < 3; ++i) d[i] = ac_num_subtract(s, z->corners[k][i], centre[i]);
        add_arm(s, ac_num_scale(s, 0.05, z->mass), d, inertia);
    }
}

static void weigh(ac_graph *s, const ac_solid *solid, weight *w)
{
    const ac_sizes *z = solid->sizes;
    ac_num own[9] = {{0}}, centre[3] = {{0}}, moments[3], half[9], turned[9];
    w->mass = z->mass;
    if (solid->shape == AC_SHAPE_TETRAHEDRON) {
        weigh_tetrahedron(s, z, centre, own);
    } else {
        ac_inertia_formula(s, solid->shape, z, &centre[2], moments);
        for (int k = 0; k < 3; ++k) own[4 * k] = moments[k];
    }
    place_of(s, z, centre, w->centre);
    ac_num_multiply3(s, z->rotation, false, own, half); /* R J R^T */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) turned[3 * i + j] = half[3 * j + i];
    ac_num_multiply3(s, z->rotation, false, turned, w->inertia);
}

/* Several solids about their common centre. */
static void weigh_all(ac_graph *s, const ac_solid *solids, weight *all)
{
    weight own;
    memset(all, 0, sizeof *all);
    weigh(s, solids, &own);
    *all = own;
    if (!solids->next) return;
    all->mass = ac_num_of(0.0);
    for (int i = 0; i < 9; ++i) all->inertia[i] = ac_num_of(0.0);
    for (int i = 0; i < 3; ++i) all->centre[i] = ac_num_of(0.0);
    for (const ac_solid *solid = solids; solid; solid = solid->next) {
        weigh(s, solid, &own);
        all->mass = ac_num_add(s, all->mass, own.mass);
        for (int i = 0; i < 3; ++i)
            all->centre[i] = ac_num_add(s, all->centre[i], ac_num_multiply(s, own.mass, own.centre[i]));
    }
    for (int i = 0; i < 3; ++i) all->centre[i] = ac_num_divide(s, all->centre[i], all->mass);
    for (const ac_solid *solid = solids; solid; solid = solid->next) {
        ac_num d[3];
        weigh(s, solid, &own);
        for (int i = 0; i < 3; ++i) d[i] = ac_num_subtract(s, own.centre[i], all->centre[i]);
        for (int i = 0; i < 9; ++i) all->inertia[i] = ac_num_add(s, all->inertia[i], own.inertia[i]);
        add_arm(s, own.mass, d, all->inertia);
    }
}

/* --- dependences --- */

static ac_status depend_on(ac_builder *b, ac_datum datum, int node, int component, const ac_num *number,
                           const ac_value *at)
{
    if (!number->node) return AC_OK;
    const ac_followed what = {datum, node, 0, component, number->node};
    return ac_depend_number(b, &what, at->place);
}

static ac_status follow_solid(ac_builder *b, const ac_body_input *input, const ac_value *entry,
                              ac_solid *solid)
{
    ac_solid_input given;
    AC_TRY(ac_section_read(&b->reader, &ac_section_solid, entry, &given, sizeof given));
    ac_sizes *z = ac_arena_take(&b->reader.arena, 1, sizeof *z);
    if (!z) return AC_NO_MEMORY;
    memset(z, 0, sizeof *z);
    AC_TRY(read_sizes(b, input, solid, given.shape[solid->shape], &given, z));
    solid->sizes = z;
    return AC_OK;
}

static const ac_value *first_entry(const ac_body_input *input)
{
    return input->solid ? input->solid : input->solids ? input->solids->first : NULL;
}

ac_status ac_follow_solids(ac_builder *b, const ac_body_input *input, int node)
{
    const ac_value *entry = first_entry(input);
    if (!ac_depends(&b->reader, input->solid) && !ac_depends(&b->reader, input->solids) &&
        !ac_depends(&b->reader, input->mass.at))
        return AC_OK;
    for (ac_solid *solid = ac_built(b, node)->solids; solid && entry;
         solid = solid->next, entry = entry->next)
        AC_TRY(follow_solid(b, input, entry, solid));
    return AC_OK;
}

ac_status ac_depend_solids(ac_builder *b, const ac_body_input *input, bool planar, int node)
{
    const ac_solid *solids = ac_built(b, node)->solids;
    const ac_value *entry = first_entry(input);
    ac_graph *s = b->reader.graph;
    weight all;
    AC_TRY(ac_follow_solids(b, input, node));
    if (!solids || !solids->sizes) return AC_OK;
    weigh_all(s, solids, &all);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    AC_TRY(depend_on(b, AC_DATUM_MASS, node, 0, &all.mass, entry));
    if (!planar) AC_TRY(ac_depend_inertia(b, node, all.inertia, entry->place));
    if (planar) AC_TRY(depend_on(b, AC_DATUM_INERTIA, node, 0, &all.inertia[8], entry));
    if (planar) all.centre[2] = ac_num_of(0.0);
    return ac_depend_centre(b, node, all.centre);
}
