/* Impacts against a hybrid reference simulator: smooth motion by Runge-Kutta in minimal coordinates, the time of
 * impact by bisection, and the continuous jump maps in closed form. One case for each kind of collision: elastic and
 * lossy, free and constrained; plastic, free and constrained; transfer. Everything must converge with order 2. */
#include <stdlib.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

/* --- the reference --- */

enum { MOST = 8 };

typedef struct hybrid {
    int n; /* freedoms: state is (q, v) */
    void (*acceleration)(const double *q, const double *v, int phase, double *a);
    double (*gap)(const double *q);
    void (*jump)(double *q, double *v, double *loss);
    double from; /* the gap counts from here on */
    int phase;
    double impact_time, loss, before[MOST], after[MOST];
} hybrid;

static void rates_of(const hybrid *s, const double *x, double *dx)
{
    for (int i = 0; i < s->n; ++i) dx[i] = x[s->n + i];
    s->acceleration(x, x + s->n, s->phase, dx + s->n);
}

static void runge_kutta(const hybrid *s, double h, double *x)
{
    double k[4][2 * MOST], y[2 * MOST];
    static const double part[4] = {0.0, 0.5, 0.5, 1.0};
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < 2 * s->n; ++i)
            y[i] = x[i] + (stage > 0 ? part[stage] * h * k[stage - 1][i] : 0.0);
        rates_of(s, y, k[stage]);
    }
    for (int i = 0; i < 2 * s->n; ++i) x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* One impact at most. */
static void hybrid_run(hybrid *s, double *x, double until)
{
    double t = 0.0, h = 1e-4;
    while (t < until - 1e-13) {
        double step = fmin(h, until - t), start[2 * MOST];
        memcpy(start, x, sizeof start);
        runge_kutta(s, step, x);
        if (s->phase == 0 && t > s->from && s->gap(x) < 0.0) {
            double low = 0.0, high = step;
            for (int k = 0; k < 60; ++k) {
                double middle = 0.5 * (low + high);
                memcpy(x, start, sizeof start);
                runge_kutta(s, middle, x);
                *(s->gap(x) < 0.0 ? &high : &low) = middle;
            }
            step = high;
            s->impact_time = t + step;
            memcpy(s->before, x + s->n, (size_t)s->n * sizeof *x);
            s->jump(x, x + s->n, &s->loss);
            memcpy(s->after, x + s->n, (size_t)s->n * sizeof *x);
            s->phase = 1;
        }
        t += step;
    }
}

static const double g = 9.81;

/* A point that falls, restitution e. */
static double restitution;

static void falling(const double *q, const double *v, int phase, double *a)
{
    (void)q, (void)v, (void)phase;
    a[0] = 0.0;
    a[1] = -g;
}
static double height(const double *q)
{
    return q[1];
}
static void bounce(double *q, double *v, double *loss)
{
    (void)q;
    *loss = 0.5 * (1.0 - restitution * restitution) * v[1] * v[1];
    v[1] = -restitution * v[1];
}

/* A pendulum of length 1 from the downward vertical. */
static void swinging(const double *q, const double *v, int phase, double *a)
{
    (void)v, (void)phase;
    a[0] = -g * sin(q[0]);
}
static double wall(const double *q)
{
    return sin(q[0]) + 0.3;
}
static void rebound(double *q, double *v, double *loss)
{
    (void)q;
    *loss = 0.5 * (1.0 - restitution * restitution) * v[0] * v[0];
    v[0] = -restitution * v[0];
}

/* A rod of length and mass 1: centre and angle; after the impact it turns about its end. */
static void rod(const double *q, const double *v, int phase, double *a)
{
    a[0] = 0.0;
    a[1] = -g;
    a[2] = 0.0;
    if (phase == 0) return;
    double J = 1.0 / 12.0 + 0.25, turn = -g * 0.5 * cos(q[2]) / J;
    a[2] = turn;
    a[0] = 0.5 * (-sin(q[2]) * turn - cos(q[2]) * v[2] * v[2]);
    a[1] = 0.5 * (cos(q[2]) * turn - sin(q[2]) * v[2] * v[2]);
}
static double rod_end(const double *q)
{
    return q[1] - 0.5 * sin(q[2]);
}
static double rod_energy(const double *v)
{
    return 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12.0);
}
/* The angular momentum about the end stays. */
static void rod_sticks(double *q, double *v, double *loss)
{
    double x = 0.5 * cos(q[2]), y = 0.5 * sin(q[2]), before = rod_energy(v);
    double momentum = x * v[1] - y * v[0] + v[2] / 12.0;
    v[2] = momentum / (1.0 / 12.0 + 0.25);
    v[0] = -y * v[2];
    v[1] = x * v[2];
    *loss = before - rod_energy(v);
}

