/* actio check: reads and builds a problem and lists its parts, without solving it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* The settings of the simulation, NULL when the task is another one. */
static const ac_simulation_settings *simulation_of(const ac_problem *problem)
{
    return ac_problem_simulation(problem);
}

static const app_option options[] = {
    {"set", 's', "KEY=VALUE", "replaces a value of the file; may be repeated"},
    {"json", 0, NULL, "prints one JSON object"},
    {0},
};

typedef struct finding {
    const char *name;
    double value;
    const char *unit;
} finding;

/* The comparison of the gradient, or why there is none. */
typedef struct found_gradient {
    ac_gradient_comparison comparison;
    char missing[512];
} found_gradient;

enum { SYSTEM_FINDINGS = 14, STEP_FINDINGS = 5, OPTIMIZATION_FINDINGS = 4, GRADIENT_FINDINGS = 4 };

/* Derivatives that differ more than this from differences are wrong. */
static const double WRONG = 1e-6;

static int collect(const ac_problem *problem, finding *list)
{
    ac_system_size size = ac_system_sizes(ac_problem_system(problem));
    const ac_assembly *assembly = ac_problem_assembly(problem);
    const finding all[SYSTEM_FINDINGS] = {
        {"nodes", size.nodes, "1"},
        {"joints", size.joints, "1"},
        {"loops", size.loops, "1"},
        {"coordinates", size.coordinates, "1"},
        {"constraints", size.constraints, "1"},
        {"independent_constraints", size.independent, "1"},
        {"redundant_constraints", size.constraints - size.independent, "1"},
        {"freedoms", size.freedoms, "1"},
        {"freedoms_of_the_tree", size.tree_freedoms, "1"},
        {"assembly_moved", assembly->moved, "m"},
        {"assembly_turned", assembly->turned, "rad"},
        {"assembly_velocity_change", assembly->velocity_change, ""},
        {"assembly_residual", assembly->residual, ""},
        {"assembly_iterations", assembly->iterations, "1"},
    };
    memcpy(list, all, sizeof all);
    return SYSTEM_FINDINGS;
}

/* The step, what limits it, and the derivatives of its equations. */
static ac_status check_step(ac_context *ctx, const ac_problem *problem, finding *list, int *count,
                            bool *differs)
{
    const ac_simulation_settings *settings = simulation_of(problem);
    const ac_system *system = ac_problem_system(problem);
    double limit, error[2];
    if (settings) list[(*count)++] = (finding){"step", settings->step, "s"};
    if (settings) list[(*count)++] = (finding){"steps", (double)settings->steps, "1"};
    ac_status status = ac_step_limit(ctx, system, &limit);
    if (status != AC_OK) return status;
    if (isfinite(limit)) list[(*count)++] = (finding){"longest_stable_step", limit, "s"};
    if (!settings) return AC_OK;
    status = ac_simulation_check_derivatives(ctx, system, settings, &error[0], &error[1]);
    if (status != AC_OK) return status;
    list[(*count)++] = (finding){"error_of_step_derivative", error[0], ""};
    list[(*count)++] = (finding){"error_of_constraint_gradient", error[1], ""};
    *differs = !(error[0] <= WRONG && error[1] <= WRONG);
    return AC_OK;
}

static const char *finding_entry(const void *list, int index, double *value, const char **unit)
{
    const finding *entry = (const finding *)list + index;
    *value = entry->value;
    *unit = entry->unit;
    return entry->name;
}

static void print_station(const ac_beam_station *s, bool several)
{
    const double *D = s->values.stiffness, *J = s->values.inertia;
    const char *indent = several ? "    " : "  ";
    if (several) printf("  at %.6g of its length\n", s->at);
    if (*s->shape)
        printf("%s%s: area %.6g m^2, second moments %.6g, %.6g m^4, torsion constant %.6g m^4, "
               "shear factors %.6g, %.6g\n",
               indent, s->shape, s->area, s->moments[0], s->moments[1], s->torsion, s->shear_factors[0],
               s->shear_factors[1]);
    printf("%sGA %.6g, %.6g N; EA %.6g N; EI %.6g, %.6g N m^2; GJ %.6g N m^2\n", indent, D[0], D[1], D[2],
           D[3], D[4], D[5]);
    printf("%smass %.6g kg/m; inertia of d1, d2 %.6g, %.6g kg m\n", indent, s->values.mass, J[0], J[1]);
}

