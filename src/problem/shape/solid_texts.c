/* The solid of a body whose sizes depend on free parameters: mass, centre, inertia and points as expressions, by the
 * formulas of solids.c. One solid that is not turned; others stay unfollowed and are refused. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

static ac_status follow(ac_builder *b, const ac_value *value, double number, ac_symbol *symbol)
{
    symbol->v = number;
    return ac_follow(&b->reader, value, &symbol->text);
}

/* The body axis that axis k of the solid is laid along. */
static int laid(const ac_solid *solid, int k)
{
    for (int i = 0; i < 3; ++i)
        if (solid->pose.rotation[3 * i + k] > 0.5) return i;
    return k;
}

static ac_status read_sizes(ac_builder *b, const ac_body_input *body, const ac_solid *solid,
                            const ac_value *shape, const ac_solid_input *input, ac_sizes *z)
{
    ac_shape_input in;
    ac_symbols s = ac_builder_symbols(b);
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
    if (!in.density.at) return follow(b, in.mass.at ? in.mass.at : body->mass.at, solid->mass, &z->mass);
    ac_symbol density;
    AC_TRY(follow(b, in.density.at, in.density.value, &density));
    z->mass = ac_symbol_product(&s, density, ac_volume_formula(&s, solid->shape, z));
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

/* A place of the solid in the body frame; components that the body has not are left out. */
static ac_status place_texts(ac_builder *b, const ac_solid *solid, const ac_symbol place[3], bool planar,
                             ac_texts *out)
{
    ac_symbols s = ac_builder_symbols(b);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < (planar ? 2 : 3); ++i) {
        ac_symbol sum = solid->sizes->position[i];
        for (int k = 0; k < 3; ++k)
            sum = ac_symbol_sum(&s, sum, ac_symbol_scaled(&s, solid->pose.rotation[3 * i + k], place[k]));
        out->part[i] = sum.text;
    }
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_solid_point_texts(ac_builder *b, int node, const char *name, ac_texts *texts)
{
    const ac_built_node *built = ac_built(b, node);
    const ac_solid *solid = built->solids;
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol place[3];
    memset(texts, 0, sizeof *texts);
    if (!b->free || !solid || !solid->sizes) return AC_OK;
    const char *plain = strrchr(name, '.') ? strrchr(name, '.') + 1 : name, *own;
    for (int k = 0; ac_point_formula(&s, solid->shape, solid->sizes, k, &own, place); ++k)
        if (strcmp(plain, own) == 0)
            AC_TRY(place_texts(b, solid, place, built->kind == AC_BUILT_PLANAR, texts));
    return s.failed ? AC_NO_MEMORY : AC_OK;
}

static ac_status depend_symbol(ac_builder *b, ac_datum datum, int node, int component,
                               const ac_symbol *symbol, const ac_value *at)
{
    if (!symbol->text) return AC_OK;
    const ac_dependence what = {datum, node, 0, component, symbol->text};
    return ac_depend_expression(b, &what, at->place);
}

ac_status ac_depend_solids(ac_builder *b, const ac_body_input *input, bool planar, int node)
{
    ac_solid *solid = ac_built(b, node)->solids;
    const ac_value *entry = input->solid ? input->solid : input->solids ? input->solids->first : NULL;
    ac_solid_input given;
    if (!solid || solid->next || !entry || solid->shape == AC_SHAPE_TETRAHEDRON) return AC_OK;
    if (!ac_depends(&b->reader, entry) && !ac_depends(&b->reader, input->mass.at)) return AC_OK;
    AC_TRY(ac_section_read(&b->reader, &ac_section_solid, entry, &given, sizeof given));
    if (given.rotation) return AC_OK;
    ac_sizes *z = ac_arena_take(&b->reader.arena, 1, sizeof *z);
    if (!z) return AC_NO_MEMORY;
    AC_TRY(read_sizes(b, input, solid, given.shape[solid->shape], &given, z));
    solid->sizes = z;
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol height, moments[3];
    ac_texts centre;
    ac_inertia_formula(&s, solid->shape, z, &height, moments);
    if (s.failed) return AC_NO_MEMORY;
    AC_TRY(place_texts(b, solid, (const ac_symbol[3]){ac_symbol_of(0.0), ac_symbol_of(0.0), height}, planar,
                       &centre));
    AC_TRY(depend_symbol(b, AC_DATUM_MASS, node, 0, &z->mass, entry));
    for (int k = 0; k < 3; ++k) {
        int axis = laid(solid, k);
        if (!planar) AC_TRY(depend_symbol(b, AC_DATUM_INERTIA, node, axis, &moments[k], entry));
        if (planar && axis == 2) AC_TRY(depend_symbol(b, AC_DATUM_INERTIA, node, 0, &moments[k], entry));
    }
    return ac_depend_centre(b, node, &centre);
}
