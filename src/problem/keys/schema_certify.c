/* The table of the task certify: its sections and keys. */
#include "problem/keys/schema_certify.h"

#include "actio/certify.h"
#include "problem/keys/schema_optimize.h"
#include "problem/keys/schema_table.h"

const char *const *ac_take_words(void)
{
    static const char *const words[] = {"last", "largest", "smallest", "mean", NULL};
    return words;
}

const char *const *ac_distribution_words(void)
{
    static const char *const words[] = {"uniform", "normal", "triangular", "samples", NULL};
    return words;
}

const char *const *ac_search_words(void)
{
    static const char *const words[] = {"starts", "annealing", "grid", NULL};
    return words;
}

const char *const *ac_certify_bound_words(void)
{
    static const char *const words[] = {"best", "mcdiarmid", "hoeffding", "clopper-pearson", NULL};
    return words;
}

const char *const *ac_robust_words(void)
{
    static const char *const words[] = {"smoothed", "annealing", "gauss-newton", "gradient", NULL};
    return words;
}

static const char *const *component_words(void)
{
    static const char *const words[] = {"x", "y", "z", NULL};
    return words;
}

DEFAULTS(ac_certify_settings, ac_certify_defaults(&settings))
DEFAULT_OF(tolerance, tolerance)
DEFAULT_OF(confidence, confidence)
DEFAULT_OF(samples, samples)
DEFAULT_OF(starts, starts)
DEFAULT_OF(grid, grid)
DEFAULT_OF(evaluations, annealing.evaluations)
DEFAULT_OF(width, annealing.width)

#define CERTIFY(member) IN(ac_certify_input, member)
#define MANY 1000000000

static const ac_field certify_fields[] = {
    {"simulate", AC_FIELD_SECTION, CERTIFY(simulate), .section = &ac_section_simulate, .required = true,
     .about = "one run of the system: step, duration, scheme"},
    {"inputs", AC_FIELD_NAMED, CERTIFY(inputs), .section = &ac_section_uncertain, .required = true,
     .about = "the uncertain inputs: names of `parameters`, or names of your own for loads"},
    {"quantities", AC_FIELD_NAMED, CERTIFY(quantities), .section = &ac_section_quantity, .standard = "none",
     .about = "numbers of a run for `measure`: joint, point, distance, axis"},
    {"channels", AC_FIELD_NAMED, CERTIFY(channels), .section = &ac_section_seen_channel, .standard = "none",
     .about = "further numbers for `measure`: any channel that a simulation records"},
    {"measure", AC_FIELD_TEXT, CERTIFY(measure), .form = "expression", .required = true,
     .about = "performance of a run, an expression of quantities, channels, inputs, parameters and `t`"},
    {"take", AC_FIELD_CHOICE, CERTIFY(take), .choices = ac_take_words, .standard = "last",
     .about = "which of its values along the run counts"},
    {"at_most", AC_FIELD_NUMBER, CERTIFY(at_most), .dimension = AC_DIM_ANY, .standard = "",
     .about = "the threshold: a run with a larger measure is a failure; this or `at_least` is needed"},
    {"at_least", AC_FIELD_NUMBER, CERTIFY(at_least), .dimension = AC_DIM_ANY, .standard = "",
     .about = "the threshold of a measure that must not fall below it, such as a clearance"},
    {"tolerance", AC_FIELD_NUMBER, CERTIFY(tolerance), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_tolerance, .about = "acceptable probability of a failure"},
    {"confidence", AC_FIELD_NUMBER, CERTIFY(confidence), .bound = AC_BOUND_POSITIVE,
     .standard_number = default_confidence, .about = "with which bounds from samples hold"},
    {"bound", AC_FIELD_CHOICE, CERTIFY(bound), .choices = ac_certify_bound_words, .standard = "best",
     .about =
         "which bound decides; `best` takes the smallest of the three, each at a third of the error (1 - "
         "confidence)"},
    {"samples", AC_FIELD_COUNT, CERTIFY(samples), .least = 1, .most = MANY,
     .standard_number = default_samples, .about = "runs with random inputs for the mean of the measure"},
    {"mean_samples", AC_FIELD_COUNT, CERTIFY(mean_samples), .least = 0, .most = MANY, BY_DEFAULT(0),
     .about = "runs of a second, independent set whose mean is taken as exact"},
    {"seed", AC_FIELD_COUNT, CERTIFY(seed), .least = 0, .most = MANY, BY_DEFAULT(1),
     .about = "of the random numbers, which depend on it and on the number of the sample only"},
    {"sharp_margin", AC_FIELD_FLAG, CERTIFY(sharp_margin), .standard = "false",
     .about = "take the margin hit that McDiarmid's inequality gives, smaller than the published one by the "
              "root of two"},
    {"failed_measure", AC_FIELD_NUMBER, CERTIFY(failed_measure), .dimension = AC_DIM_ANY, .standard = "none",
     .about = "measure of a run that fails, in mean and diameter; without it one failed run makes the "
              "diameter unbounded"},
    {"search", AC_FIELD_SECTION, CERTIFY(search), .section = &ac_section_search, .standard = "from starts",
     .about = "how the diameter is searched"},
    {"trajectories", AC_FIELD_COUNT, CERTIFY(trajectories), .least = 0, .most = 10000, BY_DEFAULT(20),
     .about = "samples whose quantities are recorded over time, as a fan"},
    {"robust", AC_FIELD_SECTION, CERTIFY(robust), .section = &ac_section_robust, .standard = "",
     .about = "find controls that make a failure less likely"},
    {"correlation", AC_FIELD_VALUE, CERTIFY(correlation), .form = "not supported", .standard = "",
     .about = "refused: inputs must be independent"},
};

