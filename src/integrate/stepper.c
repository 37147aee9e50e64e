/* Newton's method for one step, with its safeguards, and the table of formulations.
 *
 * Retry, in this order, each with a residual that must fall in every iteration (halving the correction if
 * it does not, unless the next correction would be smaller): start from the increment that the last ones
 * foretell; from the last increment; from rest; then continuation: the step is first solved for a part of
 * h and the result is stretched to the whole of it. Formulations whose iterates leave the constraints fail
 * earlier than the reduced one, in stiff systems above all: they are started at last from its solution.
 * The equations solved are those of the full step in every case.
 */
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/inertia.h"
#include "base/vector.h"
#include "action/interval.h"
#include "action/spring_ends.h"
#include "integrate/extended.h"
#include "integrate/impacts/impacts.h"
#include "integrate/relations.h"
#include "math/math.h"
#include "model/beam/strain.h"
#include "tree/loop_rows.h"
#include "tree/sparse.h"

/* A formulation is one line here: its symbol ac_formulation_... and its name. */
#define AC_FORMULATIONS(FORMULATION)        \
    FORMULATION(reduced, "reduced")         \
    FORMULATION(null_space, "null-space")   \
    FORMULATION(multipliers, "multipliers") \
    FORMULATION(minimal, "minimal")

#define DECLARED(symbol, text) extern const ac_formulation ac_formulation_##symbol;
#define LISTED(symbol, text) &ac_formulation_##symbol,
#define NAMED(symbol, text) text,

AC_FORMULATIONS(DECLARED)
static const ac_formulation *const FORMULATIONS[] = {AC_FORMULATIONS(LISTED)};

enum { MOST_HALVINGS = 12, MOST_PATIENCE = 30 };

/* Sizes of a correction, in rad or parts of the typical length. Newton's method squares the error: after a
 * correction below ROUNDING only rounding errors are left, whatever the residual says; below NEAR it
 * converges without help, and a residual that does not fall is rounding, too. */
static const double ROUNDING = 1e-9, NEAR = 1e-4;
/* In stiff systems the square has a large factor. Where energy must be kept to the last digit, the
 * residual must be below SMALL as well, or the correction below TINY or the rounding of the coordinates, or
 * no longer smaller than a part STALLED of the one before: the square of a correction would be. */
static const double SMALL = 1e-14, TINY = 1e-13, STALLED = 0.5;

/* Constraints hold at least to this part of the typical length, or a step is not accepted. Far from the
 * origin rounding alone is larger: ULPS times the rounding error of the coordinates is allowed, too. */
static const double CLOSED = 1e-12, ULPS = 16.0;

/* Positions are known to their rounding error, and turns to that of the positions at the two ends of an
 * element: a correction of so many of them leaves an iterate as near to the solution as it was. */
static const double MOST_ROUNDED = 4.0;

const char *const *ac_formulation_names(void)
{
    static const char *const names[] = {"auto", AC_FORMULATIONS(NAMED) NULL};
    return names;
}

const ac_formulation *ac_formulation_find(const char *name)
{
    for (size_t k = 0; k < sizeof FORMULATIONS / sizeof FORMULATIONS[0]; ++k)
        if (strcmp(FORMULATIONS[k]->name, name) == 0) return FORMULATIONS[k];
    return NULL;
}

static const ac_formulation *choose_formulation(const ac_system *system, const char *name, bool decoupled)
{
    const ac_formulation *named = ac_formulation_find(name);
    if (strcmp(name, "auto") != 0) return named;
    if (decoupled) return &ac_formulation_reduced;
    if (system->contact_count > 0 || system->mesh.dual_nodes > 0) return &ac_formulation_reduced;
    bool free = system->tree.loops == 0 && system->relations.count == 0;
    bool recursive = free && system->coupling.along_tree;
    bool small = system->tree.freedoms <= AC_DENSE_FREEDOMS;
    bool sparse = free && ac_tree_sparse_pays(system);
    return recursive || small || sparse ? &ac_formulation_reduced : &ac_formulation_multipliers;
}

