/* What can be set while it runs, as JSON for the page: constant, made once. */
#include "actio/json.h"
#include "base/base.h"
#include "live/session.h"

static void put_sliders(ac_json *json, const ac_live_simulation *simulation, bool inputs)
{
    const ac_live_slider *list;
    int count = ac_live_sliders(simulation, inputs, &list);
    ac_json_open_array(json, inputs ? "inputs" : "parameters");
    for (int k = 0; k < count; ++k) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", list[k].name);
        ac_json_text(json, "unit", list[k].unit);
        ac_json_number(json, "value", list[k].value);
        ac_json_number(json, "low", list[k].low);
        ac_json_number(json, "high", list[k].high);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

/* Weights that suit a signal of 50 samples a second (or that of the problem) for each method. */
static void put_suggestions(ac_json *json, const ac_session *s)
{
    double interval = 0.02, mass = s->system->node_count > 0 ? s->system->nodes[0].mass : 1.0;
    for (int k = s->target_count - 1; k >= 0; --k) {
        const ac_course *course = &s->targets[k].course;
        mass = s->system->nodes[s->targets[k].target.node].mass;
        if (course->count > 1)
            interval = (course->samples[course->count - 1].time - course->samples[0].time) /
                       (course->count - 1);
    }
    ac_json_open_array(json, "suggested");
    for (int m = 0; ac_track_methods()[m]; ++m) {
        ac_track_weights weights;
        double omega, z;
        ac_track_suggest(s->start.step, mass, interval, (ac_track_method)m, &weights, &omega, &z);
        ac_json_open_object(json, NULL);
        ac_json_number(json, "rho0", weights.rho0);
        ac_json_number(json, "rho1", weights.rho1);
        ac_json_number(json, "frequency", omega);
        ac_json_number(json, "z", z);
        ac_json_number(json, "interval", interval);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static void put_words_list(ac_json *json, const char *name, const char *const *words)
{
    ac_json_open_array(json, name);
    for (int k = 0; words[k]; ++k) ac_json_text(json, NULL, words[k]);
    ac_json_close_array(json);
}

/* The choices of a tracker and its targets. */
static void put_tracking(ac_json *json, const ac_session *s)
{
    put_words_list(json, "methods", ac_track_methods());
    put_words_list(json, "cancels", ac_track_cancels());
    put_words_list(json, "yukawas", ac_track_yukawas());
    ac_json_open_array(json, "targets");
    for (int k = 0; k < s->target_count; ++k) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", s->targets[k].name);
        ac_json_bool(json, "live", s->targets[k].course.kind == AC_COURSE_LIVE);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
    put_suggestions(json, s);
}

/* Names and ranges of what can be set. */
ac_status ac_session_describe(ac_session *s)
{
    ac_json *json = NULL;
    const char *text = NULL;
    AC_TRY(ac_json_new(s->ctx, &json));
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", s->simulation ? "simulate" : "track");
    if (s->simulation) put_sliders(json, s->simulation, false);
    if (s->simulation) put_sliders(json, s->simulation, true);
    if (!s->simulation) put_tracking(json, s);
    ac_json_close_object(json);
    ac_status status = ac_json_finish(json, &text);
    if (status == AC_OK && !(s->controls = ac_copy_text(s->ctx, text))) status = ac_out_of_memory(s->ctx);
    ac_json_free(json);
    return status;
}
