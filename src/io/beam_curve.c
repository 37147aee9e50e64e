/* Reference curves of beams: places and tangents of the nodes first, then frames carried along without
 * twist. */
#include "io/beam_curve.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"

enum { STANDARD_ELEMENTS = 20 };

static const double FULL_TURN = 6.28318530717958647692;
static const double LEAST_COSINE = 0.5; /* between d3 of a frame and the beam */

/* ---- frames from tangents ---- */

static bool normalise(double x[3])
{
    double length = norm3(x);
    for (int i = 0; i < 3 && length > 0; ++i) x[i] /= length;
    return length > 0;
}

static void put_columns(const double d1[3], const double d3[3], double rotation[9])
{
    double d2[3];
    cross3(d3, d1, d2);
    for (int i = 0; i < 3; ++i) {
        rotation[3 * i] = d1[i];
        rotation[3 * i + 1] = d2[i];
        rotation[3 * i + 2] = d3[i];
    }
}

/* The first frame: d3 the tangent, d1 the wish made perpendicular to it. */
static ac_status first_frame(ac_builder *b, const ac_beam_input *input, const double tangent[3],
                             double rotation[9])
{
    double d1[3] = {0, 0, 0};
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(tangent[i]) < fabs(tangent[k])) k = i;
    d1[k] = 1;
    if (input->d1.at) AC_TRY(ac_read_direction(b, input->d1.at, "d1", 3, d1));
    double along = dot3(d1, tangent);
    for (int i = 0; i < 3; ++i) d1[i] -= along * tangent[i];
    if (!(norm3(d1) > 1e-6))
        return ac_fail_at(b->ctx, input->d1.at->place, "d1 must not be parallel to the axis of the beam");
    normalise(d1);
    put_columns(d1, tangent, rotation);
    return AC_OK;
}

/* The smallest rotation that takes the old tangent to the new one, applied to the frame. */
static void carry_frame(const double before[9], const double tangent[3], double rotation[9])
{
    const double old[3] = {before[2], before[5], before[8]};
    double axis[3], R[9];
    cross3(old, tangent, axis);
    double sine = norm3(axis), angle = atan2(sine, dot3(old, tangent));
    for (int i = 0; i < 3; ++i) axis[i] *= sine > 0 ? angle / sine : 0;
    ac_rotation_exp(axis, R);
    multiply3(R, before, rotation);
    ac_rotation_polish(rotation);
}

/* Tangents stand in the third column of the rotations; answers complete frames. */
static ac_status complete_frames(ac_builder *b, const ac_beam_input *input, ac_pose *frames, int count)
{
    for (int k = 0; k < count; ++k) {
        const double *R = frames[k].rotation, tangent[3] = {R[2], R[5], R[8]};
        if (k == 0)
            AC_TRY(first_frame(b, input, tangent, frames[0].rotation));
        else
            carry_frame(frames[k - 1].rotation, tangent, frames[k].rotation);
    }
    return AC_OK;
}

static void put_tangent(ac_pose *frame, const double tangent[3])
{
    for (int i = 0; i < 3; ++i) frame->rotation[3 * i + 2] = tangent[i];
}

/* ---- curves ---- */

static ac_status straight_curve(ac_builder *b, const ac_beam_input *input, int elements, ac_pose *frames)
{
    ac_straight_input line;
    double axis[3];
    AC_TRY(ac_section_read(&b->reader, &ac_section_straight, input->straight, &line, sizeof line));
    sub3(line.to.x, line.from.x, axis);
    if (!(norm3(axis) > 0))
        return ac_fail_at(b->ctx, input->straight->place, "the beam has no length: from and to coincide");
    for (int k = 0; k <= elements; ++k) {
        double share = (double)k / elements;
        for (int i = 0; i < 3; ++i) frames[k].position[i] = line.from.x[i] + share * axis[i];
    }
    copy3(line.to.x, frames[elements].position);
    normalise(axis);
    for (int k = 0; k <= elements; ++k) put_tangent(&frames[k], axis);
    return AC_OK;
}

