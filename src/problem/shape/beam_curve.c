/* Reference curves of beams from a problem file: reads the parts of the curve; the curve itself is laid
 * by the model, whose messages get the place in the file that they are about. */
#include "problem/shape/beam_curve.h"

#include "base/base.h"
#include "base/vector.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

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

static ac_status read_polyline(ac_builder *b, const ac_beam_input *input, ac_drawn_curve *drawn)
{
    ac_curve_shape *shape = &drawn->shape;
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
    drawn->places = places;
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

static ac_status read_spline(ac_builder *b, const ac_beam_input *input, ac_drawn_curve *drawn)
{
    ac_curve_shape *shape = &drawn->shape;
    ac_spline_input spline;
    ac_pose *end = ac_arena_take(&b->reader.arena, 2, sizeof *end);
    if (!end) return AC_NO_MEMORY;
    AC_TRY(ac_section_read(&b->reader, &ac_section_spline, input->spline, &spline, sizeof spline));
    AC_TRY(ac_read_frame(b, spline.from, &end[0]));
    AC_TRY(ac_read_frame(b, spline.to, &end[1]));
    shape->type = AC_CURVE_SPLINE;
    shape->frames = drawn->frames = end;
    shape->count = 2;
    shape->length = input->rest_length.value;
    return AC_OK;
}

/* Where the stiffnesses are given, they belong to the axes of the frames, which may then have any
 * direction. */
static ac_status read_frames(ac_builder *b, const ac_beam_input *input, ac_drawn_curve *drawn)
{
    ac_curve_shape *shape = &drawn->shape;
    const ac_value *list = input->frames;
    ac_pose *frames = ac_arena_take(&b->reader.arena, (size_t)list->count + 1, sizeof *frames);
    int k = 0;
    if (!frames) return AC_NO_MEMORY;
    for (const ac_value *entry = list->first; entry; entry = entry->next)
        AC_TRY(ac_read_frame(b, entry, &frames[k++]));
    shape->type = AC_CURVE_FRAMES;
    shape->frames = drawn->frames = frames;
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

ac_status ac_beam_curve(ac_builder *b, const ac_value *entry, const ac_beam_input *input,
                        ac_drawn_curve **drawn, ac_curve **curve)
{
    ac_drawn_curve *own = ac_arena_take(&b->reader.arena, 1, sizeof *own);
    ac_arc_input arc;
    ac_curve_fault fault;
    const ac_value *value = NULL;
    if (!own) return AC_NO_MEMORY;
    *drawn = own;
    ac_curve_shape *shape = &own->shape;
    shape->model = (ac_beam_model)input->model.choice;
    AC_TRY(one_curve(b, entry, input, &value));
    if (input->order.at) shape->order = (int)input->order.value;
    if (input->elements.at) shape->elements = (int)input->elements.value;
    if (input->d1.at) AC_TRY(ac_read_direction(b, input->d1.at, "d1", 3, shape->d1));
    if (input->straight) AC_TRY(read_straight(b, value, shape));
    if (input->arc) AC_TRY(read_arc(b, value, shape, &arc));
    if (input->polyline) AC_TRY(read_polyline(b, input, own));
    if (input->spline) AC_TRY(read_spline(b, input, own));
    if (input->frames) AC_TRY(read_frames(b, input, own));
    ac_status status = ac_curve_lay(b->ctx, shape, &fault, curve);
    return status == AC_OK ? AC_OK : ac_build_failed(b, status, place_of(input, value, &arc, &fault));
}

/* ---- numbers ---- */

double *ac_drawn_number(ac_drawn_curve *d, int k)
{
    ac_curve_shape *s = &d->shape;
    double *const plain[AC_CURVE_ENTRIES] = {
        &s->from[0],   &s->from[1],   &s->from[2],   &s->to[0],   &s->to[1],   &s->to[2],
        &s->centre[0], &s->centre[1], &s->centre[2], &s->axis[0], &s->axis[1], &s->axis[2],
        &s->angle,     &s->length,    &s->d1[0],     &s->d1[1],   &s->d1[2]};
    if (k < AC_CURVE_ENTRIES) return plain[k];
    k -= AC_CURVE_ENTRIES;
    if (d->places) return k < 3 * s->count ? &d->places[k / 3][k % 3] : NULL;
    if (!d->frames || k >= AC_CURVE_POSE * s->count) return NULL;
    ac_pose *pose = &d->frames[k / AC_CURVE_POSE];
    return k % AC_CURVE_POSE < 3 ? &pose->position[k % AC_CURVE_POSE]
                                 : &pose->rotation[k % AC_CURVE_POSE - 3];
}

/* ---- what depends ---- */

/* The numbers of a curve, before the first of them depends. */
static ac_status list_numbers(ac_builder *b, ac_drawn_curve *drawn)
{
    int count = 0;
    while (ac_drawn_number(drawn, count)) ++count;
    drawn->numbers = ac_arena_take(&b->reader.arena, (size_t)count, sizeof *drawn->numbers);
    if (!drawn->numbers) return AC_NO_MEMORY;
    for (int k = 0; k < count; ++k) drawn->numbers[k] = ac_num_of(*ac_drawn_number(drawn, k));
    return AC_OK;
}

static ac_status depend(ac_builder *b, int number, int node, ac_place place)
{
    const ac_followed what = {(ac_datum)AC_BEAM_CURVE, b->beam_count - 1, 0, number, node};
    ac_drawn_curve *drawn = b->beams[b->beam_count - 1].drawn;
    if (!node) return AC_OK;
    if (!drawn->depends) AC_TRY(list_numbers(b, drawn));
    drawn->numbers[number].node = node;
    drawn->depends = drawn->turns = true;
    return ac_depend_number(b, &what, place);
}

static ac_status depend_list(ac_builder *b, int first, const ac_value *list)
{
    int node;
    for (const ac_value *value = list ? list->first : NULL; value; value = value->next, ++first) {
        AC_TRY(ac_follow(&b->reader, value, &node));
        AC_TRY(depend(b, first, node, value->place));
    }
    return AC_OK;
}

static ac_status depend_frame(ac_builder *b, int first, const ac_value *entry, const double rotation[9])
{
    ac_frame_input frame;
    ac_num R[9];
    AC_TRY(ac_section_read(&b->reader, &ac_section_frame, entry, &frame, sizeof frame));
    AC_TRY(depend_list(b, first, frame.position.at));
    AC_TRY(ac_follow_rotation(b, frame.rotation ? frame.rotation : frame.directors, frame.directors != NULL,
                              rotation, R));
    for (int k = 0; k < 9; ++k) AC_TRY(depend(b, first + 3 + k, R[k].node, entry->place));
    return AC_OK;
}

static ac_status depend_arc(ac_builder *b, const ac_value *value)
{
    ac_arc_input arc;
    int node;
    AC_TRY(ac_section_read(&b->reader, &ac_section_arc, value, &arc, sizeof arc));
    AC_TRY(depend_list(b, AC_CURVE_FROM, arc.from.at));
    AC_TRY(depend_list(b, AC_CURVE_CENTRE, arc.centre.at));
    AC_TRY(depend_list(b, AC_CURVE_AXIS, arc.axis.at));
    AC_TRY(ac_follow(&b->reader, arc.angle.at, &node));
    return depend(b, AC_CURVE_ANGLE, node, value->place);
}

static ac_status depend_frames(ac_builder *b, const ac_beam_input *input, const ac_drawn_curve *drawn)
{
    ac_spline_input spline;
    int node;
    int k = 0;
    for (const ac_value *entry = input->frames ? input->frames->first : NULL; entry; entry = entry->next, ++k)
        AC_TRY(depend_frame(b, AC_CURVE_ENTRIES + AC_CURVE_POSE * k, entry, drawn->frames[k].rotation));
    if (!input->spline) return AC_OK;
    AC_TRY(ac_section_read(&b->reader, &ac_section_spline, input->spline, &spline, sizeof spline));
    AC_TRY(depend_frame(b, AC_CURVE_ENTRIES, spline.from, drawn->frames[0].rotation));
    AC_TRY(depend_frame(b, AC_CURVE_ENTRIES + AC_CURVE_POSE, spline.to, drawn->frames[1].rotation));
    AC_TRY(ac_follow(&b->reader, input->rest_length.at, &node));
    return depend(b, AC_CURVE_LENGTH, node, input->spline->place);
}

/* A line along one of the axes of the world keeps its direction. */
static void look_at_line(ac_builder *b, const ac_straight_input *line, ac_drawn_curve *drawn)
{
    const ac_value *a = line->from.at->first, *e = line->to.at->first;
    int others = 0;
    for (int i = 0; i < 3; ++i, a = a ? a->next : NULL, e = e ? e->next : NULL)
        others += line->from.x[i] != line->to.x[i] || ac_depends(&b->reader, a) || ac_depends(&b->reader, e);
    if (others == 1) drawn->turns = false;
}

static ac_status depend_all(ac_builder *b, const ac_beam_input *input)
{
    ac_drawn_curve *drawn = b->beams[b->beam_count - 1].drawn;
    ac_straight_input line;
    ac_num d1[3];
    int k = 0;
    if (input->straight) {
        AC_TRY(ac_section_read(&b->reader, &ac_section_straight, input->straight, &line, sizeof line));
        AC_TRY(depend_list(b, AC_CURVE_FROM, line.from.at));
        AC_TRY(depend_list(b, AC_CURVE_TO, line.to.at));
        look_at_line(b, &line, drawn);
    }
    if (input->arc) AC_TRY(depend_arc(b, input->arc));
    for (const ac_value *place = input->polyline ? input->polyline->first : NULL; place;
         place = place->next, ++k)
        AC_TRY(depend_list(b, AC_CURVE_ENTRIES + 3 * k, place));
    AC_TRY(depend_frames(b, input, drawn));
    if (!input->d1.at) return AC_OK;
    AC_TRY(ac_follow_direction(b, input->d1.at, drawn->shape.d1, d1));
    for (int i = 0; i < 3; ++i) AC_TRY(depend(b, AC_CURVE_D1 + i, d1[i].node, input->d1.at->place));
    return AC_OK;
}

ac_status ac_depend_curve(ac_builder *b, const ac_beam_input *input)
{
    const ac_built_beam *beam = &b->beams[b->beam_count - 1];
    ac_drawn_curve *drawn = beam->drawn;
    if (!ac_sets_values(b)) return AC_OK;
    AC_TRY(depend_all(b, input));
    if (!drawn->depends) return AC_OK;
    drawn->poses = ac_arena_take(&b->reader.arena, (size_t)beam->curve->nodes, sizeof *drawn->poses);
    if (!drawn->poses) return AC_NO_MEMORY;
    return ac_curve_record(b->ctx, b->reader.graph, &drawn->shape, drawn->numbers, drawn->poses);
}
