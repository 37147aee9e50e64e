/* Cross-sections of beams: areas, second moments, torsion constants and shear factors from shapes; with a
 * material, what a beam resists and weighs. */
#include "model/beam/section.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"

static const double PI = 3.14159265358979323846;

/* --- properties ----------------------------------------------------------------------------------------- */

static ac_num times(ac_graph *s, ac_num a, ac_num b)
{
    return ac_num_multiply(s, a, b);
}

static ac_num plus(ac_graph *s, ac_num a, ac_num b)
{
    return ac_num_add(s, a, b);
}

static ac_num minus(ac_graph *s, ac_num a, ac_num b)
{
    return ac_num_subtract(s, a, b);
}

static ac_num over(ac_graph *s, ac_num a, double divisor)
{
    return ac_num_divide(s, a, ac_num_of(divisor));
}

static ac_num scaled(ac_graph *s, double factor, ac_num a)
{
    return ac_num_scale(s, factor, a);
}

/* a b^3 */
static ac_num with_cube(ac_graph *s, ac_num a, ac_num b)
{
    return times(s, times(s, times(s, a, b), b), b);
}

/* a b^3 / 3 [1 - 192 b / (pi^5 a) sum tanh(n pi a / 2b) / n^5, n odd], a >= b; from the seventh term on tanh is one to
 * all digits */
static ac_num rectangle_torsion(ac_graph *s, ac_num width, ac_num height)
{
    ac_num a = ac_num_binary(s, OP_MAX, width, height), b = ac_num_binary(s, OP_MIN, width, height);
    ac_num ratio = ac_num_divide(s, a, b), sum = ac_num_of(0.0);
    double rest = 0.0;
    for (int n = 199; n > 12; n -= 2) rest += 1.0 / ac_pow(n, 5);
    sum.v = rest;
    for (int n = 11; n > 0; n -= 2)
        sum = plus(s, sum, over(s, ac_num_unary(s, OP_TANH, scaled(s, n * PI / 2.0, ratio)), ac_pow(n, 5)));
    ac_num lost = ac_num_divide(s, scaled(s, 192.0 / ac_pow(PI, 5), sum), ratio);
    return times(s, over(s, with_cube(s, a, b), 3.0), minus(s, ac_num_of(1.0), lost));
}

static void rectangle(ac_graph *s, const ac_section_sizes *z, ac_section_formula *f)
{
    ac_num w = z->width, h = z->height;
    f->area = times(s, w, h);
    f->moment[0] = over(s, with_cube(s, w, h), 12.0);
    f->moment[1] = over(s, with_cube(s, h, w), 12.0);
    f->torsion = rectangle_torsion(s, w, h);
    f->factor[0] = f->factor[1] = ac_num_of(5.0 / 6.0);
}

/* Cowper (1966): 6 (1 + nu) (1 + m^2)^2 / [(7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2], m = inner / outer
 * radius */
static void ring(ac_graph *s, const ac_section_sizes *z, ac_section_formula *f)
{
    ac_num R = z->radius, r = z->inner_radius, nu = z->poisson, m = ac_num_divide(s, r, R),
           m2 = times(s, m, m), one = plus(s, ac_num_of(1.0), m2), q = times(s, one, one);
    f->area = scaled(s, PI, minus(s, times(s, R, R), times(s, r, r)));
    f->moment[0] = f->moment[1] = scaled(s, PI / 4.0, minus(s, ac_num_power(s, R, 4), ac_num_power(s, r, 4)));
    f->torsion = scaled(s, 2.0, f->moment[0]);
    ac_num above = times(s, scaled(s, 6.0, plus(s, ac_num_of(1.0), nu)), q),
           full = times(s, plus(s, ac_num_of(7.0), scaled(s, 6.0, nu)), q),
           hollow = times(s, plus(s, ac_num_of(20.0), scaled(s, 12.0, nu)), m2);
    f->factor[0] = f->factor[1] = ac_num_divide(s, above, plus(s, full, hollow));
}

