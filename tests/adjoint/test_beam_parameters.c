/* Gradients by parameters of beams: sections that change along them, in every model. */
#include "support/gradients.h"

/* What a beam is made of changes along it; the length moves its end. The load bends it, so that stiffness and viscosity
 * count. */
#define TAPERED(more, step)                                                                              \
    "parameters: {l: 1, w1: 0.04, w2: 0.02, E: 1e5, rho: 1000, nu: 0.3, sm: 0.6, eta: 20, bulk: 10, f: " \
    "0.5}\n"                                                                                             \
    "gravity: [0, 0, -9.81]\n"                                                                           \
    "beams:\n"                                                                                           \
    "  strip:\n"                                                                                         \
    "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"                                                  \
    "    d1: [0, 0, 1]\n"                                                                                \
    "    section:\n"                                                                                     \
    "      - {at: 0, rectangle: {width: =w1, height: 5 cm}}\n"                                           \
    "      - {at: =sm, rectangle: {width: =0.5*(w1+w2), height: =w1}}\n"                                 \
    "      - {at: 1, rectangle: {width: =w2, height: 3 cm}}\n"                                           \
    "    material: {young: =E, poisson: =nu, density: =rho, shear_viscosity: =eta, bulk_viscosity: "     \
    "=bulk}\n"                                                                                           \
    "    damping: 0.01\n" more "joints: [{fixed: [ground, strip.start]}]\n"                              \
    "loads: [{force: [0.1, =f, =f], on: strip.end}]\n"                                                   \
    "simulate:\n" step                                                                                   \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}, all: {energy: system}, own: "         \
    "{potential_energy: strip}}\n"                                                                       \
    "  functional: [{end: 100*tip + tip_rate + all}, {running: 100*tip + own^2}]\n"

#define SLOW "  step: 2 ms\n  steps: 20\n"
#define FAST "  step: 0.5 ms\n  steps: 80\n"

static const gradient_subject tapered[] = {
    {"tapered", TAPERED("    elements: 3\n", SLOW)},
    {"tapered of order 2", TAPERED("    elements: 2\n    order: 2\n", SLOW)},
    {"tapered vertex rod", TAPERED("    elements: 3\n    model: vertex\n", SLOW)},
    {"tapered edge rod", TAPERED("    elements: 3\n    model: edge\n", SLOW)},
    {"tapered dual quaternions", TAPERED("    elements: 3\n    model: dual_quaternion\n", FAST)},
    {"stiffness and inertia at stations",
     "parameters: {a: 0.02, b: 0.03, sm: 0.6}\n"
     "gravity: [0, 0, -9.81]\n"
     "beams:\n"
     "  strip:\n"
     "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
     "    elements: 3\n"
     "    stiffness:\n"
     "      - {at: 0, shear: [=1000*a, 30], axial: 90, bending: [0.1, =5*a], torsion: =b}\n"
     "      - {at: =sm, shear: [20, 30], axial: =3000*b, bending: [0.1, 0.1], torsion: 0.03}\n"
     "      - {at: 1, shear: [20, 30], axial: 40, bending: [=a, 0.1], torsion: 0.03}\n"
     "    inertia: [{at: 0, mass: =10*b, rotary: [1e-4, =0.01*a]}, {at: 1, mass: =3*a, rotary: [1e-4, "
     "1e-4]}]\n"
     "joints: [{fixed: [ground, strip.start]}]\n"
     "loads: [{force: [0.1, 0.02, 0.03], on: strip.end}]\n"
     "simulate:\n" SLOW "  quantities: {tip: {point: centre, of: strip.end, along: z}, all: {energy: "
     "system}}\n"
     "  functional: [{end: 100*tip + tip_rate + all}]\n"},
};

TEST(sections_that_change_along_a_beam)
{
    for (size_t k = 0; k < sizeof tapered / sizeof *tapered; ++k)
        for (int scheme = 0; scheme < 2; ++scheme) {
            if (scheme == 1 && strstr(tapered[k].text, "dual_quaternion")) continue;
            compare(&tapered[k], scheme_for(&tapered[k], scheme), "reduced");
        }
}

RUN_TESTS(CASE(sections_that_change_along_a_beam))
