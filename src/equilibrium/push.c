/* Loads that push along a motion without resistance: whether they do, whether that can come to an end, and
 * which motion it is.
 *
 * A push f . z is distinguished from rounding by two bounds: a share of the load itself, and what the rounding of K z
 * makes of it, f . z = x . K z with f = K x. A push need not mean that there is no rest: a beam on a ball
 * joint swings down. Along a translation that leaves all forces as they are it goes on for ever. And only a
 * motion that leaves the beams as they are means that something is not held: a beam that is bent far has
 * others without resistance, where Newton's method got lost.
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "equilibrium/solver.h"
#include "math/math.h"

static const double PUSH = 1e-9;      /* beside the load */
static const double ROUNDING = 1e-15; /* beside stiffness times displacement */
static const double TURNING = 1e-6;   /* beside the displacement: none */
static const double UNCHANGED = 1e-6; /* beside the push */
static const double RIGID = 1e-3;     /* strain of all beams beside the largest displacement: none */
enum { SWEEPS = 12 };

static double *neutral_motion(const ac_equilibrium *e, int k)
{
    return e->neutral.motions + (size_t)k * (size_t)e->size;
}

/* The length of a force in freedoms, N. */
static double strength(const ac_equilibrium *e, const double *force)
{
    double sum = 0.0;
    for (int j = 0; j < e->freedoms; ++j) sum += force[j] * force[j] / e->metric.weight[j];
    return sqrt(sum);
}

/* The length of forces on coordinates, N. */
static double strength_at_nodes(const ac_equilibrium *e, const double *force)
{
    double sum = 0.0, scale = e->system->length_scale;
    for (int i = 0; i < e->system->node_count; ++i) {
        const ac_node *node = &e->system->nodes[i];
        double w[6];
        ac_node_wrench(node, e->now.q + node->q, force + node->q, w);
        sum += dot3(w, w) + dot3(w + 3, w + 3) / (scale * scale);
    }
    return sqrt(sum);
}

double ac_equilibrium_load_strength(const ac_equilibrium *e)
{
    return strength_at_nodes(e, e->balance.load);
}

double ac_equilibrium_full_loads(ac_equilibrium *e)
{
    return strength_at_nodes(e, e->balance.constant) +
           ac_max(1.0, fabs(e->now.factor)) * strength_at_nodes(e, e->balance.load);
}

double ac_equilibrium_loads(ac_equilibrium *e)
{
    double *all = e->scratch;
    for (int i = 0; i < e->system->n; ++i)
        all[i] = e->now.share * e->balance.constant[i] + e->now.factor * e->balance.load[i];
    return strength_at_nodes(e, all);
}

/* The part of a force along the first `count` neutral motions: a motion of length one, and how strong. */
static double push_along(const ac_equilibrium *e, int count, const double *force, double *motion)
{
    double square = 0.0;
    memset(motion, 0, (size_t)e->freedoms * sizeof *motion);
    for (int k = 0; k < count; ++k) {
        const double *z = neutral_motion(e, k);
        double part = 0.0;
        for (int j = 0; j < e->freedoms; ++j) part += z[j] * force[j];
        for (int j = 0; j < e->freedoms; ++j) motion[j] += part * z[j];
        square += part * part;
    }
    double push = sqrt(square);
    for (int j = 0; j < e->freedoms && push > 0.0; ++j) motion[j] /= push;
    return push;
}

/* What the loads of the present point make of the freedoms. */
static void project_loads(ac_equilibrium *e, double share, double factor, double *force)
{
    for (int i = 0; i < e->system->n; ++i)
        e->scratch[i] = share * e->balance.constant[i] + factor * e->balance.load[i];
    ac_tree_project(e->system, e->columns, e->now.q, e->scratch, e->wrenches, force);
}

/* The node that the motion moves most, and its twist. */
static int most_moved(ac_equilibrium *e, const double *motion, double twist[6])
{
    double most = -1.0, scale = e->system->length_scale;
    int found = 0;
    ac_tree_twists(e->system, e->columns, e->now.q, motion, e->wrenches);
    for (int i = 0; i < e->system->node_count; ++i) {
        const double *t = e->wrenches + 6 * i;
        double size = dot3(t, t) + scale * scale * dot3(t + 3, t + 3);
        if (size <= 1.001 * most) continue;
        most = size;
        found = i;
    }
    memcpy(twist, e->wrenches + 6 * found, 6 * sizeof *twist);
    return found;
}

