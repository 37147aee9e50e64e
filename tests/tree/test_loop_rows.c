/* The sparse Jacobian of loops against the dense one, in all mechanisms with loops. */
#include "tree/loop_rows.h"

#include "linalg/dense.h"
#include "support/mechanisms.h"
#include "test.h"

enum { MOST = 60 };

static int dense_rank(int m, int n, const double *J)
{
    static double block[MOST * MOST + 2 * MOST];
    int ints[MOST];
    ac_row_space space;
    ac_row_space_place(&space, m, n, block, ints);
    ac_row_space_factor(&space, J, 1e-9, m);
    return space.rank;
}

/* At a closed configuration the entries beyond the meeting of the branches vanish, the others agree. */
TEST(entries_are_those_of_the_dense_matrix)
{
    int loops = 0;
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        ac_loop_rows l;
        double J[MOST * MOST], sparse[MOST * MOST] = {0.0};
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        int m = system->constraints.count - system->constraints.closure, n = system->tree.freedoms;
        if (m > 0) {
            ++loops;
            CHECK(m <= MOST && n <= MOST);
            CHECK(ac_loop_rows_create(r.ctx, system, &l) == AC_OK);
            CHECK(ac_loop_rows_choose(&l, system->initial.q, 1e-9) == AC_OK);
            ac_closure_jacobian(system, l.columns, system->initial.q, J);
            for (int row = 0; row < m; ++row)
                for (int e = l.start[row]; e < l.start[row + 1]; ++e)
                    sparse[row * n + l.column[e]] += l.value[e];
            CHECK_NEAR(largest_difference(m * n, J, sparse), 0.0, 1e-13);
            CHECK(l.choice.rank == dense_rank(m, n, J));
            CHECK(l.choice.rank == system->initial.closure_rank);
            ac_loop_rows_destroy(&l);
        }
        rig_close(&r);
    }
    CHECK(loops >= 5);
}

RUN_TESTS(CASE(entries_are_those_of_the_dense_matrix))
