/* Gradients by named parameters: every joint, scheme and formulation, loops and beams, against differences of whole
 * simulations; and the adjoint against the tangent of the same discrete equations. */
#include "actio/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/inertia.h"
#include "adjoint/adjoint.h"
#include "linalg/dense.h"
#include "problem/build/build.h"
#include "support/gradients.h"

/* A link turns at the ground; a joint of the table carries a cylinder behind it. All that parameters can do is there: a
 * length moves points and joints, a radius inertias; spring, damper, load, gravity and start. */
#define CHAIN(joint)                                                                                      \
    "parameters: {l: 0.8, m: 1.2, r: 0.05, x: 0.1, g: 9.81, a0: 0.7, w0: 0.3, k: 40, c: 0.3, rest: 0.4, " \
    "kt: 2, amp: 2, weight: 0.5}\n"                                                                       \
    "gravity: [0, 0, =-g]\n"                                                                              \
    "bodies:\n"                                                                                           \
    "  a: {solid: {cylinder: {length: =l, radius: =r, mass: =m, along: z}}}\n"                            \
    "  b: {solid: {cylinder: {length: 0.6, radius: =2*r, mass: 0.5}}}\n"                                  \
    "joints:\n"                                                                                           \
    "  - {revolute: [ground, a], name: pin, at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, 0], "        \
    "angle: =a0, angle_rate: =w0}\n" joint "springs:\n"                                                   \
    "  - {between: [ground, b], at: {ground: [1.5, 0.3, 0.8], b: [0.1, =x, 0.2]}, stiffness: =k, "        \
    "length: =rest, damping: =c}\n"                                                                       \
    "  - {joint: pin, stiffness: =kt, damping: =c, rest: 0.1}\n"                                          \
    "loads:\n"                                                                                            \
    "  - {name: push, force: [=amp*sin(3*t), 0.2, 0], on: b, at: [0, =x, 0.3]}\n"                         \
    "  - {name: twist, torque: [0, =0.1*amp, 0], on: b}\n"                                                \
    "simulate:\n"                                                                                         \
    "  step: 5 ms\n"                                                                                      \
    "  steps: 8\n"                                                                                        \
    "  quantities:\n"                                                                                     \
    "    tip: {point: [=x, 0, 0.3], of: b, along: x}\n"                                                   \
    "    angle: {joint: pin}\n"                                                                           \
    "    energy: {energy: system}\n"                                                                      \
    "  functional:\n"                                                                                     \
    "    - {end: tip^2 + 0.1*tip_rate + weight*angle_rate}\n"                                             \
    "    - {running: (angle^2 + 0.01*energy*l)*(1 + t)}\n"                                                \
    "    - {duration: =weight}\n"

#define HINGED "  - {revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: =w0}\n"
#define TIP                                                                                      \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}}\n  functional: [{end: tip + " \
    "0.01*tip_rate}, {running: tip^2}]\n"
#define ENERGIES                                                                                            \
    "  quantities: {all: {energy: system}, own: {kinetic_energy: strip}}\n  functional: [{end: 0.01*all + " \
    "own}, {running: all*own}, {energy: =m}]\n"
#define BEAM(more, joint, functional)                                                       \
    "parameters: {l: 1, width: 0.04, E: 1e5, rho: 1000, g: 9.81, w0: 2, d: 0.01, m: 0.1}\n" \
    "gravity: [0, 0, =-g]\n"                                                                \
    "beams:\n"                                                                              \
    "  strip:\n"                                                                            \
    "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"                                     \
    "    d1: [0, 0, 1]\n"                                                                   \
    "    section: {rectangle: {width: =width, height: 5 cm}}\n"                             \
    "    material: {young: =E, poisson: 0.3, density: =rho}\n"                              \
    "    damping: =d\n"                                                                     \
    "    masses: [{at: end, mass: =m}]\n" more "joints:\n" joint "simulate:\n"              \
    "  step: 1 ms\n"                                                                        \
    "  steps: 6\n" functional

static const gradient_subject subjects[] = {
    {"revolute", CHAIN("  - {revolute: [a, b], at: {a: end, b: start}, axis: [1, 0, 0], angle: 0.3}\n")},
    {"spherical", CHAIN("  - {spherical: [a, b], at: {a: end, b: start}, rates: [0.3, 0.1, =w0]}\n")},
    {"universal", CHAIN("  - {universal: [a, b], at: {a: end, b: start}, axis: [1, 0, 0], angle: 0.2}\n")},
    {"cylindrical",
     CHAIN("  - {cylindrical: [a, b], at: {a: end, b: start}, axis: [0.6, 0, 0.8], slide: =x}\n")},
    {"prismatic",
     CHAIN("  - {prismatic: [a, b], at: {a: end, b: start}, axis: [0, 0.6, 0.8], slide_rate: 0.4}\n")},
    {"planar",
     CHAIN("  - {planar: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], x: =x, y: 0.1, angle: 0.2}\n")},
    {"fixed", CHAIN("  - {fixed: [a, b], at: {a: end, b: start}}\n")},
    {"distance", CHAIN("  - {distance: [a, b], at: {a: end, b: start}, length: =0.5*rest}\n")},
    {"four-bar",
     "parameters: {crank: 1, coupler: 3, rocker: 2.5, base: 3, m: 1, g: 9.81, w0: 2, k: 5}\n"
     "gravity: [0, 0, =-g]\n"
     "bodies:\n"
     "  crank: {solid: {rod: {length: =crank, mass: =m}}}\n"
     "  coupler: {solid: {rod: {length: =coupler, mass: 3}}}\n"
     "  rocker: {solid: {rod: {length: =rocker, mass: =2*m}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: 0.3, "
     "angle_rate: =w0}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {name: knee, revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [=base, 0, 0], rocker: end}, axis: [0, 1, 0]}\n"
     "springs: [{joint: knee, stiffness: =k}]\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {angle: {joint: knee}, tip: {point: end, of: coupler, along: z}}\n"
     "  functional: [{end: angle + 0.1*tip_rate}, {running: angle*tip}, {energy: 0.1}]\n"},
    {"planar body and point",
     "parameters: {l: 0.7, m: 0.4, inertia: 0.05, x: 0.6, v: 1.5, k: 12, rest: 0.3}\n"
     "gravity: [0, -9.81]\n"
     "planar_bodies:\n"
     "  plate: {mass: 1, inertia: =inertia, centre: [=0.5*l, 0], points: {far: [=l, 0.1]}}\n"
     "points:\n"
     "  bob: {mass: =m, position: [=2*x, 0.2], velocity: [0, =v]}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, plate], at: {plate: [0, 0]}, angle: 0.4}\n"
     "springs: [{between: [plate, bob], at: {plate: far}, stiffness: =k, length: =rest}]\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {height: {point: far, of: plate, along: y}, bob_x: {point: centre, of: bob, along: x}}\n"
     "  functional: [{end: height^2 + bob_x_rate}, {start: bob_x}, {running: height*bob_x}, {energy: "
     "0.01}]\n"},
    {"beam", BEAM("    elements: 4\n", HINGED, TIP)},
    {"beam of order 2",
     BEAM("    elements: 2\n    order: 2\n", "  - {spherical: [ground, strip.start]}\n", TIP)},
    {"rod", BEAM("    elements: 4\n    model: vertex\n", "  - {fixed: [ground, strip.start]}\n", TIP)},
};