static void i_section(ac_graph *s, const ac_section_sizes *z, ac_section_formula *f)
{
    ac_num b = z->width, h = z->height, w = z->web, t = z->flange, inner = minus(s, h, scaled(s, 2.0, t)),
           flanges = times(s, scaled(s, 2.0, b), t);
    f->area = plus(s, flanges, times(s, inner, w));
    f->moment[0] = over(s, minus(s, with_cube(s, b, h), with_cube(s, minus(s, b, w), inner)), 12.0);
    f->moment[1] = over(s, plus(s, with_cube(s, scaled(s, 2.0, t), b), with_cube(s, inner, w)), 12.0);
    f->torsion = over(s, plus(s, with_cube(s, scaled(s, 2.0, b), t), with_cube(s, minus(s, h, t), w)), 3.0);
    f->factor[0] = ac_num_divide(s, scaled(s, 5.0 / 6.0, flanges), f->area);
    f->factor[1] = ac_num_divide(s, times(s, h, w), f->area);
}

void ac_section_formulas(ac_graph *s, ac_beam_shape shape, const ac_section_sizes *z, ac_section_formula *f)
{
    switch (shape) {
    case AC_BEAM_RECTANGLE: rectangle(s, z, f); break;
    case AC_BEAM_CIRCLE:
    case AC_BEAM_TUBE: ring(s, z, f); break;
    case AC_BEAM_I_SECTION: i_section(s, z, f); break;
    case AC_BEAM_NO_SHAPE: break;
    }
}

ac_num ac_shear_formula(ac_graph *s, ac_num young, ac_num poisson)
{
    return ac_num_divide(s, young, scaled(s, 2.0, plus(s, ac_num_of(1.0), poisson)));
}

void ac_beam_formulas(ac_graph *s, const ac_section_formula *f, ac_num young, ac_num shear, ac_num density,
                      ac_beam_formula *out)
{
    for (int i = 0; i < 2; ++i) {
        out->stiffness[i] = times(s, times(s, f->factor[i], shear), f->area);
        out->stiffness[3 + i] = times(s, young, f->moment[i]);
        out->inertia[i] = times(s, density, f->moment[1 - i]);
    }
    out->stiffness[2] = times(s, young, f->area);
    out->stiffness[5] = times(s, shear, f->torsion);
    out->mass = times(s, density, f->area);
}

void ac_beam_section_properties(ac_beam_section *s, double poisson)
{
    const ac_section_sizes z = {ac_num_of(s->width),        ac_num_of(s->height), ac_num_of(s->radius),
                                ac_num_of(s->inner_radius), ac_num_of(s->web),    ac_num_of(s->flange),
                                ac_num_of(poisson)};
    ac_section_formula f;
    if (s->shape == AC_BEAM_NO_SHAPE) return;
    ac_section_formulas(NULL, s->shape, &z, &f);
    s->area = f.area.v;
    s->torsion = f.torsion.v;
    for (int i = 0; i < 2; ++i) {
        s->moment[i] = f.moment[i].v;
        s->shear_factor[i] = f.factor[i].v;
    }
}

ac_beam_values ac_beam_values_of(const ac_beam_section *s, const ac_beam_material *m)
{
    const ac_section_formula f = {ac_num_of(s->area),
                                  {ac_num_of(s->moment[0]), ac_num_of(s->moment[1])},
                                  ac_num_of(s->torsion),
                                  {ac_num_of(s->shear_factor[0]), ac_num_of(s->shear_factor[1])}};
    ac_beam_formula of;
    ac_beam_values values;
    ac_beam_formulas(NULL, &f, ac_num_of(m->young), ac_num_of(m->shear), ac_num_of(m->density), &of);
    for (int i = 0; i < 6; ++i) values.stiffness[i] = of.stiffness[i].v;
    values.mass = of.mass.v;
    for (int i = 0; i < 2; ++i) values.inertia[i] = of.inertia[i].v;
    return values;
}

/* --- checks --------------------------------------------------------------------------------------------- */

