/* Forward dynamics: cost of a step, alone and beside MuJoCo's fourth-order Runge-Kutta step of the same
 * mechanism.
 *
 *   open chain of n hinges, 10 to 10 000 (links of 1 m and 1 kg, released with the first hinge at 1 rad, step 1 ms):
 *     exponent of the time per step from n = 100 on, at most 1.1
 *   closed ring of n planar links, 500 to 4000: exponent at most 1.3, at most 0.2 s at 2000; assembly the same
 *   crank-rocker four-bar: a step costs no more than one of MuJoCo
 *   chain of 10: within 5 times one of MuJoCo
 * All ratios are of times taken in this run, alternating between the two programs, minimum of the repeats.
 */
#include "actio/actio.h"
#include "bench.h"

#ifdef BENCH_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_simulation: %s\n", ac_context_message(ctx));
    exit(1);
}

/* Frame whose z axis is the world's -y (or y): rotation that takes z there. */
static ac_pose hinge_frame(double x, double y, double z)
{
    ac_pose frame = ac_pose_identity();
    const double rotation[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}; /* columns x, -z, y: the axis is +y */
    for (int i = 0; i < 9; ++i) frame.rotation[i] = rotation[i];
    frame.position[0] = x;
    frame.position[1] = y;
    frame.position[2] = z;
    return frame;
}

static int add_rod(ac_context *ctx, ac_system *system, double length, double mass)
{
    double J = mass * length * length / 12.0;
    ac_body body = {
        .name = "rod", .mass = mass, .inertia = {0, J, J, 0, 0, 0}, .centre = {0.5 * length, 0, 0}};
    int node;
    must(ctx, ac_system_add_body(system, &body, &node));
    return node;
}

static void add_hinge(ac_context *ctx, ac_system *system, int a, double x_a, int b, double x_b, double angle,
                      int given)
{
    ac_joint joint = {.name = "hinge",
                      .type = AC_REVOLUTE,
                      .a = a,
                      .b = b,
                      .frame_a = hinge_frame(x_a, 0, 0),
                      .frame_b = hinge_frame(x_b, 0, 0),
                      .has_coordinates = given != 0,
                      .coordinates = {angle}};
    must(ctx, ac_system_add_joint(system, &joint, NULL));
}

static ac_system *make_chain(ac_context *ctx, int n)
{
    ac_system *system;
    const double gravity[3] = {0, 0, -9.81};
    must(ctx, ac_system_new(ctx, &system));
    must(ctx, ac_system_set_gravity(system, gravity));
    for (int i = 0; i < n; ++i) {
        int node = add_rod(ctx, system, 1.0, 1.0);
        add_hinge(ctx, system, node - 1, node == 0 ? 0.0 : 1.0, node, 0.0,
                  i == 0 ? 1.5707963267948966 - 1.0 : 0.0, 1);
    }
    must(ctx, ac_system_finish(system, NULL));
    return system;
}

static ac_system *make_four_bar(ac_context *ctx)
{
    ac_system *system;
    const double gravity[3] = {0, 0, -9.81};
    must(ctx, ac_system_new(ctx, &system));
    must(ctx, ac_system_set_gravity(system, gravity));
    int crank = add_rod(ctx, system, 0.7, 0.7), coupler = add_rod(ctx, system, 1.8, 1.8),
        rocker = add_rod(ctx, system, 1.3, 1.3);
    add_hinge(ctx, system, AC_GROUND, 0.0, crank, 0.0, -1.5707963267948966, 1);
    add_hinge(ctx, system, AC_GROUND, 2.0, rocker, 0.0, 0.0, 0);
    add_hinge(ctx, system, crank, 0.7, coupler, 0.0, 0.0, 0);
    add_hinge(ctx, system, coupler, 1.8, rocker, 1.3, 0.0, 0);
    must(ctx, ac_system_finish(system, NULL));
    return system;
}

/* Seconds per step over `steps` further steps. */
static double time_steps(ac_context *ctx, ac_simulation *simulation, int steps)
{
    double start = bench_now();
    for (int k = 0; k < steps; ++k) must(ctx, ac_simulation_step(simulation));
    return (bench_now() - start) / steps;
}

static double chain_step(ac_context *ctx, int n, const char *formulation)
{
    ac_system *system = make_chain(ctx, n);
    ac_simulation_settings settings;
    ac_simulation *simulation;
    ac_simulation_defaults(&settings);
    settings.formulation = formulation;
    must(ctx, ac_simulation_new(ctx, system, &settings, &simulation));
    int steps = n <= 100 ? 1000 : n <= 1000 ? 100 : 20;
    double best = 1e9;
    for (int r = 0; r < 5; ++r) {
        double t = time_steps(ctx, simulation, steps);
        if (t < best) best = t;
    }
    ac_simulation_free(simulation);
    ac_system_free(system);
    return best;
}

