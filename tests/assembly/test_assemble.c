/* Assembly: the consistent state nearest to what was drawn, for open and closed systems, and what is said
 * about it. */
#include "support/mechanisms.h"
#include "tree/kinematics.h"
#include "test.h"

static const double Z[3] = {0, 0, 1}, ORIGIN[3] = {0, 0, 0};

/* Largest G v over all equations. */
static double velocity_residual(const ac_system *system)
{
    const ac_constraints *c = &system->constraints;
    double most = 0.0, gradient[AC_ELEMENT_MAX];
    for (int row = 0; row < c->count; ++row) {
        double sum = 0.0;
        ac_constraint_gradient(system, row, system->initial.q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            sum += gradient[e - c->start[row]] * system->initial.v[c->coordinate[e]];
        most = fmax(most, fabs(sum));
    }
    return most;
}

TEST(every_mechanism_is_consistent)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        double g[160];
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        ac_constraints_value(r.system, r.system->initial.q, 0, g);
        CHECK_NEAR(largest_entry(r.system->constraints.count, g), 0.0, 1e-14);
        CHECK(r.assembly.residual == largest_entry(r.system->constraints.count, g));
        CHECK_NEAR(velocity_residual(r.system), 0.0, 1e-13);
        CHECK_NEAR(r.assembly.moved, 0.0, 1e-12);
        rig_close(&r);
    }
}

/* An open chain drawn a little wrong: the second body is pulled to its joint, and the report names it and how
 * far it went. */
TEST(open_chain_is_corrected)
{
    const double J[3] = {0.1, 0.1, 0.1}, x1[3] = {0.5, 0, 0}, x2[3] = {1.5, 0, 0}, at[3] = {1, 0, 0};
    rig r;
    rig_open(&r, NULL);
    int first = rig_body(&r, "first", 1.0, J, x1, NULL), second = rig_body(&r, "second", 1.0, J, x2, NULL);
    rig_joint(&r, "a", AC_REVOLUTE, AC_GROUND, first, ORIGIN, Z, NULL);
    rig_joint(&r, "b", AC_REVOLUTE, first, second, at, Z, NULL);
    r.system->nodes[second].pose.position[1] += 0.03;
    r.system->nodes[second].pose.position[2] += 0.04;
    CHECK(rig_finish(&r) == AC_OK);
    CHECK_NEAR(r.assembly.moved, 0.05, 1e-15);
    CHECK(r.assembly.moved_node == second);
    CHECK_NEAR(r.assembly.residual, 0.0, 1e-15);
    CHECK(r.assembly.turned < 1e-15);
    rig_close(&r);
}

/* Both branches of a four-bar: drawn a little wrong, each stays on its own branch, near what was drawn. */
static void check_branch(double branch, bool planar)
{
    const four_bar bar = {0.7, 1.8, 1.3, 2.0, 1.0, branch};
    double p[4][3], g[64];
    four_bar_points(&bar, p);
    rig r;
    rig_open(&r, NULL);
    if (planar)
        draw_planar_four_bar(&r, &bar);
    else
        draw_four_bar(&r, &bar);
    r.system->nodes[2].pose.position[0] += 0.02; /* the rocker, and the coupler a little */
    r.system->nodes[1].pose.position[1] -= 0.015;
    CHECK(rig_finish(&r) == AC_OK);
    ac_constraints_value(r.system, r.system->initial.q, 0, g);
    CHECK_NEAR(largest_entry(r.system->constraints.count, g), 0.0, 1e-13);
    /* the rocker's centre stays on its side: where the closed form puts it, but for the small change of the
     * crank's angle */
    const double *rocker = r.system->initial.q + r.system->nodes[2].q;
    CHECK_NEAR(rocker[0], 0.5 * (p[2][0] + p[3][0]), 0.03);
    CHECK_NEAR(rocker[1], 0.5 * (p[2][1] + p[3][1]), 0.03);
    CHECK(r.assembly.moved > 0.005 && r.assembly.moved < 0.05);
    CHECK(ac_system_sizes(r.system).freedoms == 1);
    rig_close(&r);
}

TEST(closed_loops_keep_their_branch)
{
    for (int planar = 0; planar < 2; ++planar) {
        check_branch(1.0, planar);
        check_branch(-1.0, planar);
    }
}

