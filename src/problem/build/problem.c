/* Problem files: from the text to the finished system and its task. */
#include "actio/problem.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "assembly/assemble.h"
#include "base/base.h"
#include "optimize/problem/prepare.h"
#include "problem/build/beams.h"
#include "problem/certify/certify.h"
#include "problem/build/build.h"
#include "problem/build/parameters.h"
#include "problem/build/relations.h"
#include "problem/design/design.h"
#include "problem/scene/scene.h"
#include "problem/tasks.h"

typedef struct ac_problem_number {
    char name[AC_NAME_SIZE];
    double value;
} ac_problem_number;

enum { COPIES_MAX = 4000000, MESSAGE_SIZE = 1500 };

struct ac_problem {
    ac_context *ctx;
    char *title, *text;
    ac_scene scene;
    char *scene_text;
    ac_arena document; /* the file as a tree of values, with its overrides: it is parsed once */
    ac_value *root;
    char *name;      /* of the file, for messages */
    char **settings; /* overrides, for variations of the problem */
    int setting_count;
    ac_inner_view view; /* of a study: which of its problems it is */
    const ac_task *task;
    void *data; /* of the task */
    ac_system *system;
    ac_assembly assembly;
    ac_beam_station *stations; /* of all beams */
    int *first_station;        /* of each beam, and the number of all */
    int parameter_count;
    ac_problem_number
        *parameters;   /* those of the file that are numbers, or formulas without other parameters */
    double (*axes)[9]; /* per node: its directors in the body frame, for variations that keep them */
};

/* ---- entries and their copies ---- */

static ac_status one_entry(ac_builder *b, const ac_value *entry, ac_entry_reader read)
{
    if (++b->copies > COPIES_MAX)
        return ac_fail_at(b->ctx, entry->place, "more than %d bodies, joints, springs and loads", COPIES_MAX);
    return read(b, entry);
}

ac_status ac_build_copies(ac_builder *b, const ac_value *entry, ac_entry_reader read)
{
    const ac_value *repeat = entry->kind == AC_MAP ? ac_value_find(entry, "repeat") : NULL;
    if (!repeat) return one_entry(b, entry, read);
    long count;
    AC_TRY(ac_read_integer(&b->reader, repeat, "repeat", 1, AC_REPEAT_MAX, &count));
    ac_status status = AC_OK;
    for (long i = 1; i <= count && status == AC_OK; ++i) {
        b->reader.index = (int)i;
        status = one_entry(b, entry, read);
    }
    b->reader.index = 0;
    return status;
}

ac_status ac_build_entries(ac_builder *b, const ac_value *entries, ac_entry_reader read)
{
    for (const ac_value *entry = entries ? entries->first : NULL; entry; entry = entry->next)
        AC_TRY(ac_build_copies(b, entry, read));
    return AC_OK;
}

ac_status ac_build_failed(ac_builder *b, ac_status status, ac_place place)
{
    if (status == AC_OK || status == AC_NO_MEMORY) return status;
    char message[MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", ac_context_message(b->ctx));
    ac_fail_at(b->ctx, place, "%s", message);
    return status;
}

ac_status ac_build_piece(ac_builder *b, const ac_piece *piece, ac_place place)
{
    AC_TRY(ac_build_failed(b, ac_piece_add(piece, b->system), place));
    return ac_description_keep(b->description, piece);
}

/* ---- tasks ---- */

#define TASK_ENTRY(name, about) &ac_task_##name,
static const ac_task *const tasks[] = {AC_TASKS(TASK_ENTRY)};

/* The one task of the file. */
static ac_status find_task(ac_builder *b, ac_problem *problem, const ac_value **section)
{
    *section = NULL;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; ++k) {
        const ac_value *found = b->root.task[k];
        if (!found) continue;
        if (*section)
            return ac_fail_at(b->ctx, found->key_place, "a problem has one task, not both %s and %s",
                              problem->task->name, tasks[k]->name);
        *section = found;
        problem->task = tasks[k];
    }
    if (!*section)
        return ac_fail_at(b->ctx, b->place,
                          "there is no task; add for example simulate: {step: 1 ms, duration: 1 s}");
    problem->data = ac_allocate(b->ctx, 1, problem->task->size);
    return problem->data ? AC_OK : ac_out_of_memory(b->ctx);
}

