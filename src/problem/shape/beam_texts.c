/* Beams whose data depend on free parameters: stiffness, inertia, damping, masses on nodes and length as
 * expressions.
 *
 * The formulas are those of model/beam/section.c and beam_profile.c, written in the names of the parameters.
 * They are known for beams that are the same along their length; others stay unfollowed and are refused. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

enum { TEXT_SIZE = 8192 };

/* Area, second moments, torsion constant and shear factors as expressions. */
typedef struct section_texts {
    const char *area, *moment[2], *torsion, *factor[2];
} section_texts;

static ac_status number_text(ac_builder *b, double number, const char **text)
{
    char out[40];
    int length = snprintf(out, sizeof out, "(%.17g)", number);
    *text = ac_arena_text(&b->reader.arena, out, (size_t)length);
    return *text ? AC_OK : AC_NO_MEMORY;
}

static ac_status text_or_number(ac_builder *b, const ac_value *value, double number, const char **text)
{
    AC_TRY(ac_follow(&b->reader, value, text));
    return *text ? AC_OK : number_text(b, number, text);
}

static ac_status keep(ac_builder *b, const char *written, const char **text)
{
    if (strlen(written) + 1 >= TEXT_SIZE)
        return ac_fail(b->ctx, AC_BAD_INPUT, "an expression with its parameters is too long");
    *text = ac_arena_text(&b->reader.arena, written, strlen(written));
    return *text ? AC_OK : AC_NO_MEMORY;
}

/* ---- sections ---- */

typedef struct sizes {
    const char *width, *height, *radius, *inner, *web, *flange, *poisson;
} sizes;

/* Saint-Venant's series; from the seventh term on tanh is one to all digits. */
static ac_status rectangle_torsion(ac_builder *b, const sizes *s, const char **text)
{
    char out[TEXT_SIZE], large[TEXT_SIZE], small[TEXT_SIZE], sum[TEXT_SIZE];
    double rest = 0.0;
    snprintf(large, sizeof large, "max(%s,%s)", s->width, s->height);
    snprintf(small, sizeof small, "min(%s,%s)", s->width, s->height);
    for (int n = 1; n < 200; n += 2) rest += 1.0 / ((double)n * n * n * n * n);
    size_t used = (size_t)snprintf(sum, sizeof sum, "%.17g", rest);
    for (int n = 1; n < 13; n += 2) {
        int added = snprintf(sum + used, sizeof sum - used, "+(tanh(%d*pi*(%s)/(2*(%s)))-1)/%d", n, large,
                             small, n * n * n * n * n);
        used += (size_t)added;
        if (used >= sizeof sum)
            return ac_fail(b->ctx, AC_BAD_INPUT, "an expression with its parameters is too long");
    }
    int length = snprintf(out, sizeof out, "(%s)*(%s)^3/3*(1-192*(%s)/(pi^5*(%s))*(%s))", large, small, small,
                          large, sum);
    if (length >= (int)sizeof out)
        return ac_fail(b->ctx, AC_BAD_INPUT, "an expression with its parameters is too long");
    return keep(b, out, text);
}

static ac_status rectangle(ac_builder *b, const sizes *s, section_texts *t)
{
    char out[TEXT_SIZE];
    const char *w = s->width, *h = s->height;
    snprintf(out, sizeof out, "(%s)*(%s)", w, h);
    AC_TRY(keep(b, out, &t->area));
    snprintf(out, sizeof out, "(%s)*(%s)^3/12", w, h);
    AC_TRY(keep(b, out, &t->moment[0]));
    snprintf(out, sizeof out, "(%s)*(%s)^3/12", h, w);
    AC_TRY(keep(b, out, &t->moment[1]));
    t->factor[0] = t->factor[1] = "5/6";
    return rectangle_torsion(b, s, &t->torsion);
}

static ac_status ring(ac_builder *b, const sizes *s, section_texts *t)
{
    char out[TEXT_SIZE];
    const char *R = s->radius, *r = s->inner, *nu = s->poisson;
    snprintf(out, sizeof out, "pi*((%s)^2-(%s)^2)", R, r);
    AC_TRY(keep(b, out, &t->area));
    snprintf(out, sizeof out, "pi/4*((%s)^4-(%s)^4)", R, r);
    AC_TRY(keep(b, out, &t->moment[0]));
    t->moment[1] = t->moment[0];
    snprintf(out, sizeof out, "pi/2*((%s)^4-(%s)^4)", R, r);
    AC_TRY(keep(b, out, &t->torsion));
    snprintf(out, sizeof out,
             "6*(1+(%s))*(1+((%s)/(%s))^2)^2/((7+6*(%s))*(1+((%s)/(%s))^2)^2+(20+12*(%s))*((%s)/(%s))^2)", nu,
             r, R, nu, r, R, nu, r, R);
    AC_TRY(keep(b, out, &t->factor[0]));
    t->factor[1] = t->factor[0];
    return AC_OK;
}

