/* The solids of a body: reading them, and what they weigh together. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/build/build.h"

static int other_shape(const ac_solid_input *input, int after)
{
    for (int k = after + 1; k < AC_SHAPE_COUNT; ++k)
        if (input->shape[k]) return k;
    return -1;
}

static ac_status read_corners(ac_builder *b, const ac_value *corners, ac_solid *solid)
{
    int number = 0, count;
    if (corners->kind != AC_LIST || corners->count != 4)
        return ac_fail_at(b->ctx, corners->place, "corners must be four places [[x, y, z], ...]");
    for (const ac_value *corner = corners->first; corner; corner = corner->next, ++number)
        AC_TRY(ac_read_numbers(&b->reader, corner, "corner", AC_DIM_LENGTH, 3, 3, solid->corners[number],
                               &count));
    double edge[3], largest = 0;
    for (int k = 1; k < 4; ++k) {
        sub3(solid->corners[k], solid->corners[0], edge);
        largest = ac_max(largest, norm3(edge));
    }
    if (!(ac_solid_volume(solid) > 1e-12 * largest * largest * largest))
        return ac_fail_at(b->ctx, corners->place, "the four corners of the tetrahedron lie in one plane");
    return AC_OK;
}

/* Turns the solid's own z axis into the body's x, y or z axis, the others follow in cyclic order. */
static void lay_along(int axis, double rotation[9])
{
    memset(rotation, 0, 9 * sizeof *rotation);
    for (int own = 0; own < 3; ++own) rotation[3 * ((own + axis + 1) % 3) + own] = 1;
}

static ac_status solid_mass(ac_builder *b, const ac_value *shape, const ac_shape_input *input,
                            ac_solid *solid)
{
    if (input->mass.at && input->density.at)
        return ac_fail_at(b->ctx, shape->place, "give either mass or density of the %s, not both",
                          ac_shape_names[solid->shape]);
    if (input->mass.at) solid->mass = input->mass.value;
    if (input->density.at) solid->mass = input->density.value * ac_solid_volume(solid);
    return AC_OK;
}

static ac_status read_shape(ac_builder *b, const ac_value *shape, ac_solid *solid)
{
    ac_shape_input input;
    AC_TRY(ac_section_read(&b->reader, ac_shape_sections[solid->shape], shape, &input, sizeof input));
    memcpy(solid->size, input.size.x, sizeof solid->size);
    solid->radius = input.radius.value;
    solid->inner_radius = input.inner_radius.value;
    solid->length = input.height.at ? input.height.value : input.length.value;
    solid->edge = input.edge.value;
    if (solid->inner_radius > 0 && solid->inner_radius >= solid->radius)
        return ac_fail_at(b->ctx, input.inner_radius.at->place, "inner_radius must be smaller than radius");
    if (solid->inner_radius > 0)
        AC_TRY(ac_note_order(&b->reader, input.radius.at, solid->radius, input.inner_radius.at,
                             solid->inner_radius, 1.0, false, "inner_radius must be smaller than radius"));
    if (input.corners) AC_TRY(read_corners(b, input.corners, solid));
    AC_TRY(solid_mass(b, shape, &input, solid));
    lay_along(input.along.at                 ? input.along.choice
              : solid->shape == AC_SHAPE_ROD ? 0
                                             : 2,
              solid->pose.rotation);
    return AC_OK;
}