static ac_status arc_curve(ac_builder *b, const ac_beam_input *input, int elements, ac_pose *frames)
{
    ac_arc_input arc;
    double axis[3], radius[3];
    AC_TRY(ac_section_read(&b->reader, &ac_section_arc, input->arc, &arc, sizeof arc));
    AC_TRY(ac_read_direction(b, arc.axis.at, "axis", 3, axis));
    sub3(arc.from.x, arc.centre.x, radius);
    double size = norm3(radius), along = dot3(radius, axis);
    if (!(size > 0))
        return ac_fail_at(b->ctx, input->arc->place, "the arc has no radius: from and centre coincide");
    if (fabs(along) > 1e-6 * size)
        return ac_fail_at(b->ctx, arc.axis.at->place,
                          "axis must be perpendicular to the line from centre to from");
    if (!(fabs(arc.angle.value) > 0) || fabs(arc.angle.value) > FULL_TURN * (1 + 1e-12))
        return ac_fail_at(b->ctx, arc.angle.at->place, "angle must not be zero, and at most a full turn");
    for (int k = 0; k <= elements; ++k) {
        double turn[3], R[9], arm[3], tangent[3];
        for (int i = 0; i < 3; ++i) turn[i] = axis[i] * arc.angle.value * k / elements;
        ac_rotation_exp(turn, R);
        apply3(R, radius, arm);
        add3(arc.centre.x, arm, frames[k].position);
        cross3(axis, arm, tangent);
        for (int i = 0; i < 3 && arc.angle.value < 0; ++i) tangent[i] = -tangent[i];
        normalise(tangent);
        put_tangent(&frames[k], tangent);
    }
    return AC_OK;
}

/* Shares the elements out to the pieces, at least one each, the longest for its number first. */
static void share_elements(const double *length, int pieces, int elements, int *counts)
{
    for (int p = 0; p < pieces; ++p) counts[p] = 1;
    for (int left = elements - pieces; left > 0; --left) {
        int best = 0;
        for (int p = 1; p < pieces; ++p)
            if (length[p] * counts[best] > length[best] * counts[p]) best = p;
        ++counts[best];
    }
}

static ac_status read_corners(ac_builder *b, const ac_value *list, double (*corner)[3], double *length,
                              double (*axis)[3])
{
    int k = 0, count;
    for (const ac_value *value = list->first; value; value = value->next, ++k) {
        AC_TRY(ac_read_numbers(&b->reader, value, "a place of polyline", AC_DIM_LENGTH, 3, 3, corner[k],
                               &count));
        if (k == 0) continue;
        sub3(corner[k], corner[k - 1], axis[k - 1]);
        length[k - 1] = norm3(axis[k - 1]);
        if (!normalise(axis[k - 1]))
            return ac_fail_at(b->ctx, value->place, "two neighbouring places of polyline coincide");
        if (k > 1 && dot3(axis[k - 1], axis[k - 2]) < -0.999)
            return ac_fail_at(b->ctx, value->place, "the polyline turns back on itself here");
    }
    return AC_OK;
}

/* Without a change of direction there is no corner. */
static bool is_sharp(const double before[3], const double after[3])
{
    double turn[3];
    cross3(before, after, turn);
    return norm3(turn) > 1e-9 || dot3(before, after) < 0;
}

typedef struct polyline {
    int pieces;
    double (*corner)[3], (*axis)[3], *length;
    int *counts; /* elements of the pieces */
    bool sharp;
} polyline;