#define DRAWN(position, joint)                                                                       \
    "parameters: {l: 0.8, m: 1.2, x: 0.1, a0: 0.7, w0: 0.3, v0: 0.4}\n"                              \
    "gravity: [0, 0, -9.81]\n"                                                                       \
    "bodies:\n"                                                                                      \
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"                     \
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0.1, =0.2*l], position: " position "}\n" \
    "joints:\n"                                                                                      \
    "  - {revolute: [ground, a], name: pin, at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, 0], "   \
    "angle: =a0, angle_rate: =w0}\n" joint "simulate:\n"                                             \
    "  step: 5 ms\n"                                                                                 \
    "  steps: 8\n"                                                                                   \
    "  quantities: {tip: {point: [0.1, 0, 0.3], of: b, along: x}, angle: {joint: pin}}\n"            \
    "  functional: [{end: tip^2 + 0.1*tip_rate + angle_rate}, {running: angle*tip}]\n"

/* Starts that follow parameters: drawn places, given coordinates and velocities, joints from both sides, loops, beams that are
 * carried as a whole; loads over time. */
static const gradient_subject starts[] = {
    {"drawn free", DRAWN("[=l, =x, 0.3], velocity: [0.1, =v0, 0], angular_velocity: [0.2, 0.1, =w0]", "")},
    {"drawn free, velocity alone", DRAWN("[=l, =x, 0.3], velocity: [0.1, =v0, 0]", "")},
    {"drawn revolute", DRAWN("[=0.5*l, =x, 0.3]",
                             "  - {revolute: [a, b], at: {a: end, b: [=x, 0.2, 0.1]}, axis: [1, 0, 0]}\n")},
    {"drawn universal", DRAWN("[=0.5*l, =x, 0.3], rotation: {axis: [1, 2, 3], angle: 0.5}",
                              "  - {universal: [a, b], at: {a: end, b: [=x, 0.2, 0.1]}, axis: [1, 0, 0]}\n")},
    {"drawn cylindrical",
     DRAWN("[=0.5*l, =x, 0.3]",
           "  - {cylindrical: [a, b], at: {a: end, b: [=x, 0.2, 0.1]}, axis: [1, 0, 0]}\n")},
    {"drawn planar",
     DRAWN("[=0.5*l, =x, 0.3]", "  - {planar: [a, b], at: {a: end, b: [=x, 0.2, 0.1]}, axis: [1, 0, 0]}\n")},
    {"drawn prismatic backward",
     DRAWN("[=0.5*l, =x, 0.3]",
           "  - {prismatic: [b, a], at: {a: end, b: [=x, 0.2, 0.1]}, axis: [1, 0, 0]}\n")},
    {"drawn spherical",
     DRAWN("[=0.5*l, =x, 0.3]", "  - {spherical: [b, a], at: {a: end, b: [=x, 0.2, 0.1]}}\n")},
    {"drawn distance",
     "parameters: {l: 0.8, x: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "points: {p: {mass: 1, position: [=x, 0, 0.2]}}\n"
     "bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0.1, =0.2*l], position: [=l, 0.2, "
     "0.1]}}\n"
     "joints: [{distance: [ground, p], at: {ground: [0, 0, 1]}, length: =l}, {distance: [p, b], at: {b: [=x, "
     "0, 0]}, length: =0.5 + x}]\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, 0, 0.3], of: b, along: x}}, "
     "functional: [{end: "
     "tip + tip_rate}]}\n"},
    {"moving on a joint", DRAWN("[=0.5*l, =x, 0.3], angular_velocity: [0.2, =v0, 0.1]",
                                "  - {spherical: [a, b], at: {a: end, b: [=x, 0.2, 0.1]}}\n")},
    {"behind a point",
     "parameters: {l: 0.7, d: 0.5, al: 0.3, x: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1}}}\n"
     "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0, 0], position: [1.2, 0.3, 0.4]}\n"
     "points: {p: {mass: 0.3, position: [1, 0.2, 0.3]}}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, a], at: {a: start}, axis: [0, 1, =al], angle: 0.4, angle_rate: 8}\n"
     "  - {distance: [a, p], at: {a: end}, length: =d}\n"
     "  - {distance: [p, b], at: {b: [=x, 0, 0]}, length: 0.4}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, 0.2, 0.3], of: b, along: y}}, "
     "functional: [{end: tip + 0.1*tip_rate}]}\n"},
    {"moving far out",
     "parameters: {l: 0.8, v0: 0.4, x: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}}\n"
     "  b: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}, velocity: [=v0, 0, 0]}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, a], at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, 0], angle: 0}\n"
     "  - {fixed: [a, b], at: {a: end, b: start}}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {angle: {joint: pin}}, functional: [{end: angle + "
     "angle_rate}]}\n"},
    {"reversed ball",
     "parameters: {l: 0.8, c: 0.4, w0: 0.7, x: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}}\n"
     "  b: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}}\n"
     "joints:\n"
     "  - {name: pin, universal: [a, ground], at: {ground: [=x, 0, 0], a: start}, axis: [1, 0, 0], angle: "
     "=c, second_angle: 0.3, angle_rate: =w0, second_angle_rate: 0.4}\n"
     "  - {spherical: [b, a], at: {a: end, b: start}, coordinates: [0.2, =c, 0.3], rates: [0.4, =w0, 0.1]}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {angle: {joint: pin, coordinate: angle}}, functional: "
     "[{end: angle + angle_rate}]}\n"},
    {"reversed planar", "parameters: {l: 0.8, c: 0.4, w0: 0.7, x: 0.1}\n"
                        "gravity: [0, 0, -9.81]\n"
                        "bodies:\n"
                        "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}}\n"
                        "  b: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1, along: z}}}\n"
                        "joints:\n"
                        "  - {name: pin, revolute: [a, ground], at: {ground: [=x, 0, 0], a: start}, axis: "
                        "[1, 0, 0], angle: =c, angle_rate: =w0}\n"
                        "  - {planar: [b, a], at: {a: end, b: start}, axis: [0, 1, 0], x: 0.2, y: =x, angle: "
                        "=c, x_rate: =w0, y_rate: 0.2, angle_rate: 0.4}\n"
                        "simulate: {step: 5 ms, steps: 8, quantities: {angle: {joint: pin}}, functional: "
                        "[{end: angle + angle_rate}]}\n"},
    {"drawn four-bar",
     "parameters: {crank: 1, coupler: 3, rocker: 2.5, base: 3, m: 1, w0: 2, k: 5}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank: {solid: {rod: {length: =crank, mass: =m}}}\n"
     "  coupler: {solid: {rod: {length: =coupler, mass: 3}}}\n"
     "  rocker: {solid: {rod: {length: =rocker, mass: =2*m}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: 0.3, "
     "angle_rate: =w0}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {name: knee, revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [=base, 0, 0], rocker: end}, axis: [0, 1, 0]}\n"
     "springs: [{between: [ground, coupler], at: {ground: [1, 0.2, 0.3], coupler: end}, stiffness: =k}]\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {angle: {joint: knee}, tip: {point: end, of: coupler, along: z}}\n"
     "  functional: [{end: angle + 0.1*tip_rate}, {running: angle*tip}]\n"},
    {"spatial four-bar",
     "parameters: {crank: 0.4, coupler: 1.3, rocker: 0.9, base: 1.2, w0: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank: {solid: {cylinder: {length: =crank, radius: 0.02, mass: 1}}}\n"
     "  coupler: {solid: {cylinder: {length: =coupler, radius: 0.02, mass: 3}}}\n"
     "  rocker: {solid: {cylinder: {length: =rocker, radius: 0.02, mass: 2}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 0, 1], angle: 1.3, "
     "angle_rate: =w0}\n"
     "  - {spherical: [crank, coupler], at: {crank: end, coupler: start}}\n"
     "  - {name: swing, revolute: [ground, rocker], at: {ground: [=base, 0, 0], rocker: start}, axis: [0, 1, "
     "0]}\n"
     "  - {universal: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, 0]}\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {angle: {joint: swing}}\n"
     "  functional: [{end: angle + 0.1*angle_rate}]\n"},
    {"loop with a free coordinate",
     "parameters: {crank: 0.4, coupler: 1.3, rocker: 0.9, base: 1.2, w0: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank: {solid: {cylinder: {length: =crank, radius: 0.02, mass: 1}}}\n"
     "  coupler: {solid: {cylinder: {length: =coupler, radius: 0.02, mass: 3}}}\n"
     "  rocker: {solid: {cylinder: {length: =rocker, radius: 0.02, mass: 2}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 0, 1], angle: 1.3, "
     "angle_rate: =w0}\n"
     "  - {spherical: [crank, coupler], at: {crank: end, coupler: start}}\n"
     "  - {name: swing, revolute: [ground, rocker], at: {ground: [=base, 0, 0], rocker: start}, axis: [0, 1, "
     "0]}\n"
     "  - {spherical: [coupler, rocker], at: {coupler: end, rocker: end}}\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {angle: {joint: swing}}\n"
     "  functional: [{end: angle + 0.1*angle_rate}]\n"},
    {"beam in a loop",
     "parameters: {l: 1, width: 0.04, E: 1e7, h: 0.8, w0: 2, a0: 0.3}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {bar: {solid: {rod: {length: =h, mass: 1}}}, other: {solid: {rod: {length: 0.8, mass: 1}}}}\n"
     "beams:\n"
     "  strip: {straight: {from: [0, 0, 0], to: [=l, 0, 0]}, d1: [0, 0, 1], elements: 3, section: "
     "{rectangle: {width: =width, height: 5 cm}}, material: {young: =E, poisson: 0.3, density: 1000}}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, bar], at: {bar: start}, axis: [0, 1, 0], angle: =a0, angle_rate: "
     "=w0}\n"
     "  - {revolute: [bar, strip.start], at: {bar: end}, axis: [0, 1, 0]}\n"
     "  - {revolute: [strip.end, other], at: {other: end}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, other], at: {ground: [=1.1*l, 0, 0], other: start}, axis: [0, 1, 0]}\n"
     "simulate: {step: 1 ms, steps: 6, quantities: {angle: {joint: pin}}, functional: [{end: angle + "
     "angle_rate}]}\n"},
    {"carried beam",
     "parameters: {l: 1, h: 0.8, w0: 2, a0: 0.3, b0: 0.2, v: 0.4}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {bar: {solid: {rod: {length: =h, mass: 1}}}, tip: {mass: 0.2, inertia: [0.1, 0.1, 0.1], "
     "centre: [=0.1*l, 0, 0]}}\n"
     "beams:\n"
     "  strip: {straight: {from: [0, 0, 0], to: [=l, 0, 0]}, d1: [0, 0, 1], elements: 3, section: "
     "{rectangle: {width: 0.04, height: 5 cm}}, material: {young: 1e7, poisson: 0.3, density: 1000}}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, bar], at: {bar: start}, axis: [0, 1, 0], angle: =a0, angle_rate: "
     "=w0}\n"
     "  - {revolute: [bar, strip.start], at: {bar: end}, axis: [0, 1, 0], angle: =b0, angle_rate: =v}\n"
     "  - {spherical: [strip.end, tip], at: {tip: [0, 0, 0]}, rates: [0.1, =v, 0.3]}\n"
     "simulate: {step: 1 ms, steps: 6, quantities: {angle: {joint: pin}}, functional: [{end: angle + "
     "angle_rate}]}\n"},
    {"moving beam", "parameters: {l: 1, v: 0.4, w0: 0.3}\n"
                    "beams:\n"
                    "  strip: {straight: {from: [0, 0, 0], to: [=l, 0, 0]}, d1: [0, 0, 1], elements: 3, "
                    "model: edge, section: {rectangle: {width: 0.04, height: 5 cm}}, material: {young: 1e5, "
                    "poisson: 0.3, density: 1000}, velocity: [0, =v, 0], angular_velocity: [0.1, 0, =w0]}\n"
                    "simulate: {step: 1 ms, steps: 6, quantities: {tip: {point: centre, of: strip.end, "
                    "along: y}}, functional: [{end: tip + tip_rate}]}\n"},
    {"moving dual beam", "parameters: {l: 1, v: 0.4, w0: 0.3, rho: 1000, m: 0.3}\n"
                         "beams:\n"
                         "  strip: {straight: {from: [0.2, 0.1, 0], to: [=l + 0.2, 0.1, 0]}, d1: [0, 0, 1], "
                         "elements: 3, model: dual_quaternion, section: {rectangle: {width: 0.04, height: 5 "
                         "cm}}, material: {young: 1e5, poisson: 0.3, density: =rho}, velocity: [0, =v, 0], "
                         "angular_velocity: [0.1, 0, =w0], masses: [{at: end, mass: =m}]}\n"
                         "simulate: {step: 0.2 ms, steps: 200, scheme: trapezoidal, quantities: {tip: "
                         "{point: centre, of: strip.end, along: y}}, functional: [{end: tip + tip_rate}]}\n"},
    {"jumps that move",
     "parameters: {f: 2, t1: 0.0113, t2: 0.0271}\n"
     "points: {p: {mass: 1, position: [0, 0, 0]}}\n"
     "loads:\n"
     "  - {force: [=f*sin(3*t)*step(f*t - t1)*(1 - step(t - t2)), \"=max(0, f*(1 - 2*step(t1 + t2 - "
     "2*t)))*t\", "
     "=step(step(t2 - t) - 0.5)*step((t - t1)*(t2 - t))], on: p}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {x: {point: centre, of: p, along: x}, y: {point: centre, "
     "of: "
     "p, along: y}, z: {point: centre, of: p, along: z}}, functional: [{end: 1000*x + 10000*y + 1000*z}]}\n"},
    {"table of a load", "parameters: {f: 2, t1: 0.011, k: 3}\n"
                        "points: {p: {mass: 1, position: [0, 0, 0]}}\n"
                        "loads:\n"
                        "  - {force: [{table: [[0, 0], [=t1, =f], [0.03, 1]]}, =k*cos(f*t), {steps: [[0, "
                        "0.5], [=1.1*t1, =f], [0.03, 1]]}], on: p}\n"
                        "simulate: {step: 5 ms, steps: 8, quantities: {x: {point: centre, of: p, along: x}, "
                        "y: {point: centre, of: p, along: y}, z: {point: centre, of: p, along: z}}, "
                        "functional: [{end: 1000*x + 1000*y + 1000*z}]}\n"},
};

