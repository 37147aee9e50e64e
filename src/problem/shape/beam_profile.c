/* Profiles of beams: reading stations, interpolation between them, values from section and material. */
#include "model/beam/beam.h"
#include "problem/shape/beam_profile.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "problem/build/parameters.h"

enum { WIDTH, HEIGHT, RADIUS, INNER_RADIUS, WEB, FLANGE, FACTOR_1, FACTOR_2, SECTION_WIDTH };
enum { STIFFNESS_WIDTH = 6, INERTIA_WIDTH = 3 };

/* An element may end this far from a step, as a share of the length. */
static const double STEP_TOLERANCE = 1e-6;
static const double STANDARD_POISSON = 0.3;

/* ---- stations ---- */

static ac_status take_stations(ac_builder *b, const ac_value *value, int width, ac_stations *s)
{
    ac_arena *arena = &b->reader.arena;
    int count = value->kind == AC_LIST ? value->count : 1;
    if (count == 0) return ac_fail_at(b->ctx, value->place, "%s must have at least one entry", value->key);
    s->width = width;
    s->at = ac_arena_take(arena, (size_t)count, sizeof *s->at);
    s->value = ac_arena_take(arena, (size_t)count * (size_t)width, sizeof *s->value);
    s->given = ac_arena_take(arena, (size_t)count, sizeof *s->given);
    if (!s->at || !s->value || !s->given) return AC_NO_MEMORY;
    if (value->kind != AC_LIST) {
        s->given[s->count++] = value;
        return AC_OK;
    }
    for (const ac_value *entry = value->first; entry; entry = entry->next) s->given[s->count++] = entry;
    return AC_OK;
}

/* Takes the `at` of station k. */
static ac_status place_station(ac_builder *b, ac_stations *s, int k, const ac_given_number *at)
{
    const ac_value *entry = s->given[k];
    if (s->count == 1 && !at->at) return AC_OK;
    if (!at->at)
        return ac_fail_at(b->ctx, entry->place, "'at' is missing in this entry of a list of stations");
    if (s->count == 1)
        return ac_fail_at(b->ctx, at->at->key_place,
                          "'at' needs a second station; leave it out, or give a list");
    if (!(at->value >= 0 && at->value <= 1))
        return ac_fail_at(b->ctx, at->at->place, "at must be between 0 and 1, not %g", at->value);
    if (k > 0 && at->value < s->at[k - 1].v)
        return ac_fail_at(b->ctx, at->at->place,
                          "the stations must be in the order of the beam, from 0 to 1");
    if (k > 1 && at->value == s->at[k - 2].v)
        return ac_fail_at(b->ctx, at->at->place, "there are three stations at %g; a step needs two",
                          at->value);
    s->at[k].v = at->value;
    if (k > 0 && at->value == s->at[k - 1].v) return AC_OK; /* a step cannot move: elements end there */
    return ac_follow(&b->reader, at->at, &s->at[k].node);
}

/* The station before s, and how far it is to the next one; at a step, `left` decides. */
static int locate(ac_graph *g, const ac_stations *s, ac_num at, bool left, ac_num *share)
{
    int k = 0;
    while (k + 1 < s->count && (left ? s->at[k + 1].v < at.v : s->at[k + 1].v <= at.v)) ++k;
    *share = ac_num_of(0.0);
    if (k + 1 < s->count && at.v > s->at[k].v)
        *share = ac_num_divide(g, ac_num_subtract(g, at, s->at[k]),
                               ac_num_subtract(g, s->at[k + 1], s->at[k]));
    return k;
}

static int interpolate(ac_graph *g, const ac_stations *s, ac_num at, bool left, ac_num *value)
{
    ac_num share;
    int k = locate(g, s, at, left, &share);
    const ac_num *a = s->value + k * s->width, *c = a + s->width;
    for (int i = 0; i < s->width; ++i)
        value[i] = share.v > 0
                       ? ac_num_add(g, a[i], ac_num_multiply(g, share, ac_num_subtract(g, c[i], a[i])))
                       : a[i];
    return k;
}

static ac_status follow(ac_builder *b, const ac_given_number *number, ac_num *num)
{
    num->v = number->value;
    return ac_follow(&b->reader, number->at, &num->node);
}

