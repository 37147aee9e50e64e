/* The table of the task optimize: its sections and keys. */
#include "problem/keys/schema_optimize.h"

#include "actio/optimize.h"
#include "actio/simulate.h"
#include "problem/keys/schema_beams.h"
#include "problem/shape/hulls.h"
#include "problem/keys/schema_table.h"

static const char *const *start_words(void)
{
    static const char *const words[] = {"initial", "free", NULL};
    return words;
}

static const char *const *end_words(void)
{
    static const char *const words[] = {"free", "rest", NULL};
    return words;
}

static const char *const *component_words(void)
{
    static const char *const words[] = {"x", "y", "z", NULL};
    return words;
}

static const char *const *frame_words(void)
{
    static const char *const words[] = {"world", "body", NULL};
    return words;
}

static const char *const *where_words(void)
{
    static const char *const words[] = {"start", "end", "path", "intervals", "inside", NULL};
    return words;
}

/* Of quantities and conditions: swing and twist belong to spherical joints. */
static const char *const *quantity_coordinate_words(void)
{
    static const char *const words[] = {AC_COORDINATES, "z", "swing", "twist", NULL};
    return words;
}

DEFAULTS(ac_optimization_settings, ac_optimization_defaults(&settings))
DEFAULT_OF(tolerance, tolerance)
DEFAULT_OF(iterations, max_iterations)
DEFAULT_OF(turn_limit, turn_limit)
DEFAULT_OF(rounds, most_rounds)

#define FORM_DIRECTION "direction, or x, y, z"

/* ---- optimize ---- */

#define OPTIMIZE(member) IN(ac_optimize_input, member)

static const char *const *method_words(void)
{
    static const char *const words[] = {"transcription", "shooting", NULL};
    return words;
}

/* In the order of ac_shooting_method. */
static const char *const *update_words(void)
{
    static const char *const words[] = {"l-bfgs", "bb1", "bb2", "gauss-newton", "newton", NULL};
    return words;
}

