/* The projection without massless coordinates: what a rigid motion has stays, what constraints carry goes. */
#include <math.h>

#include "action/massive.h"
#include "action/inertia.h"
#include "action/momentum.h"
#include "support/beams.h"
#include "support/numeric.h"
#include "test.h"

static ac_system *flying(ac_context *ctx)
{
    beam_data d = {.model = AC_BEAM_DIRECTOR,
                   .elements = 6,
                   .length = 1.0,
                   .shear = 50,
                   .axial = 100,
                   .bending = {0.2, 0.1},
                   .torsion = 0.1,
                   .mass = 1,
                   .inertia = 0.01,
                   .order = 1};
    static const double spin[3] = {0.4, -0.7, 1.1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add_straight(system, "noodle", &d, spin);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

TEST(constraint_forces_have_no_energy)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = flying(ctx);
    ac_legendre legendre = {0};
    ac_massive massive = {0};
    size_t n = (size_t)system->n;
    double *p = calloc(n, sizeof *p), energy = 0.0, kinetic = 0.0;
    dice d = {5};
    CHECK(ac_legendre_create(ctx, system, false, &legendre) == AC_OK);
    CHECK(ac_massive_create(ctx, system, legendre.massless, &massive) == AC_OK);
    ac_mass_apply(system, system->initial.v, p);
    for (size_t i = 0; i < n; ++i) kinetic += 0.5 * p[i] * system->initial.v[i];
    CHECK(kinetic > 0.01);
    CHECK(ac_massive_energy(&massive, system->initial.q, p, &energy) == AC_OK);
    CHECK_NEAR(energy, kinetic, 1e-12);
    int rows = 0;
    for (int row = 0; row < system->constraints.count; ++row) {
        double nu = dice_between(&d, -1.0, 1.0);
        if (!massive.kept[row]) continue;
        ++rows;
        ac_constraints_add_force(system, system->initial.q, &nu, row, row + 1, 1.0, p);
    }
    CHECK(rows == 3 * system->node_count); /* |d1|, |d2|, d1.d2 of every node */
    for (size_t i = 0; i < n; ++i)
        if (legendre.massless[i]) p[i] = dice_between(&d, -1.0, 1.0); /* dropped */
    CHECK(ac_massive_energy(&massive, system->initial.q, p, &energy) == AC_OK);
    CHECK_NEAR(energy, kinetic, 1e-10);
    p[0] += 1.0; /* a real change of momentum is seen */
    CHECK(ac_massive_energy(&massive, system->initial.q, p, &energy) == AC_OK);
    CHECK(fabs(energy - kinetic) > 0.1);
    free(p);
    ac_massive_destroy(ctx, &massive);
    ac_legendre_destroy(&legendre);
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(constraint_forces_have_no_energy))
