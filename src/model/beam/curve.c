/* Reference curves of beams: how many elements and nodes, and the frames of all of them. */
#include "model/beam/curve.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"

enum { STANDARD_ELEMENTS = 20, ORDER_MAX = 2, MESSAGE_SIZE = 256 };

/* --- the mesh ------------------------------------------------------------------------------------------- */

/* Elements that given frames make. */
static ac_status count_frames(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    ac_curve *c = w->curve;
    int pieces = s->count - 1;
    if (c->order == 1 && pieces < 1)
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "frames must have at least two entries");
    if (pieces < c->order || pieces % c->order != 0)
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0,
                             "elements of order 2 have a node in their middle: frames must be an odd number, "
                             "at least 3, not %d",
                             pieces + 1);
    c->elements = pieces / c->order;
    if (s->elements == 0 || s->elements == c->elements) return AC_OK;
    return ac_curve_fail(w, AC_CURVE_PART_ELEMENTS, 0, "%d frames make %d elements; leave 'elements' out",
                         pieces + 1, c->elements);
}

/* Order and number of elements. */
static ac_status count_elements(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    ac_curve *c = w->curve;
    c->model = s->model;
    c->order = s->order == 0 ? 1 : s->order;
    if (c->order < 1 || c->order > ORDER_MAX)
        return ac_curve_fail(w, AC_CURVE_PART_ORDER, 0, "the order must be 1 or 2, not %d", c->order);
    if (c->order > 1 && c->model == AC_BEAM_DUAL_QUATERNION)
        return ac_curve_fail(w, AC_CURVE_PART_ORDER, 0, "beams of dual quaternions have order 1, not %d",
                             c->order);
    if (c->order > 1 && c->model != AC_BEAM_DIRECTOR)
        return ac_curve_fail(w, AC_CURVE_PART_ORDER, 0, "rods (model vertex and edge) have order 1, not %d",
                             c->order);
    if (s->type == AC_CURVE_FRAMES) return count_frames(w);
    c->elements = s->elements == 0 ? STANDARD_ELEMENTS / c->order : s->elements;
    if (c->elements >= 1 && c->elements <= AC_BEAM_ELEMENTS_MAX) return AC_OK;
    return ac_curve_fail(w, AC_CURVE_PART_ELEMENTS, 0, "elements must be between 1 and %d, not %d",
                         AC_BEAM_ELEMENTS_MAX, c->elements);
}

/* Shares of the length at which elements end, from the places of their nodes. */
static ac_status find_ends(ac_curve *c)
{
    double sum = 0;
    AC_NEW(c->ctx, c->ends, c->elements);
    for (int k = 1, place = 0, corner = 0; k < c->places; ++k) {
        double gap[3];
        if (corner < c->corner_count && c->corners[corner] == k - 1) {
            ++corner;
            continue;
        }
        sub3(c->frames[k].position, c->frames[k - 1].position, gap);
        c->ends[place++ / c->order] = sum += norm3(gap);
    }
    for (int e = 0; e < c->elements && sum > 0; ++e) c->ends[e] /= sum;
    return AC_OK;
}

/* Edge model: vertices and, between them, frames half way from one to the next; the ends keep their own. */
static ac_status stagger(ac_curve *c)
{
    ac_pose *vertex = c->frames, *frames;
    int elements = c->elements;
    AC_NEW(c->ctx, frames, elements + 2);
    frames[0] = vertex[0];
    for (int k = 0; k < elements; ++k) {
        ac_pose *edge = &frames[k + 1];
        double relative[9], turn[3], half[9];
        transposed_multiply3(vertex[k].rotation, vertex[k + 1].rotation, relative);
        ac_rotation_log(relative, turn);
        for (int i = 0; i < 3; ++i) turn[i] *= 0.5;
        ac_rotation_exp(turn, half);
        copy3(vertex[k].position, edge->position);
        multiply3(vertex[k].rotation, half, edge->rotation);
    }
    frames[elements + 1] = vertex[elements];
    ac_release(c->ctx, vertex);
    c->frames = frames;
    ++c->nodes;
    return AC_OK;
}

/* --- numbers -------------------------------------------------------------------------------------------- */

