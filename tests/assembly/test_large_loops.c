/* Assembly of many loops: the sparse corrections and velocities are those that small systems take from dense matrices. */
#include "assembly/assemble.h"

#include "support/mechanisms.h"
#include "test.h"

enum { MOST = 60 };

typedef struct bench {
    ac_assembling w;
    double columns[6 * MOST], scale[MOST], delta[MOST], b[MOST], z[MOST];
    bool given[MOST];
} bench;

static void set_up(bench *t, ac_system *system)
{
    memset(t, 0, sizeof *t);
    t->w.m = system->constraints.count - system->constraints.closure;
    t->w.n = system->tree.freedoms;
    t->w.rank_tolerance = 1e-9;
    t->w.columns = t->columns;
    t->w.scale = t->scale;
    t->w.delta = t->delta;
    t->w.b = t->b;
    t->w.z = t->z;
    t->w.given = t->given;
    CHECK(t->w.m <= MOST && t->w.n <= MOST);
    CHECK(ac_large_create(system, &t->w) == AC_OK);
    ac_tree_columns(system, system->initial.state, system->initial.q, t->columns);
    CHECK(ac_assembly_scales(system->ctx, system, t->columns, t->scale) == AC_OK);
}

/* The shortest vector of the dense matrix with the same columns held. */
static void dense_correction(const ac_system *system, bench *t, double *x)
{
    static double J[MOST * MOST], block[MOST * MOST + 2 * MOST];
    int ints[MOST], n = t->w.n;
    ac_row_space space;
    ac_closure_jacobian(system, t->columns, system->initial.q, J);
    for (int r = 0; r < t->w.m; ++r)
        for (int j = 0; j < n; ++j) J[r * n + j] *= t->given[j] ? 0.0 : t->scale[j];
    ac_row_space_place(&space, t->w.m, n, block, ints);
    ac_row_space_factor(&space, J, 1e-9, t->w.m);
    for (int r = 0; r < t->w.m; ++r) { /* a right-hand side that all rows agree on */
        t->b[r] = 0.0;
        for (int j = 0; j < n; ++j) t->b[r] += J[r * n + j] * cos(1.7 * j);
    }
    ac_row_space_solve(&space, t->b, x);
}

TEST(corrections_are_the_shortest)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        bench t;
        double x[MOST];
        int rank;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        if (r.system->constraints.count > r.system->constraints.closure) {
            set_up(&t, r.system);
            t.given[0] = true; /* it stays where it is */
            dense_correction(r.system, &t, x);
            CHECK(ac_large_correction(r.system, &t.w, true) == AC_OK);
            CHECK_NEAR(largest_difference(t.w.n, t.delta, x), 0.0, 1e-9);
            CHECK_NEAR(t.delta[0], 0.0, 1e-12);
            CHECK(ac_large_rank(r.system, &t.w, &rank) == AC_OK);
            CHECK(rank == r.system->initial.closure_rank);
            ac_large_destroy(&t.w, r.ctx);
        }
        rig_close(&r);
    }
}

/* Given velocities that the loops allow stay, the loops stay closed, and the others are not larger than before (where the
 * velocity of a body far out was given, small systems have found them in another way, and they are smaller now). */
static void compare_velocities(const ac_system *system, const bench *t, const double *u)
{
    static double J[MOST * MOST];
    double before = 0.0, now = 0.0, size = 1.0 + largest_entry(t->w.n, u);
    ac_closure_jacobian(system, t->columns, system->initial.q, J);
    for (int r = 0; r < t->w.m; ++r) {
        double sum = 0.0;
        for (int j = 0; j < t->w.n; ++j) sum += J[r * t->w.n + j] * system->initial.u[j];
        CHECK_NEAR(sum, 0.0, 1e-12 * size);
    }
    for (int j = 0; j < t->w.n; ++j) {
        if (t->given[j]) CHECK_NEAR(system->initial.u[j], u[j], 1e-12 * size);
        before += u[j] * u[j];
        now += system->initial.u[j] * system->initial.u[j];
    }
    CHECK(now <= before * (1.0 + 1e-12));
}

/* The crank of a four-bar turns at the rate given, and the others follow as in the dense assembly. */
TEST(velocities_are_those_of_small_systems)
{
    int moving = 0;
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        bench t;
        double u[MOST];
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        if (r.system->constraints.count > r.system->constraints.closure) {
            int rank;
            set_up(&t, r.system);
            memcpy(u, r.system->initial.u, (size_t)t.w.n * sizeof *u);
            moving += largest_entry(t.w.n, u) > 0.1;
            CHECK(ac_large_rank(r.system, &t.w, &rank) == AC_OK);
            ac_system_mark_given(r.system, true, t.given);
            CHECK(ac_large_velocities(r.system, &t.w) == AC_OK);
            compare_velocities(r.system, &t, u);
            ac_large_destroy(&t.w, r.ctx);
        }
        rig_close(&r);
    }
    CHECK(moving >= 2);
}

RUN_TESTS(CASE(corrections_are_the_shortest), CASE(velocities_are_those_of_small_systems))
