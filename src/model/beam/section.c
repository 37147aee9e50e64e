/* Cross-sections of beams: areas, second moments, torsion constants and shear factors from shapes; with a
 * material, what a beam resists and weighs. */
#include "model/beam/section.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

static const double PI = 3.14159265358979323846;

/* --- properties ----------------------------------------------------------------------------------------- */

/* a b^3 / 3 [1 - 192 b / (pi^5 a) sum tanh(n pi a / 2b) / n^5, n odd], a >= b */
static double rectangle_torsion(double width, double height)
{
    double a = fmax(width, height), b = fmin(width, height), sum = 0.0;
    for (int n = 1; n < 200; n += 2) sum += tanh(n * PI * a / (2.0 * b)) / pow(n, 5);
    return a * b * b * b / 3.0 * (1.0 - 192.0 * b / (pow(PI, 5) * a) * sum);
}

static void rectangle(ac_beam_section *s)
{
    double w = s->width, h = s->height;
    s->area = w * h;
    s->moment[0] = w * h * h * h / 12.0;
    s->moment[1] = h * w * w * w / 12.0;
    s->torsion = rectangle_torsion(w, h);
    s->shear_factor[0] = s->shear_factor[1] = 5.0 / 6.0;
}

/* Cowper (1966): 6 (1 + nu) (1 + m^2)^2 / [(7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2], m = inner / outer
 * radius */
static void ring(ac_beam_section *s, double nu)
{
    double R = s->radius, r = s->inner_radius, m = r / R, q = (1.0 + m * m) * (1.0 + m * m);
    s->area = PI * (R * R - r * r);
    s->moment[0] = s->moment[1] = PI / 4.0 * (pow(R, 4) - pow(r, 4));
    s->torsion = 2.0 * s->moment[0];
    s->shear_factor[0] = s->shear_factor[1] = 6.0 * (1.0 + nu) * q /
                                              ((7.0 + 6.0 * nu) * q + (20.0 + 12.0 * nu) * m * m);
}

static void i_section(ac_beam_section *s)
{
    double b = s->width, h = s->height, w = s->web, f = s->flange, inner = h - 2.0 * f;
    s->area = 2.0 * b * f + inner * w;
    s->moment[0] = (b * h * h * h - (b - w) * inner * inner * inner) / 12.0;
    s->moment[1] = (2.0 * f * b * b * b + inner * w * w * w) / 12.0;
    s->torsion = (2.0 * b * f * f * f + (h - f) * w * w * w) / 3.0;
    s->shear_factor[0] = 5.0 / 6.0 * 2.0 * b * f / s->area;
    s->shear_factor[1] = h * w / s->area;
}

void ac_beam_section_properties(ac_beam_section *s, double poisson)
{
    switch (s->shape) {
    case AC_BEAM_RECTANGLE: rectangle(s); break;
    case AC_BEAM_CIRCLE:
    case AC_BEAM_TUBE: ring(s, poisson); break;
    case AC_BEAM_I_SECTION: i_section(s); break;
    case AC_BEAM_NO_SHAPE: break;
    }
}

ac_beam_values ac_beam_values_of(const ac_beam_section *s, const ac_beam_material *m)
{
    return (ac_beam_values){{s->shear_factor[0] * m->shear * s->area, s->shear_factor[1] * m->shear * s->area,
                             m->young * s->area, m->young * s->moment[0], m->young * s->moment[1],
                             m->shear * s->torsion},
                            m->density * s->area,
                            {m->density * s->moment[1], m->density * s->moment[0]}};
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
    if (m->shear == 0) m->shear = m->young / (2 * (1 + m->poisson));
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