/* Places and tangents of all nodes; answers how many there are. */
static int lay_polyline(const polyline *line, ac_curve *c)
{
    int node = 0;
    for (int p = 0; p < line->pieces; ++p) {
        int steps = c->order * line->counts[p];
        bool again = p > 0 && c->corner_count > 0 && c->corners[c->corner_count - 1] == node - 1;
        for (int k = p == 0 || again ? 0 : 1; k <= steps; ++k, ++node) {
            double share = (double)k / steps, tangent[3];
            for (int i = 0; i < 3; ++i)
                c->frames[node].position[i] = line->corner[p][i] +
                                              share * (line->corner[p + 1][i] - line->corner[p][i]);
            if (k == steps) copy3(line->corner[p + 1], c->frames[node].position);
            copy3(line->axis[p], tangent);
            if (k == steps && p + 1 < line->pieces && !line->sharp)
                add3(line->axis[p], line->axis[p + 1], tangent);
            normalise(tangent);
            put_tangent(&c->frames[node], tangent);
        }
        if (p + 1 == line->pieces) break;
        c->inner[c->inner_count++] = node - 1;
        if (line->sharp && is_sharp(line->axis[p], line->axis[p + 1]))
            c->corners[c->corner_count++] = node - 1;
    }
    return node;
}

static ac_status polyline_curve(ac_builder *b, const ac_beam_input *input, ac_curve *c)
{
    const ac_value *list = input->polyline;
    ac_arena *arena = &b->reader.arena;
    if (list->kind != AC_LIST || list->count < 2)
        return ac_fail_at(b->ctx, list->place, "polyline must be a list of at least two places [x, y, z]");
    polyline line = {.pieces = list->count - 1, .sharp = input->model.choice != AC_BEAM_EDGE};
    if (c->elements < line.pieces)
        return ac_fail_at(b->ctx, list->place, "a polyline of %d pieces needs at least %d elements, not %d",
                          line.pieces, line.pieces, c->elements);
    if (input->corners.at) line.sharp = input->corners.choice == 0;
    if (line.sharp && input->model.choice == AC_BEAM_EDGE)
        return ac_fail_at(b->ctx, input->corners.at->place,
                          "a rod of the edge model cannot have sharp corners");
    line.corner = ac_arena_take(arena, (size_t)list->count, sizeof *line.corner);
    line.axis = ac_arena_take(arena, (size_t)line.pieces, sizeof *line.axis);
    line.length = ac_arena_take(arena, (size_t)line.pieces, sizeof *line.length);
    line.counts = ac_arena_take(arena, (size_t)line.pieces, sizeof *line.counts);
    c->frames = ac_arena_take(arena, (size_t)c->elements * (size_t)c->order + (size_t)line.pieces,
                              sizeof *c->frames);
    c->corners = ac_arena_take(arena, (size_t)line.pieces, sizeof *c->corners);
    c->inner = ac_arena_take(arena, (size_t)line.pieces, sizeof *c->inner);
    if (!line.corner || !line.axis || !line.length || !line.counts || !c->frames || !c->corners || !c->inner)
        return AC_NO_MEMORY;
    AC_TRY(read_corners(b, list, line.corner, line.length, line.axis));
    share_elements(line.length, line.pieces, c->elements, line.counts);
    c->nodes = lay_polyline(&line, c);
    return AC_OK;
}

static ac_status read_frame(ac_builder *b, const ac_value *entry, ac_pose *pose)
{
    ac_frame_input frame;
    AC_TRY(ac_section_read(&b->reader, &ac_section_frame, entry, &frame, sizeof frame));
    copy3(frame.position.x, pose->position);
    if (!frame.rotation == !frame.directors)
        return ac_fail_at(b->ctx, entry->place, "a frame needs either rotation or directors");
    return frame.rotation ? ac_read_rotation(b, frame.rotation, pose->rotation)
                          : ac_read_directors(b, frame.directors, pose->rotation);
}

/* Hermite's cubic with end tangents d3; frames carried along without twist, then turned evenly to fit the
 * last one. */