/* Functionals that depend on parameters themselves: expressions, weights, points, energies and momenta of what varies. */
#define LINKAGE(quantities, functional)                                                                     \
    "parameters: {l: 0.8, m: 1.2, x: 0.1, g: 9.81, k: 40, rest: 0.4, a: 0.3, b: 2}\n"                       \
    "gravity: [0, 0, =-g]\n"                                                                                \
    "bodies:\n"                                                                                             \
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"                            \
    "  b: {mass: 1, inertia: [0.1, =0.2*m, 0.25], centre: [=x, 0.1, =0.2*l], points: {far: [=l, 0, =x]}}\n" \
    "joints:\n"                                                                                             \
    "  - {revolute: [ground, a], name: pin, at: {a: start}, axis: [0, 1, 0], angle: 0.4}\n"                 \
    "  - {prismatic: [a, b], name: rail, at: {a: end, b: [=x, 0, 0]}, axis: [0, 0.6, 0.8]}\n"               \
    "springs:\n"                                                                                            \
    "  - {between: [ground, b], at: {ground: [1.5, 0.3, =x], b: far}, stiffness: =k, length: =rest}\n"      \
    "simulate: {step: 5 ms, steps: 8, quantities: {" quantities "}, functional: [" functional "]}\n"

/* Parameters may have names that mean something else in expressions. */
#define NAMED                                                                                        \
    "parameters: {T: 1.2, tip: 0.8, angle_rate: 0.3, x: 0.1}\n"                                      \
    "gravity: [0, 0, -9.81]\n"                                                                       \
    "bodies: {a: {solid: {cylinder: {length: =tip, radius: 0.05, mass: =T, along: z}}}}\n"           \
    "joints: [{revolute: [ground, a], name: pin, at: {a: start}, axis: [0, 1, 0], angle: =tip, "     \
    "angle_rate: =angle_rate}]\n"                                                                    \
    "loads: [{force: [=x*sin(3*t), 0, =T], on: a}]\n"                                                \
    "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [=x, 0, =tip/2], of: a, along: x}, " \
    "angle: {joint: pin}}, functional: [{end: tip + angle_rate*x}, {running: tip*(T + t)*x, weight: =T}]}\n"