/* `push`: force along the motion, which has any length. */
static ac_status refuse(ac_equilibrium *e, const double *motion, double push)
{
    double twist[6];
    int number = most_moved(e, motion, twist);
    const ac_node *node = &e->system->nodes[number];
    bool turns = norm3(twist + 3) * e->system->length_scale > TURNING * norm3(twist);
    double *axis = turns ? twist + 3 : twist, rate = norm3(axis);
    for (int i = 0; i < 3; ++i) axis[i] = fabs(axis[i]) < 1e-6 * rate ? 0.0 : axis[i] / rate;
    return ac_fail(
        e->ctx, AC_SINGULAR,
        "nothing holds the system: '%s' can %s (%.3g, %.3g, %.3g) without resistance, and the loads "
        "push it with %.4g %s; it needs more supports or springs",
        node->beam >= 0 ? e->system->beams[node->beam].name : node->name, turns ? "turn about" : "move along",
        axis[0], axis[1], axis[2], push / rate, turns ? "N m" : "N");
}

/* Push of the load that grows, or of the constant ones; `motion`: along which. */
static ac_status growing_push(ac_equilibrium *e, bool constant, double *motion, double *push, bool *pushed)
{
    double square = 0.0;
    memset(e->newton.by_load, 0, (size_t)e->size * sizeof *e->newton.by_load);
    project_loads(e, constant ? 1.0 : 0.0, constant ? 0.0 : 1.0, e->newton.by_load);
    double load = strength(e, e->newton.by_load);
    *push = push_along(e, e->neutral.count, e->newton.by_load, motion);
    ac_equilibrium_ignore_push(e, e->newton.by_load);
    AC_TRY(ac_equilibrium_solve(e, e->newton.by_load));
    ac_equilibrium_hold_neutral(e, e->newton.by_load);
    for (int j = 0; j < e->freedoms; ++j)
        square += e->metric.grain[j] * e->newton.by_load[j] * e->newton.by_load[j];
    double cancelled = constant ? 0.0 : ac_equilibrium_load_strength(e); /* by joints that carry all of it */
    *pushed = *push >
              PUSH * load + 10.0 * ROUNDING * (ac_equilibrium_stiffness(e) * sqrt(square) + cancelled);
    return AC_OK;
}

ac_status ac_equilibrium_is_pushed(ac_equilibrium *e, bool *pushed)
{
    double push;
    return growing_push(e, false, e->newton.move, &push, pushed);
}

/* --- flight ------------------------------------------------------------------------------------------------- */

/* What a motion does to the system, as a list of lengths: `effect` is written from the twists of the
 * nodes. */
typedef struct effect_kind {
    int (*width)(const ac_system *system);
    void (*write)(const ac_equilibrium *e, double *effect);
} effect_kind;

static int turning_width(const ac_system *system)
{
    return 3 * system->node_count;
}

static void write_turning(const ac_equilibrium *e, double *effect)
{
    for (int i = 0; i < e->system->node_count; ++i)
        for (int k = 0; k < 3; ++k) effect[3 * i + k] = e->system->length_scale * e->wrenches[6 * i + 3 + k];
}

static const effect_kind TURN = {turning_width, write_turning};

static int strain_width(const ac_system *system)
{
    int pairs = system->mesh.element_count;
    for (int k = 0; k < system->mesh.high_count; ++k) pairs += system->mesh.high[k].order;
    return 6 * pairs;
}

/* How two neighbouring nodes of a beam move apart: zero if they move like one body. */
static void write_pair(const ac_equilibrium *e, int node, double effect[6])
{
    const ac_node *nodes = e->system->nodes;
    const double *a = e->wrenches + 6 * node, *b = a + 6;
    double arm[3], mean[3], carried[3];
    sub3(e->now.q + nodes[node + 1].q, e->now.q + nodes[node].q, arm);
    for (int i = 0; i < 3; ++i) mean[i] = 0.5 * (a[3 + i] + b[3 + i]);
    cross3(mean, arm, carried);
    for (int i = 0; i < 3; ++i) {
        effect[i] = b[i] - a[i] - carried[i];
        effect[3 + i] = e->system->length_scale * (b[3 + i] - a[3 + i]);
    }
}