static ac_status i_section(ac_builder *b, const sizes *s, section_texts *t)
{
    char out[TEXT_SIZE];
    const char *w = s->width, *h = s->height, *web = s->web, *f = s->flange;
    snprintf(out, sizeof out, "2*(%s)*(%s)+((%s)-2*(%s))*(%s)", w, f, h, f, web);
    AC_TRY(keep(b, out, &t->area));
    snprintf(out, sizeof out, "((%s)*(%s)^3-((%s)-(%s))*((%s)-2*(%s))^3)/12", w, h, w, web, h, f);
    AC_TRY(keep(b, out, &t->moment[0]));
    snprintf(out, sizeof out, "(2*(%s)*(%s)^3+((%s)-2*(%s))*(%s)^3)/12", f, w, h, f, web);
    AC_TRY(keep(b, out, &t->moment[1]));
    snprintf(out, sizeof out, "(2*(%s)*(%s)^3+((%s)-(%s))*(%s)^3)/3", w, f, h, f, web);
    AC_TRY(keep(b, out, &t->torsion));
    snprintf(out, sizeof out, "5/6*2*(%s)*(%s)/(%s)", w, f, t->area);
    AC_TRY(keep(b, out, &t->factor[0]));
    snprintf(out, sizeof out, "(%s)*(%s)/(%s)", h, web, t->area);
    return keep(b, out, &t->factor[1]);
}

static ac_status read_section(ac_builder *b, const ac_value *value, const char *poisson, section_texts *t)
{
    ac_section_input shapes;
    ac_section_shape_input in;
    AC_TRY(ac_section_read(&b->reader, &ac_section_cross_section, value, &shapes, sizeof shapes));
    const struct {
        const ac_value *given;
        const ac_section *section;
        ac_status (*write)(ac_builder *, const sizes *, section_texts *);
    } kinds[] = {
        {shapes.rectangle, &ac_section_rectangle, rectangle},
        {shapes.circle, &ac_section_circle, ring},
        {shapes.tube, &ac_section_tube, ring},
        {shapes.i_section, &ac_section_i_section, i_section},
    };
    int k = 0;
    while (!kinds[k].given) ++k; /* there is one */
    AC_TRY(ac_section_read(&b->reader, kinds[k].section, kinds[k].given, &in, sizeof in));
    sizes s = {.poisson = poisson};
    AC_TRY(text_or_number(b, in.width.at, in.width.value, &s.width));
    AC_TRY(text_or_number(b, in.height.at, in.height.value, &s.height));
    AC_TRY(text_or_number(b, in.radius.at, in.radius.value, &s.radius));
    AC_TRY(text_or_number(b, in.inner_radius.at, in.inner_radius.value, &s.inner));
    AC_TRY(text_or_number(b, in.web.at, in.web.value, &s.web));
    AC_TRY(text_or_number(b, in.flange.at, in.flange.value, &s.flange));
    AC_TRY(kinds[k].write(b, &s, t));
    const ac_value *factor = in.shear_factors.at ? in.shear_factors.at->first : NULL;
    for (int i = 0; factor && i < 2; ++i, factor = factor->next)
        AC_TRY(text_or_number(b, factor, in.shear_factors.x[i], &t->factor[i]));
    return AC_OK;
}

/* ---- from section and material ---- */

/* An entry, also of a list that has no other. */
static const ac_value *only(const ac_value *value)
{
    return value && value->kind == AC_LIST ? value->first : value;
}

static ac_status depend(ac_builder *b, ac_datum datum, int component, ac_place place, const char *text)
{
    const char *kept;
    AC_TRY(keep(b, text, &kept));
    const ac_dependence what = {datum, b->beam_count - 1, 0, component, kept};
    return ac_depend_expression(b, &what, place);
}

