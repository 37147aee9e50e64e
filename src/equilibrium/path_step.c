/* One step along a load path: predictor along the tangent, corrector in the plane across it.
 *
 *   K a = -r,  K b = P^T f,  delta = a + dfactor b,
 *   t . (travelled + delta) + s^2 t_f (factor - factor_0) = step
 *
 * (t, t_f): the unit tangent. The load factor is an unknown, so that limit points, where K is singular,
 * are ordinary points. Its scale s, m, is zero where the load moves the system: the length of the path is
 * that of displacements then. A load that moves nothing, such as that on top of a column of stiff links,
 * has a path on which nothing but the factor changes. There s is what the load would move if it pushed
 * along the softest motion.
 *
 * Next to a bifurcation the forces that are left say nothing about the motion that costs nothing there: it
 * is held.
 */
#include "equilibrium/path.h"

#include <math.h>
#include <string.h>

static const double LARGEST_TURN = 0.5;
static const double STILL = 1e-9; /* beside what the load could move: it moves nothing */
static const double ALONG = 0.5;  /* cosine between the path and a motion that it follows */
static const double FALLS = 0.5;  /* of the last correction: one that is larger may be rounding */
/* Next to a bifurcation Newton's method takes away a third of the error each time. */
enum { MOST_CORRECTIONS = 25, MOST_BETWEEN = 60 };

double ac_path_dot(const ac_equilibrium *e, const double *a, const double *b)
{
    return ac_equilibrium_dot(e, e->metric.weight, a, b) / e->system->node_count;
}

bool ac_path_no_point(ac_status status)
{
    return status == AC_NOT_CONVERGED || status == AC_SINGULAR;
}

/* Two changes of displacement and load factor. */
static double product(const ac_equilibrium *e, const double *a, double a_factor, const double *b,
                      double b_factor)
{
    return ac_path_dot(e, a, b) + e->path.load_scale * e->path.load_scale * a_factor * b_factor;
}

/* Unit tangent from `by_load`, in the direction of a displacement and a change of the load factor. */
static ac_status set_tangent(ac_equilibrium *e, const double *along, double along_factor)
{
    double length = sqrt(product(e, e->newton.by_load, 1.0, e->newton.by_load, 1.0));
    if (!(length > 0.0) || !isfinite(length)) return AC_NOT_CONVERGED;
    double sign = product(e, along, along_factor, e->newton.by_load, 1.0) < 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = sign * e->newton.by_load[j] / length;
    e->now.tangent_factor = sign / length;
    return AC_OK;
}

ac_status ac_path_could_move(ac_equilibrium *e, double *distance)
{
    double stiffness = 0.0, strength = ac_equilibrium_load_strength(e);
    *distance = 0.0;
    if (!(strength > 0.0)) return AC_OK;
    ac_status status = ac_equilibrium_softest(e, e->newton.delta, &stiffness);
    if (status == AC_OK) *distance = strength / (fabs(stiffness) * sqrt(e->system->node_count));
    return status == AC_SINGULAR ? AC_OK : status;
}

ac_status ac_path_first_tangent(ac_equilibrium *e)
{
    double most;
    AC_TRY(ac_path_could_move(e, &most));
    AC_TRY(ac_equilibrium_correction(e, e->newton.delta, e->newton.by_load));
    bool still = !(sqrt(ac_path_dot(e, e->newton.by_load, e->newton.by_load)) > STILL * most);
    if (still && !(most > 0.0 && isfinite(most)))
        return ac_fail(e->ctx, AC_NOT_CONVERGED,
                       "the loads do not move the system, and nothing in it resists them; there is no path "
                       "to follow");
    e->path.load_scale = still ? most : 0.0;
    return set_tangent(e, e->newton.by_load, 1.0);
}

/* Motions without resistance are held, unless the load has come to push them or the path goes along one of
 * them. `found`: how many there are, held or not. */
static ac_status factor_tangent(ac_equilibrium *e, const double *t, bool hold, int *found)
{
    double along = 0.0;
    AC_TRY(ac_equilibrium_factor_holding(e, hold ? e->neutral.before : 0));
    *found = e->neutral.count;
    AC_TRY(ac_equilibrium_release_pushed(e));
    if (e->neutral.count <= e->neutral.before) return AC_OK;
    for (int j = 0; j < e->freedoms; ++j) e->newton.move[j] = t[j];
    ac_equilibrium_hold_neutral(e, e->newton.move);
    for (int j = 0; j < e->freedoms; ++j) e->newton.move[j] = t[j] - e->newton.move[j];
    along = sqrt(ac_path_dot(e, e->newton.move, e->newton.move));
    for (int j = 0; j < e->freedoms; ++j) e->newton.move[j] *= e->metric.weight[j];
    if (along > ALONG) ac_equilibrium_release_along(e, e->newton.move);
    return AC_OK;
}

/* While motions without resistance are looked for, all get a little support, which is in the factors still
 * after the last of them has been let go. Points are found with it, too, but it would show in their tangents:
 * beyond a bifurcation of a fine mesh it is more than what the motion along the branch costs. */
