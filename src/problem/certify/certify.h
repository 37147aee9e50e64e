/* The task certify as a problem file describes it. */
#ifndef ACTIO_PROBLEM_CERTIFY_CERTIFY_H
#define ACTIO_PROBLEM_CERTIFY_CERTIFY_H

#include "actio/certify.h"
#include "actio/optimize.h"
#include "problem/build/build.h"

typedef enum ac_take { AC_TAKE_LAST, AC_TAKE_LARGEST, AC_TAKE_SMALLEST, AC_TAKE_MEAN } ac_take;

/* What an input acts on: a parameter by its name, or a component of a load. */
typedef struct ac_input_target {
    char parameter[AC_NAME_SIZE]; /* "": a load */
    int load, component;
    long interval; /* -1: all of them */
} ac_input_target;

typedef struct ac_seen_channel {
    char name[AC_NAME_SIZE], channel[256], component[AC_LABEL_SIZE];
    ac_place place;
} ac_seen_channel;

typedef struct ac_robust_control {
    int load, component;
    double limit; /* 0: none */
} ac_robust_control;

enum { AC_EFFORTS_MAX = 32 };

typedef struct ac_robust_settings {
    bool wanted;
    bool annealed; /* else along gradients of the smoothed factor */
    int control_count;
    ac_robust_control *controls;
    long iterations, samples, report_samples;
    int grid;
    double near; /* 0: no limit */
    double width, boltzmann;
    int effort_count;
    double efforts[AC_EFFORTS_MAX];
} ac_robust_settings;

typedef struct ac_certification {
    ac_context *ctx;
    ac_certify_settings settings;
    ac_simulation_settings simulation; /* of one run */
    ac_certify_work work;              /* set by who runs it */
    int input_count, input_capacity;
    ac_uncertain *inputs;
    ac_input_target *targets;
    int quantity_count, channel_count;
    ac_quantity *quantities;
    ac_seen_channel *channels;
    char *measure;
    ac_expression *expression; /* the same, compiled */
    ac_take take;
    long trajectories;
    ac_robust_settings robust;
} ac_certification;

ac_status ac_read_certify(ac_builder *builder, const ac_value *section, ac_certification *certification);
/* Releases what it owns. */
void ac_certification_clear(ac_certification *certification);

/* Variables of the measure are quantities, channels, inputs that are parameters, and t, in this order. */
/* A number that depends on the file and the overrides. */
uint64_t ac_problem_fingerprint(const ac_problem *problem);
/* The certification of a problem, NULL when its task is another one. */
ac_certification *ac_problem_certification(const ac_problem *problem);
/* The same problem with further overrides, read in a context of its own. */
ac_status ac_problem_vary(ac_context *ctx, const ac_problem *problem, const char *const *settings, int count,
                          ac_problem **variation);

#endif