static const ac_field optimize_fields[] = {
    {"intervals", AC_FIELD_COUNT, OPTIMIZE(intervals), .least = 1, .most = 10000000, .required = true,
     .about = "number of equal time intervals; controls are constant on each"},
    {"duration", AC_FIELD_NUMBER, OPTIMIZE(duration), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .required = true, .about = "of the manoeuvre; the first guess when it is free"},
    {"free_duration", AC_FIELD_FLAG, OPTIMIZE(free_duration), .standard = "false",
     .about = "the duration is an unknown"},
    {"least_duration", AC_FIELD_NUMBER, OPTIMIZE(least_duration), .dimension = AC_DIM_TIME,
     .bound = AC_BOUND_POSITIVE, .standard = "a tenth of the duration",
     .about = "lower bound of a free duration"},
    {"most_duration", AC_FIELD_NUMBER, OPTIMIZE(most_duration), .dimension = AC_DIM_TIME,
     .bound = AC_BOUND_POSITIVE, .standard = "ten times the duration",
     .about = "upper bound of a free duration"},
    {"controls", AC_FIELD_ENTRIES, OPTIMIZE(controls), .section = &ac_section_control, .required = true,
     .about = "the unknown forces and torques"},
    {"parameters", AC_FIELD_NAMED, OPTIMIZE(parameters), .section = &ac_section_parameter, .standard = "none",
     .about = "named parameters of the file that are unknowns, too"},
    {"objective", AC_FIELD_ENTRIES, OPTIMIZE(objective), .section = &ac_section_objective, .required = true,
     .about = "the sum of the entries is minimised"},
    {"quantities", AC_FIELD_NAMED, OPTIMIZE(quantities), .section = &ac_section_quantity, .standard = "none",
     .about = "named numbers of a configuration, for expressions and results"},
    {"conditions", AC_FIELD_ENTRIES, OPTIMIZE(conditions), .section = &ac_section_condition,
     .standard = "none", .about = "equations and bounds at the start, at the end or along the motion"},
    {"start", AC_FIELD_CHOICE, OPTIMIZE(start), .choices = start_words, .standard = "initial",
     .about = "configuration at the start: the initial state of the file (`initial`), or free except for the "
              "conditions"},
    {"start_velocity", AC_FIELD_CHOICE, OPTIMIZE(start_velocity), .choices = start_words,
     .standard = "initial",
     .about = "velocity at the start: that of the file (`initial`; by default zero), or free"},
    {"end_velocity", AC_FIELD_CHOICE, OPTIMIZE(end_velocity), .choices = end_words, .standard = "free",
     .about = "velocity at the end"},
    {"periodic", AC_FIELD_FLAG, OPTIMIZE(periodic), .standard = "false",
     .about = "configuration and velocity at the end are those of the start; both velocities are then free"},
    {"phases", AC_FIELD_ENTRIES, OPTIMIZE(phases), .section = &ac_section_phase, .standard = "one",
     .about = "phases that follow one another, each with its own mesh and what it holds"},
    {"cycle", AC_FIELD_SECTION, OPTIMIZE(cycle), .section = &ac_section_cycle, .standard = "none",
     .about = "with phases: the end of the last one is the start of the first one again, up to a mirror, "
              "other names and a step"},
    {"method", AC_FIELD_CHOICE, OPTIMIZE(method), .choices = method_words, .standard = "transcription",
     .about = "`transcription`: motion and controls are unknowns together. `shooting`: the motion is "
              "simulated from the controls, and the discrete adjoint gives the gradient by them: for "
              "objectives without conditions, and for systems with many unknowns in every step"},
    {"update", AC_FIELD_CHOICE, OPTIMIZE(update), .choices = update_words, .standard = "l-bfgs",
     .about = "shooting: how the next controls are found; `bb1` and `bb2` are the steps of Barzilai and "
              "Borwein; `newton` uses exact second derivatives and verifies the second-order conditions, "
              "`gauss-newton` leaves out those of the motion"},
    {"first_step", AC_FIELD_NUMBER, OPTIMIZE(first_step), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(1),
     .about = "shooting: the largest change of a control in the first iteration"},
    {"segments", AC_FIELD_COUNT, OPTIMIZE(segments), .least = 1, .most = 100000, BY_DEFAULT(1),
     .about = "shooting with `newton` or `gauss-newton`: the motion is simulated in so many segments, whose "
              "starts are unknowns, too, and match the ends before them (multiple shooting); they begin with "
              "the guessed motion, if a guess is given, else with the simulation of the guessed controls"},
    {"approach", AC_FIELD_SECTION, OPTIMIZE(approach), .section = &ac_section_approach, .standard = "none",
     .about = "shooting: a target at the end that is approached in stages"},
    {"formulation", AC_FIELD_CHOICE, OPTIMIZE(formulation), .choices = ac_optimization_formulations,
     .standard = "reduced",
     .about = "`reduced`: local increments, minimal dimension; `multipliers`: redundant coordinates; "
              "`minimal`: the midpoint rule for the joint coordinates themselves; the others are for "
              "comparison"},
    {"hessian", AC_FIELD_CHOICE, OPTIMIZE(hessian), .choices = ac_optimization_hessians, .standard = "exact",
     .about = "second derivatives"},
    {"stresses", AC_FIELD_CHOICE, OPTIMIZE(stresses), .choices = ac_optimization_stresses,
     .standard = "unknown",
     .about = "of beams: `unknown` beside the motion, so that the search works for stiff beams as for soft "
              "ones; `eliminated`: expressed by the motion, fewer unknowns"},
    {"scheme", AC_FIELD_CHOICE, OPTIMIZE(scheme), .choices = ac_scheme_names,
     .standard = "midpoint; trapezoidal with beams of dual quaternions",
     .about = "of the motion and of its re-simulation: `midpoint` or `trapezoidal` (then the stresses of "
              "beams are eliminated); `energy-momentum` goes with `method: shooting` only, because it has no "
              "discrete action"},
    {"guess", AC_FIELD_SECTION, OPTIMIZE(guess), .section = &ac_section_guess,
     .standard = "joints move evenly to where conditions want them at the end, the rest does not move",
     .about = "where the search begins"},
    {"turn_limit", AC_FIELD_NUMBER, OPTIMIZE(turn_limit), .dimension = AC_DIM_ANGLE,
     .bound = AC_BOUND_NOT_NEGATIVE, .standard_number = default_turn_limit,
     .about = "largest rotation of a body in one interval, below pi; 0: none. Without it an optimiser may "
              "exploit turns that the discrete motion does not resolve"},
    {"tolerance", AC_FIELD_NUMBER, OPTIMIZE(tolerance), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_tolerance, .about = "on optimality and on the conditions"},
    {"max_iterations", AC_FIELD_COUNT, OPTIMIZE(max_iterations), .least = 0, .most = 1000000,
     .standard_number = default_iterations, .about = "of the solver"},
    {"rounds", AC_FIELD_COUNT, OPTIMIZE(rounds), .least = 1, .most = 1000, .standard_number = default_rounds,
     .about = "largest number of solves, each with a new reference of the local increments where they have "
              "grown; not solved if the reference still moves after the last"},
    {"refine", AC_FIELD_VALUE, OPTIMIZE(refine), .form = "list of numbers of intervals", .unit = "",
     .standard = "none", .about = "solve again on these meshes, each from the solution before"},
    {"continuation", AC_FIELD_SECTION, OPTIMIZE(continuation), .section = &ac_section_continuation,
     .standard = "none",
     .about = "solve for other values of a parameter first, each from the solution before"},
    {"starts", AC_FIELD_COUNT, OPTIMIZE(starts), .least = 1, .most = 100000, BY_DEFAULT(1),
     .about =
         "number of starts; all except the first begin with a disturbed guess; the best solution is kept"},
    {"seed", AC_FIELD_COUNT, OPTIMIZE(seed), .least = 0, .most = 1000000000, BY_DEFAULT(1),
     .about = "of the disturbances"},
    {"disturbance", AC_FIELD_NUMBER, OPTIMIZE(disturbance), .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(1),
     .about = "size of the disturbances, rad or m"},
    {"energies", AC_FIELD_FLAG, OPTIMIZE(recorded.energies), .standard = "false",
     .about = "record the parts of the energy: `energy/translation` and `energy/rotation` of all nodes, "
              "`energy/gravity`, and `energy/elastic` of springs, beams and other potentials"},
    {"forces", AC_FIELD_FLAG, OPTIMIZE(recorded.forces), .standard = "true",
     .about =
         "record controls, loads, springs and dampers as forces and torques at their places, which pages "
         "draw as arrows"},
    {"reactions", AC_FIELD_FLAG, OPTIMIZE(recorded.reactions), .standard = "false",
     .about = "record the forces and torques that joints exert on their second partner"},
    {"resimulated", AC_FIELD_FLAG, OPTIMIZE(recorded.resimulated), .standard = "true",
     .about = "record the re-simulated motion, too; pages draw it beside the optimal one"},
    {"adjoint", AC_FIELD_FLAG, OPTIMIZE(recorded.adjoint), .standard = "false",
     .about =
         "record the adjoint variables, too: how the objective changes per impulse at a joint, a body or "
         "a node of a beam, at every time (table `adjoint`)"},
    {"unroll", AC_FIELD_COUNT, OPTIMIZE(recorded.unroll), .least = 0, .most = 1000, BY_DEFAULT(4),
     .about = "with phases: so many cycles of the motion found are recorded for pages, and replayed by the "
              "collision integrator and by a hybrid reference (without `cycle`: once); 0: none"},
    {"print", AC_FIELD_COUNT, OPTIMIZE(print), .least = 0, .most = 12, BY_DEFAULT(0),
     .about = "how much the solver prints"},
};

