/* Gradients: time of a whole gradient (simulation and sweep backwards) over the time of the simulation alone.
 *
 *   beam of 10 elements that swings about a hinge (dual quaternions, directors), a chain of 20 bodies, a four-bar: at most 3
 *   the same with 1, 4 and 16 parameters: the ratio hardly grows
 *
 * The forward time is that of the stepper with the functional, without energies, channels and files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/actio.h"
#include "adjoint/shoot.h"
#include "bench.h"
#include "problem/build/build.h"

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_gradient: %s\n", ac_context_message(ctx));
    exit(1);
}

#define PARAMETERS                                                                                          \
    "parameters: {g: 9.81, a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, h: 1, i1: 1, j: 1, k: 1, l: 1, m: 1, n: 1, " \
    "o: 1, p: 1}\n"                                                                                         \
    "gravity: [0, 0, =-g]\n"

/* A strip that swings about a hinge, whose section and material are parameters; its model, what else its material has, loads, step. */
#define STRIP(model, material, loads, step)                                                               \
    PARAMETERS                                                                                            \
    "beams:\n"                                                                                            \
    "  strip:\n"                                                                                          \
    "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"                                                   \
    "    d1: [0, 0, 1]\n" model "    elements: 10\n"                                                      \
    "    section: {rectangle: {width: =0.04*a, height: =0.05*b}}\n"                                       \
    "    material: {young: =1e6*c, poisson: 0.3, density: =1000*d" material "}\n"                         \
    "joints: [{name: hinge, revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: =2*e}]\n" loads \
    "simulate:\n"                                                                                         \
    "  {step: " step ", steps: 400, quantities: {tip: {point: centre, of: strip.end, along: z}}, "        \
    "functional: [{end: tip}]}\n"

#define VISCOUS ", shear_viscosity: =100*k, bulk_viscosity: 10"

/* A torque at the hinge and forces along the whole length. */
#define LOADS                             \
    "loads:\n"                            \
    "  - {joint: hinge, value: =0.1*f}\n" \
    "  - {repeat: 10, on: \"strip[i]\", force: [0, =0.01*h, =0.01*i1]}\n"

static const char beam[] = STRIP("", "", "", "1 ms");
static const char viscous_beam[] = STRIP("", VISCOUS, LOADS, "1 ms");
/* Stiff enough that the step is below its stability limit. */
static const char dual_beam[] = STRIP("    model: dual_quaternion\n", "", "", "0.2 ms");
static const char viscous_dual_beam[] = STRIP("    model: dual_quaternion\n", VISCOUS, LOADS, "0.2 ms");

#define CHAIN(more)                                                                                        \
    PARAMETERS                                                                                             \
    "bodies: {link: {repeat: 20, solid: {cylinder: {length: =0.1*a, radius: =0.01*b, mass: =c}}}}\n"       \
    "joints:\n"                                                                                            \
    "  - {name: top, revolute: [ground, link(1)], at: {link(1): start}, axis: [0, 1, 0], angle: 1}\n"      \
    "  - {repeat: 19, revolute: [link(i), link(i+1)], at: {link(i): end, link(i+1): start}, axis: [0, 1, " \
    "0]}\n"                                                                                                \
    "simulate:\n"                                                                                          \
    "  {step: 1 ms, steps: 400, " more                                                                     \
    "quantities: {tip: {point: end, of: link(20), along: x}}, functional: [{end: "                         \
    "tip}]}\n"

static const char chain[] = CHAIN("");
static const char chain_of_angles[] = CHAIN("formulation: minimal, ");

