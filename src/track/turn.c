/* How a body turns in one step where no joint holds a direction of it.
 *
 * With the turn exp(h omega) alone, the axis of a thin body runs away from its momentum: its spin grows by the factor
 * 1 + (J / J_axis - 1) (h omega)^2 / 2 in every step. The turn theta = h xi here is that of a free body, which keeps its momentum
 * in space, and between the two poses the momentum of the discrete action: in axes of the body
 *
 *   I xi + 1/2 theta x I xi + c(|theta|) theta x (theta x I xi) = I omega,   c(x) = (1 - (x/2) cot(x/2)) / x^2
 *
 * The spin of a symmetric body is then kept exactly, its energy does not grow, and with a sphere xi is omega. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "base/rotation.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "track/track.h"

static const double ISOTROPIC = 1e-12, CLOSE = 1e-15;
enum { CORRECTIONS = 8 };

/* c, by its series where the closed form cancels. */
static double third_weight(double x2)
{
    if (x2 < 1e-2) return 1.0 / 12.0 + x2 * (1.0 / 720.0 + x2 * (1.0 / 30240.0 + x2 / 1209600.0));
    double x = sqrt(x2);
    return (1.0 - 0.5 * x / ac_tan(0.5 * x)) / x2;
}

static void hat(const double a[3], double A[9])
{
    const double rows[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
    memcpy(A, rows, sizeof rows);
}

/* Residual and slope of the equation at xi; of c, the slope is left out. */
static void momentum_at(const double inertia[9], double h, const double xi[3], double r[3], double K[9])
{
    double p[3], once[3], twice[3], X[9], P[9], XI[9], XX[9], XXI[9], XP[9], Q[9];
    apply3(inertia, xi, p);
    cross3(xi, p, once);
    cross3(xi, once, twice);
    double c = third_weight(h * h * dot3(xi, xi));
    hat(xi, X);
    hat(p, P);
    hat(once, Q);
    multiply3(X, inertia, XI);
    multiply3(X, X, XX);
    multiply3(XX, inertia, XXI);
    multiply3(X, P, XP);
    for (int k = 0; k < 3; ++k) r[k] = p[k] + 0.5 * h * once[k] + c * h * h * twice[k];
    for (int k = 0; k < 9; ++k)
        K[k] = inertia[k] + 0.5 * h * (XI[k] - P[k]) + c * h * h * (XXI[k] - XP[k] - Q[k]);
}

static bool is_isotropic(const double inertia[9])
{
    double size = inertia[0] + inertia[4] + inertia[8], most = 0.0;
    for (int k = 0; k < 9; ++k) most = ac_max(most, fabs(inertia[k] - (k % 4 == 0 ? size / 3.0 : 0.0)));
    return most <= ISOTROPIC * size;
}

void ac_track_free_turn(const double inertia[9], const double omega[3], double h, const double R[9],
                        double theta[3])
{
    double body[3], momentum[3], xi[3], r[3], K[9];
    int pivot[3];
    for (int k = 0; k < 3; ++k) theta[k] = h * omega[k];
    apply_transposed3(R, omega, body);
    apply3(inertia, body, momentum);
    copy3(body, xi);
    double size = norm3(body);
    for (int it = 0; it < CORRECTIONS; ++it) {
        momentum_at(inertia, h, xi, r, K);
        for (int k = 0; k < 3; ++k) r[k] = momentum[k] - r[k];
        if (!ac_lu_factor(3, K, pivot)) return;
        ac_lu_solve(3, K, pivot, r);
        add3(xi, r, xi);
        if (!(norm3(r) > CLOSE * size)) break;
    }
    if (!(norm3(xi) < 2.0 * size)) return; /* too fast for one step: it is slowed down */
    apply3(R, xi, theta);
    for (int k = 0; k < 3; ++k) theta[k] *= h;
}

/* Where a joint holds a direction of a node, it keeps its axes; spheres turn with exp(h omega). */
void ac_track_find_free_turns(ac_track *t)
{
    const ac_system *system = t->system;
    for (int i = 0; i < t->nodes; ++i) {
        double inertia[9];
        t->turning.freely[i] = ac_node_turns(&system->nodes[i]) == 3;
        if (!t->turning.freely[i]) continue;
        ac_node_own_inertia(&system->nodes[i], inertia);
        t->turning.freely[i] = !is_isotropic(inertia);
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (!ac_row_holds_turns(joint->row)) continue;
        if (joint->a.node != AC_GROUND) t->turning.freely[joint->a.node] = false;
        if (joint->b.node != AC_GROUND) t->turning.freely[joint->b.node] = false;
    }
}

/* Twists at the start of a step: angular velocities that have the momentum of the step before in the present pose. */
void ac_track_twists_here(const ac_track *t, double *twists)
{
    memcpy(twists, t->twists, 6 * (size_t)t->nodes * sizeof *twists);
    for (int i = 0; i < t->nodes; ++i) {
        double J[9];
        int pivot[3];
        if (!t->turning.freely[i] || !t->present[i]) continue;
        memcpy(J, t->links[i].inertia, sizeof J);
        if (!ac_lu_factor(3, J, pivot)) continue;
        copy3(t->turning.momentum + 3 * i, twists + 6 * i + 3);
        ac_lu_solve(3, J, pivot, twists + 6 * i + 3);
    }
}