static const gradient_subject functionals[] = {
    {"names with another meaning", NAMED},
    {"weights and expressions",
     LINKAGE("angle: {joint: pin}, slide: {joint: rail}",
             "{end: angle^2 + a*slide_rate, weight: =b/m}, {duration: =a*b}, "
             "{energy: =a/l}, {running: slide*b, weight: =2*a}, {start: angle*l}")},
    {"points",
     LINKAGE("far: {point: far, of: b, along: x}, gap: {distance: [a, b], at: {a: end, b: far}}, "
             "high: {point: centre, of: b, along: z}",
             "{end: far + 0.1*far_rate + gap^2 + gap_rate + high}, {running: far*gap + high_rate}")},
    {"energies",
     LINKAGE("all: {energy: system}, own: {kinetic_energy: b}, height: {potential_energy: a}, "
             "push: {momentum: b, along: z}, turn: {angular_momentum: system, along: y, about: "
             "[0.1, 0.2, 0.3]}",
             "{end: 0.01*all + own*push + turn}, {running: all*0.1 + own^2 + height + turn*push}")},
    {"energy of a beam", BEAM("    elements: 4\n", HINGED, ENERGIES)},
    {"energy of a beam of order 2", BEAM("    elements: 2\n    order: 2\n", HINGED, ENERGIES)},
    {"energy of a rod", BEAM("    elements: 4\n    model: vertex\n", HINGED, ENERGIES)},
    {"energy of a beam of dual quaternions",
     BEAM("    elements: 3\n    model: dual_quaternion\n", HINGED, ENERGIES)},
};

/* Functionals of optimal control at the guessed controls: efforts, works, forces at points. */
#define PUSHED(frame, objective)                                                            \
    "parameters: {l: 0.8, m: 1.2, x: 0.1, y: 0.2, w: 0.3, most: 5}\n"                       \
    "gravity: [0, 0, -9.81]\n"                                                              \
    "bodies:\n"                                                                             \
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"            \
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0.1, =0.2*l]}\n"                \
    "joints:\n"                                                                             \
    "  - {revolute: [ground, a], name: pin, at: {a: start}, axis: [0, 1, 0], angle: 0.4}\n" \
    "  - {spherical: [a, b], at: {a: end, b: [=x, 0, 0]}}\n"                                \
    "optimize:\n"                                                                           \
    "  duration: 0.04\n"                                                                    \
    "  intervals: 8\n"                                                                      \
    "  method: shooting\n"                                                                  \
    "  controls:\n"                                                                         \
    "    - {name: drive, joint: pin, guess: 1.5, limit: =most}\n"                           \
    "    - {name: push, force: b, at: [=x, =2*y, 0.3], guess: 2" frame "}\n"                \
    "    - {name: centre, force: b, component: z, guess: 1}\n"                              \
    "    - {name: fixed, force: b, at: [0.1, 0.2, 0.3], component: y, guess: 3}\n"          \
    "  quantities: {tip: {point: [=y, 0, 0.3], of: b, along: x}}\n"                         \
    "  objective: [" objective ", {end: tip + 0.1*tip_rate}]\n"

static const gradient_subject pushed[] = {
    {"forces in world axes", PUSHED("", "{effort: =w}, {work: 0.2}, {running: push_x*push_x_speed*tip*w}")},
    {"forces in body axes", PUSHED(", frame: body", "{effort: =w*l}, {running: push_x^2*tip}")},
};

/* Parameters that turn: initial rotations, axes of joints, and what follows from both by the drawing. Both bodies are drawn, so
 * that frames of the second side follow from the first. */
#define TURNED(rotation, joint, quantity)                                                                   \
    "parameters: {al: 0.3, be: 0.2, x: 0.1, w0: 0.7}\n"                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                              \
    "bodies:\n"                                                                                             \
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [0.3, =x, 0.1], position: [0, 0, 0], rotation: [0, " \
    "=al, 0]}\n"                                                                                            \
    "  b: {mass: 1, inertia: [0.3, 0.2, 0.25], centre: [0.2, 0.1, =x], position: [0.8, =x, 0.2], " rotation \
    "}\n"                                                                                                   \
    "joints:\n"                                                                                             \
    "  - {name: pin, revolute: [ground, a], at: [0, 0, 0], axis: [=sin(be), =cos(be), 0.1], angle_rate: "   \
    "=w0}\n" joint "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, 0, 0.3], of: b, "      \
    "along: x}, angle: {joint: pin}, own: {" quantity                                                       \
    "}}, functional: [{end: tip + 0.1*tip_rate + angle + 0.2*angle_rate + own + 0.1*own_rate}, {running: "  \
    "own^2 + own_rate*angle}]}\n"

#define SOLIDS(solids, point)                                                                                \
    "parameters: {l: 0.8, r: 0.05, rho: 700, x: 0.1, al: 0.3}\n"                                             \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies: {a: {" solids "}}\n"                                                                            \
    "joints: [{name: pin, spherical: [ground, a], at: {a: [=x, 0, 0.1]}, rates: [0.3, 0.2, 1]}]\n"           \
    "springs: [{between: [ground, a], at: {ground: [1, 0, 0], a: " point "}, stiffness: 20, length: 0.3}]\n" \
    "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, 0, 0.3], of: a, along: x}, all: "      \
    "{energy: system}}, functional: [{end: tip + 0.1*tip_rate}, {running: 0.01*all}]}\n"

#define ROTATED "rotation: {axis: [1, =be, 0.3], angle: =al + 0.2}"
#define PLAIN "point: [0, 0.2, 0], of: b, along: z"

