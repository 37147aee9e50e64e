/* The task "track" of a problem file: targets, their courses, studies, and the events of a recorded session. */
#include "problem/track/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/keys/schema_track.h"

/* ---- targets ---- */

static ac_status read_signals(ac_builder *b, const ac_value *list, const char *what, ac_dimension dimension,
                              int dimensions, ac_signal **signals)
{
    if (list->kind != AC_LIST || list->count < 1 || list->count > 3 ||
        (list->count != dimensions && list->count != 3))
        return ac_fail_at(b->ctx, list->place, "%s must be a list of %d components", what, dimensions);
    int k = 0;
    for (const ac_value *value = list->first; value; value = value->next, ++k)
        AC_TRY(ac_read_signal(&b->reader, value, what, dimension, &signals[k]));
    return AC_OK;
}

static ac_status read_components(ac_builder *b, const ac_value *list, ac_track_target *target)
{
    static const char *const words[6] = {"x", "y", "z", "rx", "ry", "rz"};
    if (list->kind != AC_LIST || list->count == 0)
        return ac_fail_at(b->ctx, list->place, "components must be a list of x, y, z, rx, ry, rz");
    for (const ac_value *value = list->first; value; value = value->next) {
        int found = -1;
        for (int c = 0; c < 6 && value->kind == AC_SCALAR; ++c)
            if (strcmp(words[c], value->text) == 0) found = c;
        if (found < 0) return ac_fail_at(b->ctx, value->place, "a component is one of x, y, z, rx, ry, rz");
        if (found < 3)
            target->position[found] = true;
        else
            target->rotation[found - 3] = true;
    }
    return AC_OK;
}

static ac_status add_sample(ac_builder *b, ac_course *course, const double *row, int count)
{
    static const double none[3] = {0};
    return ac_course_add(b->ctx, course, row[0], row + 1, count == 7 ? row + 4 : none);
}

static ac_status read_samples(ac_builder *b, const ac_value *list, ac_course *course, int *width)
{
    if (list->kind != AC_LIST || list->count == 0)
        return ac_fail_at(b->ctx, list->place, "samples must be a list of [t, x, y, z]");
    for (const ac_value *value = list->first; value; value = value->next) {
        double row[7];
        int count;
        AC_TRY(ac_read_numbers(&b->reader, value, "sample", AC_DIM_NUMBER, 4, 7, row, &count));
        if (count != 4 && count != 7)
            return ac_fail_at(b->ctx, value->place, "a sample has 4 or 7 numbers: t, x, y, z, rx, ry, rz");
        *width = count;
        AC_TRY(add_sample(b, course, row, count));
    }
    return AC_OK;
}

/* Numbers of one line; 0: an empty line, a remark or a heading. Words such as nan are numbers that are
 * refused later. */
static int line_numbers(char *line, double row[7])
{
    int count = 0;
    for (char *at = line + strspn(line, " \t,;\r"); *at && *at != '#' && count < 7;) {
        char *end;
        row[count] = strtod(at, &end);
        if (end == at) return 0;
        ++count;
        at = end + strspn(end, " \t,;\r");
    }
    return count;
}

static ac_status read_sample_file(ac_builder *b, const ac_given_word *file, ac_course *course, int *width)
{
    char path[1024], *text;
    size_t length;
    const char *source = file->at->place.line > 0 ? file->at->place.source : "";
    const char *slash = strrchr(source, '/');
    int folder = slash && file->text[0] != '/' ? (int)(slash - source) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, source, file->text) >= (int)sizeof path)
        return ac_fail_at(b->ctx, file->at->place, "the path of the file is too long");
    ac_status status = ac_document_load(&b->reader.arena, path, &text, &length);
    if (status != AC_OK) return ac_build_failed(b, status, file->at->place);
    for (char *line = text, *next; line; line = next) {
        double row[7];
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        int count = line_numbers(line, row);
        if (count == 0) continue;
        if (count != 4 && count != 7) {
            ++course->refused;
            continue;
        }
        *width = count;
        AC_TRY(add_sample(b, course, row, count));
    }
    if (course->count == 0)
        return ac_fail_at(b->ctx, file->at->place, "the file has no samples: lines of 4 or 7 numbers");
    return AC_OK;
}