const ac_section ac_section_optimize = {
    .title = "optimize",
    .about = "Optimal control: the controls and the motion that minimise the objective under the conditions, "
             "on the discrete dynamics of the scheme. Expressions use the names of quantities and controls, "
             "`t` and `T` (the duration). On intervals a quantity is the mean of its ends, `name_rate` its "
             "difference quotient, and `control_speed` the speed whose product with the control is its "
             "power; at the start and the end `name_rate` is its rate.",
    .example = "title: Pendulum swing-up\n"
               "gravity: [0, -9.81]\n"
               "planar_bodies:\n"
               "  bob: {mass: 1, inertia: 0.1, points: {pivot: [0, 1]}}\n"
               "joints:\n"
               "  - {revolute: [ground, bob], at: {ground: [0, 0], bob: pivot}, angle: 0, name: hinge}\n"
               "optimize:\n"
               "  intervals: 20\n"
               "  duration: 2 s\n"
               "  controls:\n"
               "    - {joint: hinge, name: u, limit: 20}\n"
               "  objective:\n"
               "    - {effort: 1}\n"
               "  conditions:\n"
               "    - {joint: hinge, equals: =pi, at: end}\n"
               "  end_velocity: rest\n",
    FIELDS(optimize_fields),
};

/* ---- phases ---- */

#define PHASE(member) IN(ac_phase_input, member)
#define FORM_IMPACT "map of quantities to numbers, or to maps, see [impact](#impact)"