static int chains(ac_context *ctx, const char *formulation)
{
    static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
    enum { COUNT = sizeof sizes / sizeof *sizes, FIRST = 2 };
    double x[COUNT], y[COUNT];
    char name[80];
    for (int k = 0; k < COUNT; ++k) {
        x[k] = sizes[k];
        y[k] = chain_step(ctx, sizes[k], formulation);
        snprintf(name, sizeof name, "chain of %d hinges, %s, time per step", sizes[k], formulation);
        bench_report(name, 1e6 * y[k], "us", 0.0);
    }
    snprintf(name, sizeof name, "exponent of the time per step, 100 to 10 000, %s", formulation);
    return bench_report(name, bench_exponent(COUNT - FIRST, x + FIRST, y + FIRST), "", 1.1);
}

/* A closed ring of n planar rods of 1 m and 1 kg, each with the velocity of a ring that begins to become an oval. */
static ac_system *make_ring(ac_context *ctx, int n)
{
    const double turn = 2.0 * 3.14159265358979323846 / n, radius = 0.5 / sin(0.5 * turn);
    ac_system *system;
    must(ctx, ac_system_new(ctx, &system));
    for (int i = 0; i < n; ++i) {
        double at = turn * (i + 0.5), heading = turn * (i + 1) + 1.5707963267948966;
        ac_planar_body body = {.name = "rod",
                               .mass = 1.0,
                               .inertia = 1.0 / 12.0,
                               .placed = true,
                               .position = {radius * cos(at), radius * sin(at)},
                               .angle = heading,
                               .moving = true,
                               .velocity = {0.1 * cos(2.0 * at) * cos(at), 0.0},
                               .spin_follows = true};
        must(ctx, ac_system_add_planar_body(system, &body, NULL));
    }
    for (int i = 0; i < n; ++i) {
        ac_joint joint = {.name = "hinge", .type = AC_REVOLUTE, .a = i, .b = (i + 1) % n};
        joint.frame_a = joint.frame_b = ac_pose_identity();
        joint.frame_a.position[0] = 0.5;
        joint.frame_b.position[0] = -0.5;
        must(ctx, ac_system_add_joint(system, &joint, NULL));
    }
    must(ctx, ac_system_finish(system, NULL));
    return system;
}

static int rings(ac_context *ctx)
{
    static const int sizes[] = {500, 1000, 2000, 4000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    double x[COUNT], step[COUNT], assembly[COUNT];
    char name[80];
    int bad = 0;
    for (int k = 0; k < COUNT; ++k) {
        ac_simulation_settings settings;
        ac_simulation *simulation;
        double start = bench_now();
        ac_system *system = make_ring(ctx, sizes[k]);
        x[k] = sizes[k];
        assembly[k] = bench_now() - start;
        ac_simulation_defaults(&settings);
        must(ctx, ac_simulation_new(ctx, system, &settings, &simulation));
        step[k] = 1e9;
        for (int r = 0; r < 5; ++r) step[k] = fmin(step[k], time_steps(ctx, simulation, 5));
        ac_simulation_free(simulation);
        ac_system_free(system);
        snprintf(name, sizeof name, "ring of %d planar links, assembly", sizes[k]);
        bench_report(name, 1e3 * assembly[k], "ms", 0.0);
        snprintf(name, sizeof name, "ring of %d planar links, time per step", sizes[k]);
        bad += bench_report(name, 1e3 * step[k], "ms", sizes[k] == 2000 ? 200.0 : 0.0);
    }
    bad += bench_report("exponent of the time per step, ring", bench_exponent(COUNT, x, step), "", 1.3);
    bad += bench_report("exponent of assembly, ring", bench_exponent(COUNT, x, assembly), "", 1.3);
    return bad;
}

#ifdef BENCH_HAVE_MUJOCO

typedef struct peer {
    mjModel *model;
    mjData *data;
} peer;

static peer load(const char *xml)
{
    const char *folder = getenv("TMPDIR");
    char path[400], error[500] = "";
    snprintf(path, sizeof path, "%.300s/actio-bench-XXXXXX", folder ? folder : P_tmpdir);
    int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out) exit(1);
    fputs(xml, out);
    fclose(out);
    peer p;
    p.model = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (!p.model) {
        fprintf(stderr, "bench_simulation: mujoco: %s\n", error);
        exit(1);
    }
    p.data = mj_makeData(p.model);
    return p;
}

static double time_peer(peer *p, int steps)
{
    double start = bench_now();
    for (int k = 0; k < steps; ++k) mj_step(p->model, p->data);
    return (bench_now() - start) / steps;
}

static void free_peer(peer *p)
{
    mj_deleteData(p->data);
    mj_deleteModel(p->model);
}

static char xml[1 << 16];

