/* A state is a value: a run goes on from the full state with the same bits, from (q, p, t, winding) with the
 * same motion to round-off, and a simulation that is restarted is as good as a new one. For all schemes and
 * formulations, trees, loops, beams and angles of several turns. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/actio.h"
#include "support/beams.h"
#include "support/mechanisms.h"
#include "support/memory.h"
#include "support/record.h"
#include "support/trial.h"
#include "test.h"

static const char *const FORMULATIONS[] = {"reduced", "null-space", "multipliers"};
enum { HALF = 15 };

static int width_of(const ac_channel *channels, int count)
{
    int width = 0;
    for (int k = 0; k < count; ++k) width += channels[k].width;
    return width;
}

/* Takes steps; returns all rows, one after another, which the caller frees. */
static double *rows_of(ac_simulation *sim, int steps, size_t *size)
{
    int count;
    const ac_channel *channels = ac_simulation_node_channels(sim, &count);
    int nodes = width_of(channels, count);
    channels = ac_simulation_interval_channels(sim, &count);
    int intervals = width_of(channels, count);
    *size = (size_t)steps * (size_t)(nodes + intervals);
    double *rows = calloc(*size, sizeof *rows), *at = rows;
    for (int k = 0; k < steps; ++k) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        CHECK(ac_simulation_node_row(sim, false, at) == AC_OK);
        CHECK(ac_simulation_interval_row(sim, at + nodes) == AC_OK);
        at += nodes + intervals;
    }
    return rows;
}

static ac_simulation *begin(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings)
{
    ac_simulation *sim = NULL;
    ac_status status = ac_simulation_new(ctx, system, settings, &sim);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return sim;
}

/* (q, p, t, winding) of the state, set into `sim`, leads to the same end. `loose`: how far. */
static void check_put(ac_context *ctx, ac_simulation *sim, const ac_state *from, const double *end, int n,
                      double loose)
{
    ac_state *state = through_bytes(ctx, from);
    CHECK(ac_state_put(state, ac_state_time(from), NULL, NULL, NULL) == AC_OK);
    CHECK(ac_simulation_set_state(sim, state) == AC_OK);
    for (int k = 0; k < HALF; ++k) CHECK(ac_simulation_step(sim) == AC_OK);
    double off = largest_difference(n, ac_simulation_configuration(sim), end);
    if (!(off <= loose)) printf("put: off by %g\n", off);
    CHECK(off <= loose);
    ac_state_free(state);
}

static void check_system(ac_context *ctx, const char *name, const ac_system *system,
                         const ac_simulation_settings *settings, double loose)
{
    int n = ac_system_sizes(system).coordinates, failed = test_failures;
    size_t size[5];
    double *rows[5] = {0};
    ac_state *state = NULL, *end = NULL;
    ac_simulation *sim = begin(ctx, system, settings), *other = begin(ctx, system, settings);
    if (!sim || !other) return;
    rows[0] = rows_of(sim, HALF, &size[0]);
    CHECK(ac_state_new(ctx, sim, &state) == AC_OK);
    CHECK(ac_state_time(state) == ac_simulation_time(sim) && ac_state_size(state) == n);
    rows[1] = rows_of(sim, HALF, &size[1]);
    CHECK(ac_state_new(ctx, sim, &end) == AC_OK);

    ac_state *read = through_bytes(ctx, state);
    CHECK(ac_simulation_set_state(other, read) == AC_OK);
    rows[2] = rows_of(other, HALF, &size[2]);
    CHECK(memcmp(rows[1], rows[2], size[1] * sizeof(double)) == 0);

    CHECK(ac_simulation_set_state(sim, state) == AC_OK); /* back in the same simulation */
    rows[3] = rows_of(sim, HALF, &size[3]);
    CHECK(memcmp(rows[1], rows[3], size[1] * sizeof(double)) == 0);

    ac_simulation_restart(sim);
    rows[4] = rows_of(sim, HALF, &size[4]);
    CHECK(memcmp(rows[0], rows[4], size[0] * sizeof(double)) == 0);
    check_put(ctx, other, state, ac_state_configuration(end), n, loose);

    if (test_failures > failed) printf("  %s, %s, %s\n", name, settings->scheme, settings->formulation);
    for (int k = 0; k < 5; ++k) free(rows[k]);
    ac_state_free(state);
    ac_state_free(end);
    ac_state_free(read);
    ac_simulation_free(sim);
    ac_simulation_free(other);
}

