/* Energies of beams that are given as functions: the energy per length W(u, v, s) of the strains, instead of the quadratic
 * one, and a potential per length U(x, y, z, s) of the place, which acts along the whole beam.
 *
 * Each stands at quadrature points: W where the strains of an element are taken, U at the nodes, with the lengths that they
 * stand for. Elements keep their quadratic energy, which has loops; the function of a point is W less that energy.
 */
#include <math.h>
#include <string.h>

#include "actio/beam.h"
#include "base/expression.h"
#include "model/beam/beam.h"

enum { STRAINS = 6, COORDINATES = 3 };

static const char *const strain_names[] = {"v1", "v2", "v3", "u1", "u2", "u3", "s"};
static const char *const place_names[] = {"x", "y", "z", "s"};
static const double straight[STRAINS] = {0, 0, 1, 0, 0, 0};

ac_status ac_beam_energy_parse(ac_context *ctx, ac_beam_energy kind, const char *text,
                               ac_constant_lookup lookup, void *user, int *column, ac_expression **expression)
{
    bool strains = kind == AC_BEAM_OF_STRAINS;
    return ac_expression_parse(ctx, text, strains ? strain_names : place_names,
                               strains ? STRAINS + 1 : COORDINATES + 1, lookup, user, column, expression);
}

ac_status ac_beam_energy_parse_named(ac_context *ctx, ac_beam_energy kind, const char *text,
                                     const char *const *names, int count, int *column,
                                     ac_expression **expression)
{
    bool strains = kind == AC_BEAM_OF_STRAINS;
    const char *all[STRAINS + 1 + AC_FUNCTION_NAMES];
    int own = strains ? STRAINS + 1 : COORDINATES + 1;
    if (count > AC_FUNCTION_NAMES)
        return ac_fail(ctx, AC_BAD_INPUT, "an energy may have at most %d parameters, not %d",
                       AC_FUNCTION_NAMES, count);
    for (int k = 0; k < own; ++k) all[k] = strains ? strain_names[k] : place_names[k];
    for (int k = 0; k < count; ++k) all[own + k] = names[k];
    return ac_expression_parse(ctx, text, all, own + count, NULL, NULL, column, expression);
}

bool ac_beam_energy_variable(ac_beam_energy kind, const char *word)
{
    bool strains = kind == AC_BEAM_OF_STRAINS, found = false;
    for (int k = 0; k < (strains ? STRAINS : COORDINATES) + 1; ++k)
        found = found || strcmp(word, strains ? strain_names[k] : place_names[k]) == 0;
    return found;
}

static void without_strain(double s, int names, const double *values, double *X)
{
    for (int i = 0; i < STRAINS; ++i) X[i] = straight[i];
    X[STRAINS] = s;
    for (int k = 0; k < names; ++k) X[STRAINS + 1 + k] = values[k];
}

void ac_beam_energy_stiffness_slope(const ac_expression *energy, int names, const double *values, double s,
                                    const double *by_names, double slope[6])
{
    enum { MOST = STRAINS + 1 + AC_FUNCTION_NAMES };
    double X[MOST], along[MOST] = {0.0}, third[MOST * MOST];
    const int n = STRAINS + 1 + names;
    without_strain(s, names, values, X);
    for (int k = 0; k < names; ++k) along[STRAINS + 1 + k] = by_names[k];
    ac_expression_third(energy, X, along, third);
    for (int i = 0; i < STRAINS; ++i) slope[i] = third[i * (n + 1)];
}

ac_status ac_beam_energy_stiffness(ac_context *ctx, const ac_expression *energy, double s,
                                   double stiffness[6])
{
    return ac_named_energy_stiffness(ctx, energy, 0, NULL, s, stiffness);
}