static ac_status allocate_vectors(ac_stepper *s)
{
    int n = s->system->n;
    double **vectors[] = {&s->qa,
                          &s->qb,
                          &s->p,
                          &s->left,
                          &s->right,
                          &s->before,
                          &s->scratch[0],
                          &s->scratch[1],
                          &s->interval.mean,
                          &s->interval.velocity,
                          &s->interval.momentum,
                          &s->interval.constant,
                          &s->interval.force};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(s->ctx, *vectors[k], n);
    AC_NEW(s->ctx, s->interval.start, 6 * (size_t)s->system->mesh.element_count);
    AC_NEW(s->ctx, s->winding, s->system->measure_count);
    return AC_OK;
}

/* The shortest element, or the typical length where there is none. */
static double finest_length(const ac_system *system)
{
    double fine = system->length_scale;
    for (int k = 0; k < system->mesh.element_count; ++k) {
        double length = system->mesh.elements[k].length;
        if (length > 0.0) fine = ac_min(fine, length);
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = &system->mesh.high[k];
        double length = 0.0;
        for (int g = 0; g < e->order; ++g) length += e->points[g].weight;
        fine = ac_min(fine, length / e->order);
    }
    return fine;
}

static void start(ac_stepper *s)
{
    const ac_system *system = s->system;
    size_t bytes = (size_t)system->n * sizeof(double);
    memcpy(s->qa, system->initial.q, bytes);
    memcpy(s->qb, system->initial.q, bytes);
    memcpy(s->before, system->initial.q, bytes);
    ac_mass_apply(system, system->initial.v, s->p);
    for (int k = 0; k < system->measure_count; ++k) s->winding[k] = system->measures[k].initial;
    double size = system->length_scale;
    for (int i = 0; i < system->n; ++i) size = ac_max(size, fabs(system->initial.q[i]));
    s->limits.reach = 4e-16 * size / system->length_scale;
    s->limits.fine = finest_length(system);
    s->interval.undamped = ac_system_is_undamped(system);
    s->interval.t = 0.0;
    s->interval.h = s->h;
    s->interval.qa = s->qa;
    s->interval.qb = s->qb;
    memset(s->interval.constant, 0, bytes);
    memset(s->interval.force, 0, bytes);
    memset(s->interval.start, 0, 6 * (size_t)system->mesh.element_count * sizeof(double));
}

ac_status ac_stepper_restart(ac_stepper *s)
{
    s->t = s->t0 = s->bends.largest = s->bends.yielding = s->h_before = 0.0;
    s->step = s->past = 0;
    s->bends.kink = (ac_kink){0};
    start(s);
    AC_TRY(ac_impacts_restart(s));
    ac_extended_restart(s);
    ac_relations_restart(s);
    return s->formulation->restart(s);
}

/* What rounding of the coordinates of q_a is worth as a correction. */
static double coordinate_rounding(const ac_stepper *s)
{
    double most = s->system->length_scale;
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        const double *x = s->qa + node->q;
        for (int c = 0; c < node->dimension; ++c) {
            double own = fabs(x[c]);
            most = own > most ? own : most;
        }
    }
    return MOST_ROUNDED * DBL_EPSILON * most / s->limits.fine;
}

/* Beams of dual quaternions are stepped with potentials at time nodes: beyond the limit they would explode. */
static ac_status check_step(ac_context *ctx, const ac_system *system, double h)
{
    double limit;
    AC_TRY(ac_step_limit(ctx, system, &limit));
    if (h <= limit) return AC_OK;
    return ac_fail(
        ctx, AC_BAD_INPUT,
        "the step %.6g s is too large: with beams of dual quaternions the trapezoidal scheme is stable up to "
        "%.6g s here",
        h, limit);
}