static void write_strain(const ac_equilibrium *e, double *effect)
{
    const ac_system *system = e->system;
    for (int k = 0; k < system->mesh.element_count; ++k, effect += 6)
        write_pair(e, system->mesh.elements[k].node, effect);
    for (int k = 0; k < system->mesh.high_count; ++k)
        for (int i = 0; i < system->mesh.high[k].order; ++i, effect += 6)
            write_pair(e, system->mesh.high[k].node + i, effect);
}

static const effect_kind STRAIN = {strain_width, write_strain};

static double together(const double *a, const double *b, int width)
{
    double sum = 0.0;
    for (int i = 0; i < width; ++i) sum += a[i] * b[i];
    return sum;
}

static void mix(double *a, double *b, int count, double c, double s)
{
    for (int j = 0; j < count; ++j) {
        double old = a[j];
        a[j] = c * old + s * b[j];
        b[j] = c * b[j] - s * old;
    }
}

/* Turns two motions, and with them their effects, so that the latter become perpendicular. */
static void separate(const ac_equilibrium *e, int k, int l, double *effects, int width)
{
    double *a = effects + (size_t)k * (size_t)width, *b = effects + (size_t)l * (size_t)width;
    double angle = 0.5 * ac_atan2(2.0 * together(a, b, width), together(a, a, width) - together(b, b, width));
    double sine, cosine;
    ac_sincos(angle, &sine, &cosine);
    mix(neutral_motion(e, k), neutral_motion(e, l), e->size, cosine, sine);
    mix(a, b, width, cosine, sine);
}

/* The largest displacement of a node: m, turns count with the typical length. */
static double largest_twist(ac_equilibrium *e, const double *motion)
{
    double twist[6], scale = e->system->length_scale;
    most_moved(e, motion, twist);
    return sqrt(dot3(twist, twist) + scale * scale * dot3(twist + 3, twist + 3));
}

/* Sorts the first `count` neutral motions: those without effect first; returns how many there are.
 * `limit`: beside the largest displacement. */
static int sort_without(ac_equilibrium *e, int count, const effect_kind *kind, double limit, double *effects)
{
    int width = kind->width(e->system), without = 0;
    for (int k = 0; k < count; ++k) {
        ac_tree_twists(e->system, e->columns, e->now.q, neutral_motion(e, k), e->wrenches);
        kind->write(e, effects + (size_t)k * (size_t)width);
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int k = 0; k < count; ++k)
            for (int l = 0; l < k; ++l) separate(e, k, l, effects, width);
    for (int k = 0; k < count; ++k) {
        const double *own = effects + (size_t)k * (size_t)width;
        double *z = neutral_motion(e, k);
        if (sqrt(together(own, own, width)) > limit * largest_twist(e, z)) continue;
        if (without < k) mix(neutral_motion(e, without), z, e->size, 0.0, 1.0);
        ++without;
    }
    return without;
}

/* Do all forces stay the same while the system moves along the translation by its own size? */
static bool goes_on(ac_equilibrium *e, const double *motion, double push)
{
    double most = 0.0, change = 0.0, gap = 0.0, scale = e->system->length_scale;
    memcpy(e->newton.travelled, motion, (size_t)e->freedoms * sizeof *motion);
    memcpy(e->newton.by_load, e->balance.r, (size_t)e->freedoms * sizeof *e->balance.r);
    for (int j = 0; j < e->freedoms; ++j) most = ac_max(most, fabs(motion[j]));
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    ac_equilibrium_move(e, e->newton.travelled, scale / most);
    ac_equilibrium_evaluate(e);
    for (int j = 0; j < e->freedoms; ++j) {
        double difference = e->balance.r[j] - e->newton.by_load[j];
        change += difference * difference / e->metric.weight[j];
    }
    for (int c = 0; c < e->closures; ++c) gap = ac_max(gap, fabs(e->balance.g[c]));
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    ac_equilibrium_evaluate(e);
    return sqrt(change) <= UNCHANGED * push && gap <= UNCHANGED * scale;
}

/* Memory for sorting while something is refused. The first neutral motions are rigid for the beams, and
 * the first of those translations. */
typedef struct sorting {
    double *effects, *force, *motion;
    int rigid, translations;
} sorting;