TEST(mechanisms_go_on)
{
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                rig r;
                rig_open(&r, NULL);
                mechanisms[k].draw(&r);
                CHECK(rig_finish(&r) == AC_OK);
                ac_simulation_settings settings = record_settings(*scheme, FORMULATIONS[f], mechanisms[k].h);
                check_system(r.ctx, mechanisms[k].name, r.system, &settings, 1e-9);
                rig_close(&r);
            }
}

TEST(joint_coordinates_go_on)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        ac_simulation_settings settings = record_settings("trapezoidal", "minimal", mechanisms[k].h);
        if (mechanisms[k].conservative && ac_system_sizes(r.system).loops == 0)
            check_system(r.ctx, mechanisms[k].name, r.system, &settings, 1e-9);
        rig_close(&r);
    }
}

/* Chains of beams (factors in blocks), beams in loops, rods of both models and orders. */
TEST(beams_go_on)
{
    static const char *const files[] = {"examples/flexible/three-bar-swing.yaml",
                                        "examples/flexible/slider-crank.yaml",
                                        "examples/flexible/tapered-blade.yaml"};
    for (int k = 0; k < 3; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        CHECK(ac_problem_read(ctx, files[k], NULL, 0, &problem) == AC_OK);
        if (problem) {
            ac_simulation_settings settings = *ac_problem_simulation(problem);
            check_system(ctx, files[k], ac_problem_system(problem), &settings, 1e-7);
            settings.formulation = "multipliers";
            check_system(ctx, files[k], ac_problem_system(problem), &settings, 1e-7);
        }
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

TEST(rods_go_on)
{
    static const struct {
        ac_beam_model model;
        int order;
    } kinds[] = {{AC_BEAM_DIRECTOR, 1}, {AC_BEAM_DIRECTOR, 2}, {AC_BEAM_VERTEX, 1}, {AC_BEAM_EDGE, 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_system *system;
        beam_data d = {.model = kinds[k].model,
                       .order = kinds[k].order,
                       .elements = 6,
                       .length = 1,
                       .shear = 1e4,
                       .axial = 2e4,
                       .bending = {2, 1},
                       .torsion = 1.5,
                       .mass = 1,
                       .inertia = 1e-4};
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "rod", &d, NULL);
        hold(system, AC_FIXED, first, (double[3]){0, 0, 0});
        push(ctx, system, AC_LOAD_FORCE, first + last_node(&d), 0, 0.2, -0.5);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                ac_simulation_settings settings;
                ac_simulation_defaults(&settings);
                settings.scheme = *scheme;
                settings.formulation = FORMULATIONS[f];
                settings.step = 2e-5; /* the trapezoidal scheme follows its vibrations */
                check_system(ctx, "rod", system, &settings, 1e-9);
            }
        ac_system_free(system);
        ac_context_free(ctx);
    }
}

/* A wheel on a torsion spring: after many turns the spring knows how far it is wound, also in another
 * formulation, with another step, and from a state that was put. */
TEST(turns_are_counted)
{
    const double J[3] = {0.1, 0.1, 0.2}, origin[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    rig r;
    rig_open(&r, NULL);
    int wheel = rig_body(&r, "wheel", 1.0, J, origin, NULL);
    int joint = rig_joint(&r, "axle", AC_REVOLUTE, AC_GROUND, wheel, origin, z, (double[3]){0, 0, 0});
    rig_rates(&r, joint, 30.0, 0, 0);
    rig_joint_spring(&r, joint, 0, 0.2, 0.0, 0.0);
    CHECK(rig_finish(&r) == AC_OK);
    record run, go_on;
    ac_state *state = NULL;
    ac_simulation_settings settings = record_settings("midpoint", "reduced", 0.01);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    CHECK(record_steps(&run, 120) == AC_OK);
    CHECK(ac_state_new(r.ctx, run.simulation, &state) == AC_OK);
    int count;
    CHECK(ac_state_winding(state, &count)[0] > 8 * M_PI && count == 1);
    CHECK(record_steps(&run, 100) == AC_OK && record_node(&run, true) == AC_OK);
    double angle = *record_at(&run, "joint/axle/angle");
    /* amplitude w0 sqrt(J/k) = 30 rad, quarter of a period 1.57 s */
    CHECK_NEAR(angle, 30.0 * sin(2.2), 0.1); /* a turn of 0.3 rad in a step costs a little */
    for (int f = 0; f < 3; ++f)
        for (int fine = 0; fine < 2; ++fine) {
            ac_simulation_settings other = record_settings("midpoint", FORMULATIONS[f], fine ? 0.005 : 0.01);
            ac_state *copy = through_bytes(r.ctx, state);
            CHECK(ac_state_copy(state, copy) == AC_OK);
            if (fine) CHECK(ac_state_put(copy, ac_state_time(copy), NULL, NULL, NULL) == AC_OK);
            CHECK(record_open(&go_on, r.ctx, r.system, &other) == AC_OK);
            CHECK(ac_simulation_set_state(go_on.simulation, copy) == AC_OK);
            CHECK_NEAR(ac_simulation_time(go_on.simulation), 1.2, 1e-12);
            CHECK(record_steps(&go_on, fine ? 200 : 100) == AC_OK && record_node(&go_on, true) == AC_OK);
            CHECK_NEAR(ac_simulation_time(go_on.simulation), 2.2, 1e-12);
            CHECK_NEAR(*record_at(&go_on, "joint/axle/angle"), angle, fine ? 2e-2 : 1e-9);
            record_close(&go_on);
            ac_state_free(copy);
        }
    ac_state_free(state);
    record_close(&run);
    rig_close(&r);
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "rb+");
    if (!file) return;
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

/* A file that was damaged, cut or is none is refused with its name. */
TEST(files_are_checked)
{
    rig r;
    record run;
    rig_open(&r, NULL);
    mechanism_named("spatial loop")->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_simulation_settings settings = record_settings("midpoint", "reduced", 0.005);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    CHECK(record_steps(&run, 3) == AC_OK);
    ac_state *state = NULL, *read = NULL;
    char path[] = "/tmp/actio-state-XXXXXX";
    int handle = mkstemp(path);
    CHECK(handle >= 0);
    CHECK(ac_state_new(r.ctx, run.simulation, &state) == AC_OK);
    CHECK(ac_state_write(state, path) == AC_OK);
    CHECK(ac_state_read(r.ctx, path, &read) == AC_OK);
    if (read)
        CHECK(memcmp(ac_state_momentum(read), ac_state_momentum(state), (size_t)ac_state_size(state) * 8) ==
              0);
    ac_state_free(read);
    flip(path, (long)ac_state_bytes(state) / 2);
    CHECK(ac_state_read(r.ctx, path, &read) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r.ctx), path) && strstr(ac_context_message(r.ctx), "check sum"));
    CHECK(truncate(path, (off_t)ac_state_bytes(state) / 2) == 0);
    CHECK(ac_state_read(r.ctx, path, &read) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r.ctx), "missing"));
    remove(path);
    CHECK(ac_state_read(r.ctx, path, &read) == AC_IO_FAILED);
    CHECK(ac_state_write(state, "/nowhere/at/all") == AC_IO_FAILED);
    double wrong[64] = {NAN};
    CHECK(ac_state_put(state, 0.0, wrong, NULL, NULL) == AC_BAD_INPUT);
    close(handle);
    ac_state_free(state);
    record_close(&run);
    rig_close(&r);
}