/* The crank's angle is given: it is kept to the last bit's reach, the others follow. */
TEST(given_coordinates_are_kept)
{
    for (int planar = 0; planar < 2; ++planar)
        for (int up = 0; up < 2; ++up) {
            const four_bar drawn = {0.7, 1.8, 1.3, 2.0, 1.0, up ? 1.0 : -1.0};
            rig r;
            rig_open(&r, NULL);
            if (planar)
                draw_planar_four_bar(&r, &drawn);
            else
                draw_four_bar(&r, &drawn);
            rig_given(&r, 0, 0.25, 0, 0); /* relative to the drawn angle */
            CHECK(rig_finish(&r) == AC_OK);
            const four_bar turned = {0.7, 1.8, 1.3, 2.0, 1.25, up ? 1.0 : -1.0};
            double p[4][3];
            four_bar_points(&turned, p);
            for (int body = 0; body < 3; ++body) {
                const double *x = r.system->initial.q + r.system->nodes[body].q;
                CHECK_NEAR(x[0], 0.5 * (p[body][0] + p[body + 1][0]), 1e-13);
                CHECK_NEAR(x[1], 0.5 * (p[body][1] + p[body + 1][1]), 1e-13);
            }
            CHECK_NEAR(r.system->measures[r.system->joints[0].first_measure].initial, 0.25, 1e-15);
            rig_close(&r);
        }
}

/* A rate of the crank: coupler and rocker follow as the closed form says (instant of four_bar_points by
 * differences). */
static void rocker_angle(void *user, const double *crank, double *angle)
{
    four_bar bar = *(const four_bar *)user;
    double p[4][3];
    bar.angle = crank[0];
    four_bar_points(&bar, p);
    angle[0] = atan2(p[2][1] - p[3][1], p[2][0] - p[3][0]);
}

TEST(velocities_are_consistent)
{
    for (int planar = 0; planar < 2; ++planar) {
        four_bar bar = {0.7, 1.8, 1.3, 2.0, 1.0, 1.0};
        const double crank[1] = {1.0};
        double ratio;
        difference_jacobian(rocker_angle, &bar, 1, 1, crank, &ratio);
        rig r;
        rig_open(&r, NULL);
        if (planar)
            draw_planar_four_bar(&r, &bar);
        else
            draw_four_bar(&r, &bar);
        rig_rates(&r, 0, 3.0, 0, 0);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK_NEAR(velocity_residual(r.system), 0.0, 1e-14);
        CHECK_NEAR(r.assembly.velocity_change, 0.0, 1e-14);
        const ac_node *rocker = &r.system->nodes[2];
        const double *v = r.system->initial.v + rocker->q, *x = r.system->initial.q + rocker->q;
        double rate = (v[1] * (x[0] - 2.0) - v[0] * x[1]) / ((x[0] - 2.0) * (x[0] - 2.0) + x[1] * x[1]);
        CHECK_NEAR(rate, 3.0 * ratio, 1e-10);
        rig_close(&r);
    }
}

/* Contradicting rates are refused, with what is given and what fits; one of them as a hint is met as well as possible, and
 * the change is reported. */
TEST(contradicting_rates_are_refused)
{
    const four_bar bar = {0.7, 1.8, 1.3, 2.0, 1.0, 1.0};
    rig r;
    rig_open(&r, NULL);
    draw_planar_four_bar(&r, &bar);
    rig_rates(&r, 0, 3.0, 0, 0);
    rig_rates(&r, 1, 3.0, 0, 0);
    CHECK(rig_finish(&r) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r.ctx), "the given rates contradict each other: joint '") != NULL);
    CHECK(strstr(ac_context_message(r.ctx), "is given the rate 3, beside the others it is ") != NULL);
    rig_close(&r);

    rig_open(&r, NULL);
    draw_planar_four_bar(&r, &bar);
    rig_rates(&r, 0, 3.0, 0, 0);
    rig_rates(&r, 1, 3.0, 0, 0);
    r.system->joints[1].hint = true;
    CHECK(rig_finish(&r) == AC_OK);
    CHECK_NEAR(velocity_residual(r.system), 0.0, 1e-14);
    CHECK(r.assembly.velocity_change > 0.1);
    rig_close(&r);
}

/* A velocity drawn for a body in a joint: the part along the joint is kept (projection), the rest is
 * reported. */
TEST(velocity_of_a_body_is_projected)
{
    const double x[3] = {2, 0, 0}, v[3] = {0.5, 3.0, 0.25}, w[3] = {0, 0, 1.5}, J[3] = {0.1, 0.1, 0.1};
    rig r;
    rig_open(&r, NULL);
    int body = rig_body(&r, "body", 1.0, J, x, NULL);
    rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, ORIGIN, Z, NULL);
    rig_moving(&r, body, v, w);
    CHECK(rig_finish(&r) == AC_OK);
    CHECK_NEAR(velocity_residual(r.system), 0.0, 1e-15);
    CHECK_NEAR(r.system->initial.v[1], 3.0, 1e-14); /* 1.5 rad/s at 2 m */
    CHECK_NEAR(r.system->initial.v[0], 0.0, 1e-15);
    CHECK_NEAR(r.assembly.velocity_change, 0.5, 1e-14);
    rig_close(&r);
}