static const gradient_subject turned[] = {
    {"turned revolute",
     TURNED(ROTATED, "  - {name: j, revolute: [a, b], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1]}\n",
            "joint: j")},
    {"turned revolute backward",
     TURNED(
         ROTATED,
         "  - {name: j, revolute: [b, a], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1], angle_rate: 0.3}\n",
         "joint: j")},
    {"turned universal", TURNED(ROTATED,
                                "  - {name: j, universal: [a, b], at: {a: [0.4, 0.1, 0]}, axis: {a: [0.2, "
                                "=be, 1], b: [1, 0, =al]}}\n",
                                "joint: j, coordinate: second_angle")},
    {"turned universal backward", TURNED(ROTATED,
                                         "  - {name: j, universal: [b, a], at: {a: [0.4, 0.1, 0]}, axis: "
                                         "[0.2, =be, 1], x_axis: [1, =al, 0]}\n",
                                         "joint: j, coordinate: angle")},
    {"turned prismatic",
     TURNED(
         ROTATED,
         "  - {name: j, prismatic: [a, b], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1], slide_rate: 0.3}\n",
         "joint: j")},
    {"turned cylindrical",
     TURNED(ROTATED, "  - {name: j, cylindrical: [b, a], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1]}\n",
            "joint: j, coordinate: slide")},
    {"turned planar", TURNED("rotation: [=al, 0.1, =be]",
                             "  - {name: j, planar: [a, b], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1]}\n",
                             "joint: j, coordinate: y")},
    {"turned planar backward",
     TURNED("rotation: [=al, 0.1, =be]",
            "  - {name: j, planar: [b, a], at: {a: [0.4, 0.1, 0]}, axis: [0.25, =be, 1], x_rate: 0.3}\n",
            "joint: j, coordinate: angle")},
    {"turned spherical", TURNED(ROTATED, "  - {name: j, spherical: [a, b], at: {a: [0.4, 0.1, 0]}}\n",
                                "joint: j, coordinate: twist, axis: [0, 0.3, 1]")},
    {"turned spherical at the ground",
     TURNED("directors: [[=cos(al), =sin(al), 0], [=-sin(al), =cos(al), 0], [0, 0, 1]]",
            "  - {name: j, spherical: [b, ground], at: [0.7, 0.1, 0]}\n", "joint: j, coordinate: x")},
    {"turned by a vector that is zero", TURNED("rotation: [=al - 0.3, =2*(be - 0.2), 0]", "", PLAIN)},
    {"principal axes",
     "parameters: {x: 0.1, m: 1.2, l: 0.8, al: 0.3, j: 0.05, w0: 0.7}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {axes: principal, mass: =m, inertia: [0.3, 0.2, 0.25, =j, 0.02, =0.02*m], centre: [=x, 0.1, 0.2], "
     "position: [=x, 0, 0], rotation: [0.1, =al, 0], points: {far: [=l, 0.1, =x]}}\n"
     "  b: {axes: principal, solids: [{name: bar, cylinder: {length: =l, radius: 0.05, mass: =m}, position: "
     "[=x, 0, 0.1]}, {name: plate, box: {size: [=l, 0.1, 0.2], mass: 2}, rotation: [0.2, =al, 0.1]}]}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, a], at: [0, 0.1, 0.2], axis: [0, 1, =al], angle_rate: =w0}\n"
     "  - {name: ball, spherical: [a, b], at: {a: far, b: bar.end}, rates: [0.1, =w0, 0.2]}\n"
     "springs: [{between: [a, b], at: {a: centre, b: plate.x+}, stiffness: 20, length: 0.3}]\n"
     "loads: [{force: [0, 1, 2], on: b, at: [=x, 0.1, =l]}]\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, =x, 0.3], of: b, along: x}, angle: "
     "{joint: pin}, all: {energy: system}, push: {momentum: b, along: z}}, functional: [{end: tip + "
     "0.1*tip_rate + angle}, {running: 0.01*all + push*angle_rate}]}\n"},
    {"turned fixed", TURNED(ROTATED, "  - {name: j, fixed: [a, b], at: {a: [0.4, 0.1, 0]}}\n", PLAIN)},
    {"turned distance",
     TURNED(ROTATED, "  - {name: j, distance: [a, b], at: {a: [0.4, 0.1, 0], b: [0.1, 0, =x]}}\n", PLAIN)},
    {"several solids", SOLIDS("solids: [{name: bar, cylinder: {length: =l, radius: =r, density: =rho}, "
                              "position: [=x, 0, 0.1]}, {name: "
                              "ball, sphere: {radius: =2*r, mass: =x}, position: [0, =l, 0]}, {name: plate, "
                              "box: {size: [=l, 0.1, =r], "
                              "mass: 2}, rotation: [0.2, 0.3, 0.1]}]",
                              "bar.end")},
    {"turned solid",
     SOLIDS("solid: {cone: {length: =l, radius: 0.3, density: =rho, along: y}, position: [0, =x, "
            "0], rotation: [0.2, =al, =x]}",
            "apex")},
    {"tetrahedron", SOLIDS("solid: {tetrahedron: {corners: [[0, 0, =x], [=l, 0, 0], [0, 0.6, =x], [0, =al, "
                           "0.7]], density: =rho}}",
                           "corner4")},
    {"turned free", TURNED(ROTATED ", angular_velocity: [0.1, =w0, 0.2]", "", PLAIN)},
    {"turned axes alone",
     "parameters: {be: 0.2, c: 0.4, w0: 0.7}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {cylinder: {length: 0.8, radius: 0.05, mass: 1, along: z}}}\n"
     "  b: {solid: {cylinder: {length: 0.6, radius: 0.05, mass: 1, along: z}}}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, a], at: {a: start}, axis: {ground: [0, 1, =be], a: [=be^2, 1, "
     "0.1]}, "
     "angle: =c, angle_rate: =w0}\n"
     "  - {name: rail, cylindrical: [a, b], at: {a: end, b: start}, axis: [1, =be, 0], angle: =c, slide: "
     "0.1, "
     "slide_rate: =w0}\n"
     "springs: [{joint: rail, coordinate: angle, stiffness: 3, damping: 0.1}, {joint: rail, coordinate: "
     "slide, "
     "stiffness: 40}]\n"
     "loads: [{joint: pin, value: =3*w0}]\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: end, of: b, along: y}, turn: {joint: rail, "
     "coordinate: angle}}, functional: [{end: tip + tip_rate + turn + turn_rate}]}\n"},
    {"turned loop",
     "parameters: {al: 0.3, be: 0.2, crank: 0.4, w0: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank: {solid: {cylinder: {length: =crank, radius: 0.02, mass: 1}}}\n"
     "  coupler: {solid: {cylinder: {length: 1.3, radius: 0.02, mass: 3}}}\n"
     "  rocker: {solid: {cylinder: {length: 0.9, radius: 0.02, mass: 2}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, =al, 1], angle: 1.3, "
     "angle_rate: =w0}\n"
     "  - {spherical: [crank, coupler], at: {crank: end, coupler: start}}\n"
     "  - {name: swing, revolute: [ground, rocker], at: {ground: [1.2, 0, 0], rocker: start}, axis: [=be, 1, "
     "0]}\n"
     "  - {name: cross, universal: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, =be]}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {angle: {joint: swing}, other: {joint: cross, coordinate: "
     "angle}}, functional: [{end: angle + 0.1*angle_rate + other}]}\n"},
    {"turned planar bodies",
     "parameters: {al: 0.3, be: 0.2, w0: 0.7}\n"
     "gravity: [0, -9.81]\n"
     "planar_bodies:\n"
     "  a: {mass: 1, inertia: 0.1, centre: [0.4, 0.1], position: [0, 0], angle: =al}\n"
     "  b: {mass: 1, inertia: 0.1, centre: [0.3, 0], position: [0.7, 0.2], angle: =be}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, a], at: [0, 0], angle_rate: =w0}\n"
     "  - {name: rail, prismatic: [a, b], at: [0.7, 0.2], axis: [1, =be]}\n"
     "simulate: {step: 5 ms, steps: 8, quantities: {angle: {joint: pin}, slide: {joint: rail}}, functional: "
     "[{end: angle + angle_rate + slide + slide_rate}]}\n"},
    {"turned beam",
     "parameters: {al: 0.3, be: 0.2, w0: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {bar: {solid: {rod: {length: 0.8, mass: 1}}}, tip: {mass: 0.2, inertia: [0.1, 0.1, 0.1]}}\n"
     "beams:\n"
     "  strip: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 0, 1], elements: 3, section: {rectangle: "
     "{width: 0.04, height: 5 cm}}, material: {young: 1e7, poisson: 0.3, density: 1000}}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, bar], at: {bar: start}, axis: [0, 1, =al], angle: 0.3, angle_rate: "
     "=w0}\n"
     "  - {revolute: [bar, strip.start], at: {bar: end}, axis: [=be, 1, 0], angle: 0.1, angle_rate: 0.3}\n"
     "  - {name: last, revolute: [strip.end, tip], at: {tip: [0, 0, 0]}, axis: [0, 1, =be]}\n"
     "simulate: {step: 1 ms, steps: 6, quantities: {angle: {joint: pin}, end: {joint: last}}, functional: "
     "[{end: "
     "angle + angle_rate + end_rate}]}\n"},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

TEST(every_joint_in_every_scheme)
{
    for (int k = 0; k < SUBJECTS; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            compare(&subjects[k], *scheme, "reduced");
}

TEST(starts_and_loads_follow_parameters)
{
    for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k)
        compare(&starts[k], scheme_for(&starts[k], (int)k), "reduced");
}

TEST(functionals_follow_parameters)
{
    for (size_t k = 0; k < sizeof functionals / sizeof *functionals; ++k)
        compare(&functionals[k], scheme_for(&functionals[k], (int)k), "reduced");
    for (size_t k = 0; k < sizeof pushed / sizeof *pushed; ++k) compare(&pushed[k], "", "");
}

TEST(rotations_and_axes_follow_parameters)
{
    for (size_t k = 0; k < sizeof turned / sizeof *turned; ++k)
        for (int scheme = 0; scheme < 2; ++scheme)
            compare(&turned[k], scheme_for(&turned[k], scheme), "reduced");
}

/* Beams of unit dual quaternions have one scheme; every term of theirs comes from the table, and so do its numbers. */
TEST(beams_of_dual_quaternions)
{
    static const gradient_subject strip = {
        "dual quaternions", "parameters: {l: 1, width: 0.04, E: 1, rho: 1, g: 1, m: 0.3, w0: 3, d: 0.01}\n"
                            "gravity: [0, 0, =-9.81*g]\n"
                            "beams:\n"
                            "  strip:\n"
                            "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"
                            "    d1: [0, 0, 1]\n"
                            "    model: dual_quaternion\n"
                            "    elements: 3\n"
                            "    section: {rectangle: {width: =width, height: 5 cm}}\n"
                            "    material: {young: =1e5*E, poisson: 0.3, density: =1000*rho}\n"
                            "    damping: =d\n"
                            "    masses: [{at: end, mass: =m}]\n"
                            "    ambient_inertia: [0.01, 0.2]\n"
                            "    ambient_stiffness: [1, 100]\n"
                            "joints: [{revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: =w0}]\n"
                            "simulate:\n"
                            "  step: 1 ms\n"
                            "  steps: 100\n"
                            "  quantities: {tip: {point: centre, of: strip.end, along: z}}\n"
                            "  functional: [{end: 100*tip + 10*tip_rate}, {running: 100*tip}]\n"};
    compare(&strip, "trapezoidal", "reduced");
}

/* Some parameters of a file: all formulations have the same motion, so they have the same gradient. */
static void find_some(const gradient_subject *s, const char *scheme, const char *formulation, double by[3])
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, s->text, scheme, formulation);
    ac_gradient *gradient = NULL;
    int last = problem ? ac_problem_parameters(problem) - 1 : 0;
    const char *names[3] = {"", "", ""};
    for (int k = 0; problem && k < 3; ++k) names[k] = ac_problem_parameter(problem, k * last / 2, NULL);
    ac_status status = problem ? ac_gradient_new(ctx, problem, names, 3, 0, &gradient) : AC_BAD_INPUT;
    if (status == AC_OK) status = ac_gradient_run(gradient, NULL);
    if (status != AC_OK) printf("  %s, %s: %s\n", s->name, formulation, ac_context_message(ctx));
    CHECK(status == AC_OK);
    for (int k = 0; k < 3; ++k) by[k] = status == AC_OK ? ac_gradient_by_parameter(gradient, k) : NAN;
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(every_joint_in_every_formulation)
{
    static const char *const formulations[] = {"null-space", "multipliers"};
    for (int k = 0; k < SUBJECTS; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            double first[3], other[3];
            find_some(&subjects[k], *scheme, "reduced", first);
            for (int f = 0; f < 2; ++f) {
                find_some(&subjects[k], *scheme, formulations[f], other);
                for (int j = 0; j < 3; ++j) CHECK_NEAR(other[j], first[j], 1e-8 * (1e-3 + fabs(first[j])));
            }
        }
}

