/* Gradients by parameters of beams: sections that change along them, curves and directions, in every model. */
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
#define FAST "  step: 0.2 ms\n  steps: 100\n"

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

/* A curve that depends, with a body on a hinge at its end: the frame of the hinge in the beam follows the curve. */
#define CURVED(parameters, curve, section, more, joint, step)                                            \
    "parameters: {" parameters "}\n"                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                           \
    "bodies: {tip: {mass: 0.2, inertia: [0.01, 0.02, 0.01]}}\n"                                          \
    "beams:\n"                                                                                           \
    "  strip:\n"                                                                                         \
    "    " curve "\n    section: " section "\n    material: {young: 1e6, poisson: 0.3, density: 1000}\n" \
    "    damping: 0.01\n" more "joints:\n  - {" joint "}\n"                                              \
    "  - {name: last, revolute: [strip.end, tip], at: {tip: [0, 0, 0.1]}, axis: [0, 1, 0.3]}\n"          \
    "loads: [{force: [0.1, 0.2, 0.5], on: strip.end}]\n"                                                 \
    "simulate:\n" step                                                                                   \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}, side: {point: [0.1, 0, 0], of: tip, " \
    "along: y}, angle: {joint: last}, all: {energy: system}, own: {energy: strip}, push: {momentum: "    \
    "strip, along: [1, 0.2, 0]}, turn: {angular_momentum: strip, along: [0.3, 1, 0]}}\n"                 \
    "  functional: [{end: 100*tip + tip_rate + 100*side + angle + 0.1*all + push + turn}, {running: "    \
    "100*tip*side + angle_rate + 0.1*own + turn^2}]\n"

#define EVEN "{rectangle: {width: 0.04, height: 0.03}}"
#define UNEVEN \
    "[{at: 0, rectangle: {width: 0.04, height: 0.03}}, {at: 1, rectangle: {width: =a*0.2, height: 0.03}}]"
#define CLAMPED "fixed: [ground, strip.start]"
#define SWUNG "revolute: [ground, strip.start], axis: [0, 1, 0.2], angle: 0.2, angle_rate: 1"
#define NUMBERS "a: 0.1, b: 0.5, c: 0.2, d: 0.3"
#define LINE "straight: {from: [=a, 0, =a*a], to: [=2*b, =c, 0.1]}\n    d1: [0, =d, 1]"
#define ARC                                                                                              \
    "arc: {from: [0.1, =c, 0], centre: [0.1, =c, =2*b], axis: [=a - 0.1, -1, 0], angle: =2*b}\n    d1: " \
    "[=d, 1, 0]"
#define CORNERED "polyline: [[0, 0, =a], [=b, 0.1, 0], [0.9, =c, 0.3]]\n    d1: [0, =d, 1]"
#define SPLINE                                                                                        \
    "spline: {from: {position: [=a, 0, 0], rotation: [0, 1.3, =c]}, to: {position: [=2*b, =c, 0.1], " \
    "rotation: [0.2, =1.2 + d, 0.1]}}"
#define FRAMES                                                                                              \
    "frames: [{position: [=a, 0, 0], rotation: [0, 1.5, =c]}, {position: [0.4, =a, 0], rotation: [0, 1.6, " \
    "0.1]}, {position: [=2*b, =c, 0.1], rotation: [=d, 1.4, 0.1]}]"
#define STRAINED "    rest_length: =rest\n    precurvature: [=k, 0, 0.1]\n"

static const gradient_subject curved[] = {
    {"line", CURVED(NUMBERS, LINE, UNEVEN, "    elements: 3\n", CLAMPED, SLOW)},
    {"strained line", CURVED(NUMBERS ", rest: 0.95, k: 0.2", LINE, EVEN,
                             "    elements: 3\n    model: vertex\n" STRAINED, SWUNG, SLOW)},
    {"arc", CURVED(NUMBERS, ARC, UNEVEN, "    elements: 4\n    model: edge\n", CLAMPED, SLOW)},
    {"swung arc", CURVED(NUMBERS, ARC, EVEN, "    elements: 2\n    order: 2\n", SWUNG, SLOW)},
    {"corners", CURVED(NUMBERS, CORNERED, UNEVEN, "    elements: 4\n", CLAMPED, SLOW)},
    {"corners of order 2", CURVED(NUMBERS, CORNERED, UNEVEN, "    elements: 3\n    order: 2\n", SWUNG, SLOW)},
    {"smooth corners", CURVED(NUMBERS, CORNERED "\n    corners: smooth", EVEN,
                              "    elements: 4\n    model: vertex\n", CLAMPED, SLOW)},
    {"spline", CURVED(NUMBERS, SPLINE, UNEVEN, "    elements: 3\n    order: 2\n", CLAMPED, SLOW)},
    {"strained spline", CURVED(NUMBERS ", rest: 0.95, k: 0.2", SPLINE, EVEN,
                               "    elements: 3\n    model: edge\n" STRAINED, SWUNG, SLOW)},
    {"spline of dual quaternions",
     CURVED(NUMBERS, SPLINE, UNEVEN, "    elements: 3\n    model: dual_quaternion\n", CLAMPED, FAST)},
    {"frames", CURVED(NUMBERS, FRAMES, UNEVEN, "    order: 2\n", CLAMPED, SLOW)},
    {"frames of dual quaternions",
     CURVED(NUMBERS, FRAMES, EVEN, "    model: dual_quaternion\n", SWUNG, FAST)},
};

