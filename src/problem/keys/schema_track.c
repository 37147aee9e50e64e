/* The keys of the task "track": of the task itself, of a target, of a study, of the gradient. */
#include "problem/keys/schema_table.h"
#include "problem/keys/schema_track.h"

#define TRACK(member) IN(ac_track_input, member)
#define TARGET(member) IN(ac_target_input, member)

DEFAULTS(ac_track_settings, ac_track_defaults(&settings))
DEFAULT_OF(rho0, weights.rho0)
DEFAULT_OF(rho1, weights.rho1)
DEFAULT_OF(stabilisation, joint_stabilisation)
DEFAULT_OF(joint_tolerance, joint_tolerance)
DEFAULT_OF(turn, turn_limit)

static const char *const *course_words(void)
{
    static const char *const words[] = {"smooth", "held", "impulse", "live", NULL};
    return words;
}

static const char *const *difference_words(void)
{
    static const char *const words[] = {"central", "causal", NULL};
    return words;
}

static const ac_field target_fields[] = {
    {"name", AC_FIELD_TEXT, TARGET(name), .standard = "that of the body", .about = "in channels"},
    {"on", AC_FIELD_TEXT, TARGET(on), .required = true, .about = "the body or point that follows"},
    {"at", AC_FIELD_VALUE, TARGET(at), .form = "named point or place", .dimension = AC_DIM_LENGTH,
     .standard = "centre of mass", .about = "the point of it that follows"},
    {"components", AC_FIELD_VALUE, TARGET(components), .form = "list of words", .unit = "",
     .standard = "those of `position` and `rotation`",
     .about = "which components follow, among x, y, z (position) and rx, ry, rz (rotation vector), world "
              "axes"},
    {"position", AC_FIELD_VALUE, TARGET(position), .form = "list of numbers, `=expressions` of t, or tables",
     .dimension = AC_DIM_LENGTH, .standard = "none", .about = "where the target is"},
    {"rotation", AC_FIELD_VALUE, TARGET(rotation), .form = "list of numbers, `=expressions` of t, or tables",
     .dimension = AC_DIM_ANGLE, .standard = "none",
     .about = "orientation of the target as a rotation vector"},
    {"samples", AC_FIELD_VALUE, TARGET(samples), .form = "list of [t, x, y, z] or [t, x, y, z, rx, ry, rz]",
     .unit = "s, m, rad", .standard = "none",
     .about = "instead of `position`: recorded samples. Samples that are not finite or whose times do not "
              "increase are left out and counted"},
    {"file", AC_FIELD_TEXT, TARGET(file), .standard = "none",
     .about = "instead of `samples`: a text file with one sample in each line, numbers separated by spaces, "
              "commas or semicolons; path relative to the problem file"},
    {"course", AC_FIELD_CHOICE, TARGET(course), .choices = course_words,
     .standard = "smooth; held for samples",
     .about = "`smooth`: the formula and its derivative. `held`: the newest sample holds, and so does its "
              "velocity. `impulse`: the newest sample holds, its velocity is the difference from step to "
              "step. `live`: samples come while it runs, by `actio live`"},
    {"every", AC_FIELD_NUMBER, TARGET(every), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .standard = "none", .about = "time between samples that are taken of `position` and `rotation`"},
    {"shift", AC_FIELD_TEXT, TARGET(shift), .standard = "0",
     .about = "expression of the number j of a sample: how much later than `every` times j it comes, s"},
    {"differences", AC_FIELD_CHOICE, TARGET(differences), .choices = difference_words, .standard = "central",
     .about = "velocity of samples: `central` needs the next one, `causal` only those that have come"},
    {"start_velocity", AC_FIELD_VECTOR, TARGET(start_velocity), .dimension = AC_DIM_VELOCITY, .least = 3,
     .most = 3, .standard = "that of the difference", .about = "velocity of the first sample"},
    {"max_force", AC_FIELD_NUMBER, TARGET(max_force), .dimension = AC_DIM_FORCE, .bound = AC_BOUND_POSITIVE,
     .standard = "no limit", .about = "largest force of the control"},
    {"max_torque", AC_FIELD_NUMBER, TARGET(max_torque), .dimension = AC_DIM_TORQUE,
     .bound = AC_BOUND_POSITIVE, .standard = "no limit", .about = "largest torque of the control"},
    {"max_speed", AC_FIELD_NUMBER, TARGET(max_speed), .dimension = AC_DIM_VELOCITY,
     .bound = AC_BOUND_POSITIVE, .standard = "no limit",
     .about = "largest speed of the point; the limit on the force comes first"},
};