/* Double pendulum of two unit masses, angles from the downward vertical; straight after the impact. */
static void double_pendulum(const double *q, const double *v, int phase, double *a)
{
    if (phase == 1) {
        a[0] = a[1] = -g * 3.0 * sin(q[0]) / 5.0;
        return;
    }
    double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    double f0 = -s * v[1] * v[1] - 2.0 * g * sin(q[0]), f1 = s * v[0] * v[0] - g * sin(q[1]);
    double det = 2.0 - c * c;
    a[0] = (f0 - c * f1) / det;
    a[1] = (2.0 * f1 - c * f0) / det;
}
static double bend(const double *q)
{
    return q[0] - q[1];
}
static void knee_locks(double *q, double *v, double *loss)
{
    (void)q;
    double before = v[0] * v[0] + v[0] * v[1] + 0.5 * v[1] * v[1];
    double after = (3.0 * v[0] + 2.0 * v[1]) / 5.0;
    v[0] = v[1] = after;
    *loss = before - 2.5 * after * after;
}

/* The planar biped of four links, absolute angles (2.8 of the digest): legs 0.5 + 0.5 m, masses 2, 3, 3, 2 kg. The
 * phase says which foot stands; angles keep their links. */
static const double masses[4] = {2.0, 3.0, 3.0, 2.0}, inertias[4] = {2.0 / 96, 3.0 / 96, 3.0 / 96, 2.0 / 96};
static const double centres[4][4] = {
    {0.25, 0, 0, 0}, {0.5, 0.25, 0, 0}, {0.5, 0.5, -0.25, 0}, {0.5, 0.5, -0.5, -0.25}};
static const double feet[4] = {0.5, 0.5, -0.5, -0.5};

/* Coefficients of the centre of link i relative to the standing foot. */
static double arm(int phase, int i, int j)
{
    return centres[i][j] - (phase == 1 ? feet[j] : 0.0);
}
static void biped_mass(const double *q, int left, int right, double A[16])
{
    for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k) {
            A[4 * j + k] = j == k ? inertias[j] : 0.0;
            for (int i = 0; i < 4; ++i)
                A[4 * j + k] += masses[i] * arm(left, i, j) * arm(right, i, k) * cos(q[j] - q[k]);
        }
}
static void solve4(double A[16], double b[4])
{
    for (int k = 0; k < 4; ++k) /* positive definite: no pivots */
        for (int i = k + 1; i < 4; ++i) {
            double f = A[4 * i + k] / A[4 * k + k];
            for (int j = k; j < 4; ++j) A[4 * i + j] -= f * A[4 * k + j];
            b[i] -= f * b[k];
        }
    for (int i = 3; i >= 0; --i) {
        for (int j = i + 1; j < 4; ++j) b[i] -= A[4 * i + j] * b[j];
        b[i] /= A[5 * i];
    }
}
static void walking(const double *q, const double *v, int phase, double *a)
{
    double A[16];
    biped_mass(q, phase, phase, A);
    for (int i = 0; i < 4; ++i) {
        a[i] = 0.0;
        for (int l = 0; l < 4; ++l) a[i] += masses[l] * g * arm(phase, l, i) * sin(q[i]);
        for (int k = 0; k < 4; ++k) {
            double S = 0.0;
            for (int l = 0; l < 4; ++l) S += masses[l] * arm(phase, l, i) * arm(phase, l, k);
            a[i] -= S * sin(q[i] - q[k]) * v[k] * v[k];
        }
    }
    solve4(A, a);
}
static double swing_foot(const double *q)
{
    double y = 0.0;
    for (int j = 0; j < 4; ++j) y += feet[j] * cos(q[j]);
    return y;
}
static double biped_energy(const double *q, const double *v, int phase)
{
    double A[16], sum = 0.0;
    biped_mass(q, phase, phase, A);
    for (int j = 0; j < 16; ++j) sum += 0.5 * v[j / 4] * A[j] * v[j % 4];
    return sum;
}
static void feet_change(double *q, double *v, double *loss)
{
    double C[16], A[16], p[4] = {0};
    *loss = biped_energy(q, v, 0);
    biped_mass(q, 1, 0, C);
    for (int j = 0; j < 16; ++j) p[j / 4] += C[j] * v[j % 4];
    biped_mass(q, 1, 1, A);
    solve4(A, p);
    memcpy(v, p, sizeof p);
    *loss -= biped_energy(q, v, 1);
}

