/* Rotations and directions as they are given: numbers, and expressions where they depend on parameters whose values are set.
 * Free parameters of an optimisation do not turn anything. */
#include <string.h>

#include "base/base.h"
#include "problem/build/parameters.h"

static bool is_zero(ac_num a)
{
    return !a.node && a.v == 0.0;
}

static void take_numbers(const double *numbers, int count, ac_num *out)
{
    for (int k = 0; k < count; ++k) out[k] = ac_num_of(numbers[k]);
}

/* A list of numbers; false in `depends`: all of them are. */
static ac_status follow_vector(ac_builder *b, const ac_value *list, ac_num out[3], bool *depends)
{
    int k = 0;
    *depends = false;
    for (const ac_value *value = list->first; value && k < 3; value = value->next, ++k) {
        AC_TRY(ac_read_number(&b->reader, value, "a component", AC_DIM_ANY, &out[k].v));
        AC_TRY(ac_follow(&b->reader, value, &out[k].node));
        *depends = *depends || out[k].node;
    }
    for (; k < 3; ++k) out[k] = ac_num_of(0.0);
    return AC_OK;
}

/* Numbers are those that were read, which differ by rounding at most. */
static ac_status keep_numbers(ac_graph *s, const double *numbers, int count, ac_num *out)
{
    for (int k = 0; k < count; ++k) out[k].v = numbers[k];
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

ac_status ac_follow_direction(ac_builder *b, const ac_value *value, const double direction[3], ac_num out[3])
{
    ac_graph *s = b->reader.graph;
    ac_num given[3];
    bool depends;
    take_numbers(direction, 3, out);
    if (!ac_sets_values(b) || !value || value->kind != AC_LIST) return AC_OK;
    AC_TRY(follow_vector(b, value, given, &depends));
    if (!depends) return AC_OK;
    ac_num length = ac_num_unary(s, OP_SQRT, ac_num_dot3(s, given, given));
    for (int k = 0; k < 3; ++k)
        if (!is_zero(given[k])) out[k] = ac_num_divide(s, given[k], length);
    return keep_numbers(s, direction, 3, out);
}

/* cos 1 + sin [n]x + (1 - cos) n n^T */
static void turn_about(ac_graph *s, const ac_num n[3], ac_num angle, ac_num R[9])
{
    ac_num c = ac_num_unary(s, OP_COS, angle), sine = ac_num_unary(s, OP_SIN, angle),
           rest = ac_num_subtract(s, ac_num_of(1.0), c);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int k = 3 - i - j;
            ac_num entry = is_zero(n[i]) || is_zero(n[j])
                               ? ac_num_of(0.0)
                               : ac_num_multiply(s, rest, ac_num_multiply(s, n[i], n[j]));
            if (i == j) entry = ac_num_add(s, entry, c);
            if (i != j && !is_zero(n[k])) {
                ac_num across = ac_num_multiply(s, sine, n[k]);
                entry = (i + 1) % 3 == j ? ac_num_subtract(s, entry, across) : ac_num_add(s, entry, across);
            }
            R[3 * i + j] = entry;
        }
}

/* sin(x)/x. Under the root a number that no angle notices: at zero the quotient and its derivatives are finite, and they
 * have no part in those of the rotation. */
static ac_num sine_quotient(ac_graph *s, ac_num square, double factor)
{
    static const double NOTHING = 1e-30;
    ac_num x = ac_num_scale(s, factor, ac_num_unary(s, OP_SQRT, ac_num_add(s, square, ac_num_of(NOTHING))));
    return ac_num_divide(s, ac_num_unary(s, OP_SIN, x), x);
}

/* 1 + A [v]x + B (v v^T - v^2 1), A = sin(x)/x, B = (sin(x/2)/(x/2))^2 / 2, x = |v| */
static void turn_by(ac_graph *s, const ac_num v[3], ac_num R[9])
{
    ac_num square = ac_num_dot3(s, v, v), A = sine_quotient(s, square, 1.0),
           half = sine_quotient(s, square, 0.5), B = ac_num_scale(s, 0.5, ac_num_multiply(s, half, half));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int k = 3 - i - j;
            ac_num entry = is_zero(v[i]) || is_zero(v[j]) ? ac_num_of(0.0) : ac_num_multiply(s, v[i], v[j]);
            if (i == j) entry = ac_num_subtract(s, entry, square);
            entry = is_zero(entry) ? entry : ac_num_multiply(s, B, entry);
            if (i == j) entry = ac_num_add(s, entry, ac_num_of(1.0));
            if (i != j && !is_zero(v[k])) {
                ac_num across = ac_num_multiply(s, A, v[k]);
                entry = (i + 1) % 3 == j ? ac_num_subtract(s, entry, across) : ac_num_add(s, entry, across);
            }
            R[3 * i + j] = entry;
        }
}

/* A rotation vector: about one of the axes, or about its own direction; it may be zero. */
static ac_status follow_vector_turn(ac_builder *b, ac_graph *s, const ac_value *value, ac_num R[9])
{
    ac_num v[3], n[3] = {{0}};
    bool depends;
    int others = 0, last = 0;
    AC_TRY(follow_vector(b, value, v, &depends));
    for (int k = 0; k < 3; ++k) {
        others += !is_zero(v[k]);
        if (!is_zero(v[k])) last = k;
    }
    n[last] = ac_num_of(1.0);
    if (others == 1)
        turn_about(s, n, v[last], R);
    else
        turn_by(s, v, R);
    return AC_OK;
}

/* Three rows, or columns. */
static ac_status follow_matrix(ac_builder *b, const ac_value *value, bool columns, ac_num R[9])
{
    int row = 0;
    for (const ac_value *child = value->first; child && row < 3; child = child->next, ++row) {
        ac_num x[3];
        bool depends;
        AC_TRY(follow_vector(b, child, x, &depends));
        for (int k = 0; k < 3; ++k) R[columns ? 3 * k + row : 3 * row + k] = x[k];
    }
    return AC_OK;
}

static ac_status follow_axis_angle(ac_builder *b, ac_graph *s, const ac_value *value, ac_num R[9])
{
    ac_rotation_input input;
    double axis[3];
    ac_num n[3], angle;
    AC_TRY(ac_section_read(&b->reader, &ac_section_rotation, value, &input, sizeof input));
    AC_TRY(ac_read_direction(b, input.axis.at, "axis", 3, axis));
    AC_TRY(ac_follow_direction(b, input.axis.at, axis, n));
    angle.v = input.angle.value;
    AC_TRY(ac_follow(&b->reader, input.angle.at, &angle.node));
    turn_about(s, n, angle, R);
    return AC_OK;
}

ac_status ac_follow_rotation(ac_builder *b, const ac_value *value, bool directors, const double rotation[9],
                             ac_num out[9])
{
    ac_graph *s = b->reader.graph;
    take_numbers(rotation, 9, out);
    if (!ac_sets_values(b) || !value || !ac_depends(&b->reader, value)) return AC_OK;
    if (value->kind == AC_MAP)
        AC_TRY(follow_axis_angle(b, s, value, out));
    else if (value->first->kind == AC_LIST)
        AC_TRY(follow_matrix(b, value, directors, out));
    else
        AC_TRY(follow_vector_turn(b, s, value, out));
    return keep_numbers(s, rotation, 9, out);
}