static const ac_field phase_fields[] = {
    {"name", AC_FIELD_TEXT, PHASE(name), .required = true, .about = "for messages and results"},
    {"intervals", AC_FIELD_COUNT, PHASE(intervals), .least = 1, .most = 10000000,
     .standard = "that of `optimize`", .about = "number of equal time intervals of this phase"},
    {"duration", AC_FIELD_NUMBER, PHASE(duration), .dimension = AC_DIM_TIME, .bound = AC_BOUND_POSITIVE,
     .standard = "that of `optimize`", .about = "of this phase; the first guess when it is free"},
    {"free_duration", AC_FIELD_FLAG, PHASE(free_duration), .standard = "that of `optimize`",
     .about = "the duration of this phase is an unknown"},
    {"least_duration", AC_FIELD_NUMBER, PHASE(least_duration), .dimension = AC_DIM_TIME,
     .bound = AC_BOUND_POSITIVE, .standard = "a tenth of the duration",
     .about = "lower bound of a free duration"},
    {"most_duration", AC_FIELD_NUMBER, PHASE(most_duration), .dimension = AC_DIM_TIME,
     .bound = AC_BOUND_POSITIVE, .standard = "ten times the duration",
     .about = "upper bound of a free duration"},
    {"hold", AC_FIELD_VALUE, PHASE(hold), .form = "list of quantities", .unit = "", .standard = "none",
     .about = "what does not change in this phase: the place of a foot that sticks, the angle of a joint "
              "that is locked. Where it begins to hold, an impulse stops it"},
    {"push", AC_FIELD_VALUE, PHASE(push), .form = "list of quantities", .unit = "", .standard = "none",
     .about = "of what is held: the force is not negative, as on a floor below"},
    {"friction", AC_FIELD_ENTRIES, PHASE(friction), .section = &ac_section_friction, .standard = "none",
     .about = "bounds of the forces along the ground"},
    {"impact", AC_FIELD_VALUE, PHASE(impact), .form = FORM_IMPACT, .unit = "", .standard = "none",
     .about = "at the start of this phase these quantities bounce: their rate is turned round and multiplied "
              "by the number (coefficient of restitution: 1 elastic, 0 stopped), or the impact takes a given "
              "energy: `{y: {loss: 0.5}}`. Velocity along the surface may be lost, too: "
              "`{y: {restitution: 0.8, tangential: 0.1, along: [x]}}`"},
    {"without", AC_FIELD_VALUE, PHASE(without), .form = "list of controls", .unit = "", .standard = "none",
     .about = "controls that are zero in this phase"},
    {"conditions", AC_FIELD_ENTRIES, PHASE(conditions), .section = &ac_section_condition, .standard = "none",
     .about = "of this phase, beside those of `optimize`, which hold in every phase"},
    {"objective", AC_FIELD_ENTRIES, PHASE(objective), .section = &ac_section_objective,
     .standard = "that of `optimize`", .about = "of this phase, instead of that of `optimize`"},
    {"guess", AC_FIELD_SECTION, PHASE(guess), .section = &ac_section_guess, .standard = "that of `optimize`",
     .about = "where the search begins in this phase"},
};

const ac_section ac_section_phase = {
    .title = "phases",
    .about = "A list. A phase has the controls, quantities, conditions and settings of `optimize`; the end "
             "of each is the start of the next one. Configurations are joined; velocities as well, unless "
             "something begins to be held or bounces: then impulses act on what is held and on what bounces, "
             "and on nothing else. Durations of phases are free one by one. The formulation is `reduced`, "
             "`multipliers` or `minimal`.",
    FIELDS(phase_fields),
};

static const ac_field friction_fields[] = {
    {"normal", AC_FIELD_TEXT, IN(ac_friction_input, normal), .required = true,
     .about = "the quantity across the surface; its force does not pull"},
    {"along", AC_FIELD_VALUE, IN(ac_friction_input, along), .form = "list of one or two quantities",
     .unit = "", .required = true, .about = "the quantities along the surface"},
    {"coefficient", AC_FIELD_NUMBER, IN(ac_friction_input, coefficient), .bound = AC_BOUND_NOT_NEGATIVE,
     .required = true, .about = "of dry friction"},
};

const ac_section ac_section_friction = {
    .title = "friction",
    .about = "A list. The forces that hold quantities stay within a friction cone at every time node of the "
             "phase.",
    FIELDS(friction_fields),
};

static const ac_field impact_fields[] = {
    {"restitution", AC_FIELD_VALUE, IN(ac_impact_input, restitution), .form = "number, 0 to 1", .unit = "",
     .standard = "", .about = "the same as the number alone"},
    {"loss", AC_FIELD_NUMBER, IN(ac_impact_input, loss), .dimension = AC_DIM_TORQUE,
     .bound = AC_BOUND_NOT_NEGATIVE, .standard = "",
     .about = "instead of `restitution`: energy that the impulse on the quantity takes. The motion must "
              "arrive with more; what is stopped altogether is held"},
    {"tangential", AC_FIELD_NUMBER, IN(ac_impact_input, tangential), .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "0",
     .about = "fraction of the tangential velocity that is lost, 0 to 1, as of [contacts](contacts.md)"},
    {"along", AC_FIELD_VALUE, IN(ac_impact_input, along), .form = "list of one or two quantities", .unit = "",
     .standard = "none", .about = "with `tangential`: the quantities along the surface"},
};

const ac_section ac_section_impact = {
    .title = "impact",
    .about = "How one quantity bounces, instead of a number: `impact: {y: {loss: 0.5}}`. Either "
             "`restitution` or `loss`.",
    FIELDS(impact_fields),
};

#define CYCLE(member) IN(ac_cycle_input, member)