ac_status ac_stepper_create(ac_stepper *s, ac_context *ctx, const ac_system *system,
                            const ac_simulation_settings *settings)
{
    s->ctx = ctx;
    s->system = system;
    s->scheme = ac_scheme_find(ac_scheme_for(system, settings->scheme));
    if (!s->scheme) return ac_fail(ctx, AC_BAD_INPUT, "there is no scheme '%s'", settings->scheme);
    AC_TRY(ac_scheme_check(ctx, system, s->scheme->name));
    s->formulation = choose_formulation(system, settings->formulation, settings->decoupled);
    if (!s->formulation)
        return ac_fail(ctx, AC_BAD_INPUT, "there is no formulation '%s'", settings->formulation);
    if (system->mesh.dual_nodes > 0 && s->formulation != &ac_formulation_reduced)
        return ac_fail(ctx, AC_BAD_INPUT,
                       "beams of dual quaternions are known to the reduced formulation only, not to '%s'",
                       s->formulation->name);
    if (settings->decoupled && s->formulation != &ac_formulation_reduced)
        return ac_fail(ctx, AC_BAD_INPUT,
                       "decoupled joint motions are unknowns of the reduced formulation only, not of '%s'",
                       s->formulation->name);
    AC_TRY(check_step(ctx, system, settings->step));
    s->h = settings->step;
    s->unscaled = settings->unscaled;
    s->decoupled = settings->decoupled;
    s->limits.tolerance = settings->tolerance;
    s->limits.max_iterations = settings->max_iterations;
    s->limits.turn = settings->turn_limit;
    AC_TRY(allocate_vectors(s));
    AC_TRY(ac_carry_create(ctx, system, s->scheme, &s->carry));
    start(s);
    s->interval.system = system;
    s->interval.winding = s->winding;
    if (system->contact_count > 0) AC_TRY(ac_impacts_create(s, settings));
    if (settings->free_step) AC_TRY(ac_extended_create(s, settings));
    AC_TRY(ac_relations_create(s));
    return s->formulation->create(s);
}

void ac_stepper_destroy(ac_stepper *s)
{
    if (s->formulation && s->data) s->formulation->destroy(s);
    void *blocks[] = {s->qa,
                      s->qb,
                      s->p,
                      s->left,
                      s->right,
                      s->before,
                      s->scratch[0],
                      s->scratch[1],
                      s->interval.mean,
                      s->interval.velocity,
                      s->interval.momentum,
                      s->interval.constant,
                      s->interval.force,
                      s->interval.start,
                      s->winding};
    if (!s->ctx) return;
    ac_impacts_destroy(s);
    ac_extended_destroy(s);
    ac_relations_destroy(s);
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_carry_destroy(s->ctx, &s->carry);
}

void ac_stepper_evaluate(ac_stepper *s)
{
    ac_interval_update(&s->interval);
    s->scheme->left(&s->interval, s->left);
}

/* Hands the four blocks of a slope between twists on. */
static bool sink_twists(ac_stepper *s, const ac_element_kind *kind, int k, const ac_element_place *place,
                        ac_twist_sink sink, void *target)
{
    double slope[144], block[36];
    if (!s->scheme->twist_slope ||
        !s->scheme->twist_slope(&s->interval, kind, k, s->system->nodes[place->nodes[0]].q, slope))
        return false;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            for (int r = 0; r < 6; ++r)
                memcpy(block + 6 * r, slope + 12 * (6 * i + r) + 6 * j, 6 * sizeof *block);
            sink(target, place->nodes[i], place->nodes[j], block);
        }
    return true;
}

/* Does the matrix of the formulation have a place for what couples two nodes? That of the tree couples a node and its
 * parent; Newton's method goes without the rest. */
static bool has_place(const ac_stepper *s, int a, int b)
{
    return s->formulation != &ac_formulation_reduced || a == b || s->system->nodes[a].parent == b ||
           s->system->nodes[b].parent == a;
}

static void control_slopes(ac_stepper *s, ac_block_sink sink, void *target)
{
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    int controls = s->interval.controls && s->scheme->control_slope ? s->interval.controls->control_count : 0;
    for (int k = 0; k < controls; ++k) {
        int nodes[AC_ELEMENT_NODES], count = s->scheme->control_slope(&s->interval, k, nodes, block),
                                     size = 0;
        bool fits = true;
        for (int i = 0; i < count; ++i) {
            size += s->system->nodes[nodes[i]].size;
            for (int j = 0; j < i; ++j) fits = fits && has_place(s, nodes[i], nodes[j]);
        }
        if (count > 0 && fits) sink(target, nodes, count, block, size);
    }
}

void ac_stepper_slopes(ac_stepper *s, ac_block_sink sink, void *target)
{
    ac_stepper_twist_slopes(s, sink, NULL, target);
}

