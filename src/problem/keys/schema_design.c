/* The table of the task design: its sections and keys. */
#include "problem/keys/schema_design.h"

#include "actio/design.h"
#include "problem/keys/schema_certify.h"
#include "problem/keys/schema_optimize.h"
#include "problem/keys/schema_table.h"

static const char *const *surrogate_words(void)
{
    static const char *const words[] = {"spline", "gaussian-process", NULL};
    return words;
}

static const char *const *ends_words(void)
{
    static const char *const words[] = {"natural", "not-a-knot", NULL};
    return words;
}

DEFAULTS(ac_design_settings, ac_design_defaults(1, &settings))
DEFAULT_OF(mesh, mesh)
DEFAULT_OF(least_mesh, least_mesh)

#define DESIGN(member) IN(ac_design_input, member)

static const ac_field design_fields[] = {
    {"parameters", AC_FIELD_NAMED, DESIGN(parameters), .section = &ac_section_design_parameter,
     .required = true, .about = "names of `parameters` of the file that are varied, with their bounds"},
    {"optimize", AC_FIELD_SECTION, DESIGN(optimize), .section = &ac_section_optimize, .standard = "",
     .about = "the inner problem: the cost of a design is its objective at the optimum"},
    {"simulate", AC_FIELD_SECTION, DESIGN(simulate), .section = &ac_section_simulate, .standard = "",
     .about = "the inner problem: the cost of a design is `cost` of a simulation"},
    {"cost", AC_FIELD_TEXT, DESIGN(cost), .form = "expression", .standard = "the objective of `optimize`",
     .about = "with `optimize`: an expression of `objective`, `duration`, `length`, `work`, `absolute_work`, "
              "`positive_work`, `transport_absolute`, `transport_positive`, `transport_net`, `impact_loss` "
              "and the varied parameters; with `simulate`: an expression of quantities, channels, parameters "
              "and `t`; without an inner problem: of parameters alone"},
    {"take", AC_FIELD_CHOICE, DESIGN(take), .choices = ac_take_words, .standard = "last",
     .about = "which value of `cost` along a simulation counts"},
    {"maximise", AC_FIELD_FLAG, DESIGN(maximise), .standard = "false; of `optimize`: as its objective",
     .about = "look for the largest `cost`"},
    {"quantities", AC_FIELD_NAMED, DESIGN(quantities), .section = &ac_section_quantity, .standard = "none",
     .about = "numbers of a simulation for `cost`: joint, point, distance, axis"},
    {"channels", AC_FIELD_NAMED, DESIGN(channels), .section = &ac_section_seen_channel, .standard = "none",
     .about = "further numbers for `cost`: any channel that a simulation records"},
    {"surrogate", AC_FIELD_CHOICE, DESIGN(surrogate), .choices = surrogate_words,
     .standard = "spline for one parameter, else gaussian-process",
     .about = "what is fitted to the costs: a cubic spline, whose minimum is the next sample, or a Gaussian "
              "process, whose next sample has the largest expected improvement"},
    {"ends", AC_FIELD_CHOICE, DESIGN(ends), .choices = ends_words, .standard = "natural",
     .about = "of the spline"},
    {"samples", AC_FIELD_COUNT, DESIGN(samples), .least = 2, .most = AC_DESIGN_BATCH_MAX,
     .standard = "2 for a spline, else twice the parameters and 2",
     .about = "at the beginning; those of `first` count, the others are spread over the range"},
    {"in_turn", AC_FIELD_FLAG, DESIGN(in_turn), .standard = "false",
     .about = "evaluate the first samples one after another, so that each can begin with the motion of its "
              "nearest neighbour, and stays on its branch"},
    {"evaluations", AC_FIELD_COUNT, DESIGN(evaluations), .least = 2, .most = AC_DESIGN_EVALUATIONS_MAX,
     .standard = "20 for one parameter, else 30 for each", .about = "samples at most"},
    {"tolerance", AC_FIELD_NUMBER, DESIGN(tolerance), .bound = AC_BOUND_POSITIVE,
     .standard = "1e-7 for one parameter, else 1e-4",
     .about = "relative change of the least cost at which the study ends; of the Gaussian process: expected "
              "improvement, in parts of the distance from the least cost to the median"},
    {"poll", AC_FIELD_FLAG, DESIGN(poll), .standard = "false for one parameter, else true",
     .about =
         "where the surrogate does not lead to a better sample, evaluate the neighbours of the best one"},
    {"mesh", AC_FIELD_NUMBER, DESIGN(mesh), .bound = AC_BOUND_POSITIVE, .standard_number = default_mesh,
     .about = "distance of these neighbours at first, in parts of the range"},
    {"least_mesh", AC_FIELD_NUMBER, DESIGN(least_mesh), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_least_mesh,
     .about = "the distance is halved when no neighbour is better, down to this one"},
    {"batch", AC_FIELD_COUNT, DESIGN(batch), .least = 1, .most = AC_DESIGN_BATCH_MAX, BY_DEFAULT(1),
     .about = "samples that the Gaussian process proposes at once, for parallel evaluation"},
    {"starts", AC_FIELD_COUNT, DESIGN(starts), .least = 1, .most = 64, BY_DEFAULT(2),
     .about =
         "optimisations of each sample: from the nearest solved sample, from the guess of the file, then "
         "from disturbed guesses; the best one that is solved counts"},
    {"warm_start", AC_FIELD_FLAG, DESIGN(warm_start), .standard = "true",
     .about = "begin one of the starts with the motion of the nearest solved sample"},
    {"disturbance", AC_FIELD_NUMBER, DESIGN(disturbance), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(1),
     .about = "of the disturbed guesses"},
    {"seed", AC_FIELD_COUNT, DESIGN(seed), .least = 0, .most = 1000000000, BY_DEFAULT(1),
     .about = "of spread samples and disturbed guesses"},
};

const ac_section ac_section_design = {
    .title = "design",
    .about =
        "The best values of parameters, when the cost of a design is an optimisation or a simulation of its "
        "own. Each sample is evaluated at full cost; a surrogate of the costs so far proposes the next one.",
    .example =
        "title: How long must a pendulum be to swing through in one second?\n"
        "parameters: {length: 1}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  rod: {solid: {rod: {length: =length, mass: 1}}}\n"
        "joints:\n"
        "  - {revolute: [ground, rod], at: {ground: [0, 0], rod: start}, angle: =-pi/2-0.3, name: pin}\n"
        "design:\n"
        "  parameters: {length: {from: 0.5, to: 3}}\n"
        "  simulate: {step: 10 ms, duration: 1 s}\n"
        "  quantities: {angle: {joint: pin}}\n"
        "  cost: (angle + pi/2 - 0.3)^2\n",
    FIELDS(design_fields),
};

#define PARAMETER(member) IN(ac_design_parameter_input, member)

static const ac_field parameter_fields[] = {
    {"from", AC_FIELD_NUMBER, PARAMETER(from), .dimension = AC_DIM_ANY, .required = true,
     .about = "lower bound"},
    {"to", AC_FIELD_NUMBER, PARAMETER(to), .dimension = AC_DIM_ANY, .required = true, .about = "upper bound"},
    {"first", AC_FIELD_VALUE, PARAMETER(first), .form = "list of numbers", .standard = "none",
     .about = "its values in the first samples; for all parameters or for none, equally many"},
};

const ac_section ac_section_design_parameter = {
    .title = "design_parameter",
    .about = "A parameter of a design.",
    FIELDS(parameter_fields),
};