/* Components of a list. */
static ac_status follow_list(ac_builder *b, const ac_given_vector *given, int count, ac_num *out)
{
    const ac_value *value = given->at ? given->at->first : NULL;
    for (int i = 0; i < count; ++i, value = value ? value->next : NULL) {
        out[i].v = given->x[i];
        AC_TRY(ac_follow(&b->reader, value, &out[i].node));
    }
    return AC_OK;
}

/* ---- reading ---- */

static ac_status find_shape(ac_builder *b, const ac_value *value, ac_section_input *shapes,
                            const ac_value **shape, const ac_section **section, ac_beam_shape *kind)
{
    AC_TRY(ac_section_read(&b->reader, &ac_section_cross_section, value, shapes, sizeof *shapes));
    const struct {
        const ac_value *given;
        const ac_section *section;
        ac_beam_shape shape;
    } kinds[] = {
        {shapes->rectangle, &ac_section_rectangle, AC_BEAM_RECTANGLE},
        {shapes->circle, &ac_section_circle, AC_BEAM_CIRCLE},
        {shapes->tube, &ac_section_tube, AC_BEAM_TUBE},
        {shapes->i_section, &ac_section_i_section, AC_BEAM_I_SECTION},
    };
    *shape = NULL;
    for (int k = 0; k < 4; ++k) {
        if (!kinds[k].given) continue;
        if (*shape) return ac_fail_at(b->ctx, kinds[k].given->key_place, "a section has one shape, not two");
        *shape = kinds[k].given;
        *section = kinds[k].section;
        *kind = kinds[k].shape;
    }
    if (*shape) return AC_OK;
    return ac_fail_at(b->ctx, value->place, "a section needs a shape: rectangle, circle, tube or i_section");
}

/* What ac_beam_section_check asks of sizes together. */
static ac_status note_limits(ac_builder *b, const ac_beam_section *s, const ac_section_shape_input *in)
{
    static const char fit[] = "the flanges and the web must fit into height and width";
    if (s->shape == AC_BEAM_TUBE)
        return ac_note_order(&b->reader, in->radius.at, s->radius, in->inner_radius.at, s->inner_radius, 1.0,
                             false, "inner_radius must be smaller than radius");
    if (s->shape != AC_BEAM_I_SECTION) return AC_OK;
    AC_TRY(ac_note_order(&b->reader, in->height.at, s->height, in->flange.at, s->flange, 2.0, false, fit));
    return ac_note_order(&b->reader, in->width.at, s->width, in->web.at, s->web, 1.0, true, fit);
}

static ac_status read_section(ac_builder *b, int k, ac_profile *p)
{
    ac_section_input shapes;
    ac_section_shape_input in;
    const ac_value *shape;
    const ac_section *section = NULL;
    ac_stations *s = &p->sections;
    AC_TRY(find_shape(b, s->given[k], &shapes, &shape, &section, &p->shapes[k]));
    AC_TRY(place_station(b, s, k, &shapes.at));
    AC_TRY(ac_section_read(&b->reader, section, shape, &in, sizeof in));
    const ac_beam_section read = {.shape = p->shapes[k],
                                  .width = in.width.value,
                                  .height = in.height.value,
                                  .radius = in.radius.value,
                                  .inner_radius = in.inner_radius.value,
                                  .web = in.web.value,
                                  .flange = in.flange.value};
    AC_TRY(ac_build_failed(b, ac_beam_section_check(b->ctx, &read), shape->place));
    AC_TRY(note_limits(b, &read, &in));
    ac_num *row = s->value + k * s->width;
    AC_TRY(follow(b, &in.width, &row[WIDTH]));
    AC_TRY(follow(b, &in.height, &row[HEIGHT]));
    AC_TRY(follow(b, &in.radius, &row[RADIUS]));
    AC_TRY(follow(b, &in.inner_radius, &row[INNER_RADIUS]));
    AC_TRY(follow(b, &in.web, &row[WEB]));
    AC_TRY(follow(b, &in.flange, &row[FLANGE]));
    AC_TRY(follow_list(b, &in.shear_factors, 2, &row[FACTOR_1]));
    bool factors = in.shear_factors.at != NULL;
    if (k == 0) p->has_factors = factors;
    if (factors != p->has_factors)
        return ac_fail_at(b->ctx, shape->place, "give shear_factors in all sections of a beam, or in none");
    if (k > 0 && p->shapes[k] != p->shapes[k - 1] && s->at[k].v > s->at[k - 1].v)
        return ac_fail_at(
            b->ctx, shape->key_place,
            "between two stations only the dimensions can change, not the shape; for a step give both "
            "shapes at the same place");
    return AC_OK;
}