static ac_status sample_course(ac_builder *b, const ac_track_data *data, const ac_target_input *input,
                               ac_course *course)
{
    static const char *const variables[] = {"j"};
    ac_expression *shift = NULL;
    double end = (double)data->course_steps * data->settings.step;
    if (end / input->every.value > AC_LONGEST_RUN)
        return ac_fail_at(b->ctx, input->every.at->place, "more than %d samples", AC_LONGEST_RUN);
    if (input->shift.at) {
        ac_status status = ac_expression_parse(b->ctx, input->shift.text, variables, 1, NULL, NULL, NULL,
                                               &shift);
        if (status != AC_OK) return ac_build_failed(b, status, input->shift.at->place);
    }
    ac_status status = ac_course_sample_signals(b->ctx, course, input->every.value, shift, end);
    ac_expression_free(shift);
    return status;
}

static ac_status read_course(ac_builder *b, const ac_value *entry, const ac_track_data *data,
                             const ac_target_input *input, int dimensions, ac_tracked *t)
{
    int given = (input->position || input->rotation) + (input->samples != NULL) + (input->file.at != NULL);
    int width = 4;
    bool live = input->course.at && input->course.choice == AC_COURSE_LIVE;
    if (live && given > 0)
        return ac_fail_at(b->ctx, input->course.at->place,
                          "a live course comes from outside: it has no position, samples or file");
    if (given != 1 && !live)
        return ac_fail_at(
            b->ctx, entry->place,
            "where is the target? give position and rotation, or samples, or a file, or course: "
            "live");
    ac_course *course = &t->course;
    course->differences = (ac_differences)(input->differences.at ? input->differences.choice : 0);
    course->kind = (ac_course_kind)(input->course.at ? input->course.choice
                                    : input->position || input->rotation
                                        ? (input->every.at ? AC_COURSE_HELD : AC_COURSE_SMOOTH)
                                        : AC_COURSE_HELD);
    if (input->position)
        AC_TRY(read_signals(b, input->position, "position", AC_DIM_LENGTH, dimensions, course->position));
    if (input->rotation)
        AC_TRY(read_signals(b, input->rotation, "rotation", AC_DIM_ANGLE, 3, course->rotation));
    if (input->samples) AC_TRY(read_samples(b, input->samples, course, &width));
    if (input->file.at) AC_TRY(read_sample_file(b, &input->file, course, &width));
    bool formula = input->position || input->rotation;
    if (course->kind == AC_COURSE_SMOOTH && (!formula || input->every.at))
        return ac_fail_at(b->ctx, (input->course.at ? input->course.at : entry)->place,
                          "a smooth course is a position or rotation without `every`");
    if (course->kind != AC_COURSE_SMOOTH && formula && !input->every.at)
        return ac_fail_at(b->ctx, input->course.at->place,
                          "how often is the position sampled? give `every`, such as 20 ms");
    if (course->kind != AC_COURSE_SMOOTH && formula) AC_TRY(sample_course(b, data, input, course));
    ac_course_finish(course, data->settings.step, input->start_velocity.at ? input->start_velocity.x : NULL);
    if (input->components) return read_components(b, input->components, &t->target);
    for (int c = 0; c < 3; ++c) {
        t->target.position[c] = input->position || live ? c < dimensions : !formula;
        t->target.rotation[c] = input->rotation != NULL || (!formula && width == 7);
    }
    return AC_OK;
}