const ac_section ac_section_certify = {
    .title = "certify",
    .about = "How likely is a failure under uncertain inputs? McDiarmid's inequality bounds it by the mean "
             "of the measure and by its diameter, the largest changes that the inputs cause one by one.",
    .example = "title: How far does a pendulum swing?\n"
               "parameters: {length: 1, push: 0.5}\n"
               "gravity: [0, -9.81]\n"
               "planar_bodies:\n"
               "  rod: {solid: {rod: {length: =length, mass: 1}}}\n"
               "joints:\n"
               "  - {revolute: [ground, rod], at: {ground: [0, 0], rod: start}, angle: =-pi/2, angle_rate: "
               "=push, name: pin}\n"
               "certify:\n"
               "  simulate: {step: 10 ms, duration: 1 s}\n"
               "  inputs:\n"
               "    length: {relative: 0.05}\n"
               "    push: {from: 0.4, to: 0.6, distribution: triangular, mode: 0.5}\n"
               "  quantities: {angle: {joint: pin}}\n"
               "  measure: abs(angle + pi/2)\n"
               "  take: largest\n"
               "  at_most: 0.25\n",
    FIELDS(certify_fields),
};

#define UNCERTAIN(member) IN(ac_uncertain_input, member)

static const ac_field uncertain_fields[] = {
    {"from", AC_FIELD_NUMBER, UNCERTAIN(from), .dimension = AC_DIM_ANY, .standard = "",
     .about = "lower end of the range"},
    {"to", AC_FIELD_NUMBER, UNCERTAIN(to), .dimension = AC_DIM_ANY, .standard = "",
     .about = "upper end of the range"},
    {"around", AC_FIELD_NUMBER, UNCERTAIN(around), .dimension = AC_DIM_ANY,
     .standard = "its value in the file", .about = "middle of the range, with `within` or `relative`"},
    {"within", AC_FIELD_NUMBER, UNCERTAIN(within), .dimension = AC_DIM_ANY, .bound = AC_BOUND_POSITIVE,
     .standard = "", .about = "half of the range"},
    {"relative", AC_FIELD_NUMBER, UNCERTAIN(relative), .bound = AC_BOUND_POSITIVE, .standard = "",
     .about = "half of the range, as a fraction of its middle"},
    {"distribution", AC_FIELD_CHOICE, UNCERTAIN(distribution), .choices = ac_distribution_words,
     .standard = "uniform", .about = "inside the range"},
    {"mean", AC_FIELD_NUMBER, UNCERTAIN(mean), .dimension = AC_DIM_ANY, .standard = "the middle",
     .about = "of the normal distribution, before it is cut off at the range"},
    {"deviation", AC_FIELD_NUMBER, UNCERTAIN(deviation), .dimension = AC_DIM_ANY, .standard = "",
     .about = "standard deviation of the normal distribution"},
    {"mode", AC_FIELD_NUMBER, UNCERTAIN(mode), .dimension = AC_DIM_ANY, .standard = "the middle",
     .about = "peak of the triangular distribution"},
    {"samples", AC_FIELD_VALUE, UNCERTAIN(samples), .form = "list of numbers", .standard = "",
     .about = "measured values, each as likely as any other; their range is that of the input"},
    {"slope", AC_FIELD_NUMBER, UNCERTAIN(slope), .dimension = AC_DIM_ANY, .bound = AC_BOUND_NOT_NEGATIVE,
     .standard = "not known",
     .about =
         "a proven bound of the change of the measure for each unit of the input: times the range it is a "
         "rigorous diameter"},
    {"load", AC_FIELD_TEXT, UNCERTAIN(load), .standard = "the input is a parameter",
     .about = "name of a load: the input is added to it"},
    {"along", AC_FIELD_CHOICE, UNCERTAIN(along), .choices = component_words, .standard = "all components",
     .about = "component of the load; each component is an input of its own"},
    {"each_interval", AC_FIELD_FLAG, UNCERTAIN(each_interval), .standard = "false",
     .about = "another value in every time step, each an input of its own (gusts of wind)"},
};