/* --- the same with actio --- */

typedef struct outcome {
    int events;
    double time, loss;
    double q[64]; /* configuration at the end */
} outcome;

static outcome simulate(const char *path, double h, double duration, const char *setting)
{
    char step[64], length[64];
    snprintf(step, sizeof step, "simulate.step=%.17g", h);
    snprintf(length, sizeof length, "simulate.duration=%.17g", duration);
    const char *settings[] = {step, length, setting};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    outcome out = {0};
    ac_status status = ac_problem_read(ctx, path, settings, setting ? 3 : 2, &problem);
    if (status == AC_OK)
        status = ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim);
    long steps = status == AC_OK ? ac_problem_simulation(problem)->steps : 0;
    while (status == AC_OK && ac_simulation_mesh_steps(sim) < steps) status = ac_simulation_step(sim);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        out.events = ac_simulation_contact_events(sim);
        const ac_contact_event *event = ac_simulation_contact_event(sim, 0);
        out.time = event ? event->time : 0.0;
        out.loss = event ? event->energy_before - event->energy_after : 0.0;
        int n = ac_system_sizes(ac_problem_system(problem)).coordinates;
        memcpy(out.q, ac_simulation_configuration(sim), (size_t)n * sizeof *out.q);
    }
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return out;
}

/* Errors of two steps must fall by four, or be rounding. */
static void check_order(double coarse, double fine, double exact)
{
    double a = fabs(coarse - exact), b = fabs(fine - exact);
    CHECK(b <= a / 3.4 || b < 1e-11);
    CHECK(b >= a / 6.0 || b < 1e-7);
}

/* Runs both; `at` is the coordinate of actio that is compared with `value` at the end. */
static void compare(const char *path, const char *setting, double duration, const hybrid *reference, int at,
                    double value, double largest)
{
    const outcome coarse = simulate(path, 5e-3, duration, setting),
                  fine = simulate(path, 2.5e-3, duration, setting);
    check_order(coarse.time, fine.time, reference->impact_time);
    check_order(coarse.loss, fine.loss, reference->loss);
    /* elastic impacts leave an error of the order h_2^2 - h_1^2, which changes its sign */
    if (setting && strstr(setting, "parameters.e")) {
        CHECK_NEAR(coarse.q[at], value, 3.0 * 5e-3 * 5e-3);
        CHECK_NEAR(fine.q[at], value, 3.0 * 2.5e-3 * 2.5e-3);
    } else {
        check_order(coarse.q[at], fine.q[at], value);
    }
    CHECK_NEAR(fine.time, reference->impact_time, largest);
    CHECK_NEAR(fine.loss, reference->loss, 30.0 * largest);
    CHECK_NEAR(fine.q[at], value, 10.0 * largest);
}

TEST(a_ball_bounces_elastic_and_lossy)
{
    for (int lossy = 0; lossy < 2; ++lossy) {
        restitution = lossy ? 0.8 : 1.0;
        hybrid s = {.n = 2, .acceleration = falling, .gap = height, .jump = bounce};
        double x[2 * MOST] = {0.0, 1.0, 0.5, 0.0};
        hybrid_run(&s, x, 0.8);
        CHECK_NEAR(s.impact_time, 0.451523640985731, 1e-11);
        if (lossy) CHECK_NEAR(x[1], 0.63920356, 1e-8);
        outcome out = simulate("examples/contact/thrown-ball.yaml", 0.01, 0.8,
                               lossy ? "parameters.e=0.8" : NULL);
        CHECK_NEAR(out.time, s.impact_time, 1e-13);
        CHECK_NEAR(out.loss, s.loss, 1e-11);
        CHECK_NEAR(out.q[0], 0.4, 1e-13);
        CHECK_NEAR(out.q[1], x[1], 1e-4);
    }
}

TEST(a_pendulum_bounces_off_a_wall)
{
    for (int lossy = 0; lossy < 2; ++lossy) {
        restitution = lossy ? 0.7 : 1.0;
        hybrid s = {.n = 1, .acceleration = swinging, .gap = wall, .jump = rebound};
        double x[2 * MOST] = {3.14159265358979323846 / 3.0, 0.0};
        hybrid_run(&s, x, 1.2);
        CHECK_NEAR(s.impact_time, 0.6370636282, 1e-9); /* 3.2 of the digest */
        CHECK_NEAR(sin(x[0]), lossy ? 0.66017576 : 0.85414736, 1e-8);
        compare("examples/contact/pendulum-at-wall.yaml", lossy ? "parameters.e=0.7" : "parameters.e=1", 1.2,
                &s, 0, sin(x[0]), 1e-5);
    }
}