static ac_status read_target(ac_builder *b, const ac_value *entry, ac_track_data *data)
{
    ac_target_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_target, entry, &input, sizeof input));
    AC_TRY(ac_grow(b->ctx, (void **)&data->targets, &data->target_capacity, data->target_count + 1,
                   sizeof *data->targets));
    ac_tracked *t = &data->targets[data->target_count++];
    *t = (ac_tracked){0};
    AC_TRY(ac_find_node(b, input.on.text, input.on.at->place, &t->target.node));
    if (t->target.node == AC_GROUND)
        return ac_fail_at(b->ctx, input.on.at->place, "the ground follows nothing; name a body or point");
    const ac_built_node *built = ac_built(b, t->target.node);
    double place[3];
    memcpy(place, built->centre, sizeof place);
    if (input.at) AC_TRY(ac_read_place(b, input.at, t->target.node, place));
    ac_to_directors(built, place, t->target.place);
    memcpy(t->axes, built->axes, sizeof t->axes);
    snprintf(t->name, sizeof t->name, "%s", input.name.at ? input.name.text : input.on.text);
    if (input.name.at) AC_TRY(ac_check_name(&b->reader, t->name, input.name.at->place, "target"));
    if (input.max_force.at) t->target.max_force = input.max_force.value;
    if (input.max_torque.at) t->target.max_torque = input.max_torque.value;
    if (input.max_speed.at) t->target.max_speed = input.max_speed.value;
    return read_course(b, entry, data, &input, built->dimension, t);
}

/* ---- events ---- */

static ac_status read_event(ac_builder *b, const ac_value *entry, ac_track_data *data)
{
    if (entry->kind != AC_LIST || entry->count < 3)
        return ac_fail_at(b->ctx, entry->place, "an event is a list: [step, what, index, numbers...]");
    AC_TRY(ac_grow(b->ctx, (void **)&data->events, &data->event_capacity, data->event_count + 1,
                   sizeof *data->events));
    ac_track_event *event = &data->events[data->event_count];
    *event = (ac_track_event){0};
    const ac_value *step = entry->first, *what = step->next, *index = what->next;
    long number;
    int wanted = -1, given = 0;
    AC_TRY(ac_read_integer(&b->reader, step, "step", 0, AC_LONGEST_RUN, &event->step));
    for (int k = 0; k < AC_EVENT_KINDS && what->kind == AC_SCALAR; ++k) {
        int numbers = 0;
        if (strcmp(ac_event_name(k, &numbers), what->text) != 0) continue;
        event->kind = (ac_event_kind)k;
        wanted = numbers;
    }
    if (wanted < 0)
        return ac_fail_at(b->ctx, what->place,
                          "an event is one of add, remove, place, joint, node, push, settings, follow");
    if (data->event_count > 0 && event->step < data->events[data->event_count - 1].step)
        return ac_fail_at(b->ctx, step->place, "events must be in the order of their steps");
    AC_TRY(ac_read_integer(&b->reader, index, "index", 0, 1000000, &number));
    event->index = (int)number;
    for (const ac_value *value = index->next; value; value = value->next, ++given)
        if (given < wanted)
            AC_TRY(ac_read_number(&b->reader, value, "event", AC_DIM_NUMBER, &event->x[given]));
    if (given != wanted)
        return ac_fail_at(b->ctx, entry->place, "the event %s has %d numbers after its index, not %d",
                          what->text, wanted, given);
    ++data->event_count;
    return AC_OK;
}

static ac_status read_reserve(ac_builder *b, const ac_value *list, ac_track_data *data)
{
    if (list->kind != AC_LIST)
        return ac_fail_at(b->ctx, list->place, "reserve is a list of names of bodies and points");
    AC_NEW(b->ctx, data->reserve, list->count);
    for (const ac_value *value = list->first; value; value = value->next) {
        int node = AC_GROUND;
        if (value->kind != AC_SCALAR)
            return ac_fail_at(b->ctx, value->place, "reserve is a list of names of bodies and points");
        AC_TRY(ac_find_node(b, value->text, value->place, &node));
        if (node == AC_GROUND) return ac_fail_at(b->ctx, value->place, "the ground cannot wait outside");
        data->reserve[data->reserve_count++] = node;
    }
    return AC_OK;
}

/* ---- the study ---- */

enum { STUDY_VALUES = 64, STUDY_ROWS = 10000 };