static const char four_bar[] = PARAMETERS
    "bodies:\n"
    "  crank: {solid: {rod: {length: =0.7*a, mass: =b}}}\n"
    "  coupler: {solid: {rod: {length: =1.8*c, mass: =d}}}\n"
    "  rocker: {solid: {rod: {length: =1.3*e, mass: =f}}}\n"
    "joints:\n"
    "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, -1, 0], angle: 90 deg, angle_rate: =4*h}\n"
    "  - {name: swing, revolute: [ground, rocker], at: {ground: [=2*j, 0, 0], rocker: start}, axis: [0, -1, "
    "0]}\n"
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, -1, 0]}\n"
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, -1, 0]}\n"
    "springs: [{joint: swing, stiffness: =20*k, damping: =l}]\n"
    "loads: [{joint: swing, value: =0.1*m}]\n"
    "simulate: {step: 1 ms, steps: 400, quantities: {angle: {joint: swing}}, functional: [{running: "
    "angle^2}]}\n";

/* Least time over some repeats: of the simulation alone, and of the whole gradient. */
static void measure(ac_context *ctx, const char *text, const char *scheme, int parameters, double *forward,
                    double *whole)
{
    enum { REPEATS = 7 };
    char setting[64];
    const char *const settings[] = {setting};
    ac_problem *problem;
    ac_gradient *gradient;
    ac_shooting shooting;
    const char *names[16];
    double value, u = 0.0;
    snprintf(setting, sizeof setting, "simulate.scheme=%s", scheme);
    must(ctx, ac_problem_parse(ctx, "bench", text, strlen(text), settings, 1, &problem));
    for (int k = 0; k < parameters; ++k) names[k] = ac_problem_parameter(problem, k, NULL);
    must(ctx, ac_gradient_new(ctx, problem, names, parameters, 0, &gradient));
    must(ctx, ac_shooting_open_simulation(ac_problem_functional(problem), ac_problem_simulation(problem), 0,
                                          &shooting));
    *forward = *whole = INFINITY;
    for (int r = 0; r < REPEATS; ++r) {
        double start = bench_now();
        must(ctx, ac_shooting_evaluate(&shooting, &u, &value, NULL));
        double middle = bench_now();
        must(ctx, ac_gradient_run(gradient, &value));
        *forward = fmin(*forward, middle - start);
        *whole = fmin(*whole, bench_now() - middle);
    }
    ac_shooting_close(&shooting);
    ac_gradient_free(gradient);
    ac_problem_free(problem);
}

static int ratio(ac_context *ctx, const char *what, const char *text, const char *scheme, int parameters)
{
    char name[100];
    double forward, whole;
    measure(ctx, text, scheme, parameters, &forward, &whole);
    snprintf(name, sizeof name, "%s, %s, %d parameters", what, scheme, parameters);
    printf("%-58s %10.3g us per step forward\n", "", 1e6 * forward / 400);
    return bench_report(name, whole / forward, "", 3.0);
}

/* Arguments: only subjects whose name contains the first, with that many parameters only. */
int main(int argc, char **argv)
{
    static const struct {
        const char *what, *text, *scheme;
    } subjects[] = {{"dual quaternion beam, 10 elements", dual_beam, "trapezoidal"},
                    {"the same with damping and 21 inputs", viscous_dual_beam, "trapezoidal"},
                    {"director beam, 10 elements", beam, "energy-momentum"},
                    {"the same with damping and 21 inputs", viscous_beam, "energy-momentum"},
                    {"director beam, 10 elements", beam, "midpoint"},
                    {"the same with damping and 21 inputs", viscous_beam, "midpoint"},
                    {"chain of 20 bodies", chain, "midpoint"},
                    {"joint coordinates, chain of 20 bodies", chain_of_angles, "trapezoidal"},
                    {"four-bar", four_bar, "midpoint"}};
    static const int counts[] = {1, 4, 16};
    ac_context *ctx = ac_context_new(NULL);
    if (!ctx) return 1;
    int exceeded = 0;
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; ++k)
        for (int c = 0;
             c < 3 && (argc < 2 || strstr(subjects[k].what, argv[1]) || !strcmp(subjects[k].scheme, argv[1]));
             ++c)
            if (argc < 3 || atoi(argv[2]) == counts[c])
                exceeded += ratio(ctx, subjects[k].what, subjects[k].text, subjects[k].scheme, counts[c]);
    ac_context_free(ctx);
    return exceeded > 0;
}
