/* actio check: reads and builds a problem and says what it is made of, without solving it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* The settings of the simulation, NULL when the task is another one. */
static const ac_simulation_settings *simulation_of(const ac_problem *problem)
{
    return strcmp(ac_problem_task(problem), "simulate") == 0 ? ac_problem_simulation(problem) : NULL;
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

enum { FINDINGS = 18, OPTIMIZATION_FINDINGS = 4 };

/* Derivatives that differ more than this from differences are wrong. */
static const double WRONG = 1e-6;

static int collect(const ac_problem *problem, const double derivative_error[2], finding *list)
{
    ac_system_size size = ac_system_sizes(ac_problem_system(problem));
    const ac_assembly *assembly = ac_problem_assembly(problem);
    const ac_simulation_settings *settings = simulation_of(problem);
    const finding all[] = {
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
        {"step", settings ? settings->step : 0, "s"},
        {"steps", settings ? (double)settings->steps : 0, "1"},
        {"error_of_step_derivative", derivative_error[0], ""},
        {"error_of_constraint_gradient", derivative_error[1], ""},
    };
    int count = settings ? FINDINGS : FINDINGS - 4;
    memcpy(list, all, (size_t)count * sizeof *list);
    return count;
}

static const char *finding_entry(const void *list, int index, double *value, const char **unit)
{
    const finding *entry = (const finding *)list + index;
    *value = entry->value;
    *unit = entry->unit;
    return entry->name;
}

static const char *node_name(const ac_problem *problem, int node)
{
    return node == AC_GROUND ? "nothing" : ac_system_node_name(ac_problem_system(problem), node);
}

static void print_beams(const ac_system *system)
{
    for (int b = 0; b < ac_system_beams(system); ++b) {
        ac_beam_info beam = ac_system_beam(system, b);
        const double *D = beam.stiffness;
        printf("beam %s: %d elements, length %.6g m, mass %.6g kg\n", beam.name, beam.elements, beam.length,
               beam.mass);
        printf("  GA %.6g, %.6g N; EA %.6g N; EI %.6g, %.6g N m^2; GJ %.6g N m^2\n", D[0], D[1], D[2], D[3],
               D[4], D[5]);
    }
}

static void print_table(const ac_problem *problem, const finding *list, int count)
{
    const ac_assembly *assembly = ac_problem_assembly(problem);
    printf("%s: a problem to %s\n", ac_problem_title(problem), ac_problem_task(problem));
    app_print_numbers(count, finding_entry, list);
    if (assembly->moved > 1e-9) printf("assembly moved %s most\n", node_name(problem, assembly->moved_node));
    if (assembly->turned > 1e-9)
        printf("assembly turned %s most\n", node_name(problem, assembly->turned_node));
    print_beams(ac_problem_system(problem));
    ac_system_size size = ac_system_sizes(ac_problem_system(problem));
    if (size.constraints > size.independent)
        printf("%d of the constraints %s on the others: allowed, their forces are not unique\n",
               size.constraints - size.independent,
               size.constraints - size.independent == 1 ? "depends" : "depend");
    printf("the file is in order\n");
}

static bool print_json(ac_context *ctx, const ac_problem *problem, const finding *list, int count,
                       const char *message)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", problem ? ac_problem_task(problem) : NULL);
    ac_json_text(json, "status", problem ? "in_order" : "bad_input");
    ac_json_open_object(json, "results");
    for (int i = 0; i < count; ++i) ac_json_number(json, list[i].name, list[i].value);
    ac_json_close_object(json);
    if (message) ac_json_text(json, "message", message);
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

/* Derivatives of objective and conditions, and conditions that depend on others. */
static ac_status check_optimization(ac_context *ctx, const ac_problem *problem, finding *list, int *count,
                                    bool json)
{
    double differences[3];
    int dependent;
    char name[128];
    ac_status status = ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name);
    if (status != AC_OK) {
        fprintf(stderr, "%s\n", ac_context_message(ctx));
        return status;
    }
    list[(*count)++] = (finding){"error_of_objective_gradient", differences[0], ""};
    list[(*count)++] = (finding){"error_of_condition_jacobian", differences[1], ""};
    list[(*count)++] = (finding){"error_of_lagrangian_hessian", differences[2], ""};
    list[(*count)++] = (finding){"dependent_conditions", dependent, "1"};
    if (dependent > 0 && !json)
        printf("%d of the conditions depend on the others at the guess, the first is: %s\n", dependent, name);
    return differences[0] > 1e-4 || differences[1] > 1e-4 || differences[2] > 1e-3 ? AC_NOT_CONVERGED : AC_OK;
}

static int check(ac_context *ctx, const app_arguments *arguments)
{
    bool json = app_given(arguments, "json"), printed = true;
    ac_problem *problem = NULL;
    ac_status status = app_read_problem(ctx, arguments, &problem);
    if (status != AC_OK) {
        const char *message = ac_context_message(ctx);
        fprintf(stderr, "%s\n", *message ? message : ac_status_text(status));
        if (json) print_json(ctx, NULL, NULL, 0, message);
        return app_input_exit(status);
    }
    finding list[FINDINGS + OPTIMIZATION_FINDINGS];
    double error[2] = {0.0, 0.0};
    if (simulation_of(problem)) {
        status = ac_simulation_check_derivatives(ctx, ac_problem_system(problem), simulation_of(problem),
                                                 &error[0], &error[1]);
        if (status == AC_OK && (error[0] > WRONG || error[1] > WRONG)) status = AC_NOT_CONVERGED;
    }
    int count = collect(problem, error, list);
    if (ac_problem_optimization(problem)) status = check_optimization(ctx, problem, list, &count, json);
    if (json)
        printed = print_json(ctx, problem, list, count, NULL);
    else
        print_table(problem, list, count);
    if (status != AC_OK)
        fprintf(stderr, "actio check: a derivative differs from the differences of its function\n");
    ac_problem_free(problem);
    return printed && status == AC_OK ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

const app_verb app_verb_check = {
    .name = "check",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .summary = "reads and builds the problem in FILE without solving it",
    .details =
        "Prints the sizes of the system, the rank of its constraints, and what the assembly of the initial\n"
        "state had to move. A file that is not in order gives file:line:column, the reason, and exit status "
        "2.",
    .options = options,
    .run = check,
};