ac_status ac_named_energy_stiffness(ac_context *ctx, const ac_expression *energy, int names,
                                    const double *values, double s, double stiffness[6])
{
    double X[STRAINS + 1 + AC_FUNCTION_NAMES], unused;
    without_strain(s, names, values, X);
    for (int i = 0; i < STRAINS; ++i) {
        ac_expression_along(energy, X, i, i, &unused, &stiffness[i]);
        if (ctx && (!(stiffness[i] > 0.0) || !isfinite(stiffness[i])))
            return ac_fail(ctx, AC_BAD_INPUT,
                           "the energy must resist every strain: its second derivative by %s without strain "
                           "is %.6g at s = %.6g; it must be positive",
                           strain_names[i], stiffness[i], s);
    }
    return AC_OK;
}

/* --- points --- */

static ac_status add_function(ac_system *system, const ac_function_data *function)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->mesh.functions, &system->mesh.function_capacity,
                   system->mesh.function_count + 1, sizeof *system->mesh.functions));
    system->mesh.functions[system->mesh.function_count++] = *function;
    return AC_OK;
}

static ac_status add_strain_point(ac_system *system, int beam, int element, int point, double weight,
                                  double at, const double *stiffness, const double *reference)
{
    const ac_beam_data *data = &system->beams[beam];
    ac_function_data f = {.beam = beam, .node = -1, .element = element, .point = point, .weight = weight};
    f.function = (ac_outer_function){
        .expression = data->energy, .variables = STRAINS, .cayley = data->model == AC_BEAM_VERTEX, .at = at};
    double first[STRAINS];
    for (int i = 0; i < STRAINS; ++i) {
        f.function.stiffness[i] = stiffness[i];
        f.function.reference[i] = reference[i];
        f.function.base[i] = straight[i];
    }
    bool finite = isfinite(ac_function_value(&f.function, reference, first));
    for (int i = 0; i < STRAINS; ++i) finite = finite && isfinite(first[i]);
    if (!finite)
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "beam '%s': the energy is not finite without strain at s = %.6g", data->name, at);
    return add_function(system, &f);
}

static ac_status add_strain_points(ac_system *system, int beam)
{
    const ac_beam_data *data = &system->beams[beam];
    double s = 0.0;
    for (int k = data->first_element; k < data->first_element + data->elements; ++k) {
        if (data->order == 1) {
            const ac_beam_element *e = &system->mesh.elements[k];
            AC_TRY(add_strain_point(system, beam, k, 0, e->length, s + 0.5 * e->length, e->stiffness,
                                    e->reference));
            s += e->length;
            continue;
        }
        const ac_high_element *e = &system->mesh.high[k];
        const ac_gauss *rule = ac_gauss_rule(e->order);
        double length = 0.0;
        for (int p = 0; p < e->order; ++p) length += e->points[p].weight;
        for (int p = 0; p < e->order; ++p)
            AC_TRY(add_strain_point(system, beam, k, p, e->points[p].weight,
                                    s + 0.5 * (1.0 + rule->at[p]) * length, e->points[p].stiffness,
                                    e->points[p].reference));
        s += length;
    }
    return AC_OK;
}

static ac_status add_place_point(ac_system *system, int beam, int element, int point, double weight,
                                 double at)
{
    int first = system->beams[beam].order > 1 ? system->mesh.high[element].node
                                              : system->mesh.elements[element].node;
    ac_function_data f = {
        .beam = beam, .node = first + point, .element = element, .point = point, .weight = weight};
    f.function = (ac_outer_function){
        .expression = system->beams[beam].potential, .variables = COORDINATES, .at = at};
    return weight > 0.0 ? add_function(system, &f) : AC_OK;
}

/* The trapezoidal rule in elements of order 1, Simpson's rule in those of order 2. */
static ac_status add_place_points(ac_system *system, int beam)
{
    static const double share[2][3] = {{0.5, 0.5}, {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0}};
    const ac_beam_data *data = &system->beams[beam];
    double s = 0.0;
    for (int k = data->first_element; k < data->first_element + data->elements; ++k) {
        bool high = data->order > 1;
        double length = high ? 0.0 : system->mesh.elements[k].length;
        for (int p = 0; high && p < data->order; ++p) length += system->mesh.high[k].points[p].weight;
        for (int a = 0; a <= data->order; ++a)
            AC_TRY(add_place_point(system, beam, k, a, share[data->order - 1][a] * length,
                                   s + length * a / data->order));
        s += length;
    }
    return AC_OK;
}