static ac_status fail_held(ac_builder *b)
{
    int motions;
    AC_TRY(ac_assembly_almost_moves(b->system, &motions));
    if (motions > 0)
        return ac_fail(
            b->ctx, AC_BAD_INPUT,
            "nothing is left that could move, but only because axes or lengths of a loop that must agree "
            "differ in their last digits: give them with more digits, or use a joint with more "
            "freedoms");
    return ac_fail(b->ctx, AC_BAD_INPUT,
                   "the supports hold the whole system: nothing is left that could move");
}

/* ---- the whole ---- */

/* The finished system, and the settings of its task. */
static ac_status build_system(ac_builder *b, const ac_value *root, ac_problem *problem,
                              const ac_value **section)
{
    if (root->kind != AC_MAP)
        return ac_fail_at(
            b->ctx, root->place,
            "a problem file is a map of keys and values, such as title: ..., bodies: ..., simulate: ...");
    const ac_value *parameters = ac_value_find(root, "parameters");
    if (parameters) AC_TRY(ac_reader_parameters(&b->reader, parameters));
    AC_TRY(ac_free_parameters(b, root));
    AC_TRY(ac_section_read(&b->reader, &ac_section_root, root, &b->root, sizeof b->root));
    b->place = root->place;

    AC_TRY(ac_system_new(b->ctx, &problem->system));
    b->system = problem->system;
    AC_TRY(ac_build_nodes(b));
    AC_TRY(ac_build_joints(b));
    AC_TRY(ac_build_couplings(b));
    AC_TRY(ac_build_forces(b));
    AC_TRY(ac_build_contacts(b));
    AC_TRY(find_task(b, problem, section));
    if (problem->task->read) AC_TRY(problem->task->read(b, *section, problem->data));
    ac_status status = ac_system_finish(problem->system, &problem->assembly);
    bool held = status == AC_OK && problem->system->relations.count == 0 &&
                ac_system_sizes(problem->system).freedoms == 0;
    if (held) status = fail_held(b);
    return ac_build_failed(b, status, b->root.joints ? b->root.joints->key_place : b->place);
}

static ac_status keep_parameters(ac_builder *b, const ac_value *root, ac_problem *problem)
{
    const ac_value *parameters = ac_value_find(root, "parameters");
    AC_NEW(b->ctx, problem->parameters, parameters ? parameters->count : 0);
    for (const ac_value *value = parameters ? parameters->first : NULL; value; value = value->next) {
        ac_problem_number *number = &problem->parameters[problem->parameter_count];
        if (!ac_parameter_is_given(&b->reader, value)) continue;
        if (!ac_parameter_number(&b->reader, value->key, &number->value)) continue;
        snprintf(number->name, sizeof number->name, "%s", value->key);
        ++problem->parameter_count;
    }
    return AC_OK;
}

static ac_status build(ac_builder *b, const ac_value *root, ac_problem *problem)
{
    const ac_value *section = NULL;
    AC_TRY(build_system(b, root, problem, &section));
    AC_TRY(keep_parameters(b, root, problem));
    const ac_task *task = problem->task;
    AC_TRY(ac_check_contacts(b));
    AC_TRY(ac_check_relations(b));
    if (task->finish) AC_TRY(task->finish(b, section, problem->data));
    AC_TRY(ac_check_free_parameters(b, ac_problem_optimization(problem)));
    if (ac_problem_optimization(problem))
        ac_optimization_find_numbers(ac_problem_optimization(problem), NULL, NULL); /* the builder goes */
    AC_TRY(ac_scene_make(b, &problem->scene));
    AC_TRY(ac_scene_text(b->ctx, &problem->scene, &problem->scene_text));
    AC_TRY(ac_beams_describe(b, &problem->stations, &problem->first_station));
    AC_NEW(b->ctx, problem->axes, b->node_count + 1);
    for (int k = 0; k < b->node_count; ++k)
        memcpy(problem->axes[k], b->nodes[k].axes, sizeof problem->axes[k]);
    problem->title = ac_copy_text(b->ctx, b->root.title.at ? b->root.title.text : "");
    return problem->title ? AC_OK : ac_out_of_memory(b->ctx);
}

void ac_builder_begin(ac_builder *b, ac_context *ctx)
{
    *b = (ac_builder){.ctx = ctx};
    ac_reader_begin(&b->reader, ctx);
    ac_names_begin(&b->node_names, ctx);
    ac_names_begin(&b->joint_names, ctx);
    ac_names_begin(&b->beam_names, ctx);
    ac_names_begin(&b->place_names, ctx);
}