static ac_status spline_curve(ac_builder *b, const ac_beam_input *input, int elements, ac_pose *frames)
{
    ac_spline_input spline;
    ac_pose end[2];
    AC_TRY(ac_section_read(&b->reader, &ac_section_spline, input->spline, &spline, sizeof spline));
    AC_TRY(read_frame(b, spline.from, &end[0]));
    AC_TRY(read_frame(b, spline.to, &end[1]));
    double gap[3], size = input->rest_length.value;
    sub3(end[1].position, end[0].position, gap);
    if (!(size > 0)) size = norm3(gap);
    if (!(size > 0))
        return ac_fail_at(b->ctx, input->spline->place, "the beam has no length: from and to coincide");
    frames[0] = end[0];
    for (int k = 1; k <= elements; ++k) {
        double s = (double)k / elements, tangent[3], before[9];
        for (int i = 0; i < 3; ++i) {
            double a = end[0].position[i], c = end[1].position[i];
            double da = size * end[0].rotation[3 * i + 2], dc = size * end[1].rotation[3 * i + 2];
            frames[k].position[i] = (2 * s - 3) * s * s * (a - c) + a + ((s - 2) * s + 1) * s * da +
                                    (s - 1) * s * s * dc;
            tangent[i] = 6 * (s - 1) * s * (a - c) + ((3 * s - 4) * s + 1) * da + (3 * s - 2) * s * dc;
        }
        if (!normalise(tangent)) return ac_fail_at(b->ctx, input->spline->place, "the spline has a cusp");
        memcpy(before, frames[k - 1].rotation, sizeof before);
        carry_frame(before, tangent, frames[k].rotation);
    }
    double relative[9];
    transposed_multiply3(frames[elements].rotation, end[1].rotation, relative);
    double twist = atan2(relative[3], relative[0]);
    for (int k = 1; k <= elements; ++k) {
        double turn[9], before[9];
        ac_rotation_z(twist * k / elements, turn);
        memcpy(before, frames[k].rotation, sizeof before);
        multiply3(before, turn, frames[k].rotation);
    }
    frames[elements] = end[1];
    return AC_OK;
}

/* Sections are across d3, so d3 has to point along the beam, to within 60 degrees. */
static ac_status check_direction(ac_builder *b, const ac_value *const entry[2], const ac_pose pose[2],
                                 const double gap[3])
{
    for (int k = 0; k < 2; ++k) {
        const double *R = pose[k].rotation, d3[3] = {R[2], R[5], R[8]};
        if (dot3(d3, gap) < LEAST_COSINE)
            return ac_fail_at(
                b->ctx, entry[k]->place,
                "d3 of this frame makes %.0f degrees with the line to the frame %s, more than 60: "
                "it has to point along the beam",
                acos(fmax(-1, fmin(1, dot3(d3, gap)))) * 360 / FULL_TURN, k == 0 ? "after it" : "before it");
    }
    return AC_OK;
}

/* Neighbours have to differ by less than a quarter turn: an element cannot say more. Where the stiffnesses are given, they
 * belong to the axes of the frames, which may then have any direction. */
static ac_status check_pair(ac_builder *b, const ac_beam_input *input, const ac_value *const entry[2],
                            const ac_pose pose[2])
{
    double gap[3], same = 0;
    sub3(pose[1].position, pose[0].position, gap);
    if (!normalise(gap))
        return ac_fail_at(b->ctx, entry[1]->place, "two neighbouring frames are at the same place");
    if (!input->stiffness) AC_TRY(check_direction(b, entry, pose, gap));
    for (int i = 0; i < 9; ++i) same += pose[0].rotation[i] * pose[1].rotation[i];
    if (same <= 1)
        return ac_fail_at(b->ctx, entry[1]->place,
                          "this frame is turned by %.0f degrees from the one before; less than 90 is needed",
                          acos(fmax(-1, 0.5 * (same - 1))) * 360 / FULL_TURN);
    return AC_OK;
}

static ac_status given_frames(ac_builder *b, const ac_beam_input *input, ac_pose *frames)
{
    int k = 0;
    const ac_value *pair[2] = {NULL, NULL};
    for (const ac_value *entry = input->frames->first; entry; entry = entry->next, ++k) {
        AC_TRY(read_frame(b, entry, &frames[k]));
        pair[0] = pair[1];
        pair[1] = entry;
        if (k > 0) AC_TRY(check_pair(b, input, pair, &frames[k - 1]));
    }
    return AC_OK;
}