void ac_stepper_twist_slopes(ac_stepper *s, ac_block_sink sink, ac_twist_sink twists, void *target)
{
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(s->system);
        for (int k = 0; k < count; ++k) {
            ac_element_place place = ac_element_where(s->system, kind, k);
            if (twists && sink_twists(s, kind, k, &place, twists, target)) continue;
            if (!s->scheme->slope(&s->interval, kind, k, &place, block)) continue;
            sink(target, place.nodes, place.node_count, block, place.size);
        }
    }
    for (int k = 0; s->scheme->load_slope && k < s->system->load_count; ++k) {
        int nodes[2], count = s->scheme->load_slope(&s->interval, k, nodes, block), size = 0;
        for (int i = 0; i < count; ++i) size += s->system->nodes[nodes[i]].size;
        if (count > 0) sink(target, nodes, count, block, size);
    }
    control_slopes(s, sink, target);
}

double ac_stepper_multiplier_factor(const ac_stepper *s)
{
    return s->scheme->at_mean ? 0.5 : 0.5 * (1.0 + s->h_before / s->h);
}

/* Do the constraints hold at q_b? */
static bool closed(const ac_stepper *s)
{
    if (s->last.gap <= CLOSED) return true;
    double reach = 1.0;
    for (int i = 0; i < s->system->n; ++i) reach = ac_max(reach, fabs(s->qb[i]) / s->system->length_scale);
    return s->last.gap <= ULPS * DBL_EPSILON * reach;
}

/* Is rounding all that is left after a correction, `last` being the one before? */
static bool rounded(const ac_stepper *s, double size, double last)
{
    double most = ac_max(ROUNDING, s->limits.rounding);
    if (!(size <= most)) return false;
    if (!s->scheme->at_mean || size <= ac_max(TINY, s->limits.rounding) || s->last.residual <= SMALL)
        return true;
    return last <= most && size >= STALLED * last;
}

/* Is the present iterate, reached by a part of a correction, nearer to the solution than the last one? Soft
 * motions of stiff beams hardly show in the residual: a right correction of them may add to it what the
 * stretch of its own square is worth. The next correction shows more, foreseen with the same matrix. */
static bool nearer(ac_stepper *s, double size, double factor)
{
    const ac_formulation *f = s->formulation;
    return f->foresee && f->foresee(s) <= (1.0 - 0.5 * factor) * size;
}

/* Newton's method from the present q_b, to the round-off limit: at least one correction is made, so that
 * no error of the prediction survives and errors do not add up over many steps. AC_NOT_CONVERGED without a
 * message if it fails. */
static ac_status newton(ac_stepper *s, double goal, int most_iterations)
{
    const ac_formulation *f = s->formulation;
    double residual = s->last.residual = f->residual(s), last = INFINITY;
    for (int it = 0; it < most_iterations; ++it) {
        if (!isfinite(residual)) return s->last.singular ? AC_SINGULAR : AC_NOT_CONVERGED;
        double size;
        AC_TRY(f->correct(s, &size));
        ++s->last.iterations;
        /* at the mean, where stiff beams are at home, the weights of one matrix may say little about the
         * next */
        if (f->measure && s->scheme->at_mean) residual = f->measure(s);
        bool near = size <= NEAR && size <= 2.0 * ac_max(last, ROUNDING); /* and corrections do not grow */
        double factor = size > s->limits.turn ? s->limits.turn / size : 1.0, next = INFINITY;
        int half = 0;
        for (; half < MOST_HALVINGS; ++half, factor *= 0.5) {
            f->apply(s, factor);
            next = f->residual(s);
            if (next < residual || next <= goal || near || nearer(s, size, factor)) break;
        }
        if (half == MOST_HALVINGS) return AC_NOT_CONVERGED;
        residual = s->last.residual = next;
        bool done = next <= goal || rounded(s, size, last);
        last = size;
        if (factor == 1.0 && done && closed(s) && isfinite(next)) return AC_OK;
    }
    return AC_NOT_CONVERGED;
}