void ac_builder_end(ac_builder *b)
{
    ac_release(b->ctx, b->nodes);
    ac_release(b->ctx, b->joints);
    ac_release(b->ctx, b->springs);
    ac_release(b->ctx, b->contact_places);
    ac_free_beams(b);
    ac_release(b->ctx, b->places);
    ac_names_end(&b->node_names);
    ac_names_end(&b->joint_names);
    ac_names_end(&b->beam_names);
    ac_names_end(&b->place_names);
    ac_reader_end(&b->reader);
}

static ac_status keep_settings(ac_context *ctx, const char *name, const char *const *settings, int count,
                               ac_problem *problem)
{
    problem->name = ac_copy_text(ctx, name);
    problem->settings = ac_allocate(ctx, (size_t)count, sizeof *problem->settings);
    if (!problem->name || !problem->settings) return ac_out_of_memory(ctx);
    for (; problem->setting_count < count; ++problem->setting_count) {
        char *copy = ac_copy_text(ctx, settings[problem->setting_count]);
        if (!copy) return ac_out_of_memory(ctx);
        problem->settings[problem->setting_count] = copy;
    }
    return AC_OK;
}

/* From the tree of the problem, which is not changed. */
static ac_status build_copy(ac_builder *b, const ac_problem *of, ac_inner_view view, ac_value **root)
{
    AC_TRY(ac_document_copy(&b->reader.arena, of->root, root));
    return ac_show_inner(&b->reader.arena, *root, view);
}

/* Settings from `first` on are not in the tree yet. */
static ac_status build_problem(ac_builder *b, const char *name, const char *text, const char *const *settings,
                               int first, int setting_count, ac_problem *problem)
{
    ac_value *root;
    for (int k = first; k < setting_count; ++k)
        AC_TRY(ac_document_set(&problem->document, problem->root, settings[k]));
    AC_TRY(build_copy(b, problem, problem->view, &root));
    problem->text = ac_copy_text(b->ctx, text);
    if (!problem->text) return ac_out_of_memory(b->ctx);
    AC_TRY(keep_settings(b->ctx, name, settings, setting_count, problem));
    return build(b, root, problem);
}

static ac_status parse_and_build(ac_builder *b, const char *name, const char *text, size_t length,
                                 const char *const *settings, int setting_count, ac_problem *problem)
{
    const char *kept = ac_arena_text(&problem->document, name, strlen(name)); /* places refer to it */
    if (!kept) return AC_NO_MEMORY;
    AC_TRY(ac_document_parse(&problem->document, kept, text, length, &problem->root));
    return build_problem(b, name, text, settings, 0, setting_count, problem);
}

/* NULL when out of memory. */
static ac_problem *new_problem(ac_context *ctx)
{
    ac_problem *problem = ac_allocate(ctx, 1, sizeof *problem);
    if (!problem) return NULL;
    problem->ctx = ctx;
    ac_arena_begin(&problem->document, ctx);
    return problem;
}

static ac_status finish(ac_builder *b, ac_status status, ac_problem **problem)
{
    ac_builder_end(b);
    if (status != AC_OK) {
        ac_problem_free(*problem);
        *problem = NULL;
    }
    return status;
}

/* Both readings of the inner problem of a study must be valid, and its optimisation one that a plan can solve. */
static ac_status verify_inner(const ac_builder *b, const ac_problem *problem)
{
    const ac_design_data *design = ac_problem_design(problem);
    if (!design || design->inner == AC_INNER_NONE) return AC_OK;
    const ac_value *study = b->root.task[AC_TASK_design], *optimize = ac_value_find(study, "optimize"),
                   *method = optimize && optimize->kind == AC_MAP ? ac_value_find(optimize, "method") : NULL;
    if (method && method->kind == AC_SCALAR && strcmp(method->text, "shooting") == 0)
        return ac_fail_at(b->ctx, study->key_place,
                          "design takes optimize by transcription, not method: shooting");
    for (int view = AC_VIEW_COST; view <= AC_VIEW_TASK; ++view) {
        ac_problem *inner = NULL;
        AC_TRY(ac_problem_inner(problem, (ac_inner_view)view, NULL, 0, &inner));
        ac_problem_free(inner);
    }
    return AC_OK;
}

/* Where the free parameters stand, in front of a message about them. */
static ac_status verify(ac_builder *b, const ac_problem *problem)
{
    AC_TRY(verify_inner(b, problem));
    if (!b->free) return AC_OK;
    int parameter = 0, bound = -1;
    ac_status status = ac_verify_parameters(b, problem, &parameter, &bound);
    return ac_build_failed(b, status, ac_parameter_place(b, parameter, bound));
}

