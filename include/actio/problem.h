/* Problem files: one YAML (or JSON) file describes the system and its task. */
#ifndef ACTIO_PROBLEM_H
#define ACTIO_PROBLEM_H

#include "actio/certify.h"
#include "actio/equilibrium.h"
#include "actio/plan.h"
#include "actio/model.h"
#include "actio/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_problem ac_problem;

/* Reads, checks and builds. `settings` are overrides such as "parameters.l1=0.4" or "simulate.step=1 ms".
 * On failure the message starts with file:line:column. */
AC_API ac_status ac_problem_read(ac_context *ctx, const char *path, const char *const *settings,
                                 int setting_count, ac_problem **problem);
AC_API void ac_problem_free(ac_problem *problem);

AC_API const char *ac_problem_title(const ac_problem *problem);
AC_API const char *ac_problem_text(const ac_problem *problem);    /* the file as it was */
AC_API const char *ac_problem_task(const ac_problem *problem);    /* "simulate" */
AC_API const char *ac_problem_purpose(const ac_problem *problem); /* "a problem to ..." */
AC_API const char *ac_problem_scene(const ac_problem *problem);   /* JSON: what the viewer draws */
AC_API const ac_system *ac_problem_system(const ac_problem *problem);
AC_API const ac_assembly *ac_problem_assembly(const ac_problem *problem);
/* What the tasks need, owned by the problem; NULL unless the task is simulate, optimize or equilibrium. */
AC_API const ac_simulation_settings *ac_problem_simulation(const ac_problem *problem);
AC_API ac_optimization *ac_problem_optimization(const ac_problem *problem);
/* The plan of the task optimize; NULL unless that is the task. */
AC_API const ac_optimization_plan *ac_problem_plan(const ac_problem *problem);
/* The functional of a motion: `functional` of simulate, or the objective of optimize; NULL: there is none. */
AC_API ac_optimization *ac_problem_functional(const ac_problem *problem);
AC_API const ac_equilibrium_settings *ac_problem_equilibrium(const ac_problem *problem);
/* How the task certify is worked on (threads, shards, journal, ranks); NULL unless that is the task. */
AC_API ac_certify_work *ac_problem_certify_work(const ac_problem *problem);
/* Number of processes that evaluate the samples of the task design (0: one); NULL unless that is the task. */
AC_API int *ac_problem_design_jobs(const ac_problem *problem);
/* Record every k-th node and interval (1: all). */
AC_API long ac_problem_record_every(const ac_problem *problem);

/* The parameters of the file that are numbers, or formulas without other parameters: how many, the name and the value (may be NULL) of one. */
AC_API int ac_problem_parameters(const ac_problem *problem);
AC_API const char *ac_problem_parameter(const ac_problem *problem, int k, double *value);

/* The cross-section of a beam at the share `at` of its length, and the stiffness and inertia that follow
 * from it. */
typedef struct ac_beam_station {
    double at;
    /* "rectangle", "circle", "tube", "i_section"; "" when the values were given directly */
    const char *shape;
    double area;
    double moments[2]; /* second moments about d1 and d2 */
    double torsion;    /* Saint-Venant's torsion constant */
    double shear_factors[2];
    ac_beam_values values;
} ac_beam_station;

/* The stations at which the section of a beam is given, in the order of ac_system_beam; one when it does
 * not change. */
AC_API const ac_beam_station *ac_problem_beam_stations(const ac_problem *problem, int beam, int *count);

/* The reference page of the file format, made from the same table that checks the files. Markdown;
 * the caller frees it with ac_text_free. */
AC_API ac_status ac_problem_reference(ac_context *ctx, char **markdown);
AC_API void ac_text_free(ac_context *ctx, char *text);

#ifdef __cplusplus
}
#endif
#endif