TEST(curves_of_beams)
{
    for (size_t k = 0; k < sizeof curved / sizeof *curved; ++k)
        compare(&curved[k], scheme_for(&curved[k], (int)k), "reduced");
}

/* Energies that are functions: of strains, with the place s and parameters in them, also through another parameter; of the place. */
#define MADE_OF(curve, energies, more)                                                           \
    "parameters: {a: 0.1, b: 0.5, c: 0.2, k: 0.4, e: =2*k, m: 1.2}\n"                            \
    "gravity: [0, 0, -9.81]\n"                                                                   \
    "beams:\n"                                                                                   \
    "  strip:\n"                                                                                 \
    "    " curve "\n" energies "    inertia: {mass: =m, rotary: [1e-3, =1e-3*m]}\n" more         \
    "joints: [{fixed: [ground, strip.start]}]\n"                                                 \
    "loads: [{force: [0.1, 0.2, 0.5], on: strip.end}]\n"                                         \
    "simulate:\n" SLOW                                                                           \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}, all: {energy: system}, own: " \
    "{potential_energy: strip}}\n"                                                               \
    "  functional: [{end: 100*tip + tip_rate + all}, {running: 100*tip + own^2}]\n"

#define STIFF "200*(v1^2 + v2^2) + 300*(v3 - 1)^2"
#define ENERGY \
    "    energy: \"" STIFF " + e*(1 + s)*(u1^2 + u2^2) + 0.5*u3^2 + 3*k*u1^4*cosh(b*s) + k*u1^2*u3^2\"\n"
#define EVEN_ENERGY "    energy: \"" STIFF " + e*(u1^2 + u2^2) + 0.5*u3^2 + 3*k*u1^4 + k*u1^2*u3^2\"\n"
#define POTENTIAL "    potential: \"e*z^2 + k*s*x + 0.1*sin(c*y)\"\n"
#define ARC_OF_FUNCTIONS "arc: {from: [0, 0, 0], centre: [0, =2*b, 0], axis: [0, 0, 1], angle: =5*c}"
#define STRETCHED "straight: {from: [0, 0, 0], to: [=2*b, 0, =c]}"

static const gradient_subject functions[] = {
    {"energy", MADE_OF(STRETCHED, ENERGY, "    elements: 3\n    precurvature: [=a, 0, =c]\n")},
    {"energy with damping",
     MADE_OF("straight: {from: [0, 0, 0], to: [1, 0, 0]}", ENERGY, "    elements: 3\n    damping: =0.1*a\n")},
    {"energy without s and with damping",
     MADE_OF(STRETCHED, EVEN_ENERGY, "    elements: 3\n    damping: =0.1*a\n")},
    {"energy of order 2", MADE_OF(ARC_OF_FUNCTIONS, ENERGY, "    elements: 2\n    order: 2\n")},
    {"energy of a vertex rod", MADE_OF(ARC_OF_FUNCTIONS, ENERGY, "    elements: 3\n    model: vertex\n")},
    {"energy at a rest length", MADE_OF("straight: {from: [0, 0, 0], to: [1, 0, 0]}", ENERGY,
                                        "    elements: 3\n    rest_length: =1.9*b\n")},
    {"potential", MADE_OF(STRETCHED, EVEN_ENERGY POTENTIAL, "    elements: 3\n")},
    {"potential of order 2", MADE_OF(ARC_OF_FUNCTIONS, ENERGY POTENTIAL, "    elements: 2\n    order: 2\n")},
};

TEST(energies_that_are_functions)
{
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k)
        for (int scheme = 0; scheme < 2; ++scheme)
            compare(&functions[k], scheme_for(&functions[k], scheme), "reduced");
}

RUN_TESTS(CASE(sections_that_change_along_a_beam), CASE(curves_of_beams), CASE(energies_that_are_functions))
