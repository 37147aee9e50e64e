/* The section certify of problem files: what its keys are read into. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_CERTIFY_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_CERTIFY_H

#include "problem/keys/schema.h"

typedef struct ac_certify_input {
    const ac_value *simulate, *inputs, *quantities, *channels, *search, *robust, *correlation;
    ac_given_word measure, take, bound;
    ac_given_number at_most, at_least, tolerance, confidence, failed_measure;
    ac_given_count samples, mean_samples, seed, trajectories;
    ac_given_flag sharp_margin;
} ac_certify_input;

typedef struct ac_uncertain_input {
    ac_given_number from, to, around, within, relative, mean, deviation, mode, slope;
    ac_given_word distribution, load, along;
    const ac_value *samples;
    ac_given_flag each_interval;
} ac_uncertain_input;

typedef struct ac_seen_channel_input {
    ac_given_word channel, component;
} ac_seen_channel_input;

typedef struct ac_search_input {
    ac_given_word method;
    ac_given_count starts, grid, line_points, evaluations;
    ac_given_number width, boltzmann;
} ac_search_input;

typedef struct ac_robust_input {
    ac_given_word method;
    const ac_value *controls, *residuals, *efforts;
    ac_given_count iterations, samples, grid, report_samples;
    ac_given_number near, width, boltzmann;
} ac_robust_input;

typedef struct ac_robust_control_input {
    ac_given_word load, along;
    ac_given_number limit;
} ac_robust_control_input;

extern const ac_section ac_section_certify, ac_section_uncertain, ac_section_seen_channel, ac_section_search,
    ac_section_robust, ac_section_robust_control;

/* The words of `take`, `distribution`, `bound`, `method` of search and of robust, in the order of their enumerations. */
const char *const *ac_take_words(void);
const char *const *ac_distribution_words(void);
const char *const *ac_search_words(void);
const char *const *ac_certify_bound_words(void);
const char *const *ac_robust_words(void);

#endif