static peer peer_chain(int n)
{
    char *at = xml;
    at += sprintf(at, "<mujoco><option timestep='0.001' integrator='RK4' gravity='0 0 -9.81'><flag "
                      "contact='disable'/></option>"
                      "<worldbody>");
    for (int i = 0; i < n; ++i)
        at += sprintf(
            at,
            "<body pos='%d 0 0'><joint name='j%d' type='hinge' axis='0 1 0'/>"
            "<inertial pos='0.5 0 0' mass='1' diaginertia='1e-5 0.083333333333333 0.083333333333333'/>",
            i > 0, i);
    for (int i = 0; i < n; ++i) at += sprintf(at, "</body>");
    sprintf(at, "</worldbody></mujoco>");
    peer p = load(xml);
    p.data->qpos[0] = 1.5707963267948966 - 1.0;
    return p;
}

/* The loop is closed by an equality constraint, tuned as stiff as it goes: two steps time constant,
 * impedance 0.9999. */
static peer peer_four_bar(void)
{
    static const double length[3] = {0.7, 1.8, 1.3};
    double J[3];
    for (int i = 0; i < 3; ++i) J[i] = length[i] * length[i] * length[i] / 12.0;
    /* drawn upright: crank along z, coupler towards (1.708, 1.267), rocker from (2, 0) */
    snprintf(xml, sizeof xml,
             "<mujoco><compiler angle='radian'/>"
             "<option timestep='0.001' integrator='RK4' gravity='0 0 -9.81'><flag "
             "contact='disable'/></option><worldbody>"
             "<body><joint type='hinge' axis='0 1 0'/><inertial pos='0 0 0.35' mass='0.7' diaginertia='%g %g "
             "1e-5'/>"
             "<body pos='0 0 0.7'><joint type='hinge' axis='0 1 0'/>"
             "<inertial pos='0.854203186547755 0 0.283437675850727' mass='1.8' diaginertia='%g %g %g'/>"
             "<body name='coupler_end' pos='1.708406373095509 0 0.566875351701455'>"
             "<inertial pos='0 0 0' mass='1e-6' diaginertia='1e-8 1e-8 1e-8'/></body></body></body>"
             "<body pos='2 0 0'><joint type='hinge' axis='0 1 0'/>"
             "<inertial pos='-0.145796813452245 0 0.633437675850727' mass='1.3' diaginertia='%g %g %g'/>"
             "<body name='rocker_end' pos='-0.291593626904491 0 1.266875351701455'>"
             "<inertial pos='0 0 0' mass='1e-6' diaginertia='1e-8 1e-8 1e-8'/></body></body></worldbody>"
             "<equality><connect body1='coupler_end' body2='rocker_end' anchor='0 0 0' solref='0.002 1' "
             "solimp='0.9999 0.9999 0.001 0.5 2'/></equality></mujoco>",
             J[0], J[0], J[1], J[1], J[1], J[2], J[2], J[2]);
    return load(xml);
}

static int beside_mujoco(ac_context *ctx, const char *name, ac_system *system, peer p, double bound)
{
    ac_simulation_settings settings;
    ac_simulation *simulation;
    ac_simulation_defaults(&settings);
    must(ctx, ac_simulation_new(ctx, system, &settings, &simulation));
    double ours = 1e9, theirs = 1e9;
    for (int r = 0; r < 15; ++r) {
        double a = time_steps(ctx, simulation, 1000), b = time_peer(&p, 1000);
        if (a < ours) ours = a;
        if (b < theirs) theirs = b;
    }
    char line[100];
    snprintf(line, sizeof line, "%s, actio", name);
    bench_report(line, 1e6 * ours, "us", 0.0);
    snprintf(line, sizeof line, "%s, MuJoCo RK4", name);
    bench_report(line, 1e6 * theirs, "us", 0.0);
    snprintf(line, sizeof line, "%s, ratio", name);
    int bad = bench_report(line, ours / theirs, "", bound);
    ac_simulation_free(simulation);
    ac_system_free(system);
    free_peer(&p);
    return bad;
}

#endif

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    int bad = 0;
    if (!ctx) return 1;
#ifdef BENCH_HAVE_MUJOCO
    bad += beside_mujoco(ctx, "four-bar, time per step", make_four_bar(ctx), peer_four_bar(), 1.0);
    bad += beside_mujoco(ctx, "chain of 2, time per step", make_chain(ctx, 2), peer_chain(2), 0.0);
    bad += beside_mujoco(ctx, "chain of 5, time per step", make_chain(ctx, 5), peer_chain(5), 0.0);
    bad += beside_mujoco(ctx, "chain of 10, time per step", make_chain(ctx, 10), peer_chain(10), 5.0);
    bad += beside_mujoco(ctx, "chain of 40, time per step", make_chain(ctx, 40), peer_chain(40), 0.0);
#else
    ac_system *four_bar = make_four_bar(ctx);
    ac_system_free(four_bar);
    puts("MuJoCo is not installed: comparisons left out (package libmujoco-dev)");
#endif
    bad += chains(ctx, "reduced");
    bad += chains(ctx, "multipliers");
    bad += rings(ctx);
    ac_context_free(ctx);
    return bad ? 1 : 0;
}