ac_status ac_problem_parse(ac_context *ctx, const char *name, const char *text, size_t length,
                           const char *const *settings, int setting_count, ac_problem **problem)
{
    ac_builder b;
    *problem = new_problem(ctx);
    if (!*problem) return ac_out_of_memory(ctx);
    ac_builder_begin(&b, ctx);
    ac_status status = parse_and_build(&b, name, text, length, settings, setting_count, *problem);
    if (status == AC_OK) status = verify(&b, *problem);
    return finish(&b, status, problem);
}

ac_status ac_problem_read(ac_context *ctx, const char *path, const char *const *settings, int setting_count,
                          ac_problem **problem)
{
    ac_builder b;
    char *text = NULL;
    size_t length = 0;
    *problem = new_problem(ctx);
    if (!*problem) return ac_out_of_memory(ctx);
    ac_builder_begin(&b, ctx);
    ac_status status = ac_document_load(&b.reader.arena, path, &text, &length);
    if (status == AC_OK) status = parse_and_build(&b, path, text, length, settings, setting_count, *problem);
    if (status == AC_OK) status = verify(&b, *problem);
    return finish(&b, status, problem);
}

void ac_problem_free(ac_problem *problem)
{
    if (!problem) return;
    if (problem->data && problem->task->release) problem->task->release(problem->data);
    ac_release(problem->ctx, problem->data);
    ac_system_free(problem->system);
    for (int k = 0; k < problem->setting_count; ++k) ac_release(problem->ctx, problem->settings[k]);
    ac_release(problem->ctx, problem->settings);
    ac_release(problem->ctx, problem->name);
    ac_arena_end(&problem->document);
    ac_release(problem->ctx, problem->title);
    ac_release(problem->ctx, problem->text);
    ac_scene_free(&problem->scene);
    ac_release(problem->ctx, problem->scene_text);
    ac_release(problem->ctx, problem->stations);
    ac_release(problem->ctx, problem->first_station);
    ac_release(problem->ctx, problem->parameters);
    ac_release(problem->ctx, problem->axes);
    ac_release(problem->ctx, problem);
}

/* The same tree with further overrides. */
static ac_status build_variation(ac_context *ctx, const ac_problem *problem, ac_inner_view view,
                                 bool keeps_axes, const char *const *settings, int count,
                                 ac_problem **variation)
{
    ac_builder b;
    ac_problem *other = *variation = new_problem(ctx);
    if (!other) return ac_out_of_memory(ctx);
    other->view = view;
    ac_builder_begin(&b, ctx);
    if (keeps_axes) b.kept_axes = (const double(*)[9])problem->axes;
    ac_status status = ac_document_copy(&other->document, problem->root, &other->root);
    if (status == AC_OK)
        status = build_problem(&b, problem->name, problem->text, settings, problem->setting_count, count,
                               other);
    return finish(&b, status, variation);
}

/* The same file with further overrides, as the study or as its inner problem. */
static ac_status vary(ac_context *ctx, const ac_problem *problem, ac_inner_view view, bool keeps_axes,
                      const char *const *settings, int count, ac_problem **variation)
{
    int before = problem->setting_count;
    *variation = NULL;
    const char **all = ac_allocate(ctx, (size_t)before + (size_t)count, sizeof *all);
    if (!all) return ac_out_of_memory(ctx);
    for (int k = 0; k < before; ++k) all[k] = problem->settings[k];
    for (int k = 0; k < count; ++k) all[before + k] = settings[k];
    ac_status status = build_variation(ctx, problem, view, keeps_axes, all, before + count, variation);
    ac_release(ctx, all);
    return status;
}

ac_status ac_problem_vary(ac_context *ctx, const ac_problem *problem, const char *const *settings, int count,
                          ac_problem **variation)
{
    return vary(ctx, problem, problem->view, false, settings, count, variation);
}

ac_status ac_problem_vary_in_axes(const ac_problem *problem, const char *const *settings, int count,
                                  ac_problem **variation)
{
    return vary(problem->ctx, problem, problem->view, true, settings, count, variation);
}

ac_status ac_problem_inner(const ac_problem *problem, ac_inner_view view, const char *const *settings,
                           int count, ac_problem **inner)
{
    return vary(problem->ctx, problem, view, false, settings, count, inner);
}

ac_status ac_problem_variation(const ac_problem *problem, const char *setting, ac_problem **variation)
{
    return ac_problem_vary(problem->ctx, problem, &setting, 1, variation);
}