/* One less the cosine of the turn of a distance joint: of the part of its row's gradient that acts on places. */
static double distance_turn(const ac_stepper *s, const ac_joint_data *joint)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    const int ends[2] = {joint->a.node, joint->b.node};
    int row = joint->first_row;
    double a[AC_ELEMENT_MAX], b[AC_ELEMENT_MAX], ab = 0.0, aa = 0.0, bb = 0.0;
    ac_constraint_gradient(system, row, s->qa, a);
    ac_constraint_gradient(system, row, s->qb, b);
    for (int e = c->start[row], i = 0; e < c->start[row + 1]; ++e, ++i)
        for (int end = 0; end < 2; ++end) {
            const ac_node *node = ends[end] == AC_GROUND ? NULL : &system->nodes[ends[end]];
            if (!node || c->coordinate[e] < node->q || c->coordinate[e] >= node->q + node->dimension)
                continue;
            ab += a[i] * b[i];
            aa += a[i] * a[i];
            bb += b[i] * b[i];
        }
    return aa > 0.0 && bb > 0.0 ? 1.0 - ab / sqrt(aa * bb) : 0.0;
}

/* Is the largest rotation of a body or of a distance joint (worst: -1 - joint) on the interval beyond the limit? A root with large
 * turns is not the physical one. The angle is computed only if 1 - cos t >= 2 (t/pi)^2 leaves it open. */
static bool turns_too_far(const ac_stepper *s, int *worst, double *angle)
{
    const double limit = s->limits.turn;
    double most = 0.0;
    for (int j = 0; j < s->system->joint_count; ++j) {
        if (s->system->joints[j].type != AC_DISTANCE) continue;
        double turn = distance_turn(s, &s->system->joints[j]);
        if (!(turn > most)) continue;
        most = turn;
        *worst = -1 - j;
    }
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        const double *a = s->qa + node->q, *b = s->qb + node->q;
        double cosine = 1.0;
        if (ac_node_turns(node) == 3)
            cosine = 0.5 * (dot3(a + 3, b + 3) + dot3(a + 6, b + 6) + dot3(a + 9, b + 9) - 1.0);
        if (ac_node_turns(node) == 1) cosine = a[2] * b[2] + a[3] * b[3];
        double turn = 1.0 - cosine;
        if (turn > most) {
            most = turn;
            *worst = i;
        }
    }
    if (most <= 0.2 * limit * limit) return false;
    *angle = most > 2.0 ? 3.2 : ac_acos(1.0 - most);
    return *angle > limit;
}

static ac_status attempt(ac_stepper *s, ac_guess guess, double goal)
{
    s->formulation->guess(s, guess);
    return newton(s, goal, s->limits.max_iterations);
}

/* Solves for a growing part of the step; each result, stretched, starts the next. */
static ac_status continuation(ac_stepper *s, double goal)
{
    enum { PARTS = 8 };
    double h = s->h;
    ac_status status = AC_OK;
    int most = s->limits.max_iterations, patience = most < MOST_PATIENCE ? most * most : MOST_PATIENCE * most;
    s->formulation->guess(s, AC_GUESS_RESTING);
    for (int part = 1; part <= PARTS && status == AC_OK; ++part) {
        s->interval.h = h * part / PARTS;
        ac_relations_begin(s);
        s->scheme->begin(&s->interval);
        s->formulation->prepare(s);
        status = newton(s, part == PARTS ? goal : 1e-8, patience);
    }
    s->interval.h = h;
    if (status != AC_OK) {
        ac_relations_begin(s);
        s->scheme->begin(&s->interval);
        s->formulation->prepare(s);
    }
    return status;
}

/* The same step in the reduced formulation, then the own one from there; `failure` if there is no such
 * way. */
static ac_status detour(ac_stepper *s, double goal, ac_status failure)
{
    const ac_formulation *own = s->formulation, *other = choose_formulation(s->system, "auto", s->decoupled);
    void *data = s->data;
    if (other == own || other->iterates_nodes || !own->iterates_nodes) return failure;
    s->formulation = other;
    s->data = NULL;
    ac_status status = other->create(s);
    if (status == AC_OK) {
        other->enter(s);
        other->prepare(s);
        status = attempt(s, AC_GUESS_RESTING, goal);
        if (status != AC_OK && status != AC_NO_MEMORY) status = continuation(s, goal);
    }
    if (s->data) other->destroy(s);
    s->formulation = own;
    s->data = data;
    own->prepare(s);
    return status == AC_OK ? newton(s, goal, s->limits.max_iterations) : status;
}