const ac_section ac_section_target = {
    .title = "target",
    .about = "A body that follows a place. Orientations are compared by rotations, never by angles.",
    FIELDS(target_fields),
};

#define AXIS(name, number, words)                                                                 \
    {                                                                                             \
        name, AC_FIELD_VALUE, IN(ac_study_input, values[number]),                                 \
            .form = "list of numbers", .unit = "", .standard = "that of the task", .about = words \
    }

static const ac_field study_fields[] = {
    AXIS("rho0", AC_STUDY_RHO0, "weights of the control"),
    AXIS("rho1", AC_STUDY_RHO1, "weights of the derivative of the control"),
    AXIS("velocity_weight", AC_STUDY_VELOCITY, "weights of the difference of velocities"),
    AXIS("joint_stabilisation", AC_STUDY_JOINTS, "shares between 0 and 1"),
    AXIS("servo_stabilisation", AC_STUDY_SERVO, "shares between 0 and 1"),
};

const ac_section ac_section_study = {
    .title = "study",
    .about =
        "The targets are followed once more with every combination of these values. The table `study` of the "
        "result has a row for each: the values, the root mean square and the largest error, the roughness of "
        "the control (root mean square of its change per second), the largest force and joint residual, and "
        "of the first target the frequency of its error, its growth (last third of the run against the "
        "first) and its sag (mean error along gravity in the last third).",
    FIELDS(study_fields),
};

static const ac_field gradient_fields[] = {
    {"force", AC_FIELD_VALUE, IN(ac_track_gradient_input, force),
     .form = "list of numbers, `=expressions` of t, or tables", .dimension = AC_DIM_FORCE, .standard = "0",
     .about = "the forces, then torques, on the components of the first target that follow"},
    {"direction", AC_FIELD_VALUE, IN(ac_track_gradient_input, direction),
     .form = "list of numbers, `=expressions` of t, or tables", .dimension = AC_DIM_FORCE, .standard = "none",
     .about =
         "a change of these forces: the derivative along it is computed by the gradient and by differences"},
    {"steps", AC_FIELD_COUNT, IN(ac_track_gradient_input, steps), .least = 2, .most = AC_LONGEST_RUN,
     BY_DEFAULT(2000), .about = "steps of the Runge-Kutta method, an even number"},
};

const ac_section ac_section_track_gradient = {
    .title = "track_gradient",
    .about = "The gradient of the tracking functional, half the square of the error at the end, plus its "
             "integral, plus `rho0` times half the integral of the squared forces, by the forces on the "
             "position and the torques on the orientation of the first target over the whole duration; by "
             "the adjoint system with joints. The table `gradient` of the result has it over time.",
    FIELDS(gradient_fields),
};

