/* The task "equilibrium" of a problem file: its keys and what they mean. */
#include "base/base.h"
#include "problem/build/build.h"
#include "problem/keys/schema_equilibrium.h"
#include "problem/keys/schema_table.h"

#define REST(member) IN(ac_equilibrium_input, member)
#define PATH(member) IN(ac_path_input, member)

static const ac_field path_fields[] = {
    {"step", AC_FIELD_NUMBER, PATH(step), .dimension = AC_DIM_LENGTH, .required = true,
     .about =
         "from point to point: root mean square of the displacements of all nodes; turns count with the "
         "typical length. It is shortened where the path is difficult. A load that moves nothing grows by as "
         "much as would move the softest motion by the step. Negative: the load starts the other way"},
    {"points", AC_FIELD_COUNT, PATH(points), .least = 1, .most = 1000000, BY_DEFAULT(100),
     .about = "of the path"},
    {"branch", AC_FIELD_COUNT, PATH(branch), .least = 0, .most = 1000000, BY_DEFAULT(0),
     .about =
         "leave the path at the bifurcation with this number and follow the branch; 0: stay on the path"},
    {"other_side", AC_FIELD_FLAG, PATH(other_side), .standard = "false",
     .about = "follow the branch to its other side"},
    {"levels", AC_FIELD_VALUE, PATH(levels), .form = "list of numbers", .unit = "", .standard = "none",
     .about = "load factors at which a point is wanted, each time the path passes one"},
};

const ac_section ac_section_path = {
    .title = "path",
    .about = "Follows the equilibria while the load grows and falls, through limit points and with "
             "bifurcations detected. It starts with the constant loads alone; the load factor of each point "
             "is recorded as `load/factor`.",
    FIELDS(path_fields),
};

static const char *const *formulations(void)
{
    static const char *const names[] = {"reduced", "multipliers", NULL};
    return names;
}

static const ac_field equilibrium_fields[] = {
    {"steps", AC_FIELD_COUNT, REST(steps), .least = 1, .most = 100000, BY_DEFAULT(1),
     .about = "loads and gravity grow in so many equal steps"},
    {"constant_gravity", AC_FIELD_FLAG, REST(constant_gravity), .standard = "false",
     .about =
         "gravity acts in full from the beginning, like loads with `constant: true`; only the others grow "
         "with the load factor"},
    {"time", AC_FIELD_NUMBER, REST(time), .dimension = AC_DIM_TIME, BY_DEFAULT(0),
     .about = "at which loads are taken"},
    {"tolerance", AC_FIELD_NUMBER, REST(tolerance), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(1e-10),
     .about = "on the last correction of Newton's method: rad, or m over the typical length"},
    {"max_iterations", AC_FIELD_COUNT, REST(max_iterations), .least = 1, .most = 10000, BY_DEFAULT(60),
     .about = "of Newton's method"},
    {"formulation", AC_FIELD_CHOICE, REST(formulation), .choices = formulations, .standard = "reduced",
     .about = "unknowns of Newton's method: `reduced`, the freedoms of the joints; `multipliers`, all "
              "coordinates and the multipliers of all constraints. Both have the same solutions"},
    {"forces", AC_FIELD_FLAG, REST(forces), .standard = "true",
     .about = "record loads and springs as forces and torques at their places, which pages draw as arrows"},
    {"path", AC_FIELD_SECTION, REST(path), .section = &ac_section_path, .standard = "load steps",
     .about = "follow the load path by its length"},
};

const ac_section ac_section_equilibrium = {
    .title = "equilibrium",
    .about = "An equilibrium: a stationary point of the potential of springs, beams, gravity and loads, "
             "searched from the initial configuration. Its stability is determined from the eigenvalues of "
             "the reduced Hessian: `stability/negative` counts those below zero, `stability/neutral` those "
             "that are zero; both are -1 where the loads have no potential, so that eigenvalues do not "
             "decide. `event` is 1 at a limit point, 2 at a bifurcation and 3 at a level of the load. In the "
             "results, `time` is the number of the load step or the length of the path, and "
             "`energy/potential` is that of springs, beams and gravity, without the loads.",
    .example = "title: A clamped strip under its weight and a load at its end\n"
               "gravity: [0, 0, -9.81]\n"
               "beams:\n"
               "  strip:\n"
               "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
               "    d1: [0, 0, 1]\n"
               "    section: {rectangle: {width: 1 mm, height: 2 cm}}\n"
               "    material: {young: 200 GPa, density: 7800}\n"
               "joints:\n"
               "  - {fixed: [ground, strip.start]}\n"
               "loads:\n"
               "  - {force: [0, 0, -1], on: strip.end}\n"
               "equilibrium: {steps: 4}\n",
    FIELDS(equilibrium_fields),
};

ac_status ac_read_equilibrium(ac_builder *b, const ac_value *section, ac_equilibrium_settings *settings)
{
    ac_equilibrium_input input;
    ac_path_input path;
    ac_equilibrium_defaults(settings);
    AC_TRY(ac_section_read(&b->reader, &ac_section_equilibrium, section, &input, sizeof input));
    settings->steps = (int)input.steps.value;
    settings->max_iterations = (int)input.max_iterations.value;
    if (input.forces.at) settings->forces = input.forces.on;
    settings->constant_gravity = input.constant_gravity.on;
    settings->time = input.time.value;
    settings->tolerance = input.tolerance.value;
    AC_TRY(ac_check_tolerance(b, &input.tolerance));
    settings->multipliers = input.formulation.at && input.formulation.choice == 1;
    if (!input.path) return AC_OK;
    if (settings->multipliers)
        return ac_fail_at(b->ctx, input.formulation.at->key_place,
                          "load paths are followed in the reduced formulation");
    if (input.steps.at)
        return ac_fail_at(b->ctx, input.steps.at->key_place, "give either steps or path, not both");
    AC_TRY(ac_section_read(&b->reader, &ac_section_path, input.path, &path, sizeof path));
    if (path.step.value == 0) return ac_fail_at(b->ctx, path.step.at->place, "step must not be zero");
    settings->follow = true;
    settings->arc_step = path.step.value;
    settings->points = (int)path.points.value;
    settings->branch = (int)path.branch.value;
    settings->other_side = path.other_side.on;
    if (path.levels)
        AC_TRY(ac_read_numbers(&b->reader, path.levels, "levels", AC_DIM_NUMBER, 0, AC_LEVELS_MAX,
                               settings->levels, &settings->level_count));
    return AC_OK;
}