static const ac_field cycle_fields[] = {
    {"swap", AC_FIELD_VALUE, CYCLE(swap), .form = "list of pairs of bodies", .unit = "", .standard = "none",
     .about = "bodies that take the place of one another, such as the two legs"},
    {"mirror", AC_FIELD_CHOICE, CYCLE(mirror), .choices = component_words, .standard = "none",
     .about = "normal of the mirror plane through the origin, in the world and in every body"},
    {"along", AC_FIELD_VALUE, CYCLE(along), .form = FORM_DIRECTION, .unit = "", .standard = "",
     .about = "direction in which one cycle goes on by `length`"},
    {"length", AC_FIELD_VALUE, CYCLE(length), .form = "number", .unit = "m", .standard = "unknown",
     .about = "of the step; the first guess when `from` or `to` is given"},
    {"from", AC_FIELD_VALUE, CYCLE(from), .form = "number", .unit = "m", .standard = "`length`",
     .about = "least length"},
    {"to", AC_FIELD_VALUE, CYCLE(to), .form = "number", .unit = "m", .standard = "`length`",
     .about = "largest length"},
    {"per_length", AC_FIELD_FLAG, CYCLE(per_length), .standard = "false",
     .about = "the objective is divided by the length"},
    {"impact", AC_FIELD_VALUE, CYCLE(impact), .form = FORM_IMPACT, .unit = "", .standard = "none",
     .about = "what bounces where the first phase begins again, as in phases"},
};

const ac_section ac_section_cycle = {
    .title = "cycle",
    .about = "A motion that goes on: after the last phase the first one begins again, mirrored, with bodies "
             "that have swapped their roles, and moved on by a length. What the first phase holds is stopped "
             "by an impulse there.",
    FIELDS(cycle_fields),
};

/* ---- controls ---- */

#define CONTROL(member) IN(ac_control_input, member)

static const ac_field control_fields[] = {
    {"name", AC_FIELD_TEXT, CONTROL(name), .required = true,
     .about = "letters, digits and _; several components are called `name_x`, `name_y`, `name_z`"},
    {"joint", AC_FIELD_TEXT, CONTROL(joint), .standard = "",
     .about = "generalised force in a joint, action = reaction; in a spherical joint a torque"},
    {"coordinate", AC_FIELD_CHOICE, CONTROL(coordinate), .choices = ac_coordinate_words,
     .standard = "the only one", .about = "which coordinate of the joint"},
    {"force", AC_FIELD_TEXT, CONTROL(force), .standard = "",
     .about = "instead: a force on this body or point"},
    {"torque", AC_FIELD_TEXT, CONTROL(torque), .standard = "", .about = "instead: a torque on this body"},
    {"at", AC_FIELD_VALUE, CONTROL(at), .form = "point", .unit = "m", .standard = "`centre`",
     .about = "where a force acts"},
    {"component", AC_FIELD_CHOICE, CONTROL(component), .choices = component_words, .standard = "all",
     .about = "one component of a force or torque"},
    {"frame", AC_FIELD_CHOICE, CONTROL(frame), .choices = frame_words, .standard = "world",
     .about = "axes of the components; `body`: of the body, in a spherical joint of its first node"},
    {"limit", AC_FIELD_VALUE, CONTROL(limit), .form = "number", .unit = "N or N m", .standard = "none",
     .about = "bound on the absolute value"},
    {"low", AC_FIELD_VALUE, CONTROL(low), .form = "number", .unit = "N or N m", .standard = "none",
     .about = "lower bound"},
    {"high", AC_FIELD_VALUE, CONTROL(high), .form = "number", .unit = "N or N m", .standard = "none",
     .about = "upper bound"},
    {"rate", AC_FIELD_VALUE, CONTROL(rate), .form = "number", .unit = "N/s or N m/s", .standard = "none",
     .about = "bound on the change per second from interval to interval"},
    {"guess", AC_FIELD_VALUE, CONTROL(guess), .form = "number", .unit = "N or N m", .standard = "0",
     .about = "where the search begins"},
};

const ac_section ac_section_control = {
    .title = "controls",
    .about = "A list. Each entry acts on a `joint`, or is a `force` or a `torque` on a node.",
    FIELDS(control_fields),
};

/* ---- quantities ---- */

#define QUANTITY(member) IN(ac_quantity_input, member)

const char *const *ac_signal_units(void)
{
    static const char *const words[] = {"m", "rad", "m/s", "rad/s", "N", "N m", "kg m/s", "J", NULL};
    return words;
}

