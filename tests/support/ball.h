/* A ball in the plane, with phases: it falls, then goes on. `quantities`: further ones; `first`, `second`: further keys of the
 * phases; `more`: further keys of the task. */
#ifndef ACTIO_TESTS_SUPPORT_BALL_H
#define ACTIO_TESTS_SUPPORT_BALL_H

#define BALL_PHASES(quantities, first, second, more)                                         \
    "title: ball\n"                                                                          \
    "gravity: [0, -9.81]\n"                                                                  \
    "points: {ball: {mass: 2, position: [0, 1], velocity: [3, 0]}}\n"                        \
    "optimize:\n"                                                                            \
    "  intervals: 7\n"                                                                       \
    "  duration: 0.3\n"                                                                      \
    "  free_duration: true\n"                                                                \
    "  controls: [{force: ball, name: f, limit: 0}]\n"                                       \
    "  quantities:\n"                                                                        \
    "    x: {of: ball, point: centre, along: x}\n"                                           \
    "    y: {of: ball, point: centre, along: y}\n" quantities "  objective: [{effort: 1}]\n" \
    "  phases:\n"                                                                            \
    "    - {name: fall" first "}\n"                                                          \
    "    - {name: rise" second "}\n" more
#define HITS ", conditions: [{expression: y, equals: 0, at: end}]"

#endif