const ac_section ac_section_uncertain = {
    .title = "uncertain_input",
    .about = "One uncertain input. All inputs are independent.",
    FIELDS(uncertain_fields),
};

#define SEEN(member) IN(ac_seen_channel_input, member)

static const ac_field seen_fields[] = {
    {"channel", AC_FIELD_TEXT, SEEN(channel), .required = true,
     .about = "its name in the results of a simulation, such as `energy/hamiltonian`"},
    {"component", AC_FIELD_TEXT, SEEN(component), .standard = "the first",
     .about = "its label or its number, from 1 on"},
};

const ac_section ac_section_seen_channel = {
    .title = "seen_channel",
    .about = "A number of every time step of a run.",
    FIELDS(seen_fields),
};

#define SEARCH(member) IN(ac_search_input, member)

static const ac_field search_fields[] = {
    {"method", AC_FIELD_CHOICE, SEARCH(method), .choices = ac_search_words, .standard = "starts",
     .about =
         "a scan and ascents from its best pairs, simulated annealing as published, or all points of a grid"},
    {"starts", AC_FIELD_COUNT, SEARCH(starts), .least = 1, .most = 100000, .standard_number = default_starts,
     .about = "ascents for each input; repetitions of the annealing (1 unless given)"},
    {"grid", AC_FIELD_COUNT, SEARCH(grid), .least = 2, .most = 100000, .standard_number = default_grid,
     .about = "points for each input"},
    {"line_points", AC_FIELD_COUNT, SEARCH(line_points), .least = 3, .most = 100000,
     .standard = "65, 17, 9 with one, two, three inputs, else 7",
     .about = "along each input, of the grid (up to three inputs) or of the lines that are scanned first"},
    {"evaluations", AC_FIELD_COUNT, SEARCH(evaluations), .least = 1, .most = MANY,
     .standard_number = default_evaluations, .about = "of the annealing, two runs each"},
    {"width", AC_FIELD_NUMBER, SEARCH(width), .bound = AC_BOUND_POSITIVE, .standard_number = default_width,
     .about = "of a neighbourhood of the annealing, as a fraction of the range"},
    {"boltzmann", AC_FIELD_NUMBER, SEARCH(boltzmann), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(1),
     .about =
         "constant of the annealing: a change as large as this is accepted at first with probability 1/e"},
};