static ac_status check_axis(ac_builder *b, int axis, const ac_value *list, const double *values, int count)
{
    for (int k = 0; k < count; ++k) {
        bool share = axis == AC_STUDY_JOINTS || axis == AC_STUDY_SERVO;
        bool fits = share ? values[k] >= 0.0 && values[k] <= 1.0
                          : (axis == AC_STUDY_VELOCITY ? values[k] >= 0.0 : values[k] > 0.0);
        if (!fits)
            return ac_fail_at(b->ctx, list->place, "%s: %g must be %s", ac_study_name((ac_study_axis)axis),
                              values[k],
                              share                       ? "a share between 0 and 1"
                              : axis == AC_STUDY_VELOCITY ? "zero or positive"
                                                          : "positive");
    }
    return AC_OK;
}

static ac_status read_study(ac_builder *b, const ac_value *section, ac_track_data *data)
{
    ac_study_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_study, section, &input, sizeof input));
    for (int k = 0; k < AC_STUDY_AXES; ++k) {
        const ac_value *list = input.values[k];
        if (!list) continue;
        AC_NEW(b->ctx, data->study.values[k], STUDY_VALUES);
        AC_TRY(ac_read_numbers(&b->reader, list, ac_study_name((ac_study_axis)k), AC_DIM_NUMBER, 1,
                               STUDY_VALUES, data->study.values[k], &data->study.count[k]));
        AC_TRY(check_axis(b, k, list, data->study.values[k], data->study.count[k]));
    }
    long rows = ac_study_rows(&data->study);
    if (rows == 0)
        return ac_fail_at(b->ctx, section->place, "a study needs values, such as rho0: [1e-6, 1e-7, 1e-8]");
    if (rows > STUDY_ROWS)
        return ac_fail_at(b->ctx, section->place, "a study of %ld runs; at most %d are taken", rows,
                          STUDY_ROWS);
    if (data->target_count == 0)
        return ac_fail_at(b->ctx, section->place,
                          "a study compares how targets are followed; there are no targets");
    return AC_OK;
}

/* ---- the gradient ---- */

static ac_status read_gradient(ac_builder *b, const ac_value *section, ac_track_data *data)
{
    ac_track_gradient_input input;
    int width = 0, moved = 0;
    AC_TRY(ac_section_read(&b->reader, &ac_section_track_gradient, section, &input, sizeof input));
    for (int c = 0; c < 3 && data->target_count > 0; ++c) {
        moved += data->targets[0].target.position[c];
        width += data->targets[0].target.position[c] + data->targets[0].target.rotation[c];
    }
    if (width == 0 || data->targets[0].course.kind == AC_COURSE_LIVE)
        return ac_fail_at(b->ctx, section->place, "the gradient needs a target that is known beforehand");
    const ac_value *lists[] = {input.force, input.direction};
    ac_signal **signals[] = {data->gradient.force, data->gradient.direction};
    for (int i = 0; i < 2; ++i) {
        const ac_value *list = lists[i];
        if (!list) continue;
        if (list->kind != AC_LIST || list->count != width)
            return ac_fail_at(b->ctx, list->place,
                              "a list of %d is needed, one for each component that follows", width);
        int k = 0;
        for (const ac_value *v = list->first; v; v = v->next, ++k)
            AC_TRY(ac_read_signal(&b->reader, v, i == 0 ? "force" : "direction",
                                  k < moved ? AC_DIM_FORCE : AC_DIM_TORQUE, &signals[i][k]));
    }
    data->gradient.directed = input.direction != NULL;
    data->gradient.steps = input.steps.value;
    if (data->gradient.steps % 2 != 0)
        return ac_fail_at(b->ctx, input.steps.at->place, "the number of steps must be even");
    return AC_OK;
}

/* ---- the section ---- */

static ac_status read_steps(ac_builder *b, const ac_value *section, const ac_track_input *input, long *steps)
{
    ac_simulate_input same = {.step = input->step, .duration = input->duration, .steps = input->steps};
    return ac_count_steps(b, section, &same, steps);
}

