/* Inertia, gravity and loads of one rigid body in vector lanes. */
#include "action/lane/lane_body.h"

#include "action/inertia.h"
#include "action/load.h"

/* --- numbers of the systems --- */

static void put(ac_lane *to, int lane, int count, const double *from)
{
    for (int i = 0; i < count; ++i) to[i][lane] = from[i];
}

void ac_lane_body_take(const ac_system *system, int number, int lane, ac_lane_body *body, ac_lane wrench[6])
{
    const ac_node *node = &system->nodes[number];
    double momentum[AC_NODE_MAX], own[6];
    body->mass[lane] = node->mass;
    put(body->euler, lane, 9, node->euler);
    put(body->weight, lane, 3, system->gravity_force + node->q);
    ac_node_mass_apply(node, system->initial.v + node->q, momentum);
    ac_node_wrench(node, system->initial.q + node->q, momentum, own);
    put(wrench, lane, 6, own);
}

void ac_lane_load_take(const ac_system *system, int number, ac_lane_load *load)
{
    const ac_load_data *given = &system->loads[number];
    *load = (ac_lane_load){
        .number = number, .force = given->type == AC_LOAD_FORCE, .follows = given->follows};
}

void ac_lane_load_place(const ac_system *system, int lane, ac_lane_load *load)
{
    put(load->place, lane, 3, system->loads[load->number].place);
}

void ac_lane_load_value(const ac_system *system, int lane, double t, double h, ac_lane_load *load)
{
    double tau[3];
    ac_load_values(&system->loads[load->number], t, h, tau);
    put(load->value, lane, 3, tau);
}

/* --- the interval --- */

/* out += sum_K A_K x d_K */
LANE_INLINE void add_moment(const ac_lane *A, const ac_lane *d, ac_lane *out)
{
    for (int K = 0; K < 3; ++K) {
        out[0] += A[3 + K] * d[6 + K] - A[6 + K] * d[3 + K];
        out[1] += A[6 + K] * d[K] - A[K] * d[6 + K];
        out[2] += A[K] * d[3 + K] - A[3 + K] * d[K];
    }
}

void ac_lane_body_advance(ac_lane_body *body)
{
    for (int i = 0; i < 9; ++i) body->R_a[i] = body->R_b[i];
    for (int i = 0; i < 3; ++i) body->x_a[i] = body->x_b[i];
    lane_multiply(body->R_a, body->euler, body->weighted);
}

void ac_lane_body_left(const ac_lane_body *body, double h, const ac_lane wrench[6], ac_lane sum[6])
{
    const ac_lane factor = body->mass / h;
    ac_lane moment[3] = {{0}, {0}, {0}};
    add_moment(body->weighted, body->R_b, moment);
    for (int i = 0; i < 3; ++i) {
        sum[i] = wrench[i] - factor * (body->x_b[i] - body->x_a[i]);
        sum[3 + i] = wrench[3 + i] - moment[i] / h;
    }
}

void ac_lane_body_right(const ac_lane_body *body, double h, ac_lane wrench[6])
{
    const ac_lane factor = body->mass / h;
    ac_lane moment[3] = {{0}, {0}, {0}};
    add_moment(body->weighted, body->R_b, moment);
    for (int i = 0; i < 3; ++i) {
        wrench[i] = factor * (body->x_b[i] - body->x_a[i]) + 0.5 * h * body->weight[i];
        wrench[3 + i] = moment[i] / h;
    }
}

void ac_lane_body_add_weight(const ac_lane_body *body, double h, ac_lane wrench[6])
{
    for (int i = 0; i < 3; ++i) wrench[i] += 0.5 * h * body->weight[i];
}

void ac_lane_load_add(const ac_lane_load *load, const ac_lane_body *body, double h, ac_lane wrench[6])
{
    ac_lane F[3], arm[3];
    for (int i = 0; i < 3; ++i) F[i] = load->value[i];
    if (load->follows) lane_apply(body->R_b, load->value, F);
    for (int i = 0; i < 3; ++i) F[i] *= 0.5 * h;
    if (!load->force) {
        for (int i = 0; i < 3; ++i) wrench[3 + i] += F[i];
        return;
    }
    lane_apply(body->R_b, load->place, arm);
    for (int i = 0; i < 3; ++i) wrench[i] += F[i];
    lane_add_cross(arm, F, wrench + 3);
}

void ac_lane_body_slope(const ac_lane_body *body, double h, const ac_lane reference[3],
                        ac_lane B[AC_LANE_SLOPE])
{
    ac_lane *X = B + 7, a[3], b[3];
    const ac_lane m = body->mass / h, *A = body->weighted, *d = body->R_b;
    ac_lane trace = A[0] * d[0];
    for (int i = 1; i < 9; ++i) trace += A[i] * d[i];
    B[0] = m;
    for (int i = 0; i < 3; ++i) {
        a[i] = body->x_a[i] - reference[i];
        b[i] = body->x_b[i] - reference[i];
        B[1 + i] = m * a[i];
        B[4 + i] = m * b[i];
    }
    /* (trace - d A^T)/h, and the moment of m (spin x b) about the reference point: m (a . b - b a^T) */
    const ac_lane product = trace / h + B[1] * b[0] + B[2] * b[1] + B[3] * b[2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ac_lane outer = d[3 * i] * A[3 * j] + d[3 * i + 1] * A[3 * j + 1] +
                                  d[3 * i + 2] * A[3 * j + 2];
            X[3 * i + j] = -outer / h - b[i] * B[1 + j];
            if (i == j) X[3 * i + j] += product;
        }
}