static const ac_field quantity_fields[] = {
    {"joint", AC_FIELD_TEXT, QUANTITY(joint), .standard = "", .about = "a joint coordinate"},
    {"coordinate", AC_FIELD_CHOICE, QUANTITY(coordinate), .choices = quantity_coordinate_words,
     .standard = "the only one",
     .about = "which coordinate of the joint; of a spherical joint x, y, z of its rotation vector, `swing` "
              "(angle between the axes of both sides) or `twist` (turn about the axis)"},
    {"of", AC_FIELD_TEXT, QUANTITY(of), .standard = "",
     .about = "the body or point that the other kinds belong to"},
    {"point", AC_FIELD_VALUE, QUANTITY(point), .form = "point", .unit = "m", .standard = "",
     .about = "the place of a point of `of`, along the direction `along`"},
    {"along", AC_FIELD_VALUE, QUANTITY(along), .form = FORM_DIRECTION, .unit = "", .standard = "",
     .about = "a direction of the world"},
    {"distance", AC_FIELD_VALUE, QUANTITY(distance), .form = "[first, second]", .unit = "", .standard = "",
     .about = "the distance between points of two nodes"},
    {"at", AC_FIELD_VALUE, QUANTITY(at), .form = "{node: point, ...}", .unit = "m",
     .standard = "bodies: `centre`; ground: `origin`", .about = "the two points of a distance"},
    {"axis", AC_FIELD_VALUE, QUANTITY(axis), .form = FORM_DIRECTION, .unit = "", .standard = "",
     .about =
         "a body axis of `of`: its component `along`, or its angle in the plane of `from` and `to`; with a "
         "spherical joint the axis of swing and twist, in the axes of its first node"},
    {"from", AC_FIELD_VALUE, QUANTITY(from), .form = FORM_DIRECTION, .unit = "", .standard = "",
     .about = "where the angle is zero"},
    {"to", AC_FIELD_VALUE, QUANTITY(to), .form = FORM_DIRECTION, .unit = "", .standard = "",
     .about = "where it is a quarter turn"},
    {"turn_from", AC_FIELD_VALUE, QUANTITY(turn_from), .form = FORM_ROTATION, .unit = "rad", .standard = "",
     .about = "component `along` of the turn of `of` from this orientation (its sine)"},
    {"pose", AC_FIELD_SECTION, QUANTITY(pose), .section = &ac_section_frame, .standard = "",
     .about = "the squared distance of the unit dual quaternion of a node from that of this pose, the nearer "
              "of both signs; nodes of beams with model `dual_quaternion`"},
    {"clearance", AC_FIELD_ENTRIES, QUANTITY(clearance), .section = &ac_section_hull, .standard = "",
     .about = "the distance of two shapes"},
    {"momentum", AC_FIELD_TEXT, QUANTITY(momentum), .standard = "",
     .about = "the linear momentum of this body, point or beam (`system`: of everything) along the direction "
              "`along`; at the start, at the end and on intervals"},
    {"angular_momentum", AC_FIELD_TEXT, QUANTITY(angular_momentum), .standard = "",
     .about =
         "the angular momentum of this body or beam (`system`: of everything) along the direction `along`"},
    {"about", AC_FIELD_VALUE, QUANTITY(about), .form = "place", .unit = "m",
     .standard = "the body's centre of mass; beams and `system`: the origin",
     .about = "the place of the world that an angular momentum is about"},
    {"kinetic_energy", AC_FIELD_TEXT, QUANTITY(kinetic_energy), .standard = "",
     .about = "of this body, point or beam (`system`: of everything)"},
    {"potential_energy", AC_FIELD_TEXT, QUANTITY(potential_energy), .standard = "",
     .about = "of this body or point in gravity, zero at the origin; of a beam with its strains, of the "
              "`system` with all springs and beams"},
    {"energy", AC_FIELD_TEXT, QUANTITY(energy), .standard = "",
     .about = "kinetic and potential energy together"},
    {"signal", AC_FIELD_VALUE, QUANTITY(signal), .form = "signal", .unit = "any", .standard = "",
     .about = "a given function of time, such as a path to follow"},
    {"unit", AC_FIELD_CHOICE, QUANTITY(unit), .choices = ac_signal_units, .standard = "none",
     .about = "unit of the numbers of `signal`, for plots"},
};

const ac_section ac_section_quantity = {
    .title = "quantities",
    .about = "A map of names (letters, digits, _) to entries of one of these kinds: `joint`; `point`; "
             "`distance`; `axis`; `turn_from`; `clearance`; `momentum`; `angular_momentum`; "
             "`kinetic_energy`; `potential_energy`; `energy`; `signal`. At the first node the angle of an "
             "axis is within half a turn of zero, that of a joint near the initial one; both are continuous "
             "from node to node. Momentum, kinetic and total energy have no `_rate` and no value along the "
             "path `at: path`; use `at: intervals` there.",
    FIELDS(quantity_fields),
};

/* ---- conditions ---- */

#define CONDITION(member) IN(ac_condition_input, member)