/* --- joint coordinates --- */

/* The text without loads and dampers, which the formulation does not take. */
static void quieten(const char *text, char *out)
{
    static const char *const dampers[] = {", damping: =c", ", damping: 0.1"};
    bool loads = false;
    while (*text) {
        size_t line = strcspn(text, "\n");
        loads = strncmp(text, "loads:", 6) == 0 || (loads && strncmp(text, "  - ", 4) == 0);
        for (const char *end = text + line + (text[line] == '\n'); text < end;) {
            for (int k = 0; k < 2; ++k)
                if (strncmp(text, dampers[k], strlen(dampers[k])) == 0) text += strlen(dampers[k]);
            if (!loads) *out++ = *text;
            ++text;
        }
    }
    *out = '\0';
}

static bool is_open_tree(const char *text)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, text, "trapezoidal", "reduced");
    const ac_system *system = problem ? ac_problem_system(problem) : NULL;
    bool open = system && system->constraints.count == system->constraints.closure;
    ac_problem_free(problem);
    ac_context_free(ctx);
    return open;
}

static int in_joint_coordinates(const gradient_subject *list, size_t count)
{
    static char text[8192];
    int compared = 0;
    for (size_t k = 0; k < count; ++k) {
        CHECK(strlen(list[k].text) < sizeof text);
        quieten(list[k].text, text);
        if (strstr(text, "beams:") || !is_open_tree(text)) continue;
        compare(&(gradient_subject){list[k].name, text}, "trapezoidal", "minimal");
        ++compared;
    }
    return compared;
}

