/* Beams whose data depend on free parameters: stiffness, inertia, damping, masses on nodes and length as
 * expressions.
 *
 * The formulas are those of model/beam/section.h. They are followed for beams that are the same along their length; others
 * stay unfollowed and are refused. */
#include "base/base.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

static ac_status follow(ac_builder *b, const ac_value *value, double number, ac_symbol *symbol)
{
    symbol->v = number;
    return ac_follow(&b->reader, value, &symbol->text);
}

/* ---- from section and material ---- */

static ac_status read_section(ac_builder *b, const ac_value *value, const ac_symbol *poisson, ac_symbols *s,
                              ac_section_formula *f)
{
    ac_section_shape_input in;
    ac_beam_shape shape;
    AC_TRY(ac_profile_read_shape(b, value, &shape, &in));
    ac_section_sizes z = {.poisson = *poisson};
    AC_TRY(follow(b, in.width.at, in.width.value, &z.width));
    AC_TRY(follow(b, in.height.at, in.height.value, &z.height));
    AC_TRY(follow(b, in.radius.at, in.radius.value, &z.radius));
    AC_TRY(follow(b, in.inner_radius.at, in.inner_radius.value, &z.inner_radius));
    AC_TRY(follow(b, in.web.at, in.web.value, &z.web));
    AC_TRY(follow(b, in.flange.at, in.flange.value, &z.flange));
    ac_section_formulas(s, shape, &z, f);
    const ac_value *factor = in.shear_factors.at ? in.shear_factors.at->first : NULL;
    for (int i = 0; factor && i < 2; ++i, factor = factor->next)
        AC_TRY(follow(b, factor, in.shear_factors.x[i], &f->factor[i]));
    return AC_OK;
}

/* An entry, also of a list that has no other. */
static const ac_value *only(const ac_value *value)
{
    return value && value->kind == AC_LIST ? value->first : value;
}

static ac_status depend(ac_builder *b, ac_datum datum, int component, ac_place place, const ac_symbol *symbol)
{
    const ac_dependence what = {datum, b->beam_count - 1, 0, component, symbol->text};
    return symbol->text ? ac_depend_expression(b, &what, place) : AC_OK;
}

static ac_status depend_section(ac_builder *b, const ac_beam_input *input)
{
    ac_material_input in;
    ac_section_formula section;
    ac_beam_formula beam;
    ac_symbols s = ac_builder_symbols(b);
    ac_symbol young, shear, poisson, density;
    ac_place place = input->section->place;
    AC_TRY(ac_section_read(&b->reader, &ac_section_material, input->material, &in, sizeof in));
    AC_TRY(follow(b, in.poisson.at, in.poisson.value, &poisson));
    AC_TRY(follow(b, in.young.at, in.young.value, &young));
    AC_TRY(follow(b, in.density.at, in.density.value, &density));
    shear = ac_shear_formula(&s, young, poisson);
    if (in.shear.at) AC_TRY(follow(b, in.shear.at, in.shear.value, &shear));
    AC_TRY(read_section(b, only(input->section), &poisson, &s, &section));
    ac_beam_formulas(&s, &section, young, shear, density, &beam);
    if (s.failed) return AC_NO_MEMORY;
    for (int i = 0; i < 6 && !input->stiffness; ++i)
        AC_TRY(depend(b, AC_DATUM_BEAM_STIFFNESS, i, place, &beam.stiffness[i]));
    if (input->inertia) return AC_OK;
    AC_TRY(depend(b, AC_DATUM_BEAM_MASS, 0, place, &beam.mass));
    for (int i = 0; i < 2; ++i) AC_TRY(depend(b, AC_DATUM_BEAM_INERTIA, i, place, &beam.inertia[i]));
    return AC_OK;
}

/* ---- given directly ---- */

static ac_status depend_list(ac_builder *b, ac_datum datum, int first, const ac_value *list)
{
    int i = first, beam = b->beam_count - 1;
    for (const ac_value *value = list ? list->first : NULL; value; value = value->next)
        AC_TRY(ac_depend(b, datum, beam, 0, i++, value));
    return AC_OK;
}

static ac_status depend_stiffness(ac_builder *b, const ac_value *given)
{
    ac_beam_stiffness_input in;
    int beam = b->beam_count - 1;
    AC_TRY(ac_section_read(&b->reader, &ac_section_beam_stiffness, only(given), &in, sizeof in));
    AC_TRY(depend_list(b, AC_DATUM_BEAM_STIFFNESS, 0, in.shear.at));
    AC_TRY(depend_list(b, AC_DATUM_BEAM_STIFFNESS, 3, in.bending.at));
    AC_TRY(ac_depend(b, AC_DATUM_BEAM_STIFFNESS, beam, 0, 2, in.axial.at));
    return ac_depend(b, AC_DATUM_BEAM_STIFFNESS, beam, 0, 5, in.torsion.at);
}