/* ---- the choice ---- */

int ac_curve_node(const ac_curve *c, int place)
{
    int node = place;
    for (int k = 0; k < c->corner_count && c->corners[k] < node; ++k) ++node;
    return node;
}

static ac_status one_curve(ac_builder *b, const ac_value *entry, const ac_beam_input *input)
{
    const ac_value *const curves[] = {input->straight, input->polyline, input->arc, input->spline,
                                      input->frames};
    int given = 0;
    for (int k = 0; k < 5; ++k) given += curves[k] != NULL;
    if (given != 1)
        return ac_fail_at(b->ctx, entry->key_place,
                          "the beam '%s' needs exactly one of straight, polyline, arc, spline and frames",
                          entry->key);
    if (input->corners.at && !input->polyline)
        return ac_fail_at(b->ctx, input->corners.at->key_place, "only a polyline has corners");
    if ((input->frames || input->spline) && input->d1.at)
        return ac_fail_at(b->ctx, input->d1.at->key_place, "'d1' follows from the frames; leave it out");
    return AC_OK;
}

/* Order and number of elements. */
static ac_status count_elements(ac_builder *b, const ac_beam_input *input, ac_curve *c)
{
    c->order = input->order.at ? (int)input->order.value : 1;
    c->elements = input->elements.at ? (int)input->elements.value : STANDARD_ELEMENTS / c->order;
    if (c->order > 1 && input->model.choice != AC_BEAM_DIRECTOR)
        return ac_fail_at(b->ctx, input->order.at->place, "rods (model vertex and edge) have order 1, not %d",
                          c->order);
    if (!input->frames) return AC_OK;
    int pieces = input->frames->count - 1;
    if (pieces < c->order || pieces % c->order != 0)
        return c->order == 1
                   ? ac_fail_at(b->ctx, input->frames->place, "frames must have at least two entries")
                   : ac_fail_at(
                         b->ctx, input->frames->place,
                         "elements of order 2 have a node in their middle: frames must be an odd number, at "
                         "least 3, not %d",
                         pieces + 1);
    if (input->elements.at && input->elements.value != pieces / c->order)
        return ac_fail_at(b->ctx, input->elements.at->place,
                          "%d frames make %d elements; leave 'elements' out", pieces + 1, pieces / c->order);
    c->elements = pieces / c->order;
    return AC_OK;
}

/* Shares of the length at which elements end, from the places of their nodes. */
static ac_status find_ends(ac_builder *b, ac_curve *c)
{
    double sum = 0;
    c->ends = ac_arena_take(&b->reader.arena, (size_t)c->elements, sizeof *c->ends);
    if (!c->ends) return AC_NO_MEMORY;
    for (int k = 1, place = 0, corner = 0; k < c->nodes; ++k) {
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

static ac_status lay_curve(ac_builder *b, const ac_beam_input *input, ac_curve *c)
{
    if (input->polyline) {
        AC_TRY(polyline_curve(b, input, c));
        return complete_frames(b, input, c->frames, c->nodes);
    }
    int pieces = c->elements * c->order;
    c->nodes = pieces + 1;
    c->frames = ac_arena_take(&b->reader.arena, (size_t)c->nodes, sizeof *c->frames);
    if (!c->frames) return AC_NO_MEMORY;
    if (input->frames) return given_frames(b, input, c->frames);
    if (input->spline) return spline_curve(b, input, pieces, c->frames);
    if (input->straight) AC_TRY(straight_curve(b, input, pieces, c->frames));
    if (input->arc) AC_TRY(arc_curve(b, input, pieces, c->frames));
    return complete_frames(b, input, c->frames, c->nodes);
}

ac_status ac_beam_curve(ac_builder *b, const ac_value *entry, const ac_beam_input *input, ac_curve *c)
{
    *c = (ac_curve){0};
    AC_TRY(one_curve(b, entry, input));
    AC_TRY(count_elements(b, input, c));
    AC_TRY(lay_curve(b, input, c));
    return find_ends(b, c);
}