const ac_section ac_section_search = {
    .title = "search",
    .about = "The diameter is a maximum over all inputs. A search finds values that runs attain, so its "
             "diameter is never too large; if it misses a larger one, the certificate is wrong.",
    FIELDS(search_fields),
};

#define ROBUST(member) IN(ac_robust_input, member)

static const ac_field robust_fields[] = {
    {"controls", AC_FIELD_ENTRIES, ROBUST(controls), .section = &ac_section_robust_control, .required = true,
     .about = "loads whose values in every time step are optimised; they start from those of the file"},
    {"method", AC_FIELD_CHOICE, ROBUST(method), .choices = ac_robust_words, .standard = "smoothed",
     .about =
         "gradients of a smoothed confidence factor, or simulated annealing as published; the last two words "
         "are older names of `smoothed`"},
    {"residuals", AC_FIELD_VALUE, ROBUST(residuals), .form = "list of expressions", .standard = "none",
     .about = "of older files; not used, for the measure says all"},
    {"iterations", AC_FIELD_COUNT, ROBUST(iterations), .least = 1, .most = MANY, BY_DEFAULT(400),
     .about = "at most; of the annealing: evaluations (2000)"},
    {"samples", AC_FIELD_COUNT, ROBUST(samples), .least = 1, .most = MANY, BY_DEFAULT(100),
     .about = "for the mean, the same ones in every iteration"},
    {"grid", AC_FIELD_COUNT, ROBUST(grid), .least = 2, .most = 1000, BY_DEFAULT(5),
     .about = "points for each input of the scenarios (7 with one or two inputs); random scenarios where "
              "they are too many"},
    {"near", AC_FIELD_NUMBER, ROBUST(near), .dimension = AC_DIM_ANY, .bound = AC_BOUND_POSITIVE,
     .standard = "no limit", .about = "largest change of a control"},
    {"width", AC_FIELD_NUMBER, ROBUST(width), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(0.01),
     .about = "of a neighbourhood of the annealing, as a fraction of the range of a control"},
    {"boltzmann", AC_FIELD_NUMBER, ROBUST(boltzmann), .bound = AC_BOUND_POSITIVE, BY_DEFAULT(1),
     .about = "constant of the annealing"},
    {"report_samples", AC_FIELD_COUNT, ROBUST(report_samples), .least = 0, .most = MANY, BY_DEFAULT(10000),
     .about = "of the independent sets by which the controls found are judged"},
    {"efforts", AC_FIELD_VALUE, ROBUST(efforts), .form = "list of numbers", .standard = "none",
     .about = "weights of the squares of the controls beside the confidence factor, for a curve of effort "
              "against confidence"},
};

const ac_section ac_section_robust = {
    .title = "robust",
    .about =
        "Controls that maximise the confidence factor. The search uses the same random numbers in all its "
        "iterations; the reported numbers come from independent samples and a finer search of the diameter.",
    FIELDS(robust_fields),
};

#define CONTROL(member) IN(ac_robust_control_input, member)

static const ac_field control_fields[] = {
    {"load", AC_FIELD_TEXT, CONTROL(load), .required = true, .about = "name of the load"},
    {"along", AC_FIELD_CHOICE, CONTROL(along), .choices = component_words, .standard = "the only component",
     .about = "component of the load"},
    {"limit", AC_FIELD_NUMBER, CONTROL(limit), .dimension = AC_DIM_ANY, .bound = AC_BOUND_POSITIVE,
     .standard = "none", .about = "largest absolute value"},
};

const ac_section ac_section_robust_control = {
    .title = "robust_control",
    .about = "A load with one value in each time step.",
    FIELDS(control_fields),
};
