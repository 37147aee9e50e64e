/* Curves of beams that depend on parameters whose values are set: they are laid anew. How their nodes move is recorded
 * (model/beam/curve_numbers.c), also for what follows from the drawing, such as frames of joints in the axes of a node. */
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"
#include "problem/build/slopes.h"

/* --- laying --- */

static bool same_mesh(const ac_curve *a, const ac_curve *b)
{
    bool same = a->nodes == b->nodes && a->corner_count == b->corner_count &&
                a->inner_count == b->inner_count;
    for (int k = 0; same && k < a->corner_count; ++k) same = a->corners[k] == b->corners[k];
    for (int k = 0; same && k < a->inner_count; ++k) same = a->inner[k] == b->inner[k];
    return same;
}

/* The same elements along the curve as in the file, with steps of the profile still at their ends. */
static ac_status check_mesh(ac_values *v, const ac_built_beam *beam, const ac_curve *curve)
{
    if (!same_mesh(curve, beam->curve))
        return ac_fail(v->inside, AC_BAD_INPUT, "the elements of beam '%s' lie otherwise along its curve",
                       beam->name);
    ac_status status = ac_profile_check_steps(&v->builder, beam->profile, curve->ends, curve->elements);
    return status == AC_OK ? AC_OK : ac_fail(v->inside, status, "%s", ac_context_message(v->ctx));
}

static ac_status lay(ac_values *v, int number)
{
    const ac_built_beam *beam = &v->builder.beams[number];
    ac_piece *piece = ac_description_beam(&v->description, number);
    ac_curve_fault fault;
    ac_curve *curve;
    AC_TRY(ac_curve_lay(v->inside, &beam->drawn->shape, &fault, &curve));
    ac_status status = check_mesh(v, beam, curve);
    if (status == AC_OK) memcpy(piece->frames, curve->frames, (size_t)curve->nodes * sizeof *piece->frames);
    ac_curve_free(curve);
    return status;
}

ac_status ac_values_lay_curves(ac_values *v)
{
    for (int k = 0; k < v->builder.beam_count; ++k)
        if (v->builder.beams[k].drawn->depends) AC_TRY(lay(v, k));
    return AC_OK;
}

/* --- derivatives --- */

static const double ROUNDED =
    1e-13; /* a turn that is smaller against the others, and against what moves, is none */

/* Half the sum of d x d' over the columns of a frame. */
static void turn_of(const double R[9], const double *by, const ac_num pose[AC_CURVE_POSE], double turn[3])
{
    memset(turn, 0, 3 * sizeof *turn);
    for (int c = 0; c < 3; ++c) {
        double d[3], change[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = R[3 * i + c];
            change[i] = 0.5 * by[pose[3 + 3 * i + c].node];
        }
        add_cross3(d, change, turn);
    }
}

void ac_values_curve_motion(const ac_values *v, int beam, ac_curve_motion *motion)
{
    const ac_piece *piece = ac_description_beam(&v->description, beam);
    const ac_built_beam *own = &v->builder.beams[beam];
    double most = 0.0, gap[3];
    sub3(piece->frames[own->nodes - 1].position, piece->frames[0].position, gap);
    for (int k = 0; k < own->nodes; ++k) {
        const ac_num *pose = own->drawn->poses[k];
        for (int i = 0; i < 3; ++i) motion[k].place[i] = v->work.d[pose[i].node];
        turn_of(piece->frames[k].rotation, v->work.d, pose, motion[k].turn);
        most = ac_max(most, norm3(motion[k].turn) + norm3(motion[k].place) / ac_max(norm3(gap), 1e-300));
    }
    for (int k = 0; k < own->nodes; ++k)
        if (norm3(motion[k].turn) < ROUNDED * most) memset(motion[k].turn, 0, sizeof motion[k].turn);
}