static const ac_field track_fields[] = {
    {"step", AC_FIELD_NUMBER, TRACK(step), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "time step"},
    {"duration", AC_FIELD_NUMBER, TRACK(duration), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .standard = "", .about = "a multiple of the step; either this or `steps` is needed"},
    {"steps", AC_FIELD_COUNT, TRACK(steps), .least = 1, .most = AC_LONGEST_RUN, .standard = "",
     .about = "number of steps"},
    {"targets", AC_FIELD_ENTRIES, TRACK(targets), .section = &ac_section_target, .standard = "none",
     .about = "what follows what"},
    {"method", AC_FIELD_CHOICE, TRACK(method), .choices = ac_track_methods, .standard = "discrete",
     .about = "how targets are followed: `discrete` and `exact` are damped single-stage optimal controls; "
              "`servo` makes targets constraints; `l2`, `h1-neumann` and `h1-mixed` are the published "
              "controls, which oscillate"},
    {"rho0", AC_FIELD_NUMBER, TRACK(rho0), .bound = AC_BOUND_POSITIVE, .standard_number = default_rho0,
     .about = "weight of the control; smaller follows closer"},
    {"rho1", AC_FIELD_NUMBER, TRACK(rho1), .bound = AC_BOUND_POSITIVE, .standard_number = default_rho1,
     .about = "weight of the derivative of the control (`h1-neumann`, `h1-mixed`)"},
    {"running", AC_FIELD_NUMBER, TRACK(running), .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(1),
     .about = "weight of the error along the step (`l2`, `h1-neumann`, `h1-mixed`)"},
    {"velocity_weight", AC_FIELD_NUMBER, TRACK(velocity_weight), .bound = AC_BOUND_NOT_NEGATIVE,
     BY_DEFAULT(0), .about = "weight of the difference of velocities, which damps"},
    {"mass_weighted", AC_FIELD_FLAG, TRACK(mass_weighted), .standard = "false",
     .about = "errors are weighted with the mass matrix"},
    {"yukawa", AC_FIELD_CHOICE, TRACK(yukawa), .choices = ac_track_yukawas, .standard = "splines",
     .about = "how the control equation of `h1-neumann` and `h1-mixed` is solved: `splines` as published (6 "
              "unknowns; mixed conditions 4), `full-splines` (mixed conditions 5), `green` exactly"},
    {"cancel", AC_FIELD_CHOICE, TRACK(cancel), .choices = ac_track_cancels, .standard = "projected",
     .about = "gravity and loads: `projected` cancels what arrives at the targets, with attached bodies; "
              "`own` the load on the tracked body alone; `perturbed` puts it into the control equation"},
    {"chart", AC_FIELD_CHOICE, TRACK(chart), .choices = ac_track_charts, .standard = "rotation",
     .about = "how orientations move: `rotation` by the exponential map, `kardan` by Kardan angles as "
              "published (singular at 90 degrees)"},
    {"joint_stabilisation", AC_FIELD_NUMBER, TRACK(joint_stabilisation), .bound = AC_BOUND_NOT_NEGATIVE,
     .standard_number = default_stabilisation,
     .about = "share of the error of a joint that one step removes, 0 to 1"},
    {"servo_stabilisation", AC_FIELD_NUMBER, TRACK(servo_stabilisation), .bound = AC_BOUND_NOT_NEGATIVE,
     .standard_number = default_stabilisation, .about = "the same for servo constraints"},
    {"joint_tolerance", AC_FIELD_NUMBER, TRACK(joint_tolerance), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_joint_tolerance,
     .about =
         "largest gap of a joint after a step, as a share of the typical length, at most 1: a joint that is "
         "further open is closed again; if it cannot be, the run is not solved"},
    {"acceleration_level", AC_FIELD_NUMBER, TRACK(acceleration_level), .unit = "1/s", BY_DEFAULT(0),
     .about = "not 0: joints on acceleration level with Runge-Kutta steps, stabilised with this rate "
              "(negative: not stabilised); targets are not followed"},
    {"target_capacity", AC_FIELD_COUNT, TRACK(target_capacity), .least = 1, .most = 64,
     .standard = "the targets and 8 more", .about = "most targets at a time, with those of `events`"},
    {"record_every", AC_FIELD_COUNT, TRACK(record_every), .least = 1, .most = AC_LONGEST_RUN, BY_DEFAULT(1),
     .about = "record every so many steps, and the last one"},
    {"turn_limit", AC_FIELD_NUMBER, TRACK(turn_limit), .dimension = AC_DIM_ANGLE, .bound = AC_BOUND_POSITIVE,
     .standard_number = default_turn,
     .about = "largest rotation of a body in one step; faster motions are slowed down"},
    {"move_limit", AC_FIELD_NUMBER, TRACK(move_limit), .dimension = AC_DIM_LENGTH, .bound = AC_BOUND_POSITIVE,
     .standard = "typical length of the system",
     .about = "largest displacement of a body in one step; faster motions are slowed down"},
    {"replay_steps", AC_FIELD_COUNT, TRACK(replay_steps), .least = 0, .most = AC_LONGEST_RUN, .standard = "",
     .about =
         "steps of a recorded session; samples are taken for `duration` or `steps`, and the last one holds"},
    {"reserve", AC_FIELD_VALUE, TRACK(reserve), .form = "list of names", .unit = "", .standard = "none",
     .about = "bodies and points that wait outside, with their joints and targets: `actio live`, events and "
              "`ac_track_set_node` put them in while it runs"},
    {"study", AC_FIELD_SECTION, TRACK(study), .section = &ac_section_study, .standard = "none",
     .about = "other weights to compare"},
    {"gradient", AC_FIELD_SECTION, TRACK(gradient), .section = &ac_section_track_gradient, .standard = "none",
     .about = "the gradient of a functional of the whole motion"},
    {"events", AC_FIELD_VALUE, TRACK(events), .form = "list of [step, what, numbers...]", .unit = "",
     .standard = "none", .about = "a recorded session of `actio live`, replayed to the last bit"},
};

const ac_section ac_section_track = {
    .title = "track",
    .about = "Bodies follow targets that may jump, with one linear solve of fixed cost in each step, as in "
             "real time. Joints are equations on velocity level, stabilised; forces stay finite.",
    .example = "title: A sphere follows a hand\n"
               "bodies:\n"
               "  ball: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [1, 0, 0]}\n"
               "track:\n"
               "  step: 1 ms\n"
               "  duration: 1 s\n"
               "  targets:\n"
               "    - {on: ball, position: [=cos(2*t), =sin(2*t), 0], every: 20 ms, course: held}\n",
    FIELDS(track_fields),
};