static const ac_field condition_fields[] = {
    {"at", AC_FIELD_CHOICE, CONDITION(where), .choices = where_words, .standard = "path",
     .about =
         "`path`: at every node; `inside`: at every node but the first and the last; `intervals`: on every "
         "interval, for controls and rates"},
    {"expression", AC_FIELD_TEXT, CONDITION(expression), .standard = "",
     .about = "of quantities, controls, `t` and `T`"},
    {"joint", AC_FIELD_TEXT, CONDITION(joint), .standard = "", .about = "instead: a joint coordinate"},
    {"coordinate", AC_FIELD_CHOICE, CONDITION(coordinate), .choices = quantity_coordinate_words,
     .standard = "the only one", .about = "which coordinate of the joint, as for quantities"},
    {"axis", AC_FIELD_VALUE, CONDITION(axis), .form = FORM_DIRECTION, .unit = "",
     .standard = "z of the joint", .about = "of swing and twist, in the axes of the joint's first node"},
    {"clearance", AC_FIELD_ENTRIES, CONDITION(clearance), .section = &ac_section_hull, .standard = "",
     .about = "instead: the distance of two shapes; at least 0 by default"},
    {"equals", AC_FIELD_VALUE, CONDITION(equals), .form = "number", .unit = "", .standard = "",
     .about = "the value that it must have"},
    {"at_least", AC_FIELD_VALUE, CONDITION(at_least), .form = "number", .unit = "", .standard = "none",
     .about = "lower bound"},
    {"at_most", AC_FIELD_VALUE, CONDITION(at_most), .form = "number", .unit = "", .standard = "none",
     .about = "upper bound"},
    {"point", AC_FIELD_VALUE, CONDITION(point), .form = "point", .unit = "m", .standard = "",
     .about = "instead: a point of `of` that must be at `place`"},
    {"of", AC_FIELD_TEXT, CONDITION(of), .standard = "", .about = "its body"},
    {"place", AC_FIELD_VALUE, CONDITION(place), .form = "place", .unit = "m", .standard = "",
     .about = "in the world"},
    {"orientation", AC_FIELD_TEXT, CONDITION(orientation), .standard = "",
     .about = "instead: a rigid body whose frame must have the orientation `rotation`"},
    {"rotation", AC_FIELD_VALUE, CONDITION(rotation), .form = FORM_ROTATION, .unit = "rad", .standard = "",
     .about = "of the body frame"},
    {"total", AC_FIELD_ENTRIES, CONDITION(total), .section = &ac_section_objective, .standard = "",
     .about = "instead: a sum over the motion (or the phase), written as the objective"},
    {"energy_balance", AC_FIELD_NUMBER, CONDITION(energy_balance), .standard = "",
     .about =
         "instead: the work of the controls and the gain of energy differ by at most so much. An optimiser "
         "finds motions that live on the error of the discretisation, unless this keeps it from doing so"},
    {"name", AC_FIELD_TEXT, CONDITION(name), .standard = "the expression", .about = "for messages"},
};

const ac_section ac_section_condition = {
    .title = "conditions",
    .about = "A list. Each entry bounds an `expression`, a `joint` coordinate, a `clearance`, a `total` or "
             "the `energy_balance`, or puts a `point` or an `orientation`.",
    FIELDS(condition_fields),
};

/* ---- objective ---- */

#define OBJECTIVE(member) IN(ac_objective_input, member)

static const ac_field objective_fields[] = {
    {"effort", AC_FIELD_NUMBER, OBJECTIVE(effort), .standard = "",
     .about = "weight of half the integral of the squared controls"},
    {"duration", AC_FIELD_NUMBER, OBJECTIVE(duration), .standard = "", .about = "weight of the duration"},
    {"energy", AC_FIELD_NUMBER, OBJECTIVE(energy), .standard = "",
     .about = "weight of the integral of kinetic and potential energy"},
    {"end", AC_FIELD_TEXT, OBJECTIVE(end), .standard = "", .about = "an expression at the end"},
    {"start", AC_FIELD_TEXT, OBJECTIVE(start), .standard = "", .about = "an expression at the start"},
    {"running", AC_FIELD_TEXT, OBJECTIVE(running), .standard = "", .about = "the integral of an expression"},
    {"absolute", AC_FIELD_TEXT, OBJECTIVE(absolute), .standard = "",
     .about = "the integral of the absolute value of an expression"},
    {"work", AC_FIELD_NUMBER, OBJECTIVE(work), .standard = "", .about = "weight of the work of the controls"},
    {"absolute_work", AC_FIELD_NUMBER, OBJECTIVE(absolute_work), .standard = "",
     .about = "weight of the sum of its absolute values, control by control"},
    {"positive_work", AC_FIELD_NUMBER, OBJECTIVE(positive_work), .standard = "",
     .about = "weight of the sum of its positive parts, control by control"},
    {"weight", AC_FIELD_NUMBER, OBJECTIVE(weight), BY_DEFAULT(1), .about = "the entry is multiplied by it"},
    {"maximise", AC_FIELD_FLAG, OBJECTIVE(maximise), .standard = "false",
     .about = "this entry is maximised. When all entries are, the printed and recorded objective is their "
              "sum. Beside entries that are minimised, it enters the sum with a minus sign"},
};