/* Taking, setting and restarting allocate nothing; a state of another system is refused. */
TEST(nothing_is_allocated)
{
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    rig r, s;
    record run, other;
    rig_open(&r, ctx);
    mechanism_named("sprung chain")->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    rig_open(&s, ctx);
    mechanism_named("spatial loop")->draw(&s);
    CHECK(rig_finish(&s) == AC_OK);
    ac_simulation_settings settings = record_settings("midpoint", "reduced", 0.005);
    CHECK(record_open(&run, ctx, r.system, &settings) == AC_OK);
    CHECK(record_open(&other, ctx, s.system, &settings) == AC_OK);
    CHECK(record_steps(&run, 3) == AC_OK);
    ac_state *state = NULL;
    CHECK(ac_state_new(ctx, run.simulation, &state) == AC_OK);
    long before = m.calls;
    CHECK(ac_simulation_get_state(run.simulation, state) == AC_OK);
    CHECK(ac_simulation_set_state(run.simulation, state) == AC_OK);
    ac_simulation_restart(run.simulation);
    CHECK(m.calls == before);
    CHECK(ac_simulation_set_state(other.simulation, state) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "coordinates"));
    CHECK(record_steps(&other, 3) == AC_OK);
    ac_state_free(state);
    record_close(&run);
    record_close(&other);
    rig_close(&r);
    rig_close(&s);
    ac_context_free(ctx);
    CHECK(m.held == 0);
}

RUN_TESTS(CASE(mechanisms_go_on), CASE(joint_coordinates_go_on), CASE(beams_go_on), CASE(rods_go_on),
          CASE(turns_are_counted), CASE(files_are_checked), CASE(nothing_is_allocated))
