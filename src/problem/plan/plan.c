/* The plan of an optimisation of a problem file, see plan.h. */
#include <stdio.h>

#include "base/base.h"
#include "problem/build/build.h"
#include "problem/plan/plan.h"

static ac_status problem_at(void *user, double value, ac_optimization **optimization)
{
    ac_problem_plan_run *run = user;
    char setting[AC_PLAN_NAME_SIZE + 48];
    int free_place = run->steps[0] ? 1 : 0;
    snprintf(setting, sizeof setting, "parameters.%s=%.17g", ac_problem_plan(run->problem)->parameter, value);
    AC_TRY(ac_problem_variation(run->problem, setting, &run->steps[free_place]));
    *optimization = ac_problem_optimization(run->steps[free_place]);
    return AC_OK;
}

static void release_step(void *user, ac_optimization *optimization)
{
    ac_problem_plan_run *run = user;
    for (int k = 0; k < AC_PLAN_VARIATIONS; ++k) {
        if (!run->steps[k] || ac_problem_optimization(run->steps[k]) != optimization) continue;
        ac_problem_free(run->steps[k]);
        run->steps[k] = NULL;
    }
}

static int forward_progress(void *user, const ac_plan_progress *now)
{
    const ac_problem_plan_run *run = user;
    return run->progress ? run->progress(run->user, now) : 0;
}

ac_status ac_problem_run_plan(ac_problem_plan_run *run)
{
    const ac_plan_hooks hooks = {run, forward_progress, problem_at, release_step};
    ac_optimization_plan plan = *ac_problem_plan(run->problem);
    plan.resumed = run->resumed;
    run->reached = run->problem;
    ac_status status = ac_optimization_run_plan(ac_problem_optimization(run->problem), &plan, &hooks,
                                                &run->outcome);
    for (int k = 0; k < AC_PLAN_VARIATIONS; ++k)
        if (run->steps[k] && ac_problem_optimization(run->steps[k]) == run->outcome.reached)
            run->reached = run->steps[k];
    return status;
}

void ac_problem_plan_release(ac_problem_plan_run *run)
{
    for (int k = 0; k < AC_PLAN_VARIATIONS; ++k) {
        ac_problem_free(run->steps[k]);
        run->steps[k] = NULL;
    }
    run->reached = NULL;
}