#define IN_JOINT_COORDINATES(list) in_joint_coordinates(list, sizeof(list) / sizeof *(list))

TEST(every_joint_in_joint_coordinates)
{
    CHECK(IN_JOINT_COORDINATES(subjects) == 9);
    CHECK(IN_JOINT_COORDINATES(starts) >= 13);
    CHECK(IN_JOINT_COORDINATES(functionals) == 4);
    CHECK(IN_JOINT_COORDINATES(turned) >= 19);
}

/* --- the adjoint against the tangent --- */

enum { MOST = 24, ROWS = 24, SIZE = MOST + ROWS };

/* J = sum over all nodes of c . q + d . p, with numbers that are some function of node and coordinate. */
static double weight_of(long node, int i, int which)
{
    return sin(1.7 * (double)node + 0.9 * i + 2.3 * which);
}

static double sum_at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                          double *by_p)
{
    const int n = *(const int *)user;
    double sum = 0.0;
    (void)t;
    for (int i = 0; i < n; ++i) {
        sum += weight_of(node, i, 0) * q[i] + weight_of(node, i, 1) * p[i];
        if (by_q) by_q[i] += weight_of(node, i, 0);
        if (by_p) by_p[i] += weight_of(node, i, 1);
    }
    return sum;
}

/* Slopes of left and right by a, b and inputs, dense. */
typedef struct slopes {
    int n, inputs;
    double by[2][3][MOST][MOST];
} slopes;

static void take_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    slopes *s = user;
    if (by <= AC_BY_TAU) s->by[side][by][row][column] += value;
}

static void take_block(void *user, const ac_slope_block *b)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (b->sides & (1 << side)) && i < b->rows; ++i)
            for (int j = 0; j < b->size; ++j) {
                if (b->by_a) take_slope(user, side, b->at[i], AC_BY_A, b->at[j], b->by_a[i * b->size + j]);
                if (b->by_b) take_slope(user, side, b->at[i], AC_BY_B, b->at[j], b->by_b[i * b->size + j]);
            }
}

/* A motion beside the stored one: derivatives of q and p by a parameter, node after node. */
typedef struct tangent {
    ac_adjoint *d;
    int parameter, n, m;
    double q[MOST], p[MOST];
    double sum, size;
} tangent;

static double by_parameter(const tangent *t, double *by)
{
    const ac_adjoint_parameters *p = &t->d->parameters;
    double sum = 0.0;
    for (int k = 0; k < p->slope_count; ++k)
        if (p->slopes[k].parameter == t->parameter) sum += p->slopes[k].slope * by[p->slopes[k].number];
    memset(by, 0, (size_t)p->varying.count * sizeof *by);
    return sum;
}

static void count_node(tangent *t, long node)
{
    for (int i = 0; i < t->n; ++i) {
        double parts[2] = {weight_of(node, i, 0) * t->q[i], weight_of(node, i, 1) * t->p[i]};
        t->sum += parts[0] + parts[1];
        t->size += fabs(parts[0]) + fabs(parts[1]);
    }
}

static void begin(tangent *t)
{
    const ac_system *system = t->d->system;
    const ac_adjoint_parameters *p = &t->d->parameters;
    const double *q = p->start + 2 * t->parameter * t->n, *v = q + t->n;
    double *by = p->by;
    memcpy(t->q, q, (size_t)t->n * sizeof *q);
    ac_mass_apply(system, v, t->p);
    for (int i = 0; i < t->n; ++i) {
        double unit[MOST] = {0.0};
        unit[i] = 1.0;
        ac_numbers_pull_mass(&p->varying, unit, system->initial.v, 1.0, by);
        t->p[i] += by_parameter(t, by);
    }
    count_node(t, 0);
}

/* One step of the linearised equations (interval.h) in all coordinates, with dense matrices. */
static void step(tangent *t, long number)
{
    ac_adjoint *d = t->d;
    const ac_system *system = d->system;
    const ac_adjoint_parameters *parameters = &d->parameters;
    const int n = t->n, m = t->m, size = n + m;
    const double *a = d->stored.q + number * n, *b = a + n, *p = d->stored.p + number * n;
    static double K[SIZE * SIZE];
    double r[SIZE] = {0.0}, left[MOST], right[MOST], x[MOST], force[MOST], mu[ROWS], tau[MOST],
           G[AC_ELEMENT_MAX], changes[2][MOST] = {{0.0}}, *by = parameters->by;
    int pivot[SIZE];
    slopes *s = calloc(1, sizeof *s);
    ac_discrete_load_values(&d->discrete, (double)number * d->h, d->h, tau);
    ac_discrete_point point = {
        .a = a, .b = b, .tau = tau, .h = d->h, .winding = d->stored.winding + number * system->measure_count};
    ac_discrete_values(&d->discrete, &point, left, right);
    ac_discrete_slopes(&d->discrete, &point, false, &(ac_slope_sinks){take_slope, take_block}, s);
    for (int i = 0; i < n; ++i) {
        x[i] = d->at_mean ? 0.5 * (a[i] + b[i]) : a[i];
        force[i] = p[i] + left[i];
    }
    CHECK(ac_legendre_multipliers(&d->legendre, x, force, mu) == AC_OK);
    memset(K, 0, sizeof K);
    for (int i = 0; i < n; ++i) {
        double unit[MOST] = {0.0}, zero[MOST] = {0.0}, bend[MOST] = {0.0};
        unit[i] = 1.0;
        for (int side = 0; side < 2; ++side) {
            ac_numbers_pull(&d->discrete, &point, &parameters->varying, side ? zero : unit,
                            side ? unit : zero, by);
            changes[side][i] = by_parameter(t, by);
            for (int j = 0; j < n; ++j) changes[side][i] += s->by[side][AC_BY_A][i][j] * t->q[j];
            for (int j = 0; j < d->input_count; ++j)
                changes[side][i] += s->by[side][AC_BY_TAU][i][j] *
                                    ac_adjoint_load_slope(d, t->parameter, j, (double)number * d->h, d->h);
        }
        ac_constraints_pull(system, mu, unit, d->at_mean ? 0.5 : 1.0, bend);
        ac_numbers_pull_forces(&parameters->varying, 0, x, mu, unit, 1.0, by);
        r[i] = -t->p[i] - changes[0][i] + by_parameter(t, by);
        for (int j = 0; j < n; ++j) {
            r[i] += bend[j] * t->q[j];
            K[i * size + j] = s->by[0][AC_BY_B][i][j] - (d->at_mean ? bend[j] : 0.0);
        }
    }
    for (int row = 0; row < m; ++row) {
        const ac_constraints *c = &system->constraints;
        double unit[ROWS] = {0.0};
        unit[row] = 1.0;
        ac_constraint_gradient(system, row, x, G);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            K[c->coordinate[e] * size + n + row] = -G[e - c->start[row]];
        ac_constraint_gradient(system, row, b, G);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            K[(n + row) * size + c->coordinate[e]] = G[e - c->start[row]];
        ac_numbers_pull_rows(&parameters->varying, 0, b, unit, 1.0, by);
        r[n + row] = -by_parameter(t, by);
    }
    CHECK(ac_lu_factor(size, K, pivot));
    ac_lu_solve(size, K, pivot, r);
    for (int i = 0; i < n; ++i) {
        double l = changes[0][i], next = changes[1][i];
        for (int j = 0; j < n; ++j) {
            l += s->by[0][AC_BY_B][i][j] * r[j];
            next += s->by[1][AC_BY_B][i][j] * r[j];
        }
        t->p[i] = d->at_mean ? next - t->p[i] - l : next;
    }
    memcpy(t->q, r, (size_t)n * sizeof *r);
    count_node(t, number + 1);
    free(s);
}