static void print_beams(const ac_problem *problem)
{
    const ac_system *system = ac_problem_system(problem);
    for (int b = 0; b < ac_system_beams(system); ++b) {
        ac_beam_info beam = ac_system_beam(system, b);
        int count;
        const ac_beam_station *stations = ac_problem_beam_stations(problem, b, &count);
        const char *what = beam.model == AC_BEAM_EDGE ? "edge" : "element";
        printf("beam %s: %d %s%s of order %d, %d nodes, length %.6g m, mass %.6g kg\n", beam.name,
               beam.elements, what, beam.elements == 1 ? "" : "s", beam.order, beam.places, beam.length,
               beam.mass);
        for (int k = 0; k < count; ++k) print_station(&stations[k], count > 1);
    }
}

static void put_numbers(ac_json *json, const char *key, const double *x, int count)
{
    ac_json_open_array(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, NULL, x[k]);
    ac_json_close_array(json);
}

static void put_station(ac_json *json, const ac_beam_station *s)
{
    ac_json_open_object(json, NULL);
    ac_json_number(json, "at", s->at);
    if (*s->shape) {
        ac_json_text(json, "shape", s->shape);
        ac_json_number(json, "area", s->area);
        put_numbers(json, "moments", s->moments, 2);
        ac_json_number(json, "torsion", s->torsion);
        put_numbers(json, "shear_factors", s->shear_factors, 2);
    }
    put_numbers(json, "stiffness", s->values.stiffness, 6);
    ac_json_number(json, "mass", s->values.mass);
    put_numbers(json, "inertia", s->values.inertia, 2);
    ac_json_close_object(json);
}