const ac_section ac_section_objective = {
    .title = "objective",
    .about = "A list whose entries are added. Each has exactly one of the keys before `weight`.",
    FIELDS(objective_fields),
};

/* ---- parameters ---- */

static const ac_field parameter_fields[] = {
    {"from", AC_FIELD_VALUE, IN(ac_parameter_input, from), .form = "number", .unit = "that of the parameter",
     .required = true, .about = "least value"},
    {"to", AC_FIELD_VALUE, IN(ac_parameter_input, to), .form = "number", .unit = "that of the parameter",
     .required = true, .about = "largest value"},
};

const ac_section ac_section_parameter = {
    .title = "parameters",
    .about =
        "A map of names of `parameters` to bounds. Such a parameter is an unknown beside the controls; the "
        "search begins at the value of the file. It may stand in masses, inertias, centres and points of "
        "bodies, points of the ground, solids (not their rotations), lengths of distance joints, springs and "
        "dampers, loads, gravity, points of quantities, expressions of objectives, and in conditions.",
    FIELDS(parameter_fields),
};

/* ---- approach of a target ---- */

static const ac_field approach_fields[] = {
    {"quantity", AC_FIELD_TEXT, IN(ac_approach_input, quantity), .required = true,
     .about = "an expression of quantities at the end, such as a momentum"},
    {"target", AC_FIELD_NUMBER, IN(ac_approach_input, target), .bound = AC_BOUND_NONE, BY_DEFAULT(0),
     .about = "the value wanted"},
    {"weight", AC_FIELD_NUMBER, IN(ac_approach_input, weight), .bound = AC_BOUND_POSITIVE, .required = true,
     .about = "weight/2 (quantity - target)^2 is a term of the objective"},
    {"part", AC_FIELD_NUMBER, IN(ac_approach_input, part), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(0.5),
     .about = "of the way from the value reached to the one wanted, at most 1: where the next target lies"},
    {"tolerance", AC_FIELD_NUMBER, IN(ac_approach_input, tolerance), .bound = AC_BOUND_POSITIVE,
     .required = true,
     .about = "the last stage has the target itself; it begins when the value reached is as close as this"},
};

const ac_section ac_section_approach = {
    .title = "approach",
    .about =
        "The term is absent in the first stage; then each solution is the guess of the next, whose target is "
        "nearer to the one wanted. The result is that of the last stage, whose target is the one wanted.",
    FIELDS(approach_fields),
};

/* ---- continuation ---- */

static const ac_field continuation_fields[] = {
    {"parameter", AC_FIELD_TEXT, IN(ac_continuation_input, parameter), .required = true,
     .about = "a name of `parameters`"},
    {"values", AC_FIELD_VALUE, IN(ac_continuation_input, values), .form = "list of numbers", .unit = "",
     .required = true, .about = "its values on the way; the last solve is with the value of the file"},
};

const ac_section ac_section_continuation = {
    .title = "continuation",
    .about = "From an easy problem to the wanted one.",
    FIELDS(continuation_fields),
};

/* ---- guess ---- */

#define GUESS(member) IN(ac_guess_input, member)

static const ac_field guess_fields[] = {
    {"joints", AC_FIELD_VALUE, GUESS(joints), .form = "map of joints to rows [s, coordinates...]", .unit = "",
     .standard = "none", .about = "joint coordinates over s = t/T from 0 to 1, linear in between"},
    {"turns", AC_FIELD_VALUE, GUESS(turns), .form = "map of free bodies to rows [s, x, y, z]", .unit = "",
     .standard = "none", .about = "rotation vectors from the initial orientation"},
    {"positions", AC_FIELD_VALUE, GUESS(positions),
     .form = "map of free bodies or points to rows [s, x, y, z]", .unit = "", .standard = "none",
     .about = "places of the body frame or point over s; planar: [s, x, y]"},
    {"file", AC_FIELD_TEXT, GUESS(file), .standard = "none",
     .about = "a result of an earlier run, on any mesh: motion and controls"},
    {"reduced", AC_FIELD_FLAG, GUESS(reduced), .standard = "true for `multipliers`, else false",
     .about = "solve in the reduced formulation first; large turns are hard for redundant coordinates"},
    {"inverse_dynamics", AC_FIELD_FLAG, GUESS(inverse_dynamics), .standard = "false",
     .about = "controls begin with those that the guessed motion needs, in the least-squares sense"},
    {"simulate", AC_FIELD_FLAG, GUESS(simulate), .standard = "false", .about = "the motion without controls"},
    {"near", AC_FIELD_FLAG, GUESS(near), .standard = "false",
     .about = "the guess is close to a solution: the search stays near it, also at bounds (a warm start)"},
};

const ac_section ac_section_guess = {
    .title = "guess",
    .about = "Where the search begins. A guess need not satisfy any equation.",
    FIELDS(guess_fields),
};