static ac_status factor_exactly(ac_equilibrium *e, const double *t, bool hold)
{
    int found;
    AC_TRY(factor_tangent(e, t, hold, &found));
    if (found == 0 || e->neutral.count > 0) return AC_OK;
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    return status == AC_SINGULAR ? factor_tangent(e, t, hold, &found) : status;
}

/* One correction with the load factor in it; returns its size. */
static ac_status correct(ac_equilibrium *e, const ac_equilibrium_state *from, double step, bool hold,
                         double *size)
{
    const double *t = from->tangent;
    int found;
    ac_equilibrium_evaluate(e);
    AC_TRY(factor_tangent(e, t, hold, &found));
    AC_TRY(ac_equilibrium_correction(e, e->newton.delta, e->newton.by_load));
    double gap = product(e, t, from->tangent_factor, e->newton.travelled, e->now.factor - from->factor) -
                 step;
    double across = product(e, t, from->tangent_factor, e->newton.by_load, 1.0);
    double change = -(gap + ac_path_dot(e, t, e->newton.delta)) / across;
    for (int j = 0; j < e->size; ++j) e->newton.delta[j] += change * e->newton.by_load[j];
    *size = ac_equilibrium_size(e, e->newton.delta);
    if (!isfinite(*size) || !isfinite(change)) return AC_NOT_CONVERGED;
    double part = *size > LARGEST_TURN ? LARGEST_TURN / *size : 1.0;
    memcpy(e->balance.mu, e->newton.delta + e->freedoms, (size_t)e->closures * sizeof *e->balance.mu);
    for (int j = 0; j < e->freedoms; ++j) e->newton.travelled[j] += part * e->newton.delta[j];
    ac_equilibrium_move(e, e->newton.delta, part);
    e->now.factor += part * change;
    return AC_OK;
}

/* Forces and tangent of a point that has been found. */
static ac_status complete(ac_equilibrium *e, const ac_equilibrium_state *from, double step, bool hold)
{
    e->now.path = from->path + fabs(step);
    ac_equilibrium_evaluate(e);
    e->point.residual = ac_equilibrium_force(e);
    AC_TRY(factor_exactly(e, from->tangent, hold));
    if (hold && ac_equilibrium_leaves(e)) return AC_NOT_CONVERGED;
    AC_TRY(ac_equilibrium_correction(e, e->newton.delta, e->newton.by_load));
    if (step <= 0.0) return set_tangent(e, from->tangent, from->tangent_factor);
    return set_tangent(e, e->newton.travelled, e->now.factor - from->factor);
}

void ac_path_note_bend(ac_equilibrium *e, double step)
{
    const ac_equilibrium_state *from = &e->before;
    for (int j = 0; j < e->freedoms; ++j) e->path.bend[j] = e->newton.travelled[j] - step * from->tangent[j];
    e->path.bend_factor = e->now.factor - from->factor - step * from->tangent_factor;
    e->path.bend_step = step;
}

/* Along the tangent, and where the bend is known, along a parabola. */
static void predict(ac_equilibrium *e, const ac_equilibrium_state *from, double step)
{
    double part = e->path.bend_step > 0.0 ? step * step / (e->path.bend_step * e->path.bend_step) : 0.0;
    ac_equilibrium_state_copy(e, from, &e->now);
    for (int j = 0; j < e->freedoms; ++j)
        e->newton.travelled[j] = step * from->tangent[j] + part * e->path.bend[j];
    ac_equilibrium_move(e, e->newton.travelled, 1.0);
    e->now.factor += step * from->tangent_factor + part * e->path.bend_factor;
}

static ac_status find_point(ac_equilibrium *e, const ac_equilibrium_state *from, double step, bool hold)
{
    double size = INFINITY;
    int most = e->path.bend_step > 0.0 ? MOST_BETWEEN : MOST_CORRECTIONS;
    predict(e, from, step);
    for (int it = 0; it < most; ++it) {
        double last = size;
        AC_TRY(correct(e, from, step, hold, &size));
        e->point.iterations = it + 1;
        bool fell = size <= FALLS * last;
        if (size <= e->settings.tolerance || (!fell && ac_equilibrium_is_rounding(e, size)))
            return complete(e, from, step, hold);
    }
    return AC_NOT_CONVERGED;
}

/* With the motions held that cost nothing all along the path, unless they have begun to cost something. */
ac_status ac_path_step(ac_equilibrium *e, const ac_equilibrium_state *from, double step)
{
    ac_status status = find_point(e, from, step, e->neutral.before > 0);
    if (e->neutral.before == 0 || !ac_path_no_point(status)) return status;
    return find_point(e, from, step, false);
}

double ac_path_turn(const ac_equilibrium *e, const ac_equilibrium_state *from)
{
    return product(e, from->tangent, from->tangent_factor, e->now.tangent, e->now.tangent_factor);
}

ac_status ac_path_judge(ac_equilibrium *e, ac_equilibrium_event event)
{
    int sign;
    e->point.event = event;
    AC_TRY(ac_sparse_sign(e->tangent.matrix, &sign));
    for (int c = 0; c < e->closures; ++c)
        if (!e->newton.omitted[c]) sign = -sign;
    if (e->neutral.count == 0) e->now.flipped = sign < 0; /* else as before */
    return ac_equilibrium_stability(e, &e->point.negative, &e->point.neutral);
}