static ac_status begin(ac_equilibrium *e, sorting *s)
{
    int turn = TURN.width(e->system), strain = STRAIN.width(e->system);
    size_t width = (size_t)(turn > strain ? turn : strain);
    *s = (sorting){0};
    s->effects = ac_allocate(e->ctx, (size_t)e->neutral.count * width, sizeof *s->effects);
    s->force = ac_allocate(e->ctx, (size_t)e->freedoms, sizeof *s->force);
    s->motion = ac_allocate(e->ctx, (size_t)e->freedoms, sizeof *s->motion);
    if (!s->effects || !s->force || !s->motion) return ac_out_of_memory(e->ctx);
    s->rigid = sort_without(e, e->neutral.count, &STRAIN, RIGID, s->effects);
    s->translations = sort_without(e, s->rigid, &TURN, TURNING, s->effects);
    return AC_OK;
}

static void end(ac_equilibrium *e, sorting *s)
{
    ac_release(e->ctx, s->effects);
    ac_release(e->ctx, s->force);
    ac_release(e->ctx, s->motion);
}

/* The translation along which the force acts, or if there is none, whatever else is rigid. */
static ac_status refuse_any(ac_equilibrium *e, const double *force, double small)
{
    sorting s;
    ac_status status = begin(e, &s);
    if (status == AC_OK) {
        memcpy(s.force, force, (size_t)e->freedoms * sizeof *force);
        double push = push_along(e, s.translations, s.force, s.motion);
        if (push <= small) push = push_along(e, s.rigid, s.force, s.motion);
        status = push > small ? refuse(e, s.motion, push) : ac_equilibrium_not_found(e);
    }
    end(e, &s);
    return status;
}

/* The push of the forces that are left, which are in `by_load` then, and what would be rounding. */
static double remaining_push(ac_equilibrium *e, double *small)
{
    project_loads(e, e->now.share, e->now.factor, e->newton.by_load);
    double load = strength(e, e->newton.by_load);
    for (int j = 0; j < e->freedoms; ++j) e->newton.by_load[j] = -e->balance.r[j];
    *small = PUSH * load + ROUNDING * ac_equilibrium_stiffness(e) * e->system->length_scale;
    return push_along(e, e->neutral.count, e->newton.by_load, e->newton.move);
}

/* Neutral motions are known to so much only: a smaller part of the forces shows as soon as the rest has
 * fallen. */
bool ac_equilibrium_leaves(ac_equilibrium *e)
{
    double small;
    if (e->neutral.count == 0) return false;
    double push = remaining_push(e, &small);
    return push > ac_max(small, UNCHANGED * strength(e, e->newton.by_load));
}

ac_status ac_equilibrium_check_push(ac_equilibrium *e)
{
    double small;
    if (e->neutral.count == 0) return AC_OK;
    double push = remaining_push(e, &small);
    return push <= small ? AC_OK : refuse_any(e, e->newton.by_load, ac_max(small, 1e-6 * push));
}

ac_status ac_equilibrium_check_growing(ac_equilibrium *e, bool constant)
{
    double push;
    bool pushed;
    if (e->neutral.count == 0) return AC_OK;
    AC_TRY(growing_push(e, constant, e->newton.move, &push, &pushed));
    project_loads(e, constant ? 1.0 : 0.0, constant ? 0.0 : 1.0, e->newton.by_load);
    return pushed ? refuse_any(e, e->newton.by_load, 1e-6 * push) : AC_OK;
}

static ac_status refuse_endless(ac_equilibrium *e, sorting *s)
{
    for (int j = 0; j < e->freedoms; ++j) s->force[j] = -e->balance.r[j];
    project_loads(e, e->now.share, e->now.factor, e->newton.by_load);
    double push = push_along(e, s->translations, s->force, s->motion);
    if (push <= UNCHANGED * strength(e, e->newton.by_load) || !goes_on(e, s->motion, push)) return AC_OK;
    return refuse(e, s->motion, push);
}

ac_status ac_equilibrium_refuse_flight(ac_equilibrium *e)
{
    sorting s;
    ac_equilibrium_evaluate(e);
    ac_status status = ac_equilibrium_factor_freely(e);
    if (status != AC_OK || e->neutral.count == 0) return status == AC_SINGULAR ? AC_OK : status;
    status = begin(e, &s);
    if (status == AC_OK) status = refuse_endless(e, &s);
    end(e, &s);
    e->neutral.count = 0;
    return status;
}