/* Bars that cannot meet: the joint and the gap are named; 0.7 + 1.8 + 1.3 = 3.8 m do not reach 5 m. */
TEST(wrong_lengths_are_refused)
{
    double p[4][3] = {{0, 0, 0}, {0.7, 0.1, 0}, {2.4, 0.2, 0}, {5, 0, 0}};
    for (int planar = 0; planar < 2; ++planar) {
        rig r;
        rig_open(&r, NULL);
        int bars[3];
        const double lengths[3] = {0.7, 1.8, 1.3};
        for (int k = 0; k < 3; ++k) {
            double end[3] = {p[k][0] + lengths[k], p[k][1], 0};
            bars[k] = planar ? rig_planar_rod(&r, "bar", p[k], end, 1.0) : rig_rod(&r, "bar", p[k], end, 1.0);
            rig_joint(&r, k == 0 ? "support" : "pin", AC_REVOLUTE, k == 0 ? AC_GROUND : bars[k - 1], bars[k],
                      p[k], Z, NULL);
        }
        /* frames at the ends of the bars, wherever they were drawn */
        for (int k = 1; k < 3; ++k) {
            double *place = r.system->joints[k].a.place;
            place[0] = 0.5 * lengths[k - 1];
            place[1] = place[2] = 0.0;
        }
        const double last[3] = {p[2][0] + lengths[2], p[2][1], 0};
        int closing = rig_joint(&r, "closing", AC_REVOLUTE, bars[2], AC_GROUND, last, Z, NULL);
        r.system->joints[closing].b.place[0] = 5.0;
        r.system->joints[closing].b.place[1] = 0.0;
        CHECK(rig_finish(&r) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(r.ctx), "cannot be closed: a gap of") != NULL);
        CHECK(strstr(ac_context_message(r.ctx), "check the lengths") != NULL);
        rig_close(&r);
    }
}

/* A point hung by two rods of given length: the circles' intersection that was drawn. */
TEST(distances_close_loops)
{
    for (int side = 0; side < 2; ++side) {
        const double a[3] = {0, 0, 0}, b[3] = {2, 0, 0}, x[3] = {1.02, side ? 0.97 : -0.97, 0};
        rig r;
        rig_open(&r, NULL);
        int point = rig_point(&r, "knot", 1.0, 2, x[0], x[1], 0);
        int first = rig_distance(&r, "first", AC_GROUND, point, a, x),
            second = rig_distance(&r, "second", AC_GROUND, point, b, x);
        r.system->joints[first].length = r.system->joints[second].length = sqrt(2.0);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK_NEAR(r.system->initial.q[0], 1.0, 1e-13);
        CHECK_NEAR(r.system->initial.q[1], side ? 1.0 : -1.0, 1e-13);
        CHECK(ac_system_sizes(r.system).freedoms == 0);
        rig_close(&r);
    }
}

/* Nothing may be added to a finished system, and it is finished once. */
TEST(finished_is_finished)
{
    rig r;
    rig_open(&r, NULL);
    CHECK(ac_system_finish(r.system, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r.ctx), "the system has no bodies") != NULL);
    rig_point(&r, "point", 1.0, 2, 0, 0, 0);
    CHECK(rig_finish(&r) == AC_OK);
    CHECK(ac_system_finish(r.system, NULL) == AC_BAD_INPUT);
    r.status = AC_OK;
    rig_point(&r, "late", 1.0, 2, 0, 0, 0);
    CHECK(r.status == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(r.ctx), "the system is finished; nothing can be added");
    rig_close(&r);
}

/* What no joint holds starts with the velocity that it is given, however large that is. */
TEST(any_velocity_is_taken_where_nothing_is_held)
{
    const double J[3] = {0.1, 0.2, 0.25}, x[3] = {0.5, 0.1, -0.3};
    dice d = {5};
    for (double size = 1e-6; size < 1e150; size *= 137.0) {
        double v[3], w[3];
        char text[256];
        rig r;
        rig_open(&r, NULL);
        dice_vector(&d, 3, size, v);
        dice_vector(&d, 3, size, w);
        int body = rig_body(&r, "body", 1.0, J, x, NULL), point = rig_point(&r, "point", 1.0, 3, 0, 0, 1);
        rig_moving(&r, body, v, w);
        rig_moving(&r, point, v, NULL);
        CHECK(rig_finish(&r) == AC_OK);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(r.system->initial.v[r.system->nodes[body].q + c], v[c], 1e-13 * size);
            CHECK_NEAR(r.system->initial.v[r.system->nodes[point].q + c], v[c], 1e-13 * size);
        }
        CHECK(!ac_system_assembly_text(r.system, 0, text, sizeof text));
        CHECK(!ac_system_warning(r.system, 0, text, sizeof text));
        rig_close(&r);
    }
}

RUN_TESTS(CASE(every_mechanism_is_consistent), CASE(open_chain_is_corrected),
          CASE(closed_loops_keep_their_branch), CASE(given_coordinates_are_kept),
          CASE(velocities_are_consistent), CASE(contradicting_rates_are_refused),
          CASE(velocity_of_a_body_is_projected), CASE(wrong_lengths_are_refused), CASE(distances_close_loops),
          CASE(finished_is_finished), CASE(any_velocity_is_taken_where_nothing_is_held))
