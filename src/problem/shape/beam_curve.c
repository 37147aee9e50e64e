/* Reference curves of beams from a problem file: reads the parts of the curve; the curve itself is laid
 * by the model, whose messages get the place in the file that they are about. */
#include "problem/shape/beam_curve.h"

#include "base/base.h"
#include "base/vector.h"

/* ---- reading ---- */

static ac_status read_straight(ac_builder *b, const ac_value *value, ac_curve_shape *shape)
{
    ac_straight_input line;
    AC_TRY(ac_section_read(&b->reader, &ac_section_straight, value, &line, sizeof line));
    shape->type = AC_CURVE_STRAIGHT;
    copy3(line.from.x, shape->from);
    copy3(line.to.x, shape->to);
    return AC_OK;
}

static ac_status read_arc(ac_builder *b, const ac_value *value, ac_curve_shape *shape, ac_arc_input *arc)
{
    AC_TRY(ac_section_read(&b->reader, &ac_section_arc, value, arc, sizeof *arc));
    shape->type = AC_CURVE_ARC;
    copy3(arc->from.x, shape->from);
    copy3(arc->centre.x, shape->centre);
    copy3(arc->axis.x, shape->axis);
    shape->angle = arc->angle.value;
    return AC_OK;
}

static ac_status read_polyline(ac_builder *b, const ac_beam_input *input, ac_curve_shape *shape)
{
    const ac_value *list = input->polyline;
    bool edges = input->model.choice == AC_BEAM_EDGE;
    shape->type = AC_CURVE_POLYLINE;
    shape->smooth_corners = input->corners.at ? input->corners.choice != 0 : edges;
    if (edges && !shape->smooth_corners)
        return ac_fail_at(b->ctx, input->corners.at->place,
                          "a rod of the edge model cannot have sharp corners");
    shape->count = list->kind == AC_LIST ? list->count : 0;
    double(*places)[3] = ac_arena_take(&b->reader.arena, (size_t)shape->count + 1, sizeof *places);
    if (!places) return AC_NO_MEMORY;
    shape->places = (const double(*)[3])places;
    int k = 0, count;
    for (const ac_value *value = list->first; value && k < shape->count; value = value->next, ++k)
        AC_TRY(ac_read_numbers(&b->reader, value, "a place of polyline", AC_DIM_LENGTH, 3, 3, places[k],
                               &count));
    return AC_OK;
}

ac_status ac_read_frame(ac_builder *b, const ac_value *entry, ac_pose *pose)
{
    ac_frame_input frame;
    AC_TRY(ac_section_read(&b->reader, &ac_section_frame, entry, &frame, sizeof frame));
    copy3(frame.position.x, pose->position);
    if (!frame.rotation == !frame.directors)
        return ac_fail_at(b->ctx, entry->place, "a frame needs either rotation or directors");
    return frame.rotation ? ac_read_rotation(b, frame.rotation, pose->rotation)
                          : ac_read_directors(b, frame.directors, pose->rotation);
}

static ac_status read_spline(ac_builder *b, const ac_beam_input *input, ac_curve_shape *shape)
{
    ac_spline_input spline;
    ac_pose *end = ac_arena_take(&b->reader.arena, 2, sizeof *end);
    if (!end) return AC_NO_MEMORY;
    AC_TRY(ac_section_read(&b->reader, &ac_section_spline, input->spline, &spline, sizeof spline));
    AC_TRY(ac_read_frame(b, spline.from, &end[0]));
    AC_TRY(ac_read_frame(b, spline.to, &end[1]));
    shape->type = AC_CURVE_SPLINE;
    shape->frames = end;
    shape->count = 2;
    shape->length = input->rest_length.value;
    return AC_OK;
}

/* Where the stiffnesses are given, they belong to the axes of the frames, which may then have any
 * direction. */
static ac_status read_frames(ac_builder *b, const ac_beam_input *input, ac_curve_shape *shape)
{
    const ac_value *list = input->frames;
    ac_pose *frames = ac_arena_take(&b->reader.arena, (size_t)list->count + 1, sizeof *frames);
    int k = 0;
    if (!frames) return AC_NO_MEMORY;
    for (const ac_value *entry = list->first; entry; entry = entry->next)
        AC_TRY(ac_read_frame(b, entry, &frames[k++]));
    shape->type = AC_CURVE_FRAMES;
    shape->frames = frames;
    shape->count = k;
    shape->any_direction = input->stiffness != NULL;
    return AC_OK;
}

/* ---- the choice ---- */

static ac_status one_curve(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                           const ac_value **curve)
{
    const ac_value *const curves[] = {input->straight, input->polyline, input->arc, input->spline,
                                      input->frames};
    int given = 0;
    for (int k = 0; k < 5; ++k) {
        if (!curves[k]) continue;
        *curve = curves[k];
        ++given;
    }
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

/* What a message of the model is about. */
static ac_place place_of(const ac_beam_input *input, const ac_value *curve, const ac_arc_input *arc,
                         const ac_curve_fault *fault)
{
    const ac_value *value = curve;
    switch (fault->part) {
    case AC_CURVE_PART_D1: value = input->d1.at; break;
    case AC_CURVE_PART_AXIS: value = arc->axis.at; break;
    case AC_CURVE_PART_ANGLE: value = arc->angle.at; break;
    case AC_CURVE_PART_ORDER: value = input->order.at; break;
    case AC_CURVE_PART_ELEMENTS: value = input->elements.at; break;
    case AC_CURVE_PART_ENTRY:
        value = curve->first;
        for (int k = 0; k < fault->entry && value; ++k) value = value->next;
        break;
    case AC_CURVE_PART_ITSELF: break;
    }
    return value ? value->place : curve->place;
}

ac_status ac_beam_curve(ac_builder *b, const ac_value *entry, const ac_beam_input *input, ac_curve **curve)
{
    ac_curve_shape shape = {.model = (ac_beam_model)input->model.choice};
    ac_arc_input arc;
    ac_curve_fault fault;
    const ac_value *value = NULL;
    AC_TRY(one_curve(b, entry, input, &value));
    if (input->order.at) shape.order = (int)input->order.value;
    if (input->elements.at) shape.elements = (int)input->elements.value;
    if (input->d1.at) AC_TRY(ac_read_direction(b, input->d1.at, "d1", 3, shape.d1));
    if (input->straight) AC_TRY(read_straight(b, value, &shape));
    if (input->arc) AC_TRY(read_arc(b, value, &shape, &arc));
    if (input->polyline) AC_TRY(read_polyline(b, input, &shape));
    if (input->spline) AC_TRY(read_spline(b, input, &shape));
    if (input->frames) AC_TRY(read_frames(b, input, &shape));
    ac_status status = ac_curve_lay(b->ctx, &shape, &fault, curve);
    return status == AC_OK ? AC_OK : ac_build_failed(b, status, place_of(input, value, &arc, &fault));
}