/* Relaxation times: the bulk and shear viscosity of an extension without stress across it, unless it is given. */
static ac_status read_viscosities(ac_builder *b, const ac_material_input *in, ac_material *m)
{
    ac_graph *s = b->reader.graph;
    ac_num shear, bulk, extension, ratio = ac_num_divide(s, m->young, m->shear),
                                   rest = ac_num_subtract(s, ac_num_of(3.0), ratio);
    AC_TRY(follow(b, &in->shear_viscosity, &shear));
    AC_TRY(follow(b, &in->bulk_viscosity, &bulk));
    extension = ac_num_add(
        s, ac_num_multiply(s, ac_num_multiply(s, bulk, rest), rest),
        ac_num_divide(s, ac_num_multiply(s, ac_num_multiply(s, shear, ratio), ratio), ac_num_of(3.0)));
    if (in->extensional_viscosity.at) AC_TRY(follow(b, &in->extensional_viscosity, &extension));
    m->relaxation[0] = ac_num_divide(s, shear, m->shear);
    m->relaxation[1] = ac_num_divide(s, extension, m->young);
    if (!in->shear_viscosity.at) m->relaxation[0] = ac_num_of(0.0);
    if (!in->shear_viscosity.at && !in->bulk_viscosity.at && !in->extensional_viscosity.at)
        m->relaxation[1] = ac_num_of(0.0);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

static ac_status read_material(ac_builder *b, const ac_value *value, ac_profile *p)
{
    static const char poisson[] = "poisson must be above -1 and at most 0.5";
    ac_material_input in;
    ac_material *m = &p->material;
    ac_graph *s = b->reader.graph;
    AC_TRY(ac_section_read(&b->reader, &ac_section_material, value, &in, sizeof in));
    ac_beam_material given = {.poisson = in.poisson.value,
                              .young = in.young.value,
                              .shear = in.shear.value,
                              .density = in.density.value};
    p->has_material = true;
    ac_status status = ac_beam_material_check(b->ctx, &given);
    AC_TRY(ac_build_failed(b, status, in.poisson.at ? in.poisson.at->place : value->place));
    AC_TRY(ac_note_order(&b->reader, in.poisson.at, in.poisson.value, NULL, -1.0, 1.0, false, poisson));
    AC_TRY(ac_note_order(&b->reader, NULL, 0.5, in.poisson.at, in.poisson.value, 1.0, true, poisson));
    AC_TRY(follow(b, &in.poisson, &m->poisson));
    AC_TRY(follow(b, &in.young, &m->young));
    AC_TRY(follow(b, &in.density, &m->density));
    m->shear = ac_shear_formula(s, m->young, m->poisson);
    if (in.shear.at) AC_TRY(follow(b, &in.shear, &m->shear));
    m->shear.v = given.shear;
    return ac_graph_failed(s) ? AC_NO_MEMORY : read_viscosities(b, &in, m);
}

static ac_status read_stiffness(ac_builder *b, const ac_value *value, ac_stations *s)
{
    AC_TRY(take_stations(b, value, STIFFNESS_WIDTH, s));
    for (int k = 0; k < s->count; ++k) {
        ac_beam_stiffness_input in;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_stiffness, s->given[k], &in, sizeof in));
        AC_TRY(place_station(b, s, k, &in.at));
        ac_num *row = s->value + k * s->width;
        AC_TRY(follow_list(b, &in.shear, 2, row));
        AC_TRY(follow(b, &in.axial, &row[2]));
        AC_TRY(follow_list(b, &in.bending, 2, row + 3));
        AC_TRY(follow(b, &in.torsion, &row[5]));
    }
    return AC_OK;
}

static ac_status read_inertia(ac_builder *b, const ac_value *value, ac_stations *s)
{
    AC_TRY(take_stations(b, value, INERTIA_WIDTH, s));
    for (int k = 0; k < s->count; ++k) {
        ac_beam_inertia_input in;
        AC_TRY(ac_section_read(&b->reader, &ac_section_beam_inertia, s->given[k], &in, sizeof in));
        AC_TRY(place_station(b, s, k, &in.at));
        AC_TRY(follow(b, &in.mass, &s->value[k * s->width]));
        AC_TRY(follow_list(b, &in.rotary, 2, s->value + k * s->width + 1));
    }
    return AC_OK;
}