static ac_status read_solid(ac_builder *b, const ac_value *entry, ac_solid **result)
{
    ac_solid_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_solid, entry, &input, sizeof input));
    int shape = other_shape(&input, -1);
    if (shape < 0)
        return ac_fail_at(b->ctx, entry->place,
                          "a solid needs a shape: box, sphere, cylinder, cone, double_cone, pyramid, "
                          "tetrahedron, rod or disc");
    int second = other_shape(&input, shape);
    if (second >= 0)
        return ac_fail_at(b->ctx, input.shape[second]->key_place,
                          "a solid has one shape, not both %s and %s; use solids: for several",
                          ac_shape_names[shape], ac_shape_names[second]);

    ac_solid *solid = ac_arena_take(&b->reader.arena, 1, sizeof *solid);
    if (!solid) return AC_NO_MEMORY;
    solid->shape = (ac_shape)shape;
    AC_TRY(read_shape(b, input.shape[shape], solid));
    if (input.name.at) {
        AC_TRY(ac_check_name(&b->reader, input.name.text, input.name.at->place, "solid"));
        solid->name = input.name.text;
    }
    memcpy(solid->pose.position, input.position.x, sizeof solid->pose.position);
    if (input.rotation) {
        double turn[9], laid[9];
        AC_TRY(ac_read_rotation(b, input.rotation, turn));
        memcpy(laid, solid->pose.rotation, sizeof laid);
        multiply3(turn, laid, solid->pose.rotation);
    }
    *result = solid;
    return AC_OK;
}

static ac_status read_list(ac_builder *b, const ac_value *entries, ac_solid **first)
{
    ac_solid *last = NULL;
    for (const ac_value *entry = entries->first; entry; entry = entry->next) {
        ac_solid *solid = NULL;
        AC_TRY(read_solid(b, entry, &solid));
        if (last)
            last->next = solid;
        else
            *first = solid;
        last = solid;
    }
    if (!last) return ac_fail_at(b->ctx, entries->place, "solids must have at least one entry");
    return AC_OK;
}

/* Who says how heavy the solids are: they, the body (one solid), or nobody (an inertia given by hand). */
static ac_status settle_masses(ac_builder *b, const ac_value *entry, const ac_body_input *input,
                               bool inertia_given, ac_solid *solids)
{
    bool single = !solids->next;
    for (ac_solid *s = solids; s; s = s->next) {
        if (s->mass > 0 && inertia_given)
            return ac_fail_at(b->ctx, entry->key_place,
                              "'%s' has an inertia of its own, so its solids are only drawn and must have no "
                              "mass or density",
                              entry->key);
        if (s->mass > 0 && input->mass.at)
            return ac_fail_at(b->ctx, input->mass.at->place,
                              "mass is given twice: for the body and for its solid");
        if (s->mass > 0 || inertia_given) continue;
        if (single && input->mass.at)
            s->mass = input->mass.value;
        else
            return ac_fail_at(b->ctx, entry->key_place, "the %s of '%s' needs a mass%s",
                              ac_shape_names[s->shape], entry->key,
                              s->shape == AC_SHAPE_ROD || s->shape == AC_SHAPE_DISC ? "" : " or a density");
    }
    return AC_OK;
}

ac_status ac_read_solids(ac_builder *b, const ac_value *entry, const ac_body_input *input, bool inertia_given,
                         ac_solid **solids, ac_mass_properties *properties)
{
    *solids = NULL;
    *properties = (ac_mass_properties){0};
    if (input->solid && input->solids)
        return ac_fail_at(b->ctx, input->solids->key_place, "give either solid or solids, not both");
    if (input->solid) AC_TRY(read_solid(b, input->solid, solids));
    if (input->solids) AC_TRY(read_list(b, input->solids, solids));
    if (!*solids) return AC_OK;
    AC_TRY(settle_masses(b, entry, input, inertia_given, *solids));
    if (inertia_given) return AC_OK;
    if (input->centre.at)
        return ac_fail_at(b->ctx, input->centre.at->place,
                          "centre follows from the solids; move the solid with its position instead");
    for (const ac_solid *s = *solids; s; s = s->next) {
        ac_mass_properties own = ac_solid_properties(s), part = ac_mass_moved(&own, &s->pose);
        ac_mass_add(properties, &part);
    }
    bool finite = isfinite(properties->mass);
    for (int k = 0; k < 9; ++k)
        finite = finite && isfinite(properties->inertia[k]) && isfinite(properties->centre[k % 3]);
    if (!finite)
        return ac_fail_at(b->ctx, entry->key_place, "the mass or inertia of '%s' is too large", entry->key);
    return AC_OK;
}