/* --- the beam --- */

static ac_status check(ac_system *system, int beam, ac_beam_energy kind, const ac_expression *expression)
{
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    if (beam < 0 || beam >= system->beam_count)
        return ac_fail(system->ctx, AC_BAD_INPUT, "there is no beam %d", beam);
    const ac_beam_data *data = &system->beams[beam];
    bool strains = kind == AC_BEAM_OF_STRAINS;
    if (ac_expression_variables(expression) != (strains ? STRAINS : COORDINATES) + 1)
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "beam '%s': the energy must come from ac_beam_energy_parse of the same kind",
                       data->name);
    if (strains ? data->energy != NULL : data->potential != NULL)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s' has such an energy already", data->name);
    if (strains && data->model == AC_BEAM_DUAL_QUATERNION)
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "beam '%s': beams of dual quaternions have a quadratic energy of strains; use the "
                       "director or the "
                       "vertex model",
                       data->name);
    if (strains && data->model == AC_BEAM_EDGE)
        return ac_fail(
            system->ctx, AC_BAD_INPUT,
            "beam '%s': rods of the edge model have bending and stretch at different places, so that "
            "one energy of both cannot be taken; use the vertex model",
            data->name);
    return AC_OK;
}

ac_status ac_system_add_beam_energy(ac_system *system, int beam, ac_beam_energy kind,
                                    const ac_expression *expression)
{
    AC_TRY(check(system, beam, kind, expression));
    ac_beam_data *data = &system->beams[beam];
    if (kind == AC_BEAM_OF_PLACE) {
        AC_TRY(ac_expression_copy(system->ctx, expression, &data->potential));
        return add_place_points(system, beam);
    }
    AC_TRY(ac_expression_copy(system->ctx, expression, &data->energy));
    data->first_function = system->mesh.function_count;
    return add_strain_points(system, beam);
}

/* The points that were added last know the whole expression. */
static ac_status keep_names(ac_system *system, int beam, ac_beam_energy kind, const ac_expression *whole,
                            int names, const double *values, int first)
{
    ac_beam_data *data = &system->beams[beam];
    int own = kind == AC_BEAM_OF_STRAINS ? 0 : 1;
    AC_TRY(ac_expression_copy(system->ctx, whole, &data->named[own].whole));
    AC_NEW(system->ctx, data->named[own].values, names);
    memcpy(data->named[own].values, values, (size_t)names * sizeof *values);
    for (int k = first; k < system->mesh.function_count; ++k) {
        ac_outer_function *f = &system->mesh.functions[k].function;
        f->whole = data->named[own].whole;
        f->names = names;
        f->values = data->named[own].values;
    }
    return AC_OK;
}

ac_status ac_system_add_named_energy(ac_system *system, int beam, ac_beam_energy kind,
                                     const ac_expression *whole, int names, const double *values)
{
    ac_expression *bound = NULL;
    int kept = (kind == AC_BEAM_OF_STRAINS ? STRAINS : COORDINATES) + 1, first = system->mesh.function_count;
    AC_TRY(ac_expression_bind(system->ctx, whole, kept, values, &bound));
    ac_status status = ac_system_add_beam_energy(system, beam, kind, bound);
    ac_expression_free(bound);
    if (status != AC_OK || names == 0) return status;
    return keep_names(system, beam, kind, whole, names, values, first);
}

double ac_beam_add_function(const ac_system *system, const ac_beam_data *beam, int k, const double strain[6],
                            double stress[6])
{
    double first[STRAINS];
    double sum = -ac_function_value(&system->mesh.functions[beam->first_function + k].function, strain,
                                    first);
    for (int i = 0; i < STRAINS; ++i) {
        stress[i] += first[i];
        sum += first[i] * strain[i];
    }
    return sum;
}