/* The joint, or the node where there is none. */
static void name_holder(const ac_system *system, int node, int joint, char place[AC_NODE_WORDS])
{
    if (joint >= 0)
        snprintf(place, AC_NODE_WORDS, "joint '%.120s'", system->joints[joint].name);
    else
        ac_node_words(system, node, place);
}

/* What else helps where a step cannot follow the vibrations of beams, of this one if it is known (not -1);
 * damping does where there is none. */
static const char *help_beams(const ac_stepper *s, int beam)
{
    const ac_system *system = s->system;
    bool damped = true, settled = s->scheme->at_mean || system->mesh.dual_elements > 0; /* no other scheme */
    for (int b = 0; b < system->beam_count; ++b)
        if (beam < 0 || b == beam) damped = damped && ac_beam_damped(&system->beams[b]);
    if (system->beam_count == 0) return "";
    if (damped)
        return settled ? " or more elements of the beam"
                       : ", the energy-momentum scheme, or more elements of the beam";
    return settled ? ", more elements or a little damping of the beam"
                   : ", the energy-momentum scheme, more elements or a little damping of the beam";
}

static ac_status report_failure(ac_stepper *s)
{
    const ac_system *system = s->system;
    char place[AC_NODE_WORDS] = "", trouble[512];
    int beam = -1;
    if (s->last.worst_is_constraint && s->last.worst_row >= 0) {
        int owner = system->constraints.owner[s->last.worst_row];
        name_holder(system, owner >= 0 ? AC_GROUND : -1 - owner, owner, place);
    } else {
        for (int i = 0; i < system->node_count; ++i) {
            const ac_node *node = &system->nodes[i];
            if (s->last.worst_row < node->u || s->last.worst_row >= node->u + node->freedoms) continue;
            name_holder(system, i, node->joint, place);
            beam = node->beam;
        }
    }
    if (isnan(s->last.residual)) {
        char spring[1024];
        if (ac_spring_trouble(system, s->qa, s->qb, spring, sizeof spring))
            return ac_fail(s->ctx, AC_NOT_CONVERGED, "step %ld, t = %.9g s: %s", s->step + 1, s->t, spring);
        return ac_fail(s->ctx, AC_NOT_CONVERGED,
                       "step %ld, t = %.9g s: the forces at %s are not numbers; springs and dampers "
                       "have no direction where their two points meet",
                       s->step + 1, s->t, place[0] ? place : "a node that cannot move");
    }
    if (ac_relations_trouble(s, trouble, sizeof trouble))
        return ac_fail(
            s->ctx, AC_NOT_CONVERGED,
            "step %ld, t = %.9g s: Newton's method did not converge; residual %.2e, largest at %s; %s: "
            "perhaps the joints do not reach that far, or the step is too large",
            s->step + 1, s->t, s->last.residual, place[0] ? place : "the whole system", trouble);
    if (ac_stepper_beam_trouble(s, trouble, sizeof trouble))
        return ac_fail(
            s->ctx, AC_NOT_CONVERGED,
            "step %ld, t = %.9g s: Newton's method did not converge; residual %.2e, largest at %s; %s",
            s->step + 1, s->t, s->last.residual, place[0] ? place : "the whole system", trouble);
    return ac_fail(s->ctx, AC_NOT_CONVERGED,
                   "step %ld, t = %.9g s: Newton's method did not converge; residual %.2e, largest at %s; "
                   "try a smaller step%s",
                   s->step + 1, s->t, s->last.residual, place[0] ? place : "the whole system",
                   help_beams(s, beam));
}

/* A matrix without inverse: the message of the factorisation says why. */
static ac_status report_singular(ac_stepper *s)
{
    char reason[512];
    snprintf(reason, sizeof reason, "%s", ac_context_message(s->ctx));
    return ac_fail(s->ctx, AC_NOT_CONVERGED, "step %ld, t = %.9g s: %s", s->step + 1, s->t, reason);
}

/* A residual that ends the iteration. It says little about soft motions of stiff beams: at the mean rounding
 * is not enough. */