ac_status ac_problem_describe(const ac_problem *problem, ac_builder *b, ac_system **system)
{
    ac_value *root;
    const ac_value *section = NULL;
    AC_TRY(build_copy(b, problem, problem->view, &root));
    ac_problem *scratch = new_problem(b->ctx);
    if (!scratch) return ac_out_of_memory(b->ctx);
    ac_status status = build_system(b, root, scratch, &section);
    if (status == AC_OK && ac_sets_values(b)) status = ac_check_free_parameters(b, NULL);
    *system = scratch->system;
    scratch->system = NULL;
    ac_problem_free(scratch);
    return status;
}

/* ---- what a problem holds ---- */

ac_context *ac_problem_context(const ac_problem *problem)
{
    return problem->ctx;
}

const char *ac_problem_title(const ac_problem *problem)
{
    return problem->title;
}

const char *ac_problem_setting(const ac_problem *problem, int k)
{
    return k < problem->setting_count ? problem->settings[k] : NULL;
}

const char *ac_problem_text(const ac_problem *problem)
{
    return problem->text;
}

const char *ac_problem_task(const ac_problem *problem)
{
    return problem->task->name;
}

const char *ac_problem_purpose(const ac_problem *problem)
{
    return problem->task->purpose;
}

const char *ac_problem_scene(const ac_problem *problem)
{
    return problem->scene_text;
}

const ac_scene *ac_problem_scene_data(const ac_problem *problem)
{
    return &problem->scene;
}

const ac_system *ac_problem_system(const ac_problem *problem)
{
    return problem->system;
}

const ac_assembly *ac_problem_assembly(const ac_problem *problem)
{
    return &problem->assembly;
}

const ac_task *ac_problem_task_of(const ac_problem *problem)
{
    return problem->task;
}

void *ac_problem_data(const ac_problem *problem, const ac_task *task)
{
    return problem->task == task ? problem->data : NULL;
}

const ac_simulation_settings *ac_problem_simulation(const ac_problem *problem)
{
    const ac_simulate_data *data = ac_problem_data(problem, &ac_task_simulate);
    return data ? &data->settings : NULL;
}

ac_optimization *ac_problem_optimization(const ac_problem *problem)
{
    const ac_optimize_data *data = ac_problem_data(problem, &ac_task_optimize);
    return data ? data->optimization : NULL;
}

ac_optimization *ac_problem_functional(const ac_problem *problem)
{
    const ac_simulate_data *data = ac_problem_data(problem, &ac_task_simulate);
    return data ? data->functional : ac_problem_optimization(problem);
}

int ac_problem_parameters(const ac_problem *problem)
{
    return problem->parameter_count;
}

const char *ac_problem_parameter(const ac_problem *problem, int k, double *value)
{
    if (value) *value = problem->parameters[k].value;
    return problem->parameters[k].name;
}

uint64_t ac_problem_fingerprint(const ac_problem *problem)
{
    uint64_t hash = ac_checksum(AC_CHECKSUM_START, problem->text, strlen(problem->text) + 1);
    for (int k = 0; k < problem->setting_count; ++k)
        hash = ac_checksum(hash, problem->settings[k], strlen(problem->settings[k]) + 1);
    return hash;
}

ac_certification *ac_problem_certification(const ac_problem *problem)
{
    return ac_problem_data(problem, &ac_task_certify);
}

ac_design_data *ac_problem_design(const ac_problem *problem)
{
    return ac_problem_data(problem, &ac_task_design);
}

int *ac_problem_design_jobs(const ac_problem *problem)
{
    ac_design_data *design = ac_problem_design(problem);
    return design ? &design->jobs : NULL;
}

ac_certify_work *ac_problem_certify_work(const ac_problem *problem)
{
    ac_certification *certification = ac_problem_certification(problem);
    return certification ? &certification->work : NULL;
}

const ac_optimization_plan *ac_problem_plan(const ac_problem *problem)
{
    const ac_optimize_data *data = ac_problem_data(problem, &ac_task_optimize);
    return data ? &data->plan : NULL;
}

const ac_equilibrium_settings *ac_problem_equilibrium(const ac_problem *problem)
{
    return ac_problem_data(problem, &ac_task_equilibrium);
}

const ac_beam_station *ac_problem_beam_stations(const ac_problem *problem, int beam, int *count)
{
    int first = problem->first_station[beam];
    *count = problem->first_station[beam + 1] - first;
    return problem->stations + first;
}

long ac_problem_record_every(const ac_problem *problem)
{
    const ac_simulate_data *data = ac_problem_data(problem, &ac_task_simulate);
    return data && data->record_every > 0 ? data->record_every : 1;
}
