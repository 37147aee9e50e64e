/* Loops of elements against their descriptions: energies, gradients, Hessians, discrete derivatives and their slopes, damping
 * forces and their slopes, at arbitrary coordinates, to 1e-13 of the largest entry of a block. */
#include <stdlib.h>

#include "action/element.h"
#include "support/beams.h"
#include "support/rig.h"
#include "test.h"

enum { SIZE = AC_ELEMENT_MAX };

/* x and y agree to 1e-13 of the largest entry. */
static void check_same(int n, const double *x, const double *y)
{
    double size = fmax(largest_entry(n, x), 1e-30);
    CHECK_NEAR(largest_difference(n, x, y) / size, 0.0, 1e-13);
}

/* The Hessian along a direction. */
static void compare_bent(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                         const double *v, const double *H)
{
    const ac_element_place place = ac_element_where(system, kind, k);
    size_t size = (size_t)system->n;
    int n = place.size;
    double *q = calloc(3 * size, sizeof *q), *w = q + size, *out = w + size, expected[SIZE], found[SIZE];
    ac_element_scatter(system, &place, x, 1.0, q);
    ac_element_scatter(system, &place, v, 1.0, w);
    if (kind->add_bent && kind->add_bent(system, k, q, w, 1.0, out)) {
        ac_element_gather(system, &place, out, found);
        for (int i = 0; i < n; ++i) {
            expected[i] = 0.0;
            for (int j = 0; j < n; ++j) expected[i] += H[i * n + j] * v[j];
        }
        check_same(n, expected, found);
    }
    free(q);
}

/* The slopes of the discrete derivative, transposed, along a direction. */
static void compare_bent_discrete(const ac_element_kind *kind, const ac_system *system, int k,
                                  const double *const x[2], const double *v, double *const slopes[2])
{
    const ac_element_place place = ac_element_where(system, kind, k);
    size_t size = (size_t)system->n;
    int n = place.size;
    double *q = calloc(5 * size, sizeof *q), *w = q + 2 * size, *out = w + size, expected[SIZE], found[SIZE];
    for (int e = 0; e < 2; ++e) ac_element_scatter(system, &place, x[e], 1.0, q + e * system->n);
    ac_element_scatter(system, &place, v, 1.0, w);
    if (kind->add_bent_discrete &&
        kind->add_bent_discrete(system, k, q, q + size, w, -0.7, out, out + size)) {
        for (int e = 0; e < 2; ++e) {
            ac_element_gather(system, &place, out + e * system->n, found);
            for (int i = 0; i < n; ++i) {
                expected[i] = 0.0;
                for (int j = 0; j < n; ++j) expected[i] -= 0.7 * slopes[e][j * n + i] * v[j];
            }
            check_same(n, expected, found);
        }
    }
    free(q);
}

/* The numbers of the parts, and their derivatives along a direction, from which the slope of the energy along it follows. */
static void compare_along(const ac_element_kind *kind, const ac_system *system, int k, int parts,
                          const double *x, const double *v, const double *gradient)
{
    const ac_element_place place = ac_element_where(system, kind, k);
    size_t size = (size_t)system->n;
    double *q = calloc(2 * size, sizeof *q), *w = q + size, y[AC_ELEMENT_PARTS], slope[AC_ELEMENT_PARTS];
    ac_element_scatter(system, &place, x, 1.0, q);
    ac_element_scatter(system, &place, v, 1.0, w);
    if (kind->along && kind->along(system, k, q, w, y, slope)) {
        double expected = 0.0, found = 0.0, largest = 0.0;
        for (int i = 0; i < place.size; ++i) expected += gradient[i] * v[i];
        for (int part = 0; part < parts; ++part) {
            ac_law_numbers numbers;
            double W[4];
            kind->numbers(system, k, part, &numbers);
            numbers.law->value(numbers.data, y[part], W);
            found += W[1] * slope[part];
            largest = fmax(largest, fabs(W[1] * slope[part]));
        }
        CHECK_NEAR(found / largest, expected / largest, 1e-12);
    }
    free(q);
}