/* An energy takes the place of the stiffness. */
static ac_status check_energy(ac_builder *b, const ac_beam_input *input, const ac_profile *p)
{
    if (!p->energy) return AC_OK;
    if (input->stiffness)
        return ac_fail_at(b->ctx, input->stiffness->key_place,
                          "a beam has an energy or a stiffness; the stiffness follows from the energy");
    for (int k = 0; k <= 8; ++k) {
        double stiffness[6];
        AC_TRY(ac_build_failed(b,
                               ac_named_energy_stiffness(b->ctx, p->energy->whole, p->energy->names,
                                                         p->energy->values, k / 8.0 * p->length, stiffness),
                               input->energy.at->place));
    }
    return AC_OK;
}

ac_status ac_profile_read(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                          const ac_named_energy *energy, double length, ac_profile *p)
{
    bool direct = (input->stiffness || energy) && input->inertia;
    bool drawn_only = direct && input->section && !input->material;
    *p = (ac_profile){
        .material = {.poisson = ac_num_of(STANDARD_POISSON)}, .energy = energy, .length = length};
    AC_TRY(check_energy(b, input, p));
    if (!direct && (!input->section || !input->material))
        return ac_fail_at(b->ctx, entry->key_place,
                          "the beam '%s' needs section and material, or stiffness (or energy) and inertia",
                          entry->key);
    if (direct && input->material && !input->section)
        return ac_fail_at(b->ctx, input->material->key_place, "material needs a section, too");
    if (input->section) {
        AC_TRY(take_stations(b, input->section, SECTION_WIDTH, &p->sections));
        p->shapes = ac_arena_take(&b->reader.arena, (size_t)p->sections.count, sizeof *p->shapes);
        if (!p->shapes) return AC_NO_MEMORY;
        if (!drawn_only) AC_TRY(read_material(b, input->material, p));
        for (int k = 0; k < p->sections.count; ++k) AC_TRY(read_section(b, k, p));
    }
    if (input->stiffness) AC_TRY(read_stiffness(b, input->stiffness, &p->stiffness));
    if (input->inertia) AC_TRY(read_inertia(b, input->inertia, &p->inertia));
    return AC_OK;
}

/* ---- values ---- */

bool ac_profile_varies(const ac_profile *p)
{
    return p->sections.count > 1 || p->stiffness.count > 1 || p->inertia.count > 1 ||
           (p->energy && (p->energy->names > 0 || ac_expression_has(p->energy->whole, AC_BEAM_STRAINS)));
}

/* Sizes of the section and what follows from them; false: there is none. */
static bool section_formula(ac_graph *s, const ac_profile *p, ac_num at, bool left, ac_beam_shape *shape,
                            ac_section_sizes *z, ac_section_formula *f)
{
    ac_num x[SECTION_WIDTH];
    if (p->sections.count == 0) return false;
    *shape = p->shapes[interpolate(s, &p->sections, at, left, x)];
    *z = (ac_section_sizes){x[WIDTH], x[HEIGHT], x[RADIUS],          x[INNER_RADIUS],
                            x[WEB],   x[FLANGE], p->material.poisson};
    ac_section_formulas(s, *shape, z, f);
    for (int i = 0; p->has_factors && i < 2; ++i) f->factor[i] = x[FACTOR_1 + i];
    return true;
}

static void formula_at(ac_graph *s, const ac_profile *p, ac_num at, bool left, ac_beam_formula *out)
{
    const ac_material *m = &p->material;
    ac_beam_shape shape;
    ac_section_sizes z;
    ac_section_formula f;
    *out = (ac_beam_formula){.mass = ac_num_of(0.0)};
    if (p->has_material && section_formula(s, p, at, left, &shape, &z, &f))
        ac_beam_formulas(s, &f, m->young, m->shear, m->density, out);
    if (p->energy) {
        double stiffness[6];
        ac_named_energy_stiffness(NULL, p->energy->whole, p->energy->names, p->energy->values,
                                  at.v * p->length, stiffness);
        for (int i = 0; i < 6; ++i) out->stiffness[i] = ac_num_of(stiffness[i]);
    }
    if (p->stiffness.count > 0) interpolate(s, &p->stiffness, at, left, out->stiffness);
    if (p->inertia.count > 0) {
        ac_num x[INERTIA_WIDTH];
        interpolate(s, &p->inertia, at, left, x);
        out->mass = x[0];
        out->inertia[0] = x[1];
        out->inertia[1] = x[2];
    }
}

