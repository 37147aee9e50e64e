/* Inside of an object of values: a builder with its description, and a system that is built from it again and
 * again in one block of memory. */
#ifndef ACTIO_PROBLEM_BUILD_VALUES_H
#define ACTIO_PROBLEM_BUILD_VALUES_H

#include "actio/values.h"
#include "model/system.h"
#include "problem/build/build.h"
#include "problem/build/functional.h"
#include "problem/parameters/limits.h"

/* Memory that is given back all at once. */
typedef struct ac_pool {
    ac_context *ctx; /* where the block is from */
    char *block;
    size_t size, used, wanted; /* wanted: by all since the last reset */
    void **further;            /* blocks beyond it: a list through their first word */
    bool lasting;              /* what is asked for now is not of the pool */
} ac_pool;

/* One number of the description, and its node. */
typedef struct ac_slot {
    double *number; /* NULL: it follows from others */
    int node;
    ac_expression
        *expression; /* of points of loads over time, which are asked for at every step; NULL: of others */
    int datum, object, side, component;
} ac_slot;

/* Values at one place along a beam follow from its profile, and its nodes from its curve: these have derivatives. */
static inline bool ac_slot_has_slopes(const ac_slot *slot)
{
    return slot->datum != AC_BEAM_PROFILE && slot->datum != AC_BEAM_CURVE;
}

/* How a frame moves and turns, in world axes, by a parameter. */
typedef struct ac_curve_motion {
    double place[3], turn[3];
} ac_curve_motion;

/* A body in principal axes: its inertia in the body frame. */
typedef struct ac_turning_axes {
    int node;
    double inertia[9];
    int entry[9]; /* nodes; 0: a number */
} ac_turning_axes;

struct ac_values {
    ac_context *ctx;
    const ac_problem *problem;
    ac_builder builder;
    ac_description description;
    ac_system *given; /* as it was read; owns the signals of loads that do not depend */
    int count;
    char **names;
    int inputs;            /* of the graph: parameters and t */
    double *x, *dx, *good; /* their values and changes, with room for one more; the last good parameters */
    ac_graph_work work;    /* the graph at the present values */
    int slot_count, slot_capacity;
    ac_slot *slots;
    int signal_count, signal_capacity;
    ac_signal **signals;
    struct
        ac_driven_load { /* the signal with the same number: of this load, by this expression of the signal */
        int load, component;
        const ac_expression *expression;
    } * loads;
    int load_capacity;
    bool keeps_axes;
    ac_piece *pieces; /* as they were read, where principal axes turn with parameters; NULL: none do */
    int turning_count, turning_capacity;
    ac_turning_axes *turning;
    ac_limits limits;
    ac_functional_numbers numbers; /* of the functional that was read last */
    int slope_count;
    ac_data_slope *slopes;
    ac_pool pool;
    ac_context *inside; /* its memory is the pool */
    ac_system system;
};

/* As ac_values_new. `keeps_axes`: bodies in principal axes keep those of the file. The motion is the same, and so are derivatives of
 * what does not name the axes; the system is not that of the problem read again. */
ac_status ac_values_open(ac_context *ctx, const ac_problem *problem, const char *const *names, int count,
                         bool keeps_axes, ac_values **values);
/* parameters/principal.c: principal axes at the present values. */
ac_status ac_values_keep_pieces(ac_values *values);
void ac_values_free_pieces(ac_values *values);
void ac_values_restore_pieces(ac_values *values);
void ac_values_turn_axes(ac_values *values);
/* parameters/curves.c: lays the curves that depend on parameters anew and takes over their frames and poses. On failure the
 * message is in the context inside. */
ac_status ac_values_lay_curves(ac_values *values);
/* How the nodes of a beam move by the parameter of the last tangent. */
void ac_values_curve_motion(const ac_values *values, int beam, ac_curve_motion *motion);
/* Evaluates the graph at the present values; its changes by a parameter. */
ac_status ac_values_evaluate(ac_values *values);
ac_status ac_values_tangent(ac_values *values, int parameter);
/* The expression of a node, or of what a name stands for (NULL: nothing), of all inputs. */
ac_status ac_values_expression(const ac_values *values, int node, ac_expression **expression);
ac_status ac_values_named(ac_values *values, const char *name, ac_expression **expression);
/* Axes that turn with parameters have no derivatives. */
ac_status ac_values_check_axes(const ac_values *values);

/* In what two systems of the same kind differ by more than rounding; NULL: in nothing. */
const char *ac_system_difference(const ac_system *a, const ac_system *b);

#endif