static bool are_finite(const double *x, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Places, or frames, one by one. */
static ac_status check_list(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    bool line = s->type == AC_CURVE_POLYLINE;
    for (int k = 0; k < s->count; ++k) {
        if (line ? are_finite(s->places[k], 3)
                 : are_finite(s->frames[k].position, 3) && are_finite(s->frames[k].rotation, 9))
            continue;
        return ac_curve_fail(w, AC_CURVE_PART_ENTRY, k, "its numbers must be finite");
    }
    return AC_OK;
}

/* What the type of the curve makes use of has to be finite. */
static ac_status check_numbers(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    const bool straight = s->type == AC_CURVE_STRAIGHT, arc = s->type == AC_CURVE_ARC;
    const struct {
        const char *name;
        const double *numbers;
        int count;
        bool used;
        ac_curve_part part;
    } fields[] = {{"from", s->from, 3, straight || arc, AC_CURVE_PART_ITSELF},
                  {"to", s->to, 3, straight, AC_CURVE_PART_ITSELF},
                  {"centre", s->centre, 3, arc, AC_CURVE_PART_ITSELF},
                  {"axis", s->axis, 3, arc, AC_CURVE_PART_AXIS},
                  {"angle", &s->angle, 1, arc, AC_CURVE_PART_ANGLE},
                  {"length", &s->length, 1, s->type == AC_CURVE_SPLINE, AC_CURVE_PART_ITSELF},
                  {"d1", s->d1, 3, s->type <= AC_CURVE_ARC, AC_CURVE_PART_D1}};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k)
        if (fields[k].used && !are_finite(fields[k].numbers, fields[k].count))
            return ac_curve_fail(w, fields[k].part, 0, "%s must be finite", fields[k].name);
    return straight || arc || s->type > AC_CURVE_FRAMES ? AC_OK : check_list(w);
}

/* --- the choice ----------------------------------------------------------------------------------------- */

static ac_status lay(ac_curve_work *w)
{
    ac_curve *c = w->curve;
    ac_curve_type type = w->shape->type;
    AC_TRY(count_elements(w));
    AC_TRY(check_numbers(w));
    c->places = c->elements * c->order + 1;
    if (type != AC_CURVE_POLYLINE) AC_NEW(w->ctx, c->frames, c->places);
    switch (type) {
    case AC_CURVE_STRAIGHT: AC_TRY(ac_curve_lay_straight(w)); break;
    case AC_CURVE_POLYLINE: AC_TRY(ac_curve_lay_polyline(w)); break;
    case AC_CURVE_ARC: AC_TRY(ac_curve_lay_arc(w)); break;
    case AC_CURVE_SPLINE: AC_TRY(ac_curve_lay_spline(w)); break;
    case AC_CURVE_FRAMES: AC_TRY(ac_curve_take_frames(w)); break;
    default: return ac_fail(w->ctx, AC_BAD_INPUT, "there is no curve of type %d", (int)type);
    }
    if (type != AC_CURVE_SPLINE && type != AC_CURVE_FRAMES) AC_TRY(ac_curve_carry_frames(w));
    AC_TRY(find_ends(c));
    c->nodes = c->places;
    return c->model == AC_BEAM_EDGE ? stagger(c) : AC_OK;
}

ac_status ac_curve_lay(ac_context *ctx, const ac_curve_shape *shape, ac_curve_fault *fault, ac_curve **curve)
{
    ac_curve_work work = {.ctx = ctx, .shape = shape};
    *curve = NULL;
    *fault = work.fault;
    AC_NEW(ctx, work.curve, 1);
    work.curve->ctx = ctx;
    ac_status status = lay(&work);
    *fault = work.fault;
    if (status != AC_OK) {
        ac_curve_free(work.curve);
        return status;
    }
    *curve = work.curve;
    return AC_OK;
}

ac_status ac_curve_new(ac_context *ctx, const ac_curve_shape *shape, ac_curve **curve)
{
    ac_curve_fault fault;
    ac_status status = ac_curve_lay(ctx, shape, &fault, curve);
    if (status != AC_BAD_INPUT || fault.part != AC_CURVE_PART_ENTRY) return status;
    char message[MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", ac_context_message(ctx));
    return ac_fail(ctx, status, "%s %d: %s", shape->type == AC_CURVE_POLYLINE ? "place" : "frame",
                   fault.entry, message);
}

void ac_curve_free(ac_curve *c)
{
    if (!c) return;
    ac_release(c->ctx, c->frames);
    ac_release(c->ctx, c->corners);
    ac_release(c->ctx, c->inner);
    ac_release(c->ctx, c->ends);
    ac_release(c->ctx, c);
}

/* --- what it is for ------------------------------------------------------------------------------------- */

void ac_curve_fill(const ac_curve *c, ac_beam *beam)
{
    beam->model = c->model;
    beam->order = c->order;
    beam->elements = c->elements;
    beam->frames = c->frames;
    beam->corners = c->corners;
    beam->corner_count = c->corner_count;
}

int ac_curve_nodes(const ac_curve *c)
{
    return c->nodes;
}

ac_pose ac_curve_frame(const ac_curve *c, int node)
{
    return node >= 0 && node < c->nodes ? c->frames[node] : ac_pose_identity();
}

int ac_curve_node(const ac_curve *c, int piece)
{
    int place = piece;
    if (piece < 0 || piece > c->elements * c->order) return -1;
    for (int k = 0; k < c->corner_count && c->corners[k] < place; ++k) ++place;
    return ac_curve_node_at(c, place);
}

int ac_curve_corner(const ac_curve *c, int number)
{
    return number >= 1 && number <= c->inner_count ? ac_curve_node_at(c, c->inner[number - 1]) : -1;
}