static void take_numbers(const ac_track_input *input, ac_track_settings *s)
{
    const struct {
        const ac_given_number *given;
        double *into;
    } numbers[] = {
        {&input->rho0, &s->weights.rho0},
        {&input->rho1, &s->weights.rho1},
        {&input->running, &s->weights.running},
        {&input->velocity_weight, &s->weights.velocity},
        {&input->joint_stabilisation, &s->joint_stabilisation},
        {&input->servo_stabilisation, &s->servo_stabilisation},
        {&input->joint_tolerance, &s->joint_tolerance},
        {&input->acceleration_level, &s->acceleration_level},
        {&input->turn_limit, &s->turn_limit},
        {&input->move_limit, &s->move_limit},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        if (numbers[k].given->at) *numbers[k].into = numbers[k].given->value;
    s->step = input->step.value;
    s->weights.by_mass = input->mass_weighted.on;
    if (input->method.at) s->method = (ac_track_method)input->method.choice;
    if (input->yukawa.at) s->yukawa = (ac_track_yukawa)input->yukawa.choice;
    if (input->cancel.at) s->cancel = (ac_track_cancel)input->cancel.choice;
    if (input->chart.at) s->chart = (ac_track_chart)input->chart.choice;
}

static ac_status check_shares(ac_builder *b, const ac_track_input *input)
{
    const ac_given_number *shares[] = {&input->joint_stabilisation, &input->servo_stabilisation};
    for (int k = 0; k < 2; ++k)
        if (shares[k]->at && shares[k]->value > 1.0)
            return ac_fail_at(b->ctx, shares[k]->at->place, "a stabilisation is a share between 0 and 1");
    if (input->joint_tolerance.at && input->joint_tolerance.value > 1.0)
        return ac_fail_at(b->ctx, input->joint_tolerance.at->place,
                          "joint_tolerance is a share of the typical length, at most 1");
    return AC_OK;
}

ac_status ac_read_track(ac_builder *b, const ac_value *section, ac_track_data *data)
{
    ac_track_input input;
    data->ctx = b->ctx;
    ac_track_defaults(&data->settings);
    AC_TRY(ac_section_read(&b->reader, &ac_section_track, section, &input, sizeof input));
    bool replay = data->recorded = input.replay_steps.at != NULL;
    if (!replay || input.duration.at || input.steps.at)
        AC_TRY(read_steps(b, section, &input, &data->course_steps));
    else
        data->course_steps = input.replay_steps.value;
    data->steps = replay ? input.replay_steps.value : data->course_steps;
    AC_TRY(check_shares(b, &input));
    take_numbers(&input, &data->settings);
    data->record_every = input.record_every.value;
    for (const ac_value *entry = input.targets ? input.targets->first : NULL; entry; entry = entry->next)
        AC_TRY(read_target(b, entry, data));
    for (const ac_value *entry = input.events ? input.events->first : NULL; entry; entry = entry->next)
        AC_TRY(read_event(b, entry, data));
    if (input.reserve) AC_TRY(read_reserve(b, input.reserve, data));
    if (input.study) AC_TRY(read_study(b, input.study, data));
    if (input.gradient) AC_TRY(read_gradient(b, input.gradient, data));
    data->settings.target_capacity = input.target_capacity.at ? (int)input.target_capacity.value
                                                              : (int)ac_min(data->target_count + 8, 64);
    if (data->settings.target_capacity < data->target_count || data->settings.target_capacity > 64)
        return ac_fail_at(b->ctx, section->place, "there are %d targets; at most 64 are taken",
                          data->target_count);
    return AC_OK;
}

void ac_release_track(ac_track_data *data)
{
    if (!data->ctx) return;
    for (int k = 0; k < data->target_count; ++k) ac_course_release(data->ctx, &data->targets[k].course);
    for (int k = 0; k < 6; ++k) {
        ac_signal_free(data->gradient.force[k]);
        ac_signal_free(data->gradient.direction[k]);
    }
    for (int k = 0; k < AC_STUDY_AXES; ++k) ac_release(data->ctx, data->study.values[k]);
    ac_release(data->ctx, data->targets);
    ac_release(data->ctx, data->events);
    ac_release(data->ctx, data->reserve);
}