/* factor * property */
static ac_status depend_product(ac_builder *b, ac_datum datum, int component, ac_place place,
                                const char *factor, const char *property)
{
    char out[TEXT_SIZE];
    snprintf(out, sizeof out, "(%s)*(%s)", factor, property);
    return depend(b, datum, component, place, out);
}

static ac_status depend_section(ac_builder *b, const ac_beam_input *input)
{
    ac_material_input in;
    section_texts t;
    const char *young, *shear, *poisson, *density;
    char out[TEXT_SIZE];
    ac_place place = input->section->place;
    AC_TRY(ac_section_read(&b->reader, &ac_section_material, input->material, &in, sizeof in));
    AC_TRY(text_or_number(b, in.poisson.at, in.poisson.value, &poisson));
    AC_TRY(text_or_number(b, in.young.at, in.young.value, &young));
    AC_TRY(text_or_number(b, in.density.at, in.density.value, &density));
    snprintf(out, sizeof out, "(%s)/(2*(1+(%s)))", young, poisson);
    AC_TRY(keep(b, out, &shear));
    if (in.shear.at) AC_TRY(text_or_number(b, in.shear.at, in.shear.value, &shear));
    AC_TRY(read_section(b, only(input->section), poisson, &t));
    for (int i = 0; i < 2 && !input->stiffness; ++i) {
        snprintf(out, sizeof out, "(%s)*(%s)*(%s)", t.factor[i], shear, t.area);
        AC_TRY(depend(b, AC_DATUM_BEAM_STIFFNESS, i, place, out));
        AC_TRY(depend_product(b, AC_DATUM_BEAM_STIFFNESS, 3 + i, place, young, t.moment[i]));
    }
    if (!input->stiffness) {
        AC_TRY(depend_product(b, AC_DATUM_BEAM_STIFFNESS, 2, place, young, t.area));
        AC_TRY(depend_product(b, AC_DATUM_BEAM_STIFFNESS, 5, place, shear, t.torsion));
    }
    if (input->inertia) return AC_OK;
    AC_TRY(depend_product(b, AC_DATUM_BEAM_MASS, 0, place, density, t.area));
    for (int i = 0; i < 2; ++i)
        AC_TRY(depend_product(b, AC_DATUM_BEAM_INERTIA, i, place, density, t.moment[1 - i]));
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
static ac_status draw_nodes(ac_builder *b, const char *const from[3], const char *const to[3],
                            const bool depends[3])
{
    const ac_drawn_beam *beam = &b->beams[b->beam_count - 1];
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
        for (int i = 0; i < 3; ++i) {
            char out[TEXT_SIZE];
            if (!depends[i]) continue;
            snprintf(out, sizeof out, "(%s)+(%.17g)*((%s)-(%s))", from[i], share, to[i], from[i]);
            AC_TRY(keep(b, out, &texts.part[i]));
        }
        AC_TRY(ac_draw_position(b, beam->first_node + n, &texts));
    }
    return AC_OK;
}

/* The distance of both ends of a straight beam. */
static ac_status depend_length(ac_builder *b, const ac_beam_input *input)
{
    ac_straight_input line;
    const char *from[3], *to[3];
    bool depends[3];
    char out[TEXT_SIZE] = "sqrt(0";
    AC_TRY(ac_section_read(&b->reader, &ac_section_straight, input->straight, &line, sizeof line));
    const ac_value *a = line.from.at->first, *e = line.to.at->first;
    for (int i = 0; i < 3; ++i, a = a ? a->next : NULL, e = e ? e->next : NULL) {
        size_t used = strlen(out);
        AC_TRY(text_or_number(b, a, line.from.x[i], &from[i]));
        AC_TRY(text_or_number(b, e, line.to.x[i], &to[i]));
        depends[i] = ac_depends(&b->reader, a) || ac_depends(&b->reader, e);
        snprintf(out + used, sizeof out - used, "+((%s)-(%s))^2", to[i], from[i]);
    }
    AC_TRY(draw_nodes(b, from, to, depends));
    size_t used = strlen(out);
    snprintf(out + used, sizeof out - used, ")");
    return depend(b, AC_DATUM_BEAM_LENGTH, 0, input->straight->place, out);
}

/* Nodes with one mass; where several masses are on one node they stay unfollowed. */
static ac_status depend_masses(ac_builder *b, const ac_value *list, const ac_drawn_beam *beam)
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
    const ac_drawn_beam *beam = &b->beams[b->beam_count - 1];
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