static ac_status depend_inertia(ac_builder *b, const ac_value *given)
{
    ac_beam_inertia_input in;
    AC_TRY(ac_section_read(&b->reader, &ac_section_beam_inertia, only(given), &in, sizeof in));
    AC_TRY(ac_depend(b, AC_DATUM_BEAM_MASS, b->beam_count - 1, 0, 0, in.mass.at));
    return depend_list(b, AC_DATUM_BEAM_INERTIA, 0, in.rotary.at);
}

/* Where the nodes are, between both ends. */
static ac_status draw_nodes(ac_builder *b, ac_symbols *s, const ac_symbol from[3], const ac_symbol gap[3])
{
    const ac_built_beam *beam = &b->beams[b->beam_count - 1];
    const ac_pose *first = &b->nodes[beam->first_node].pose,
                  *last = &b->nodes[beam->first_node + beam->nodes - 1].pose;
    double length[3], whole = 0.0;
    for (int i = 0; i < 3; ++i) length[i] = last->position[i] - first->position[i];
    for (int i = 0; i < 3; ++i) whole += length[i] * length[i];
    for (int n = 0; n < beam->nodes; ++n) {
        const double *x = b->nodes[beam->first_node + n].pose.position;
        double share = 0.0;
        ac_texts texts = {{NULL, NULL, NULL}};
        for (int i = 0; i < 3; ++i) share += (x[i] - first->position[i]) * length[i] / whole;
        for (int i = 0; i < 3; ++i)
            texts.part[i] = ac_symbol_sum(s, from[i], ac_symbol_scaled(s, share, gap[i])).text;
        AC_TRY(ac_draw_position(b, beam->first_node + n, &texts));
    }
    return AC_OK;
}

/* The distance of both ends of a straight beam. */
static ac_status depend_length(ac_builder *b, const ac_beam_input *input)
{
    ac_straight_input line;
    ac_symbol from[3], to[3], gap[3], square = ac_symbol_of(0.0);
    ac_symbols s = ac_builder_symbols(b);
    AC_TRY(ac_section_read(&b->reader, &ac_section_straight, input->straight, &line, sizeof line));
    const ac_value *a = line.from.at->first, *e = line.to.at->first;
    for (int i = 0; i < 3; ++i, a = a ? a->next : NULL, e = e ? e->next : NULL) {
        AC_TRY(follow(b, a, line.from.x[i], &from[i]));
        AC_TRY(follow(b, e, line.to.x[i], &to[i]));
        gap[i] = ac_symbol_difference(&s, to[i], from[i]);
        square = ac_symbol_sum(&s, square, ac_symbol_product(&s, gap[i], gap[i]));
    }
    AC_TRY(draw_nodes(b, &s, from, gap));
    ac_symbol length = ac_symbol_sqrt(&s, square);
    if (s.failed) return AC_NO_MEMORY;
    return depend(b, AC_DATUM_BEAM_LENGTH, 0, input->straight->place, &length);
}

/* Nodes with one mass; where several masses are on one node they stay unfollowed. */
static ac_status depend_masses(ac_builder *b, const ac_value *list, const ac_built_beam *beam)
{
    for (const ac_value *entry = list->first; entry; entry = entry->next) {
        ac_beam_mass_input in, other;
        int node, others = 0, same;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, entry, &in, sizeof in));
        AC_TRY(ac_beam_mass_node(b, &in, beam, &node));
        for (const ac_value *next = list->first; next; next = next->next) {
            AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, next, &other, sizeof other));
            AC_TRY(ac_beam_mass_node(b, &other, beam, &same));
            others += same == node;
        }
        if (others == 1) AC_TRY(ac_depend(b, AC_DATUM_MASS, node, 0, 0, in.mass.at));
    }
    return AC_OK;
}

ac_status ac_depend_beam(ac_builder *b, const ac_beam_input *input)
{
    const ac_built_beam *beam = &b->beams[b->beam_count - 1];
    bool direct = input->stiffness && input->inertia;
    if (!b->free || ac_profile_varies(&beam->profile)) return AC_OK;
    bool section = ac_depends(&b->reader, input->section) || ac_depends(&b->reader, input->material);
    if (direct) ac_follow_drawing(&b->reader, input->section);
    if (section && !direct) AC_TRY(depend_section(b, input));
    if (ac_depends(&b->reader, input->stiffness)) AC_TRY(depend_stiffness(b, input->stiffness));
    if (ac_depends(&b->reader, input->inertia)) AC_TRY(depend_inertia(b, input->inertia));
    AC_TRY(ac_depend(b, AC_DATUM_BEAM_DAMPING, b->beam_count - 1, 0, 0, input->damping.at));
    if (ac_depends(&b->reader, input->masses)) AC_TRY(depend_masses(b, input->masses, beam));
    if (ac_depends(&b->reader, input->straight) && !input->rest_length.at) AC_TRY(depend_length(b, input));
    return AC_OK;
}
