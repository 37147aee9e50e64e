/* The published upswing as text of a problem file: a torque at the hinge of a mass of 1 kg at 1 m brings it from hanging to upright in 2 s
 * (Schubert et al. 2023, sections 2.3 and 3.3). The body has next to no inertia about its mass. */
#ifndef ACTIO_TESTS_SUPPORT_UPSWING_H
#define ACTIO_TESTS_SUPPORT_UPSWING_H

/* more: further lines of the section; control: further keys of the torque; objective: lines behind the effort. */
#define UPSWING(intervals, more, control, objective)                                 \
    "gravity: [0, -9.81]\n"                                                          \
    "planar_bodies:\n"                                                               \
    "  bob: {mass: 1, inertia: 1e-9, points: {pivot: [0, 1], mass: [0, 0]}}\n"       \
    "joints:\n"                                                                      \
    "  - {name: hinge, revolute: [ground, bob], at: {ground: [0, 0], bob: pivot}}\n" \
    "optimize:\n"                                                                    \
    "  duration: 2 s\n"                                                              \
    "  intervals: " #intervals "\n" more "  controls:\n"                             \
    "    - {name: torque, joint: hinge" control "}\n"                                \
    "  quantities:\n"                                                                \
    "    x: {point: mass, of: bob, along: x}\n"                                      \
    "    y: {point: mass, of: bob, along: y}\n"                                      \
    "    phi: {joint: hinge}\n"                                                      \
    "  objective:\n"                                                                 \
    "    - {effort: 1e-5}\n" objective

/* Upright at the end, as a place and as an angle. */
#define UPRIGHT "    - {end: \"500*(x^2 + (y - 1)^2) + 0.005*phi_rate^2\"}\n"
#define ANGLE "    - {end: \"500*(phi - pi)^2 + 0.005*phi_rate^2\"}\n"

#endif