void ac_profile_formula(ac_graph *s, const ac_profile *p, ac_num at, ac_beam_formula *formula)
{
    formula_at(s, p, at, at.v >= 1.0, formula);
}

static void evaluate(const ac_profile *p, double at, bool left, ac_beam_values *values)
{
    ac_beam_formula f;
    formula_at(NULL, p, ac_num_of(at), left, &f);
    for (int i = 0; i < 6; ++i) values->stiffness[i] = f.stiffness[i].v;
    values->mass = f.mass.v;
    for (int i = 0; i < 2; ++i) values->inertia[i] = f.inertia[i].v;
}

void ac_profile_evaluate(const void *data, double s, ac_beam_values *values)
{
    evaluate(data, s, s >= 1.0, values);
}

/* Number k of a list of stations; otherwise k is what it is of the next list. */
static ac_num *number_of(const ac_stations *s, int *k)
{
    int numbers = s->count * (s->width + 1);
    if (*k >= numbers) {
        *k -= numbers;
        return NULL;
    }
    return *k < s->count ? &s->at[*k] : &s->value[*k - s->count];
}

ac_num *ac_profile_number(ac_profile *p, int k)
{
    ac_material *m = &p->material;
    ac_num *const rest[] = {&m->young, &m->shear, &m->poisson, &m->density};
    ac_num *found = number_of(&p->sections, &k);
    if (!found) found = number_of(&p->stiffness, &k);
    if (!found) found = number_of(&p->inertia, &k);
    return found ? found : k < (int)(sizeof rest / sizeof *rest) ? rest[k] : NULL;
}

/* ---- steps ---- */

static ac_status check_steps(ac_builder *b, const ac_stations *s, const double *ends, int count)
{
    for (int k = 1; k < s->count; ++k) {
        double at = s->at[k].v, nearest = 0.0;
        if (at > s->at[k - 1].v || at <= 0.0 || at >= 1.0) continue;
        for (int e = 0; e < count; ++e)
            if (fabs(ends[e] - at) < fabs(nearest - at)) nearest = ends[e];
        if (fabs(nearest - at) > STEP_TOLERANCE)
            return ac_fail_at(
                b->ctx, s->given[k]->place,
                "there is a step at %g of the length, but no element ends there; the nearest end is at "
                "%.6g: choose another number of elements",
                at, nearest);
    }
    return AC_OK;
}

ac_status ac_profile_check_steps(ac_builder *b, const ac_profile *p, const double *ends, int count)
{
    AC_TRY(check_steps(b, &p->sections, ends, count));
    AC_TRY(check_steps(b, &p->stiffness, ends, count));
    return check_steps(b, &p->inertia, ends, count);
}

/* ---- showing ---- */

static const ac_stations *shown(const ac_profile *p)
{
    const ac_stations *s = p->sections.count > 0 ? &p->sections : p->energy ? &p->inertia : &p->stiffness;
    return s->count < p->stiffness.count ? &p->stiffness : s;
}

int ac_profile_stations(const ac_profile *p)
{
    return shown(p)->count;
}

void ac_profile_station(const ac_profile *p, int k, double *at, ac_beam_section *section,
                        ac_beam_values *values)
{
    const ac_stations *s = shown(p);
    bool left = k + 1 < s->count && s->at[k + 1].v == s->at[k].v;
    ac_section_sizes z;
    ac_section_formula f;
    *at = s->at[k].v;
    *section = (ac_beam_section){.shape = AC_BEAM_NO_SHAPE};
    evaluate(p, *at, left, values);
    if (!section_formula(NULL, p, ac_num_of(*at), left, &section->shape, &z, &f)) return;
    section->width = z.width.v;
    section->height = z.height.v;
    section->radius = z.radius.v;
    section->inner_radius = z.inner_radius.v;
    section->web = z.web.v;
    section->flange = z.flange.v;
    section->area = f.area.v;
    section->torsion = f.torsion.v;
    for (int i = 0; i < 2; ++i) {
        section->moment[i] = f.moment[i].v;
        section->shear_factor[i] = f.factor[i].v;
    }
}