TEST(a_rod_sticks_with_its_end)
{
    hybrid s = {.n = 3, .acceleration = rod, .gap = rod_end, .jump = rod_sticks};
    double x[2 * MOST] = {0.0, 0.5 + 0.5 * sin(3.14159265358979323846 / 4), 3.14159265358979323846 / 4};
    hybrid_run(&s, x, 0.42);
    CHECK_NEAR(s.impact_time, 0.3192754284, 1e-9);
    CHECK_NEAR(s.after[2], -3.3220851886, 1e-8);
    CHECK_NEAR(s.loss, 3.065625, 1e-9);
    CHECK_NEAR(x[2], 0.3922590513, 1e-8);
    compare("examples/contact/falling-rod.yaml", "contacts.0.keep=true", 0.42, &s, 3, sin(x[2]), 1e-5);
}

TEST(a_knee_locks)
{
    hybrid s = {.n = 2, .acceleration = double_pendulum, .gap = bend, .jump = knee_locks};
    double x[2 * MOST] = {0.3, -0.9, 0.0, 0.0};
    hybrid_run(&s, x, 0.8);
    CHECK_NEAR(s.impact_time, 0.3813942384, 1e-9);
    CHECK_NEAR(s.before[0], -2.40740543, 1e-7);
    CHECK_NEAR(s.before[1], 4.10294384, 1e-7);
    CHECK_NEAR(s.after[0], 0.1967342793, 1e-8);
    CHECK_NEAR(s.loss, 4.2384647693, 1e-8);
    CHECK_NEAR(x[0], -0.0003501944, 1e-8);
    compare("examples/contact/knee-lock.yaml", NULL, 0.8, &s, 0, sin(x[0]), 1e-4);
}

TEST(a_biped_changes_its_foot)
{
    hybrid s = {.n = 4, .acceleration = walking, .gap = swing_foot, .jump = feet_change, .from = 0.02};
    double x[2 * MOST] = {-0.10, -0.05, 0.35, 0.10, -1.2, -1.2, 0.6, 2.2};
    hybrid_run(&s, x, 0.3);
    CHECK_NEAR(s.impact_time, 0.2623766839, 1e-8);
    static const double before[] = {-1.76608822, -4.95432683, -2.26323727, 3.0814244};
    static const double after[] = {-2.51652527, -5.17998438, -7.24907753, 3.79667112};
    static const double end[] = {-0.50376107, -1.1665048, -0.46413461, 1.17183828};
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(s.before[i], before[i], 1e-6);
        CHECK_NEAR(s.after[i], after[i], 1e-6);
        CHECK_NEAR(x[i], end[i], 1e-6);
    }
    CHECK_NEAR(s.loss, 6.3054247724, 1e-6);
    compare("examples/contact/biped-passive.yaml", NULL, 0.3, &s, 2, cos(x[0]), 1e-3);
}

/* Two impacts of the digest, w- = (-1, -1.2, 0.3, 1.5), old labels. */
TEST(the_impact_of_the_biped_is_that_of_the_projection)
{
    static const double angle[2][4] = {{-0.28379411, -0.28379411, 0.28379411, 0.28379411},
                                       {-0.38379411, -0.18664046, 0.38379411, 0.18664046}};
    static const double after[2][4] = {{-2.56011394, 1.40018991, 3.13050812, -3.73520044},
                                       {-1.88888236, 0.37747716, 2.99497725, -3.92494967}};
    static const double kinetic[2][2] = {{5.5719109167, 3.7493844529}, {5.5380210337, 4.3525457710}};
    for (int k = 0; k < 2; ++k) {
        double q[4], v[4] = {-1.0, -1.2, 0.3, 1.5}, loss;
        memcpy(q, angle[k], sizeof q);
        CHECK_NEAR(biped_energy(q, v, 0), kinetic[k][0], 1e-7);
        feet_change(q, v, &loss);
        CHECK_NEAR(biped_energy(q, v, 1), kinetic[k][1], 1e-7);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(v[i], after[k][i], 1e-6);
    }
}

RUN_TESTS(CASE(a_ball_bounces_elastic_and_lossy), CASE(a_pendulum_bounces_off_a_wall),
          CASE(a_rod_sticks_with_its_end), CASE(a_knee_locks), CASE(a_biped_changes_its_foot),
          CASE(the_impact_of_the_biped_is_that_of_the_projection))
