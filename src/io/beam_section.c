/* Cross-sections of beams. */
#include "io/beam_section.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

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

void ac_beam_section_compute(ac_beam_section *s, double poisson)
{
    switch (s->shape) {
    case AC_BEAM_RECTANGLE: rectangle(s); break;
    case AC_BEAM_CIRCLE:
    case AC_BEAM_TUBE: ring(s, poisson); break;
    case AC_BEAM_I_SECTION: i_section(s); break;
    case AC_BEAM_NO_SHAPE: break;
    }
}