static void check_identity(const gradient_subject *s, const char *scheme)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, s->text, scheme, "reduced");
    ac_gradient *gradient = NULL;
    CHECK(problem && ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_OK);
    ac_adjoint *d = gradient ? (ac_adjoint *)ac_gradient_adjoint(gradient) : NULL;
    int n = d ? d->system->n : 0;
    const ac_functional functional = {.user = &n, .node = sum_at_node};
    if (d) CHECK(ac_adjoint_run(d, &functional, NULL) == AC_OK);
    CHECK(n <= MOST && (!d || d->system->constraints.count <= ROWS));
    double found[32];
    int count = d ? d->parameters.count : 0;
    memcpy(found, d ? ac_adjoint_by_parameters(d) : found, (size_t)count * sizeof *found);
    for (int k = 0; k < count; ++k) {
        tangent t = {.d = d, .parameter = k, .n = n, .m = d->system->constraints.count};
        begin(&t);
        for (long i = 0; i < d->steps; ++i) step(&t, i);
        if (!(fabs(t.sum - found[k]) <= 1e-12 * t.size))
            printf("  %s, %s, %s: tangent %.15g, adjoint %.15g, terms %.3g\n", s->name, scheme,
                   ac_gradient_parameter(gradient, k, NULL), t.sum, found[k], t.size);
        CHECK(fabs(t.sum - found[k]) <= 1e-12 * t.size);
    }
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Those with two nodes and without redundant rows. */
TEST(tangent_and_adjoint_agree)
{
    for (int k = 0; k < SUBJECTS; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            if (strstr(subjects[k].text, "  b: {solid") || strstr(subjects[k].text, "planar_bodies"))
                check_identity(&subjects[k], *scheme);
}

/* --- refusals --- */

static void check_refusal(const char *text, const char *name, ac_status expected, const char *words)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    ac_status status = ac_problem_parse(ctx, "test", text, strlen(text), NULL, 0, &problem);
    if (status == AC_OK) status = ac_gradient_new(ctx, problem, &name, 1, 0, &gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, NULL);
    if (status != expected || !strstr(ac_context_message(ctx), words))
        printf("  %d: %s\n", (int)status, ac_context_message(ctx));
    CHECK(status == expected);
    CHECK(strstr(ac_context_message(ctx), words));
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

#define PENDULUM(parameters, simulate)                       \
    "parameters: {l: 1, n: 2, " parameters "}\n"             \
    "gravity: [0, 0, -9.81]\n"                               \
    "bodies: {rod: {solid: {rod: {length: =l, mass: 1}}}}\n" \
    "joints: [{name: pin, revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0], angle: 1}]\n" simulate

TEST(what_has_no_gradient_is_refused)
{
    static const char plain[] = PENDULUM(
        "h: 0.01, s: =2*l",
        "simulate: {step: =h, steps: 10, quantities: {a: {joint: pin}}, functional: [{end: a^n}]}\n");
    check_refusal(plain, "mass", AC_BAD_INPUT, "no parameter 'mass'");
    check_refusal(plain, "s", AC_BAD_INPUT, "no parameter 's'");
    check_refusal(plain, "h", AC_BAD_INPUT, "the step or the duration changes");
    check_refusal(PENDULUM("h: 0.01", "simulate: {step: =h, steps: 10}\n"), "l", AC_BAD_INPUT,
                  "no functional");
    check_refusal(PENDULUM("h: 0.01", "simulate: {step: =h, steps: 10, functional: [{end: speed}]}\n"), "l",
                  AC_BAD_INPUT, "speed");
    check_refusal(PENDULUM("h: 0.01", "simulate: {step: =h, steps: 10, functional: [{effort: 1}]}\n"), "l",
                  AC_BAD_INPUT, "not of effort");
    check_refusal("parameters: {count: 3}\n"
                  "gravity: [0, 0, -9.81]\n"
                  "points: {p: {mass: 1, position: [=i, 0, 0], repeat: =count}}\n"
                  "simulate: {step: 0.01, steps: 10, quantities: {a: {point: centre, of: p(1), along: z}}, "
                  "functional: [{end: a}]}\n",
                  "count", AC_BAD_INPUT, "'count'");
    /* a four-bar that lies stretched out: another length has another rank, or none */
    check_refusal(
        "parameters: {l: 1}\n"
        "bodies: {a: {solid: {rod: {length: =l, mass: 1}}}, b: {solid: {rod: {length: 1, mass: 1}}}}\n"
        "joints:\n"
        "  - {revolute: [ground, a], at: {a: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [a, b], at: {a: end, b: start}, axis: [0, 1, 0]}\n"
        "  - {name: rail, cylindrical: [ground, b], at: {ground: [2, 0, 0], b: end}, axis: [0, 1, 0]}\n"
        "simulate: {step: 0.01, steps: 10, quantities: {a: {joint: rail, coordinate: slide}}, "
        "functional: [{end: a}]}\n",
        "l", AC_BAD_INPUT, "");
    check_refusal(PENDULUM("h: 0.01", "simulate: {step: 10, steps: 10, max_iterations: 1, turn_limit: 0.001, "
                                      "quantities: {a: {joint: pin}}, functional: [{end: a}]}\n"),
                  "l", AC_NOT_CONVERGED, "step 1");
}

/* A point of mass 1 that a force of 3 N pushes from t0 = 0.0363 on. The mean force of the step from t_3 = 0.03 on is
 * 3 (0.04 - t0) / h, and a mean force F of a step moves the end by h F (T - t_3 - h/2), so that dz/dt0 = -3 (T - t_3 - h/2)
 * = -0.195. The derivative by t0 acts at the jump alone, inside that step. */
TEST(a_parameter_moves_a_jump)
{
    static const char text[] = "parameters: {t0: 0.0363}\n"
                               "points: {p: {mass: 1, position: [0, 0, 0]}}\n"
                               "loads: [{force: [0, 0, =3*step(t-t0)], on: p}]\n"
                               "simulate: {step: 0.01, steps: 10, quantities: {a: {point: centre, of: p, "
                               "along: z}}, functional: [{end: a}]}\n";
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    double value = NAN;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_OK);
    CHECK(ac_gradient_run(gradient, &value) == AC_OK);
    CHECK(ac_gradient_parameters(gradient) == 1);
    CHECK_NEAR(ac_gradient_by_parameter(gradient, 0), -0.195, 1e-13);
    double slope = NAN;
    CHECK(ac_gradient_difference(gradient, 0, &slope, NULL) == AC_OK);
    CHECK_NEAR(ac_gradient_by_parameter(gradient, 0), slope, 1e-7);
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_parameter_moves_a_jump), CASE(every_joint_in_every_scheme),
          CASE(starts_and_loads_follow_parameters), CASE(functionals_follow_parameters),
          CASE(rotations_and_axes_follow_parameters), CASE(beams_of_dual_quaternions),
          CASE(every_joint_in_every_formulation), CASE(every_joint_in_joint_coordinates),
          CASE(tangent_and_adjoint_agree), CASE(what_has_no_gradient_is_refused))