static ac_status check_positive(ac_context *ctx, const char *name, double value)
{
    if (value > 0 && isfinite(value)) return AC_OK;
    return ac_fail(ctx, AC_BAD_INPUT, "%s must be positive", name);
}

ac_status ac_beam_section_check(ac_context *ctx, const ac_beam_section *s)
{
    bool flat = s->shape == AC_BEAM_RECTANGLE || s->shape == AC_BEAM_I_SECTION;
    bool round = s->shape == AC_BEAM_CIRCLE || s->shape == AC_BEAM_TUBE;
    if (!flat && !round) return ac_fail(ctx, AC_BAD_INPUT, "the section has no shape");
    if (flat) AC_TRY(check_positive(ctx, "width", s->width));
    if (flat) AC_TRY(check_positive(ctx, "height", s->height));
    if (round) AC_TRY(check_positive(ctx, "radius", s->radius));
    if (s->shape == AC_BEAM_CIRCLE && s->inner_radius != 0)
        return ac_fail(ctx, AC_BAD_INPUT, "a circle has no inner radius; it would be a tube");
    if (s->shape == AC_BEAM_TUBE) AC_TRY(check_positive(ctx, "inner_radius", s->inner_radius));
    if (s->shape == AC_BEAM_TUBE && !(s->inner_radius < s->radius))
        return ac_fail(ctx, AC_BAD_INPUT, "inner_radius must be smaller than radius");
    if (s->shape != AC_BEAM_I_SECTION) return AC_OK;
    AC_TRY(check_positive(ctx, "web", s->web));
    AC_TRY(check_positive(ctx, "flange", s->flange));
    if (!(2 * s->flange < s->height && s->web <= s->width))
        return ac_fail(ctx, AC_BAD_INPUT, "the flanges and the web must fit into height and width");
    return AC_OK;
}

static ac_status check_poisson(ac_context *ctx, double poisson)
{
    if (poisson > -1 && poisson <= 0.5) return AC_OK;
    return ac_fail(ctx, AC_BAD_INPUT, "poisson must be above -1 and at most 0.5");
}

ac_status ac_beam_material_check(ac_context *ctx, ac_beam_material *m)
{
    AC_TRY(check_positive(ctx, "young", m->young));
    AC_TRY(check_poisson(ctx, m->poisson));
    if (m->shear == 0) m->shear = ac_shear_formula(NULL, ac_num_of(m->young), ac_num_of(m->poisson)).v;
    AC_TRY(check_positive(ctx, "shear", m->shear));
    return check_positive(ctx, "density", m->density);
}

/* --- the public functions ------------------------------------------------------------------------------- */

ac_status ac_beam_section_compute(ac_context *ctx, ac_beam_section *section, double poisson)
{
    AC_TRY(ac_beam_section_check(ctx, section));
    AC_TRY(check_poisson(ctx, poisson));
    ac_beam_section_properties(section, poisson);
    return AC_OK;
}

ac_status ac_beam_section_values(ac_context *ctx, const ac_beam_section *section,
                                 const ac_beam_material *material, ac_beam_values *values)
{
    ac_beam_material complete = *material;
    AC_TRY(ac_beam_material_check(ctx, &complete));
    AC_TRY(check_positive(ctx, "area", section->area));
    AC_TRY(check_positive(ctx, "torsion", section->torsion));
    for (int i = 0; i < 2; ++i) {
        AC_TRY(check_positive(ctx, "moment", section->moment[i]));
        AC_TRY(check_positive(ctx, "shear_factor", section->shear_factor[i]));
    }
    *values = ac_beam_values_of(section, &complete);
    return AC_OK;
}

void ac_beam_set_values(ac_beam *beam, const ac_beam_values *values)
{
    memcpy(beam->shear, values->stiffness, sizeof beam->shear);
    beam->axial = values->stiffness[2];
    memcpy(beam->bending, values->stiffness + 3, sizeof beam->bending);
    beam->torsion = values->stiffness[5];
    beam->mass = values->mass;
    memcpy(beam->inertia, values->inertia, sizeof beam->inertia);
}
