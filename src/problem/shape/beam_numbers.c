/* Beams whose data depend on free parameters: stiffness, inertia, damping, masses on nodes and length as
 * expressions. The formulas of sections are those of model/beam/section.h; where they change along the beam, they stand at
 * every place at which the mesh takes them. */
#include "base/base.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

static ac_status follow(ac_builder *b, const ac_value *value, double number, ac_num *num)
{
    num->v = number;
    return ac_follow(&b->reader, value, &num->node);
}

static ac_status depend(ac_builder *b, int datum, int side, int component, ac_place place,
                        const ac_num *number)
{
    const ac_followed what = {(ac_datum)datum, b->beam_count - 1, side, component, number->node};
    return number->node ? ac_depend_number(b, &what, place) : AC_OK;
}

/* ---- values along the beam ---- */

/* Stiffness (from strain `first` to `end`) as taken at a share of the length. */
static ac_status depend_stiffness(ac_builder *b, ac_graph *s, double share, int side, int first, int end,
                                  ac_place place)
{
    ac_beam_formula f;
    ac_profile_formula(s, b->beams[b->beam_count - 1].profile, ac_num_of(share), &f);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    for (int i = first; i < end; ++i)
        AC_TRY(depend(b, AC_DATUM_BEAM_STIFFNESS, side, i, place, &f.stiffness[i]));
    return AC_OK;
}

static ac_status depend_inertia(ac_builder *b, ac_graph *s, double share, int side, ac_place place)
{
    ac_beam_formula f;
    ac_profile_formula(s, b->beams[b->beam_count - 1].profile, ac_num_of(share), &f);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    AC_TRY(depend(b, AC_DATUM_BEAM_MASS, side, 0, place, &f.mass));
    for (int i = 0; i < 2; ++i) AC_TRY(depend(b, AC_DATUM_BEAM_INERTIA, side, i, place, &f.inertia[i]));
    return AC_OK;
}

/* At every place where the mesh takes values. */
static ac_status depend_places(ac_builder *b, ac_graph *s, ac_place place)
{
    int beam = b->beam_count - 1;
    double share[2];
    for (int k = 0; ac_system_beam_stiffness_shares(b->system, beam, k, share); ++k) {
        bool same = share[0] == share[1];
        AC_TRY(depend_stiffness(b, s, share[0], k + 1, 0, same ? 6 : 3, place));
        if (!same) AC_TRY(depend_stiffness(b, s, share[1], k + 1, 3, 6, place));
    }
    for (int k = 0; ac_system_beam_mass_share(b->system, beam, k, share); ++k)
        AC_TRY(depend_inertia(b, s, share[0], k + 1, place));
    return AC_OK;
}

/* The numbers of the profile are set; stiffness and masses follow from them where the mesh takes them. */
static ac_status depend_profile(ac_builder *b, ac_place place)
{
    ac_profile *profile = b->beams[b->beam_count - 1].profile;
    ac_graph *s = b->reader.graph;
    const ac_num *number;
    bool varies = ac_profile_varies(profile), depends = false;
    for (int k = 0; (number = ac_profile_number(profile, k)) != NULL; ++k) {
        depends = depends || number->node;
        if (varies && ac_sets_values(b)) AC_TRY(depend(b, AC_BEAM_PROFILE, 0, k, place, number));
    }
    for (int k = 0; k < 2; ++k)
        AC_TRY(depend(b, AC_DATUM_BEAM_RELAXATION, 0, k, place, &profile->material.relaxation[k]));
    if (!depends) return AC_OK;
    if (varies) return depend_places(b, s, place);
    AC_TRY(depend_stiffness(b, s, 0.0, 0, 0, 6, place));
    return depend_inertia(b, s, 0.0, 0, place);
}

/* ---- length and masses ---- */

/* Where the nodes are, between both ends. */
static ac_status draw_nodes(ac_builder *b, ac_graph *s, const ac_num from[3], const ac_num gap[3])
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
        ac_nodes nodes = {{0, 0, 0}};
        for (int i = 0; i < 3; ++i) share += (x[i] - first->position[i]) * length[i] / whole;
        for (int i = 0; i < 3; ++i)
            nodes.node[i] = ac_num_add(s, from[i], ac_num_scale(s, share, gap[i])).node;
        AC_TRY(ac_draw_position(b, beam->first_node + n, &nodes));
    }
    return AC_OK;
}