static void compare(const ac_element_kind *kind, const ac_system *system, int k, dice *d)
{
    ac_described set = {0};
    double x[SIZE], y[SIZE], v[SIZE], g[2][SIZE];
    double *H[4];
    for (int i = 0; i < 4; ++i) H[i] = calloc(SIZE * SIZE, sizeof *H[i]);
    const ac_element_place place = ac_element_where(system, kind, k);
    int n = place.size;
    CHECK(ac_describe_element(system->ctx, system, kind, k, &set) == AC_OK);
    ac_element_gather(system, &place, system->initial.q, x);
    ac_element_gather(system, &place, system->initial.q, y);
    for (int i = 0; i < n; ++i) {
        x[i] += dice_between(d, -0.05, 0.05);
        y[i] += dice_between(d, -0.05, 0.05);
        v[i] = dice_between(d, -1.0, 1.0);
    }
    double energy = ac_parts_energy(kind, system, k, &set, 0, x, NULL, g[0], H[0]);
    double loop = kind->energy(system, k, x, NULL);
    CHECK_NEAR(energy / loop, 1.0, 1e-13);
    kind->gradient(system, k, x, NULL, g[1]);
    kind->hessian(system, k, x, NULL, H[1]);
    check_same(n, g[0], g[1]);
    check_same(n * n, H[0], H[1]);
    compare_bent(kind, system, k, x, v, H[0]);
    compare_along(kind, system, k, set.count, x, v, g[0]);
    ac_parts_discrete(kind, system, k, &set, 0, x, y, NULL, g[0], H[2], H[0]);
    compare_bent_discrete(kind, system, k, (const double *[2]){x, y}, v, (double *[2]){H[2], H[0]});
    kind->discrete(system, k, x, y, NULL, g[1], H[1]);
    check_same(n, g[0], g[1]);
    check_same(n * n, H[0], H[1]);
    ac_parts_force(kind, system, k, &set, 0, x, v, g[0], H[0], H[2]);
    kind->force(system, k, x, v, NULL, g[1], H[1], H[3]);
    check_same(n, g[0], g[1]);
    check_same(n * n, H[0], H[1]);
    check_same(n * n, H[2], H[3]);
    for (int i = 0; i < 4; ++i) free(H[i]);
    ac_described_free(system->ctx, &set);
}

TEST(beams_and_rods_are_what_is_described)
{
    static const struct {
        ac_beam_model model;
        int order;
    } kinds[] = {{AC_BEAM_DIRECTOR, 1}, {AC_BEAM_DIRECTOR, 2}, {AC_BEAM_VERTEX, 1}, {AC_BEAM_EDGE, 1}};
    dice d = {3};
    int compared = 0;
    for (size_t b = 0; b < sizeof kinds / sizeof *kinds; ++b) {
        const beam_data data = {.model = kinds[b].model,
                                .elements = 3,
                                .length = 0.7,
                                .shear = 40.0,
                                .axial = 70.0,
                                .bending = {3.0, 2.0},
                                .torsion = 1.5,
                                .mass = 0.8,
                                .inertia = 0.02,
                                .damping = 0.05,
                                .order = kinds[b].order};
        rig r;
        rig_open(&r, NULL);
        add_viscous(r.system, "beam", &data, (const double[2]){0.02, 0.07}, NULL);
        CHECK(rig_finish(&r) == AC_OK);
        for (int t = 0; ac_element_kinds[t]; ++t) {
            const ac_element_kind *kind = ac_element_kinds[t];
            for (int k = 0; kind->gradient && k < kind->count(r.system); ++k, ++compared)
                compare(kind, r.system, k, &d);
        }
        rig_close(&r);
    }
    CHECK(compared >= 12);
}

RUN_TESTS(CASE(beams_and_rods_are_what_is_described))