static double goal_of(const ac_stepper *s)
{
    return s->scheme->at_mean ? s->limits.tolerance : ac_max(s->limits.tolerance, s->limits.reach);
}

static ac_status begin_step(ac_stepper *s)
{
    s->interval.qa = s->qa;
    s->interval.qb = s->qb;
    s->interval.t = s->t;
    s->interval.h = s->h;
    if (!s->impacts && !s->extended) s->end = s->t0 + (double)(s->step + 1) * s->h;
    s->limits.rounding = coordinate_rounding(s);
    s->last.iterations = s->last.retries = 0;
    s->last.singular = false;
    AC_TRY(ac_relations_look(s));
    ac_relations_begin(s);
    s->scheme->begin(&s->interval);
    s->formulation->prepare(s);
    return AC_OK;
}

/* The momentum that the solved step carries over. */
static ac_status end_step(ac_stepper *s)
{
    AC_TRY(ac_stepper_check_bend(s));
    s->scheme->right(&s->interval, s->p, s->right);
    s->formulation->carry(s);
    ac_relations_solved(s);
    return AC_OK;
}

ac_status ac_stepper_solve_near(ac_stepper *s, const double *q)
{
    AC_TRY(begin_step(s));
    memcpy(s->qb, q, (size_t)s->system->n * sizeof *q);
    ac_status status = newton(s, goal_of(s), s->limits.max_iterations);
    if (status == AC_NO_MEMORY) return status;
    if (status == AC_SINGULAR) return report_singular(s);
    return status == AC_OK ? end_step(s) : report_failure(s);
}

ac_status ac_stepper_solve(ac_stepper *s)
{
    static const ac_guess guesses[] = {AC_GUESS_EXTRAPOLATED, AC_GUESS_REPEATED, AC_GUESS_RESTING};
    double goal = goal_of(s);
    AC_TRY(begin_step(s));
    ac_status status = AC_NOT_CONVERGED;
    for (int k = 0; k < 3; ++k) {
        status = attempt(s, guesses[k], goal);
        int worst = 0;
        double turn;
        if (status == AC_OK && !turns_too_far(s, &worst, &turn)) break;
        if (status == AC_NO_MEMORY) return status;
        if (status == AC_OK) status = AC_NOT_CONVERGED;
        ++s->last.retries;
    }
    if (status != AC_OK) status = continuation(s, goal);
    if (status != AC_OK && status != AC_NO_MEMORY) status = detour(s, goal, status);
    if (status == AC_NO_MEMORY) return status;
    if (status == AC_SINGULAR) return report_singular(s);
    if (status != AC_OK) return report_failure(s);
    int worst = 0;
    double turn;
    if (turns_too_far(s, &worst, &turn)) {
        char place[AC_NODE_WORDS], trouble[512];
        int beam = worst >= 0 ? s->system->nodes[worst].beam : -1;
        name_holder(s->system, worst, worst >= 0 ? -1 : -1 - worst, place);
        bool troubled = ac_stepper_beam_trouble(s, trouble, sizeof trouble);
        return ac_fail(s->ctx, AC_NOT_CONVERGED,
                       "step %ld, t = %.9g s: %s turns by %.2f rad in one step (limit %.2f); %s%s",
                       s->step + 1, s->t, place, turn, s->limits.turn,
                       troubled ? trouble : "use a smaller step",
                       !troubled && beam >= 0 ? help_beams(s, beam) : "");
    }
    return end_step(s);
}

double ac_stepper_kinetic(const ac_stepper *s)
{
    return s->formulation->kinetic ? s->formulation->kinetic(s) : ac_interval_kinetic(&s->interval);
}

void ac_stepper_wind(const ac_stepper *s, const double *q, double *winding)
{
    ac_measures_wind(s->system, q, winding);
}

void ac_stepper_advance(ac_stepper *s)
{
    s->formulation->accept(s);
    ac_relations_accept(s);
    ac_stepper_wind(s, s->qb, s->winding);
    double *free_vector = s->before;
    s->before = s->qa;
    s->qa = s->qb;
    s->qb = free_vector;
    double *swap = s->p;
    s->p = s->right;
    s->right = swap;
    ++s->step;
    if (s->past < 3) ++s->past;
    s->h_before = s->h;
    s->t = s->end;
}