/* The distance of both ends of a straight beam. */
static ac_status depend_length(ac_builder *b, const ac_beam_input *input)
{
    ac_straight_input line;
    ac_num from[3], to[3], gap[3], square = ac_num_of(0.0);
    ac_graph *s = b->reader.graph;
    AC_TRY(ac_section_read(&b->reader, &ac_section_straight, input->straight, &line, sizeof line));
    const ac_value *a = line.from.at->first, *e = line.to.at->first;
    for (int i = 0; i < 3; ++i, a = a ? a->next : NULL, e = e ? e->next : NULL) {
        AC_TRY(follow(b, a, line.from.x[i], &from[i]));
        AC_TRY(follow(b, e, line.to.x[i], &to[i]));
        gap[i] = ac_num_subtract(s, to[i], from[i]);
        square = ac_num_add(s, square, ac_num_multiply(s, gap[i], gap[i]));
    }
    AC_TRY(draw_nodes(b, s, from, gap));
    ac_num length = ac_num_unary(s, OP_SQRT, square);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    return depend(b, AC_DATUM_BEAM_LENGTH, 0, 0, input->straight->place, &length);
}

/* All masses on a node together, with the first of them. */
static ac_status sum_masses(ac_builder *b, const ac_value *list, const ac_value *entry,
                            const ac_built_beam *beam, int node, ac_num *sum)
{
    ac_graph *s = b->reader.graph;
    bool first = true;
    *sum = ac_num_of(0.0);
    for (const ac_value *next = list->first; next; next = next->next) {
        ac_beam_mass_input in;
        int same;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, next, &in, sizeof in));
        AC_TRY(ac_beam_mass_node(b, &in, beam, &same));
        if (same != node) continue;
        if (first && next != entry) return AC_OK; /* they are with another entry */
        first = false;
        ac_num mass = ac_num_of(in.mass.value);
        AC_TRY(ac_follow(&b->reader, in.mass.at, &mass.node));
        *sum = ac_num_add(s, *sum, mass);
    }
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

static ac_status depend_masses(ac_builder *b, const ac_value *list, const ac_built_beam *beam)
{
    for (const ac_value *entry = list->first; entry; entry = entry->next) {
        ac_beam_mass_input in;
        ac_num sum;
        int node;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_mass, entry, &in, sizeof in));
        AC_TRY(ac_beam_mass_node(b, &in, beam, &node));
        AC_TRY(sum_masses(b, list, entry, beam, node, &sum));
        const ac_followed what = {AC_DATUM_MASS, node, 0, 0, sum.node};
        if (sum.node) AC_TRY(ac_depend_number(b, &what, entry->place));
    }
    return AC_OK;
}

/* Numbers of the scalar parts of dual quaternions, from `first` on. */
static ac_status depend_ambient(ac_builder *b, const ac_value *list, int first)
{
    int k = first;
    for (const ac_value *value = list ? list->first : NULL; value; value = value->next)
        AC_TRY(ac_depend_start(b, AC_BEAM_AMBIENT, b->beam_count - 1, 0, k++, value));
    return AC_OK;
}

ac_status ac_depend_beam(ac_builder *b, const ac_value *entry, const ac_beam_input *input)
{
    const ac_built_beam *beam = &b->beams[b->beam_count - 1];
    if (!b->free) return AC_OK;
    AC_TRY(depend_profile(b, entry->key_place));
    AC_TRY(ac_depend_curve(b, input));
    AC_TRY(ac_depend_start(b, AC_BEAM_REST, b->beam_count - 1, 0, 0, input->rest_length.at));
    AC_TRY(ac_depend_start_list(b, AC_BEAM_PRECURVATURE, b->beam_count - 1, 0, input->precurvature.at));
    AC_TRY(depend_ambient(b, input->ambient_inertia.at, 0));
    AC_TRY(depend_ambient(b, input->ambient_stiffness.at, 2));
    AC_TRY(ac_depend(b, AC_DATUM_BEAM_DAMPING, b->beam_count - 1, 0, 0, input->damping.at));
    if (ac_depends(&b->reader, input->masses)) AC_TRY(depend_masses(b, input->masses, beam));
    if (ac_depends(&b->reader, input->straight) && !input->rest_length.at) AC_TRY(depend_length(b, input));
    return AC_OK;
}