static void put_beams(ac_json *json, const ac_problem *problem)
{
    const ac_system *system = ac_problem_system(problem);
    if (ac_system_beams(system) == 0) return;
    ac_json_open_array(json, "beams");
    for (int b = 0; b < ac_system_beams(system); ++b) {
        ac_beam_info beam = ac_system_beam(system, b);
        int count;
        const ac_beam_station *stations = ac_problem_beam_stations(problem, b, &count);
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", beam.name);
        ac_json_integer(json, "elements", beam.elements);
        ac_json_integer(json, "order", beam.order);
        ac_json_integer(json, "nodes", beam.places);
        ac_json_number(json, "length", beam.length);
        ac_json_number(json, "mass", beam.mass);
        ac_json_open_array(json, "stations");
        for (int k = 0; k < count; ++k) put_station(json, &stations[k]);
        ac_json_close_array(json);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static void print_warnings(const ac_problem *problem)
{
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_system_warning(ac_problem_system(problem), k, text, sizeof text); ++k)
        printf("warning: %s\n", text);
}

static void print_table(const ac_problem *problem, const finding *list, int count)
{
    char text[AC_REMARK_SIZE];
    printf("%s: a problem to %s\n", ac_problem_title(problem), ac_problem_purpose(problem));
    app_print_numbers(count, finding_entry, list);
    for (int k = 0; ac_system_assembly_text(ac_problem_system(problem), k, text, sizeof text); ++k)
        printf("%s\n", text);
    print_beams(problem);
    print_warnings(problem);
    ac_system_size size = ac_system_sizes(ac_problem_system(problem));
    if (size.constraints > size.independent)
        printf("%d of the constraints %s on the others: allowed, their forces are not unique\n",
               size.constraints - size.independent,
               size.constraints - size.independent == 1 ? "depends" : "depend");
}

/* The names of the conditions that depend on others. */
static void put_dependent(ac_json *json, const ac_optimization *optimization)
{
    char name[128];
    ac_json_open_array(json, "dependent");
    for (int k = 0; ac_optimization_dependent_name(optimization, k, name); ++k)
        ac_json_text(json, NULL, name);
    ac_json_close_array(json);
}

static void print_dependent(const ac_optimization *optimization, int count)
{
    char name[128];
    int k = 0;
    printf("%d of the conditions %s on the others at the guess:\n", count, count == 1 ? "depends" : "depend");
    for (; ac_optimization_dependent_name(optimization, k, name); ++k) printf("  %s\n", name);
    if (k < count) printf("  and %d more\n", count - k);
}

/* A control that cannot act at the start. */
static bool dead_point(const ac_problem *problem, char *text, size_t size)
{
    const ac_optimization *optimization = problem ? ac_problem_optimization(problem) : NULL;
    return optimization && ac_optimization_dead_point(optimization, text, size) == AC_OK && *text;
}

static void put_gradient(ac_json *json, const found_gradient *g)
{
    if (g->missing[0]) ac_json_text(json, "gradient_not_compared", g->missing);
    if (g->comparison.worst[0]) ac_json_text(json, "worst_derivative", g->comparison.worst);
    if (g->comparison.unsure[0]) ac_json_text(json, "undecided_derivative", g->comparison.unsure);
}

static bool print_json(ac_context *ctx, const ac_problem *problem, const finding *list, int count,
                       const found_gradient *gradient, const char *status, const char *message)
{
    char doubt[320];
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", problem ? ac_problem_task(problem) : NULL);
    ac_json_text(json, "status", status);
    ac_json_open_object(json, "results");
    for (int i = 0; i < count; ++i) ac_json_number(json, list[i].name, list[i].value);
    ac_json_close_object(json);
    if (problem) put_beams(json, problem);
    if (problem) app_put_assembly(json, problem);
    if (problem) app_put_warnings(json, ac_problem_system(problem));
    if (problem && ac_problem_optimization(problem)) put_dependent(json, ac_problem_optimization(problem));
    if (dead_point(problem, doubt, sizeof doubt)) ac_json_text(json, "dead_point", doubt);
    if (gradient) put_gradient(json, gradient);
    if (message) ac_json_text(json, "message", message);
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

/* Derivatives of objective and conditions, and conditions that depend on others. */
static ac_status check_optimization(const ac_problem *problem, finding *list, int *count, bool json,
                                    bool *differs)
{
    double differences[3];
    int dependent;
    char name[128], doubt[320];
    ac_status status = ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name);
    if (status != AC_OK) return status;
    list[(*count)++] = (finding){"error_of_objective_gradient", differences[0], ""};
    list[(*count)++] = (finding){"error_of_condition_jacobian", differences[1], ""};
    list[(*count)++] = (finding){"error_of_lagrangian_hessian", differences[2], ""};
    list[(*count)++] = (finding){"dependent_conditions", dependent, "1"};
    if (dependent > 0 && !json) print_dependent(ac_problem_optimization(problem), dependent);
    if (!json && dead_point(problem, doubt, sizeof doubt)) printf("%s\n", doubt);
    *differs = !(differences[0] <= 1e-4 && differences[1] <= 1e-4 && differences[2] <= 1e-3);
    return AC_OK;
}

/* --- the gradient of the functional of a simulation, or of the objective of shooting --- */

/* Adds what was found. A problem without a gradient is valid: the context says why there is none. */
static ac_status check_gradient(ac_context *ctx, const ac_problem *problem, found_gradient *g, finding *list,
                                int *count)
{
    ac_status status = ac_gradient_check(ctx, problem, &g->comparison);
    const ac_gradient_comparison *c = &g->comparison;
    if (status == AC_NO_MEMORY || status == AC_INTERRUPTED) return status;
    if (status != AC_OK) {
        snprintf(g->missing, sizeof g->missing, "%s", ac_context_message(ctx));
        return AC_OK;
    }
    if (c->steps == 0) return AC_OK; /* it has none */
    if (c->derivatives > 0)
        list[(*count)++] = (finding){simulation_of(problem) ? "error_of_functional_gradient"
                                                            : "error_of_shooting_gradient",
                                     c->error, ""};
    list[(*count)++] = (finding){"derivatives_compared", c->derivatives, "1"};
    if (c->undecided > 0) list[(*count)++] = (finding){"derivatives_undecided", c->undecided, "1"};
    list[(*count)++] = (finding){"steps_compared", (double)c->steps, "1"};
    return AC_OK;
}

static void print_gradient(const ac_problem *problem, const found_gradient *g)
{
    const ac_gradient_comparison *c = &g->comparison;
    const ac_simulation_settings *settings = simulation_of(problem);
    if (g->missing[0]) printf("the gradient was not compared with differences: %s\n", g->missing);
    if (g->missing[0]) return;
    if (c->steps > 0 && settings && c->steps < settings->steps)
        printf("the gradient was compared over the first %ld of %ld steps; gradient --check takes all\n",
               c->steps, settings->steps);
    if (c->differs && c->worst[0]) printf("the derivative by %s differs most\n", c->worst);
    if (c->undecided > 0 && c->unsure[0])
        printf("differences do not tell the derivative by %s: they do not agree with each other\n",
               c->unsure);
}

/* Why the problem is not valid; NULL: it is. */
static const char *reason(const ac_context *ctx, ac_status status, bool differs)
{
    const char *message = ac_context_message(ctx);
    if (status != AC_OK) return *message ? message : ac_status_text(status);
    return differs ? "a derivative differs from the differences of its function" : NULL;
}

static int check(ac_context *ctx, const app_arguments *arguments)
{
    bool json = app_given(arguments, "json"), printed = true, differs = false;
    ac_problem *problem = NULL;
    ac_status status = app_read_problem(ctx, arguments, &problem);
    if (status != AC_OK) {
        const char *message = ac_context_message(ctx);
        fprintf(stderr, "%s\n", *message ? message : ac_status_text(status));
        if (json) print_json(ctx, NULL, NULL, 0, NULL, "bad_input", message);
        return app_input_exit(status);
    }
    finding list[SYSTEM_FINDINGS + STEP_FINDINGS + OPTIMIZATION_FINDINGS + GRADIENT_FINDINGS];
    found_gradient gradient = {0};
    int count = collect(problem, list);
    status = check_step(ctx, problem, list, &count, &differs);
    if (status == AC_OK) status = check_gradient(ctx, problem, &gradient, list, &count);
    bool transcribed = gradient.comparison.steps == 0 && !gradient.missing[0];
    if (status == AC_OK && transcribed && ac_problem_optimization(problem))
        status = check_optimization(problem, list, &count, json, &differs);
    differs |= gradient.comparison.differs;
    const char *message = reason(ctx, status, differs);
    if (json)
        printed = print_json(ctx, problem, list, count, &gradient, message ? "not_valid" : "valid", message);
    else
        print_table(problem, list, count);
    if (!json) print_gradient(problem, &gradient);
    if (!json && !message) printf("the file is valid\n");
    if (message) fprintf(stderr, "actio: not valid: %s\n", message);
    ac_problem_free(problem);
    if (status == AC_BAD_INPUT) return EXIT_BAD_INPUT;
    return printed && !message ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

const app_verb app_verb_check = {
    .name = "check",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .summary = "reads and builds the problem in FILE without solving it",
    .details =
        "Prints the sizes of the system, the rank of its constraints, and what the assembly of the initial\n"
        "state had to move. For an optimisation by transcription it also compares the derivatives of "
        "objective and conditions\n"
        "with differences, and names the conditions that depend on others at the guess. For a simulation "
        "with "
        "a\n"
        "functional, and for shooting, it compares the gradient with differences of whole simulations: of a "
        "long "
        "one\n"
        "over its first steps, as 'steps compared' says ('actio gradient FILE --check' takes all). A file "
        "that is "
        "not valid\n"
        "gives file:line:column, the reason, and exit status 2; a problem that is refused later ends as\n"
        "run would.",
    .options = options,
    .run = check,
};
